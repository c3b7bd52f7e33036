//! The project's tasks: `cargo xtask <task>`. One file a task; this one parses and dispatches.

mod add_release;
mod audit;
mod build_reference;
mod catalogue;
mod classes;
mod classify;
mod coverage;
mod docs;
mod error;
mod flags;
mod golden;
mod gopath_recipe;
mod goref;
mod pin;
// What references are asked is what everybody is asked.
#[expect(
    unreachable_pub,
    dead_code,
    reason = "public, and used, in the crate that it belongs to"
)]
#[path = "../../harness/src/question.rs"]
mod question;
mod regen_golden;
mod release;
mod releases;
// What releases are built with decides for both what is alike; the crate cannot be linked here, as
// it embeds what is written here.
#[expect(unreachable_pub, reason = "public in the crate that it belongs to")]
#[path = "../../src/toolchain/version.rs"]
mod toolchain;

use std::path::PathBuf;
use std::process::ExitCode;

use crate::error::Result;
use crate::flags::{Xtask, XtaskCmd};

fn main() -> ExitCode {
    let flags = Xtask::from_env_or_exit();
    match run(flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            error.exit_code()
        }
    }
}

fn run(flags: Xtask) -> Result<()> {
    match flags.subcommand {
        XtaskCmd::RegenGolden(flags) => regen_golden::run(&flags),
        XtaskCmd::AddRelease(flags) => add_release::run(&flags),
        XtaskCmd::Classify(flags) => classify::run(&flags),
        XtaskCmd::Releases(flags) => releases::run(&flags),
        XtaskCmd::Pin(flags) => pin::run(&flags),
        XtaskCmd::GopathRecipe(flags) => gopath_recipe::run(&flags),
        XtaskCmd::Coverage(flags) => coverage::run(&flags),
        XtaskCmd::Docs(_) => docs::run(),
        XtaskCmd::BuildReference(flags) => build_reference::run(&flags),
    }
}

/// The root of the repository: of the one that cargo runs this in, or that this was built in.
fn project_root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR");
    let xtask = here.map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    match xtask.parent() {
        Some(root) => root.to_path_buf(),
        None => xtask,
    }
}
