//! Which releases there are references for, and what each is made of.
//!
//! Two files are the data. `go-ref/releases.jsonl` has a line per release: the toolchain, and what
//! could not be had as the release wants it; `cargo xtask pin` writes it. `go-ref/ways.json` tells,
//! for spans of releases, what a reference of theirs is put together from; people write it, when
//! Kubernetes moves or changes something.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::gopath::{self, Recipe};
use super::lock;
use crate::error::{Error, Result};
use crate::golden::sha256_hex;
use crate::release::Release;
use crate::toolchain::Toolchain;

/// How the sources of a release are put together.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// With Go modules (1.16 and later).
    Module,
    /// As a GOPATH tree (before 1.16).
    Gopath,
}

/// Something that could not be had at the version the release wants.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub(crate) struct Substitution {
    /// The module's path.
    pub(crate) module: String,
    /// The version the release wants.
    pub(crate) wanted: String,
    /// The version that stands in, or `empty` for a module without a package.
    pub(crate) got: String,
}

/// The random objects a release makes.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Random {
    pub(crate) seed: i64,
    pub(crate) count: usize,
    pub(crate) max_bytes: usize,
}

/// A line of `releases.jsonl`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) release: String,
    /// Why there is no reference of the release, mostly that the module proxy does not hand it out;
    /// nothing else is known then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<String>,
    /// The toolchain it is built with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) toolchain: Option<String>,
    /// The toolchain it was shipped with, where that cannot be had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shipped: Option<String>,
    /// The tag of the staging modules, where it is not `v0.<minor>.<patch>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) staging: Option<String>,
    /// The release whose recipe in `go-ref/gopath` this one shares (GOPATH mode).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) recipe: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) substitutions: Vec<Substitution>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) random: Option<Random>,
    /// Whether what its controllers make of the corpus is what later releases find.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) before: bool,
}

/// What references of a span of releases are put together from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Way {
    /// The first release of the span; the next way's ends it.
    since: String,
    pub(crate) mode: Mode,
    /// Files of `go-ref/shims`.
    #[serde(default)]
    pub(crate) shims: Vec<String>,
    /// Why no reference is made for the span.
    pub(crate) refused: Option<String>,
}

/// One release that can be built.
#[derive(Clone, Debug)]
pub(crate) struct Pin {
    pub(crate) release: String,
    pub(crate) toolchain: String,
    pub(crate) mode: Mode,
    /// The tag of the staging modules (module mode).
    pub(crate) staging: String,
    /// Whose recipe it is built by (GOPATH mode).
    pub(crate) recipe: String,
    /// Files of `go-ref/shims`.
    pub(crate) shims: Vec<String>,
    /// All of them, the toolchain's included.
    pub(crate) substitutions: Vec<Substitution>,
    pub(crate) random: Option<Random>,
    pub(crate) before: bool,
    /// sha256 over the reference's own sources.
    pub(crate) sources: String,
    /// sha256 over everything that goes into the reference, except Kubernetes itself.
    pub(crate) digest: String,
}

impl Pin {
    /// The toolchain's minor version: 23 for go1.23.10.
    pub(crate) fn go_minor(&self) -> u16 {
        go_minor(&self.toolchain)
    }
}

/// 23 for go1.23.10.
pub(crate) fn go_minor(toolchain: &str) -> u16 {
    Toolchain::parse(toolchain).map_or(0, Toolchain::minor)
}

/// All pins and the directory they live in.
pub(crate) struct Pins {
    pub(crate) go_ref: PathBuf,
    /// Every line of `releases.jsonl`, oldest release first.
    pub(crate) rows: Vec<Row>,
    ways: Vec<Way>,
}

impl Pins {
    /// Reads both files.
    pub(crate) fn load(go_ref: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct Ways {
            ways: Vec<Way>,
        }
        let path = go_ref.join("ways.json");
        let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
        let ways = serde_json::from_str::<Ways>(&text)
            .map_err(|e| Error::Failed(format!("{}: {e}", path.display())))?
            .ways;
        let rows = read_rows(go_ref)?;
        Ok(Pins {
            go_ref: go_ref.to_path_buf(),
            rows,
            ways,
        })
    }

    /// What a release is put together from.
    pub(crate) fn way(&self, release: Release) -> Result<&Way> {
        let since = |way: &&Way| Release::parse(&way.since).is_ok_and(|since| since <= release);
        self.ways
            .iter()
            .rfind(since)
            .ok_or_else(|| Error::Failed(format!("{release}: go-ref/ways.json has no way")))
    }

    /// Adds a release's line, or puts a new one in place of the old, and writes the file. Others may
    /// have written it since it was read.
    pub(crate) fn record(&mut self, row: Row) -> Result<()> {
        let _lock = lock(&std::env::temp_dir().join("kubehash-pins.lock"))?;
        self.rows = read_rows(&self.go_ref)?;
        self.rows.retain(|old| old.release != row.release);
        self.rows.push(row);
        self.rows
            .sort_by_cached_key(|row| Release::parse(&row.release).ok());
        let path = rows_path(&self.go_ref);
        let mut text = String::new();
        for row in &self.rows {
            text += &serde_json::to_string(row)?;
            text.push('\n');
        }
        let temporary = path.with_extension("tmp");
        fs::write(&temporary, text)
            .and_then(|()| fs::rename(&temporary, &path))
            .map_err(|e| Error::io(&path, &e))
    }

    /// The pin that a line makes together with its way.
    pub(crate) fn pin(&self, row: &Row) -> Result<Pin> {
        let release = Release::parse(&row.release)?;
        let way = self.way(release)?;
        let Some(toolchain) = row.toolchain.clone() else {
            return Err(Error::Unavailable(format!(
                "{release} has no reference: {}",
                row.refused.as_deref().unwrap_or("no toolchain is known")
            )));
        };
        let staging = row.staging.clone().unwrap_or_else(|| release.staging());
        let recipe = row.recipe.clone().unwrap_or_else(|| row.release.clone());
        let mut files = core_files(&self.go_ref)?;
        files.extend(
            way.shims
                .iter()
                .map(|shim| self.go_ref.join("shims").join(shim)),
        );
        let sources = digest(&files, "")?;
        let mut substitutions = row.substitutions.clone();
        if row.staging.is_some() {
            substitutions.push(substitution(
                "k8s.io/* of the staging directory",
                &release.staging(),
                &staging,
            ));
        }
        if let Some(shipped) = &row.shipped {
            substitutions.push(substitution("golang.org/toolchain", shipped, &toolchain));
        }
        // A release that has no recipe yet is told so when it is to be built.
        if way.mode == Mode::Gopath && gopath::path(&self.go_ref, &recipe).exists() {
            let recipe = Recipe::load(&self.go_ref, &recipe)?;
            substitutions.extend(recipe.substitutions(&row.release));
            files.extend(recipe.inputs(&self.go_ref));
        }
        let digest = digest(
            &files,
            &format!("{toolchain} {}", serde_json::to_string(&substitutions)?),
        )?;
        Ok(Pin {
            release: row.release.clone(),
            toolchain,
            mode: way.mode,
            staging,
            recipe,
            shims: way.shims.clone(),
            substitutions,
            random: row.random.clone(),
            before: row.before,
            sources,
            digest,
        })
    }

    /// The lines that the command line names, in the file's order; for `1.30` the newest of that
    /// minor that can be had.
    pub(crate) fn rows_of(&self, names: &[String], all: bool) -> Result<Vec<&Row>> {
        if all {
            return Ok(self.rows.iter().filter(|r| r.refused.is_none()).collect());
        }
        if names.is_empty() {
            return Err(Error::Failed(
                "name a release, such as v1.30.14, or say --all".to_owned(),
            ));
        }
        let mut chosen: Vec<&Row> = Vec::new();
        for name in names {
            let wanted = format!("v{}", name.trim_start_matches('v'));
            let minor = format!("{wanted}.");
            let found = self.rows.iter().rfind(|row| {
                row.release == wanted || row.refused.is_none() && row.release.starts_with(&minor)
            });
            let Some(row) = found else {
                return Err(Error::Failed(format!(
                    "{name}: no such release in go-ref/releases.jsonl\n\
                     hint: cargo xtask pin {wanted} adds it"
                )));
            };
            if !chosen.iter().any(|c| c.release == row.release) {
                chosen.push(row);
            }
        }
        Ok(chosen)
    }

    /// The pins that the command line names.
    pub(crate) fn select(&self, names: &[String], all: bool) -> Result<Vec<Pin>> {
        self.rows_of(names, all)?
            .into_iter()
            .map(|row| self.pin(row))
            .collect()
    }

    /// All releases in their order.
    pub(crate) fn order(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.release.clone()).collect()
    }
}

fn read_rows(go_ref: &Path) -> Result<Vec<Row>> {
    let path = rows_path(go_ref);
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    text.lines()
        .map(|line| {
            let row: Row = serde_json::from_str(line)
                .map_err(|e| Error::Failed(format!("{}: {e} in {line}", path.display())))?;
            Release::parse(&row.release)?;
            Ok(row)
        })
        .collect()
}

fn rows_path(go_ref: &Path) -> PathBuf {
    go_ref.join("releases.jsonl")
}

pub(crate) fn substitution(module: &str, wanted: &str, got: &str) -> Substitution {
    Substitution {
        module: module.to_owned(),
        wanted: wanted.to_owned(),
        got: got.to_owned(),
    }
}

/// The core's files, sorted by name.
pub(crate) fn core_files(go_ref: &Path) -> Result<Vec<PathBuf>> {
    let dir = go_ref.join("core");
    let entries = fs::read_dir(&dir).map_err(|e| Error::io(&dir, &e))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "go"))
        .collect();
    files.sort();
    Ok(files)
}

fn digest(files: &[PathBuf], rest: &str) -> Result<String> {
    let mut bytes = Vec::new();
    for file in files {
        let text = fs::read(file).map_err(|e| Error::io(file, &e))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        bytes.extend(format!("{name} {}\n", text.len()).into_bytes());
        bytes.extend(text);
    }
    bytes.extend(rest.as_bytes());
    Ok(sha256_hex(&bytes))
}
