//! `cargo xtask docs`: docs/releases.md, which `kubehash releases -o markdown` prints; and, from it
//! and golden/manifest.json, the tables in README.md (minors × evidence and subjects) and
//! DIFFERENCES.md (parts of references that had to be replaced).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use xshell::{Shell, cmd};

use crate::catalogue::spans;
use crate::classes;
use crate::error::{Error, Result};
use crate::golden::Manifest;
use crate::goref::pins::Substitution;
use crate::project_root;
use crate::release::Release;

const BEGIN: &str = "<!-- begin: written by `cargo xtask docs` -->\n";
const END: &str = "<!-- end -->\n";

/// Columns of the table: what the subjects in it are about.
const COLUMNS: &[(&str, &[&str])] = &[
    (
        "containers",
        &[
            "container-hash",
            "container-hash-legacy",
            "container-hash-without-resources",
            "infra-container-hash",
        ],
    ),
    (
        "whole objects",
        &[
            "deep-hash",
            "yaml-to-json",
            "defaults",
            "create",
            "serve",
            "receive",
        ],
    ),
    ("static Pods", &["read-file", "static-pod-equal"]),
    ("controllers", &["pod-template-hash", "reconcile"]),
    ("checkpoints, Endpoints", &["checkpoint", "endpoints-hash"]),
];

/// The grades of evidence, in the order of the columns.
const GRADES: [&str; 4] = ["built", "by source", "by neighbours", "unknown"];

type MakeTable = fn(&Manifest) -> Result<String>;

/// The documents that hold a table, and what makes it.
const TABLES: &[(&str, MakeTable)] = &[("README.md", coverage), ("DIFFERENCES.md", substitutions)];

/// Brings the documents up to date.
pub(crate) fn run() -> Result<()> {
    write_releases()?;
    for stale in stale()? {
        fs::write(&stale.path, stale.fresh).map_err(|e| Error::io(&stale.path, &e))?;
        eprintln!("{}: the table was brought up to date", stale.path.display());
    }
    Ok(())
}

fn write_releases() -> Result<()> {
    let sh = Shell::new()?;
    let _dir = sh.push_dir(project_root());
    let page = cmd!(
        sh,
        "cargo run --quiet --package kubehash -- releases -o markdown"
    )
    .quiet()
    .read()?;
    let path = releases_path();
    let page = format!("{page}\n");
    if fs::read_to_string(&path).is_ok_and(|old| old == page) {
        return Ok(());
    }
    fs::write(&path, page).map_err(|e| Error::io(&path, &e))?;
    eprintln!("{}: was brought up to date", path.display());
    Ok(())
}

fn releases_path() -> PathBuf {
    project_root().join("docs/releases.md")
}

/// Every release known with the grade of its evidence, as docs/releases.md has them.
fn graded() -> Result<Vec<(Release, String)>> {
    let path = releases_path();
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    let rows = text.lines().filter(|line| line.starts_with("| v1."));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        match cells[..] {
            [_, release, _, grade, ..] if GRADES.contains(&grade) => {
                Ok((Release::parse(release)?, grade.to_owned()))
            }
            _ => Err(Error::Failed(format!(
                "{}: what is {row:?}?",
                path.display()
            ))),
        }
    })
    .collect()
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

/// A row per minor: its patches by the grade of their evidence, and a column per group of subjects; a cell
/// counts the vectors of all views and forms, of the corpus and of random objects.
fn coverage(manifest: &Manifest) -> Result<String> {
    let mut out = format!("| minor | {} |", GRADES.join(" | "));
    for (heading, _) in COLUMNS {
        let _ = write!(out, " {heading} |");
    }
    out.push_str("\n| --- |");
    out.push_str(&" --- |".repeat(GRADES.len()));
    out.push_str(&" ---: |".repeat(COLUMNS.len()));
    out.push('\n');
    let vectors = vectors(manifest)?;
    for minor in graded()?.chunk_by(|(a, _), (b, _)| a.minor == b.minor) {
        let Some((first, _)) = minor.first() else {
            continue;
        };
        let _ = write!(out, "| {} |", first.minor_name());
        for grade in GRADES {
            let of_grade: Vec<Release> = minor
                .iter()
                .filter(|(_, theirs)| theirs == grade)
                .map(|(release, _)| *release)
                .collect();
            let patches: Vec<String> = spans(&of_grade).collect();
            let _ = write!(out, " {} |", or_dash(patches.join(", ")));
        }
        for (heading, _) in COLUMNS {
            let count = vectors
                .get(&(first.minor, *heading))
                .filter(|count| **count > 0);
            let count = count.map(usize::to_string);
            let _ = write!(out, " {} |", or_dash(count.unwrap_or_default()));
        }
        out.push('\n');
    }
    let total: usize = vectors.values().sum();
    let _ = writeln!(
        out,
        "\n{} releases with vectors, {total} vectors.",
        manifest.releases.len()
    );
    Ok(out)
}

/// How many vectors there are, by minor and column.
fn vectors(manifest: &Manifest) -> Result<BTreeMap<(u32, &str), usize>> {
    let mut counts = BTreeMap::new();
    for entry in &manifest.releases {
        let minor = Release::parse(&entry.release)?.minor;
        for (question, tally) in entry.answers.iter().chain(&entry.random) {
            let subject = subject(question);
            let column = COLUMNS
                .iter()
                .find(|(_, subjects)| subjects.contains(&subject));
            let Some((heading, _)) = column else {
                return Err(Error::Failed(format!(
                    "{}: README.md has no column for {subject}",
                    entry.release
                )));
            };
            *counts.entry((minor, *heading)).or_default() += tally.cases;
        }
    }
    Ok(counts)
}

fn or_dash(cell: String) -> String {
    if cell.is_empty() {
        "–".to_owned()
    } else {
        cell
    }
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
    fn every_release_known_stands_in_the_row_of_its_minor() {
        let text = fs::read_to_string(project_root().join("README.md")).unwrap();
        let (_, table) = text.split_once(BEGIN).unwrap();
        for minor in crate::catalogue::known(&project_root())
            .unwrap()
            .chunk_by(|a, b| a.minor == b.minor)
        {
            let start = format!("| {} |", minor[0].minor_name());
            let row = table.lines().find(|line| line.starts_with(&start)).unwrap();
            let mut patches: Vec<u32> = row
                .split('|')
                .skip(2)
                .take(GRADES.len())
                .flat_map(|cell| cell.split(','))
                .filter_map(|span| {
                    let (first, last) = span.trim().split_once('-').unwrap_or((span, span));
                    Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
                })
                .flatten()
                .collect();
            patches.sort_unstable();
            let known: Vec<u32> = minor.iter().map(|release| release.patch).collect();
            assert_eq!(patches, known, "{start}");
        }
    }
}
