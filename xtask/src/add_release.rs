//! `cargo xtask add-release RELEASE…`: everything that a new release of Kubernetes takes, in one
//! command: the list, the pin, the class, vectors where the class is new, and the documents.

use crate::audit::Speakers;
use crate::error::{Error, Result};
use crate::flags::{AddRelease as Flags, Classify, Pin, RegenGolden};
use crate::golden::Golden;
use crate::goref::pins::Pins;
use crate::release::Release;
use crate::{catalogue, classify, docs, pin, project_root, regen_golden};

pub(crate) fn run(flags: &Flags) -> Result<()> {
    let root = project_root();
    let mut releases = Vec::new();
    for name in &flags.releases {
        releases.push(Release::parse(name)?);
    }
    if releases.is_empty() {
        return Err(Error::Failed(
            "name a release, such as v1.38.0; cargo xtask releases --check finds new ones"
                .to_owned(),
        ));
    }
    catalogue::add(&root, &releases)?;
    let names: Vec<String> = releases.iter().map(Release::to_string).collect();
    pin::run(&Pin {
        releases: names.clone(),
        all: false,
    })?;
    let pins = Pins::load(&root.join("go-ref"))?;
    let available: Vec<String> = pins
        .rows
        .iter()
        .filter(|row| row.refused.is_none() && names.contains(&row.release))
        .map(|row| row.release.clone())
        .collect();
    if !available.is_empty() {
        classify::run(&Classify {
            releases: available.clone(),
            all: false,
            force: false,
        })?;
    }
    for release in available {
        let manifest = Golden::new(root.join("golden")).manifest()?;
        if !flags.vectors && Speakers::read()?.speak_for(&release, &manifest)? {
            eprintln!("{release}: others speak for it; no vectors of its own are needed");
            continue;
        }
        regen_golden::run(&RegenGolden {
            releases: vec![release],
            all: false,
            check: false,
            audit: None,
            seed: None,
            keep: false,
        })?;
    }
    docs::run()
}
