//! The golden files themselves: complete, unique, of known provenance, no older than what they
//! were made of. Each check returns what is wrong, all of it, in words.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kubehash::release::Release;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::golden::{self, Manifest, Provenance, Result, Tally, Told, Vectors};
use crate::question::{QUESTIONS, Question, Source};

/// Everything that is wrong with a `golden/` folder.
///
/// # Errors
/// When it cannot be read at all.
pub fn lint(golden: &Path) -> Result<Vec<String>> {
    let manifest = Manifest::read(golden)?;
    let mut wrong = Vec::new();
    unique_cases(golden, &manifest, &mut wrong)?;
    provenance(golden, &manifest, &mut wrong)?;
    let questions = golden::questions(&manifest)?;
    for question in &questions {
        answers(golden, &manifest, question, &mut wrong);
    }
    random_answers(golden, &manifest, &mut wrong);
    strays(golden, &manifest, &questions, &mut wrong)?;
    values(golden, &manifest, &questions, &mut wrong)?;
    Ok(wrong)
}

fn unique_cases(golden: &Path, manifest: &Manifest, wrong: &mut Vec<String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    let mut sources = vec![Source::Objects, Source::Texts];
    let questions: Vec<Question> = QUESTIONS
        .iter()
        .map(|name| Question::new(name))
        .collect::<Result<_>>()?;
    let named: BTreeSet<&str> = questions
        .iter()
        .filter_map(|question| match question.source() {
            Source::Cases(name) => Some(name),
            _ => None,
        })
        .collect();
    sources.extend(named.into_iter().map(Source::Cases));
    let random = manifest.releases.iter().map(|entry| &*entry.release);
    sources.extend(
        random
            .filter(|release| golden::has_random(golden, release))
            .map(Source::Random),
    );
    let mut all = Vec::new();
    for source in sources {
        all.extend(golden::cases(golden, source)?);
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
    let mut digests = BTreeMap::new();
    for entry in &manifest.releases {
        let release = &entry.release;
        for name in outdated(golden, entry, &mut digests)? {
            wrong.push(format!(
                "{release}: vectors are older than golden/{name}; run cargo xtask regen-golden {release}"
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
        if golden::has_random(golden, release) == entry.random.is_empty() {
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

/// The sources that a release was asked about, and that are not now as they were then.
fn outdated(
    golden: &Path,
    entry: &Provenance,
    digests: &mut BTreeMap<String, String>,
) -> Result<BTreeSet<String>> {
    let questions: Vec<Question> = entry
        .answers
        .keys()
        .map(|name| Question::new(name))
        .collect::<Result<_>>()?;
    let mut sources: Vec<Source<'_>> = questions.iter().map(Question::source).collect();
    if !entry.random.is_empty() {
        sources.push(Source::Random(&entry.release));
    }
    let mut outdated = BTreeSet::new();
    for source in sources {
        let name = source.name();
        let key = format!("{source:?}");
        if !digests.contains_key(&key) {
            digests.insert(key.clone(), golden::source_digest(golden, source)?);
        }
        if entry.inputs.get(&name) != digests.get(&key) {
            outdated.insert(name);
        }
    }
    Ok(outdated)
}

fn answers(golden: &Path, manifest: &Manifest, question: &Question, wrong: &mut Vec<String>) {
    let name = format!("vectors/{}.jsonl", question.name);
    let read = Vectors::read(golden, &question.name, manifest)
        .and_then(|vectors| Ok((vectors, golden::cases(golden, question.source())?)));
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
        for (question, tally) in entry.random.iter().filter(|(_, tally)| tally.cases > 0) {
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
                | ["object"]
                | ["labels"]
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
fn values(
    golden: &Path,
    manifest: &Manifest,
    questions: &[Question],
    wrong: &mut Vec<String>,
) -> Result<()> {
    #[derive(Deserialize)]
    struct Line {
        sha256: String,
        object: Box<RawValue>,
    }
    for path in golden::files(&golden.join("values"), ".jsonl")? {
        let name = format!("values/{}", path.file_name().unwrap_or_default().display());
        let subject = golden::question_of_file(&path)?.subject;
        let mut referred: BTreeSet<String> = BTreeSet::new();
        for question in questions
            .iter()
            .filter(|question| question.subject == subject)
        {
            if let Ok(vectors) = Vectors::read(golden, &question.name, manifest) {
                referred.extend(vectors.vectors().filter_map(|vector| vector.object.clone()));
            }
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
