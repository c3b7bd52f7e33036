//! What stands in `golden/`, read and indexed.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// A failure of the harness or of its files, in words.
pub type Result<T, E = String> = std::result::Result<T, E>;

/// The folder `golden/` of this repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden")
}

/// One question: an object or a text.
#[derive(Debug)]
pub struct Case {
    /// Stable and unique.
    pub id: String,
    /// The object's JSON as it was written; duplicate keys and odd numbers included.
    pub object: Option<Box<RawValue>>,
    /// The YAML text.
    pub text: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseLine {
    id: String,
    #[serde(default)]
    about: Option<String>,
    #[serde(default)]
    object: Option<Box<RawValue>>,
    #[serde(default)]
    text: Option<String>,
}

/// Where the questions of a vector file come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `golden/corpus/*.jsonl` except the YAML texts.
    Objects,
    /// `golden/corpus/yaml.jsonl`
    Texts,
    /// `golden/random/<release>.jsonl`
    Random,
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

/// The questions of a source, in the order of the files.
///
/// # Errors
/// When a file is missing, damaged or holds a case without a question.
pub fn cases(golden: &Path, source: Source, release: &str) -> Result<Vec<Case>> {
    let corpus = golden.join("corpus");
    let paths = match source {
        Source::Objects => files(&corpus, ".jsonl")?
            .into_iter()
            .filter(|path| !path.ends_with("yaml.jsonl"))
            .collect(),
        Source::Texts => vec![corpus.join("yaml.jsonl")],
        Source::Random => vec![golden.join("random").join(format!("{release}.jsonl"))],
    };
    let mut cases = Vec::new();
    for path in paths {
        for line in lines::<CaseLine>(&path)? {
            if line.object.is_some() == line.text.is_some() {
                return Err(format!(
                    "{}: {}: needs an object or a text",
                    path.display(),
                    line.id
                ));
            }
            if source != Source::Random && line.about.as_deref().unwrap_or_default().is_empty() {
                return Err(format!(
                    "{}: {}: does not say what it is about",
                    path.display(),
                    line.id
                ));
            }
            cases.push(Case {
                id: line.id,
                object: line.object,
                text: line.text,
            });
        }
    }
    if cases.is_empty() {
        return Err(format!("no cases in {}", corpus.display()));
    }
    Ok(cases)
}

/// [`cases`] of this repository, read once.
///
/// # Errors
/// As [`cases`].
pub fn shared_cases(source: Source, release: &str) -> Result<Arc<Vec<Case>>> {
    type Cache = Mutex<HashMap<String, Arc<Vec<Case>>>>;
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let key = match source {
        Source::Random => release.to_owned(),
        other => format!("{other:?}"),
    };
    let mut cache = CACHE
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(cases) = cache.get(&key) {
        return Ok(Arc::clone(cases));
    }
    let read = Arc::new(cases(&root(), source, release)?);
    cache.insert(key, Arc::clone(&read));
    Ok(read)
}

/// What a reference answered.
#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// The case.
    pub id: String,
    /// Container hashes: init containers, containers, ephemeral containers.
    #[serde(default)]
    pub hashes: Option<Vec<u64>>,
    /// The first 16 hexadecimal digits of the SHA-256 of the object's JSON as Go wrote it.
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
}

/// A vector file's place says what it answers: `vectors/<release>/[random.]<subject>[.<view>]…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VectorFile {
    /// The file.
    pub path: PathBuf,
    /// `v1.30.14`
    pub release: String,
    /// `container-hash`
    pub subject: String,
    /// `decoded`, `delivered`, `static`
    pub view: Option<String>,
    /// `versioned`, `internal`
    pub form: Option<String>,
    /// Whether it answers for random objects.
    pub random: bool,
}

impl VectorFile {
    /// Reads the path.
    ///
    /// # Errors
    /// When it does not follow the pattern.
    pub fn new(path: &Path) -> Result<VectorFile> {
        let bad = || format!("{}: not a vector file's name", path.display());
        let name = path.file_name().and_then(|n| n.to_str()).ok_or_else(bad)?;
        let release = path
            .parent()
            .and_then(|p| p.file_name())
            .and_then(|n| n.to_str())
            .ok_or_else(bad)?;
        let stem = name.strip_suffix(".jsonl").ok_or_else(bad)?;
        let (random, stem) = match stem.strip_prefix("random.") {
            Some(rest) => (true, rest),
            None => (false, stem),
        };
        let mut parts = stem.split('.');
        let subject = parts.next().unwrap_or_default().to_owned();
        let (mut view, mut form) = (None, None);
        for part in parts {
            match part {
                "decoded" | "delivered" | "static" if view.is_none() => {
                    view = Some(part.to_owned())
                }
                "versioned" | "internal" if form.is_none() => form = Some(part.to_owned()),
                _ => return Err(bad()),
            }
        }
        Ok(VectorFile {
            path: path.to_owned(),
            release: release.to_owned(),
            subject,
            view,
            form,
            random,
        })
    }

    /// Where its questions stand.
    pub fn source(&self) -> Source {
        if self.random {
            Source::Random
        } else if self.subject == "yaml-to-json" {
            Source::Texts
        } else {
            Source::Objects
        }
    }

    /// All vector files, sorted.
    ///
    /// # Errors
    /// When a folder cannot be read or a name is none of ours.
    pub fn all(golden: &Path) -> Result<Vec<VectorFile>> {
        let vectors = golden.join("vectors");
        let mut all = Vec::new();
        let releases = fs::read_dir(&vectors).map_err(|e| format!("{}: {e}", vectors.display()))?;
        for release in releases {
            let release = release
                .map_err(|e| format!("{}: {e}", vectors.display()))?
                .path();
            for path in files(&release, "")? {
                all.push(VectorFile::new(&path)?);
            }
        }
        all.sort();
        Ok(all)
    }
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
    /// SHA-256 of the corpus.
    pub corpus_sha256: String,
    /// The files that the reference wrote, by path below `golden/`.
    pub files: BTreeMap<String, FileEntry>,
}

/// One file's entry.
#[derive(Debug, Deserialize)]
pub struct FileEntry {
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How many lines it has.
    pub cases: usize,
    /// How many of them are errors.
    pub errors: usize,
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
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The 16 digits by which golden files name a value.
pub fn short_digest(bytes: &[u8]) -> String {
    sha256(bytes)[..16].to_owned()
}

/// The object with this digest, if the corpus' values hold it: to show a difference.
pub fn value_text(golden: &Path, subject: &str, digest: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Line {
        sha256: String,
        object: Box<RawValue>,
    }
    let path = golden.join("values").join(format!("{subject}.jsonl"));
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.contains(digest))?;
    let line: Line = serde_json::from_str(line).ok()?;
    (line.sha256 == digest).then(|| line.object.get().to_owned())
}
