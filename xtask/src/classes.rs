//! `golden/classes.jsonl`: which releases consist of the same code, question by question.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::project_root;
use crate::toolchain::alike;

/// A line of `golden/classes.jsonl`.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Class {
    pub(crate) release: String,
    pub(crate) toolchain: String,
    /// sha256 over the rule and the reference's own sources, in short: digests of two rules are not
    /// comparable.
    pub(crate) rule: String,
    /// Modules with a declaration that counts, and that were not to be had as the release wants them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) substituted: Vec<String>,
    /// An earlier release whose closures are the same; then they are not repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) like: Option<String>,
    /// By question: the digest of the declarations that can influence its answers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) closures: BTreeMap<String, String>,
}

impl Class {
    /// Whether the two answer a question alike: the same code, and toolchains that behave alike. A
    /// question that neither has an answer to is no question.
    pub(crate) fn answers_like(&self, other: &Class, question: &str) -> bool {
        let (mine, theirs) = (self.closures.get(question), other.closures.get(question));
        mine.is_some() && mine == theirs && alike(&self.toolchain, &other.toolchain)
    }
}

/// All lines of the file, each with closures of its own.
pub(crate) fn read() -> Result<Vec<Class>> {
    let mut classes: Vec<Class> = read_lines(&path())?;
    for at in 0..classes.len() {
        let Some(like) = classes[at].like.take() else {
            continue;
        };
        let closures = classes[..at]
            .iter()
            .find(|class| class.release == like)
            .map(|class| class.closures.clone());
        classes[at].closures = closures.ok_or_else(|| {
            Error::Failed(format!(
                "golden/classes.jsonl: {} is like {like}, which does not come before it",
                classes[at].release
            ))
        })?;
    }
    Ok(classes)
}

/// Writes each set of closures once.
pub(crate) fn write(classes: &[Class]) -> Result<()> {
    let lines: Vec<Class> = classes
        .iter()
        .enumerate()
        .map(|(at, class)| {
            let earlier = &classes[..at];
            match earlier
                .iter()
                .find(|other| other.closures == class.closures)
            {
                Some(other) => Class {
                    like: Some(other.release.clone()),
                    closures: BTreeMap::new(),
                    ..class.clone()
                },
                None => class.clone(),
            }
        })
        .collect();
    write_lines(&path(), &lines)
}

fn path() -> PathBuf {
    project_root().join("golden/classes.jsonl")
}

/// The lines of a file, or none if it is not there.
pub(crate) fn read_lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(|e| Error::io(path, &e))?;
    text.lines()
        .map(|line| {
            serde_json::from_str(line)
                .map_err(|e| Error::Failed(format!("{}: {e} in {line}", path.display())))
        })
        .collect()
}

/// Writes a file of lines at once.
pub(crate) fn write_lines<T: Serialize>(path: &Path, lines: &[T]) -> Result<()> {
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line)?;
        text.push('\n');
    }
    let temporary = path.with_extension("tmp");
    fs::write(&temporary, text)
        .and_then(|()| fs::rename(&temporary, path))
        .map_err(|e| Error::io(path, &e))
}
