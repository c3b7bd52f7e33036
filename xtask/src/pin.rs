//! `cargo xtask pin`: writes what is known of a release into `go-ref/releases.jsonl`.
//!
//! It asks the module proxy for the release, reads which toolchain the release was shipped with, and
//! finds out what else cannot be had: then the nearest that can stands in, and the line says so.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use xshell::Shell;

use crate::catalogue;
use crate::error::{Error, Result};
use crate::flags::Pin as Flags;
use crate::gopath_recipe;
use crate::goref::module::{empty_by_default, staging_modules};
use crate::goref::modules::{self, Module};
use crate::goref::pins::{Mode, Pins, Row, Substitution, substitution};
use crate::goref::{self, gopath};
use crate::project_root;
use crate::release::Release;
use crate::toolchain::Toolchain;

/// How many releases are asked for at once: it is the network that takes the time.
const AT_ONCE: usize = 3;

/// Modules that no proxy has and nothing that a reference runs imports.
const NOWHERE: &[&str] = &["vbom.ml/util"];

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let root = project_root();
    let go_ref = root.join("go-ref");
    let pins = Pins::load(&go_ref)?;
    let mut wanted = Vec::new();
    for name in &flags.releases {
        wanted.push(Release::parse(name)?);
    }
    if flags.all {
        let pinned = pins.order();
        let missing = |release: &Release| !pinned.contains(&release.to_string());
        wanted.extend(catalogue::known(&root)?.into_iter().filter(missing));
    }
    if wanted.is_empty() && !flags.all {
        return Err(Error::Failed(
            "name a release, such as v1.30.14, or say --all".to_owned(),
        ));
    }
    let queue = Mutex::new(VecDeque::from(wanted));
    let pins = Mutex::new(pins);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(release) = hold(&queue).pop_front() {
                    if let Err(error) = pin(release, &pins) {
                        eprintln!("{release}: {error}");
                        hold(&failures).push(release.to_string());
                    }
                }
            });
        }
    });
    let failures = hold(&failures);
    if failures.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(format!("not pinned: {}", failures.join(" "))))
}

fn hold<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pin(release: Release, pins: &Mutex<Pins>) -> Result<()> {
    let sh = Shell::new()?;
    let row = row(&sh, release, pins)?;
    let mut pins = hold(pins);
    let before = pins.rows.iter().find(|old| old.release == row.release);
    let row = Row {
        random: before.and_then(|old| old.random.clone()),
        before: before.is_some_and(|old| old.before),
        ..row
    };
    eprintln!("{}", serde_json::to_string(&row)?);
    pins.record(row)
}

/// Finds everything out.
fn row(sh: &Shell, release: Release, pins: &Mutex<Pins>) -> Result<Row> {
    let name = release.to_string();
    let way = hold(pins).way(release)?.clone();
    if way.refused.is_some() {
        return Ok(Row {
            release: name,
            refused: way.refused,
            ..Row::default()
        });
    }
    let spec = format!("k8s.io/kubernetes@{name}");
    let kubernetes = match fetch(sh, &[spec])?.pop() {
        Some(Module {
            error: None, dir, ..
        }) => dir,
        Some(Module {
            error: Some(why), ..
        }) => {
            return Ok(Row {
                release: name,
                refused: Some(modules::refusal(&why)?),
                ..Row::default()
            });
        }
        None => return Err(Error::Failed(format!("{name}: Go said nothing"))),
    };
    let shipped = shipped_toolchain(&kubernetes)?;
    let toolchain = nearest_toolchain(sh, &shipped)?;
    let mut row = Row {
        release: name.clone(),
        shipped: (toolchain != shipped).then_some(shipped),
        toolchain: Some(toolchain),
        ..Row::default()
    };
    match way.mode {
        Mode::Module => {
            let path = kubernetes.join("go.mod");
            let go_mod = fs::read_to_string(&path).map_err(|e| Error::io(&path, &e))?;
            let found = stand_ins(sh, release, &go_mod)?;
            (row.staging, row.substitutions) = common_tag(found, &go_mod);
        }
        Mode::Gopath => row.recipe = Some(recipe(sh, row.clone(), pins)?),
    }
    Ok(row)
}

fn fetch(sh: &Shell, specs: &[String]) -> Result<Vec<Module>> {
    let (modules, words) = modules::try_download(sh, specs)?;
    if modules.len() == specs.len() {
        Ok(modules)
    } else {
        Err(Error::Unavailable(words))
    }
}

/// Where releases keep what they are built with; 1.5.0 and 1.5.1 had another name for it.
const BUILD_DIRS: [&str; 2] = ["build", "build-tools"];

/// The toolchain that a release's build image holds.
fn shipped_toolchain(kubernetes: &Path) -> Result<String> {
    let read = |place: &str| fs::read_to_string(kubernetes.join(place)).unwrap_or_default();
    let mut told = vec![read(".go-version")];
    for dir in BUILD_DIRS {
        let cross = format!("{dir}/build-image/cross");
        // `v1.12.12-1`, and later `v1.25.0-go1.18.5-bullseye.0`
        let version = read(&format!("{cross}/VERSION"));
        let image = version.trim().strip_prefix('v').unwrap_or_default();
        let go = image.split_once("-go").map_or(image, |(_, go)| go);
        told.push(go.split('-').next().unwrap_or_default().to_owned());
        let dockerfile = read(&format!("{cross}/Dockerfile"));
        let from = dockerfile
            .lines()
            .find_map(|line| line.strip_prefix("FROM")?.trim().strip_prefix("golang:"));
        told.push(from.unwrap_or_default().to_owned());
    }
    let mut versions = told.iter().map(|text| text.trim());
    if let Some(version) = versions.find(|text| text.starts_with("1.")) {
        return Ok(format!("go{version}"));
    }
    Err(Error::Failed(format!(
        "{}: no file tells the toolchain",
        kubernetes.display()
    )))
}

/// The toolchain itself, or the nearest of its minor that can be had, an older one before a newer.
fn nearest_toolchain(sh: &Shell, shipped: &str) -> Result<String> {
    const FAR: u16 = 20;
    let Some(toolchain) = Toolchain::parse(shipped) else {
        return Err(Error::Failed(format!("{shipped}: not a toolchain")));
    };
    let (minor, patch) = (toolchain.minor(), toolchain.patch());
    // The first release of a minor has a zero in its name from go1.21 on.
    let name = |patch: u16| match patch {
        0 if minor < 21 => format!("go1.{minor}"),
        patch => format!("go1.{minor}.{patch}"),
    };
    let around = (1..FAR).flat_map(|far| [patch.checked_sub(far), Some(patch + far)]);
    for candidate in std::iter::once(patch).chain(around.flatten()).map(name) {
        // Asking for its description is not enough: the proxy may refuse either without the other.
        match goref::toolchain(sh, &candidate) {
            Ok(_) => return Ok(candidate),
            Err(Error::Unavailable(words)) => modules::refusal(&words)?,
            Err(error) => return Err(error),
        };
    }
    Err(Error::Unavailable(format!(
        "no toolchain near {shipped} is available"
    )))
}

/// What stands in for the staging modules that have no such tag, or whose tag the proxy refuses.
fn stand_ins(sh: &Shell, release: Release, go_mod: &str) -> Result<Vec<Substitution>> {
    let mut substitutions: Vec<Substitution> = NOWHERE
        .iter()
        .filter_map(|module| {
            let line = go_mod.lines().find(|line| line.contains(module))?;
            let wanted = line
                .split_whitespace()
                .find(|word| word.starts_with("v0"))?;
            Some(substitution(module, wanted, "empty"))
        })
        .collect();
    let mut left: Vec<&str> = staging_modules(go_mod)
        .filter(|module| !empty_by_default(module))
        .collect();
    let wanted = release.staging();
    let newest = catalogue::known(&project_root())?
        .into_iter()
        .filter(|other| other.minor == release.minor)
        .map(|other| other.patch)
        .max()
        .unwrap_or(release.patch)
        .max(release.patch);
    let mut patches: Vec<u32> = (0..=newest).collect();
    patches.sort_by_key(|patch| (patch.abs_diff(release.patch), *patch));
    for patch in patches {
        if left.is_empty() {
            break;
        }
        let tag = Release { patch, ..release }.staging();
        let specs: Vec<String> = left
            .iter()
            .map(|module| format!("{module}@{tag}"))
            .collect();
        for module in fetch(sh, &specs)? {
            if let Some(why) = &module.error {
                modules::refusal(why)?;
                continue;
            }
            left.retain(|left| *left != module.path);
            if tag != wanted {
                substitutions.push(substitution(&module.path, &wanted, &tag));
            }
        }
    }
    // The build tells if something of it was imported after all.
    for module in left {
        substitutions.push(substitution(module, &wanted, "empty"));
    }
    substitutions.sort_by(|a, b| a.module.cmp(&b.module));
    Ok(substitutions)
}

/// Where one tag stands in for every staging module, that tag, once; and the other substitutions.
fn common_tag(found: Vec<Substitution>, go_mod: &str) -> (Option<String>, Vec<Substitution>) {
    let staging: Vec<&str> = staging_modules(go_mod)
        .filter(|module| !empty_by_default(module))
        .collect();
    let of_staging = |s: &&Substitution| staging.contains(&s.module.as_str());
    let mut tags: Vec<&str> = found
        .iter()
        .filter(of_staging)
        .map(|s| s.got.as_str())
        .collect();
    let all = tags.len() == staging.len();
    tags.dedup();
    match tags[..] {
        [tag] if all => {
            let tag = tag.to_owned();
            let rest = found.into_iter().filter(|s| !of_staging(&s)).collect();
            (Some(tag), rest)
        }
        _ => (None, found),
    }
}

/// The release whose recipe this one is built by: an older one's if it says the same, else its own,
/// which is written.
fn recipe(sh: &Shell, row: Row, pins: &Mutex<Pins>) -> Result<String> {
    let release = row.release.clone();
    let (go_ref, pin) = {
        let pins = hold(pins);
        (pins.go_ref.clone(), pins.pin(&row)?)
    };
    let mine = gopath_recipe::resolve(sh, &go_ref, &pin)?;
    let pins = hold(pins); // nobody else writes recipes meanwhile
    for other in recipes(&pins)? {
        let theirs = gopath::Recipe::load(&go_ref, &other)?;
        if theirs.with_release(&release).render()? == mine.render()? {
            return Ok(other);
        }
    }
    let path = gopath::path(&go_ref, &release);
    fs::write(&path, mine.render()?).map_err(|e| Error::io(&path, &e))?;
    Ok(release)
}

/// Whose recipes there are.
fn recipes(pins: &Pins) -> Result<Vec<String>> {
    let dir: PathBuf = pins.go_ref.join("gopath");
    let entries = fs::read_dir(&dir).map_err(|e| Error::io(&dir, &e))?;
    let mut names: Vec<Release> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            Release::parse(name.strip_suffix(".json")?).ok()
        })
        .collect();
    names.sort();
    Ok(names.iter().map(Release::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped(place: &str, text: &str) -> String {
        let dir = std::env::temp_dir().join(format!(
            "kubehash-pin-{}-{}",
            std::process::id(),
            text.len()
        ));
        let path = dir.join(place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let found = shipped_toolchain(&dir).unwrap();
        fs::remove_dir_all(&dir).unwrap();
        found
    }

    #[test]
    fn the_toolchain_is_read_as_each_age_wrote_it() {
        assert_eq!(shipped(".go-version", "1.22.5\n"), "go1.22.5");
        let version = "build/build-image/cross/VERSION";
        assert_eq!(shipped(version, "v1.12.12-1\n"), "go1.12.12");
        assert_eq!(shipped(version, "v1.7.6-k8s1.5-0\n"), "go1.7.6");
        assert_eq!(
            shipped(version, "v1.25.0-go1.18.5-bullseye.0\n"),
            "go1.18.5"
        );
        let dockerfile = "# The compiler.\nFROM  golang:1.4.2\nMAINTAINER x\n";
        assert_eq!(
            shipped("build/build-image/cross/Dockerfile", dockerfile),
            "go1.4.2"
        );
        let elsewhere = "build-tools/build-image/cross/VERSION";
        assert_eq!(shipped(elsewhere, "v1.7.4-0\n"), "go1.7.4");
    }

    #[test]
    fn one_tag_for_all_is_said_once() {
        let go_mod = "\tk8s.io/api => ./staging/src/k8s.io/api\n\
            \tk8s.io/kubectl => ./staging/src/k8s.io/kubectl\n";
        let of = |module, got| substitution(module, "v0.18.20", got);
        let empty = of("vbom.ml/util", "empty");
        let (api, kubectl) = (
            of("k8s.io/api", "v0.18.19"),
            of("k8s.io/kubectl", "v0.18.19"),
        );
        let all = vec![api.clone(), kubectl, empty.clone()];
        assert_eq!(
            common_tag(all, go_mod),
            (Some("v0.18.19".to_owned()), vec![empty.clone()])
        );
        for some in [
            vec![api.clone()],
            vec![api, of("k8s.io/kubectl", "v0.18.18")],
        ] {
            assert_eq!(common_tag(some.clone(), go_mod), (None, some));
        }
    }
}
