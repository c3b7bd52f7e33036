//! The harness is tested, too: what is broken on purpose must be reported.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows test functions, but not the helpers beside them"
)]

use std::fs;
use std::path::{Path, PathBuf};

use harness::golden::{self, Case, Manifest, Question, Vector};
use harness::known_failures::KnownFailures;
use harness::lint;
use harness::run::{Asked, Score, run};
use harness::suite::Suite;
use harness::testee::{Broken, Engine, Testee};

const FILE: &str = "vectors/container-hash.decoded.jsonl";
const RELEASE: &str = "v1.30.14";
const QUESTION: &str = "container-hash.decoded";
const NAME: &str = "v1.30.14/container-hash.decoded";

fn load_of(question: &Question) -> (Vec<Vector>, Vec<Case>) {
    let asked = Asked {
        release: RELEASE,
        question,
        random: false,
    };
    let suite = Suite::read(&golden::root()).unwrap();
    let cases = golden::cases(&golden::root(), question.source()).unwrap();
    (suite.vectors(asked).unwrap(), cases)
}

fn load() -> (Vec<Vector>, Vec<Case>) {
    load_of(&Question::new(QUESTION).unwrap())
}

fn score(vectors: &[Vector], testee: &dyn Testee, known: &str) -> golden::Result<Score> {
    score_of(&Question::new(QUESTION).unwrap(), vectors, testee, known)
}

fn score_of(
    question: &Question,
    vectors: &[Vector],
    testee: &dyn Testee,
    known: &str,
) -> golden::Result<Score> {
    let asked = Asked {
        release: RELEASE,
        question,
        random: false,
    };
    let (_, cases) = load_of(question);
    let known = KnownFailures::parse(known).unwrap();
    run(asked, vectors, &cases, testee, &known)
}

fn index_of_a_hash(vectors: &[Vector]) -> usize {
    let has_one = |v: &Vector| v.hashes.as_ref().is_some_and(|h| !h.is_empty());
    vectors.iter().position(has_one).unwrap()
}

#[test]
fn the_untouched_vectors_pass() {
    let (vectors, cases) = load();
    let score = score(&vectors, &Engine::default(), "").unwrap();
    assert!(score.is_green(), "{score}");
    assert_eq!(score.total(), cases.len());
}

#[test]
fn a_flipped_bit_in_a_vector_fails_and_names_the_case() {
    let (mut vectors, _) = load();
    let index = index_of_a_hash(&vectors);
    vectors[index].hashes.as_mut().unwrap()[0] ^= 1;
    let score = score(&vectors, &Engine::default(), "").unwrap();
    assert!(!score.is_green());
    assert_eq!(score.failed.len(), 1);
    assert!(score.failed[0].contains(&vectors[index].id), "{score}");
}

#[test]
fn a_missing_vector_fails() {
    let (mut vectors, _) = load();
    let index = index_of_a_hash(&vectors);
    vectors.remove(index);
    assert_eq!(
        score(&vectors, &Engine::default(), "")
            .unwrap()
            .failed
            .len(),
        1
    );
}

#[test]
fn a_vector_without_a_case_and_one_that_stands_twice_are_refused() {
    let (mut vectors, _) = load();
    vectors[0].id = "no-such-case".into();
    assert!(score(&vectors, &Engine::default(), "").is_err());
    vectors[0].id = vectors[1].id.clone();
    assert!(
        score(&vectors, &Engine::default(), "")
            .unwrap_err()
            .contains("twice")
    );
}

#[test]
fn no_vectors_at_all_are_no_pass() {
    assert!(!score(&[], &SkipsEverything, "").unwrap().is_green());
}

struct SkipsEverything;

impl Testee for SkipsEverything {
    fn answer(&self, request: &str) -> Result<String, Broken> {
        Ok(format!("{{\"id\":{},\"skipped\":\"busy\"}}", id(request)))
    }
}

struct EchoesTheFirstAnswer(std::sync::OnceLock<String>);

impl Testee for EchoesTheFirstAnswer {
    fn answer(&self, request: &str) -> Result<String, Broken> {
        match self.0.get() {
            Some(answer) => Ok(answer.clone()),
            None => {
                let answer = Engine::default().answer(request)?;
                Ok(self.0.get_or_init(|| answer).clone())
            }
        }
    }
}

struct Panics;

impl Testee for Panics {
    fn answer(&self, _: &str) -> Result<String, Broken> {
        Err(Broken::Panicked("boom".into()))
    }
}

/// The request's id, quoted. The object may hold numbers that fit nothing.
fn id(request: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Id {
        id: String,
    }
    let request: Id = serde_json::from_str(request).unwrap();
    serde_json::Value::from(request.id).to_string()
}

#[test]
fn a_testee_that_skips_everything_fails() {
    let (vectors, _) = load();
    let score = score(&vectors, &SkipsEverything, "").unwrap();
    assert_eq!(score.failed.len(), vectors.len());
    assert_eq!(score.passed, 0);
}

#[test]
fn a_testee_that_repeats_an_answer_fails() {
    let (vectors, _) = load();
    let score = score(
        &vectors,
        &EchoesTheFirstAnswer(std::sync::OnceLock::new()),
        "",
    )
    .unwrap();
    assert!(score.passed <= 1, "{score}");
    assert!(!score.is_green());
}

#[test]
fn a_testee_that_panics_has_a_column_of_its_own() {
    let (vectors, cases) = load();
    let score = score(&vectors, &Panics, "").unwrap();
    assert_eq!(score.panicked.len(), cases.len());
    assert!(!score.is_green());
}

#[test]
fn a_known_failure_that_passes_fails() {
    let (vectors, _) = load();
    let id = &vectors[index_of_a_hash(&vectors)].id;
    let score = score(
        &vectors,
        &Engine::default(),
        &format!("{NAME} {id}: we forgot it here"),
    )
    .unwrap();
    assert_eq!(score.failed.len(), 1, "{score}");
}

#[test]
fn a_known_failure_without_a_reason_is_refused() {
    assert!(KnownFailures::parse("v1.30.14/x case").is_err());
    assert!(KnownFailures::parse("v1.30.14/x case:  ").is_err());
    assert!(KnownFailures::parse("v1.30.14/x: why").is_err());
}

// ---- the lints, on a copy that may be spoiled ---------------------------------------------

/// A copy of `golden/`, gone with the test.
struct Copy(PathBuf);

impl Copy {
    fn new(test: &str) -> Copy {
        let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&to);
        copy(&golden::root(), &to);
        Copy(to)
    }

    fn wrong(&self) -> Vec<String> {
        lint::lint(&self.0).unwrap_or_else(|e| vec![e])
    }

    fn edit(&self, path: &str, change: impl Fn(String) -> String) {
        let path = self.0.join(path);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, change(text)).unwrap();
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// What the lints say of one change to a file of vectors.
fn spoiled(test: &str, change: impl Fn(&mut Vec<String>)) -> Vec<String> {
    let copy = Copy::new(test);
    assert_eq!(copy.wrong(), Vec::<String>::new());
    copy.edit(FILE, |text| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        change(&mut lines);
        lines.iter().map(|line| format!("{line}\n")).collect()
    });
    copy.wrong()
}

/// The place of a line that takes over from one of the same case.
fn change_of_an_answer(lines: &[String]) -> usize {
    let id = |line: &str| line.split(',').next().unwrap().to_owned();
    let pairs = lines.windows(2);
    1 + pairs
        .into_iter()
        .position(|pair| id(&pair[0]) == id(&pair[1]))
        .unwrap()
}

#[test]
fn a_line_less_is_reported() {
    let wrong = spoiled("line-less", |lines| {
        lines.remove(change_of_an_answer(lines));
    });
    assert!(wrong.iter().any(|w| w.contains(FILE)), "{wrong:?}");
}

#[test]
fn a_line_more_is_reported_even_if_it_says_nothing_new() {
    let wrong = spoiled("line-more", |lines| {
        let line = lines[0].replace("\"v1.1.8\"", "\"v1.2.7\"");
        assert_ne!(line, lines[0]);
        lines.insert(1, line);
    });
    assert!(wrong.iter().any(|w| w.contains("nothing new")), "{wrong:?}");
    let wrong = spoiled("line-twice", |lines| lines.insert(0, lines[0].clone()));
    assert!(
        wrong.iter().any(|w| w.contains("out of order")),
        "{wrong:?}"
    );
}

#[test]
fn a_changed_since_is_reported() {
    for (test, to) in [("since-later", "v1.37.0"), ("since-unknown", "v1.30.13")] {
        let wrong = spoiled(test, |lines| {
            let place = change_of_an_answer(lines);
            let (head, rest) = lines[place].split_once("\"since\":\"").unwrap();
            let (_, answer) = rest.split_once('"').unwrap();
            lines[place] = format!("{head}\"since\":\"{to}\"{answer}");
        });
        assert!(wrong.iter().any(|w| w.contains(FILE)), "{wrong:?}");
    }
}

#[test]
fn a_changed_answer_is_reported() {
    let wrong = spoiled("changed-answer", |lines| {
        let place = lines
            .iter()
            .position(|line| line.contains("\"hashes\":[1"))
            .unwrap();
        lines[place] = lines[place].replace("\"hashes\":[1", "\"hashes\":[2");
    });
    let reported = |w: &String| w.contains(FILE) && w.contains("not what the reference answered");
    assert!(wrong.iter().any(reported), "{wrong:?}");
}

#[test]
fn a_missing_or_extra_file_of_vectors_is_reported() {
    let copy = Copy::new("spoiled-vectors");
    fs::remove_file(copy.0.join(FILE)).unwrap();
    assert!(
        copy.wrong().iter().any(|w| w.contains(FILE)),
        "{:?}",
        copy.wrong()
    );
    for extra in [
        "vectors/container-hash.extra.jsonl",
        "vectors/random/v1.30.14/extra.jsonl",
    ] {
        fs::write(copy.0.join(extra), "").unwrap();
        let expected = format!("{extra} is in no release's provenance");
        assert!(copy.wrong().contains(&expected), "{:?}", copy.wrong());
    }
}

#[test]
fn a_spoiled_answer_about_a_random_object_is_reported() {
    let copy = Copy::new("spoiled-random");
    let file = "vectors/random/v1.30.14/create.jsonl";
    copy.edit(file, |text| text.replacen("\"hash\":", "\"hash\":1", 1));
    assert!(
        copy.wrong().iter().any(|w| w.contains(file)),
        "{:?}",
        copy.wrong()
    );
    copy.edit(file, |text| text.split_once('\n').unwrap().1.to_owned());
    assert!(
        copy.wrong().iter().any(|w| w.contains(file)),
        "{:?}",
        copy.wrong()
    );
}

#[test]
fn a_changed_missing_or_idle_value_is_reported() {
    let copy = Copy::new("spoiled-values");
    copy.edit("values/create.jsonl", |text| {
        let (first, rest) = text.split_once('\n').unwrap();
        let (second, rest) = rest.split_once('\n').unwrap();
        let second = second.replacen("\"kind\"", "\"kinds\"", 1);
        format!(
            "{second}\n{rest}{}\n",
            first.replacen("{\"sha256\":\"", "{\"sha256\":\"f", 1)
        )
    });
    let wrong = copy.wrong();
    for what in [
        "digest of something else",
        "stands twice or for nothing",
        "is missing",
    ] {
        assert!(wrong.iter().any(|w| w.contains(what)), "{what}: {wrong:?}");
    }
}

#[test]
fn releases_out_of_order_are_reported() {
    let copy = Copy::new("spoiled-order");
    copy.edit("manifest.json", |text| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.swap(2, 3);
        lines.join("\n")
    });
    assert!(
        copy.wrong().iter().any(|w| w.contains("not in order")),
        "{:?}",
        copy.wrong()
    );
    assert_eq!(
        Manifest::read(&copy.0).unwrap().releases[1].release,
        "v1.3.10"
    );
}

/// Answers as the engine does, but with another UID.
struct OtherUid {
    /// Whether the UID is another one in `metadata.uid` only.
    only_there: bool,
}

impl Testee for OtherUid {
    fn answer(&self, request: &str) -> Result<String, Broken> {
        let answer = Engine::default().answer(request)?;
        let Some((head, rest)) = answer.split_once("\"uid\":\"") else {
            return Ok(answer);
        };
        let (uid, rest) = rest.split_once('"').unwrap();
        let rest = match self.only_there {
            true => rest.to_owned(),
            false => rest.replace(uid, "$UID"),
        };
        Ok(format!(
            "{head}\"uid\":\"{}\"{rest}",
            uid.replace(char::is_alphabetic, "0")
        ))
    }
}

#[test]
fn a_uid_that_differs_anywhere_fails() {
    let question = Question::new("read-file").unwrap();
    let (mut vectors, _) = load_of(&question);
    let with_uid = vectors.iter().filter(|vector| vector.uid.is_some()).count();
    assert!(with_uid > 200, "{with_uid}");
    for only_there in [true, false] {
        let score = score_of(&question, &vectors, &OtherUid { only_there }, "").unwrap();
        assert!(score.failed.len() >= with_uid - 1, "{score}");
    }
    let place = vectors
        .iter()
        .position(|vector| vector.uid.is_some())
        .unwrap();
    vectors[place].uid = vectors[place]
        .uid
        .as_ref()
        .map(|uid| uid.chars().rev().collect());
    let score = score_of(&question, &vectors, &Engine::default(), "").unwrap();
    assert_eq!(score.failed.len(), 1, "{score}");
    assert!(score.failed[0].contains("UID"), "{score}");
}

#[test]
fn a_corpus_newer_than_its_vectors_and_a_case_that_stands_twice_are_reported() {
    let copy = Copy::new("spoiled-corpus");
    copy.edit("corpus/containers.jsonl", |text| {
        let first = text.lines().next().unwrap().to_owned();
        format!("{text}{first}\n")
    });
    let wrong = copy.wrong();
    assert!(
        wrong.iter().any(|w| w.contains("older than golden/corpus")),
        "{wrong:?}"
    );
    assert!(
        wrong.iter().any(|w| w.contains("stands twice")),
        "{wrong:?}"
    );
}

#[test]
fn a_case_with_an_unknown_field_or_without_a_purpose_is_reported() {
    for line in [
        r#"{"id":"x","about":"y","object":{},"more":1}"#,
        r#"{"id":"x","object":{}}"#,
        r#"{"id":"x","about":"y"}"#,
    ] {
        let copy = Copy::new("spoiled-case");
        copy.edit("corpus/containers.jsonl", |text| format!("{text}{line}\n"));
        assert!(!copy.wrong().is_empty(), "{line}");
    }
}
