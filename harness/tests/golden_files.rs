//! The golden files are complete, unique, of known provenance and no older than their inputs.

use harness::golden::Manifest;
use harness::known_failures::{KnownFailures, OURS};
use harness::{golden, lint};
use kubehash::catalogue;

#[test]
fn golden_files_are_sound() {
    let wrong = lint::lint(&golden::root()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_corpus_is_as_large_as_promised() {
    let objects = golden::cases(&golden::root(), golden::Source::Objects).unwrap();
    let texts = golden::cases(&golden::root(), golden::Source::Texts).unwrap();
    assert!(objects.len() >= 150, "{}", objects.len());
    assert!(texts.len() >= 100, "{}", texts.len());
}

#[test]
fn every_minor_known_has_vectors() {
    let manifest = Manifest::read(&golden::root()).unwrap();
    for known in catalogue::known() {
        let minor = format!("v1.{}.", known.minor());
        let mut releases = manifest.releases.iter().map(|entry| &entry.release);
        assert!(
            releases.any(|release| release.starts_with(&minor)),
            "{minor}"
        );
    }
}

#[test]
fn the_list_of_known_failures_is_empty() {
    assert_eq!(KnownFailures::parse(OURS).unwrap().len(), 0);
}
