//! What an upgrade from one release to another restarts and rolls.
//!
//! In: an object, and two releases with their feature gates. Out: a [`Hop`]: for each container
//! whether it restarts, at which step and why, and what the workload's controller does.
//!
//! An upgrade has two steps. First the control plane: the API server of the new release hands out
//! what the old one persisted, and the old kubelets decode that, all at once. Then the kubelets, node
//! by node: they decode the same by themselves, and compare with the hash that was recorded when the
//! container was started. Static Pods know the second step only; each kubelet reads the file.

mod cause;
mod leaves;

use crate::engine::{
    Arrival, ContainerType, Engine, EngineError, Object, View, Viewed, pod_template,
};
use crate::gates::Gates;
use crate::operations::{self, StaticSource};
use crate::print::json;
use crate::release::Span;
use crate::rollout::{Outcome, Rollout, State};
use crate::schema::KindEntry;
use crate::subject::container_hash::{Function, Recipe};
use crate::value::{Ref, Value};

pub use cause::Cause;
use cause::Side;

/// How the object comes to the kubelet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum As {
    /// The old release's API server persisted it, and nobody touches it.
    #[default]
    Api,
    /// Each kubelet reads it from a file.
    Static,
    /// It is applied again once the API server is new.
    Reapplied,
}

impl As {
    /// The word that names it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            As::Api => "api",
            As::Static => "static",
            As::Reapplied => "reapplied",
        }
    }
}

/// A part of an upgrade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The API server and the controllers, which concerns all nodes at once.
    ControlPlane,
    /// The kubelets, one node after the other.
    Kubelet,
}

impl Step {
    /// The word that names it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Step::ControlPlane => "control-plane",
            Step::Kubelet => "kubelet",
        }
    }
}

/// A release with the feature gates of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'e> {
    /// The release.
    pub engine: &'e Engine,
    /// Its gates.
    pub gates: &'e Gates<'e>,
}

/// How objects come to kubelets and controllers.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    /// How the object comes to the kubelet.
    pub as_: As,
    /// Whether the Pods of workloads get the service account's mount.
    pub admission: bool,
    /// Where a static Pod's manifest lies.
    pub source: StaticSource<'a>,
}

impl Default for Circumstances<'_> {
    fn default() -> Self {
        Circumstances {
            as_: As::Api,
            admission: true,
            source: StaticSource::default(),
        }
    }
}

/// What one container goes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerHop {
    /// Its name.
    pub name: String,
    /// The list it stands in.
    pub container_type: ContainerType,
    /// At which step it restarts; nothing if it does not.
    pub step: Option<Step>,
    /// The hash that the old release recorded; nothing where that release drops the container.
    pub from_hash: Option<u32>,
    /// The hash that the new release expects.
    pub to_hash: Option<u32>,
    /// Why it restarts; or, where it does not though its hash changes, why the hash does.
    pub causes: Vec<Cause>,
}

/// What becomes of an object between two releases.
#[derive(Clone, Debug, Default)]
pub struct Hop {
    /// Init containers, containers, ephemeral containers, each in the order of the Pod.
    pub containers: Vec<ContainerHop>,
    /// What becomes of the workload's Pods; nothing where no controller that is known here rolls it.
    pub rollout: Option<Rollout>,
    /// Names of revisions, or of the ReplicaSet, before and after, where they are not the same.
    pub renamed: Option<(String, String)>,
    /// Why the workload rolls, or its next ReplicaSet has another name.
    pub causes: Vec<Cause>,
    /// Whether a static Pod gets another UID, so that all of it is made anew; nothing for others.
    pub static_pod_recreated: Option<bool>,
}

impl Hop {
    /// Whether something restarts or rolls.
    pub fn disturbs(&self) -> bool {
        let rolls = matches!(self.rollout, Some(Rollout::Partial | Rollout::Full));
        rolls
            || self
                .containers
                .iter()
                .any(|container| container.step.is_some())
    }
}

type Result<T, E = EngineError> = std::result::Result<T, E>;

/// Native sidecars' hashes are compared. Before, `computeInitContainerActions`
/// (`pkg/kubelet/kuberuntime/kuberuntime_container.go`) did not ask.
const SIDECARS_ARE_COMPARED: Span = Span::since(32, 0);

/// An object on its way through releases.
#[derive(Clone, Debug)]
pub struct Journey<'a> {
    circumstances: Circumstances<'a>,
    luggage: Luggage,
}

#[derive(Clone, Debug)]
enum Luggage {
    /// A static Pod's manifest.
    Manifest,
    /// What API servers persisted, each as the text of its JSON, and what the workload's controller
    /// left behind, where one rolls it.
    Persisted {
        pod: String,
        workload: String,
        left_behind: Option<State>,
    },
}

impl<'a> Journey<'a> {
    /// Begins with the release that creates the object.
    ///
    /// # Errors
    /// When that release does not know the kind, or would refuse the object.
    pub fn begin(
        origin: Cluster<'_>,
        object: &str,
        circumstances: Circumstances<'a>,
    ) -> Result<Journey<'a>> {
        let luggage = match circumstances.as_ {
            As::Static => {
                read_manifest(origin, object, circumstances.source)?;
                Luggage::Manifest
            }
            As::Api | As::Reapplied => Luggage::Persisted {
                pod: persist_pod(origin, object, circumstances.admission)?,
                workload: persist(origin, object)?,
                left_behind: first_rollout(origin, object)?,
            },
        };
        Ok(Journey {
            circumstances,
            luggage,
        })
    }

    /// Goes from one release to the next. `object` is the manifest: as the kubelet of each of the two
    /// reads it, or as it is applied again.
    ///
    /// # Errors
    /// When one of the releases does not know the kind, or would refuse the object.
    pub fn go(&mut self, from: Cluster<'_>, to: Cluster<'_>, object: [&str; 2]) -> Result<Hop> {
        let Circumstances {
            as_,
            admission,
            source,
        } = self.circumstances;
        let Luggage::Persisted {
            pod,
            workload,
            left_behind,
        } = &mut self.luggage
        else {
            return hop_of_file(from, to, object, source);
        };
        let recorded = receive(from, from, pod)?;
        if as_ == As::Reapplied {
            *pod = persist_pod(to, object[1], admission)?;
            *workload = persist(to, object[1])?;
        }
        let mut hop = Hop {
            containers: hop_of_pod(from, to, &recorded, pod)?,
            ..Hop::default()
        };
        if let Some(state) = left_behind {
            *left_behind = roll((from, to), (workload, state), &mut hop)?;
        }
        Ok(hop)
    }
}

// ---- static Pods --------------------------------------------------------------------------

fn hop_of_file(
    from: Cluster<'_>,
    to: Cluster<'_>,
    texts: [&str; 2],
    source: StaticSource<'_>,
) -> Result<Hop> {
    let old = read_manifest(from, texts[0], source)?;
    let new = read_manifest(to, texts[1], source)?;
    let recreated = uid(from, &old) != uid(to, &new);
    let pod_at = |cluster: Cluster<'_>| read_manifest(cluster, texts[1], source).ok();
    let mut containers = pair_up(
        Kubelet::new(from, &old),
        Kubelet::new(to, &new),
        Step::Kubelet,
        &pod_at,
    );
    if recreated {
        for container in &mut containers {
            container.step = container.to_hash.map(|_| Step::Kubelet);
            container.causes.insert(
                0,
                Cause::whole(
                    "metadata.uid",
                    "the static Pod has another UID, and is made anew",
                ),
            );
        }
    }
    Ok(Hop {
        containers,
        static_pod_recreated: Some(recreated),
        ..Hop::default()
    })
}

fn read_manifest(cluster: Cluster<'_>, text: &str, source: StaticSource<'_>) -> Result<Viewed> {
    let object = cluster.engine.decode_manifest(text)?;
    let form = recipe(cluster.engine)?.form();
    cluster
        .engine
        .view(&object, View::Static, form, cluster.gates, source)
}

fn uid<'v>(cluster: Cluster<'_>, pod: &'v Viewed) -> &'v str {
    let pod = Ref::new(cluster.engine.schema(), pod.ty, &pod.value);
    pod.at("ObjectMeta.UID").str()
}

// ---- what an API server persists ----------------------------------------------------------

fn hop_of_pod(
    from: Cluster<'_>,
    to: Cluster<'_>,
    recorded: &Viewed,
    pod: &str,
) -> Result<Vec<ContainerHop>> {
    let between = receive(to, from, pod)?;
    let new = receive(to, to, pod)?;
    let served_by = |server: Cluster<'_>| receive(server, from, pod).ok();
    let upgraded = |both: Cluster<'_>| receive(both, both, pod).ok();
    let first = pair_up(
        Kubelet::new(from, recorded),
        Kubelet::new(from, &between),
        Step::ControlPlane,
        &served_by,
    );
    let second = pair_up(
        Kubelet::new(from, &between),
        Kubelet::new(to, &new),
        Step::Kubelet,
        &upgraded,
    );
    let merged = second
        .into_iter()
        .map(|second| merge(first.iter().find(|first| is_same(first, &second)), second));
    Ok(merged.collect())
}

fn is_same(one: &ContainerHop, other: &ContainerHop) -> bool {
    one.name == other.name && one.container_type == other.container_type
}

/// What restarts at the first step does so whatever the second one brings: what was recorded before
/// both counts, and the earlier step.
fn merge(first: Option<&ContainerHop>, second: ContainerHop) -> ContainerHop {
    let Some(first) = first else { return second };
    let (step, causes) = match (first.step, second.step) {
        (Some(step), _) => (Some(step), first.causes.clone()),
        (None, step) => (step, second.causes),
    };
    ContainerHop {
        from_hash: first.from_hash,
        step,
        causes,
        ..second
    }
}

/// What a release's API server persists for an object.
fn persist(cluster: Cluster<'_>, text: &str) -> Result<String> {
    let Object { kind, value, .. } = cluster.engine.decode(text)?;
    let created = operations::create(cluster.engine.schema(), kind, value, cluster.gates)?;
    Ok(text_of(cluster.engine, kind, &created))
}

/// The Pod that it persists: the object itself, or what its controller makes of it.
fn persist_pod(cluster: Cluster<'_>, text: &str, admission: bool) -> Result<String> {
    let Cluster { engine, gates } = cluster;
    let schema = engine.schema();
    let Object { kind, value, .. } = engine.decode(text)?;
    if &*kind.kind == "Pod" {
        return persist(cluster, text);
    }
    let delivered = operations::deliver(schema, kind, value, gates)?;
    let pod = operations::create_pod_of(schema, kind, &delivered, gates, admission)?;
    let kind = schema
        .kind("v1", "Pod")
        .ok_or(EngineError::NoSuchFunction {
            release: schema.release(),
        })?;
    Ok(text_of(engine, kind, &pod))
}

fn text_of(engine: &Engine, kind: &KindEntry, value: &Value) -> String {
    let text = json::to_vec(engine.schema(), kind.versioned, value);
    String::from_utf8_lossy(&text).into_owned()
}

/// A persisted Pod, served by one release and received by the kubelet of another.
fn receive(server: Cluster<'_>, kubelet: Cluster<'_>, pod: &str) -> Result<Viewed> {
    let schema = server.engine.schema();
    let Object { kind, value, .. } = server.engine.decode(pod)?;
    let served = operations::serve(schema, kind, value, server.gates)?;
    let text = text_of(server.engine, kind, &served);
    let schema = kubelet.engine.schema();
    let Object { kind, value, .. } = kubelet.engine.decode(&text)?;
    let received = operations::receive(schema, kind, value)?;
    kubelet
        .engine
        .in_form(kind, received, recipe(kubelet.engine)?.form())
}

fn recipe(engine: &Engine) -> Result<Recipe> {
    let release = engine.schema().release();
    Recipe::of(Function::HashContainer, release).ok_or(EngineError::NoSuchFunction { release })
}

// ---- containers ---------------------------------------------------------------------------

/// A kubelet with a Pod that it has.
#[derive(Clone, Copy)]
struct Kubelet<'a> {
    cluster: Cluster<'a>,
    pod: &'a Viewed,
}

impl<'a> Kubelet<'a> {
    fn new(cluster: Cluster<'a>, pod: &'a Viewed) -> Kubelet<'a> {
        Kubelet { cluster, pod }
    }

    fn sides(self) -> Vec<Side<'a>> {
        let engine = self.cluster.engine;
        let recipe = Recipe::of(Function::HashContainer, engine.schema().release());
        let (Some(recipe), Some(containers)) = (recipe, engine.containers(self.pod)) else {
            return Vec::new();
        };
        containers
            .into_iter()
            .map(|container| Side::new(engine.schema(), recipe, container))
            .collect()
    }

    /// Whether the kubelet acts on the hash of such a container.
    fn compares(self, side: &Side<'_>) -> bool {
        match side.container.container_type {
            ContainerType::Container => true,
            ContainerType::Ephemeral => false,
            ContainerType::Init => {
                let release = self.cluster.engine.schema().release();
                let container = Ref::new(side.schema, side.container.ty, side.container.value);
                let restarts = container.get("RestartPolicy").deref().str() == "Always";
                restarts && SIDECARS_ARE_COMPARED.contains(release)
            }
        }
    }
}

/// Compares what one kubelet recorded with what another one, or the same one later, expects.
fn pair_up(
    old: Kubelet<'_>,
    new: Kubelet<'_>,
    step: Step,
    pod_at: &dyn Fn(Cluster<'_>) -> Option<Viewed>,
) -> Vec<ContainerHop> {
    let (before, after) = (old.sides(), new.sides());
    let mut hops = Vec::new();
    for side in &after {
        let recorded = before.iter().find(|old| old.is_of(side));
        let changed = recorded.is_some_and(|old| old.hash != side.hash);
        let causes = match recorded {
            Some(old) if changed => cause::of(old, side, |engine, gates| {
                let cluster = Cluster { engine, gates };
                let pod = pod_at(cluster)?;
                let kubelet = if step == Step::ControlPlane {
                    new.cluster
                } else {
                    cluster
                };
                let sides = Kubelet::new(kubelet, &pod).sides();
                let found = sides.iter().find(|there| there.is_of(side))?;
                Some(found.leaves())
            }),
            _ => Vec::new(),
        };
        hops.push(ContainerHop {
            name: side.container.name.to_owned(),
            container_type: side.container.container_type,
            step: (changed && new.compares(side)).then_some(step),
            from_hash: recorded.map(|old| old.hash),
            to_hash: Some(side.hash),
            causes,
        });
    }
    for old in before
        .iter()
        .filter(|old| !after.iter().any(|new| old.is_of(new)))
    {
        hops.push(ContainerHop {
            name: old.container.name.to_owned(),
            container_type: old.container.container_type,
            step: None,
            from_hash: Some(old.hash),
            to_hash: None,
            causes: Vec::new(),
        });
    }
    hops
}

// ---- controllers --------------------------------------------------------------------------

/// What the controller of a new workload makes of it; nothing where none rolls it.
fn first_rollout(cluster: Cluster<'_>, text: &str) -> Result<Option<State>> {
    let object = cluster.engine.decode(text)?;
    if &*object.kind.kind == "Pod" {
        return Ok(None);
    }
    let workload = cluster
        .engine
        .arrive(&object, Arrival::Delivered, cluster.gates)?;
    rolled(cluster, &workload, &State::default()).map(|outcome| Some(outcome?.state))
}

/// A persisted workload as a controller sees it.
fn arrive<'e>(cluster: Cluster<'e>, persisted: &str) -> Result<Object<'e>> {
    let object = cluster.engine.decode(persisted)?;
    cluster
        .engine
        .arrive(&object, Arrival::Served, cluster.gates)
}

/// Nothing where the release has no controller that rolls the kind.
fn rolled(cluster: Cluster<'_>, workload: &Object<'_>, before: &State) -> Result<Option<Outcome>> {
    match cluster.engine.reconcile(workload, before, cluster.gates) {
        Err(EngineError::NoSuchController { .. }) => Ok(None),
        outcome => outcome.map(Some),
    }
}

/// What the new controller does with what the old one left behind, and what it leaves behind itself.
fn roll(
    (from, to): (Cluster<'_>, Cluster<'_>),
    (persisted, before): (&str, &State),
    hop: &mut Hop,
) -> Result<Option<State>> {
    let new = arrive(to, persisted)?;
    let Some(after) = rolled(to, &new, before)? else {
        return Ok(None);
    };
    hop.rollout = Some(after.rollout);
    hop.renamed = renamed(to, &new, before, &after.state);
    if (hop.renamed.is_some() || after.rollout != Rollout::None)
        && let Ok(old) = arrive(from, persisted)
    {
        hop.causes = cause::of_templates(
            (from.engine.schema(), template(from, &old)),
            (to.engine.schema(), template(to, &new)),
        );
    }
    Ok(Some(after.state))
}

fn template<'v>(cluster: Cluster<'v>, workload: &'v Object<'_>) -> Ref<'v, 'v> {
    pod_template(Ref::new(
        cluster.engine.schema(),
        workload.ty,
        &workload.value,
    ))
}

/// The newest revision before and after; of a Deployment, the name that a new ReplicaSet would have.
fn renamed(
    to: Cluster<'_>,
    workload: &Object<'_>,
    before: &State,
    after: &State,
) -> Option<(String, String)> {
    if let Some(set) = before.replica_sets.first() {
        let fresh = to
            .engine
            .reconcile(workload, &State::default(), to.gates)
            .ok()?;
        let next = &fresh.state.replica_sets.first()?.name;
        return (set.name != *next).then(|| (set.name.clone(), next.clone()));
    }
    let newest = |state: &State| {
        let newest = state
            .revisions
            .iter()
            .max_by_key(|revision| revision.revision)?;
        Some(newest.name.clone())
    };
    let (old, new) = (newest(before)?, newest(after)?);
    (old != new).then_some((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{
        "initContainers":[{"name":"setup","image":"busybox:1"}],
        "containers":[{"name":"web","image":"nginx:1.25","securityContext":{"runAsUser":1},
            "volumeMounts":[{"name":"v","mountPath":"/v"}]}],"volumes":[{"name":"v","emptyDir":{}}]}}"#;

    fn hop(from: &str, to: &str, as_: As, object: &str) -> Hop {
        let (a, b) = (engine(from), engine(to));
        let (ga, gb) = (Gates::defaults(a.schema()), Gates::defaults(b.schema()));
        let (from, to) = (
            Cluster {
                engine: &a,
                gates: &ga,
            },
            Cluster {
                engine: &b,
                gates: &gb,
            },
        );
        let circumstances = Circumstances {
            as_,
            ..Circumstances::default()
        };
        let mut journey = Journey::begin(from, object, circumstances).unwrap();
        journey.go(from, to, [object, object]).unwrap()
    }

    fn engine(release: &str) -> Engine {
        let resolution = crate::catalogue::resolve(release.parse().unwrap()).unwrap();
        Engine::load(resolution.answers_for).unwrap()
    }

    /// The container `web`.
    fn web(hop: &Hop) -> (&'static str, Vec<&str>) {
        let web = hop.containers.iter().find(|c| c.name == "web").unwrap();
        let causes = web.causes.iter().map(|cause| &*cause.path).collect();
        (web.step.map_or("", Step::as_str), causes)
    }

    #[test]
    fn public_incidents_and_quiet_upgrades() {
        for (from, to, step, causes) in [
            ("1.29", "1.30", "", &[][..]),
            ("1.30", "1.31", "kubelet", &[""]),
            ("1.31", "1.37", "", &[]),
            (
                "1.11",
                "1.12",
                "kubelet",
                &["spec.containers[0].securityContext.procMount"],
            ),
            (
                "1.13",
                "1.14",
                "kubelet",
                &["spec.containers[0].volumeMounts[0].subPathExpr"],
            ),
        ] {
            let hop = hop(from, to, As::Api, POD);
            assert_eq!(web(&hop), (step, causes.to_vec()), "{from} {to}: {hop:#?}");
            assert_eq!(hop.disturbs(), !step.is_empty());
            // A finished init container does not run again for its hash.
            assert_eq!(hop.containers[0].step, None);
        }
    }
}
