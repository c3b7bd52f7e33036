//! The command line: arguments in, text and an exit code out.
//!
//! All I/O of the crate happens here and below. stdout carries data, stderr carries words, and
//! every command documents its exit codes ([`Exit`], `--help` and docs/cli.md).

mod args;
mod console;
mod hash;
mod input;
mod kinds;
mod releases;
mod table;
mod testee;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use kubehash::diagnostic::Diagnostic;

use args::{Cli, Command};
use console::Console;

/// How a command ended. Two is kept for the commands that judge upgrades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// All was done.
    Done,
    /// Wrong usage, unreadable input, or something failed.
    Error,
    /// Nothing was checked, or part of the input could not be.
    Incomplete,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Error => 1,
            Exit::Incomplete => 3,
        })
    }
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data; the rest is wrong usage, where clap itself would exit
            // with 2, which is taken here.
            let wrong = error.use_stderr();
            let printed = error.print();
            return match printed {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Exit::Error,
                _ if wrong => Exit::Error,
                _ => Exit::Done,
            }
            .into();
        }
    };
    let console = Console::new(cli.color, cli.quiet);
    let done = match &cli.command {
        Command::Hash(args) => hash::run(args, &console),
        Command::Releases(args) => releases::run(args, &console),
        Command::Testee => testee::run(),
        Command::Completions { shell } => {
            // Into memory first: the generator panics when its writer fails.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "kubehash", &mut script);
            console.write(&script).map(|()| Exit::Done)
        }
    };
    match done {
        Ok(exit) => exit.into(),
        // Whoever read our output has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done.into(),
        Err(error) => {
            console.diagnostic(&Diagnostic::error(format!(
                "cannot write the output: {error}"
            )));
            Exit::Error.into()
        }
    }
}
