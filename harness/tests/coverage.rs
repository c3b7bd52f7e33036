//! The corpus holds every field that JSON can reach from a Pod template, at every place, absent,
//! empty and set, in an object that the release answers.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows test functions, but not the helpers beside them"
)]

use std::collections::BTreeSet;

use harness::coverage::{Coverage, Gap, State, answered};
use harness::golden::{self, Case, Source};
use harness::suite::Suite;
use kubehash::schema::Schema;

fn corpus() -> Vec<Case> {
    golden::cases(&golden::root(), Source::Objects).unwrap()
}

#[test]
fn the_corpus_covers_every_field_in_every_release_that_has_vectors() {
    let suite = Suite::read(&golden::root()).unwrap();
    let cases = corpus();
    let mut missing = Vec::new();
    for entry in &suite.manifest.releases {
        let release = &entry.release;
        let schema = Schema::load(release.parse().unwrap()).unwrap();
        let coverage = Coverage::of(&schema, &cases, &answered(&suite, release).unwrap()).unwrap();
        assert!(
            coverage.fields().total >= 3 * 150,
            "{release}: so few fields?"
        );
        missing.extend(
            coverage
                .missing()
                .iter()
                .map(|gap| format!("{release} {gap}")),
        );
    }
    assert!(
        missing.is_empty(),
        "{} states are missing; cargo xtask coverage --missing lists them. Where new cases of the \
         corpus have no vectors yet: cargo xtask regen-golden --all\n{}",
        missing.len(),
        missing[..missing.len().min(20)].join("\n")
    );
}

#[test]
fn without_the_one_object_that_covers_it_or_when_it_is_refused_a_state_is_missing() {
    const ALONE: &str = "fields-template-metadata-and-spec-empty";
    let gap = Gap {
        field: "PodTemplateSpec.Spec".into(),
        place: "spec".into(),
        state: State::Empty,
    };
    let schema = Schema::load("v1.37.0".parse().unwrap()).unwrap();
    let missing = |cases: &[Case], answered: &BTreeSet<String>| {
        Coverage::of(&schema, cases, answered).unwrap().missing()
    };
    let mut cases = corpus();
    let mut answered: BTreeSet<String> = cases.iter().map(|case| case.id.clone()).collect();
    assert_eq!(missing(&cases, &answered), []);

    answered.remove(ALONE);
    assert_eq!(missing(&cases, &answered), std::slice::from_ref(&gap));

    answered.insert(ALONE.into());
    cases.retain(|case| case.id != ALONE);
    assert_eq!(missing(&cases, &answered), [gap]);
}
