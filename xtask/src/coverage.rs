//! `cargo xtask coverage`: what the corpus covers. The harness measures it; this starts it, so that
//! the tasks need not be built with the engine.

use xshell::{Shell, cmd};

use crate::error::{Error, Result};
use crate::flags::Coverage;
use crate::project_root;

pub(crate) fn run(flags: &Coverage) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(project_root());
    cmd!(sh, "cargo run --quiet --package harness --bin coverage --")
        .args(&flags.releases)
        .args(flags.missing.then_some("--missing"))
        .args(flags.engine.then_some("--engine"))
        .quiet()
        .run()
        .map_err(|_| {
            Error::Failed("the corpus lacks something, or it could not be measured".into())
        })
}
