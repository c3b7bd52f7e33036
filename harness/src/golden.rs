//! What stands in `golden/`, read and indexed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

pub use crate::question::{COLLISION_COUNTS, Case, Question, Source};

/// A failure of the harness or of its files, in words.
pub type Result<T, E = String> = std::result::Result<T, E>;

/// The folder `golden/` of this repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden")
}

/// Reads a file of one JSON value a line, saying which line is at fault.
///
/// # Errors
/// When the file cannot be read or a line is not what it should be.
pub fn lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = read(path)?;
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|e| format!("{}:{}: {e}", path.display(), index + 1))
        })
        .collect()
}

/// Reads a file as text.
///
/// # Errors
/// When it cannot be read, with its name.
pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The files with this ending in a folder, sorted by name.
///
/// # Errors
/// When the folder cannot be read.
pub fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .path();
        if path.is_file() && path.to_string_lossy().ends_with(ending) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The folders in a folder, sorted by name.
///
/// # Errors
/// When the folder cannot be read.
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.is_dir());
    paths.sort();
    Ok(paths)
}

/// The cases of a source, in the order of the files.
///
/// # Errors
/// When a file is missing, damaged or holds a case without a question.
pub fn cases(golden: &Path, source: Source<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in source_files(golden, source)? {
        for case in lines::<Case>(&path)? {
            let place = || format!("{}: {}", path.display(), case.id);
            if case.id.is_empty() || case.members.is_empty() {
                return Err(format!("{}: a case needs an id and an input", place()));
            }
            let ours = !matches!(source, Source::Random(_) | Source::Before(_));
            if ours && case.about.is_empty() {
                return Err(format!("{}: does not say what it is about", place()));
            }
            cases.push(case);
        }
    }
    if cases.is_empty() {
        return Err(format!("no cases in {source:?}"));
    }
    Ok(cases)
}

/// The files that a source consists of.
fn source_files(golden: &Path, source: Source<'_>) -> Result<Vec<PathBuf>> {
    let file = |folder: &str, name: &str| vec![golden.join(folder).join(format!("{name}.jsonl"))];
    Ok(match source {
        Source::Objects => {
            let mut paths = files(&golden.join("corpus"), ".jsonl")?;
            paths.retain(|path| !path.ends_with("yaml.jsonl"));
            paths
        }
        Source::Texts => file("corpus", "yaml"),
        Source::Cases(name) => file("cases", name),
        Source::Before(release) => file("before", release),
        Source::Random(release) => file("random", release),
    })
}

/// SHA-256 of what a source is part of, as `regen-golden` computes it: the whole corpus, or a file.
///
/// # Errors
/// When a file cannot be read.
pub fn source_digest(golden: &Path, source: Source<'_>) -> Result<String> {
    let paths = match source {
        Source::Objects | Source::Texts => files(&golden.join("corpus"), ".jsonl")?,
        _ => source_files(golden, source)?,
    };
    let texts: Vec<String> = paths.iter().map(|path| read(path)).collect::<Result<_>>()?;
    Ok(sha256(texts.concat().as_bytes()))
}

/// Whether a release has random objects.
pub fn has_random(golden: &Path, release: &str) -> bool {
    let path = golden.join("random").join(format!("{release}.jsonl"));
    path.exists()
}

/// What a reference answered.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// The case.
    pub id: String,
    /// Container hashes: init containers, containers, ephemeral containers.
    #[serde(default)]
    pub hashes: Option<Vec<u64>>,
    /// Labels of a Pod template, by collision count ([`COLLISION_COUNTS`]); none where the release
    /// has no collision counts.
    #[serde(default)]
    pub labels: Option<Vec<Option<String>>>,
    /// The UID of a static Pod, which is a hash of all the rest; the object is without it.
    #[serde(default)]
    pub uid: Option<String>,
    /// The first 16 hexadecimal digits of the SHA-256 of the object's JSON as Go wrote it, the UID
    /// masked where there is a `uid`.
    #[serde(default)]
    pub object: Option<String>,
    /// One hash.
    #[serde(default)]
    pub hash: Option<u64>,
    /// JSON made of YAML.
    #[serde(default)]
    pub json: Option<String>,
    /// Go's words, where it refused; only that it did is compared.
    #[serde(default)]
    pub error: Option<String>,
}

impl Vector {
    /// The parts that are there, by name.
    pub fn parts(&self) -> Vec<&'static str> {
        let parts = [
            ("hashes", self.hashes.is_some()),
            ("labels", self.labels.is_some()),
            ("uid", self.uid.is_some()),
            ("object", self.object.is_some()),
            ("hash", self.hash.is_some()),
            ("json", self.json.is_some()),
            ("error", self.error.is_some()),
        ];
        parts
            .into_iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| name)
            .collect()
    }

    /// Whether it expects the same: of an error only that it is one.
    pub fn expects_what(&self, other: &Vector) -> bool {
        self == other || self.error.is_some() && other.error.is_some()
    }
}

/// The question that a file of vectors answers.
///
/// # Errors
/// When its name is no question's.
pub fn question_of_file(path: &Path) -> Result<Question> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name
        .strip_suffix(".jsonl")
        .ok_or_else(|| format!("{}: not a file of vectors", path.display()))?;
    Question::new(stem)
}

/// All questions that the manifest knows.
///
/// # Errors
/// When a name is no question's.
pub fn questions(manifest: &Manifest) -> Result<Vec<Question>> {
    let entries = manifest.releases.iter();
    let names: BTreeSet<&String> = entries.flat_map(|entry| entry.answers.keys()).collect();
    names.into_iter().map(|name| Question::new(name)).collect()
}

/// `vectors/<question>.jsonl`: what all releases answered, each answer from the release on that
/// gave it first.
#[derive(Debug)]
pub struct Vectors {
    /// The releases that answer, in their order.
    releases: Vec<String>,
    /// In the order of the file.
    lines: Vec<Since>,
}

/// A line of a question's file.
#[derive(Debug)]
struct Since {
    id: String,
    /// The place of its release.
    since: usize,
    /// Nothing where the case has no answer any more.
    answer: Option<Told>,
}

/// An answer, and its line in a file of the release alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What is expected.
    pub vector: Vector,
    /// `{"id":"container-minimal","hashes":[412355312]}`
    pub line: String,
}

impl Told {
    fn parse(line: String) -> serde_json::Result<Told> {
        let vector = serde_json::from_str(&line)?;
        Ok(Told { vector, line })
    }
}

impl Vectors {
    /// Reads a question's file.
    ///
    /// # Errors
    /// When it is missing, or a line is none, or is of a release that does not answer.
    pub fn read(golden: &Path, question: &str, manifest: &Manifest) -> Result<Vectors> {
        let path = golden.join("vectors").join(format!("{question}.jsonl"));
        let entries = manifest.releases.iter();
        let releases: Vec<String> = entries
            .filter(|entry| entry.answers.get(question).is_some_and(|t| t.cases > 0))
            .map(|entry| entry.release.clone())
            .collect();
        // Where nobody has an answer there is no file.
        let nobody = releases.is_empty() && !path.exists();
        let text = if nobody { String::new() } else { read(&path)? };
        let lines = text
            .lines()
            .zip(1..)
            .map(|(line, number)| {
                Since::parse(line, &releases)
                    .map_err(|e| format!("{}:{number}: {e}", path.display()))
            })
            .collect::<Result<_>>()?;
        Ok(Vectors { releases, lines })
    }

    /// What one release answered; nothing if it does not answer.
    pub fn of(&self, release: &str) -> Vec<&Told> {
        let Some(place) = self.releases.iter().position(|r| r == release) else {
            return Vec::new();
        };
        let cases = self.lines.chunk_by(|one, other| one.id == other.id);
        cases
            .filter_map(|lines| {
                let valid = lines.iter().rev().find(|line| line.since <= place);
                valid.and_then(|line| line.answer.as_ref())
            })
            .collect()
    }

    /// Everything that is expected of anybody.
    pub fn vectors(&self) -> impl Iterator<Item = &Vector> {
        let told = self.lines.iter().filter_map(|line| line.answer.as_ref());
        told.map(|told| &told.vector)
    }

    /// Lines that are not where they belong, or say what the one before them said.
    pub fn misplaced(&self, cases: &[Case]) -> Vec<String> {
        let places: HashMap<&str, usize> = (0..).zip(cases).map(|(n, c)| (&*c.id, n)).collect();
        let mut wrong = Vec::new();
        let mut last: Option<&Since> = None;
        for line in &self.lines {
            let release = &self.releases[line.since];
            if !places.contains_key(&*line.id) {
                wrong.push(format!("{}: no such case", line.id));
            }
            let before = last.filter(|last| last.id == line.id);
            let place = |line: &Since| (places.get(&*line.id).copied(), line.since);
            if last.is_some_and(|last| place(last) >= place(line)) {
                wrong.push(format!("{} since {release}: out of order", line.id));
            }
            let old = before.and_then(|line| line.answer.as_ref());
            let same = match (old, &line.answer) {
                (None, None) => true,
                (Some(old), Some(new)) => old.vector.expects_what(&new.vector),
                _ => false,
            };
            if same {
                wrong.push(format!("{} since {release}: nothing new", line.id));
            }
            last = Some(line);
        }
        wrong
    }
}

impl Since {
    fn parse(line: &str, releases: &[String]) -> Result<Since> {
        #[derive(Deserialize)]
        struct Head {
            id: String,
            since: String,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {
            #[serde(rename = "id")]
            _id: String,
            none: bool,
        }
        let Head { id, since } = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let place = releases.iter().position(|release| *release == since);
        let place = place.ok_or_else(|| format!("{id}: {since} does not answer this question"))?;
        let alone = line.replacen(&format!("\"since\":\"{since}\","), "", 1);
        let answer = match serde_json::from_str(&alone) {
            Ok(Nothing { none: true, .. }) => None,
            _ => Some(Told::parse(alone).map_err(|e| e.to_string())?),
        };
        Ok(Since {
            id,
            since: place,
            answer,
        })
    }
}

/// What a release answered about its random objects.
///
/// # Errors
/// When the file is missing or a line is no vector.
pub fn random_vectors(golden: &Path, release: &str, question: &str) -> Result<Vec<Told>> {
    let path = random_folder(golden, release).join(format!("{question}.jsonl"));
    let text = read(&path)?;
    text.lines()
        .zip(1..)
        .map(|(line, number)| {
            Told::parse(line.to_owned()).map_err(|e| format!("{}:{number}: {e}", path.display()))
        })
        .collect()
}

/// Where the vectors of a release's random objects lie.
pub fn random_folder(golden: &Path, release: &str) -> PathBuf {
    golden.join("vectors/random").join(release)
}

/// Text that stands for the UID of a static Pod.
const UID: &str = "$UID";

/// An object's text with its UID masked; as it is if it holds the mask already, which no masked
/// object did.
pub fn mask_uid(object: &str, uid: &str) -> String {
    if object.contains(UID) {
        return object.to_owned();
    }
    object.replace(uid, UID)
}

/// `metadata.uid`.
pub fn uid_of(object: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        uid: Option<String>,
    }
    serde_json::from_str::<Object>(object).ok()?.metadata.uid
}

/// Where the golden files came from.
#[derive(Debug, Deserialize)]
pub struct Manifest {
    /// By release.
    pub releases: Vec<Provenance>,
}

/// One release's entry.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// `v1.30.14`
    pub release: String,
    /// `k8s.io/kubernetes@v1.30.14`
    pub module: String,
    /// What the checksum database says of it.
    pub go_sum: String,
    /// `go1.23.10`
    pub toolchain: String,
    /// SHA-256 of the reference's sources.
    pub go_ref_sha256: String,
    /// SHA-256 of what it was asked about, by source: `corpus`, `random`, `cases/<name>`,
    /// `before/<release>`.
    pub inputs: BTreeMap<String, String>,
    /// Its answers about the corpus, by question; without cases where the release has no such thing,
    /// and absent where it was not asked yet.
    pub answers: BTreeMap<String, Tally>,
    /// Its answers about its random objects, by question.
    #[serde(default)]
    pub random: BTreeMap<String, Tally>,
}

/// What one release answered to one question, in numbers.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The first 16 digits of the SHA-256 of its lines, errors without their words.
    pub sha256: String,
    /// How many cases have an answer.
    pub cases: usize,
    /// How many of them are errors.
    pub errors: usize,
}

impl Tally {
    /// Counts answers.
    pub fn of<'a>(answers: impl IntoIterator<Item = &'a Told>) -> Tally {
        let mut tally = Tally {
            sha256: String::new(),
            cases: 0,
            errors: 0,
        };
        let mut digest = Sha256::new();
        for Told { vector, line } in answers {
            tally.cases += 1;
            if vector.error.is_some() {
                tally.errors += 1;
                let id = serde_json::Value::from(&*vector.id);
                digest.update(format!("{{\"id\":{id},\"error\":\"\"}}\n"));
            } else {
                digest.update(line);
                digest.update("\n");
            }
        }
        tally.sha256 = hexadecimal(&digest.finalize());
        tally.sha256.truncate(16);
        tally
    }
}

impl Manifest {
    /// Reads `golden/manifest.json`.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub fn read(golden: &Path) -> Result<Manifest> {
        let path = golden.join("manifest.json");
        serde_json::from_str(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The 16 digits by which golden files name a value.
pub fn short_digest(bytes: &[u8]) -> String {
    sha256(bytes)[..16].to_owned()
}
