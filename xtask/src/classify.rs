//! `cargo xtask classify`: which releases consist, as far as a question goes, of the same code.
//!
//! For each release the sources are put together as for a reference, `go list -deps` tells the real
//! import closure, and `go-ref/classify` tells which declarations in it can influence each group of
//! questions, and digests them (its rule is written down there). What comes out per release lies
//! in `target/classes`; `golden/classes.jsonl` holds the digests, and `golden/changes.jsonl`
//! what is different between a release and the one before it in its minor.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xshell::{Shell, cmd};

use crate::classes::{self, Class, read_lines, write_lines};
use crate::error::{Error, Result};
use crate::flags::Classify as Flags;
use crate::golden::sha256_hex;
use crate::goref::pins::{Pin, Pins, go_minor};
use crate::goref::{Workshop, lock};
use crate::project_root;
use crate::release::Release;

/// What `go-ref/classify` prints.
#[derive(Deserialize)]
struct Closures {
    /// By group: one digest over all declarations.
    groups: BTreeMap<String, String>,
    /// By import path and name: digest, and the groups as bits.
    packages: BTreeMap<String, BTreeMap<String, (String, u64)>>,
}

/// A line of `golden/changes.jsonl`.
#[derive(Deserialize, Serialize)]
struct Change {
    release: String,
    /// The release that it is compared with.
    since: String,
    /// By import path: the declarations that are new, gone (`-Name`) or different.
    declarations: BTreeMap<String, Vec<String>>,
}

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let root = project_root();
    let sh = Shell::new()?;
    let pins = Pins::load(&root.join("go-ref"))?;
    let target = root.join("target/classes");
    sh.create_dir(&target)?;
    let tool = build_tool(&sh, &pins.go_ref, &target)?;
    let mut failures = Vec::new();
    for pin in pins.select(&flags.releases, flags.all)? {
        if let Err(error) = classify(&sh, &pins, &pin, &tool, flags.force) {
            eprintln!("{}: {error}", pin.release);
            failures.push(pin.release);
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(format!(
        "not classified: {}",
        failures.join(" ")
    )))
}

/// The classifier and what it works by.
struct Tool {
    program: PathBuf,
    roots: PathBuf,
    digest: String,
    target: PathBuf,
}

impl Tool {
    /// What the digests of a release depend on beside its own sources.
    fn rule(&self, pin: &Pin) -> String {
        let mut rule = sha256_hex(format!("{} {}", self.digest, pin.sources).as_bytes());
        rule.truncate(16);
        rule
    }

    fn output(&self, release: &str) -> PathBuf {
        self.target.join(format!("{release}.json"))
    }
}

fn build_tool(sh: &Shell, go_ref: &Path, target: &Path) -> Result<Tool> {
    let home = go_ref.join("classify");
    let mut files: Vec<PathBuf> = sh
        .read_dir(&home)?
        .into_iter()
        .filter(|path| {
            let name = path.to_string_lossy();
            path.is_file() && !name.ends_with("_test.go") && !name.ends_with(".md")
        })
        .collect();
    files.sort();
    let mut bytes = Vec::new();
    for file in &files {
        bytes.extend(fs::read(file).map_err(|e| Error::io(file, &e))?);
    }
    let program = target.join("classify");
    let _dir = sh.push_dir(&home);
    let built = cmd!(sh, "go build -o {program} .")
        .env("GOFLAGS", "")
        .env("GOWORK", "off")
        .quiet()
        .ignore_status()
        .output()?;
    if !built.status.success() {
        return Err(Error::Failed(format!(
            "go-ref/classify does not build:\n{}",
            String::from_utf8_lossy(&built.stderr)
        )));
    }
    Ok(Tool {
        program,
        roots: home.join("roots.json"),
        digest: sha256_hex(&bytes),
        target: target.to_path_buf(),
    })
}

fn classify(sh: &Shell, pins: &Pins, pin: &Pin, tool: &Tool, force: bool) -> Result<()> {
    let path = tool.output(&pin.release);
    let rule = tool.rule(pin);
    let recorded = classes::read()?
        .into_iter()
        .find(|class| class.release == pin.release);
    if !force && path.exists() && recorded.is_some_and(|class| class.rule == rule) {
        eprintln!("{}: up to date", pin.release);
        return Ok(());
    }
    let closures = ask(sh, pins, pin, tool)?;
    let packages = &closures.packages;
    let substituted = pin
        .substitutions
        .iter()
        .map(|s| s.module.as_str())
        .filter(|module| {
            let staging = *module == "k8s.io/* of the staging directory";
            staging || packages.keys().any(|path| is_of(path, module))
        })
        .map(str::to_owned)
        .collect();
    let class = Class {
        release: pin.release.clone(),
        toolchain: pin.toolchain.clone(),
        rule,
        substituted,
        like: None,
        closures: by_question(&closures.groups, tool)?,
    };
    let _lock = lock(&tool.target.join("lock"))?;
    record(pins, class, tool)?;
    let declarations: usize = packages.values().map(BTreeMap::len).sum();
    eprintln!("{}: {declarations} declarations", pin.release);
    Ok(())
}

/// Whether a package belongs to a module or a repository.
fn is_of(package: &str, module: &str) -> bool {
    package
        .strip_prefix(module)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Assembles the release's sources and has them classified.
fn ask(sh: &Shell, pins: &Pins, pin: &Pin, tool: &Tool) -> Result<Closures> {
    let workshop = Workshop::new(sh, pins, pin, &project_root().join("target/go-ref"))?;
    let listing = tool.target.join(format!("{}.packages", pin.release));
    sh.write_file(&listing, list(sh, &workshop, pin)?)?;
    let (program, roots, release) = (&tool.program, &tool.roots, &pin.release);
    let output = cmd!(
        sh,
        "{program} -packages {listing} -roots {roots} -release {release}"
    )
    .quiet()
    .ignore_status()
    .output()?;
    workshop.close(sh, false)?;
    sh.remove_path(&listing)?;
    if !output.status.success() {
        return Err(Error::Failed(format!(
            "{}: {}",
            pin.release,
            String::from_utf8_lossy(&output.stderr)
        )));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let closures = serde_json::from_str(&text)?;
    sh.write_file(tool.output(&pin.release), text)?;
    Ok(closures)
}

/// The packages that the reference consists of.
fn list(sh: &Shell, workshop: &Workshop, pin: &Pin) -> Result<Vec<u8>> {
    // `-deps` came with go1.11; `-json` with the fields that are wanted, which spares Go looking for
    // the others, with go1.18.
    const FIELDS: &str = "-json=ImportPath,Dir,GoFiles,SFiles,Standard,Imports,ImportMap";
    if pin.go_minor() >= 11 {
        let json = if pin.go_minor() >= 18 {
            FIELDS
        } else {
            "-json"
        };
        return answer(workshop.go(sh, &["list", "-deps", json, "."])?, pin);
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "PascalCase")]
    struct Main {
        deps: Vec<String>,
    }
    let mut text = answer(workshop.go(sh, &["list", "-json", "."])?, pin)?;
    let main: Main = serde_json::from_slice(&text)?;
    let mut args = vec!["list", "-e", "-json"];
    args.extend(
        main.deps
            .iter()
            .map(String::as_str)
            .filter(|dep| *dep != "C"),
    );
    text.extend(answer(workshop.go(sh, &args)?, pin)?);
    Ok(text)
}

fn answer(output: std::process::Output, pin: &Pin) -> Result<Vec<u8>> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(Error::Failed(format!(
        "{}: go list: {}",
        pin.release,
        String::from_utf8_lossy(&output.stderr)
    )))
}

/// Puts a release's line in place, and the lines about what changed before and after it.
fn record(pins: &Pins, class: Class, tool: &Tool) -> Result<()> {
    let mut classes = classes::read()?;
    classes.retain(|old| old.release != class.release);
    let name = class.release.clone();
    let release = Release::parse(&name)?;
    classes.push(class);
    classes.sort_by_cached_key(|class| Release::parse(&class.release).ok());
    classes::write(&classes)?;

    let mut changes: Vec<Change> = read_lines(&changes_path())?;
    let minor: Vec<&Class> = classes
        .iter()
        .filter(|class| Release::parse(&class.release).is_ok_and(|r| r.minor == release.minor))
        .collect();
    for pair in minor.windows(2) {
        let [before, after] = pair else { continue };
        let touched = [&before.release, &after.release].contains(&&name);
        if !touched || before.rule != after.rule {
            continue;
        }
        // What is not at hand cannot be compared: what was found out before stays.
        let (Some(old), Some(new)) = (closures_of(before, tool)?, closures_of(after, tool)?) else {
            continue;
        };
        changes.retain(|change| change.release != after.release);
        changes.extend(change((before, &old), (after, &new)));
    }
    let known: BTreeSet<&str> = pins.rows.iter().map(|row| row.release.as_str()).collect();
    changes.retain(|change| known.contains(change.release.as_str()));
    changes.sort_by_cached_key(|change| Release::parse(&change.release).ok());
    write_lines(&changes_path(), &changes)
}

/// The declarations of a release that was classified, if they are at hand.
fn closures_of(class: &Class, tool: &Tool) -> Result<Option<Closures>> {
    let path = tool.output(&class.release);
    if !path.exists() {
        eprintln!(
            "{}: not at hand; cargo xtask classify {0} --force brings it",
            class.release
        );
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
    Ok(Some(serde_json::from_str(&text)?))
}

/// What is different between two releases, if anything is.
fn change((before, old): (&Class, &Closures), (after, new): (&Class, &Closures)) -> Option<Change> {
    let nothing = BTreeMap::new();
    let mut declarations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let paths: BTreeSet<&String> = old.packages.keys().chain(new.packages.keys()).collect();
    for path in paths {
        let (old, new) = (
            old.packages.get(path).unwrap_or(&nothing),
            new.packages.get(path).unwrap_or(&nothing),
        );
        let mut names = Vec::new();
        for (name, (digest, _)) in new {
            if old.get(name).is_none_or(|(before, _)| before != digest) {
                names.push(name.clone());
            }
        }
        names.extend(
            old.keys()
                .filter(|name| !new.contains_key(*name))
                .map(|name| format!("-{name}")),
        );
        if !names.is_empty() {
            names.sort();
            declarations.insert(path.clone(), names);
        }
    }
    let same_go = go_minor(&before.toolchain) == go_minor(&after.toolchain);
    (!declarations.is_empty() || !same_go).then(|| Change {
        release: after.release.clone(),
        since: before.release.clone(),
        declarations,
    })
}

/// The digests of groups, by the questions that each group stands for.
fn by_question(groups: &BTreeMap<String, String>, tool: &Tool) -> Result<BTreeMap<String, String>> {
    #[derive(Deserialize)]
    struct Group {
        questions: Vec<String>,
    }
    let text = fs::read_to_string(&tool.roots).map_err(|e| Error::io(&tool.roots, &e))?;
    let roots: BTreeMap<String, Group> = serde_json::from_str(&text)?;
    let mut closures = BTreeMap::new();
    for (group, digest) in groups {
        let of_group = roots.get(group).map(|group| group.questions.as_slice());
        for question in of_group.unwrap_or_default() {
            closures.insert(question.clone(), digest.clone());
        }
    }
    Ok(closures)
}

fn changes_path() -> PathBuf {
    project_root().join("golden/changes.jsonl")
}
