//! Assembly in GOPATH mode, for the releases before 1.16: a tree of sources as `go build` wants
//! them when there are no modules.
//!
//! The proxy has these releases as modules all the same, and what they depended on as
//! pseudo-versions. `go-ref/gopath/<release>.json` says which of them stands where in the tree
//! ([`Recipe`]): data that `cargo xtask gopath-recipe` worked out from the release's own
//! `Godeps/Godeps.json` or `go.mod`, so that assembling guesses nothing. A revision that no proxy has is stood in for by
//! the nearest one that can be had, and recorded as a substitution.
//!
//! Files are hard-linked from the module cache, so a tree costs directories only.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use xshell::Shell;

use super::pins::{Pin, Substitution};
use super::{Assembled, modules};
use crate::error::{Error, Result};

/// The parts of `k8s.io/kubernetes` that Go code lives in.
const TREES: &[&str] = &[
    "cmd",
    "federation",
    "pkg",
    "plugin",
    // 1.8's DaemonSet controller imports a package of its by this path.
    "staging/src/k8s.io/apimachinery/pkg/util",
    "third_party",
];

/// What a release's tree is made of, beside the release itself.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Recipe {
    pub(crate) release: String,
    /// Packages that are replaced by one of our own files.
    pub(crate) stubs: Vec<Stub>,
    pub(crate) sources: Vec<Source>,
}

/// A package that stands in for a real one.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Stub {
    pub(crate) package: String,
    /// In `go-ref/stubs`.
    pub(crate) file: String,
    pub(crate) why: String,
}

/// Where one dependency comes from: a module, or the `Godeps/_workspace` of a release that still
/// carried its dependencies.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Source {
    /// Its place below `src`.
    pub(crate) path: String,
    /// The module's path, if that is another.
    pub(crate) module: Option<String>,
    pub(crate) version: Option<String>,
    /// The module's sum, as in a `go.sum`.
    pub(crate) sum: Option<String>,
    pub(crate) workspace: Option<String>,
    /// What the release asked for; absent where a module's version says the same.
    pub(crate) wanted: Option<String>,
    pub(crate) r#match: Match,
}

/// Whether a source is what the release pins.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Match {
    /// The very revision.
    Exact,
    /// Another one, the nearest that can be had.
    Nearest,
}

impl Recipe {
    /// Reads a release's recipe.
    pub(crate) fn load(go_ref: &Path, release: &str) -> Result<Self> {
        let path = path(go_ref, release);
        let text = fs::read_to_string(&path).map_err(|e| {
            Error::Failed(format!(
                "{}: {e}\nhint: cargo xtask gopath-recipe {release} writes it",
                path.display()
            ))
        })?;
        let recipe: Recipe = serde_json::from_str(&text)
            .map_err(|e| Error::Failed(format!("{}: {e}", path.display())))?;
        if recipe.release == release {
            Ok(recipe)
        } else {
            Err(Error::Failed(format!(
                "{}: it is about {}",
                path.display(),
                recipe.release
            )))
        }
    }

    /// The same for another release.
    pub(crate) fn with_release(self, release: &str) -> Self {
        Recipe {
            release: release.to_owned(),
            ..self
        }
    }

    /// What differs from the release as it was shipped, for the manifest.
    pub(crate) fn substitutions(&self, release: &str) -> Vec<Substitution> {
        let nearest = self
            .sources
            .iter()
            .filter(|s| s.r#match == Match::Nearest)
            .map(|source| Substitution {
                module: source.path.clone(),
                wanted: source.wanted.clone().unwrap_or_default(),
                got: source.got(),
            });
        let stubs = self.stubs.iter().map(|stub| Substitution {
            module: stub.package.clone(),
            wanted: release.to_owned(),
            got: format!("go-ref/stubs/{}", stub.file),
        });
        nearest.chain(stubs).collect()
    }

    /// The file's text: a line for each stub and source, keys in a fixed order.
    pub(crate) fn render(&self) -> Result<String> {
        let mut stubs = Vec::new();
        for stub in &self.stubs {
            stubs.push(line(&[
                ("package", Some(&stub.package)),
                ("file", Some(&stub.file)),
                ("why", Some(&stub.why)),
            ])?);
        }
        let mut sources = Vec::new();
        for source in &self.sources {
            let r#match = match source.r#match {
                Match::Exact => "exact",
                Match::Nearest => "nearest",
            };
            sources.push(line(&[
                ("path", Some(&source.path)),
                ("module", source.module.as_ref()),
                ("version", source.version.as_ref()),
                ("sum", source.sum.as_ref()),
                ("workspace", source.workspace.as_ref()),
                ("wanted", source.wanted.as_ref()),
                ("match", Some(&r#match.to_owned())),
            ])?);
        }
        let mut text = format!("{{\"release\": \"{}\",\n\"stubs\": [\n", self.release);
        if !stubs.is_empty() {
            text += &stubs.join(",\n");
            text.push('\n');
        }
        text += "],\n\"sources\": [\n";
        text += &sources.join(",\n");
        text += "\n]}\n";
        Ok(text)
    }

    /// The recipe and the stubs it uses: files that a reference's digest covers.
    pub(crate) fn inputs(&self, go_ref: &Path) -> Vec<PathBuf> {
        let stubs = self
            .stubs
            .iter()
            .map(|stub| go_ref.join("stubs").join(&stub.file));
        std::iter::once(path(go_ref, &self.release))
            .chain(stubs)
            .collect()
    }
}

impl Source {
    fn got(&self) -> String {
        match (&self.version, &self.workspace) {
            (Some(version), _) => version.clone(),
            (None, Some(release)) => format!("Godeps/_workspace of {release}"),
            (None, None) => String::new(),
        }
    }

    /// The argument of `go mod download` that brings it.
    pub(crate) fn download(&self) -> Option<String> {
        match (&self.version, &self.workspace) {
            (Some(version), _) => Some(format!(
                "{}@{version}",
                self.module.as_ref().unwrap_or(&self.path)
            )),
            (None, Some(release)) => Some(format!("k8s.io/kubernetes@{release}")),
            (None, None) => None,
        }
    }
}

/// An object of strings on one line.
fn line(fields: &[(&str, Option<&String>)]) -> Result<String> {
    let mut parts = Vec::new();
    for (key, value) in fields {
        if let Some(value) = value {
            parts.push(format!("\"{key}\": {}", serde_json::to_string(value)?));
        }
    }
    Ok(format!("{{{}}}", parts.join(", ")))
}

/// Where the recipe of a release lies.
pub(crate) fn path(go_ref: &Path, release: &str) -> PathBuf {
    go_ref.join("gopath").join(format!("{release}.json"))
}

/// Puts the tree below `workdir`, with the reference's own sources, which the caller has put into
/// `workdir`, as one of its packages.
pub(crate) fn assemble(sh: &Shell, go_ref: &Path, pin: &Pin, workdir: &Path) -> Result<Assembled> {
    let recipe = Recipe::load(go_ref, &pin.recipe)?;
    let kubernetes = format!("k8s.io/kubernetes@{}", pin.release);
    let mut specs: Vec<String> = recipe.sources.iter().filter_map(Source::download).collect();
    specs.push(kubernetes.clone());
    specs.sort();
    specs.dedup();
    let fetched = modules::download(sh, &specs)?;
    let dir_of = |spec: &str| {
        fetched
            .iter()
            .find(|module| module.spec() == spec)
            .ok_or_else(|| Error::Failed(format!("go mod download said nothing of {spec}")))
    };

    // Where a package lies is part of what a compiler's cache knows it by: releases of a minor share
    // a place, and with it what they have in common.
    let gopath = workdir.join("gopath");
    let src = gopath.join("src");
    // What lies deeper goes first: a file that is there already stays.
    let mut sources: Vec<&Source> = recipe.sources.iter().collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.path.len()));
    for source in sources {
        let Some(spec) = source.download() else {
            return Err(Error::Failed(format!(
                "{}: {} has no source",
                pin.release, source.path
            )));
        };
        let module = dir_of(&spec)?;
        if source.sum.as_ref().is_some_and(|sum| *sum != module.sum) {
            return Err(Error::Failed(format!(
                "{}: {spec} has the sum {}, the recipe wants another",
                pin.release, module.sum
            )));
        }
        let from = match source.workspace {
            Some(_) => module.dir.join("Godeps/_workspace/src").join(&source.path),
            None => module.dir.clone(),
        };
        link_tree(&from, &src.join(&source.path))?;
    }
    let dir_of_release = dir_of(&kubernetes)?;
    let release = dir_of_release.dir.clone();
    let go_sum = dir_of_release.sum.clone();
    for tree in TREES {
        if release.join(tree).is_dir() {
            link_tree(
                &release.join(tree),
                &src.join("k8s.io/kubernetes").join(tree),
            )?;
        }
    }
    // From 1.4 to 1.14 the staging repositories are part of the module.
    let staging = release.join("staging/src");
    if staging.is_dir() {
        link_tree(&staging, &src)?;
    }
    for stub in &recipe.stubs {
        let package = src.join(&stub.package);
        sh.remove_path(&package)?;
        sh.create_dir(&package)?;
        sh.copy_file(go_ref.join("stubs").join(&stub.file), &package)?;
    }

    let reference = src.join("reference");
    sh.create_dir(&reference)?;
    for file in sh
        .read_dir(workdir)?
        .into_iter()
        .filter(|path| path.is_file())
    {
        sh.copy_file(file, &reference)?;
    }
    Ok(Assembled {
        dir: reference,
        env: vec![
            ("GO111MODULE".to_owned(), "off".to_owned()),
            ("GOPATH".to_owned(), gopath.to_string_lossy().into_owned()),
            ("GOFLAGS".to_owned(), String::new()),
            ("GOENV".to_owned(), "off".to_owned()),
        ],
        trimpath: false,
        go_sum,
    })
}

/// Hard-links what Go compiles, except tests, from one tree into another; copies where the two
/// are on different file systems. Files that are there already stay.
fn link_tree(from: &Path, to: &Path) -> Result<()> {
    let io = |e: std::io::Error| Error::io(from, &e);
    let mut made = false;
    for entry in fs::read_dir(from).map_err(io)? {
        let entry = entry.map_err(io)?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().map_err(io)?.is_dir() {
            if name != "testdata" {
                link_tree(&source, &target)?;
            }
            continue;
        }
        let compiled = [".go", ".s", ".h"].iter().any(|end| name.ends_with(end));
        if !compiled || name.ends_with("_test.go") || target.exists() {
            continue;
        }
        if !made {
            fs::create_dir_all(to).map_err(|e| Error::io(to, &e))?;
            made = true;
        }
        if fs::hard_link(&source, &target).is_err() {
            fs::copy(&source, &target).map_err(|e| Error::io(&source, &e))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: &str = r#"{"release": "v1.5.8",
        "stubs": [{"package": "k8s.io/x/factory", "file": "factory.go", "why": "etcd"}],
        "sources": [
            {"path": "a.b/c", "version": "v0.2.0", "sum": "h1:x=", "match": "exact"},
            {"path": "d.e/f", "workspace": "v1.2.7", "wanted": "0123", "match": "nearest"},
            {"path": "g.h/i", "module": "g.h/I", "version": "v1.0.0", "wanted": "4567", "match": "nearest"}
        ]}"#;

    #[test]
    fn whatever_is_not_the_very_revision_is_a_substitution() {
        let recipe: Recipe = serde_json::from_str(RECIPE).unwrap();
        let told: Vec<_> = recipe
            .substitutions("v1.5.8")
            .into_iter()
            .map(|s| (s.module, s.wanted, s.got))
            .collect();
        let expected = [
            ("d.e/f", "0123", "Godeps/_workspace of v1.2.7"),
            ("g.h/i", "4567", "v1.0.0"),
            ("k8s.io/x/factory", "v1.5.8", "go-ref/stubs/factory.go"),
        ]
        .map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(told, expected);
    }

    #[test]
    fn a_source_is_downloaded_as_a_module_or_with_the_release_that_carries_it() {
        let recipe: Recipe = serde_json::from_str(RECIPE).unwrap();
        let specs: Vec<_> = recipe.sources.iter().map(Source::download).collect();
        let expected = ["a.b/c@v0.2.0", "k8s.io/kubernetes@v1.2.7", "g.h/I@v1.0.0"];
        assert_eq!(specs, expected.map(|spec| Some(spec.to_owned())));
    }

    #[test]
    fn every_recipe_in_the_repository_is_written_as_it_is_rendered() {
        let go_ref = crate::project_root().join("go-ref");
        let mut read = 0;
        for entry in fs::read_dir(go_ref.join("gopath")).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            if !name.ends_with(".json") {
                continue;
            }
            let recipe = Recipe::load(&go_ref, name.trim_end_matches(".json")).unwrap();
            assert!(
                recipe
                    .sources
                    .iter()
                    .all(|source| source.download().is_some()),
                "{name}"
            );
            assert!(
                recipe.inputs(&go_ref).iter().all(|file| file.exists()),
                "{name}"
            );
            read += 1;
        }
        assert!(read > 0);
    }
}
