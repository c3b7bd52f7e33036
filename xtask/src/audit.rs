//! `cargo xtask regen-golden --audit N --seed S`: is a class what it claims to be?
//!
//! Releases that were not built are answered for by a built one of their class. The audit picks N of
//! them, spread over the minors, builds each from its own sources, puts every question to it and
//! compares its answers with those of the releases that speak for it. `golden/audit.jsonl` keeps
//! what came out, a line per release; one that was audited as things are now is not built again, so
//! an interrupted audit goes on where it stopped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::classes::{self, Class, read_lines, write_lines};
use crate::error::{Error, Result};
use crate::golden::Manifest;
use crate::goref::pins::{Pin, Pins};
use crate::project_root;
use crate::release::Release;

/// A line of `golden/audit.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Audited {
    pub(crate) release: String,
    /// What the reference was made of, and what it was asked.
    pub(crate) go_ref_sha256: String,
    pub(crate) inputs: BTreeMap<String, String>,
    /// Answers that were compared.
    pub(crate) compared: usize,
    /// Answers that are not what the speaker said.
    pub(crate) differences: usize,
}

/// Who speaks for a release that has no vectors of its own, question by question.
pub(crate) struct Speakers {
    classes: Vec<Class>,
}

impl Speakers {
    pub(crate) fn read() -> Result<Speakers> {
        Ok(Speakers {
            classes: classes::read()?,
        })
    }

    /// The release nearest to this one that has vectors and is of its class for a question.
    pub(crate) fn of(
        &self,
        release: &str,
        question: &str,
        manifest: &Manifest,
    ) -> Result<Option<&str>> {
        let Some(class) = self.classes.iter().find(|class| class.release == release) else {
            return Ok(None);
        };
        let here = Release::parse(release)?;
        let mut nearest: Option<(u32, u32, &str)> = None;
        for other in &self.classes {
            if manifest.of(&other.release).is_none() || !class.answers_like(other, question) {
                continue;
            }
            let there = Release::parse(&other.release)?;
            let (minors, patches) = here.distance(there);
            let candidate = (minors, patches, other.release.as_str());
            nearest = Some(nearest.map_or(candidate, |known| known.min(candidate)));
        }
        Ok(nearest.map(|(_, _, speaker)| speaker))
    }

    /// Whether every question that the release answers has a speaker.
    pub(crate) fn speak_for(&self, release: &str, manifest: &Manifest) -> Result<bool> {
        let class = self.classes.iter().find(|class| class.release == release);
        let Some(class) = class else { return Ok(false) };
        for question in class.closures.keys() {
            if self.of(release, question, manifest)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Which releases to audit: one of each minor, then a second one, until there are enough.
pub(crate) fn choose(
    pins: &Pins,
    speakers: &Speakers,
    manifest: &Manifest,
    count: usize,
    seed: u64,
) -> Result<Vec<Pin>> {
    let mut by_minor: BTreeMap<u32, Vec<Pin>> = BTreeMap::new();
    for row in pins.rows.iter().filter(|row| row.refused.is_none()) {
        let spoken_for =
            manifest.of(&row.release).is_none() && speakers.speak_for(&row.release, manifest)?;
        if spoken_for {
            let minor = Release::parse(&row.release)?.minor;
            by_minor.entry(minor).or_default().push(pins.pin(row)?);
        }
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut minors: Vec<Vec<Pin>> = by_minor.into_values().collect();
    random.shuffle(&mut minors);
    minors.iter_mut().for_each(|minor| random.shuffle(minor));
    let mut chosen = Vec::new();
    while chosen.len() < count && minors.iter().any(|minor| !minor.is_empty()) {
        chosen.extend(minors.iter_mut().filter_map(Vec::pop));
    }
    chosen.truncate(count);
    if chosen.is_empty() {
        return Err(Error::Failed(
            "no release is spoken for by another: classify releases first (cargo xtask classify)"
                .to_owned(),
        ));
    }
    Ok(chosen)
}

/// What was found so far.
pub(crate) fn recorded() -> Result<Vec<Audited>> {
    read_lines(&path())
}

/// Puts a release's line in its place.
pub(crate) fn record(line: Audited) -> Result<()> {
    let mut lines = recorded()?;
    lines.retain(|old| old.release != line.release);
    lines.push(line);
    lines.sort_by_cached_key(|line| Release::parse(&line.release).ok());
    write_lines(&path(), &lines)
}

fn path() -> std::path::PathBuf {
    project_root().join("golden/audit.jsonl")
}
