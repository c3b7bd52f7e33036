//! `kubehash releases`: the catalogue for people and for programs.

use std::io;

use kubehash::report::{ReleaseReport, ReleaseResult};

use super::Exit;
use super::args::{Output, ReleasesArgs};
use super::console::Console;
use super::table::Table;

/// Prints every release known.
pub(super) fn run(args: &ReleasesArgs, console: &Console) -> io::Result<Exit> {
    let report = ReleaseReport::of_catalogue();
    match args.output {
        Output::Json => {
            let mut json = serde_json::to_vec_pretty(&report)?;
            json.push(b'\n');
            console.write(&json)?;
        }
        Output::Table => {
            let mut table = Table::new(["RELEASE", "GO", "CLASS", "EVIDENCE", "CONTAINER-HASH"]);
            for result in &report.results {
                table.row(row(result));
            }
            console.write_styled(&table.to_string())?;
        }
    }
    Ok(Exit::Done)
}

fn row(result: &ReleaseResult) -> [&str; 5] {
    let era = result
        .subjects
        .iter()
        .find(|subject| subject.subject == "container-hash");
    [
        &result.release,
        // `go1.23.10` under the heading GO.
        result
            .toolchain
            .map_or("-", |toolchain| toolchain.trim_start_matches("go")),
        result.class.as_deref().unwrap_or("-"),
        result.evidence.unwrap_or("-"),
        era.map_or("-", |subject| subject.era),
    ]
}
