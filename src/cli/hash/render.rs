//! The results as a table.

use kubehash::catalogue::Resolution;
use kubehash::report::HashResult;

use super::super::args::Output;
use super::super::console::place;
use super::super::table::{Between, Table};

/// A release that was asked for, as results name it.
pub(super) struct Column {
    release: String,
    answers_for: String,
    evidence: &'static str,
    heading: String,
}

impl From<&Resolution> for Column {
    fn from(resolution: &Resolution) -> Column {
        let release = resolution.release.to_string();
        let answers_for = resolution.answers_for.to_string();
        // A star stands for the warning on stderr.
        let star = if resolution.caveat().is_none() {
            ""
        } else {
            "*"
        };
        Column {
            heading: match (resolution.or_else, resolution.vendor) {
                (Some(_), _) => format!("{release}(as {answers_for}){star}"),
                (None, true) => format!("{release}(vendor){star}"),
                (None, false) => format!("{release}{star}"),
            },
            release,
            answers_for,
            evidence: resolution.evidence_label(),
        }
    }
}

/// A row per container, a column per release. Where that is wider than what it is printed on, a
/// block per object.
pub(super) fn render(
    columns: &[Column],
    results: &[HashResult],
    output: Output,
    width: Option<usize>,
) -> String {
    if results.is_empty() {
        return String::new();
    }
    let releases = || columns.iter().map(|column| column.heading.as_str());
    let column_of = |result: &HashResult| columns.iter().position(|column| column.holds(result));
    let objects: Vec<ObjectRows<'_>> = results
        // A column that comes again begins anew: somebody named the file twice.
        .chunk_by(|a, b| {
            (&a.source, a.document) == (&b.source, b.document) && column_of(a) < column_of(b)
        })
        .map(|results| ObjectRows::new(columns, results, output))
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
    if width.is_none_or(|width| wide.width() <= width) {
        return wide.to_string();
    }

    let mut narrow = Table::new(["  CONTAINER", "TYPE"].into_iter().chain(releases()));
    let mut titles = Between::default();
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
        let place = place(source, Some(*document));
        titles.line(
            &narrow,
            &format!("{place}: {kind} {namespace}{slash}{name}"),
        );
        for row in &object.rows {
            let name = format!("  {}", row.name);
            narrow.row([name.as_str()].into_iter().chain(row.cells().skip(1)));
        }
    }
    titles.among(&narrow)
}

impl Column {
    fn holds(&self, result: &HashResult) -> bool {
        let Column {
            release,
            answers_for,
            evidence,
            ..
        } = self;
        (release, answers_for, *evidence) == (&result.release, &result.answers_for, result.evidence)
    }
}

/// Reads off what a wide table tells besides containers.
type Told = fn(&HashResult) -> Option<&str>;

const BEYOND: &[(&str, Told)] = &[
    ("pod-template-hash", |result| {
        result.pod_template_hash.as_deref()
    }),
    ("revision-hash", |result| {
        Some(&*result.controller_revision.as_ref()?.hash)
    }),
    ("revision", |result| {
        Some(&*result.controller_revision.as_ref()?.name)
    }),
    ("static-pod-uid", |result| result.static_pod_uid.as_deref()),
];

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
    /// `results` are one object's, at least one; a release under which it failed has none.
    fn new(columns: &[Column], results: &'a [HashResult], output: Output) -> ObjectRows<'a> {
        let mut rows: Vec<Row<'a>> = Vec::new();
        for (column, release) in columns.iter().enumerate() {
            let result = results.iter().find(|result| release.holds(result));
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
                            hashes: vec!["-"; columns.len()],
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
        if output == Output::Wide {
            let under = columns
                .iter()
                .map(|column| results.iter().find(|result| column.holds(result)));
            let under: Vec<Option<&HashResult>> = under.collect();
            rows.extend(BEYOND.iter().filter_map(|(name, value)| {
                let values = under.iter().map(|result| value((*result)?));
                let values: Vec<Option<&str>> = values.collect();
                values.iter().any(Option::is_some).then(|| Row {
                    name: "-",
                    container_type: name,
                    hashes: values.iter().map(|value| value.unwrap_or("-")).collect(),
                })
            }));
        }
        if rows.is_empty() {
            rows.push(Row {
                name: "-",
                container_type: "-",
                hashes: vec!["-"; columns.len()],
            });
        }
        ObjectRows {
            about: &results[0],
            rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use kubehash::catalogue::resolve;
    use kubehash::report::ContainerResult;

    fn columns(releases: &[&str]) -> Vec<Column> {
        releases
            .iter()
            .map(|release| Column::from(&resolve(release.parse().unwrap()).unwrap()))
            .collect()
    }

    fn result(column: &Column, containers: &[(&str, &'static str, u32)]) -> HashResult {
        HashResult {
            source: "web.yaml".into(),
            document: 1,
            kind: "Pod".into(),
            namespace: "shop".into(),
            name: "web".into(),
            release: column.release.clone(),
            answers_for: column.answers_for.clone(),
            view: "delivered",
            api_version: "v1".into(),
            evidence: column.evidence,
            predicted: true,
            containers: containers
                .iter()
                .map(|(name, kind, hash)| ContainerResult::new(*name, kind, *hash))
                .collect(),
            pod_template_hash: None,
            controller_revision: None,
            static_pod_uid: None,
            evidence_of: BTreeMap::new(),
        }
    }

    fn plain(text: &str) -> String {
        text.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "")
    }

    #[test]
    fn a_container_that_one_release_drops_has_no_number_there() {
        let columns = columns(&["1.30.14", "1.31.14-gke.1"]);
        let results = [
            result(&columns[0], &[("c", "container", 1), ("c", "container", 2)]),
            result(&columns[1], &[("i", "init", 3), ("c", "container", 0xabc)]),
        ];
        assert_eq!(
            plain(&render(&columns, &results, Output::Table, None)),
            "\
DOCUMENT    KIND  NAMESPACE  NAME  CONTAINER  TYPE       v1.30.14  v1.31.14(vendor)*
web.yaml#1  Pod   shop       web   i          init       -         3
web.yaml#1  Pod   shop       web   c          container  1         abc
web.yaml#1  Pod   shop       web   c          container  2         -
"
        );
    }

    #[test]
    fn what_is_too_wide_is_told_object_by_object() {
        let columns = columns(&["1.30.14"]);
        let one = result(&columns[0], &[("c", "container", 1)]);
        let results = [one.clone(), one];
        let narrow = "  CONTAINER  TYPE       v1.30.14
web.yaml#1: Pod shop/web
  c          container  1
web.yaml#1: Pod shop/web
  c          container  1
";
        assert_eq!(
            plain(&render(&columns, &results, Output::Table, Some(64))),
            narrow
        );
        assert!(
            plain(&render(&columns, &results, Output::Table, Some(65))).starts_with("DOCUMENT")
        );
    }
}
