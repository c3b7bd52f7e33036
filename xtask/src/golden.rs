//! The layout of `golden/`: reading the corpus, writing what references answered.
//!
//! Every file is written whole and put in place by a rename, so an interrupted run leaves no half
//! of one. Whatever is written depends on its inputs only: no times, no paths, sorted keys.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::goref::pins::{Mode, Substitution};

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

/// A case of the corpus or a random object; `object` and `text` are as the file has them.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) object: Option<Box<RawValue>>,
    pub(crate) text: Option<Box<RawValue>>,
}

/// `golden/manifest.json`: where every vector comes from.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) releases: Vec<Provenance>,
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
    pub(crate) corpus_sha256: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) random_sha256: Option<String>,
    pub(crate) files: BTreeMap<String, FileEntry>,
}

/// One file of vectors.
#[derive(Clone, Serialize, Deserialize, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub(crate) sha256: String,
    pub(crate) cases: usize,
    pub(crate) errors: usize,
}

/// A line of `schemas/releases.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SchemaRelease {
    pub(crate) release: String,
    pub(crate) toolchain: String,
    pub(crate) kinds: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) feature_gates: Option<Box<RawValue>>,
    pub(crate) types: Vec<String>,
}

/// A line of `schemas/types.jsonl`.
#[derive(Serialize, Deserialize)]
struct TypeLine {
    sha256: String,
    r#type: Box<RawValue>,
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

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The corpus in its order (files by name, then lines), and its digest.
    pub(crate) fn corpus(&self) -> Result<(Vec<Case>, String)> {
        let mut cases = Vec::new();
        let mut bytes = Vec::new();
        for file in jsonl_files(&self.root.join("corpus"))? {
            let text = read(&file)?;
            bytes.extend(text.as_bytes());
            cases.extend(parse_cases(&file, &text)?);
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = cases.iter().find(|case| !seen.insert(&case.id)) {
            return Err(Error::Failed(format!(
                "golden/corpus: the id {} occurs twice",
                twice.id
            )));
        }
        Ok((cases, sha256_hex(&bytes)))
    }

    /// The random objects of a release, if it makes any, and their digest.
    pub(crate) fn random(&self, release: &str) -> Result<Option<(Vec<Case>, String)>> {
        let path = self.root.join(random_path(release));
        if !path.exists() {
            return Ok(None);
        }
        let text = read(&path)?;
        Ok(Some((
            parse_cases(&path, &text)?,
            sha256_hex(text.as_bytes()),
        )))
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

    /// Removes the vectors of a release that are not among `keep`.
    pub(crate) fn prune_vectors(
        &self,
        release: &str,
        keep: &BTreeMap<String, FileEntry>,
    ) -> Result<()> {
        for file in jsonl_files(&self.root.join(format!("vectors/{release}")))? {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            if !keep.contains_key(&format!("vectors/{release}/{name}")) {
                fs::remove_file(&file).map_err(|e| Error::io(&file, &e))?;
            }
        }
        Ok(())
    }

    /// Whether every file of a release is there as the manifest says.
    pub(crate) fn intact(&self, provenance: &Provenance) -> bool {
        provenance.files.iter().all(|(path, entry)| {
            fs::read(self.root.join(path)).is_ok_and(|text| sha256_hex(&text) == entry.sha256)
        })
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
        let mut text = serde_json::to_string_pretty(manifest)?;
        text.push('\n');
        self.write("manifest.json", &text)
    }

    /// Adds a release's schema: its line, and those of its types that no other release has.
    pub(crate) fn write_schema(&self, answer: &SchemaAnswer, order: &[String]) -> Result<()> {
        let mut types: BTreeMap<(String, String), String> = BTreeMap::new();
        for line in self.lines("schemas/types.jsonl")? {
            let entry: TypeLine = serde_json::from_str(&line)?;
            types.insert((type_id(&entry.r#type)?, entry.sha256), line);
        }
        let mut mine = Vec::new();
        for raw in &answer.schema.types {
            // The reference writes fields in a fixed order and no space: already canonical.
            let sha256 = short_digest(raw.get().as_bytes());
            let line = TypeLine {
                sha256: sha256.clone(),
                r#type: raw.clone(),
            };
            types.insert(
                (type_id(raw)?, sha256.clone()),
                serde_json::to_string(&line)?,
            );
            mine.push(sha256);
        }
        let schema = &answer.schema;
        let line = SchemaRelease {
            release: schema.release.clone(),
            toolchain: schema.toolchain.clone(),
            kinds: schema.kinds.clone(),
            feature_gates: schema.feature_gates.clone(),
            types: mine,
        };
        let mut releases: BTreeMap<usize, SchemaRelease> = BTreeMap::new();
        let place = |release: &str| {
            order
                .iter()
                .position(|o| o == release)
                .unwrap_or(order.len())
        };
        for old in self.lines("schemas/releases.jsonl")? {
            let old: SchemaRelease = serde_json::from_str(&old)?;
            releases.insert(place(&old.release), old);
        }
        releases.insert(place(&line.release), line);

        let used: BTreeSet<&String> = releases.values().flat_map(|r| &r.types).collect();
        types.retain(|(_, sha256), _| used.contains(sha256));
        self.write("schemas/types.jsonl", &join(types.values()))?;
        let lines: Vec<String> = releases
            .values()
            .map(serde_json::to_string)
            .collect::<std::result::Result<_, _>>()?;
        self.write("schemas/releases.jsonl", &join(&lines))
    }

    /// Adds object-valued answers, and drops those that no vector of the corpus refers to any more.
    pub(crate) fn write_values(
        &self,
        subject: &str,
        new: &BTreeMap<String, Box<RawValue>>,
    ) -> Result<()> {
        let path = format!("values/{subject}.jsonl");
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

    fn used_values(&self, subject: &str) -> Result<BTreeSet<String>> {
        #[derive(Deserialize)]
        struct Line {
            object: Option<String>,
        }
        let mut used = BTreeSet::new();
        let vectors = self.root.join("vectors");
        for release in fs::read_dir(&vectors)
            .map_err(|e| Error::io(&vectors, &e))?
            .flatten()
        {
            let name = release.file_name().to_string_lossy().into_owned();
            for line in self.lines(&format!("vectors/{name}/{subject}.jsonl"))? {
                used.extend(serde_json::from_str::<Line>(&line)?.object);
            }
        }
        Ok(used)
    }

    fn lines(&self, path: &str) -> Result<Vec<String>> {
        let path = self.root.join(path);
        if !path.exists() {
            return Ok(Vec::new());
        }
        Ok(read(&path)?.lines().map(str::to_owned).collect())
    }
}

/// What a reference answers to `schema`.
#[derive(Deserialize)]
pub(crate) struct SchemaAnswer {
    pub(crate) schema: ReferenceSchema,
}

/// The schema itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceSchema {
    pub(crate) release: String,
    pub(crate) toolchain: String,
    kinds: Box<RawValue>,
    feature_gates: Option<Box<RawValue>>,
    types: Vec<Box<RawValue>>,
}

/// Where the random objects of a release lie.
pub(crate) fn random_path(release: &str) -> String {
    format!("random/{release}.jsonl")
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

fn type_id(raw: &RawValue) -> Result<String> {
    #[derive(Deserialize)]
    struct Id {
        id: String,
    }
    Ok(serde_json::from_str::<Id>(raw.get())?.id)
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
