//! The engine against every vector that the real Go code wrote: a named case per question and minor,
//! and one per question about each release's random objects. Which there are, the manifest says.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows test functions, but not cases that are made at run time"
)]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::LazyLock;

use harness::golden::{self, Question};
use harness::known_failures::{KnownFailures, OURS};
use harness::run::Asked;
use harness::suite::Suite;
use harness::testee::Engine;
use libtest_mimic::{Arguments, Trial};

/// Engines are loaded once per release and shared by all cases.
static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);
static SUITE: LazyLock<Suite> = LazyLock::new(|| Suite::read(&golden::root()).unwrap());

fn main() -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), trials()).exit_code()
}

fn trials() -> Vec<Trial> {
    let mut minors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in &SUITE.manifest.releases {
        let (minor, _) = entry.release.rsplit_once('.').unwrap();
        minors.entry(minor).or_default().push(&entry.release);
    }
    let mut trials = Vec::new();
    for question in &SUITE.questions {
        let name = &question.name;
        for (minor, mut releases) in minors.clone() {
            releases.retain(|release| {
                let asked = Asked {
                    release,
                    question,
                    random: false,
                };
                SUITE.tally(asked).is_some()
            });
            if releases.is_empty() {
                continue;
            }
            trials.push(Trial::test(
                format!("engine_equals_go::{name}::{minor}"),
                move || {
                    for release in releases {
                        compare(release, question, false);
                    }
                    Ok(())
                },
            ));
        }
        for entry in &SUITE.manifest.releases {
            if entry.random.contains_key(name) {
                let release = &entry.release;
                trials.push(Trial::test(
                    format!("engine_equals_go_on_random_objects::{name}::{release}"),
                    move || {
                        compare(release, question, true);
                        Ok(())
                    },
                ));
            }
        }
    }
    trials
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
