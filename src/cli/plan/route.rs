//! The releases on the way, and who answers which question for each of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kubehash::catalogue::Resolution;
use kubehash::diagnostic::Diagnostic;
use kubehash::engine::{Engine, EngineError};
use kubehash::gates::Gates;
use kubehash::plan::{Circumstances, Cluster, Hop, Journey};
use kubehash::release::VersionRequest;

use super::super::args::{self, AsArg, PlanArgs};
use super::super::session::{Answerer, ByRelease, Target, of_engine, resolve};

/// What is asked about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    /// The containers of what an API server persisted.
    Pods,
    /// The containers of a manifest, and the UID.
    StaticPods,
    /// What controllers do.
    Rollouts,
}

impl Question {
    /// Its key in the catalogue.
    fn key(self) -> &'static str {
        match self {
            Question::Pods => "container-hash.delivered",
            Question::StaticPods => "container-hash.static",
            Question::Rollouts => "reconcile.delivered",
        }
    }
}

/// The releases on the way, with what the session's targets do not know of them.
pub(super) struct Route {
    /// One for each target.
    stops: Vec<Stop>,
}

struct Stop {
    gates: BTreeMap<String, bool>,
    /// Who answers what the target does not.
    others: Vec<(Question, Answerer)>,
}

/// A release on the way, as one question sees it.
pub(super) struct Leg<'a> {
    pub(super) engine: &'a Engine,
    pub(super) resolution: Resolution,
    gates: Gates<'a>,
}

impl Leg<'_> {
    fn cluster(&self) -> Cluster<'_> {
        Cluster {
            engine: self.engine,
            gates: &self.gates,
        }
    }
}

/// The way that the arguments name. Everything that is wrong with the request as a whole is found
/// here.
pub(super) fn of(args: &PlanArgs) -> Result<(Vec<Target>, Route), Vec<Diagnostic>> {
    let gates = args::merged(&args.feature_gates).map_err(|problem| vec![problem])?;
    let requests = requests(args).map_err(|problem| vec![problem])?;
    let asked = match args.as_ {
        AsArg::Static => Question::StaticPods,
        AsArg::Auto | AsArg::Api | AsArg::Reapplied => Question::Pods,
    };
    let mut problems = ByRelease::default();
    let mut targets = Vec::new();
    for request in &requests {
        match target(*request, asked) {
            Ok(target) => targets.push(target),
            Err(problem) => problems.add(None, problem),
        }
    }
    for problem in gates_of_nobody(&gates, &targets) {
        problems.add(None, problem);
    }
    let problems = problems.told(&[]);
    if !problems.is_empty() {
        return Err(problems);
    }
    let stops = targets
        .iter()
        .zip(&requests)
        .map(|(target, request)| Stop::new(*request, asked, target, &gates))
        .collect();
    Ok((targets, Route { stops }))
}

fn requests(args: &PlanArgs) -> Result<Vec<VersionRequest>, Diagnostic> {
    match (args.from, args.to, args.path.as_slice()) {
        (Some(from), Some(to), _) => Ok(vec![from, to]),
        (_, _, [_]) => Err(Diagnostic::error(
            "--path names one release, and an upgrade has two at least",
        )
        .with_hint("separate them by commas: --path 1.29,1.30,1.31")),
        (_, _, path) => Ok(path.to_vec()),
    }
}

/// The first answer for a release, with a word about the second one.
fn target(request: VersionRequest, asked: Question) -> Result<Target, Diagnostic> {
    let resolution = resolve(request, asked.key())?;
    let caveat = match resolution.or_else {
        None => resolution.caveat(),
        Some(other) => {
            let (release, first) = (resolution.release, resolution.answers_for);
            let vendor = Resolution {
                or_else: None,
                ..resolution
            };
            let vendor = vendor.caveat().filter(|_| resolution.vendor);
            let differ = format!(
                "{release} cannot be fetched, and its neighbours differ: {first} answers for it; ask \
                 for {other} in its place to see whether the verdict is another (evidence: unknown)"
            );
            Some(vendor.map_or(differ.clone(), |vendor| format!("{vendor}; and {differ}")))
        }
    };
    Target::new(resolution, caveat)
}

/// A gate that only some releases know is set there; one that none knows is a mistake.
fn gates_of_nobody(gates: &BTreeMap<String, bool>, targets: &[Target]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for (gate, value) in gates {
        let alone = BTreeMap::from([(gate.clone(), *value)]);
        let refused = targets
            .iter()
            .map(|target| target.engine.gates(&alone).map(|_| ()));
        let refused: Vec<EngineError> = refused.filter_map(Result::err).collect();
        let many = refused
            .iter()
            .find(|error| matches!(error, EngineError::FeatureGateOfMany { .. }));
        if let Some(error) = many {
            problems.push(of_engine(error));
        } else if !targets.is_empty() && refused.len() == targets.len() {
            let message = format!("none of the releases has a feature gate {gate:?}");
            problems.push(Diagnostic::error(message).with_hint("check its name, or remove it"));
        }
    }
    problems
}

impl Stop {
    fn new(
        request: VersionRequest,
        asked: Question,
        target: &Target,
        gates: &BTreeMap<String, bool>,
    ) -> Stop {
        let schema = target.engine.schema();
        let known = gates
            .iter()
            .filter(|(gate, _)| schema.feature_gate(gate).is_some())
            .map(|(gate, value)| (gate.clone(), *value));
        let others = [Question::StaticPods, Question::Rollouts]
            .into_iter()
            .filter(|question| *question != asked)
            .filter_map(|question| {
                let answerer = Answerer::new(request, question.key(), &target.engine)?;
                Some((question, answerer))
            });
        Stop {
            gates: known.collect(),
            others: others.collect(),
        }
    }

    fn leg<'a>(&'a self, target: &'a Target, question: Question) -> Leg<'a> {
        let other = self.others.iter().find(|(other, _)| *other == question);
        let (engine, resolution) = match other {
            Some((_, other)) => (other.engine(&target.engine), other.resolution),
            None => (&target.engine, target.resolution),
        };
        Leg {
            engine,
            resolution,
            gates: Gates::with_overrides(engine.schema(), &self.gates),
        }
    }
}

impl Route {
    /// The releases as a question sees them.
    pub(super) fn legs<'a>(&'a self, targets: &'a [Target], question: Question) -> Vec<Leg<'a>> {
        let stops = targets.iter().zip(&self.stops);
        stops
            .map(|(target, stop)| stop.leg(target, question))
            .collect()
    }
}

/// Takes an object along: its text for each release, or for the first alone.
///
/// # Errors
/// The position of the release that refuses it.
pub(super) fn travel(
    legs: &[Leg<'_>],
    texts: &[Cow<'_, str>],
    circumstances: Circumstances<'_>,
) -> Result<Vec<Hop>, (usize, EngineError)> {
    let (Some(origin), Some(first)) = (legs.first(), texts.first()) else {
        return Ok(Vec::new());
    };
    let text = |position: usize| texts.get(position).unwrap_or(first);
    let mut journey =
        Journey::begin(origin.cluster(), first, circumstances).map_err(|error| (0, error))?;
    let mut hops = Vec::new();
    for (position, legs) in legs.windows(2).enumerate() {
        if let [from, to] = legs {
            let object = [&**text(position), &**text(position + 1)];
            let hop = journey.go(from.cluster(), to.cluster(), object);
            hops.push(hop.map_err(|error| (position + 1, error))?);
        }
    }
    Ok(hops)
}

/// The weakest evidence of all that was asked.
pub(super) fn weakest(asked: impl IntoIterator<Item = Resolution>) -> &'static str {
    asked
        .into_iter()
        .max_by_key(|resolution| (resolution.vendor, resolution.evidence))
        .map_or("", |resolution| resolution.evidence_label())
}
