//! The list of cases that may differ from their vectors, strict both ways: a listed case that
//! passes fails the run, so nothing on the list can rot.
//!
//! A line is `<vector file below golden/vectors> <case id>: <reason>`; `#` begins a comment.

use std::collections::BTreeMap;

use crate::golden::Result;

/// The list of this repository.
pub const OURS: &str = include_str!("../known-failures.txt");

/// Known failures by vector file and case.
#[derive(Debug, Default)]
pub struct KnownFailures(BTreeMap<(String, String), String>);

impl KnownFailures {
    /// Reads a list.
    ///
    /// # Errors
    /// When a line has another form, gives no reason or stands twice.
    pub fn parse(text: &str) -> Result<KnownFailures> {
        let mut list = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let bad = |what: &str| format!("known failures, line {}: {what}", index + 1);
            let (place, reason) = line
                .split_once(": ")
                .ok_or_else(|| bad("gives no reason"))?;
            let (file, case) = place
                .split_once(' ')
                .ok_or_else(|| bad("names no vector file and case"))?;
            if reason.trim().is_empty() {
                return Err(bad("gives no reason"));
            }
            let key = (file.to_owned(), case.to_owned());
            if list.insert(key, reason.to_owned()).is_some() {
                return Err(bad("stands twice"));
            }
        }
        Ok(KnownFailures(list))
    }

    /// Whether the case is on the list.
    pub fn contains(&self, file: &str, case: &str) -> bool {
        self.0.contains_key(&(file.to_owned(), case.to_owned()))
    }

    /// How many cases are on the list.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
