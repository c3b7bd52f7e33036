//! References: the real functions of one release, built by the toolchain it was shipped with.
//!
//! In: a pin and the Go sources in `go-ref/`. Out: a [`Reference`], a binary under
//! `target/go-ref/<release>/` that answers conformance requests. How the sources of Kubernetes get
//! beside ours differs by age and lives in [`module`] and [`gopath`]; everything after that is the
//! same.

pub(crate) mod gopath;
pub(crate) mod imports;
pub(crate) mod module;
pub(crate) mod modules;
pub(crate) mod pins;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use xshell::{Cmd, Shell, cmd};

use crate::error::{Error, Result};
use crate::release::Release;
use pins::{Mode, Pin, Pins};

/// A directory in which `go build .` makes a reference.
pub(crate) struct Assembled {
    /// Where the reference's sources lie.
    pub(crate) dir: PathBuf,
    /// What Go must be told on top of what [`go_env`] says.
    pub(crate) env: Vec<(String, String)>,
    /// Whether the toolchain knows `-trimpath` for whole builds (go1.13 and later).
    pub(crate) trimpath: bool,
    /// The sum of the release's module, as a `go.sum` tells it.
    pub(crate) go_sum: String,
}

/// A built reference.
pub(crate) struct Reference {
    binary: PathBuf,
    /// What was recorded when it was built.
    pub(crate) stamp: Stamp,
}

/// Lies beside a binary and says what it was made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stamp {
    /// [`Pin::digest`].
    digest: String,
    /// The sum of the release's module, as `go.sum` tells it.
    pub(crate) go_sum: String,
}

/// What a build is made for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speed {
    /// No inlining, no optimisation, no debug information: a third less work for the compiler, and
    /// nothing that Go's semantics would notice.
    OfBuilding,
    /// As Kubernetes itself is built; for measurements.
    OfRunning,
}

impl Reference {
    /// Where the program lies.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Builds the reference of a release, or takes the one that is there if nothing it was made of
    /// has changed.
    pub(crate) fn build(
        sh: &Shell,
        pins: &Pins,
        pin: &Pin,
        target: &Path,
        speed: Speed,
        keep: bool,
    ) -> Result<Self> {
        let home = target.join(match speed {
            Speed::OfBuilding => pin.release.clone(),
            Speed::OfRunning => format!("{}-optimised", pin.release),
        });
        let binary = home.join("reference");
        let stamp_path = home.join("stamp.json");
        if let Ok(text) = sh.read_file(&stamp_path)
            && let Ok(stamp) = serde_json::from_str::<Stamp>(&text)
            && stamp.digest == pin.digest
            && binary.exists()
        {
            return Ok(Reference { binary, stamp });
        }

        let started = Instant::now();
        eprintln!(
            "{}: building the reference with {} …",
            pin.release, pin.toolchain
        );
        sh.remove_path(&home)?;
        sh.create_dir(&home)?;
        let workshop = Workshop::new(sh, pins, pin, target)?;
        let trimpath = workshop.assembled.trimpath.then_some("-trimpath");
        // Patterns such as `all=` came with go1.10.
        let quick = speed == Speed::OfBuilding && pin.go_minor() >= 10;
        let gcflags = quick.then_some("-gcflags=all=-l -N -dwarf=false");
        let output = workshop.go(
            sh,
            &["build"]
                .into_iter()
                .chain(trimpath)
                .chain(gcflags)
                .chain(["-ldflags=-s -w", "-o", &binary.to_string_lossy(), "."])
                .collect::<Vec<_>>(),
        )?;
        if !output.status.success() {
            return Err(build_failure(pin, &String::from_utf8_lossy(&output.stderr)));
        }
        let stamp = Stamp {
            digest: pin.digest.clone(),
            go_sum: workshop.assembled.go_sum.clone(),
        };
        workshop.close(sh, keep)?;
        sh.write_file(&stamp_path, serde_json::to_string(&stamp)?)?;
        eprintln!(
            "{}: built in {} s",
            pin.release,
            started.elapsed().as_secs()
        );
        Ok(Reference { binary, stamp })
    }

    /// Asks all requests, a line each, and returns the answers, a line each in the same order.
    pub(crate) fn ask(&self, sh: &Shell, requests: &str) -> Result<Vec<String>> {
        let binary = &self.binary;
        // The local time zone is part of a dumped metav1.Time.
        let output = cmd!(sh, "{binary}")
            .env("TZ", "UTC")
            .stdin(requests)
            .quiet()
            .ignore_status()
            .output()?;
        if !output.status.success() {
            let words = String::from_utf8_lossy(&output.stderr);
            let end: Vec<&str> = words.lines().take(40).collect();
            return Err(Error::Failed(format!(
                "{}: {}\n{}",
                binary.display(),
                output.status,
                end.join("\n")
            )));
        }
        let text = String::from_utf8(output.stdout).map_err(|e| {
            Error::Failed(format!("{}: an answer is not UTF-8: {e}", binary.display()))
        })?;
        let answers: Vec<String> = text.lines().map(str::to_owned).collect();
        let asked = requests.lines().count();
        if answers.len() != asked {
            return Err(Error::Failed(format!(
                "{}: {asked} requests, {} answers",
                binary.display(),
                answers.len()
            )));
        }
        Ok(answers)
    }
}

/// A directory with the sources of a reference and everything they import, and the toolchain to
/// work on it. One at a time per minor.
pub(crate) struct Workshop {
    go: PathBuf,
    workdir: PathBuf,
    pub(crate) assembled: Assembled,
    _lock: File,
}

impl Workshop {
    /// Fetches and assembles.
    pub(crate) fn new(sh: &Shell, pins: &Pins, pin: &Pin, target: &Path) -> Result<Self> {
        let go = toolchain(sh, &pin.toolchain)?;
        // Without modules, where a package lies is part of what a compiler's cache knows it by:
        // releases of a minor share a place, and with it what they have in common.
        let minor = Release::parse(&pin.release)?.minor_name();
        let workdir = target.join("src").join(&minor);
        sh.create_dir(target.join("src"))?;
        let lock = lock(&target.join("src").join(format!("{minor}.lock")))?;
        sh.remove_path(&workdir)?;
        sh.create_dir(&workdir)?;
        for file in pins::core_files(&pins.go_ref)? {
            sh.copy_file(file, &workdir)?;
        }
        for shim in &pin.shims {
            sh.copy_file(pins.go_ref.join("shims").join(shim), &workdir)?;
        }
        sh.write_file(
            workdir.join("release.go"),
            format!("package main\n\nconst releaseName = \"{}\"\n", pin.release),
        )?;
        let assembled = match pin.mode {
            Mode::Module => module::assemble(sh, pin, &workdir)?,
            Mode::Gopath => gopath::assemble(sh, &pins.go_ref, pin, &workdir)?,
        };
        Ok(Workshop {
            go,
            workdir,
            assembled,
            _lock: lock,
        })
    }

    /// Runs the toolchain's `go` where the reference's sources lie.
    pub(crate) fn go(&self, sh: &Shell, args: &[&str]) -> Result<std::process::Output> {
        let go = &self.go;
        let mut command = cmd!(sh, "{go} {args...}");
        for (key, value) in go_env().iter().chain(&self.assembled.env) {
            command = command.env(key, value);
        }
        if let Some(goroot) = go.ancestors().nth(2) {
            command = command.env("GOROOT", goroot); // old toolchains do not find it by themselves
        }
        let _dir = sh.push_dir(&self.assembled.dir);
        Ok(command.quiet().ignore_status().output()?)
    }

    /// Removes the directory, unless it is to be looked at.
    pub(crate) fn close(self, sh: &Shell, keep: bool) -> Result<()> {
        if !keep {
            sh.remove_path(&self.workdir)?;
        }
        Ok(())
    }
}

/// A lock that is held until what it returns is dropped; it names whom it waits for.
pub(crate) fn lock(path: &Path) -> Result<File> {
    let failed = |e: std::io::Error| Error::io(path, &e);
    let file = File::create(path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(file)
}

/// The environment of every build, whatever the caller's own says.
fn go_env() -> Vec<(String, String)> {
    [
        ("GOTOOLCHAIN", "local"),
        ("CGO_ENABLED", "0"),
        ("GOOS", "linux"),
        ("GOARCH", "amd64"),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()))
    .to_vec()
}

/// The `go` program of a toolchain, fetched as a module if need be.
pub(crate) fn toolchain(sh: &Shell, version: &str) -> Result<PathBuf> {
    let ask = cmd!(sh, "go env GOROOT")
        .env("GOTOOLCHAIN", version)
        .env("GOFLAGS", "")
        .env("GOWORK", "off");
    let root = answer(ask).map_err(|why| unavailable(&format!("the toolchain {version}"), &why))?;
    let go = Path::new(root.trim()).join("bin/go");
    if go.exists() {
        Ok(go)
    } else {
        Err(unavailable(
            &format!("the toolchain {version}"),
            &format!("{} is missing", go.display()),
        ))
    }
}

/// What a command prints, or why it does not.
fn answer(command: Cmd<'_>) -> std::result::Result<String, String> {
    let output = command
        .quiet()
        .ignore_status()
        .output()
        .map_err(|e| e.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        // `go mod download -json` complains on stdout.
        let words = [output.stderr, output.stdout].concat();
        Err(String::from_utf8_lossy(&words).trim().to_owned())
    }
}

fn unavailable(what: &str, why: &str) -> Error {
    Error::Unavailable(format!(
        "{what} is not available: {why}\n\
         hint: references need Go 1.21 or newer on PATH and a module proxy (`go env GOPROXY`)"
    ))
}

/// Tells a proxy that is out of reach from a build that is wrong.
fn build_failure(pin: &Pin, stderr: &str) -> Error {
    const PROXY: &[&str] = &[
        "403 Forbidden",
        "404 Not Found",
        "410 Gone",
        "dial tcp",
        "no such host",
        "i/o timeout",
    ];
    let words: Vec<&str> = stderr
        .lines()
        .filter(|line| !line.starts_with("go: downloading"))
        .collect();
    let words = words.join("\n");
    if PROXY.iter().any(|sign| words.contains(sign)) {
        unavailable(&format!("a module of {}", pin.release), &words)
    } else {
        Error::Failed(format!(
            "{}: the reference does not build:\n{words}",
            pin.release
        ))
    }
}
