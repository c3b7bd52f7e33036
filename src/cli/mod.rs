//! The command line: arguments in, text and an exit code out.
//!
//! All I/O of the crate happens here and below. stdout carries data, stderr carries words, and
//! every command documents its exit codes ([`Exit`], `--help` and docs/cli.md).

mod args;
mod console;
mod hash;
mod input;
mod kinds;
mod plan;
mod releases;
mod session;
mod table;
mod testee;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use kubehash::diagnostic::Diagnostic;

use args::{Cli, Color, Command};
use console::{Console, words};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// All was done.
    Done,
    /// Wrong usage, unreadable input, or something failed.
    Error,
    /// An upgrade restarts or rolls something.
    Disturbs,
    /// Nothing was checked, or part of the input could not be.
    Incomplete,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Error => 1,
            Exit::Disturbs => 2,
            Exit::Incomplete => 3,
        })
    }
}

/// Runs the program.
pub(crate) fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            // clap would exit with 2, which is taken here; when stderr fails, nobody is left to be
            // told.
            let _ = error.print();
            return Exit::Error.into();
        }
        // Help and version are data.
        Err(help) => {
            let console = Console::new(Color::Auto, false);
            let help = help.render().ansi().to_string();
            return written(&console, console.write_styled(&help).map(|()| Exit::Done));
        }
    };
    let console = Console::new(cli.color, cli.quiet);
    let done = match &cli.command {
        Command::Hash(args) => hash::run(args, &console),
        Command::Plan(args) => plan::run(args, &console),
        Command::Releases(args) => releases::run(args, &console),
        Command::Testee => testee::run(&console),
        Command::Completions { shell } => {
            // Into memory first: the generator panics when its writer fails.
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "kubehash", &mut script);
            console.write(&script).map(|()| Exit::Done)
        }
    };
    written(&console, done)
}

/// What becomes of a command whose output may have failed.
fn written(console: &Console, done: io::Result<Exit>) -> ExitCode {
    match done {
        Ok(exit) => exit.into(),
        // Whoever read our answers has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done.into(),
        Err(error) => {
            let message = format!("cannot write the output: {}", words(&error));
            console.diagnostic(&Diagnostic::error(message));
            Exit::Error.into()
        }
    }
}
