//! The objects that were left out, for one line of words instead of hundreds.

use std::collections::BTreeMap;

use kubehash::diagnostic::Diagnostic;

use super::super::console::place;

/// More sources than this are only counted.
const SOURCES_NAMED: usize = 3;

/// Kinds and sources of the objects that were skipped.
#[derive(Default)]
pub(super) struct Skipped {
    kinds: BTreeMap<String, usize>,
    /// In input order.
    sources: Vec<String>,
}

impl Skipped {
    pub(super) fn add(&mut self, source: &str, kind: String) {
        *self.kinds.entry(kind).or_default() += 1;
        if self.sources.last().is_none_or(|last| last != source) {
            self.sources.push(source.to_owned());
        }
    }

    /// The line; `None` where nothing was skipped.
    pub(super) fn told(&self) -> Option<Diagnostic> {
        let count: usize = self.kinds.values().sum();
        let kinds: Vec<String> = self
            .kinds
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        let message = format!("skipped {}: {}", counted(count, "object"), kinds.join(", "));
        match self.sources.as_slice() {
            [] => None,
            [only] => Some(Diagnostic::warning(message).in_source(only)),
            sources => Some(Diagnostic::warning(format!(
                "{message} (in {})",
                named(sources)
            ))),
        }
    }
}

fn named(sources: &[String]) -> String {
    let (named, others) = sources.split_at(SOURCES_NAMED.min(sources.len()));
    let named: Vec<String> = named.iter().map(|source| place(source, None)).collect();
    let named = named.join(", ");
    match others.len() {
        0 => named,
        others => format!("{named} and {}", counted(others, "other file")),
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(objects: &[(&str, &str)]) -> Option<String> {
        let mut skipped = Skipped::default();
        for (source, kind) in objects {
            skipped.add(source, (*kind).to_owned());
        }
        skipped.told().map(|diagnostic| diagnostic.to_string())
    }

    #[test]
    fn says_what_and_where() {
        assert_eq!(told(&[]), None);
        assert_eq!(
            told(&[
                ("a.yaml", "Service"),
                ("a.yaml", "Role"),
                ("a.yaml", "Service")
            ])
            .unwrap(),
            "warning: a.yaml: skipped 3 objects: 1 Role, 2 Service"
        );
        assert_eq!(
            told(&[("a.yaml", "Role"), ("-", "Role")]).unwrap(),
            "warning: skipped 2 objects: 2 Role (in a.yaml, stdin)"
        );
        assert_eq!(
            told(&[("a", "Role"), ("b", "Role"), ("c", "Role"), ("d", "Role")]).unwrap(),
            "warning: skipped 4 objects: 4 Role (in a, b, c and 1 other file)"
        );
    }
}
