//! `cargo run -p harness -- [FILTER…]`: the scoreboard. Every question whose name
//! (`v1.30.14/deep-hash.internal.static`, `v1.30.14/random/create`) contains all filters is put to
//! the engine; exit code 0 only if something passed and nothing failed.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use harness::golden::{self, Result};
use harness::known_failures::{KnownFailures, OURS};
use harness::run::{Asked, Score};
use harness::suite::Suite;
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
    let suite = Suite::read(&golden::root())?;
    let mut chosen = suite.all();
    chosen.retain(|asked| {
        let name = asked.to_string();
        filters.iter().all(|filter| name.contains(filter.as_str()))
    });
    let mut by_release: BTreeMap<usize, Score> = BTreeMap::new();
    for (asked, score) in chosen.iter().zip(scores(&suite, &chosen)) {
        let releases = &suite.manifest.releases;
        let place = releases.iter().position(|r| r.release == asked.release);
        by_release
            .entry(place.unwrap_or_default())
            .or_default()
            .add(score?);
    }
    let mut total = Score::default();
    for (place, score) in by_release {
        println!(
            "{}: {} cases, {} passed, {} failed, {} skipped, {} panicked",
            suite.manifest.releases[place].release,
            score.total(),
            score.passed,
            score.failed.len(),
            score.skipped,
            score.panicked.len()
        );
        total.add(score);
    }
    println!("{}", denominator(&suite, &chosen));
    Ok(total)
}

/// How much was asked, and of how much.
fn denominator(suite: &Suite, chosen: &[Asked<'_>]) -> String {
    let tallies = chosen.iter().filter_map(|asked| suite.tally(*asked));
    let random = chosen.iter().filter(|asked| asked.random).count();
    format!(
        "{} releases × {} questions ({} subjects in their views and forms) about the corpus, \
         and {random} sets of random objects: asked {} of {}, which have {} vectors",
        suite.manifest.releases.len(),
        suite.questions.len(),
        suite.subjects().len(),
        chosen.len(),
        suite.all().len(),
        tallies.map(|tally| tally.cases).sum::<usize>()
    )
}

/// The score of each question, computed on all cores.
fn scores(suite: &Suite, chosen: &[Asked<'_>]) -> Vec<Result<Score>> {
    let engine = Engine::default();
    let known = KnownFailures::parse(OURS);
    let next = AtomicUsize::new(0);
    let scores: Mutex<BTreeMap<usize, Result<Score>>> = Mutex::default();
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(asked) = chosen.get(place) else {
                return;
            };
            let score = known
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|known| suite.judge(*asked, &engine, known));
            scores
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(place, score);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let scores = scores.into_inner().unwrap_or_else(PoisonError::into_inner);
    scores.into_values().collect()
}
