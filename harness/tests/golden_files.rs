//! The golden files are complete, unique, of known provenance and no older than their inputs.

use harness::{golden, lint};

#[test]
fn golden_files_are_sound() {
    let wrong = lint::lint(&golden::root()).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_corpus_is_as_large_as_promised() {
    let objects = golden::cases(&golden::root(), golden::Source::Objects, "").unwrap();
    let texts = golden::cases(&golden::root(), golden::Source::Texts, "").unwrap();
    assert!(objects.len() >= 150, "{}", objects.len());
    assert!(texts.len() >= 100, "{}", texts.len());
}
