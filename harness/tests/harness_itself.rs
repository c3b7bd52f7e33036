//! The harness is tested, too: what is broken on purpose must be reported.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy knows test functions, but not the helpers beside them"
)]

use std::fs;
use std::path::{Path, PathBuf};

use harness::golden::{self, Case, Source, Vector, VectorFile};
use harness::known_failures::KnownFailures;
use harness::lint;
use harness::run::{Score, run};
use harness::testee::{Broken, Engine, Testee};

const FILE: &str = "vectors/v1.30.14/container-hash.decoded.jsonl";
const NAME: &str = "v1.30.14/container-hash.decoded.jsonl";

fn load() -> (VectorFile, Vec<Vector>, Vec<Case>) {
    let path = golden::root().join(FILE);
    (
        VectorFile::new(&path).unwrap(),
        golden::lines(&path).unwrap(),
        golden::cases(&golden::root(), Source::Objects, "").unwrap(),
    )
}

fn score(vectors: &[Vector], testee: &dyn Testee, known: &str) -> golden::Result<Score> {
    let (file, _, cases) = load();
    run(
        &file,
        NAME,
        vectors,
        &cases,
        testee,
        &KnownFailures::parse(known).unwrap(),
    )
}

fn index_of_a_hash(vectors: &[Vector]) -> usize {
    let has_one = |v: &Vector| v.hashes.as_ref().is_some_and(|h| !h.is_empty());
    vectors.iter().position(has_one).unwrap()
}

#[test]
fn the_untouched_vectors_pass() {
    let (_, vectors, cases) = load();
    let score = score(&vectors, &Engine::default(), "").unwrap();
    assert!(score.is_green(), "{score}");
    assert_eq!(score.total(), cases.len());
}

#[test]
fn a_flipped_bit_in_a_vector_fails_and_names_the_case() {
    let (_, mut vectors, _) = load();
    let index = index_of_a_hash(&vectors);
    vectors[index].hashes.as_mut().unwrap()[0] ^= 1;
    let score = score(&vectors, &Engine::default(), "").unwrap();
    assert!(!score.is_green());
    assert_eq!(score.failed.len(), 1);
    assert!(score.failed[0].contains(&vectors[index].id), "{score}");
}

#[test]
fn a_missing_vector_fails() {
    let (_, mut vectors, _) = load();
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
    let (_, mut vectors, _) = load();
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
    let (_, vectors, _) = load();
    let score = score(&vectors, &SkipsEverything, "").unwrap();
    assert_eq!(score.failed.len(), vectors.len());
    assert_eq!(score.passed, 0);
}

#[test]
fn a_testee_that_repeats_an_answer_fails() {
    let (_, vectors, _) = load();
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
    let (_, vectors, cases) = load();
    let score = score(&vectors, &Panics, "").unwrap();
    assert_eq!(score.panicked.len(), cases.len());
    assert!(!score.is_green());
}

#[test]
fn a_known_failure_that_passes_fails() {
    let (_, vectors, _) = load();
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
    assert!(KnownFailures::parse("v1.30.14/x.jsonl case").is_err());
    assert!(KnownFailures::parse("v1.30.14/x.jsonl case:  ").is_err());
    assert!(KnownFailures::parse("v1.30.14/x.jsonl: why").is_err());
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

#[test]
fn a_changed_missing_or_extra_vector_file_is_reported() {
    let copy = Copy::new("spoiled-vectors");
    assert_eq!(copy.wrong(), Vec::<String>::new());

    copy.edit(FILE, |text| text.replacen("\"id\"", " \"id\"", 1));
    assert!(
        copy.wrong().iter().any(|w| w.contains(FILE)),
        "{:?}",
        copy.wrong()
    );

    fs::remove_file(copy.0.join(FILE)).unwrap();
    assert!(copy.wrong().contains(&format!("{FILE} is missing")));

    fs::write(
        copy.0
            .join("vectors/v1.30.14/deep-hash.versioned.extra.jsonl"),
        "",
    )
    .unwrap();
    assert!(
        copy.wrong().iter().any(|w| w.contains("extra")),
        "{:?}",
        copy.wrong()
    );
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
        wrong.iter().any(|w| w.contains("older than the corpus")),
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
