//! Which releases consist of the same code, as far as a question goes: `golden/classes.jsonl`.
//!
//! `cargo xtask classify` writes the file: for each release that can be fetched, the toolchain and,
//! for each question, a digest of the declarations that can influence the answer. Releases whose
//! digests are equal, and whose toolchains behave alike, are one class for that question.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::release::Release;
use crate::toolchain;

const CLASSES: &str = include_str!("../../golden/classes.jsonl");

/// What a release consists of.
#[derive(Debug)]
pub(super) struct Class {
    pub(super) toolchain: &'static str,
    /// Modules that were not to be had as the release wants them, and that matter.
    pub(super) substituted: Vec<&'static str>,
    closures: BTreeMap<&'static str, &'static str>,
}

/// A line of the file. `like` names an earlier line with the same declarations.
#[derive(Deserialize)]
struct Line<'a> {
    release: &'a str,
    toolchain: &'a str,
    #[serde(default, borrow)]
    substituted: Vec<&'a str>,
    #[serde(default, borrow)]
    like: Option<&'a str>,
    #[serde(default, borrow)]
    closures: BTreeMap<&'a str, &'a str>,
}

static BY_RELEASE: LazyLock<BTreeMap<Release, Class>> = LazyLock::new(|| read(CLASSES));

fn read(text: &'static str) -> BTreeMap<Release, Class> {
    let mut classes: BTreeMap<Release, Class> = BTreeMap::new();
    for line in text.lines() {
        // That every line is one is for a test to see.
        let Ok(line) = serde_json::from_str::<Line<'static>>(line) else {
            continue;
        };
        let Ok(release) = line.release.parse() else {
            continue;
        };
        let like = line
            .like
            .and_then(|like| classes.get(&like.parse().ok()?))
            .map(|class| class.closures.clone());
        let class = Class {
            toolchain: line.toolchain,
            substituted: line.substituted,
            closures: like.unwrap_or(line.closures),
        };
        classes.insert(release, class);
    }
    classes
}

/// What a release consists of, if it was classified.
pub(super) fn of(release: Release) -> Option<&'static Class> {
    BY_RELEASE.get(&release)
}

/// Every release that was classified, oldest first.
pub(super) fn classified() -> impl DoubleEndedIterator<Item = Release> {
    BY_RELEASE.keys().copied()
}

impl Class {
    /// Whether the two answer a question alike; all questions, where none is named.
    pub(super) fn answers_like(&self, other: &Class, question: Option<&str>) -> bool {
        let closures_alike = match question {
            // A question that neither is known to answer is none to be alike in.
            Some(question) => {
                let mine = self.closures.get(question);
                mine.is_some() && mine == other.closures.get(question)
            }
            None => self.closures == other.closures,
        };
        closures_alike && toolchain::alike(self.toolchain, other.toolchain)
    }

    /// The questions that the release answers.
    pub(super) fn questions(&self) -> impl Iterator<Item = &'static str> {
        self.closures.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::Toolchain;

    #[test]
    fn every_line_of_the_file_is_read() {
        assert_eq!(BY_RELEASE.len(), CLASSES.lines().count());
        for (release, class) in BY_RELEASE.iter() {
            assert!(!class.closures.is_empty(), "{release}");
            assert!(Toolchain::parse(class.toolchain).is_some(), "{release}");
        }
    }

    #[test]
    fn a_class_is_code_and_toolchain() {
        let classes = read(concat!(
            r#"{"release":"v1.27.14","toolchain":"go1.21.9","closures":{"a":"1","b":"2"}}"#,
            "\n",
            r#"{"release":"v1.27.15","toolchain":"go1.21.11","like":"v1.27.14"}"#,
            "\n",
            r#"{"release":"v1.27.16","toolchain":"go1.22.5","like":"v1.27.15"}"#,
            "\n",
            r#"{"release":"v1.28.0","toolchain":"go1.21.1","closures":{"a":"1","b":"3"}}"#,
        ));
        let alike = |one: (u16, u16), other: (u16, u16), question| {
            let class = |(minor, patch)| &classes[&Release::new(minor, patch)];
            class(one).answers_like(class(other), question)
        };
        assert!(alike((27, 14), (27, 15), None));
        assert!(!alike((27, 15), (27, 16), None), "another Go");
        assert!(!alike((27, 14), (28, 0), None));
        assert!(alike((27, 14), (28, 0), Some("a")));
    }
}
