//! What is different between two releases, in words.

use std::fmt::Write as _;

use clap::builder::styling::Style;
use kubehash::catalogue::{Change, TypeChangeKind};
use kubehash::report::DifferenceReport;

/// One section for each sort of difference; sections without any are left out.
pub(super) fn render(report: &DifferenceReport) -> String {
    let mut page = Page::default();
    let difference = &report.result;
    if difference.is_empty() {
        let (from, to) = (&report.from, &report.to);
        page.line(&match difference.questions {
            Some(_) => format!(
                "{from} and {to} are one class: nothing that can influence an answer differs"
            ),
            None => format!(
                "nothing is known to differ between {from} and {to}, but the sources of one of them \
                 are not known"
            ),
        });
        return page.0;
    }
    if let Some(change) = &difference.toolchains {
        page.heading("TOOLCHAIN");
        page.line(&format!("  {}", arrow(change)));
    }
    match &difference.questions {
        Some(questions) if questions.is_empty() => {
            page.heading("ANSWERS");
            page.line("  none is concerned");
        }
        Some(questions) => page.section("ANSWERS THAT MAY DIFFER", questions.iter().copied()),
        None => {
            page.heading("ANSWERS");
            page.line("  not known: the sources of one of the two are not");
        }
    }
    page.section("API VERSIONS", difference.kinds.iter().map(came_or_went));
    page.section(
        "FEATURE GATES",
        difference
            .feature_gates
            .iter()
            .map(|gate| format!("{}: {}", gate.gate, arrow(&gate.change))),
    );
    if !difference.types.is_empty() {
        page.heading("TYPES");
    }
    for ty in &difference.types {
        match &ty.what {
            TypeChangeKind::Came => page.line(&format!("  + {}", ty.ty)),
            TypeChangeKind::Went => page.line(&format!("  - {}", ty.ty)),
            TypeChangeKind::Underlying(change) => {
                page.line(&format!("  {}: {}", ty.ty, arrow(change)));
            }
            TypeChangeKind::Fields(fields) => {
                page.line(&format!("  {}", ty.ty));
                for field in fields {
                    page.line(&format!("    {}: {}", field.field, arrow(&field.change)));
                }
            }
        }
    }
    if let Some(declarations) = &difference.declarations {
        page.section(
            "DECLARATIONS",
            declarations.iter().map(|(package, names)| {
                let names: Vec<&str> = names.iter().copied().collect();
                format!("{package}: {}", names.join(", "))
            }),
        );
    }
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.0, "{text}");
    }

    fn heading(&mut self, text: &str) {
        const HEADING: Style = Style::new().bold();
        let _ = writeln!(self.0, "{HEADING}{text}{HEADING:#}");
    }

    fn section(&mut self, heading: &str, lines: impl Iterator<Item = impl AsRef<str>>) {
        let mut lines = lines.peekable();
        if lines.peek().is_some() {
            self.heading(heading);
        }
        for line in lines {
            self.line(&format!("  {}", line.as_ref()));
        }
    }
}

fn came_or_went(change: &Change<String>) -> String {
    match (&change.before, &change.after) {
        (Some(went), _) => format!("- {went}"),
        (None, came) => format!("+ {}", came.as_deref().unwrap_or_default()),
    }
}

fn arrow<T: ToString>(change: &Change<T>) -> String {
    let words = |value: &Option<T>| value.as_ref().map_or("-".to_owned(), T::to_string);
    format!("{} → {}", words(&change.before), words(&change.after))
}
