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
use std::rc::Rc;
use std::time::Instant;

use serde::Deserialize;
use serde_json::value::RawValue;
use xshell::Shell;

use crate::audit::{self, Audited, Speakers};
use crate::error::{Error, Result};
use crate::flags::RegenGolden;
use crate::golden::{self, Answer, Answers, Cases, Golden, Parts, Provenance, SchemaAnswer};
use crate::goref::pins::{Pin, Pins};
use crate::goref::{Reference, Speed, lock};
use crate::project_root;
use crate::question::{self, QUESTIONS, Question, RECONCILE_LEFT_BEHIND, Source};
use crate::release::Release;

/// The subject whose objects have a UID that is a hash of all the rest.
const READ_FILE: &str = "read-file";

/// How often the questions whose answers may vary are asked again.
const VARIATION_TRIALS: usize = 12;

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
    /// All that it says, where that counts.
    #[serde(skip)]
    content: Option<Box<RawValue>>,
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

/// A question, and the cases that it is about.
struct Asked {
    question: Question,
    /// Whether these are the release's random objects.
    random: bool,
    cases: Rc<Cases>,
}

impl Asked {
    /// What the manifest calls its source.
    fn input(&self) -> String {
        if self.random {
            Source::Random("").name()
        } else {
            self.question.source().name()
        }
    }

    /// Whether the answers of an entry are to this question about these cases.
    fn stands_in(&self, entry: &Provenance) -> bool {
        let answers = if self.random {
            &entry.random
        } else {
            &entry.answers
        };
        answers.contains_key(&self.question.name)
            && entry.inputs.get(&self.input()) == Some(&self.cases.sha256)
    }
}

/// The digests of all that is asked about, by name.
fn inputs(asked: &[Asked]) -> BTreeMap<String, String> {
    let digests = asked
        .iter()
        .map(|asked| (asked.input(), asked.cases.sha256.clone()));
    digests.collect()
}

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
        let recorded = self.golden.manifest()?;
        let intact = self.golden.intact(&recorded)?;
        for pin in chosen {
            let release = &pin.release;
            let old = recorded
                .of(release)
                .filter(|old| intact.contains(release) && old.go_ref_sha256 == pin.digest);
            let asked = self.questions(release)?;
            let left = !pin.before || self.golden.cases(Source::Before(release))?.is_some();
            if left && old.is_some_and(|old| asked.iter().all(|asked| asked.stands_in(old))) {
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
            if let Some(left) = self.left_behind(pin, &reference)? {
                self.golden.write(&golden::before_path(release), &left)?;
            }
            // Now there may be more to ask about; what stands as it would be answered need not be.
            let all = self.questions(release)?;
            let open = |asked: &&Asked| !old.is_some_and(|old| asked.stands_in(old));
            let said = self.ask(pin, &reference, all.iter().filter(open))?;
            self.record(pin, &reference, &said, &all, old)?;
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
            if self.left_behind(pin, &reference)?.is_some() {
                found.push(format!(
                    "golden/{} is missing",
                    golden::before_path(release)
                ));
            }
            let all = self.questions(release)?;
            let said = self.ask(pin, &reference, &all)?;
            found.extend(if self.golden.manifest()?.of(release).is_some() {
                self.differences(pin, &reference, &said, &all)?
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
        let speakers = Speakers::read()?;
        let chosen = audit::choose(self.pins, &speakers, &self.golden.manifest()?, count, seed)?;
        let known = audit::recorded()?;
        let mut lines = Vec::new();
        for pin in &chosen {
            let asked = self.questions(&pin.release)?;
            let inputs = inputs(&asked);
            let done = known.iter().find(|line| {
                line.release == pin.release
                    && line.go_ref_sha256 == pin.digest
                    && line.inputs == inputs
            });
            if let Some(line) = done {
                eprintln!("{}: audited already", pin.release);
                lines.push(line.clone());
                continue;
            }
            let reference = self.build(pin)?;
            let _lock = self.lock()?;
            let said = self.ask(pin, &reference, &asked)?;
            let compared = self.differences_from_class(pin, &said, &speakers)?;
            for difference in compared.found.iter().take(SHOWN) {
                eprintln!("  {difference}");
            }
            let line = Audited {
                release: pin.release.clone(),
                go_ref_sha256: pin.digest.clone(),
                inputs,
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
        if self.golden.cases(Source::Random(&pin.release))?.is_some() {
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
    /// yet: what its API server persists of our workloads, and what its controllers make of
    /// them.
    fn left_behind(&self, pin: &Pin, reference: &Reference) -> Result<Option<String>> {
        if !pin.before || self.golden.before()?.contains(&pin.release) {
            return Ok(None);
        }
        let Some(workloads) = self.golden.cases(Source::Cases("rollouts"))? else {
            return Ok(None);
        };
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
        let objects: Vec<(&str, &RawValue)> = workloads
            .cases
            .iter()
            .filter_map(|case| Some((&*case.id, &**case.members.get("object")?)))
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

    /// What a release is asked, as things are now.
    fn questions(&self, release: &str) -> Result<Vec<Asked>> {
        let mut names: Vec<String> = QUESTIONS.iter().map(|name| (*name).to_owned()).collect();
        for before in self.golden.before()? {
            // Nobody goes back.
            if Release::parse(&before)? <= Release::parse(release)? {
                names.push(format!("{RECONCILE_LEFT_BEHIND}@{before}"));
            }
        }
        let random = self.golden.cases(Source::Random(release))?.map(Rc::new);
        let mut read: BTreeMap<String, Rc<Cases>> = BTreeMap::new();
        let mut asked = Vec::new();
        for name in names {
            let question = Question::new(&name).map_err(Error::Failed)?;
            let source = question.source();
            let key = format!("{source:?}");
            let cases = match read.get(&key) {
                Some(cases) => Rc::clone(cases),
                None => {
                    let cases = self.golden.cases(source)?.map(Rc::new);
                    let missing = || Error::Failed(format!("golden/{}: no cases", source.name()));
                    Rc::clone(read.entry(key).or_insert(cases.ok_or_else(missing)?))
                }
            };
            if let Some(random) = &random
                && question.suits_random_pods()
            {
                asked.push(Asked {
                    question: question.clone(),
                    random: true,
                    cases: Rc::clone(random),
                });
            }
            asked.push(Asked {
                question,
                random: false,
                cases,
            });
        }
        Ok(asked)
    }

    /// Puts questions to a reference.
    fn ask<'q>(
        &self,
        pin: &Pin,
        reference: &Reference,
        questions: impl IntoIterator<Item = &'q Asked>,
    ) -> Result<Said> {
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
            values: BTreeMap::new(),
        };
        for asked in questions {
            let name = asked.question.name.clone();
            let answered = ask(self.sh, reference, asked, release)?;
            said.asked += answered.asked;
            if asked.random {
                said.random.insert(name, answered.answers);
                continue;
            }
            // Every release makes static Pods of its own: their digests are enough.
            if !answered.objects.is_empty() && asked.question.subject != READ_FILE {
                let values = said.values.entry(asked.question.subject.clone());
                values.or_default().extend(answered.objects);
            }
            said.answers.insert(name, answered.answers);
        }
        Ok(said)
    }

    /// Writes what a reference said; the manifest last, for it vouches for the rest.
    fn record(
        &self,
        pin: &Pin,
        reference: &Reference,
        said: &Said,
        all: &[Asked],
        old: Option<&Provenance>,
    ) -> Result<()> {
        let (golden, release) = (&self.golden, &pin.release);
        let mut manifest = golden.manifest()?;
        let mut schemas = golden.schemas()?;
        schemas.set(&said.schema.schema)?;
        golden.write_schemas(&schemas)?;
        for asked in all.iter().filter(|asked| !asked.random) {
            let name = &asked.question.name;
            if let Some(answers) = said.answers.get(name) {
                let cases = asked.cases.cases.iter();
                let order: Vec<&str> = cases.map(|case| &*case.id).collect();
                let mut file = golden.question(name, &manifest)?;
                file.set(release, answers, &order)?;
                golden.write_question(name, &file)?;
            }
        }
        for (question, answers) in &said.random {
            golden.write_random_answers(release, question, answers)?;
        }
        for (subject, objects) in &said.values {
            golden.write_values(subject, objects)?;
        }
        let mut provenance = said.provenance(pin, reference, all)?;
        if let Some(old) = old {
            for asked in all.iter().filter(|asked| asked.stands_in(old)) {
                let (tallies, known) = if asked.random {
                    (&mut provenance.random, &old.random)
                } else {
                    (&mut provenance.answers, &old.answers)
                };
                let name = &asked.question.name;
                tallies.extend(known.get(name).map(|tally| (name.clone(), tally.clone())));
            }
        }
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
        all: &[Asked],
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
        let fresh = said.provenance(pin, reference, all)?;
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
    /// Objects by subject and digest.
    values: BTreeMap<String, BTreeMap<String, Box<RawValue>>>,
}

impl Said {
    /// The release's entry, with the answers that it gave now.
    fn provenance(&self, pin: &Pin, reference: &Reference, all: &[Asked]) -> Result<Provenance> {
        Ok(Provenance {
            release: pin.release.clone(),
            module: format!("k8s.io/kubernetes@{}", pin.release),
            go_sum: reference.stamp.go_sum.clone(),
            toolchain: pin.toolchain.clone(),
            mode: pin.mode,
            substitutions: pin.substitutions.clone(),
            go_ref_sha256: pin.digest.clone(),
            inputs: inputs(all),
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

fn ask(sh: &Shell, reference: &Reference, about: &Asked, release: &str) -> Result<Answered> {
    let question = &about.question;
    let mut requests = String::new();
    let mut ids = Vec::new();
    for case in &about.cases.cases {
        if let Some(line) = question.request(release, case) {
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
    if question.source() == Source::Texts {
        no_variation(sh, reference, release, &requests, &lines)?;
    }
    for (line, id) in lines.iter().zip(ids) {
        let mut response: Response = serde_json::from_str(line)
            .map_err(|e| Error::Failed(format!("{release}: not an answer: {e}: {line}")))?;
        if response.id != *id {
            return Err(Error::Failed(format!(
                "{release}: asked about {id}, got {line}"
            )));
        }
        if response.skipped.is_some() {
            continue;
        }
        if question.is_answered_in_full()
            && response.error.is_none()
            && let Some(content) = question::content(line)?
        {
            response.content = Some(RawValue::from_string(content)?);
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
        if let Some(content) = self.content {
            parts.object = Some(store(content, objects)?);
            return Ok(parts);
        }
        if let Some(containers) = &self.containers {
            let hashes: Vec<u64> = containers.iter().map(|c| c.hash).collect();
            parts.hashes = Some(raw(serde_json::to_string(&hashes)?)?);
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
