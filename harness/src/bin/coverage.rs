//! `cargo xtask coverage [RELEASE…] [--missing] [--engine]`: what the corpus covers of the types of
//! each release. Exit code 0 only if nothing is missing.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use harness::coverage::{Coverage, answered, answered_by};
use harness::golden::{self, Result, Source};
use harness::suite::Suite;
use harness::testee::Engine;
use kubehash::release::{Release, VersionRequest};
use kubehash::schema::Schema;

#[derive(Default)]
struct Flags {
    /// Which releases; all that have vectors where none is named.
    releases: Vec<VersionRequest>,
    /// Names what is missing.
    missing: bool,
    /// The engine says what a release answers, not the vectors.
    engine: bool,
}

impl Flags {
    fn parse(args: impl Iterator<Item = String>) -> Result<Flags> {
        let mut flags = Flags::default();
        for arg in args {
            match &*arg {
                "--missing" => flags.missing = true,
                "--engine" => flags.engine = true,
                release => flags
                    .releases
                    .push(release.parse().map_err(|e| format!("{release}: {e}"))?),
            }
        }
        Ok(flags)
    }

    fn asks_for(&self, release: Release) -> bool {
        let is = |asked: &VersionRequest| match *asked {
            VersionRequest::Minor(minor) => release.minor() == minor,
            VersionRequest::Exact { release: exact, .. } => release == exact,
        };
        self.releases.is_empty() || self.releases.iter().any(is)
    }
}

fn main() -> ExitCode {
    let report = Flags::parse(std::env::args().skip(1)).and_then(|flags| report(&flags));
    match report {
        Ok(report) => {
            // Whoever closes the pipe has read enough.
            let _ = io::stdout().write_all(report.text.as_bytes());
            match report.complete {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Report {
    /// A line per release, each followed by what is missing if that was asked for.
    text: String,
    complete: bool,
}

fn report(flags: &Flags) -> Result<Report> {
    let suite = Suite::read(&golden::root())?;
    let cases = golden::cases(&golden::root(), Source::Objects)?;
    let engine = Engine::default();
    let mut rows = Vec::new();
    let mut complete = true;
    for entry in &suite.manifest.releases {
        let name = &entry.release;
        let release: Release = name.parse().map_err(|e| format!("{name}: {e}"))?;
        if !flags.asks_for(release) {
            continue;
        }
        let schema = Schema::load(release).map_err(|e| e.to_string())?;
        let ids = match flags.engine {
            true => answered_by(&engine, &suite, name)?,
            false => answered(&suite, name)?,
        };
        let coverage = Coverage::of(&schema, &cases, &ids)?;
        rows.push(row(name, &coverage.fields(), &coverage.places()));
        let missing = coverage.missing();
        complete &= missing.is_empty();
        if flags.missing {
            rows.extend(missing.iter().map(|gap| format!("  {gap}\n")));
        }
    }
    if rows.is_empty() {
        return Err("no release that was asked for has vectors".into());
    }
    let head = row("release", &"fields", &"places");
    Ok(Report {
        text: head + &rows.concat(),
        complete,
    })
}

fn row(release: &str, fields: &dyn Display, places: &dyn Display) -> String {
    let (fields, places) = (fields.to_string(), places.to_string());
    format!("{release:<10} {fields:>18} {places:>18}\n")
}
