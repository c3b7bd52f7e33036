//! `cargo xtask gopath-recipe RELEASE`: works out of what sources the GOPATH tree of a release before
//! 1.16 is made, and writes its recipe, `go-ref/gopath/<release>.json`.
//!
//! It follows imports from the reference's own files through the release and through whatever they
//! reach, and looks up what the release pins for it (`Godeps/Godeps.json`, `go.mod` in 1.15). A pin
//! is a commit; a module proxy serves tags and complete pseudo-versions. The one is told from the
//! other by `go-ref/gopath/known-versions.txt`. A commit that no version is known of is stood in for
//! by what stands in for it in the recipe of the release nearest to this one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use xshell::Shell;

use crate::error::{Error, Result};
use crate::flags::GopathRecipe;
use crate::goref::gopath::{self, Match, Recipe, Source, Stub};
use crate::goref::imports;
use crate::goref::modules;
use crate::goref::pins::{self, Mode, Pin, Pins};
use crate::project_root;
use crate::release::Release;

/// Releases that carry what they depend on in their own `Godeps/_workspace`.
const CARRIERS: &[&str] = &["v1.1.8", "v1.2.7"];

/// What takes the place of the storage factory, by the package it belongs to.
const STUBS: &[(&str, &str)] = &[
    (
        "k8s.io/apiserver/pkg/storage/storagebackend/factory",
        "storage_factory_apiserver.go",
    ),
    (
        "k8s.io/kubernetes/pkg/storage/storagebackend/factory",
        "storage_factory_kubernetes.go",
    ),
];
const STUB_WHY: &str = "draws in etcd and grpc; strategies never call it";

pub(crate) fn run(flags: &GopathRecipe) -> Result<()> {
    let sh = Shell::new()?;
    let go_ref = project_root().join("go-ref");
    let pins = Pins::load(&go_ref)?;
    let chosen = pins.select(std::slice::from_ref(&flags.release), false)?;
    for pin in chosen {
        if pin.mode != Mode::Gopath {
            return Err(Error::Failed(format!(
                "{}: it is built as a module",
                pin.release
            )));
        }
        let recipe = resolve(&sh, &go_ref, &pin)?;
        let nearest = recipe
            .sources
            .iter()
            .filter(|s| s.r#match == Match::Nearest)
            .count();
        let path = gopath::path(&go_ref, &pin.release);
        fs::write(&path, recipe.render()?).map_err(|e| Error::io(&path, &e))?;
        eprintln!(
            "{}: {} sources, {nearest} of them not the pinned revision",
            pin.release,
            recipe.sources.len()
        );
    }
    Ok(())
}

/// Works a release's recipe out.
pub(crate) fn resolve(sh: &Shell, go_ref: &Path, pin: &Pin) -> Result<Recipe> {
    Resolver::new(sh, go_ref, pin)?.resolve(go_ref, pin)
}

/// A pin of `Godeps/Godeps.json`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Dep {
    import_path: String,
    /// What `git describe` said of the revision; a tag if it has one.
    #[serde(default)]
    comment: String,
    rev: String,
}

fn godeps(kubernetes: &Path) -> Result<Vec<Dep>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct File {
        deps: Vec<Dep>,
    }
    let path = kubernetes.join("Godeps/Godeps.json");
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    let mut deps = serde_json::from_str::<File>(&text)?.deps;
    for dep in &mut deps {
        dep.rev = dep.rev.trim_matches('\'').to_owned(); // goautoneg's is in quotes
    }
    Ok(deps)
}

/// A version that is known of a commit.
struct Known {
    module: String,
    version: String,
    /// Its first twelve digits; or, of a staging repository, its tag: `kubernetes-1.15.3`.
    commit: String,
}

fn known_versions(go_ref: &Path) -> Result<Vec<Known>> {
    let path = go_ref.join("gopath/known-versions.txt");
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    let parse = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        let (module, version) = (words.next()?, words.next()?);
        let commit = words.next().or_else(|| {
            let bare = version.trim_end_matches("+incompatible");
            bare.rsplit_once('-').map(|(_, commit)| commit.to_owned())
        })?;
        Some(Known {
            module,
            version,
            commit,
        })
    };
    Ok(text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(parse)
        .collect())
}

struct Resolver<'a> {
    sh: &'a Shell,
    release: String,
    /// The release's own sources.
    kubernetes: PathBuf,
    /// What it pins: commits by import path, or (from 1.15 on) versions by module.
    deps: Vec<Dep>,
    modules: BTreeMap<String, String>,
    known: Vec<Known>,
    /// Recipes that there are already, the nearest release first.
    neighbours: Vec<Recipe>,
    carriers: Vec<(String, PathBuf, Vec<Dep>)>,
    /// Chosen so far: the source, and where its files are now.
    sources: BTreeMap<String, (Source, PathBuf)>,
}

impl<'a> Resolver<'a> {
    fn new(sh: &'a Shell, go_ref: &Path, pin: &Pin) -> Result<Self> {
        let dir = |release: &str| {
            let spec = format!("k8s.io/kubernetes@{release}");
            modules::download(sh, &[spec])
                .map(|m| m.into_iter().map(|m| m.dir).collect::<PathBuf>())
        };
        let kubernetes = dir(&pin.release)?;
        let go_mod = kubernetes.join("go.mod");
        let (deps, modules) = if go_mod.exists() {
            let text = fs::read_to_string(&go_mod).map_err(|e| Error::io(&go_mod, &e))?;
            (Vec::new(), versions(&text, &pin.release))
        } else {
            (godeps(&kubernetes)?, BTreeMap::new())
        };
        let mut carriers = Vec::new();
        for release in CARRIERS {
            let home = dir(release)?;
            let deps = godeps(&home)?;
            carriers.push((
                (*release).to_owned(),
                home.join("Godeps/_workspace/src"),
                deps,
            ));
        }
        let mut neighbours = Vec::new();
        let recipes = go_ref.join("gopath");
        for entry in fs::read_dir(&recipes)
            .map_err(|e| Error::io(&recipes, &e))?
            .flatten()
        {
            if let Some(release) = entry.file_name().to_string_lossy().strip_suffix(".json") {
                neighbours.push(Recipe::load(go_ref, release)?);
            }
        }
        let here = Release::parse(&pin.release)?;
        neighbours.sort_by_cached_key(|recipe| {
            let far = Release::parse(&recipe.release).map(|there| {
                let minors = here.minor.abs_diff(there.minor);
                (minors, here.patch.abs_diff(there.patch), there)
            });
            far.ok()
        });
        Ok(Resolver {
            sh,
            release: pin.release.clone(),
            kubernetes,
            deps,
            modules,
            known: known_versions(go_ref)?,
            neighbours,
            carriers,
            sources: BTreeMap::new(),
        })
    }

    /// Follows imports from the reference's own sources.
    fn resolve(mut self, go_ref: &Path, pin: &Pin) -> Result<Recipe> {
        let mut stubs = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending = Vec::new();
        let shims = pin.shims.iter().map(|shim| go_ref.join("shims").join(shim));
        for file in pins::core_files(go_ref)?.into_iter().chain(shims) {
            pending.extend(imports::of_file(&file)?);
        }
        while let Some(package) = pending.pop() {
            // The standard library has no dot in its first word.
            let standard = !package
                .split('/')
                .next()
                .is_some_and(|host| host.contains('.'));
            if standard || !seen.insert(package.clone()) {
                continue;
            }
            if let Some((_, file)) = STUBS.iter().find(|(stubbed, _)| *stubbed == package) {
                pending.extend(imports::of_file(&go_ref.join("stubs").join(file))?);
                stubs.insert(package);
                continue;
            }
            let dir = self.dir_of(&package)?;
            match imports::of_dir(&dir)? {
                Some(imports) => pending.extend(imports),
                None => {
                    return Err(Error::Failed(format!(
                        "{}: what stands for {package} has no such package ({})",
                        self.release,
                        dir.display()
                    )));
                }
            }
        }
        let stubs = STUBS
            .iter()
            .filter(|(package, _)| stubs.contains(*package))
            .map(|(package, file)| Stub {
                package: (*package).to_owned(),
                file: (*file).to_owned(),
                why: STUB_WHY.to_owned(),
            })
            .collect();
        let sources = self
            .sources
            .into_values()
            .map(|(source, _)| source)
            .collect();
        Ok(Recipe {
            release: self.release,
            stubs,
            sources,
        })
    }

    /// Where the files of a package are now.
    fn dir_of(&mut self, package: &str) -> Result<PathBuf> {
        if let Some(inside) = package.strip_prefix("k8s.io/kubernetes/") {
            return Ok(self.kubernetes.join(inside));
        }
        let root = self.root_of(package);
        let staging = self.kubernetes.join("staging/src").join(&root);
        if staging.is_dir() {
            return Ok(self.kubernetes.join("staging/src").join(package));
        }
        if !self.sources.contains_key(&root) {
            let chosen = self.choose(&root)?;
            self.sources.insert(root.clone(), chosen);
        }
        let inside = package[root.len()..].trim_start_matches('/');
        Ok(self.sources[&root].1.join(inside))
    }

    /// The part of an import path that names a repository.
    fn root_of(&self, package: &str) -> String {
        let words: Vec<&str> = package.split('/').collect();
        let prefix = |n: usize| words[..n.min(words.len())].join("/");
        if !self.modules.is_empty() {
            return (1..=words.len())
                .rev()
                .map(prefix)
                .find(|prefix| self.modules.contains_key(prefix))
                .unwrap_or_else(|| package.to_owned());
        }
        match words[0] {
            "github.com" | "bitbucket.org" | "golang.org" => prefix(3),
            "gopkg.in" if !words.get(1).is_some_and(|word| word.contains(".v")) => prefix(3),
            _ => prefix(2),
        }
    }

    /// The source of a repository, and where its files are.
    fn choose(&self, root: &str) -> Result<(Source, PathBuf)> {
        if let Some(version) = self.modules.get(root) {
            return self.choose_module(root, version);
        }
        let below = format!("{root}/");
        let is_pin = |dep: &&Dep| dep.import_path == root || dep.import_path.starts_with(&below);
        let Some(dep) = self.deps.iter().find(is_pin) else {
            return Err(Error::Failed(format!(
                "{}: it pins nothing of {root}",
                self.release
            )));
        };
        if self
            .kubernetes
            .join("Godeps/_workspace/src")
            .join(root)
            .is_dir()
        {
            return self.fetch(workspace(root, &self.release, &dep.rev, Match::Exact));
        }
        let commit = |known: &&Known| dep.rev.starts_with(&known.commit);
        if let Some(fetched) = self.known_version(root, commit) {
            return Ok(fetched);
        }
        for (release, home, deps) in self.carriers.iter().rev() {
            let same = deps.iter().filter(is_pin).any(|other| other.rev == dep.rev);
            if same && home.join(root).is_dir() {
                return self.fetch(workspace(root, release, &dep.rev, Match::Exact));
            }
        }
        for version in tags(&dep.comment) {
            if let Ok(fetched) = self.fetch(module(root, root, &version, None)) {
                return Ok(fetched);
            }
        }
        self.stand_in(root, &dep.rev, &dep.comment)
    }

    /// The source of a module that `go.mod` settles the version of. What the release tagged in its
    /// staging repositories before they had versions is known by that tag.
    fn choose_module(&self, root: &str, version: &str) -> Result<(Source, PathBuf)> {
        match self.fetch(module(root, root, version, None)) {
            Err(Error::Unavailable(words)) => modules::refusal(&words)?,
            fetched_or_failed => return fetched_or_failed,
        };
        let tag = format!("kubernetes-{}", self.release.trim_start_matches('v'));
        match self.known_version(root, |known| known.commit == tag) {
            Some(fetched) => Ok(fetched),
            None => self.stand_in(root, version, ""),
        }
    }

    /// The first of the versions known of a commit that can be had.
    fn known_version(
        &self,
        root: &str,
        is_wanted: impl Fn(&&Known) -> bool,
    ) -> Option<(Source, PathBuf)> {
        // What the list knows the proxy may still refuse.
        let of_root = self.known.iter().filter(|known| known.module == root);
        of_root
            .filter(is_wanted)
            .find_map(|known| self.fetch(module(root, root, &known.version, None)).ok())
    }

    /// What stands in for a repository in the recipe of the nearest release.
    fn stand_in(&self, root: &str, rev: &str, comment: &str) -> Result<(Source, PathBuf)> {
        let mut wanted = rev.to_owned();
        if !comment.is_empty() {
            wanted = format!("{wanted} ({comment})");
        }
        let stand_in = self
            .neighbours
            .iter()
            .find_map(|recipe| recipe.sources.iter().find(|source| source.path == root));
        let Some(stand_in) = stand_in else {
            return Err(Error::Failed(format!(
                "{}: no version of {root} is known for {wanted}\n\
                 hint: add one to go-ref/gopath/known-versions.txt",
                self.release
            )));
        };
        if let Some(release) = &stand_in.workspace {
            return self.fetch(workspace(root, release, rev, Match::Nearest));
        }
        let path = stand_in.module.as_deref().unwrap_or(root);
        let version = stand_in.version.as_deref().unwrap_or_default();
        self.fetch(module(root, path, version, Some(wanted)))
    }

    /// Downloads a source, notes its sum and tells where its files are.
    fn fetch(&self, mut source: Source) -> Result<(Source, PathBuf)> {
        let spec = source.download().unwrap_or_default();
        let modules = modules::download(self.sh, &[spec])?;
        let Some(fetched) = modules.into_iter().next() else {
            return Err(Error::Failed(format!(
                "{}: nothing was downloaded",
                source.path
            )));
        };
        let dir = match source.workspace {
            Some(_) => fetched.dir.join("Godeps/_workspace/src").join(&source.path),
            None => {
                source.sum = Some(fetched.sum);
                fetched.dir
            }
        };
        Ok((source, dir))
    }
}

/// A source that a release carries in its `Godeps/_workspace`.
fn workspace(root: &str, release: &str, wanted: &str, r#match: Match) -> Source {
    Source {
        path: root.to_owned(),
        module: None,
        version: None,
        sum: None,
        workspace: Some(release.to_owned()),
        wanted: Some(wanted.to_owned()),
        r#match,
    }
}

/// A source that is a module; what was wanted is told only of a stand-in.
fn module(root: &str, path: &str, version: &str, wanted: Option<String>) -> Source {
    Source {
        path: root.to_owned(),
        module: (path != root).then(|| path.to_owned()),
        version: Some(version.to_owned()),
        sum: None,
        workspace: None,
        r#match: if wanted.is_some() {
            Match::Nearest
        } else {
            Match::Exact
        },
        wanted,
    }
}

/// The versions that a description may be the tag of: none if it tells a distance from one
/// (`v1.2-79-g89ef8af`).
fn tags(comment: &str) -> Vec<String> {
    let bare = comment.strip_prefix('v').unwrap_or(comment);
    let is_tag = bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.contains('.')
        && !bare
            .rsplit('-')
            .next()
            .is_some_and(|end| end.len() > 6 && end.starts_with('g'));
    if !is_tag {
        return Vec::new();
    }
    let patch = if bare.matches('.').count() == 1 && !bare.contains('-') {
        ".0"
    } else {
        ""
    };
    vec![
        format!("v{bare}{patch}"),
        format!("v{bare}{patch}+incompatible"),
    ]
}

/// The versions a `go.mod` settles on. What it replaces by a directory is a staging repository,
/// published under the tag of the release with a zero for the one.
fn versions(go_mod: &str, release: &str) -> BTreeMap<String, String> {
    let staging = format!("v0{}", release.trim_start_matches("v1"));
    let mut versions = BTreeMap::new();
    let mut replaced = BTreeMap::new();
    for line in go_mod.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = line
            .split_whitespace()
            .filter(|w| !matches!(*w, "require" | "replace"))
            .collect();
        match words[..] {
            [module, "=>", directory] if directory.starts_with('.') => {
                replaced.insert(module.to_owned(), staging.clone());
            }
            [module, "=>", _, version] | [module, _, "=>", _, version] => {
                replaced.insert(module.to_owned(), version.to_owned());
            }
            [module, version] if version.starts_with('v') => {
                versions.insert(module.to_owned(), version.to_owned());
            }
            _ => {}
        }
    }
    versions.extend(replaced);
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_a_tag_or_tells_a_distance() {
        assert_eq!(tags("v0.9.0"), ["v0.9.0", "v0.9.0+incompatible"]);
        assert_eq!(tags("v1.2"), ["v1.2.0", "v1.2.0+incompatible"]);
        assert_eq!(
            tags("v2.4.0-rc.1"),
            ["v2.4.0-rc.1", "v2.4.0-rc.1+incompatible"]
        );
        assert_eq!(tags("v1.2-79-g89ef8af"), [""; 0]);
        assert_eq!(tags("release.r60-40-g69e2a90"), [""; 0]);
        assert_eq!(tags(""), [""; 0]);
    }

    #[test]
    fn a_go_mod_settles_on_what_it_replaces() {
        let go_mod = "module k8s.io/kubernetes\n\nrequire (\n\ta.b/c v1.0.0 // indirect\n\
            \tk8s.io/api v0.0.0\n)\n\nreplace (\n\ta.b/c => a.b/c v1.1.0\n\
            \tk8s.io/api => ./staging/src/k8s.io/api\n)\n";
        let expected = [("a.b/c", "v1.1.0"), ("k8s.io/api", "v0.15.12")]
            .map(|(module, version)| (module.to_owned(), version.to_owned()));
        assert_eq!(versions(go_mod, "v1.15.12"), BTreeMap::from(expected));
    }
}
