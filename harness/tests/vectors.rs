//! The engine against every vector that the real Go code wrote: one named case per file, that is
//! per release, subject and view.

use std::path::PathBuf;

use harness::golden::{self, Manifest, Vector, VectorFile};
use harness::known_failures::{KnownFailures, OURS};
use harness::run::run;
use harness::testee::Engine;
use rstest::rstest;

/// Engines are loaded once per release and shared by all cases.
static ENGINE: std::sync::LazyLock<Engine> = std::sync::LazyLock::new(Engine::default);

#[rstest]
fn engine_equals_go(#[files("../golden/vectors/*/*.jsonl")] path: PathBuf) {
    let file = VectorFile::new(&path).unwrap();
    let name = format!(
        "{}/{}",
        file.release,
        path.file_name().unwrap().to_string_lossy()
    );
    let vectors: Vec<Vector> = golden::lines(&path).unwrap();
    let cases = golden::shared_cases(file.source(), &file.release).unwrap();
    let known = KnownFailures::parse(OURS).unwrap();
    let score = run(&file, &name, &vectors, &cases, &*ENGINE, &known).unwrap();
    assert_eq!(
        score.total(),
        cases.len(),
        "every case is in the denominator"
    );
    assert!(score.is_green(), "{score}");
    assert_eq!(score.passed, vectors.len(), "every vector was compared");
}

#[test]
fn every_vector_file_of_the_manifest_is_a_case_here() {
    let root = golden::root();
    let manifest = Manifest::read(&root).unwrap();
    let listed: usize = manifest
        .releases
        .iter()
        .flat_map(|entry| entry.files.keys())
        .filter(|path| path.starts_with("vectors/"))
        .count();
    assert_eq!(listed, VectorFile::all(&root).unwrap().len());
    assert!(listed > 0);
}

#[test]
fn the_list_of_known_failures_is_empty() {
    assert_eq!(KnownFailures::parse(OURS).unwrap().len(), 0);
}
