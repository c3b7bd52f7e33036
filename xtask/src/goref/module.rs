//! Assembly in module mode: a main module that requires `k8s.io/kubernetes` at the release and
//! pins everything else as the release itself pins it.
//!
//! The release's own `go.mod` and `go.sum` are taken over, so that every third-party module is the
//! one the release was built with. Only the `replace` lines are rewritten: inside the release they
//! lead to its staging directory, which its module does not contain; the staging modules are
//! published under a tag of their own (`v0.30.14` for `v1.30.14`).

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use xshell::{Shell, cmd};

use super::pins::Pin;
use super::{Assembled, answer, unavailable};
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
    let staging = pin.staging.as_deref().ok_or_else(|| {
        Error::Failed(format!(
            "{}: go-ref/releases.json has no staging tag",
            pin.release
        ))
    })?;
    let release = &pin.release;
    let download = cmd!(sh, "go mod download -json k8s.io/kubernetes@{release}")
        .env("GOFLAGS", "-mod=mod")
        .env("GO111MODULE", "on")
        .env("GOWORK", "off")
        .env("GONOSUMDB", "*");
    let downloaded = answer(download)
        .map_err(|why| unavailable(&format!("k8s.io/kubernetes {release}"), &why))?;
    let kubernetes = Path::new(&json_string(&downloaded, "Dir")?).to_path_buf();

    let read = |name: &str| {
        let path = kubernetes.join(name);
        fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))
    };
    let go_mod = go_mod(&read("go.mod")?, pin, staging);
    for module in empty_modules(pin) {
        let dir = workdir.join(empty_dir(module));
        sh.create_dir(&dir)?;
        sh.write_file(dir.join("go.mod"), format!("module {module}\n"))?;
    }
    sh.write_file(workdir.join("go.mod"), go_mod)?;
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
    })
}

/// The line of `go.sum` that stands for the whole release, once the build has written it.
pub(crate) fn go_sum(workdir: &Path, release: &str) -> Result<String> {
    let path = workdir.join("go.sum");
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    let prefix = format!("k8s.io/kubernetes {release} ");
    text.lines()
        .find_map(|line| line.strip_prefix(&prefix))
        .map(str::to_owned)
        .ok_or_else(|| Error::Failed(format!("{}: no sum of {release}", path.display())))
}

fn empty_modules(pin: &Pin) -> impl Iterator<Item = &str> {
    let substituted = pin
        .substitutions
        .iter()
        .filter(|s| s.got == "empty")
        .map(|s| s.module.as_str());
    EMPTY.iter().copied().chain(substituted)
}

fn empty_dir(module: &str) -> String {
    format!("empty/{}", module.replace('/', "_"))
}

/// The release's `go.mod` with the replacements rewritten.
fn go_mod(original: &str, pin: &Pin, staging: &str) -> String {
    let mut out = String::new();
    let mut replaced: Vec<&str> = Vec::new();
    for line in original.lines() {
        if line.starts_with("module ") {
            out.push_str("module kubehash.invalid/reference\n");
            continue;
        }
        let Some((left, right)) = line.split_once("=>") else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let keyword = if left.trim_start().starts_with("replace ") {
            "replace "
        } else {
            "\t"
        };
        let module = left
            .split_whitespace()
            .find(|word| *word != "replace")
            .unwrap_or_default();
        if module == "k8s.io/kubernetes" {
            continue; // some releases replace themselves by themselves
        }
        replaced.push(module);
        let target = if empty_modules(pin).any(|empty| empty == module) {
            format!("./{}", empty_dir(module))
        } else if right.trim_start().starts_with("./staging/") {
            let tag = pin
                .substitutions
                .iter()
                .find(|s| s.module == module)
                .map_or(staging, |s| s.got.as_str());
            format!("{module} {tag}")
        } else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let _ = writeln!(out, "{keyword}{module} => {target}");
    }
    for module in empty_modules(pin).filter(|module| !replaced.contains(module)) {
        if !EMPTY.contains(&module) {
            let _ = writeln!(out, "replace {module} => ./{}", empty_dir(module));
        }
    }
    let _ = writeln!(out, "require k8s.io/kubernetes {}", pin.release);
    out
}

fn json_string(text: &str, key: &str) -> Result<String> {
    let value: serde_json::Value = serde_json::from_str(text)?;
    value[key]
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| Error::Failed(format!("go mod download said nothing of {key}: {text}")))
}

#[cfg(test)]
mod tests {
    use super::super::pins::{Mode, Substitution};
    use super::*;

    fn pin() -> Pin {
        Pin {
            release: "v1.18.20".to_owned(),
            obtainable: true,
            toolchain: "go1.13.15".to_owned(),
            mode: Mode::Module,
            staging: Some("v0.18.19".to_owned()),
            shims: Vec::new(),
            substitutions: vec![
                Substitution {
                    module: "k8s.io/metrics".to_owned(),
                    wanted: "v0.18.19".to_owned(),
                    got: "v0.18.18".to_owned(),
                },
                Substitution {
                    module: "vbom.ml/util".to_owned(),
                    wanted: "v0.1.0".to_owned(),
                    got: "empty".to_owned(),
                },
            ],
            random: None,
            digest: String::new(),
        }
    }

    #[test]
    fn staging_directories_become_tags_and_everything_else_stays() {
        let original = "module k8s.io/kubernetes\n\ngo 1.13\n\nrequire (\n\ta.b/c v1.0.0\n)\n\n\
            replace (\n\ta.b/c => a.b/c v1.0.0\n\tk8s.io/api => ./staging/src/k8s.io/api\n\
            \tk8s.io/kubernetes => ../kubernetes\n\
            \tk8s.io/metrics => ./staging/src/k8s.io/metrics\n\
            \tk8s.io/sample-controller => ./staging/src/k8s.io/sample-controller\n)\n";
        let expected = "module kubehash.invalid/reference\n\ngo 1.13\n\nrequire (\n\ta.b/c v1.0.0\n)\n\n\
            replace (\n\ta.b/c => a.b/c v1.0.0\n\tk8s.io/api => k8s.io/api v0.18.19\n\
            \tk8s.io/metrics => k8s.io/metrics v0.18.18\n\
            \tk8s.io/sample-controller => ./empty/k8s.io_sample-controller\n)\n\
            replace vbom.ml/util => ./empty/vbom.ml_util\n\
            require k8s.io/kubernetes v1.18.20\n";
        assert_eq!(go_mod(original, &pin(), "v0.18.19"), expected);
    }
}
