//! Assembly in module mode: a main module that requires `k8s.io/kubernetes` at the release and
//! pins everything else as the release itself pins it.
//!
//! The release's own `go.mod` and `go.sum` are taken over, so that every third-party module is the
//! one the release was built with. Only the `replace` lines are rewritten: inside the release they
//! lead to its staging directory, which its module does not contain; the staging modules are
//! published under a tag of their own (`v0.30.14` for `v1.30.14`).
//!
//! The release and its staging modules are required at no version and replaced by directories. So a
//! compiler's cache knows their packages by path and content alone, and the next patch release
//! compiles only what it changed. For the release itself the directory is the one in the module
//! cache; a staging module requires others at their tags, so its directory is one of ours, with links
//! to what is in the cache and a `go.mod` of its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use xshell::Shell;

use super::modules::Module;
use super::pins::Pin;
use super::{Assembled, modules};
use crate::error::{Error, Result};

/// Staging modules no reference imports; the proxy lacks many of their tags.
const EMPTY: &[&str] = &[
    "k8s.io/code-generator",
    "k8s.io/sample-apiserver",
    "k8s.io/sample-cli-plugin",
    "k8s.io/sample-controller",
];

/// Writes `go.mod` and `go.sum` into `workdir`; the caller has put the sources there.
pub(crate) fn assemble(sh: &Shell, pin: &Pin, workdir: &Path) -> Result<Assembled> {
    let kubernetes = format!("k8s.io/kubernetes@{}", pin.release);
    let downloaded = modules::download(sh, std::slice::from_ref(&kubernetes))?;
    let Some(release) = downloaded.into_iter().next() else {
        return Err(Error::Failed(format!(
            "{kubernetes}: nothing was downloaded"
        )));
    };
    let read = |name: &str| {
        let path = release.dir.join(name);
        fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))
    };
    let original = read("go.mod")?;
    let mut places = BTreeMap::from([("k8s.io/kubernetes".to_owned(), release.dir.clone())]);
    let mut specs = Vec::new();
    for module in staging_modules(&original) {
        match version_of(pin, module) {
            Some(version) => specs.push(format!("{module}@{version}")),
            None => {
                places.insert(module.to_owned(), empty_module(sh, workdir, module)?);
            }
        }
    }
    let staging: Vec<&str> = staging_modules(&original).collect();
    for module in modules::download(sh, &specs)? {
        let dir = unversioned_module(sh, workdir, &module, &staging)?;
        places.insert(module.path, dir);
    }
    for module in empty_modules(pin) {
        places.insert(module.to_owned(), empty_module(sh, workdir, module)?);
    }
    sh.write_file(workdir.join("go.mod"), go_mod(&original, &places))?;
    sh.write_file(workdir.join("go.sum"), read("go.sum")?)?;

    let mut flags = Vec::new();
    if pin.go_minor() >= 14 {
        flags.push("-mod=mod"); // the only way there was before
    }
    if pin.go_minor() >= 18 {
        // The work directory lies inside this repository, whose state is nobody's business here.
        flags.push("-buildvcs=false");
    }
    Ok(Assembled {
        dir: workdir.to_path_buf(),
        env: vec![
            ("GO111MODULE".to_owned(), "on".to_owned()),
            ("GOFLAGS".to_owned(), flags.join(" ")),
            ("GOWORK".to_owned(), "off".to_owned()),
            ("GOENV".to_owned(), "off".to_owned()),
            // The checksum database lacks some old tags. What the release itself uses is in its
            // go.sum; the sum of the release is in our manifest.
            ("GONOSUMDB".to_owned(), "*".to_owned()),
        ],
        trimpath: true,
        go_sum: release.sum,
    })
}

/// Makes a module without a package, and tells where.
fn empty_module(sh: &Shell, workdir: &Path, module: &str) -> Result<PathBuf> {
    let dir = workdir.join("empty").join(module.replace('/', "_"));
    sh.create_dir(&dir)?;
    sh.write_file(dir.join("go.mod"), format!("module {module}\n"))?;
    Ok(dir)
}

/// Makes a module of what `module` consists of, but with a `go.mod` that requires the `staging`
/// modules at no version, and tells where.
fn unversioned_module(
    sh: &Shell,
    workdir: &Path,
    module: &Module,
    staging: &[&str],
) -> Result<PathBuf> {
    let dir = workdir.join("staging").join(module.path.replace('/', "_"));
    sh.create_dir(&dir)?;
    for entry in sh.read_dir(&module.dir)? {
        let Some(name) = entry.file_name() else {
            continue;
        };
        if name == "go.mod" {
            let text = without_versions(&sh.read_file(&entry)?, staging);
            sh.write_file(dir.join(name), text)?;
        } else {
            let link = dir.join(name);
            symlink(&entry, &link).map_err(|e| Error::io(&link, &e))?;
        }
    }
    Ok(dir)
}

/// A `go.mod` in which the versions of `modules` are none.
fn without_versions(go_mod: &str, modules: &[&str]) -> String {
    let mut out = String::new();
    for line in go_mod.lines() {
        let mut words = line.trim_start().trim_start_matches("require ").split(' ');
        match (words.next(), words.next()) {
            (Some(module), Some(version)) if modules.contains(&module) && version != "=>" => {
                out.push_str(&line.replace(version, "v0.0.0"));
            }
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// The modules that a release keeps in its staging directory.
pub(crate) fn staging_modules(go_mod: &str) -> impl Iterator<Item = &str> {
    replacements(go_mod)
        .filter(|(_, target)| target.starts_with("./staging/"))
        .map(|(module, _)| module)
}

/// Whether an empty module always stands in for this one.
pub(crate) fn empty_by_default(module: &str) -> bool {
    EMPTY.contains(&module)
}

/// The version a staging module is taken at; none if an empty one stands in.
fn version_of<'a>(pin: &'a Pin, module: &str) -> Option<&'a str> {
    if empty_by_default(module) {
        return None;
    }
    let substituted = pin.substitutions.iter().find(|s| s.module == module);
    let version = substituted.map_or(&pin.staging, |s| &s.got);
    (version != "empty").then_some(version)
}

/// Modules other than staging ones that an empty one stands in for.
fn empty_modules(pin: &Pin) -> impl Iterator<Item = &str> {
    let substituted = pin.substitutions.iter().filter(|s| s.got == "empty");
    substituted.map(|s| s.module.as_str())
}

/// What the `replace` lines of a `go.mod` say: module, and what stands right of the arrow.
fn replacements(go_mod: &str) -> impl Iterator<Item = (&str, &str)> {
    go_mod.lines().filter_map(|line| {
        let (left, right) = line.split_once("=>")?;
        let module = left.split_whitespace().find(|word| *word != "replace")?;
        Some((module, right.trim()))
    })
}

/// The release's `go.mod` with `places`, directories by module, in place of its own replacements.
fn go_mod(original: &str, places: &BTreeMap<String, PathBuf>) -> String {
    let mut out = String::new();
    for line in original.lines() {
        if line.starts_with("module ") {
            out.push_str("module kubehash.invalid/reference\n");
            continue;
        }
        let replaced = replacements(line).next();
        if replaced.is_none_or(|(module, _)| !places.contains_key(module)) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.push_str("require k8s.io/kubernetes v0.0.0\n");
    for (module, dir) in places {
        let _ = writeln!(out, "replace {module} => {}", dir.display());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_staging_module_requires_the_others_at_no_version() {
        let text = "module k8s.io/client-go\n\nrequire k8s.io/api v0.30.14\n\nrequire (\n\
            \ta.b/c v1.0.0\n\tk8s.io/apimachinery v0.30.14 // indirect\n)\n\n\
            replace k8s.io/api => k8s.io/api v0.30.14\n";
        let expected = "module k8s.io/client-go\n\nrequire k8s.io/api v0.0.0\n\nrequire (\n\
            \ta.b/c v1.0.0\n\tk8s.io/apimachinery v0.0.0 // indirect\n)\n\n\
            replace k8s.io/api => k8s.io/api v0.30.14\n";
        let staging = ["k8s.io/api", "k8s.io/apimachinery"];
        assert_eq!(without_versions(text, &staging), expected);
    }

    #[test]
    fn staging_directories_become_places_and_everything_else_stays() {
        let original = "module k8s.io/kubernetes\n\ngo 1.13\n\nrequire (\n\ta.b/c v1.0.0\n)\n\n\
            replace (\n\ta.b/c => a.b/c v1.0.0\n\tk8s.io/api => ./staging/src/k8s.io/api\n\
            \tk8s.io/kubernetes => ../kubernetes\n\
            \tk8s.io/metrics => ./staging/src/k8s.io/metrics\n)\n";
        let staging: Vec<&str> = staging_modules(original).collect();
        assert_eq!(staging, ["k8s.io/api", "k8s.io/metrics"]);
        let places = [
            "k8s.io/api",
            "k8s.io/kubernetes",
            "k8s.io/metrics",
            "vbom.ml/util",
        ]
        .map(|module| (module.to_owned(), Path::new("/cache").join(module)));
        let expected = "module kubehash.invalid/reference\n\ngo 1.13\n\nrequire (\n\
            \ta.b/c v1.0.0\n)\n\nreplace (\n\ta.b/c => a.b/c v1.0.0\n)\n\
            require k8s.io/kubernetes v0.0.0\n\
            replace k8s.io/api => /cache/k8s.io/api\n\
            replace k8s.io/kubernetes => /cache/k8s.io/kubernetes\n\
            replace k8s.io/metrics => /cache/k8s.io/metrics\n\
            replace vbom.ml/util => /cache/vbom.ml/util\n";
        assert_eq!(go_mod(original, &BTreeMap::from(places)), expected);
    }
}
