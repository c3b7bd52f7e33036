//! The engine against every vector that the real Go code wrote: a named case per question and minor,
//! and one per question about each release's random objects.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows test functions, but not the helpers beside them"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use harness::golden::{self, Question};
use harness::known_failures::{KnownFailures, OURS};
use harness::run::Asked;
use harness::suite::Suite;
use harness::testee::Engine;
use rstest::rstest;

/// Engines are loaded once per release and shared by all cases.
static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);
static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::read(&golden::root()).unwrap());

/// The releases of a minor, `v1.30`.
fn releases_of(minor: &str) -> Vec<&'static str> {
    let releases = SUITE.manifest.releases.iter().map(|entry| &*entry.release);
    releases
        .filter(|release| minor_of(release) == minor)
        .collect()
}

fn minor_of(release: &str) -> &str {
    release.rsplit_once('.').unwrap().0
}

/// Every vector is compared, and where the real code has no answer the engine has none, either.
fn compare(release: &str, question: &Question, random: bool) {
    let asked = Asked {
        release,
        question,
        random,
    };
    let known = KnownFailures::parse(OURS).unwrap();
    let score = SUITE.judge(asked, &*ENGINE, &known).unwrap();
    let (cases, vectors) = (SUITE.cases(asked).unwrap(), SUITE.tally(asked));
    assert!(
        score.failed.is_empty() && score.panicked.is_empty(),
        "{asked}: {score}"
    );
    assert_eq!(
        score.total(),
        cases.len(),
        "{asked}: a case is not in the denominator"
    );
    assert_eq!(
        score.passed,
        vectors.map_or(0, |tally| tally.cases),
        "{asked}: a vector was not compared"
    );
}

macro_rules! minors {
    ($($minor:literal),* $(,)?) => {
        const MINORS: &[&str] = &[$($minor),*];

        #[rstest]
        fn engine_equals_go(
            #[files("../golden/vectors/*.jsonl")] path: PathBuf,
            #[values($($minor),*)] minor: &str,
        ) {
            let question = Question::of_file(&path).unwrap();
            let releases = releases_of(minor);
            assert!(!releases.is_empty());
            for release in releases {
                compare(release, &question, false);
            }
        }
    };
}

minors!(
    "v1.1", "v1.2", "v1.3", "v1.4", "v1.5", "v1.6", "v1.7", "v1.8", "v1.9", "v1.10", "v1.11",
    "v1.12", "v1.13", "v1.14", "v1.15", "v1.16", "v1.17", "v1.18", "v1.19", "v1.20", "v1.21",
    "v1.22", "v1.23", "v1.24", "v1.25", "v1.26", "v1.27", "v1.28", "v1.29", "v1.30", "v1.31",
    "v1.32", "v1.33", "v1.34", "v1.35", "v1.36", "v1.37"
);

#[rstest]
fn engine_equals_go_on_random_objects(
    #[files("../golden/vectors/random/*/*.jsonl")] path: PathBuf,
) {
    let folder = path.parent().unwrap().file_name().unwrap();
    let question = Question::of_file(&path).unwrap();
    compare(folder.to_str().unwrap(), &question, true);
}

#[test]
fn every_release_and_every_question_of_the_manifest_is_a_case_here() {
    let releases = SUITE.manifest.releases.iter();
    let minors: BTreeSet<&str> = releases.map(|entry| minor_of(&entry.release)).collect();
    assert_eq!(minors, MINORS.iter().copied().collect());

    let root = golden::root().join("vectors");
    let names = |paths: Vec<PathBuf>| -> Vec<String> {
        paths
            .iter()
            .map(|path| Question::of_file(path).unwrap().name)
            .collect()
    };
    let questions: Vec<&str> = SUITE.questions.iter().map(|q| &*q.name).collect();
    assert_eq!(names(golden::files(&root, ".jsonl").unwrap()), questions);
    for entry in &SUITE.manifest.releases {
        if entry.random.is_empty() {
            continue;
        }
        let folder = golden::random_folder(&golden::root(), &entry.release);
        let questions: Vec<&str> = entry.random.keys().map(|q| &**q).collect();
        assert_eq!(names(golden::files(&folder, ".jsonl").unwrap()), questions);
    }
}

#[test]
fn the_list_of_known_failures_is_empty() {
    assert_eq!(KnownFailures::parse(OURS).unwrap().len(), 0);
}
