//! The list of cases that may differ from their vectors, strict both ways: a listed case that
//! passes fails the run, so nothing on the list can rot.
//!
//! A line is `<release>/<question> <case id>: <reason>`, for a random object
//! `<release>/random/<question> …`; `#` begins a comment.

use std::collections::BTreeMap;

use crate::golden::Result;

/// The list of this repository.
pub const OURS: &str = include_str!("../known-failures.txt");

/// Known failures by question and case.
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
            let (question, case) = place
                .split_once(' ')
                .ok_or_else(|| bad("names no question and case"))?;
            if reason.trim().is_empty() {
                return Err(bad("gives no reason"));
            }
            let key = (question.to_owned(), case.to_owned());
            if list.insert(key, reason.to_owned()).is_some() {
                return Err(bad("stands twice"));
            }
        }
        Ok(KnownFailures(list))
    }

    /// Whether the case is on the list.
    pub fn contains(&self, question: &str, case: &str) -> bool {
        self.0.contains_key(&(question.to_owned(), case.to_owned()))
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
