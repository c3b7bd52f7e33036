//! `src/catalogue/releases.txt`: every stable release that is known.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::release::Release;

/// All of them, oldest first.
pub(crate) fn known(root: &Path) -> Result<Vec<Release>> {
    let path = path(root);
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    let mut releases = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        releases.extend(
            of_line(line)
                .ok_or_else(|| Error::Failed(format!("{}: what is {line:?}?", path.display())))?,
        );
    }
    releases.sort();
    Ok(releases)
}

/// Adds releases to the file.
pub(crate) fn add(root: &Path, new: &[Release]) -> Result<()> {
    let path = path(root);
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    let mut releases = known(root)?;
    releases.extend(new);
    releases.sort();
    releases.dedup();
    let mut out: String = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect();
    for minor in releases.chunk_by(|a, b| a.minor == b.minor) {
        out += &line_of(minor);
        out.push('\n');
    }
    fs::write(&path, out).map_err(|e| Error::io(&path, &e))
}

fn path(root: &Path) -> PathBuf {
    root.join("src/catalogue/releases.txt")
}

/// The line of one minor's releases, in order.
fn line_of(minor: &[Release]) -> String {
    let mut words: Vec<String> = minor.first().map(|r| r.minor_name()).into_iter().collect();
    words.extend(spans(minor));
    words.join(" ")
}

/// The patches of one minor's releases, in order: `0-9`, `11`.
pub(crate) fn spans(minor: &[Release]) -> impl Iterator<Item = String> {
    let spans = minor.chunk_by(|a, b| a.patch + 1 == b.patch);
    spans.filter_map(|span| match span {
        [one] => Some(one.patch.to_string()),
        [first, .., last] => Some(format!("{}-{}", first.patch, last.patch)),
        [] => None,
    })
}

/// `1.17 0-9 11-17`: the minor, then patches and spans of patches.
fn of_line(line: &str) -> Option<Vec<Release>> {
    let mut words = line.split_whitespace();
    let minor = words.next()?.strip_prefix("1.")?.parse().ok()?;
    let mut releases = Vec::new();
    for word in words {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let patches = first.parse().ok()?..=last.parse().ok()?;
        releases.extend(patches.map(|patch| Release { minor, patch }));
    }
    Some(releases)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_minor_and_spans_of_patches() {
        let releases = of_line("1.17 0-2 11").unwrap();
        let names: Vec<String> = releases.iter().map(Release::to_string).collect();
        assert_eq!(names, ["v1.17.0", "v1.17.1", "v1.17.2", "v1.17.11"]);
        assert_eq!(of_line("1.17 x"), None);
        assert_eq!(line_of(&releases), "1.17 0-2 11");
    }
}
