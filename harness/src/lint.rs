//! The golden files themselves: complete, unique, of known provenance, no older than what they
//! were made of. Each check returns what is wrong, all of it, in words.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::golden::{self, Manifest, Result, Source, Vector, VectorFile};

/// Everything that is wrong with a `golden/` folder.
///
/// # Errors
/// When it cannot be read at all.
pub fn lint(golden: &Path) -> Result<Vec<String>> {
    let manifest = Manifest::read(golden)?;
    let mut wrong = Vec::new();
    unique_cases(golden, &manifest, &mut wrong)?;
    provenance(golden, &manifest, &mut wrong)?;
    files(golden, &manifest, &mut wrong)?;
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
        if entry.files.is_empty() {
            wrong.push(format!("{release}: no files"));
        }
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

fn files(golden: &Path, manifest: &Manifest, wrong: &mut Vec<String>) -> Result<()> {
    let mut listed = BTreeMap::new();
    for entry in &manifest.releases {
        for (path, file) in &entry.files {
            if listed.insert(path.clone(), file).is_some() {
                wrong.push(format!("{path} is listed twice"));
            }
        }
    }
    for (path, entry) in &listed {
        let full = golden.join(path);
        let Ok(bytes) = fs::read(&full) else {
            wrong.push(format!("{path} is missing"));
            continue;
        };
        if golden::sha256(&bytes) != entry.sha256 {
            wrong.push(format!("{path} is not what the reference wrote"));
        }
        if !path.starts_with("vectors/") {
            continue;
        }
        let vectors: Vec<Vector> = golden::lines(&full)?;
        let errors = vectors
            .iter()
            .filter(|vector| vector.error.is_some())
            .count();
        if vectors.len() != entry.cases || errors != entry.errors {
            wrong.push(format!(
                "{path}: {} cases, {errors} errors; the manifest says {}, {}",
                vectors.len(),
                entry.cases,
                entry.errors
            ));
        }
        for vector in &vectors {
            let fits = matches!(
                vector.parts().as_slice(),
                ["hashes"] | ["hash"] | ["object", "hash"] | ["json"] | ["error"]
            );
            if !fits {
                wrong.push(format!("{path}: {}: an answer of no known form", vector.id));
            }
        }
    }
    for file in VectorFile::all(golden)? {
        let path = file.path.strip_prefix(golden).unwrap_or(&file.path);
        if !listed.contains_key(&*path.to_string_lossy()) {
            wrong.push(format!("{} is in no release's provenance", path.display()));
        }
    }
    Ok(())
}
