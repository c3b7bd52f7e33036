//! `cargo xtask regen-golden`: asks the real Go code about the corpus and writes `golden/`.
//!
//! For each release: build its reference ([`crate::goref`]), let it make its random objects and
//! tell its schema, then put every question to it about every case. The answers become vectors;
//! the manifest records what they were made from. A release whose manifest entry names the inputs
//! of now, and whose files are as the entry says, is left alone, so an interrupted run goes on
//! where it stopped.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use serde_json::value::RawValue;
use xshell::Shell;

use crate::error::{Error, Result};
use crate::flags::RegenGolden;
use crate::golden::{self, Case, FileEntry, Golden, Manifest, Provenance, SchemaAnswer};
use crate::goref::pins::{Pin, Pins};
use crate::goref::{Reference, Speed, lock};
use crate::project_root;

/// Something every case is asked: a subject, and what of the request varies within it.
struct Question {
    subject: &'static str,
    form: Option<&'static str>,
    view: Option<&'static str>,
    input: Input,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    Object,
    Text,
}

const fn question(
    subject: &'static str,
    form: Option<&'static str>,
    view: Option<&'static str>,
) -> Question {
    Question {
        subject,
        form,
        view,
        input: Input::Object,
    }
}

/// All questions; each has a file of vectors of its own.
const QUESTIONS: &[Question] = &[
    question("container-hash", None, Some("decoded")),
    question("container-hash", None, Some("delivered")),
    question("container-hash", None, Some("static")),
    question("container-hash-legacy", None, Some("decoded")),
    question("container-hash-legacy", None, Some("delivered")),
    question("container-hash-legacy", None, Some("static")),
    question("container-hash-without-resources", None, Some("decoded")),
    question("container-hash-without-resources", None, Some("delivered")),
    question("container-hash-without-resources", None, Some("static")),
    question("deep-hash", Some("versioned"), Some("decoded")),
    question("deep-hash", Some("versioned"), Some("delivered")),
    question("deep-hash", Some("versioned"), Some("static")),
    question("deep-hash", Some("internal"), Some("decoded")),
    question("deep-hash", Some("internal"), Some("delivered")),
    question("deep-hash", Some("internal"), Some("static")),
    question("defaults", None, None),
    question("create", None, None),
    question("serve", None, None),
    question("receive", None, None),
    question("read-file", None, None),
    Question {
        subject: "yaml-to-json",
        form: None,
        view: None,
        input: Input::Text,
    },
];

/// How often the questions whose answers may vary are asked again.
const VARIATION_TRIALS: usize = 12;

impl Question {
    /// `deep-hash.internal.delivered`: the file's name without its extension.
    fn name(&self) -> String {
        [Some(self.subject), self.form, self.view]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(".")
    }

    /// The request about a case, or nothing if the case has no such input.
    fn request(&self, release: &str, case: &Case) -> Result<Option<String>> {
        let (key, input) = match self.input {
            Input::Object => ("object", &case.object),
            Input::Text => ("text", &case.text),
        };
        let Some(input) = input else { return Ok(None) };
        let mut line = format!(
            r#"{{"id":{},"subject":"{}","release":"{release}""#,
            serde_json::to_string(&case.id)?,
            self.subject
        );
        for (key, value) in [("form", self.form), ("view", self.view)] {
            if let Some(value) = value {
                line.push_str(&format!(r#","{key}":"{value}""#));
            }
        }
        line.push_str(&format!(r#","{key}":{}}}"#, input.get()));
        line.push('\n');
        Ok(Some(line))
    }
}

/// An answer to any of the questions.
#[derive(Deserialize)]
struct Answer {
    id: String,
    error: Option<Box<RawValue>>,
    skipped: Option<String>,
    containers: Option<Vec<Container>>,
    hash: Option<u64>,
    object: Option<Box<RawValue>>,
    json: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Container {
    hash: u64,
}

pub(crate) fn run(flags: &RegenGolden) -> Result<()> {
    let root = project_root();
    let sh = Shell::new()?;
    let pins = Pins::load(&root.join("go-ref"))?;
    let chosen = pins.select(&flags.releases, flags.all)?;
    let target = root.join("target/go-ref");
    let checked_in = Golden::new(root.join("golden"));
    if !flags.check {
        for pin in chosen {
            regenerate(&sh, &pins, &pin, &target, &checked_in, flags.keep, false)?;
        }
        return Ok(());
    }

    // What is compared with is a copy, too: somebody may regenerate other releases meanwhile.
    let before = target.join("check/before");
    let after = Golden::new(target.join("check/after"));
    sh.create_dir(&target)?;
    {
        let _lock = lock(&target.join("golden.lock"))?;
        copy_tree(&sh, checked_in.root(), &before)?;
    }
    copy_tree(&sh, &before, after.root())?;
    let mut different = Vec::new();
    for pin in chosen {
        regenerate(&sh, &pins, &pin, &target, &after, flags.keep, true)?;
        let found = differences(&before, after.root())?;
        if !found.is_empty() {
            eprintln!("{}: {} files differ", pin.release, found.len());
            different.push(pin.release.clone());
            for path in found.iter().take(20) {
                eprintln!(
                    "  golden/{path}{}",
                    first_difference(&before, after.root(), path)
                );
            }
            copy_tree(&sh, &before, after.root())?;
        }
    }
    if different.is_empty() {
        eprintln!("golden/ is what the references say");
        return Ok(());
    }
    Err(Error::Failed(format!(
        "golden/ is not what the references say; to mend it, run\n    cargo xtask regen-golden {}",
        different.join(" ")
    )))
}

/// Brings one release's part of `golden` up to date.
fn regenerate(
    sh: &Shell,
    pins: &Pins,
    pin: &Pin,
    target: &Path,
    golden: &Golden,
    keep: bool,
    force: bool,
) -> Result<()> {
    let release = &pin.release;
    let (corpus, corpus_sha256) = golden.corpus()?;
    let recorded = golden.manifest()?;
    let recorded = recorded
        .releases
        .iter()
        .find(|p| p.release == *release)
        .cloned();
    if let Some(old) = &recorded
        && !force
        && old.go_ref_sha256 == pin.digest
        && old.corpus_sha256 == corpus_sha256
        && old.random_sha256 == golden.random(release)?.map(|(_, sha256)| sha256)
        && golden.intact(old)
    {
        eprintln!("{release}: up to date");
        return Ok(());
    }

    let reference = Reference::build(sh, pins, pin, target, Speed::OfBuilding, keep)?;
    // Schemas, values and the manifest are shared: two runs may build at once, but not write.
    let _lock = lock(&target.join("golden.lock"))?;
    if let Some(old) = &recorded
        && !old.go_sum.is_empty()
        && old.go_sum != reference.stamp.go_sum
    {
        return Err(Error::Failed(format!(
            "{release}: its module was {} when golden/ was made and is {} now",
            old.go_sum, reference.stamp.go_sum
        )));
    }
    let started = Instant::now();
    // Once made, random objects are data like the corpus: the fuzzers of old releases draw on
    // more than their seed, so that the same one need not make the same objects again.
    if let Some(random) = &pin.random
        && golden.random(release)?.is_none()
    {
        let request = format!(
            r#"{{"id":"random","subject":"random","seed":{},"count":{},"maxBytes":{}}}"#,
            random.seed, random.count, random.max_bytes
        );
        let lines = random_lines(release, &reference.ask(sh, &(request + "\n"))?)?;
        golden.write(&golden::random_path(release), &golden::join(&lines))?;
    }
    let order: Vec<String> = pins.order();
    let schema = reference.ask(sh, "{\"id\":\"schema\",\"subject\":\"schema\"}\n")?;
    let schema: SchemaAnswer = serde_json::from_str(&schema.concat())
        .map_err(|e| Error::Failed(format!("{release}: no schema: {e}")))?;
    if schema.schema.toolchain != pin.toolchain {
        return Err(Error::Failed(format!(
            "{release}: built by {}, not by {}",
            schema.schema.toolchain, pin.toolchain
        )));
    }
    golden.write_schema(&schema, &order)?;

    let mut files = BTreeMap::new();
    let mut values: BTreeMap<&str, BTreeMap<String, Box<RawValue>>> = BTreeMap::new();
    let mut asked = 0;
    let random = golden.random(release)?;
    let sets = [
        ("", Some(&corpus)),
        ("random.", random.as_ref().map(|(cases, _)| cases)),
    ];
    for (prefix, cases) in sets {
        let Some(cases) = cases else { continue };
        for question in QUESTIONS {
            let vectors = ask(sh, &reference, question, release, cases)?;
            asked += vectors.asked;
            if vectors.lines.is_empty() {
                continue; // the release has no such subject
            }
            let text = golden::join(&vectors.lines);
            let path = format!("vectors/{release}/{prefix}{}.jsonl", question.name());
            golden.write(&path, &text)?;
            let entry = FileEntry {
                sha256: golden::sha256_hex(text.as_bytes()),
                cases: vectors.lines.len(),
                errors: vectors.errors,
            };
            files.insert(path, entry);
            if prefix.is_empty() && !vectors.objects.is_empty() {
                values
                    .entry(question.subject)
                    .or_default()
                    .extend(vectors.objects);
            }
        }
    }
    golden.prune_vectors(release, &files)?;
    for (subject, objects) in &values {
        golden.write_values(subject, objects)?;
    }

    let provenance = Provenance {
        release: release.clone(),
        module: format!("k8s.io/kubernetes@{release}"),
        go_sum: reference.stamp.go_sum.clone(),
        toolchain: pin.toolchain.clone(),
        mode: pin.mode,
        substitutions: pin.substitutions.clone(),
        go_ref_sha256: pin.digest.clone(),
        corpus_sha256,
        random_sha256: random.map(|(_, sha256)| sha256),
        files,
    };
    let mut manifest = golden.manifest()?;
    record(&mut manifest, provenance, &order);
    golden.write_manifest(&manifest)?;
    eprintln!(
        "{release}: {asked} questions answered in {:.1} s",
        started.elapsed().as_secs_f32()
    );
    Ok(())
}

/// The lines of one file of vectors.
struct Vectors {
    asked: usize,
    lines: Vec<String>,
    errors: usize,
    objects: BTreeMap<String, Box<RawValue>>,
}

fn ask(
    sh: &Shell,
    reference: &Reference,
    question: &Question,
    release: &str,
    cases: &[Case],
) -> Result<Vectors> {
    let mut requests = String::new();
    let mut ids = Vec::new();
    for case in cases {
        if let Some(line) = question.request(release, case)? {
            requests.push_str(&line);
            ids.push(&case.id);
        }
    }
    let mut vectors = Vectors {
        asked: ids.len(),
        lines: Vec::new(),
        errors: 0,
        objects: BTreeMap::new(),
    };
    if ids.is_empty() {
        return Ok(vectors);
    }
    // Go walks a map in an order of its own each time, and the YAML functions do that before they
    // look for trouble: what varies is no vector, and the corpus must not ask for it.
    let answers = reference.ask(sh, &requests)?;
    if question.input == Input::Text {
        for _ in 0..VARIATION_TRIALS {
            let again = reference.ask(sh, &requests)?;
            if let Some((n, _)) = answers
                .iter()
                .zip(&again)
                .enumerate()
                .find(|(_, (a, b))| a != b)
            {
                return Err(Error::Failed(format!(
                    "{release}: {} answers {} in more than one way:\n  {}\n  {}",
                    question.subject, ids[n], answers[n], again[n]
                )));
            }
        }
    }
    for (line, id) in answers.iter().zip(ids) {
        let answer: Answer = serde_json::from_str(line)
            .map_err(|e| Error::Failed(format!("{release}: not an answer: {e}: {line}")))?;
        if answer.id != *id {
            return Err(Error::Failed(format!(
                "{release}: asked about {id}, got {line}"
            )));
        }
        if answer.skipped.is_some() {
            continue;
        }
        let mut fields = vec![("id", serde_json::to_string(&answer.id)?)];
        if let Some(error) = &answer.error {
            vectors.errors += 1;
            fields.push(("error", error.get().to_owned()));
        }
        if let Some(containers) = &answer.containers {
            let hashes: Vec<u64> = containers.iter().map(|c| c.hash).collect();
            fields.push(("hashes", serde_json::to_string(&hashes)?));
        } else if let Some(hash) = answer.hash {
            if let Some(object) = answer.object {
                let digest = golden::short_digest(object.get().as_bytes());
                fields.push(("object", serde_json::to_string(&digest)?));
                vectors.objects.insert(digest, object);
            }
            fields.push(("hash", hash.to_string()));
        }
        if let Some(json) = &answer.json {
            fields.push(("json", json.get().to_owned()));
        }
        if fields.len() == 1 {
            return Err(Error::Failed(format!(
                "{release}: an answer without content: {line}"
            )));
        }
        let fields: Vec<String> = fields
            .iter()
            .map(|(key, value)| format!(r#""{key}":{value}"#))
            .collect();
        vectors.lines.push(format!("{{{}}}", fields.join(",")));
    }
    Ok(vectors)
}

fn random_lines(release: &str, answers: &[String]) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Random {
        objects: Vec<Box<RawValue>>,
    }
    let random: Random = serde_json::from_str(&answers.concat())
        .map_err(|e| Error::Failed(format!("{release}: no random objects: {e}")))?;
    let numbered = random.objects.iter().enumerate();
    Ok(numbered
        .map(|(n, object)| {
            format!(
                r#"{{"id":"random-{release}-{:04}","object":{}}}"#,
                n + 1,
                object.get()
            )
        })
        .collect())
}

/// Puts an entry in its place: the manifest keeps the order of the pins.
fn record(manifest: &mut Manifest, provenance: Provenance, order: &[String]) {
    manifest
        .releases
        .retain(|p| p.release != provenance.release);
    manifest.releases.push(provenance);
    let place = |p: &Provenance| {
        order
            .iter()
            .position(|o| *o == p.release)
            .unwrap_or(order.len())
    };
    manifest.releases.sort_by_key(place);
}

fn copy_tree(sh: &Shell, from: &Path, to: &Path) -> Result<()> {
    sh.remove_path(to)?;
    sh.create_dir(to)?;
    for entry in sh.read_dir(from)? {
        let name = entry.file_name().unwrap_or_default().to_owned();
        if entry.is_dir() {
            copy_tree(sh, &entry, &to.join(name))?;
        } else {
            sh.copy_file(&entry, to.join(name))?;
        }
    }
    Ok(())
}

/// The files that are not the same in both trees, sorted.
fn differences(left: &Path, right: &Path) -> Result<Vec<String>> {
    let (left, right) = (tree(left)?, tree(right)?);
    let mut paths: Vec<&String> = left.keys().chain(right.keys()).collect();
    paths.sort();
    paths.dedup();
    Ok(paths
        .into_iter()
        .filter(|path| left.get(*path) != right.get(*path))
        .cloned()
        .collect())
}

/// The first line that is not the same, as it was and as it is; nothing for a file that is only on
/// one side, and no more of a line than helps.
fn first_difference(before: &Path, after: &Path, path: &str) -> String {
    let read = |root: &Path| std::fs::read_to_string(root.join(path));
    let (Ok(before), Ok(after)) = (read(before), read(after)) else {
        return String::new();
    };
    let short = |line: &str| line.chars().take(160).collect::<String>();
    before
        .lines()
        .zip(after.lines())
        .zip(1..)
        .find(|((old, new), _)| old != new)
        .map(|((old, new), n)| format!(":{n}\n    - {}\n    + {}", short(old), short(new)))
        .unwrap_or_default()
}

/// The files below a directory by their path in it, with their digests.
fn tree(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(dir) = pending.pop() {
        let entries = std::fs::read_dir(&dir).map_err(|e| Error::io(&dir, &e))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, &e))?;
            let name = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .to_string_lossy()
                .into_owned();
            found.insert(name, golden::sha256_hex(&bytes));
        }
    }
    Ok(found)
}
