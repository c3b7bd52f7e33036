//! The results as a table.

use std::collections::BTreeMap;

use kubehash::catalogue::{Evidence, Resolution};
use kubehash::report::HashResult;

use super::super::console::{place, printable};
use super::super::table::{Table, terminal_width};
use super::Target;

/// A row per container, a column per release. Where the terminal is too
/// narrow for that, a block per object.
pub(super) fn render(targets: &[Target], results: &[HashResult]) -> String {
    if results.is_empty() {
        return String::new();
    }
    let releases: Vec<String> = targets
        .iter()
        .map(|target| match target.resolution {
            // A star stands for the warning on stderr.
            Resolution {
                evidence: Evidence::Built,
                vendor: false,
                ..
            } => target.name(),
            _ => format!("{}*", target.name()),
        })
        .collect();
    let releases = || releases.iter().map(String::as_str);

    let objects: Vec<ObjectRows<'_>> = results
        .chunk_by(|a, b| (&a.source, a.document) == (&b.source, b.document))
        .map(|results| ObjectRows::new(targets, results))
        .collect();
    let mut wide = Table::new(
        ["DOCUMENT", "KIND", "NAMESPACE", "NAME", "CONTAINER", "TYPE"]
            .into_iter()
            .chain(releases()),
    );
    for object in &objects {
        let place = place(&object.about.source, Some(object.about.document));
        let HashResult {
            kind,
            namespace,
            name,
            ..
        } = object.about;
        let namespace = if namespace.is_empty() { "-" } else { namespace };
        for row in &object.rows {
            wide.row(
                [&place, kind, namespace, name]
                    .into_iter()
                    .chain(row.cells()),
            );
        }
    }
    if terminal_width().is_none_or(|width| wide.width() <= width) {
        return wide.to_string();
    }

    let mut narrow = Table::new(["  CONTAINER", "TYPE"].into_iter().chain(releases()));
    let mut titles = BTreeMap::new();
    let mut line = 1;
    for object in &objects {
        let HashResult {
            source,
            document,
            kind,
            namespace,
            name,
            ..
        } = object.about;
        let slash = if namespace.is_empty() { "" } else { "/" };
        titles.insert(
            line,
            format!(
                "{}: {kind} {namespace}{slash}{name}",
                place(source, Some(*document))
            ),
        );
        line += object.rows.len();
        for row in &object.rows {
            let name = format!("  {}", row.name);
            narrow.row([name.as_str()].into_iter().chain(row.cells().skip(1)));
        }
    }
    let mut blocks = String::new();
    for (number, line) in narrow.to_string().lines().enumerate() {
        if let Some(title) = titles.get(&number) {
            blocks.push_str(&format!("{}\n", printable(title)));
        }
        blocks.push_str(&format!("{line}\n"));
    }
    blocks
}

/// One object's containers, side by side under all releases.
struct ObjectRows<'a> {
    about: &'a HashResult,
    rows: Vec<Row<'a>>,
}

struct Row<'a> {
    name: &'a str,
    container_type: &'a str,
    hashes: Vec<&'a str>,
}

impl Row<'_> {
    fn cells(&self) -> impl Iterator<Item = &str> {
        [self.name, self.container_type]
            .into_iter()
            .chain(self.hashes.iter().copied())
    }
}

impl<'a> ObjectRows<'a> {
    /// `results` are one object's, at least one, in the order of the targets; a target under which
    /// the object failed has none.
    fn new(targets: &[Target], results: &'a [HashResult]) -> ObjectRows<'a> {
        let columns: Vec<Option<&HashResult>> = targets
            .iter()
            .map(|target| {
                let name = target.name();
                results.iter().find(|result| result.release == name)
            })
            .collect();
        let mut rows: Vec<Row<'a>> = Vec::new();
        for (column, result) in columns.iter().enumerate() {
            for container in result.iter().flat_map(|result| &result.containers) {
                // A release may know a list of containers that another one drops; and nothing
                // keeps a manifest from using a name twice.
                let row = rows.iter().position(|row| {
                    row.name == container.name
                        && row.container_type == container.container_type
                        && row.hashes[column] == "-"
                });
                let row = match row {
                    Some(row) => &mut rows[row],
                    None => {
                        rows.push(Row {
                            name: &container.name,
                            container_type: container.container_type,
                            hashes: vec!["-"; targets.len()],
                        });
                        let last = rows.len() - 1;
                        &mut rows[last]
                    }
                };
                row.hashes[column] = &container.hex;
            }
        }
        rows.sort_by_key(|row| match row.container_type {
            "init" => 0,
            "container" => 1,
            _ => 2,
        });
        if rows.is_empty() {
            rows.push(Row {
                name: "-",
                container_type: "-",
                hashes: vec!["-"; targets.len()],
            });
        }
        ObjectRows {
            about: &results[0],
            rows,
        }
    }
}
