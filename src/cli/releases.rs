//! `kubehash releases`: the catalogue for people and for programs, and what is different between
//! two releases.

mod difference;
mod markdown;

use std::io;

use kubehash::catalogue::{self, Resolution};
use kubehash::diagnostic::Diagnostic;
use kubehash::release::{Release, VersionRequest};
use kubehash::report::{DifferenceReport, ReleaseReport, ReleaseResult};

use super::Exit;
use super::args::{ReleasesArgs, ReleasesOutput};
use super::console::Console;
use super::table::Table;

/// Prints the releases known, or compares two.
pub(super) fn run(args: &ReleasesArgs, console: &Console) -> io::Result<Exit> {
    match args.diff.as_deref() {
        None => {}
        Some([from, to]) => return diff(*from, *to, args.output, console),
        Some(_) => {
            console.diagnostic(&Diagnostic::error("--diff compares two releases, once"));
            return Ok(Exit::Error);
        }
    }
    for asked in &args.releases {
        if resolve(*asked, console).is_none() {
            return Ok(Exit::Error);
        }
    }
    let asked_for = |entry: &catalogue::Entry| {
        let covers = |asked: &VersionRequest| covers(*asked, entry.release);
        args.releases.is_empty() || args.releases.iter().any(covers)
    };
    let report = ReleaseReport::of(catalogue::entries().filter(asked_for));
    match args.output {
        ReleasesOutput::Json => console.write_report(&report)?,
        ReleasesOutput::Markdown => console.write(markdown::render(&report).as_bytes())?,
        ReleasesOutput::Table => {
            let mut table = Table::new([
                "RELEASE",
                "GO",
                "EVIDENCE",
                "ANSWERED BY",
                "CLASS",
                "CONTAINER-HASH",
            ]);
            for result in &report.results {
                table.row(row(result).iter().map(String::as_str));
            }
            console.write_styled(&table.to_string())?;
        }
    }
    Ok(Exit::Done)
}

/// Who answers for a version; nobody, said aloud, where it is not known.
fn resolve(asked: VersionRequest, console: &Console) -> Option<Resolution> {
    catalogue::resolve(asked)
        .inspect_err(|error| {
            console.diagnostic(&Diagnostic::error(error.to_string()).with_hint(error.hint()));
        })
        .ok()
}

/// Whether a release is among those that a version stands for.
fn covers(asked: VersionRequest, release: Release) -> bool {
    match asked {
        VersionRequest::Minor(minor) => minor == release.minor(),
        VersionRequest::Exact { release: exact, .. } => exact == release,
    }
}

fn diff(
    from: VersionRequest,
    to: VersionRequest,
    output: ReleasesOutput,
    console: &Console,
) -> io::Result<Exit> {
    if output == ReleasesOutput::Markdown {
        let problem = Diagnostic::error("--diff cannot be printed as markdown");
        console.diagnostic(&problem.with_hint("there are -o table and -o json"));
        return Ok(Exit::Error);
    }
    let mut resolutions = Vec::new();
    for asked in [from, to] {
        match resolve(asked, console) {
            Some(resolution) => resolutions.push(resolution),
            None => return Ok(Exit::Error),
        }
    }
    for caveat in resolutions
        .iter()
        .filter_map(|resolution| resolution.caveat())
    {
        console.diagnostic(&Diagnostic::warning(caveat));
    }
    let [from, to] = &resolutions[..] else {
        return Ok(Exit::Error);
    };
    let report = match DifferenceReport::between(from, to) {
        Ok(report) => report,
        Err(error) => {
            console.diagnostic(&Diagnostic::error(error.to_string()));
            return Ok(Exit::Error);
        }
    };
    match output {
        ReleasesOutput::Json => console.write_report(&report)?,
        ReleasesOutput::Table | ReleasesOutput::Markdown => {
            console.write_styled(&difference::render(&report))?;
        }
    }
    Ok(Exit::Done)
}

fn row(result: &ReleaseResult) -> [String; 6] {
    let era = result
        .subjects
        .iter()
        .find(|subject| subject.subject == "container-hash");
    let class = result
        .questions
        .iter()
        .find(|entry| entry.question == "container-hash.delivered")
        .and_then(|entry| entry.class.clone());
    let mut by = result.class.clone().unwrap_or_else(|| "-".to_owned());
    if let Some(other) = &result.or_else {
        by = format!("{by}, {other}");
    }
    [
        result.release.clone(),
        // `go1.23.10` under the heading GO.
        result
            .toolchain
            .map_or("-", |toolchain| toolchain.trim_start_matches("go"))
            .to_owned(),
        result.evidence.unwrap_or("-").to_owned(),
        by,
        class.unwrap_or_else(|| "-".to_owned()),
        era.map_or("-", |subject| subject.era).to_owned(),
    ]
}
