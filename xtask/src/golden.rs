//! The layout of `golden/`: reading the corpus, writing what references answered.
//!
//! Every file is written whole and put in place by a rename, so an interrupted run leaves no half
//! of one. Whatever is written depends on its inputs only: no times, no paths, sorted keys.

mod schemas;
mod vectors;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::goref::pins::{Mode, Substitution};
use crate::question::{Case, Question, Source};
use crate::release::Release;

pub(crate) use schemas::{SchemaAnswer, Schemas};
pub(crate) use vectors::{Answer, Answers, Parts, QuestionFile, Tally};

/// The sha256 of some bytes, as hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The first 16 digits: what golden files name objects and types by.
pub(crate) fn short_digest(bytes: &[u8]) -> String {
    let mut digest = sha256_hex(bytes);
    digest.truncate(16);
    digest
}

/// What a source holds.
pub(crate) struct Cases {
    pub(crate) cases: Vec<Case>,
    pub(crate) sha256: String,
}

/// `golden/manifest.json`: where every vector comes from.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) releases: Vec<Provenance>,
}

impl Manifest {
    /// A release's entry.
    pub(crate) fn of(&self, release: &str) -> Option<&Provenance> {
        self.releases.iter().find(|p| p.release == release)
    }
}

/// One release of the manifest.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Provenance {
    pub(crate) release: String,
    pub(crate) module: String,
    pub(crate) go_sum: String,
    pub(crate) toolchain: String,
    pub(crate) mode: Mode,
    pub(crate) substitutions: Vec<Substitution>,
    pub(crate) go_ref_sha256: String,
    /// The digests of what it was asked about, by [`Source::name`].
    pub(crate) inputs: BTreeMap<String, String>,
    /// By question, about the corpus; without cases where the release has no such thing, and absent
    /// where it was not asked yet.
    pub(crate) answers: BTreeMap<String, Tally>,
    /// By question, about the release's random objects.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) random: BTreeMap<String, Tally>,
}

/// A line of `values/<subject>.jsonl`.
#[derive(Serialize, Deserialize)]
struct ValueLine {
    sha256: String,
    object: Box<RawValue>,
}

/// A directory laid out as `golden/` is.
pub(crate) struct Golden {
    root: PathBuf,
}

impl Golden {
    pub(crate) fn new(root: PathBuf) -> Self {
        Golden { root }
    }

    /// The cases of a source in their order (files by name, then lines), and the digest of what the
    /// source is part of; nothing where a release made no such file.
    pub(crate) fn cases(&self, source: Source<'_>) -> Result<Option<Cases>> {
        let (folder, names) = match source {
            Source::Objects | Source::Texts => ("corpus", jsonl_files(&self.root.join("corpus"))?),
            Source::Cases(name) => ("cases", vec![self.file("cases", name)]),
            Source::Before(release) => ("before", vec![self.file("before", release)]),
            Source::Random(release) => ("random", vec![self.file("random", release)]),
        };
        let made = matches!(folder, "before" | "random");
        if made && names.iter().any(|path| !path.exists()) {
            return Ok(None);
        }
        let mut cases = Vec::new();
        let mut bytes = Vec::new();
        for file in names {
            let text = read(&file)?;
            bytes.extend(text.as_bytes());
            let texts = file.ends_with("yaml.jsonl");
            if !matches!(source, Source::Objects | Source::Texts)
                || texts == (source == Source::Texts)
            {
                cases.extend(parse_cases(&file, &text)?);
            }
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = cases.iter().find(|case| !seen.insert(&case.id)) {
            return Err(Error::Failed(format!(
                "golden/{folder}: the id {} occurs twice",
                twice.id
            )));
        }
        Ok(Some(Cases {
            cases,
            sha256: sha256_hex(&bytes),
        }))
    }

    /// The releases that left something behind.
    pub(crate) fn before(&self) -> Result<Vec<String>> {
        let files = jsonl_files(&self.root.join("before"))?.into_iter();
        let stem = |path: PathBuf| {
            path.file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        Ok(files.map(stem).collect())
    }

    fn file(&self, folder: &str, name: &str) -> PathBuf {
        self.root.join(folder).join(format!("{name}.jsonl"))
    }

    /// Puts a file in place at once.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.root.join(path);
        let io = |e: std::io::Error| Error::io(&path, &e);
        if fs::read(&path).is_ok_and(|old| old == text.as_bytes()) {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io)?;
        }
        let temporary = path.with_extension("tmp");
        fs::write(&temporary, text).map_err(io)?;
        fs::rename(&temporary, &path).map_err(io)
    }

    /// The releases whose recorded answers are as the manifest says.
    pub(crate) fn intact(&self, manifest: &Manifest) -> Result<BTreeSet<String>> {
        let mut intact: BTreeSet<String> = manifest
            .releases
            .iter()
            .map(|p| p.release.clone())
            .collect();
        let questions: BTreeSet<&String> = manifest
            .releases
            .iter()
            .flat_map(|p| p.answers.keys())
            .collect();
        for question in questions {
            let file = self.question(question, manifest)?;
            for entry in &manifest.releases {
                if let Some(tally) = entry.answers.get(question)
                    && file.answers(&entry.release).tally()? != *tally
                {
                    intact.remove(&entry.release);
                }
            }
        }
        for entry in &manifest.releases {
            for (question, tally) in &entry.random {
                if self.random_answers(&entry.release, question)?.tally()? != *tally {
                    intact.remove(&entry.release);
                }
            }
        }
        Ok(intact)
    }

    /// What all releases answered to a question.
    pub(crate) fn question(&self, question: &str, manifest: &Manifest) -> Result<QuestionFile> {
        let path = self.root.join(question_path(question));
        let entries = manifest.releases.iter();
        let answering: Vec<&str> = entries
            .filter(|entry| entry.answers.get(question).is_some_and(Tally::has_cases))
            .map(|entry| &*entry.release)
            .collect();
        QuestionFile::parse(&read_if_there(&path)?, &answering)
            .map_err(|e| Error::Failed(format!("{}: {e}", path.display())))
    }

    /// Puts a question's file in place, or away if nobody answers any more.
    pub(crate) fn write_question(&self, question: &str, file: &QuestionFile) -> Result<()> {
        self.write_or_remove(&question_path(question), &file.render()?)
    }

    /// What a release answered about its random objects.
    pub(crate) fn random_answers(&self, release: &str, question: &str) -> Result<Answers> {
        let path = self.root.join(random_vectors_path(release, question));
        Answers::parse(&read_if_there(&path)?)
            .map_err(|e| Error::Failed(format!("{}: {e}", path.display())))
    }

    /// Puts a release's answers about its random objects in place, or away if there are none.
    pub(crate) fn write_random_answers(
        &self,
        release: &str,
        question: &str,
        answers: &Answers,
    ) -> Result<()> {
        self.write_or_remove(&random_vectors_path(release, question), &answers.lines()?)
    }

    fn write_or_remove(&self, path: &str, text: &str) -> Result<()> {
        if !text.is_empty() {
            return self.write(path, text);
        }
        let path = self.root.join(path);
        match fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, &e)),
            _ => Ok(()),
        }
    }

    pub(crate) fn manifest(&self) -> Result<Manifest> {
        let path = self.root.join("manifest.json");
        if path.exists() {
            Ok(serde_json::from_str(&read(&path)?)?)
        } else {
            Ok(Manifest::default())
        }
    }

    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        let lines = manifest.releases.iter().map(serde_json::to_string);
        let lines: Vec<String> = lines.collect::<std::result::Result<_, _>>()?;
        let text = format!("{{\"releases\":[\n{}\n]}}\n", lines.join(",\n"));
        self.write("manifest.json", &text)
    }

    pub(crate) fn schemas(&self) -> Result<Schemas> {
        let read = |name: &str| read_if_there(&self.root.join("schemas").join(name));
        Schemas::parse(&read("releases.jsonl")?, &read("types.jsonl")?)
    }

    pub(crate) fn write_schemas(&self, schemas: &Schemas) -> Result<()> {
        self.write("schemas/types.jsonl", &schemas.render_types())?;
        self.write("schemas/releases.jsonl", &schemas.render_releases()?)
    }

    /// Adds object-valued answers, and drops those that no vector of the corpus refers to any more.
    pub(crate) fn write_values(
        &self,
        subject: &str,
        new: &BTreeMap<String, Box<RawValue>>,
    ) -> Result<()> {
        let path = values_path(subject);
        let mut values: BTreeMap<String, String> = BTreeMap::new();
        for line in self.lines(&path)? {
            let entry: ValueLine = serde_json::from_str(&line)?;
            values.insert(entry.sha256, line);
        }
        for (sha256, object) in new {
            let line = ValueLine {
                sha256: sha256.clone(),
                object: object.clone(),
            };
            values.insert(sha256.clone(), serde_json::to_string(&line)?);
        }
        let used = self.used_values(subject)?;
        values.retain(|sha256, _| used.contains(sha256));
        self.write(&path, &join(values.values()))
    }

    /// The digests of those objects that are not among a subject's values.
    pub(crate) fn missing_values<'a>(
        &self,
        subject: &str,
        digests: impl Iterator<Item = &'a String>,
    ) -> Result<Vec<&'a String>> {
        let mut there = BTreeSet::new();
        for line in self.lines(&values_path(subject))? {
            there.insert(serde_json::from_str::<ValueLine>(&line)?.sha256);
        }
        Ok(digests.filter(|digest| !there.contains(*digest)).collect())
    }

    fn used_values(&self, subject: &str) -> Result<BTreeSet<String>> {
        #[derive(Deserialize)]
        struct Line {
            object: Option<String>,
        }
        let mut used = BTreeSet::new();
        for path in jsonl_files(&self.root.join("vectors"))? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            if Question::new(&name).is_ok_and(|question| question.subject == subject) {
                for line in read(&path)?.lines() {
                    used.extend(serde_json::from_str::<Line>(line)?.object);
                }
            }
        }
        Ok(used)
    }

    fn lines(&self, path: &str) -> Result<Vec<String>> {
        let text = read_if_there(&self.root.join(path))?;
        Ok(text.lines().map(str::to_owned).collect())
    }
}

/// Text that stands for the UID of a static Pod.
const UID: &str = "$UID";

/// A static Pod with its UID taken out wherever the text occurs, and the UID: it is a hash of all
/// the rest, so that without it many releases' objects are one. Nothing for an object whose UID is
/// no such hash.
pub(crate) fn mask_uid(object: &RawValue) -> Result<Option<(String, Box<RawValue>)>> {
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        #[serde(default)]
        uid: String,
    }
    let text = object.get();
    let uid = serde_json::from_str::<Object>(text)?.metadata.uid;
    let is_hash = uid.len() == 32 && uid.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_hash || text.contains(UID) {
        return Ok(None);
    }
    let masked = RawValue::from_string(text.replace(&uid, UID))?;
    Ok(Some((uid, masked)))
}

impl Provenance {
    /// What `recorded` says otherwise.
    pub(crate) fn differing_keys(&self, recorded: Option<&Provenance>) -> Result<Vec<String>> {
        let Some(recorded) = recorded else {
            return Ok(vec![format!("no entry for {}", self.release)]);
        };
        let keys = |entry| -> Result<BTreeMap<String, serde_json::Value>> {
            Ok(serde_json::from_value(serde_json::to_value(entry)?)?)
        };
        let (ours, theirs) = (keys(self)?, keys(recorded)?);
        let all: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        let differing = all
            .into_iter()
            .filter(|key| ours.get(*key) != theirs.get(*key));
        Ok(differing.cloned().collect())
    }
}

/// What the manifest records of these answers; nothing of a question that has none.
pub(crate) fn tallies(answers: &BTreeMap<String, Answers>) -> Result<BTreeMap<String, Tally>> {
    answers
        .iter()
        .map(|(question, answers)| Ok((question.clone(), answers.tally()?)))
        .collect()
}

/// Puts an entry in its place: the manifest goes by release.
pub(crate) fn record(manifest: &mut Manifest, provenance: Provenance) -> Result<()> {
    let mut by_number = BTreeMap::new();
    for entry in manifest.releases.drain(..).chain([provenance]) {
        by_number.insert(Release::parse(&entry.release)?, entry);
    }
    manifest.releases = by_number.into_values().collect();
    Ok(())
}

fn question_path(question: &str) -> String {
    format!("vectors/{question}.jsonl")
}

fn random_vectors_path(release: &str, question: &str) -> String {
    format!("vectors/random/{release}/{question}.jsonl")
}

fn values_path(subject: &str) -> String {
    format!("values/{subject}.jsonl")
}

/// Where the random objects of a release lie.
pub(crate) fn random_path(release: &str) -> String {
    format!("random/{release}.jsonl")
}

/// Where what a release left behind lies.
pub(crate) fn before_path(release: &str) -> String {
    format!("before/{release}.jsonl")
}

/// Lines, each ended.
pub(crate) fn join<'a>(lines: impl IntoIterator<Item = &'a String>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

fn parse_cases(path: &Path, text: &str) -> Result<Vec<Case>> {
    text.lines()
        .enumerate()
        .map(|(n, line)| {
            serde_json::from_str(line)
                .map_err(|e| Error::Failed(format!("{}:{}: {e}", path.display(), n + 1)))
        })
        .collect()
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| Error::io(path, &e))
}

/// A file's text; none if it is not there.
fn read_if_there(path: &Path) -> Result<String> {
    match fs::read_to_string(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        text => text.map_err(|e| Error::io(path, &e)),
    }
}

/// The `.jsonl` files of a directory by name; none if it is not there.
fn jsonl_files(dir: &Path) -> Result<Vec<PathBuf>> {
    if !dir.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(dir).map_err(|e| Error::io(dir, &e))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project_root;

    #[test]
    fn every_release_is_intact_and_written_as_it_is_read() {
        let golden = Golden::new(project_root().join("golden"));
        let manifest = golden.manifest().unwrap();
        let all: BTreeSet<String> = manifest
            .releases
            .iter()
            .map(|p| p.release.clone())
            .collect();
        assert!(all.len() >= 37);
        assert_eq!(golden.intact(&manifest).unwrap(), all);
        for path in jsonl_files(&golden.root.join("vectors")).unwrap() {
            let question = path.file_stem().unwrap().to_str().unwrap();
            let source = Question::new(question).unwrap();
            let cases = golden.cases(source.source()).unwrap().unwrap();
            let order: Vec<&str> = cases.cases.iter().map(|case| &*case.id).collect();
            let mut file = golden.question(question, &manifest).unwrap();
            let answers = file.answers("v1.30.14");
            file.set("v1.30.14", &answers, &order).unwrap();
            assert!(file.render().unwrap() == read(&path).unwrap(), "{question}");
        }
    }

    #[test]
    fn a_uid_is_masked_where_it_is_a_hash() {
        let mask = |text: &str| {
            let object = RawValue::from_string(text.to_owned()).unwrap();
            mask_uid(&object)
                .unwrap()
                .map(|(uid, masked)| (uid, masked.get().to_owned()))
        };
        let uid = "ad1050eef82ca00b8f7c60bc87861ae6";
        let object = |uid: &str| {
            format!(r#"{{"metadata":{{"uid":"{uid}","annotations":{{"a":"{uid}"}}}}}}"#)
        };
        assert_eq!(mask(&object(uid)), Some((uid.to_owned(), object("$UID"))));
        assert_eq!(mask(&object("mine")), None);
        assert_eq!(mask(r#"{"metadata":{}}"#), None);
        let marked = object(uid).replace("\"a\"", "\"$UID\"");
        assert_eq!(mask(&marked), None);
    }
}
