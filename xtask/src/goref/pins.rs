//! `go-ref/releases.json`: which releases there are references for, and what each is made of.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::gopath::{self, Recipe};
use crate::error::{Error, Result};
use crate::golden::sha256_hex;

/// How the sources of a release are put together.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// With Go modules (1.16 and later).
    Module,
    /// As a GOPATH tree (before 1.16).
    Gopath,
}

/// A module that could not be had at the version the release wants.
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
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Random {
    pub(crate) seed: i64,
    pub(crate) count: usize,
    pub(crate) max_bytes: usize,
}

/// One release.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pin {
    pub(crate) release: String,
    /// Whether the module proxy hands it out.
    pub(crate) obtainable: bool,
    /// The toolchain it was shipped with.
    pub(crate) toolchain: String,
    pub(crate) mode: Mode,
    /// The tag of the staging modules (module mode).
    pub(crate) staging: Option<String>,
    /// Files of `go-ref/shims`.
    pub(crate) shims: Vec<String>,
    #[serde(default)]
    pub(crate) substitutions: Vec<Substitution>,
    pub(crate) random: Option<Random>,
    /// sha256 over the reference's own sources and the pin itself.
    #[serde(skip)]
    pub(crate) digest: String,
}

impl Pin {
    /// The toolchain's minor version: 23 for go1.23.10.
    pub(crate) fn go_minor(&self) -> u32 {
        self.toolchain
            .split('.')
            .nth(1)
            .and_then(|minor| minor.parse().ok())
            .unwrap_or(0)
    }
}

/// All pins and the directory they live in.
pub(crate) struct Pins {
    pub(crate) go_ref: PathBuf,
    pub(crate) pins: Vec<Pin>,
}

impl Pins {
    /// Reads `releases.json` and digests each release's sources.
    pub(crate) fn load(go_ref: &Path) -> Result<Self> {
        #[derive(Deserialize)]
        struct File {
            releases: Vec<Box<RawValue>>,
        }
        let path = go_ref.join("releases.json");
        let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
        let file: File = serde_json::from_str(&text)?;
        let mut pins = Vec::new();
        for raw in &file.releases {
            let mut pin: Pin = serde_json::from_str(raw.get())
                .map_err(|e| Error::Failed(format!("{}: {e} in {}", path.display(), raw.get())))?;
            let mut files = core_files(go_ref)?;
            files.extend(pin.shims.iter().map(|shim| go_ref.join("shims").join(shim)));
            // A release that has no recipe yet is told so when it is to be built.
            if pin.mode == Mode::Gopath && gopath::path(go_ref, &pin.release).exists() {
                let recipe = Recipe::load(go_ref, &pin.release)?;
                pin.substitutions = recipe.substitutions();
                files.extend(recipe.inputs(go_ref));
            }
            pin.digest = digest(&files, raw.get())?;
            pins.push(pin);
        }
        Ok(Pins {
            go_ref: go_ref.to_path_buf(),
            pins,
        })
    }

    /// The pins that the command line names, in the file's order.
    pub(crate) fn select(&self, names: &[String], all: bool) -> Result<Vec<&Pin>> {
        if all {
            return Ok(self.pins.iter().filter(|pin| pin.obtainable).collect());
        }
        if names.is_empty() {
            return Err(Error::Failed(
                "name a release, such as v1.30.14, or say --all".to_owned(),
            ));
        }
        let mut chosen: Vec<&Pin> = Vec::new();
        for name in names {
            let wanted = format!("v{}", name.trim_start_matches('v'));
            let found = self.pins.iter().rfind(|pin| {
                pin.release == wanted || pin.release.starts_with(&format!("{wanted}."))
            });
            let Some(pin) = found else {
                return Err(Error::Failed(format!(
                    "{name}: no such release in go-ref/releases.json"
                )));
            };
            if !pin.obtainable {
                return Err(Error::Unavailable(format!(
                    "{name} cannot be had from a module proxy"
                )));
            }
            if !chosen.iter().any(|c| c.release == pin.release) {
                chosen.push(pin);
            }
        }
        Ok(chosen)
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

fn digest(files: &[PathBuf], raw: &str) -> Result<String> {
    let mut bytes = Vec::new();
    for file in files {
        let text = fs::read(file).map_err(|e| Error::io(file, &e))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        bytes.extend(format!("{name} {}\n", text.len()).into_bytes());
        bytes.extend(text);
    }
    bytes.extend(raw.as_bytes());
    Ok(sha256_hex(&bytes))
}
