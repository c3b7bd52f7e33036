//! Columns, two blanks apart, as `kubectl` prints them.

use std::fmt;

use clap::builder::styling::Style;
use comfy_table::{Cell, ContentArrangement};

use super::console::printable;

/// Rows under a heading. Nothing is ever wrapped: a hash torn in two can be neither read nor
/// copied.
pub(super) struct Table(comfy_table::Table);

impl Table {
    /// A table with this heading.
    pub(super) fn new<'a>(heading: impl IntoIterator<Item = &'a str>) -> Table {
        let mut table = comfy_table::Table::new();
        table
            .load_style(comfy_table::presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(heading.into_iter().map(Cell::new));
        let last = table.column_count().saturating_sub(1);
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, if index == last { 0 } else { 2 }));
        }
        Table(table)
    }

    /// Adds a row of plain text.
    pub(super) fn row<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        self.0
            .add_row(cells.into_iter().map(printable).map(Cell::new));
    }

    /// How many there are, without the heading.
    fn rows(&self) -> usize {
        self.0.row_count()
    }

    /// The width of its widest line.
    pub(super) fn width(&self) -> usize {
        let columns = self.0.column_max_content_widths();
        columns
            .iter()
            .map(|width| usize::from(*width) + 2)
            .sum::<usize>()
            .saturating_sub(2)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Whether styles reach the terminal is for the console to decide.
        const HEADING: Style = Style::new().bold();
        for (number, line) in self.0.lines().enumerate() {
            match number {
                0 => writeln!(f, "{HEADING}{}{HEADING:#}", line.trim_end())?,
                _ => writeln!(f, "{}", line.trim_end())?,
            }
        }
        Ok(())
    }
}

/// Lines that stand between the rows of a table.
#[derive(Default)]
pub(super) struct Between(Vec<(usize, String)>);

impl Between {
    /// A line under what the table has so far.
    pub(super) fn line(&mut self, table: &Table, text: &str) {
        self.0.push((table.rows(), printable(text).into_owned()));
    }

    /// The table with its lines in their places.
    pub(super) fn among(self, table: &Table) -> String {
        let mut lines = self.0.into_iter().peekable();
        let mut text = String::new();
        // The heading is above all rows.
        for (rows, row) in table.to_string().lines().enumerate() {
            text.push_str(&format!("{row}\n"));
            while let Some((_, line)) = lines.next_if(|(place, _)| *place == rows) {
                text.push_str(&format!("{line}\n"));
            }
        }
        text
    }
}

/// The width of the terminal that stdout is, if it is one.
pub(super) fn terminal_width() -> Option<usize> {
    comfy_table::Table::new().width().map(usize::from)
}
