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
use crate::release::{Release, Span};
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
    /// Why the new release's kubelet does not compare the hash; nothing where it does.
    pub uncompared: Option<Uncompared>,
}

/// Why a kubelet does not act on a container's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncompared {
    /// An init container that runs once.
    FinishedInit,
    /// A native sidecar, in a release that does not compare those yet.
    Sidecar,
    /// An ephemeral container.
    Ephemeral,
}

impl Uncompared {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Uncompared::FinishedInit => {
                "an init container that has finished does not run again for its hash"
            }
            Uncompared::Sidecar => "kubelets compare native sidecars from v1.32.0 on",
            Uncompared::Ephemeral => "ephemeral containers never restart",
        }
    }
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
    /// Why the workload rolls, or its next ReplicaSet has another name; of a static Pod, why it has
    /// another UID.
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
    kept: Vec<Kept>,
}

/// A container that went on running though its hash changed: the hash of its start stays recorded.
#[derive(Clone, Debug)]
struct Kept {
    name: String,
    container_type: ContainerType,
    hash: u32,
    recorded_by: Release,
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
        left_behind: Option<Box<State>>,
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
                left_behind: first_rollout(origin, object)?.map(Box::new),
            },
        };
        Ok(Journey {
            circumstances,
            luggage,
            kept: Vec::new(),
        })
    }

    /// Goes from one release to the next. `object` is the manifest: as the kubelet of each of the two
    /// reads it, or as it is applied again.
    ///
    /// # Errors
    /// When one of the releases does not know the kind, or would refuse the object.
    pub fn go(&mut self, from: Cluster<'_>, to: Cluster<'_>, object: [&str; 2]) -> Result<Hop> {
        let mut hop = self.hop(from, to, object)?;
        self.carry(from.engine.schema().release(), &mut hop);
        Ok(hop)
    }

    /// What was not compared on earlier hops is compared with the hash of its start.
    fn carry(&mut self, from: Release, hop: &mut Hop) {
        let kept = std::mem::take(&mut self.kept);
        for container in &mut hop.containers {
            let before = kept.iter().find(|kept| kept.is_of(container));
            if let Some(before) = before {
                before.bring_to(container);
            }
            let (None, Some(hash), true) = (
                container.step,
                container.from_hash,
                container.from_hash != container.to_hash,
            ) else {
                continue;
            };
            self.kept.push(Kept {
                name: container.name.clone(),
                container_type: container.container_type,
                hash,
                recorded_by: before.map_or(from, |kept| kept.recorded_by),
            });
        }
    }

    fn hop(&mut self, from: Cluster<'_>, to: Cluster<'_>, object: [&str; 2]) -> Result<Hop> {
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
            migrate(from, to, workload)?;
            *left_behind = roll((from, to), (workload, state), &mut hop)?.map(Box::new);
        }
        Ok(hop)
    }
}

impl Kept {
    fn is_of(&self, container: &ContainerHop) -> bool {
        self.name == container.name && self.container_type == container.container_type
    }

    fn bring_to(&self, container: &mut ContainerHop) {
        container.from_hash = Some(self.hash);
        let changed = container.to_hash.is_some_and(|hash| hash != self.hash);
        if container.step.is_none() && container.uncompared.is_none() && changed {
            container.step = Some(Step::Kubelet);
            container.causes = vec![Cause::whole(
                "",
                format!(
                    "its hash was recorded by {}, and is compared only now",
                    self.recorded_by
                ),
            )];
        }
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
        way(from, to),
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
    let causes = match recreated {
        true => causes_of_uid((from, &old), (to, &new)),
        false => Vec::new(),
    };
    Ok(Hop {
        containers,
        causes,
        static_pod_recreated: Some(recreated),
        ..Hop::default()
    })
}

/// What of a Pod changed, besides what the kubelet adds once it has the hash.
fn causes_of_uid(
    (from, old): (Cluster<'_>, &Viewed),
    (to, new): (Cluster<'_>, &Viewed),
) -> Vec<Cause> {
    const ADDED_LATER: [&str; 3] = [
        "metadata.uid",
        "metadata.selfLink",
        "metadata.annotations[kubernetes.io/config.hash]",
    ];
    let (old_schema, new_schema) = (from.engine.schema(), to.engine.schema());
    cause::of_values(
        "",
        (old_schema, Ref::new(old_schema, old.ty, &old.value)),
        (new_schema, Ref::new(new_schema, new.ty, &new.value)),
        |path| !ADDED_LATER.contains(&path),
    )
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
        way(from, to),
        &served_by,
    );
    // What did not restart at the first step has still the hash that was recorded before it.
    let second = pair_up(
        Kubelet::new(from, recorded),
        Kubelet::new(to, &new),
        Step::Kubelet,
        way(from, to),
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

/// What restarts at the first step does so whatever the second one brings.
fn merge(first: Option<&ContainerHop>, second: ContainerHop) -> ContainerHop {
    match first {
        Some(first) if first.step.is_some() => ContainerHop {
            step: first.step,
            causes: first.causes.clone(),
            ..second
        },
        _ => second,
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

    /// Why the kubelet does not act on the hash of such a container.
    fn does_not_compare(self, side: &Side<'_>) -> Option<Uncompared> {
        match side.container.container_type {
            ContainerType::Container => None,
            ContainerType::Ephemeral => Some(Uncompared::Ephemeral),
            ContainerType::Init => {
                let release = self.cluster.engine.schema().release();
                let container = Ref::new(side.schema, side.container.ty, side.container.value);
                let restarts = container.get("RestartPolicy").deref().str() == "Always";
                match restarts {
                    false => Some(Uncompared::FinishedInit),
                    true => {
                        (!SIDECARS_ARE_COMPARED.contains(release)).then_some(Uncompared::Sidecar)
                    }
                }
            }
        }
    }
}

fn way(from: Cluster<'_>, to: Cluster<'_>) -> (Release, Release) {
    let release = |cluster: Cluster<'_>| cluster.engine.schema().release();
    (release(from), release(to))
}

/// Compares what one kubelet recorded with what another one, or the same one later, expects.
fn pair_up(
    old: Kubelet<'_>,
    new: Kubelet<'_>,
    step: Step,
    way: (Release, Release),
    pod_at: &dyn Fn(Cluster<'_>) -> Option<Viewed>,
) -> Vec<ContainerHop> {
    let (before, after) = (old.sides(), new.sides());
    let mut hops = Vec::new();
    for side in &after {
        let recorded = before.iter().find(|old| old.is_of(side));
        let changed = recorded.is_some_and(|old| old.hash != side.hash);
        let causes = match recorded {
            Some(old) if changed => cause::of(old, side, way, |engine, gates| {
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
        let uncompared = new.does_not_compare(side);
        hops.push(ContainerHop {
            name: side.container.name.to_owned(),
            container_type: side.container.container_type,
            step: (changed && uncompared.is_none()).then_some(step),
            uncompared,
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
            uncompared: None,
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

/// Writes a persisted workload in a version that the next release has, too, where it is not in one:
/// the old release persists it in that one in time, or the next one could not read it.
fn migrate(from: Cluster<'_>, to: Cluster<'_>, workload: &mut String) -> Result<()> {
    let Err(EngineError::UnknownKind { served, .. }) = to.engine.decode(workload) else {
        return Ok(());
    };
    let schema = from.engine.schema();
    let Object { kind, value, .. } = from.engine.decode(workload)?;
    let mut newest_first = served.iter().rev();
    let known = newest_first.find_map(|version| schema.kind(version, &kind.kind));
    if let Some(wanted) = known {
        let value = operations::serve_as(schema, kind, value, wanted, from.gates)?;
        *workload = text_of(from.engine, wanted, &value);
    }
    Ok(())
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
        hop.causes = cause::of_values(
            "spec.template",
            (from.engine.schema(), template(from, &old)),
            (to.engine.schema(), template(to, &new)),
            |_| true,
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
            assert_eq!(hop.containers[0].uncompared, Some(Uncompared::FinishedInit));
        }
    }

    #[test]
    fn what_is_not_compared_keeps_the_hash_of_its_start() {
        const SIDECAR: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{
            "initContainers":[{"name":"logs","image":"logs:1","restartPolicy":"Always"}],
            "containers":[{"name":"web","image":"web:1"}]}}"#;
        let engines = ["1.30", "1.31", "1.32"].map(engine);
        let gates = [0, 1, 2].map(|at| Gates::defaults(engines[at].schema()));
        let cluster = |at: usize| Cluster {
            engine: &engines[at],
            gates: &gates[at],
        };
        let mut journey = Journey::begin(cluster(0), SIDECAR, Circumstances::default()).unwrap();
        let mut go = |at| {
            let hop = journey.go(cluster(at), cluster(at + 1), [SIDECAR, SIDECAR]);
            hop.unwrap().containers[0].clone()
        };
        let (kept, restarted) = (go(0), go(1));
        assert_ne!(kept.from_hash, kept.to_hash);
        assert_eq!(
            (kept.step, kept.uncompared),
            (None, Some(Uncompared::Sidecar))
        );
        assert_eq!(restarted.from_hash, kept.from_hash);
        assert_eq!(
            (restarted.step, restarted.uncompared),
            (Some(Step::Kubelet), None)
        );
    }

    #[test]
    fn the_uid_of_a_static_pod_changes_for_fields_that_no_container_has() {
        let hop = hop("1.24", "1.25", As::Static, POD);
        assert_eq!(hop.static_pod_recreated, Some(true));
        let causes: Vec<&str> = hop.causes.iter().map(|cause| &*cause.path).collect();
        assert_eq!(causes, ["spec.hostUsers", "metadata.clusterName"]);
        assert_eq!(web(&hop), ("kubelet", vec!["metadata.uid"]));
        let same = self::hop("1.24", "1.24", As::Static, POD);
        assert_eq!(
            (same.static_pod_recreated, same.causes),
            (Some(false), vec![])
        );
    }
}
