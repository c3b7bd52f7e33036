//! `kubehash plan`: documents × an upgrade → what restarts and what rolls, when, and why.

mod mirror;
mod render;
mod route;
mod words;

use std::borrow::Cow;
use std::io;

use kubehash::diagnostic::Diagnostic;
use kubehash::documents::{Document, Entry};
use kubehash::engine::EngineError;
use kubehash::operations::{Manifest, StaticSource};
use kubehash::plan::{As, Circumstances, Hop};
use kubehash::report::{CauseResult, ContainerPlan, HopResult, PlanReport, PlanResult, Renamed};
use kubehash::value::Ref;

use super::Exit;
use super::args::{AsArg, PlanArgs, PlanOutput};
use super::console::Console;
use super::input;
use super::session::{
    Meta, Refusal, Session, Target, Told, Work, not_alone, nothing_to_read, pods_only, tolerated,
    workload,
};
use super::table::terminal_width;
use route::{Leg, Question, Route};

/// Tells what the upgrade does to what the arguments name.
pub(super) fn run(args: &PlanArgs, console: &Console) -> io::Result<Exit> {
    if args.what_is_not_covered {
        console.write(words::NOT_COVERED.as_bytes())?;
        return Ok(Exit::Done);
    }
    let (targets, route) = match route::of(args) {
        Ok(found) => found,
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
    let mut planning = Planning {
        args,
        route,
        results: Vec::new(),
    };
    let mut session = Session::new(targets, console);
    session.run(&args.paths, &mut planning);
    print(session, planning.results, args.output)
}

/// Follows objects along the route.
struct Planning<'a> {
    args: &'a PlanArgs,
    route: Route,
    results: Vec<PlanResult>,
}

impl Work for Planning<'_> {
    fn object(
        &mut self,
        targets: &[Target],
        source: &str,
        readings: Vec<Option<Entry<'_>>>,
        told: &mut Told,
    ) {
        if let Some(result) = self.plan(targets, source, readings, told) {
            self.results.push(result);
        }
    }
}

/// An object as the releases that read it read it.
struct Manifests<'a> {
    meta: Meta,
    as_: As,
    /// One for each target that reads it: for all of them, or for the first alone.
    documents: Vec<Document<'a>>,
}

impl Planning<'_> {
    /// The object's way; nothing where it was refused.
    fn plan(
        &self,
        targets: &[Target],
        source: &str,
        readings: Vec<Option<Entry<'_>>>,
        told: &mut Told,
    ) -> Option<PlanResult> {
        let manifests = self.manifests(readings, told)?;
        let Manifests { meta, as_, .. } = &manifests;
        if let Err(refusal) = suits(meta, *as_) {
            for position in 0..targets.len() {
                told.refuse(position, refusal.clone());
            }
            return None;
        }
        if !self.look_at_all(targets, &manifests, told) {
            return None;
        }
        match self.travel(targets, source, &manifests) {
            Ok(result) => {
                if result.hops.iter().all(|hop| hop.containers.is_empty()) {
                    let bare = Diagnostic::warning("the object has no containers");
                    for position in 0..targets.len() {
                        told.warn(position, vec![bare.clone()]);
                    }
                }
                Some(result)
            }
            Err((position, refusal)) => {
                told.refuse(position, refusal);
                None
            }
        }
    }

    /// What of the readings counts: of an object that an API server persists, the first release's.
    fn manifests<'d>(
        &self,
        mut readings: Vec<Option<Entry<'d>>>,
        told: &mut Told,
    ) -> Option<Manifests<'d>> {
        let first = readings
            .iter()
            .flatten()
            .find_map(|entry| entry.as_ref().ok());
        let meta = first
            .map(|document| Meta::of(&document.json))
            .unwrap_or_default();
        let as_ = match self.args.as_ {
            AsArg::Auto if meta.is_static_pod() => As::Static,
            AsArg::Auto | AsArg::Api => As::Api,
            AsArg::Static => As::Static,
            AsArg::Reapplied => As::Reapplied,
        };
        if as_ == As::Api {
            readings.truncate(1);
        }
        let mut documents = Vec::new();
        let all = readings.len();
        for (position, reading) in readings.into_iter().enumerate() {
            let refusal = match reading {
                Some(Ok(document)) => {
                    documents.push(document);
                    continue;
                }
                Some(Err(diagnostic)) => diagnostic,
                None => Diagnostic::error("the release does not find this object in its list"),
            };
            told.refuse(position, Refusal::failed(refusal));
        }
        (documents.len() == all).then_some(Manifests {
            meta,
            as_,
            documents,
        })
    }

    /// Whether all releases that read the manifest take it.
    fn look_at_all(&self, targets: &[Target], manifests: &Manifests<'_>, told: &mut Told) -> bool {
        let Manifests {
            meta,
            as_,
            documents,
        } = manifests;
        let mut all = true;
        for (position, (target, document)) in targets.iter().zip(documents).enumerate() {
            match self.look(target, meta, *as_, document) {
                Ok(warnings) => told.warn(position, warnings),
                Err(refusal) => {
                    told.refuse(position, refusal);
                    all = false;
                }
            }
        }
        all
    }

    /// What a release says to the manifest.
    fn look(
        &self,
        target: &Target,
        meta: &Meta,
        as_: As,
        document: &Document<'_>,
    ) -> Result<Vec<Diagnostic>, Refusal> {
        target.admit(meta)?;
        let decoded = match as_ {
            As::Static => target.engine.decode_manifest(&document.json),
            As::Api | As::Reapplied => target.engine.decode(&document.json),
        };
        let object = decoded.map_err(|error| Refusal::of_engine(&error))?;
        if as_ == As::Static && meta.is_static_pod() {
            // A dump holds fields of the release that it was made by; none of them is a mistake.
            return Ok(vec![mirror::warning()]);
        }
        let mut warnings = tolerated(document, &object.unknown_fields, self.args.strict)?;
        warnings.extend(not_alone(document).filter(|_| as_ == As::Static));
        Ok(warnings)
    }

    fn travel(
        &self,
        targets: &[Target],
        source: &str,
        manifests: &Manifests<'_>,
    ) -> Result<PlanResult, (usize, Refusal)> {
        let Manifests {
            meta,
            as_,
            documents,
        } = manifests;
        let texts: Vec<Cow<'_, str>> = documents
            .iter()
            .map(
                |document| match meta.is_static_pod() && *as_ == As::Static {
                    true => mirror::manifest_of(&document.json),
                    false => Cow::Borrowed(&*document.json),
                },
            )
            .collect();
        let path = self.args.manifest_path.clone();
        let path = path.or_else(|| input::path_on_node(source));
        let circumstances = self.circumstances(*as_, path.as_deref());
        let question = match as_ {
            As::Static => Question::StaticPods,
            As::Api | As::Reapplied => Question::Pods,
        };
        let legs = self.route.legs(targets, question);
        let refuse = |(position, error)| (position, Refusal::of_engine(&error));
        let hops = route::travel(&legs, &texts, circumstances).map_err(refuse)?;
        let mut results: Vec<HopResult> = legs
            .windows(2)
            .zip(&hops)
            .filter_map(|(legs, hop)| match legs {
                [from, to] => Some(hop_result(from, to, *as_, hop)),
                _ => None,
            })
            .collect();
        if hops.iter().any(|hop| hop.rollout.is_some()) {
            let others = self.route.legs(targets, Question::Rollouts);
            rollouts(&legs, &others, &texts, circumstances, &mut results).map_err(refuse)?;
        }
        let (namespace, name) = legs
            .first()
            .zip(texts.first())
            .map(|(leg, text)| names(leg, text))
            .unwrap_or_default();
        Ok(PlanResult {
            source: source.to_owned(),
            document: documents.first().map_or(0, |document| document.number),
            kind: meta.kind.clone(),
            namespace,
            name,
            api_version: meta.api_version.clone(),
            hops: results,
        })
    }

    fn circumstances<'c>(&'c self, as_: As, path: Option<&'c str>) -> Circumstances<'c> {
        let usual = StaticSource::default();
        Circumstances {
            as_,
            admission: !self.args.no_admission,
            source: StaticSource {
                manifest: path.map_or(usual.manifest, Manifest::File),
                node: self.args.node.as_deref().unwrap_or(usual.node),
            },
        }
    }
}

/// Rollouts are a question of their own: others may answer it, and it may be known less well.
fn rollouts(
    containers: &[Leg<'_>],
    others: &[Leg<'_>],
    texts: &[Cow<'_, str>],
    circumstances: Circumstances<'_>,
    results: &mut [HopResult],
) -> Result<(), (usize, EngineError)> {
    for ((legs, others), result) in containers
        .windows(2)
        .zip(others.windows(2))
        .zip(&mut *results)
    {
        let asked = legs.iter().chain(others).map(|leg| leg.resolution);
        result.evidence = route::weakest(asked);
    }
    let same = containers
        .iter()
        .zip(others)
        .all(|(one, other)| one.resolution.answers_for == other.resolution.answers_for);
    if same {
        return Ok(());
    }
    let hops = route::travel(others, texts, circumstances)?;
    for (hop, result) in hops.iter().zip(results) {
        rolls_as(result, hop);
    }
    Ok(())
}

/// Whether such an object comes to kubelets that way, whatever the release.
fn suits(meta: &Meta, as_: As) -> Result<(), Refusal> {
    workload(meta)?;
    match as_ {
        As::Static => pods_only(meta),
        As::Api | As::Reapplied => Ok(()),
    }
}

fn hop_result(from: &Leg<'_>, to: &Leg<'_>, as_: As, hop: &Hop) -> HopResult {
    let mut result = HopResult {
        from: from.resolution.release.to_string(),
        to: to.resolution.release.to_string(),
        answers_for_from: from.resolution.answers_for.to_string(),
        answers_for_to: to.resolution.answers_for.to_string(),
        as_: as_.as_str(),
        containers: hop.containers.iter().map(ContainerPlan::from).collect(),
        rollout: None,
        renamed: None,
        causes: Vec::new(),
        static_pod_recreated: hop.static_pod_recreated,
        evidence: route::weakest([from.resolution, to.resolution]),
    };
    rolls_as(&mut result, hop);
    result
}

fn rolls_as(result: &mut HopResult, hop: &Hop) {
    result.rollout = hop.rollout.map(|rollout| rollout.as_str());
    result.renamed = hop.renamed.clone().map(|(from, to)| Renamed { from, to });
    result.causes = hop.causes.iter().map(CauseResult::from).collect();
}

/// Namespace and name, as the object has them.
fn names(leg: &Leg<'_>, text: &str) -> (String, String) {
    let Ok(object) = leg.engine.decode(text) else {
        return Default::default();
    };
    let top = Ref::new(leg.engine.schema(), object.ty, &object.value);
    let metadata = |name: &str| top.get("ObjectMeta").get(name).str().to_owned();
    let name = Some(metadata("Name")).filter(|name| !name.is_empty());
    (
        metadata("Namespace"),
        name.unwrap_or_else(|| metadata("GenerateName")),
    )
}

fn print(session: Session<'_>, results: Vec<PlanResult>, output: PlanOutput) -> io::Result<Exit> {
    let exit = match session.exit() {
        Exit::Error => Exit::Error,
        _ if results.iter().any(PlanResult::disturbs) => Exit::Disturbs,
        exit => exit,
    };
    let console = session.console;
    let report = PlanReport::new(results, session.diagnostics, session.summary);
    match output {
        PlanOutput::Json => console.write_report(&report)?,
        PlanOutput::Table | PlanOutput::Wide => {
            let table = render::table(&report.results, output, terminal_width());
            console.write_styled(&table)?;
        }
    }
    for line in words::of(&report) {
        console.note(&line);
    }
    Ok(exit)
}
