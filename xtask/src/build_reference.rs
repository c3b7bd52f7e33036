//! `cargo xtask build-reference`: a reference to talk to.
//!
//! For benches, for differential fuzzing and for whoever wants to ask the real Go code something:
//! the program's path goes to stdout, and the program speaks the conformance protocol.

use xshell::Shell;

use crate::error::Result;
use crate::flags::BuildReference;
use crate::goref::pins::Pins;
use crate::goref::{Reference, Speed};
use crate::project_root;

pub(crate) fn run(flags: &BuildReference) -> Result<()> {
    let root = project_root();
    let sh = Shell::new()?;
    let pins = Pins::load(&root.join("go-ref"))?;
    let target = root.join("target/go-ref");
    let speed = if flags.optimised {
        Speed::OfRunning
    } else {
        Speed::OfBuilding
    };
    for pin in pins.select(std::slice::from_ref(&flags.release), false)? {
        let reference = Reference::build(&sh, &pins, &pin, &target, speed, false)?;
        println!("{}", reference.binary().display());
    }
    Ok(())
}
