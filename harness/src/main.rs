//! `cargo run -p harness -- [FILTER…]`: the scoreboard. Every vector file whose path contains all
//! filters is run against the engine; exit code 0 only if something passed and nothing failed.

use std::collections::BTreeMap;
use std::process::ExitCode;

use harness::golden::{self, Result, Vector, VectorFile};
use harness::known_failures::{KnownFailures, OURS};
use harness::run::{Score, run};
use harness::testee::Engine;

fn main() -> ExitCode {
    let filters: Vec<String> = std::env::args().skip(1).collect();
    match scoreboard(&filters) {
        Ok(total) => {
            println!("{total}");
            if total.is_green() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn scoreboard(filters: &[String]) -> Result<Score> {
    let engine = Engine::default();
    let known = KnownFailures::parse(OURS)?;
    let golden = golden::root();
    let mut total = Score::default();
    let mut by_release: BTreeMap<String, Score> = BTreeMap::new();
    for file in VectorFile::all(&golden)? {
        let path = file
            .path
            .strip_prefix(golden.join("vectors"))
            .unwrap_or(&file.path);
        let name = path.to_string_lossy().into_owned();
        if !filters.iter().all(|filter| name.contains(filter.as_str())) {
            continue;
        }
        let vectors: Vec<Vector> = golden::lines(&file.path)?;
        let cases = golden::shared_cases(file.source(), &file.release)?;
        let score = run(&file, &name, &vectors, &cases, &engine, &known)?;
        eprintln!(
            "{name}: {} passed, {} failed of {}",
            score.passed,
            score.failed.len(),
            score.total()
        );
        by_release
            .entry(file.release.clone())
            .or_default()
            .add(score.clone());
        total.add(score);
    }
    for (release, score) in &by_release {
        println!(
            "{release}: {} cases, {} passed, {} failed, {} skipped, {} panicked",
            score.total(),
            score.passed,
            score.failed.len(),
            score.skipped,
            score.panicked.len()
        );
    }
    Ok(total)
}
