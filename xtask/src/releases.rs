//! `cargo xtask releases --check`: whether the list of releases is whole, and the pins still hold.

use xshell::{Shell, cmd};

use crate::catalogue;
use crate::error::{Error, Result};
use crate::flags::Releases as Flags;
use crate::goref::modules::asking;
use crate::goref::pins::Pins;
use crate::project_root;
use crate::release::Release;

/// How far beyond the newest patch known is asked: a number may be skipped or refused.
const AHEAD: u32 = 3;

/// How many versions are asked for in one command.
const AT_ONCE: usize = 40;

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let root = project_root();
    let sh = Shell::new()?;
    let known = catalogue::known(&root)?;
    let pins = Pins::load(&root.join("go-ref"))?;
    let order = pins.order();
    let unpinned: Vec<String> = known
        .iter()
        .map(Release::to_string)
        .filter(|release| !order.contains(release))
        .collect();
    if !flags.check {
        let refused = pins.rows.iter().filter(|row| row.refused.is_some()).count();
        println!(
            "{} releases known, {} pinned, {refused} of them without a reference",
            known.len(),
            order.len()
        );
        return Ok(());
    }

    let newer = available(&sh, &candidates(&known))?;
    if newer.is_empty() {
        eprintln!("no newer release is known to the module proxy");
    } else {
        eprintln!(
            "newer releases that are not in src/catalogue/releases.txt: {}\n\
             hint: cargo xtask add-release {}",
            newer.join(" "),
            newer.join(" ")
        );
    }
    if !unpinned.is_empty() {
        eprintln!(
            "not pinned yet: {}\nhint: cargo xtask pin --all",
            unpinned.join(" ")
        );
    }
    let promised: Vec<String> = pins
        .rows
        .iter()
        .filter(|row| row.refused.is_none())
        .map(|row| row.release.clone())
        .collect();
    let held = available(&sh, &promised)?;
    let lost: Vec<&str> = promised
        .iter()
        .filter(|release| !held.contains(release))
        .map(String::as_str)
        .collect();
    if lost.is_empty() {
        eprintln!("all {} pinned releases can be had", promised.len());
        return Ok(());
    }
    Err(Error::Failed(format!(
        "the module proxy no longer hands out what is pinned: {}",
        lost.join(" ")
    )))
}

/// The next patches of every minor, and the next minor.
fn candidates(known: &[Release]) -> Vec<String> {
    let mut names = Vec::new();
    for minor in known.chunk_by(|a, b| a.minor == b.minor) {
        let Some(newest) = minor.last() else { continue };
        for patch in newest.patch + 1..=newest.patch + AHEAD {
            names.push(Release { patch, ..*newest }.to_string());
        }
    }
    let next = known.last().map(|newest| Release {
        minor: newest.minor + 1,
        patch: 0,
    });
    names.extend(next.map(|release| release.to_string()));
    names
}

/// Those of some releases that the module proxy knows.
fn available(sh: &Shell, releases: &[String]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for batch in releases.chunks(AT_ONCE) {
        let specs: Vec<String> = batch
            .iter()
            .map(|release| format!("k8s.io/kubernetes@{release}"))
            .collect();
        let list = cmd!(sh, "go list -e -m -f '{{.Version}} {{.Error}}' {specs...}");
        let output = asking(list).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        if text.lines().count() < batch.len() {
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::Unavailable(words));
        }
        found.extend(
            text.lines()
                .filter_map(|line| line.strip_suffix(" <nil>"))
                .map(str::to_owned),
        );
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_minor_may_have_grown_and_a_new_one_may_be_there() {
        let release = |minor, patch| Release { minor, patch };
        let names = candidates(&[release(36, 0), release(36, 5), release(37, 0)]);
        let expected = [
            "v1.36.6", "v1.36.7", "v1.36.8", "v1.37.1", "v1.37.2", "v1.37.3", "v1.38.0",
        ];
        assert_eq!(names, expected);
    }
}
