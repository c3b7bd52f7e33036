//! `cargo xtask readme`: the table of releases × subjects in README.md, from golden/manifest.json.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
use crate::golden::Manifest;
use crate::project_root;

const BEGIN: &str = "<!-- begin: written by `cargo xtask readme` from golden/manifest.json -->\n";
const END: &str = "<!-- end -->\n";

/// The subjects in the order of the columns, with their headings.
const SUBJECTS: &[(&str, &str)] = &[
    ("container-hash", "container-hash"),
    ("container-hash-legacy", "…-legacy"),
    ("container-hash-without-resources", "…-without-resources"),
    ("deep-hash", "deep-hash"),
    ("yaml-to-json", "yaml-to-json"),
    ("defaults", "defaults"),
    ("create", "create"),
    ("serve", "serve"),
    ("receive", "receive"),
    ("read-file", "read-file"),
];

/// Brings README.md up to date.
pub(crate) fn run() -> Result<()> {
    let (path, text) = readme()?;
    let fresh = refreshed(&text)?;
    if fresh != text {
        fs::write(&path, fresh).map_err(|e| Error::io(&path, &e))?;
        eprintln!("README.md: the table was brought up to date");
    }
    Ok(())
}

fn readme() -> Result<(std::path::PathBuf, String)> {
    let path = project_root().join("README.md");
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    Ok((path, text))
}

/// The text with its table replaced by the manifest's.
fn refreshed(text: &str) -> Result<String> {
    let place = || {
        Error::Failed(format!(
            "README.md: the lines {BEGIN:?} and {END:?} are missing"
        ))
    };
    let (before, rest) = text.split_once(BEGIN).ok_or_else(place)?;
    let (_, after) = rest.split_once(END).ok_or_else(place)?;
    let table = table(&manifest(&project_root().join("golden/manifest.json"))?)?;
    Ok(format!("{before}{BEGIN}{table}{END}{after}"))
}

fn manifest(path: &Path) -> Result<Manifest> {
    let text = fs::read_to_string(path).map_err(|e| Error::io(path, &e))?;
    Ok(serde_json::from_str(&text)?)
}

/// A row per release, a column per subject; a cell counts the vectors of all views and forms, of
/// the corpus and of random objects.
fn table(manifest: &Manifest) -> Result<String> {
    let mut out = String::from("| release | Go |");
    for (_, heading) in SUBJECTS {
        let _ = write!(out, " {heading} |");
    }
    out.push_str("\n| --- | --- |");
    out.push_str(&" ---: |".repeat(SUBJECTS.len()));
    out.push('\n');
    let mut total = 0;
    for release in &manifest.releases {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (path, file) in &release.files {
            let Some(subject) = subject(path) else {
                continue;
            };
            if !SUBJECTS.iter().any(|(known, _)| *known == subject) {
                return Err(Error::Failed(format!(
                    "{path}: README.md has no column for {subject}"
                )));
            }
            *counts.entry(subject).or_default() += file.cases;
            total += file.cases;
        }
        let _ = write!(
            out,
            "| {} | {} |",
            release.release,
            release.toolchain.trim_start_matches("go")
        );
        for (subject, _) in SUBJECTS {
            match counts.get(subject) {
                Some(count) => {
                    let _ = write!(out, " {count} |");
                }
                None => out.push_str(" – |"),
            }
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "\n{} releases, {total} vectors.",
        manifest.releases.len()
    );
    Ok(out)
}

/// The subject of a file of vectors, `vectors/v1.30.14/random.container-hash.decoded.jsonl`; other
/// files have none.
fn subject(path: &str) -> Option<&str> {
    let (_, name) = path.strip_prefix("vectors/")?.split_once('/')?;
    name.strip_prefix("random.")
        .unwrap_or(name)
        .split('.')
        .next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_readme_is_up_to_date() {
        let (path, text) = readme().unwrap();
        let fresh = refreshed(&text).unwrap();
        if fresh != text {
            fs::write(path, fresh).unwrap();
            panic!("README.md's table was stale; it has been rewritten: look at it and commit it");
        }
        assert!(
            text.lines()
                .filter(|line| line.starts_with("| v1."))
                .count()
                >= 37
        );
    }

    #[test]
    fn subjects_are_read_off_the_file_names() {
        let of = |name: &str| subject(&format!("vectors/v1.30.14/{name}")).map(str::to_owned);
        assert_eq!(
            of("deep-hash.versioned.decoded.jsonl").as_deref(),
            Some("deep-hash")
        );
        assert_eq!(
            of("random.container-hash.static.jsonl").as_deref(),
            Some("container-hash")
        );
        assert_eq!(subject("random/v1.30.14.jsonl"), None);
    }
}
