//! The golden files themselves: complete, unique, of known provenance, no older than what they
//! were made of. Each check returns what is wrong, all of it, in words.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kubehash::release::Release;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::golden::{self, Manifest, Question, Result, Source, Tally, Told, Vectors};

/// Everything that is wrong with a `golden/` folder.
///
/// # Errors
/// When it cannot be read at all.
pub fn lint(golden: &Path) -> Result<Vec<String>> {
    let manifest = Manifest::read(golden)?;
    let mut wrong = Vec::new();
    unique_cases(golden, &manifest, &mut wrong)?;
    provenance(golden, &manifest, &mut wrong)?;
    let questions = Question::all(&manifest)?;
    for question in &questions {
        answers(golden, &manifest, question, &mut wrong);
    }
    random_answers(golden, &manifest, &mut wrong);
    strays(golden, &manifest, &questions, &mut wrong)?;
    values(golden, &manifest, &mut wrong)?;
    Ok(wrong)
}

fn unique_cases(golden: &Path, manifest: &Manifest, wrong: &mut Vec<String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    let mut all = golden::cases(golden, Source::Objects, "")?;
    all.extend(golden::cases(golden, Source::Texts, "")?);
    for entry in &manifest.releases {
        if golden
            .join("random")
            .join(format!("{}.jsonl", entry.release))
            .exists()
        {
            all.extend(golden::cases(golden, Source::Random, &entry.release)?);
        }
    }
    for case in all {
        if !seen.insert(case.id.clone()) {
            wrong.push(format!("case {} stands twice", case.id));
        }
    }
    Ok(())
}

fn provenance(golden: &Path, manifest: &Manifest, wrong: &mut Vec<String>) -> Result<()> {
    if manifest.releases.is_empty() {
        wrong.push("the manifest names no release".into());
    }
    let corpus = corpus_digest(golden)?;
    for entry in &manifest.releases {
        let release = &entry.release;
        if entry.corpus_sha256 != corpus {
            wrong.push(format!(
                "{release}: vectors are older than the corpus; run cargo xtask regen-golden {release}"
            ));
        }
        let told = [
            &entry.module,
            &entry.go_sum,
            &entry.toolchain,
            &entry.go_ref_sha256,
        ];
        if told.iter().any(|text| text.is_empty()) {
            wrong.push(format!("{release}: provenance is incomplete"));
        }
        if entry.answers.is_empty() {
            wrong.push(format!("{release}: no answers"));
        }
        let lies = golden
            .join("random")
            .join(format!("{release}.jsonl"))
            .exists();
        if lies == entry.random.is_empty() {
            wrong.push(format!(
                "{release}: random objects or answers about them are missing"
            ));
        }
    }
    let numbers: Vec<Option<Release>> = manifest
        .releases
        .iter()
        .map(|entry| entry.release.parse().ok())
        .collect();
    if !numbers.is_sorted_by(|one, other| one.is_some() && one < other) {
        wrong.push("the manifest's releases are not in order".into());
    }
    Ok(())
}

/// SHA-256 over the corpus' files in the order of their names, as `regen-golden` computes it.
///
/// # Errors
/// When a file cannot be read.
pub fn corpus_digest(golden: &Path) -> Result<String> {
    let mut text = String::new();
    for path in golden::files(&golden.join("corpus"), ".jsonl")? {
        text.push_str(&golden::read(&path)?);
    }
    Ok(golden::sha256(text.as_bytes()))
}

fn answers(golden: &Path, manifest: &Manifest, question: &Question, wrong: &mut Vec<String>) {
    let name = format!("vectors/{}.jsonl", question.name);
    let read = Vectors::read(golden, &question.name, manifest).and_then(|vectors| {
        Ok((
            vectors,
            golden::cases(
                golden,
                question.source(),
                question.before.as_deref().unwrap_or_default(),
            )?,
        ))
    });
    let (vectors, cases) = match read {
        Ok(read) => read,
        Err(error) => return wrong.push(error),
    };
    let misplaced = vectors.misplaced(&cases).into_iter();
    wrong.extend(misplaced.map(|what| format!("{name}: {what}")));
    for entry in &manifest.releases {
        if let Some(tally) = entry.answers.get(&question.name) {
            let place = format!("{name}: {}", entry.release);
            held_to(&place, &vectors.of(&entry.release), tally, wrong);
        }
    }
}

fn random_answers(golden: &Path, manifest: &Manifest, wrong: &mut Vec<String>) {
    for entry in &manifest.releases {
        for (question, tally) in &entry.random {
            let place = format!("vectors/random/{}/{question}.jsonl", entry.release);
            match golden::random_vectors(golden, &entry.release, question) {
                Ok(told) => held_to(&place, &told.iter().collect::<Vec<_>>(), tally, wrong),
                Err(error) => wrong.push(error),
            }
        }
    }
}

/// Holds answers against what the manifest says of them.
fn held_to(place: &str, told: &[&Told], expected: &Tally, wrong: &mut Vec<String>) {
    let tally = Tally::of(told.iter().copied());
    if (tally.cases, tally.errors) != (expected.cases, expected.errors) {
        wrong.push(format!(
            "{place}: {} cases, {} errors; the manifest says {}, {}",
            tally.cases, tally.errors, expected.cases, expected.errors
        ));
    } else if tally != *expected {
        wrong.push(format!("{place}: not what the reference answered"));
    }
    for Told { vector, .. } in told {
        let fits = matches!(
            vector.parts().as_slice(),
            ["hashes"]
                | ["hash"]
                | ["object", "hash"]
                | ["uid", "object", "hash"]
                | ["json"]
                | ["error"]
        );
        if !fits {
            wrong.push(format!(
                "{place}: {}: an answer of no known form",
                vector.id
            ));
        }
    }
}

/// Files of vectors that the manifest does not know of.
fn strays(
    golden: &Path,
    manifest: &Manifest,
    questions: &[Question],
    wrong: &mut Vec<String>,
) -> Result<()> {
    let vectors = golden.join("vectors");
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    known.extend(
        questions
            .iter()
            .map(|q| vectors.join(format!("{}.jsonl", q.name))),
    );
    for entry in &manifest.releases {
        let folder = golden::random_folder(golden, &entry.release);
        known.extend(
            entry
                .random
                .keys()
                .map(|q| folder.join(format!("{q}.jsonl"))),
        );
    }
    let mut there = golden::files(&vectors, "")?;
    for folder in golden::folders(&vectors.join("random"))? {
        there.extend(golden::files(&folder, "")?);
    }
    for path in there {
        if !known.contains(&path) {
            let path = path.strip_prefix(golden).unwrap_or(&path);
            wrong.push(format!("{} is in no release's provenance", path.display()));
        }
    }
    Ok(())
}

/// Every object is what its digest says, stands once, and is there if and only if a vector of the
/// corpus refers to it.
fn values(golden: &Path, manifest: &Manifest, wrong: &mut Vec<String>) -> Result<()> {
    #[derive(Deserialize)]
    struct Line {
        sha256: String,
        object: Box<RawValue>,
    }
    for path in golden::files(&golden.join("values"), ".jsonl")? {
        let name = format!("values/{}", path.file_name().unwrap_or_default().display());
        let subject = Question::of_file(&path)?.subject;
        let mut referred: BTreeSet<String> = BTreeSet::new();
        if let Ok(vectors) = Vectors::read(golden, &subject, manifest) {
            referred.extend(vectors.vectors().filter_map(|vector| vector.object.clone()));
        }
        for Line { sha256, object } in golden::lines::<Line>(&path)? {
            if golden::short_digest(object.get().as_bytes()) != sha256 {
                wrong.push(format!("{name}: {sha256} is the digest of something else"));
            }
            if !referred.remove(&sha256) {
                wrong.push(format!("{name}: {sha256} stands twice or for nothing"));
            }
        }
        for digest in referred {
            wrong.push(format!("{name}: {digest} is missing"));
        }
    }
    Ok(())
}
