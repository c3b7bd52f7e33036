//! `cargo xtask docs`: the tables in README.md (releases × subjects) and DIFFERENCES.md (parts of
//! references that had to be replaced), from golden/manifest.json; and docs/releases.md, which
//! `kubehash releases -o markdown` prints.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::classes;
use crate::error::{Error, Result};
use crate::golden::Manifest;
use crate::goref::pins::Substitution;
use crate::project_root;

const BEGIN: &str = "<!-- begin: written by `cargo xtask docs` from golden/manifest.json -->\n";
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

type MakeTable = fn(&Manifest) -> Result<String>;

/// The documents that hold a table, and what makes it.
const TABLES: &[(&str, MakeTable)] = &[("README.md", coverage), ("DIFFERENCES.md", substitutions)];

/// Brings the documents up to date.
pub(crate) fn run() -> Result<()> {
    for stale in stale()? {
        fs::write(&stale.path, stale.fresh).map_err(|e| Error::io(&stale.path, &e))?;
        eprintln!("{}: the table was brought up to date", stale.path.display());
    }
    let root = project_root();
    let sh = Shell::new()?;
    let _dir = sh.push_dir(&root);
    let page = cmd!(
        sh,
        "cargo run --quiet --package kubehash -- releases -o markdown"
    )
    .quiet()
    .read()?;
    let path = root.join("docs/releases.md");
    let page = format!("{page}\n");
    if fs::read_to_string(&path).is_ok_and(|old| old == page) {
        return Ok(());
    }
    fs::write(&path, page).map_err(|e| Error::io(&path, &e))?;
    eprintln!("{}: was brought up to date", path.display());
    Ok(())
}

/// A document whose table is not the manifest's.
struct Stale {
    path: PathBuf,
    fresh: String,
}

fn stale() -> Result<Vec<Stale>> {
    let root = project_root();
    let path = root.join("golden/manifest.json");
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    let manifest: Manifest = serde_json::from_str(&text)?;
    let mut stale = Vec::new();
    for (name, table) in TABLES {
        let path = root.join(name);
        let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
        let place = || {
            Error::Failed(format!(
                "{name}: the lines {BEGIN:?} and {END:?} are missing"
            ))
        };
        let (before, rest) = text.split_once(BEGIN).ok_or_else(place)?;
        let (_, after) = rest.split_once(END).ok_or_else(place)?;
        let fresh = format!("{before}{BEGIN}{}{END}{after}", table(&manifest)?);
        if fresh != text {
            stale.push(Stale { path, fresh });
        }
    }
    Ok(stale)
}

/// A row per part that was not to be had as pinned, and that some answer depends on. Of a release
/// that was not classified nobody knows, and all of its parts are told.
fn substitutions(manifest: &Manifest) -> Result<String> {
    let classes = classes::read()?;
    let mut out = String::from("| release | part | pinned | taken |\n| --- | --- | --- | --- |\n");
    for release in &manifest.releases {
        let class = classes.iter().find(|c| c.release == release.release);
        for Substitution {
            module,
            wanted,
            got,
        } in &release.substitutions
        {
            let toolchain = module == "golang.org/toolchain";
            if !toolchain && class.is_some_and(|class| !class.substituted.contains(module)) {
                continue;
            }
            let _ = writeln!(out, "| {} | {module} | {wanted} | {got} |", release.release);
        }
    }
    Ok(out)
}

/// A row per release, a column per subject; a cell counts the vectors of all views and forms, of
/// the corpus and of random objects.
fn coverage(manifest: &Manifest) -> Result<String> {
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
        for (question, tally) in release.answers.iter().chain(&release.random) {
            let subject = subject(question);
            if !SUBJECTS.iter().any(|(known, _)| *known == subject) {
                return Err(Error::Failed(format!(
                    "{}: README.md has no column for {subject}",
                    release.release
                )));
            }
            *counts.entry(subject).or_default() += tally.cases;
            total += tally.cases;
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

/// The subject of a question: `container-hash` of `container-hash.decoded`.
fn subject(question: &str) -> &str {
    question.split('.').next().unwrap_or(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_up_to_date() {
        let stale = stale().unwrap();
        for Stale { path, fresh } in &stale {
            fs::write(path, fresh).unwrap();
        }
        let names: Vec<_> = stale
            .iter()
            .map(|stale| stale.path.file_name().unwrap())
            .collect();
        assert!(
            names.is_empty(),
            "{names:?}: stale tables were rewritten: look at them and commit them"
        );
    }

    #[test]
    fn every_minor_has_a_row() {
        let text = fs::read_to_string(project_root().join("README.md")).unwrap();
        assert!(
            text.lines()
                .filter(|line| line.starts_with("| v1."))
                .count()
                >= 37
        );
    }
}
