//! `kubehash hash`: documents × releases → hashes.
//!
//! Each object is hashed under every release asked for before the next one is looked at, so results
//! and messages come in input order.

mod beyond;
mod render;

use std::collections::BTreeMap;
use std::io;

use kubehash::diagnostic::Diagnostic;
use kubehash::documents::{Document, Entry};
use kubehash::engine::{Options, View};
use kubehash::report::{ContainerResult, HashReport, HashResult};

use super::Exit;
use super::args::{self, HashArgs, Output};
use super::console::Console;
use super::session::{
    ByRelease, Meta, Refusal, Session, Target, Told, Work, not_alone, nothing_to_read, of_engine,
    pods_only, resolve, tolerated, workload,
};
use super::table::terminal_width;
use beyond::{Beyond, Wanted};
use render::{Column, render};

/// Hashes what the arguments name and prints the report.
pub(super) fn run(args: &HashArgs, console: &Console) -> io::Result<Exit> {
    let feature_gates = match args::merged(&args.feature_gates) {
        Ok(gates) => gates,
        Err(problem) => {
            console.diagnostic(&problem);
            return Ok(Exit::Error);
        }
    };
    let options = Options {
        view: View::from(args.view),
        feature_gates,
        admission: !args.no_admission,
        ..Options::default()
    };
    let targets = match targets(args, &options) {
        Ok(targets) => targets,
        Err(problems) => {
            problems
                .iter()
                .for_each(|problem| console.diagnostic(problem));
            return Ok(Exit::Error);
        }
    };
    if let Some(problem) = nothing_to_read(&args.paths) {
        console.diagnostic(&problem);
        return Ok(Exit::Error);
    }
    let (targets, beyond) = targets.into_iter().unzip();
    let mut hashing = Hashing {
        options,
        wanted: Wanted {
            collision_count: args.collision_count,
            node: args.node.clone(),
            manifest_path: args.manifest_path.clone(),
        },
        strict: args.strict,
        beyond,
        results: Vec::new(),
    };
    let mut session = Session::new(targets, console);
    session.run(&args.paths, &mut hashing);
    print(session, hashing.results, args.output)
}

/// All releases asked for, each once, with who answers for what is hashed besides containers.
/// Everything that is wrong with the request as a whole is found here, so that it is told once and
/// not with every object.
fn targets(args: &HashArgs, options: &Options) -> Result<Vec<(Target, Beyond)>, Vec<Diagnostic>> {
    let mut targets: Vec<(Target, Beyond)> = Vec::new();
    let mut problems = ByRelease::default();
    let mut asked = Vec::new();
    let question = format!("container-hash.{}", options.view.as_str());
    for request in &args.release {
        let resolution = match resolve(*request, &question) {
            Ok(resolution) => resolution,
            Err(problem) => {
                problems.add(None, problem);
                continue;
            }
        };
        if targets
            .iter()
            .any(|(target, _)| target.resolution == resolution)
        {
            continue;
        }
        for resolution in resolution.answers() {
            asked.push(resolution.answers_for);
            let target =
                Target::new(resolution, resolution.caveat()).and_then(|target| {
                    match target.engine.gates(&options.feature_gates) {
                        Ok(_) => Ok(target),
                        Err(error) => Err(of_engine(&error)),
                    }
                });
            match target {
                Ok(target) => {
                    let beyond = Beyond::new(*request, options, &target.engine);
                    targets.push((target, beyond));
                }
                Err(problem) => problems.add(Some(resolution.answers_for), problem),
            }
        }
    }
    let problems = problems.told(&asked);
    if problems.is_empty() {
        Ok(targets)
    } else {
        Err(problems)
    }
}

/// Hashes objects.
struct Hashing {
    options: Options,
    wanted: Wanted,
    strict: bool,
    /// For each target.
    beyond: Vec<Beyond>,
    results: Vec<HashResult>,
}

impl Work for Hashing {
    fn object(
        &mut self,
        targets: &[Target],
        source: &str,
        readings: Vec<Option<Entry<'_>>>,
        told: &mut Told,
    ) {
        let answerers = targets.iter().zip(&self.beyond);
        for (position, ((target, beyond), reading)) in answerers.zip(readings).enumerate() {
            let hashed = match reading {
                None => continue,
                Some(Ok(document)) => self.hash(target, beyond, source, &document),
                Some(Err(diagnostic)) => Err(Refusal::failed(diagnostic)),
            };
            match hashed {
                Ok((result, warnings)) => {
                    told.warn(position, warnings);
                    self.results.push(result);
                }
                Err(refusal) => told.refuse(position, refusal),
            }
        }
    }
}

impl Hashing {
    fn hash(
        &self,
        target: &Target,
        beyond: &Beyond,
        source: &str,
        document: &Document<'_>,
    ) -> Result<(HashResult, Vec<Diagnostic>), Refusal> {
        let json = &*document.json;
        let meta = Meta::of(json);
        let manifest = self.options.view == View::Static;
        workload(&meta)?;
        if manifest {
            pods_only(&meta)?;
        }
        target.admit(&meta)?;
        let hashes = target
            .engine
            .container_hashes(json, &self.options)
            .map_err(|error| Refusal::of_engine(&error))?;
        let mut warnings = tolerated(document, &hashes.unknown_fields, self.strict)?;
        if hashes.containers.is_empty() {
            warnings.push(Diagnostic::warning("the object has no containers"));
        }
        let not_alone = not_alone(document).filter(|_| manifest);
        let as_it_stands = manifest && not_alone.is_none();
        warnings.extend(not_alone);
        let mut result = HashResult {
            source: source.to_owned(),
            document: document.number,
            kind: hashes.kind,
            namespace: hashes.namespace,
            name: hashes.name,
            release: target.name(),
            answers_for: target.resolution.answers_for.to_string(),
            view: self.options.view.as_str(),
            api_version: hashes.api_version,
            evidence: target.resolution.evidence_label(),
            predicted: !(meta.is_live_pod() || as_it_stands),
            containers: hashes
                .containers
                .into_iter()
                .map(|c| ContainerResult::new(c.name, c.container_type.as_str(), c.hash))
                .collect(),
            pod_template_hash: None,
            controller_revision: None,
            static_pod_uid: None,
            evidence_of: BTreeMap::new(),
        };
        let (engine, options) = (&target.engine, &self.options);
        warnings.extend(beyond.add_to(&mut result, json, engine, options, &self.wanted));
        Ok((result, warnings))
    }
}

fn print(session: Session<'_>, results: Vec<HashResult>, output: Output) -> io::Result<Exit> {
    let exit = session.exit();
    let console = session.console;
    match output {
        Output::Json => {
            let report = HashReport::new(results, session.diagnostics, session.summary);
            console.write_report(&report)?;
        }
        Output::Table | Output::Wide => {
            let columns: Vec<Column> = session
                .targets
                .iter()
                .map(|target| Column::from(&target.resolution))
                .collect();
            let table = render(&columns, &results, output, terminal_width());
            console.write_styled(&table)?;
            if results.iter().any(|result| result.predicted) {
                console.note(
                    "hashes of manifests are predictions: admission can still change the Pod; \
                     a live Pod (kubectl get pod -o json) gives the exact numbers",
                );
            }
        }
    }
    Ok(exit)
}
