//! `cargo xtask regen-golden`: asks the real Go code about the corpus and writes `golden/`.
//!
//! For each release: build its reference ([`crate::goref`]), let it make its random objects and
//! tell its schema, then put every question to it about every case. The answers become vectors;
//! the manifest records what they were made from. A release whose manifest entry names the inputs
//! of now, and whose recorded answers are as the entry says, is left alone, so an interrupted run
//! goes on where it stopped. With `--check`, what a reference says is compared instead of written.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use serde::Deserialize;
use serde_json::value::RawValue;
use xshell::Shell;

use crate::audit::{self, Audited, Speakers};
use crate::error::{Error, Result};
use crate::flags::RegenGolden;
use crate::golden::{self, Answer, Answers, Case, Golden, Parts, Provenance, SchemaAnswer};
use crate::goref::pins::{Pin, Pins};
use crate::goref::{Reference, Speed, lock};
use crate::project_root;
use crate::release::Release;

/// Something every case is asked: a subject, and what of the request varies within it.
#[derive(Clone)]
struct Question {
    subject: &'static str,
    form: Option<&'static str>,
    view: Option<&'static str>,
    input: Input,
    /// The release that left behind what is asked about; none for the corpus.
    before: Option<String>,
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
        before: None,
    }
}

/// The subject whose objects have a UID that is a hash of all the rest.
const READ_FILE: &str = "read-file";

/// The subject that lets a controller work.
const RECONCILE: &str = "reconcile";

/// Collision counts that every Pod template is hashed with: none, none yet, some, the last.
const COLLISION_COUNTS: &str = "[null,0,1,7,2147483647]";

/// Where a static Pod of the form `url` comes from.
const URL: &str = "\"http://manifests.example/pod.yaml\"";

/// The collision count of the form `collided`.
const COLLISION_COUNT: &str = "7";

/// All questions about the corpus; each has a file of vectors of its own.
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
    question(READ_FILE, None, None),
    question(READ_FILE, Some("url"), None),
    question("pod-template-hash", None, Some("decoded")),
    question("pod-template-hash", None, Some("delivered")),
    question(RECONCILE, None, Some("delivered")),
    question(RECONCILE, Some("collided"), Some("delivered")),
    Question {
        subject: "yaml-to-json",
        form: None,
        view: None,
        input: Input::Text,
        before: None,
    },
];

/// How often the questions whose answers may vary are asked again.
const VARIATION_TRIALS: usize = 12;

impl Question {
    /// `deep-hash.internal.delivered`, `reconcile.served@v1.33.13`: the file's name without its
    /// extension.
    fn name(&self) -> String {
        let parts = [Some(self.subject), self.form, self.view];
        let mut name = parts.into_iter().flatten().collect::<Vec<_>>().join(".");
        if let Some(before) = &self.before {
            name.push('@');
            name.push_str(before);
        }
        name
    }

    /// Members of a request that are the same about every case.
    fn members(&self) -> String {
        let mut members = String::new();
        let mut add = |key: &str, value: &str| {
            members.push_str(&format!(r#","{key}":{value}"#));
        };
        match self.form {
            Some("collided") => add("collisionCount", COLLISION_COUNT),
            Some("url") => add("url", URL),
            Some(form) => add("form", &format!("\"{form}\"")),
            None => {}
        }
        if let Some(view) = self.view {
            add("view", &format!("\"{view}\""));
        }
        if self.subject == "pod-template-hash" {
            add("collisionCounts", COLLISION_COUNTS);
        }
        members
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
        line.push_str(&self.members());
        if let Some(state) = &case.state {
            line.push_str(&format!(r#","state":{}"#, state.get()));
        }
        line.push_str(&format!(r#","{key}":{}}}"#, input.get()));
        line.push('\n');
        Ok(Some(line))
    }
}

/// An answer to any of the questions.
#[derive(Deserialize)]
struct Response {
    id: String,
    error: Option<Box<RawValue>>,
    skipped: Option<String>,
    containers: Option<Vec<Container>>,
    hash: Option<Box<RawValue>>,
    object: Option<Box<RawValue>>,
    labels: Option<Box<RawValue>>,
    state: Option<Box<RawValue>>,
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
    let run = Run {
        sh: &sh,
        pins: &pins,
        target: root.join("target/go-ref"),
        golden: Golden::new(root.join("golden")),
        keep: flags.keep,
    };
    sh.create_dir(&run.target)?;
    if let Some(count) = flags.audit {
        return run.audit(count, flags.seed.unwrap_or(1));
    }
    let chosen = pins.select(&flags.releases, flags.all)?;
    if flags.check {
        run.check(&chosen)
    } else {
        run.write(&chosen)
    }
}

/// How many differences are shown of a release.
const SHOWN: usize = 20;

/// What one call of the task works with.
struct Run<'a> {
    sh: &'a Shell,
    pins: &'a Pins,
    target: PathBuf,
    golden: Golden,
    keep: bool,
}

impl Run<'_> {
    /// Brings the parts of these releases up to date.
    fn write(&self, chosen: &[Pin]) -> Result<()> {
        let (corpus, corpus_sha256) = self.golden.corpus()?;
        let recorded = self.golden.manifest()?;
        let intact = self.golden.intact(&recorded)?;
        for pin in chosen {
            let release = &pin.release;
            if intact.contains(release)
                && let Some(old) = recorded.of(release)
                && old.go_ref_sha256 == pin.digest
                && old.corpus_sha256 == corpus_sha256
                && old.random_sha256 == self.golden.random(release)?.map(|(_, sha256)| sha256)
            {
                eprintln!("{release}: up to date");
                continue;
            }
            let reference = self.build(pin)?;
            // All releases share the files: two runs may build at once, but not write.
            let _lock = self.lock()?;
            self.same_module(pin, &reference)?;
            let started = Instant::now();
            if let Some(random) = self.random_objects(pin, &reference)? {
                self.golden.write(&golden::random_path(release), &random)?;
            }
            if let Some(left) = self.left_behind(pin, &reference, &corpus)? {
                self.golden.write(&golden::before_path(release), &left)?;
            }
            let said = self.ask_all(pin, &reference, &corpus)?;
            self.record(pin, &reference, &said, &corpus, &corpus_sha256)?;
            eprintln!(
                "{release}: {} questions answered in {:.1} s",
                said.asked,
                started.elapsed().as_secs_f32()
            );
        }
        Ok(())
    }

    /// Compares what the references of these releases say with what is recorded.
    fn check(&self, chosen: &[Pin]) -> Result<()> {
        let (corpus, corpus_sha256) = self.golden.corpus()?;
        let speakers = Speakers::read()?;
        let mut different = Vec::new();
        for pin in chosen {
            let release = &pin.release;
            let reference = self.build(pin)?;
            // Somebody may regenerate other releases meanwhile.
            let _lock = self.lock()?;
            self.same_module(pin, &reference)?;
            let mut found = Vec::new();
            if self.random_objects(pin, &reference)?.is_some() {
                found.push(format!(
                    "golden/{} is missing",
                    golden::random_path(release)
                ));
            }
            if self.left_behind(pin, &reference, &corpus)?.is_some() {
                found.push(format!(
                    "golden/{} is missing",
                    golden::before_path(release)
                ));
            }
            let said = self.ask_all(pin, &reference, &corpus)?;
            found.extend(if self.golden.manifest()?.of(release).is_some() {
                self.differences(pin, &reference, &said, &corpus_sha256)?
            } else {
                self.differences_from_class(pin, &said, &speakers)?.found
            });
            if !found.is_empty() {
                eprintln!("{release}: {} differences", found.len());
                for difference in found.iter().take(SHOWN) {
                    eprintln!("  {difference}");
                }
                different.push(release.clone());
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

    /// Builds releases that others speak for, and compares.
    fn audit(&self, count: usize, seed: u64) -> Result<()> {
        let (corpus, corpus_sha256) = self.golden.corpus()?;
        let speakers = Speakers::read()?;
        let chosen = audit::choose(self.pins, &speakers, &self.golden.manifest()?, count, seed)?;
        let known = audit::recorded()?;
        let mut lines = Vec::new();
        for pin in &chosen {
            let done = known.iter().find(|line| {
                line.release == pin.release
                    && line.go_ref_sha256 == pin.digest
                    && line.corpus_sha256 == corpus_sha256
            });
            if let Some(line) = done {
                eprintln!("{}: audited already", pin.release);
                lines.push(line.clone());
                continue;
            }
            let reference = self.build(pin)?;
            let _lock = self.lock()?;
            let said = self.ask_all(pin, &reference, &corpus)?;
            let compared = self.differences_from_class(pin, &said, &speakers)?;
            for difference in compared.found.iter().take(SHOWN) {
                eprintln!("  {difference}");
            }
            let line = Audited {
                release: pin.release.clone(),
                go_ref_sha256: pin.digest.clone(),
                corpus_sha256: corpus_sha256.clone(),
                compared: compared.answers,
                differences: compared.found.len(),
            };
            eprintln!(
                "{}: {} answers compared, {} differ",
                line.release, line.compared, line.differences
            );
            audit::record(line.clone())?;
            lines.push(line);
        }
        let answers: usize = lines.iter().map(|line| line.compared).sum();
        let differ: Vec<&str> = lines
            .iter()
            .filter(|line| line.differences > 0)
            .map(|line| line.release.as_str())
            .collect();
        if differ.is_empty() {
            eprintln!(
                "{} releases audited, {answers} answers compared, none differs",
                lines.len()
            );
            return Ok(());
        }
        Err(Error::Failed(format!(
            "not of the class that they are said to be: {}",
            differ.join(" ")
        )))
    }

    fn build(&self, pin: &Pin) -> Result<Reference> {
        Reference::build(
            self.sh,
            self.pins,
            pin,
            &self.target,
            Speed::OfBuilding,
            self.keep,
        )
    }

    fn lock(&self) -> Result<File> {
        lock(&self.target.join("golden.lock"))
    }

    /// Fails if the release's module is not the one that was there when golden/ was made.
    fn same_module(&self, pin: &Pin, reference: &Reference) -> Result<()> {
        let recorded = self.golden.manifest()?;
        match recorded.of(&pin.release) {
            Some(old) if !old.go_sum.is_empty() && old.go_sum != reference.stamp.go_sum => {
                Err(Error::Failed(format!(
                    "{}: its module was {} when golden/ was made and is {} now",
                    pin.release, old.go_sum, reference.stamp.go_sum
                )))
            }
            _ => Ok(()),
        }
    }

    /// The file of random objects, where the release makes some and there are none yet. Once made,
    /// they are data like the corpus: the fuzzers of old releases draw on more than their seed, so
    /// that the same one need not make the same objects again.
    fn random_objects(&self, pin: &Pin, reference: &Reference) -> Result<Option<String>> {
        let Some(random) = &pin.random else {
            return Ok(None);
        };
        if self.golden.random(&pin.release)?.is_some() {
            return Ok(None);
        }
        let request = format!(
            r#"{{"id":"random","subject":"random","seed":{},"count":{},"maxBytes":{}}}"#,
            random.seed, random.count, random.max_bytes
        );
        let lines = random_lines(&pin.release, &reference.ask(self.sh, &(request + "\n"))?)?;
        Ok(Some(golden::join(&lines)))
    }

    /// The file of what a release leaves behind, where it is to leave something and there is none
    /// yet: what its API server persists of the corpus' workloads, and what its controllers make of
    /// them.
    fn left_behind(
        &self,
        pin: &Pin,
        reference: &Reference,
        corpus: &[Case],
    ) -> Result<Option<String>> {
        let before = self.golden.before()?;
        if !pin.before || before.iter().any(|(release, _)| *release == pin.release) {
            return Ok(None);
        }
        let ask = |members: &str, objects: &[(&str, &RawValue)]| -> Result<Vec<Response>> {
            let mut requests = String::new();
            for (id, object) in objects {
                let (id, object) = (serde_json::to_string(id)?, object.get());
                requests += &format!("{{\"id\":{id},{members},\"object\":{object}}}\n");
            }
            let answers = reference.ask(self.sh, &requests)?;
            let parsed = answers.iter().map(|line| serde_json::from_str(line));
            Ok(parsed.collect::<serde_json::Result<_>>()?)
        };
        let objects: Vec<(&str, &RawValue)> = corpus
            .iter()
            .filter_map(|case| Some((&*case.id, &**case.object.as_ref()?)))
            .collect();
        let created = ask(r#""subject":"create""#, &objects)?;
        let persisted: Vec<(&str, &RawValue)> = created
            .iter()
            .filter_map(|response| Some((&*response.id, &**response.object.as_ref()?)))
            .collect();
        let made = ask(r#""subject":"reconcile","view":"served""#, &persisted)?;
        let mut lines = Vec::new();
        for ((id, object), response) in persisted.iter().zip(&made) {
            if let Some(state) = &response.state {
                let (id, object, state) = (serde_json::to_string(id)?, object.get(), state.get());
                lines.push(format!(
                    r#"{{"id":{id},"object":{object},"state":{state}}}"#
                ));
            }
        }
        Ok(Some(golden::join(&lines)))
    }

    /// Puts all questions to a reference.
    fn ask_all(&self, pin: &Pin, reference: &Reference, corpus: &[Case]) -> Result<Said> {
        let release = &pin.release;
        let schema = reference.ask(self.sh, "{\"id\":\"schema\",\"subject\":\"schema\"}\n")?;
        let schema: SchemaAnswer = serde_json::from_str(&schema.concat())
            .map_err(|e| Error::Failed(format!("{release}: no schema: {e}")))?;
        if schema.schema.toolchain != pin.toolchain {
            return Err(Error::Failed(format!(
                "{release}: built by {}, not by {}",
                schema.schema.toolchain, pin.toolchain
            )));
        }
        let mut said = Said {
            schema,
            asked: 0,
            answers: BTreeMap::new(),
            random: BTreeMap::new(),
            random_sha256: None,
            values: BTreeMap::new(),
        };
        let before = self.golden.before()?;
        let mut asked: Vec<(Question, &[Case])> = Vec::new();
        asked.extend(QUESTIONS.iter().map(|question| (question.clone(), corpus)));
        for (before, cases) in &before {
            // Nobody goes back.
            if Release::parse(before)? <= Release::parse(release)? {
                let mut question = question(RECONCILE, None, Some("served"));
                question.before = Some(before.clone());
                asked.push((question, cases));
            }
        }
        for (question, cases) in asked {
            let answered = ask(self.sh, reference, &question, release, cases)?;
            said.asked += answered.asked;
            if !answered.objects.is_empty() {
                let values = said.values.entry(question.subject).or_default();
                values.extend(answered.objects);
            }
            said.answers.insert(question.name(), answered.answers);
        }
        if let Some((objects, sha256)) = self.golden.random(release)? {
            said.random_sha256 = Some(sha256);
            for question in QUESTIONS {
                let answered = ask(self.sh, reference, question, release, &objects)?;
                said.asked += answered.asked;
                said.random.insert(question.name(), answered.answers);
            }
        }
        Ok(said)
    }

    /// Writes what a reference said; the manifest last, for it vouches for the rest.
    fn record(
        &self,
        pin: &Pin,
        reference: &Reference,
        said: &Said,
        corpus: &[Case],
        corpus_sha256: &str,
    ) -> Result<()> {
        let (golden, release) = (&self.golden, &pin.release);
        let mut manifest = golden.manifest()?;
        let mut schemas = golden.schemas()?;
        schemas.set(&said.schema.schema)?;
        golden.write_schemas(&schemas)?;
        let order: Vec<&str> = corpus.iter().map(|case| &*case.id).collect();
        for (question, answers) in &said.answers {
            let mut file = golden.question(question, &manifest)?;
            file.set(release, answers, &order)?;
            golden.write_question(question, &file)?;
        }
        for (question, answers) in &said.random {
            golden.write_random_answers(release, question, answers)?;
        }
        for (subject, objects) in &said.values {
            golden.write_values(subject, objects)?;
        }
        let provenance = said.provenance(pin, reference, corpus_sha256)?;
        golden::record(&mut manifest, provenance)?;
        golden.write_manifest(&manifest)
    }

    /// Where a release that has no vectors does not answer as those that speak for it.
    fn differences_from_class(
        &self,
        pin: &Pin,
        said: &Said,
        speakers: &Speakers,
    ) -> Result<Compared> {
        let (golden, release) = (&self.golden, &pin.release);
        let manifest = golden.manifest()?;
        let speaker = |question: &str| {
            speakers.of(release, question, &manifest)?.ok_or_else(|| {
                Error::Failed(format!(
                    "{release}: nobody with vectors speaks for it in {question}\n\
                     hint: cargo xtask classify {release}, or regen-golden {release} for its own"
                ))
            })
        };
        let mut compared = Compared {
            answers: 0,
            found: Vec::new(),
        };
        for (question, answers) in &said.answers {
            if answers.0.is_empty() {
                continue; // the release has no such question
            }
            let speaker = speaker(question)?;
            let theirs = golden.question(question, &manifest)?.answers(speaker);
            compared.answers += answers.0.len();
            for difference in theirs.differences(answers)? {
                compared.found.push(format!(
                    "{question}, for which {speaker} speaks: {difference}"
                ));
            }
        }
        let speaker = speaker("schema")?;
        compared.answers += 1;
        if !golden.schemas()?.says_of(speaker, &said.schema.schema)? {
            compared
                .found
                .push(format!("schema: it is not that of {speaker}"));
        }
        Ok(compared)
    }

    /// Where golden/ does not say what a reference said, in words.
    fn differences(
        &self,
        pin: &Pin,
        reference: &Reference,
        said: &Said,
        corpus_sha256: &str,
    ) -> Result<Vec<String>> {
        let (golden, release) = (&self.golden, &pin.release);
        let manifest = golden.manifest()?;
        let mut found = Vec::new();
        for (question, answers) in &said.answers {
            let recorded = golden.question(question, &manifest)?.answers(release);
            for difference in recorded.differences(answers)? {
                found.push(format!("{question} {difference}"));
            }
        }
        for (question, answers) in &said.random {
            let recorded = golden.random_answers(release, question)?;
            for difference in recorded.differences(answers)? {
                found.push(format!("{question} {difference}"));
            }
        }
        for (subject, objects) in &said.values {
            for digest in golden.missing_values(subject, objects.keys())? {
                found.push(format!(
                    "golden/values/{subject}.jsonl: {digest} is missing"
                ));
            }
        }
        let recorded = golden.schemas()?;
        let mut fresh = recorded.clone();
        fresh.set(&said.schema.schema)?;
        if fresh != recorded {
            found.push("golden/schemas differ".to_owned());
        }
        let fresh = said.provenance(pin, reference, corpus_sha256)?;
        let differing = fresh.differing_keys(manifest.of(release))?;
        if !differing.is_empty() {
            found.push(format!("golden/manifest.json: {}", differing.join(", ")));
        }
        Ok(found)
    }
}

/// Answers held against those of the releases that speak for one.
struct Compared {
    answers: usize,
    found: Vec<String>,
}

/// All that a reference said.
struct Said {
    schema: SchemaAnswer,
    asked: usize,
    /// By question; one that the release does not have has no answers.
    answers: BTreeMap<String, Answers>,
    random: BTreeMap<String, Answers>,
    random_sha256: Option<String>,
    /// Objects by subject and digest.
    values: BTreeMap<&'static str, BTreeMap<String, Box<RawValue>>>,
}

impl Said {
    fn provenance(
        &self,
        pin: &Pin,
        reference: &Reference,
        corpus_sha256: &str,
    ) -> Result<Provenance> {
        Ok(Provenance {
            release: pin.release.clone(),
            module: format!("k8s.io/kubernetes@{}", pin.release),
            go_sum: reference.stamp.go_sum.clone(),
            toolchain: pin.toolchain.clone(),
            mode: pin.mode,
            substitutions: pin.substitutions.clone(),
            go_ref_sha256: pin.digest.clone(),
            corpus_sha256: corpus_sha256.to_owned(),
            random_sha256: self.random_sha256.clone(),
            answers: golden::tallies(&self.answers)?,
            random: golden::tallies(&self.random)?,
        })
    }
}

/// The answers to one question.
struct Answered {
    asked: usize,
    answers: Answers,
    objects: BTreeMap<String, Box<RawValue>>,
}

fn ask(
    sh: &Shell,
    reference: &Reference,
    question: &Question,
    release: &str,
    cases: &[Case],
) -> Result<Answered> {
    let mut requests = String::new();
    let mut ids = Vec::new();
    for case in cases {
        if let Some(line) = question.request(release, case)? {
            requests.push_str(&line);
            ids.push(&case.id);
        }
    }
    let mut answered = Answered {
        asked: ids.len(),
        answers: Answers::default(),
        objects: BTreeMap::new(),
    };
    if ids.is_empty() {
        return Ok(answered);
    }
    let lines = reference.ask(sh, &requests)?;
    if question.input == Input::Text {
        no_variation(sh, reference, release, &requests, &lines)?;
    }
    for (line, id) in lines.iter().zip(ids) {
        let response: Response = serde_json::from_str(line)
            .map_err(|e| Error::Failed(format!("{release}: not an answer: {e}: {line}")))?;
        if response.id != *id {
            return Err(Error::Failed(format!(
                "{release}: asked about {id}, got {line}"
            )));
        }
        if response.skipped.is_some() {
            continue;
        }
        let parts = response.parts(question, &mut answered.objects)?;
        let answer = Answer::new(&parts).ok_or_else(|| {
            Error::Failed(format!("{release}: an answer without content: {line}"))
        })?;
        answered.answers.0.push((id.clone(), answer));
    }
    Ok(answered)
}

/// Go walks a map in an order of its own each time, and the YAML functions do that before they look
/// for trouble: what varies is no vector, and the corpus must not ask for it.
fn no_variation(
    sh: &Shell,
    reference: &Reference,
    release: &str,
    requests: &str,
    answers: &[String],
) -> Result<()> {
    for _ in 0..VARIATION_TRIALS {
        let again = reference.ask(sh, requests)?;
        if let Some((first, other)) = answers.iter().zip(&again).find(|(a, b)| a != b) {
            return Err(Error::Failed(format!(
                "{release}: one text is answered in more than one way:\n  {first}\n  {other}"
            )));
        }
    }
    Ok(())
}

impl Response {
    /// What a vector keeps of it; an object goes to `objects`, by its digest.
    fn parts(
        self,
        question: &Question,
        objects: &mut BTreeMap<String, Box<RawValue>>,
    ) -> Result<Parts> {
        let mut parts = Parts {
            error: self.error,
            hashes: None,
            labels: self.labels,
            uid: None,
            object: None,
            hash: None,
            json: self.json,
        };
        let raw = |value: String| RawValue::from_string(value);
        if let Some(containers) = &self.containers {
            let hashes: Vec<u64> = containers.iter().map(|c| c.hash).collect();
            parts.hashes = Some(raw(serde_json::to_string(&hashes)?)?);
            return Ok(parts);
        }
        if let Some(state) = self.state {
            parts.object = Some(store(state, objects)?);
            return Ok(parts);
        }
        parts.hash = self.hash;
        if parts.hash.is_some()
            && let Some(mut object) = self.object
        {
            if question.subject == READ_FILE
                && let Some((uid, masked)) = golden::mask_uid(&object)?
            {
                parts.uid = Some(raw(serde_json::to_string(&uid)?)?);
                object = masked;
            }
            parts.object = Some(store(object, objects)?);
        }
        Ok(parts)
    }
}

/// Puts an object where it can be found by its digest, and returns that.
fn store(
    object: Box<RawValue>,
    objects: &mut BTreeMap<String, Box<RawValue>>,
) -> Result<Box<RawValue>> {
    let digest = golden::short_digest(object.get().as_bytes());
    let quoted = RawValue::from_string(serde_json::to_string(&digest)?)?;
    objects.insert(digest, object);
    Ok(quoted)
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
