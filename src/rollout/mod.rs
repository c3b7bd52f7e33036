//! What a release's controllers make of a workload: which revisions and ReplicaSets there are in
//! the end, and which Pods were replaced on the way.
//!
//! In: a workload as its controller sees it ([`Engine::arrive`]) and what controllers made before.
//! Out: what there is when the controller has nothing more to do, where every Pod is Running and
//! Ready at once, every ReplicaSet gets its replicas, and a DaemonSet finds three nodes. The
//! controllers' loops are not run: what they end with is told from what they compare.
//!
//! Mirrors `pkg/controller/deployment` from 1.2 on, `pkg/controller/daemon` from 1.6 on and
//! `pkg/controller/statefulset` from 1.7 on. Before, these are not rolled.

mod daemon_set;
mod deployment;
mod selector;
mod stateful_set;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::convert;
use crate::engine::{Engine, EngineError, Object};
use crate::gates::Gates;
use crate::operations::{self, OperationError};
use crate::release::Span;
use crate::schema::{KindEntry, Schema, TypeId};
use crate::subject::container_hash::Form;
use crate::subject::pod_template_hash::Recipe;
use crate::value::{Mut, Ref, Value};

/// The releases that have such controllers.
pub const RECONCILES: Span = Span::since(2, 0);

/// Since then DaemonSets and StatefulSets have a history.
const HISTORY: Span = Span::since(7, 0);

/// Until then controllers work on internal objects.
const INTERNAL: Span = Span::minors(2, 5);

/// What a controller ends with, by the kind of its workloads.
type Controller = fn(&Context<'_>, &State) -> Result<Outcome>;

const CONTROLLERS: &[(&str, Span, Controller)] = &[
    ("Deployment", RECONCILES, deployment::reconcile),
    ("DaemonSet", Span::since(6, 0), daemon_set::reconcile),
    ("StatefulSet", HISTORY, stateful_set::reconcile),
];

/// Labels of an object.
pub type Labels = BTreeMap<String, String>;

/// What a controller made of a workload. Given to [`Engine::reconcile`], it is what the controller
/// of some release left behind.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct State {
    /// A StatefulSet's or DaemonSet's history, by name.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub revisions: Vec<Revision>,
    /// A Deployment's ReplicaSets, by name.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub replica_sets: Vec<ReplicaSet>,
    /// Pods by name, Running and Ready for long.
    #[serde(
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub pods: Vec<Pod>,
    /// The names of Pods that were there before, and are there no more.
    #[serde(skip_serializing_if = "Vec::is_empty", skip_deserializing)]
    pub replaced: Vec<String>,
    /// `status.collisionCount`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collision_count: Option<i64>,
    /// `status.currentRevision` of a StatefulSet.
    #[serde(
        skip_serializing_if = "String::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub current_revision: String,
    /// `status.updateRevision` of a StatefulSet.
    #[serde(
        skip_serializing_if = "String::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub update_revision: String,
}

/// A ControllerRevision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Revision {
    /// Its name.
    pub name: String,
    /// Its place in the history.
    pub revision: i64,
    /// Its labels.
    #[serde(
        skip_serializing_if = "Labels::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub labels: Labels,
    /// What it holds, byte for byte.
    pub data: String,
}

/// A ReplicaSet.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplicaSet {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// How many Pods it wants.
    #[serde(default)]
    pub replicas: i64,
    /// Its labels, which are its selector, too.
    #[serde(
        default,
        skip_serializing_if = "Labels::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub labels: Labels,
    /// Its template as JSON.
    pub template: Box<RawValue>,
}

/// A Pod of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pod {
    /// Its name. Where the API server makes up the end of it, the node stands there.
    pub name: String,
    /// The node that it runs on.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub node: String,
    /// Its labels.
    #[serde(
        skip_serializing_if = "Labels::is_empty",
        deserialize_with = "null_is_default"
    )]
    pub labels: Labels,
}

/// What there is when the controller has nothing more to do.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What there is.
    pub state: State,
    /// What becomes of the Pods that were there.
    pub rollout: Rollout,
}

/// What becomes of the Pods that were there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rollout {
    /// Everything stays as it is.
    #[default]
    None,
    /// There is a new revision, or a new ReplicaSet, and no Pod is replaced for it.
    NewRevisionOnly,
    /// Pods are of an old revision and are replaced once somebody deletes them.
    OnDelete,
    /// Some Pods are replaced.
    Partial,
    /// All Pods are replaced.
    Full,
}

impl Rollout {
    /// The word that names it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Rollout::None => "none",
            Rollout::NewRevisionOnly => "new-revision-only",
            Rollout::OnDelete => "on-delete",
            Rollout::Partial => "partial",
            Rollout::Full => "full",
        }
    }

    /// Of Pods with a history: how many there were, how many were replaced, how many of those that
    /// stay are of an old revision.
    fn of_pods(
        replaced: usize,
        all: usize,
        outdated: usize,
        new: bool,
        on_delete: bool,
    ) -> Rollout {
        match replaced {
            0 if on_delete && outdated > 0 => Rollout::OnDelete,
            0 if new || outdated > 0 => Rollout::NewRevisionOnly,
            0 => Rollout::None,
            _ if replaced < all => Rollout::Partial,
            _ => Rollout::Full,
        }
    }
}

type Result<T, E = EngineError> = std::result::Result<T, E>;

fn refused(message: impl Into<String>) -> EngineError {
    OperationError::new(message).into()
}

impl Engine {
    /// What the release's controller of the workload's kind ends with.
    ///
    /// `workload` is what [`Engine::arrive`] returned. What the state says of the workload's status
    /// takes the place of what it says itself.
    ///
    /// # Errors
    /// When there is no such controller, the API server would have refused the workload, or the
    /// controller itself fails or never comes to rest.
    pub fn reconcile(
        &self,
        workload: &Object<'_>,
        before: &State,
        gates: &Gates<'_>,
    ) -> Result<Outcome> {
        let release = self.schema().release();
        let controller = CONTROLLERS
            .iter()
            .find(|(kind, span, _)| *kind == &*workload.kind.kind && span.contains(release));
        let Some((_, _, reconcile)) = controller else {
            let kind = workload.kind.kind.to_string();
            return Err(EngineError::NoSuchController { release, kind });
        };
        let schema = self.schema();
        let no_counts = EngineError::NoCollisionCounts { release };
        if before.collision_count.is_some() && INTERNAL.contains(release) {
            return Err(no_counts);
        }
        let mut value = controllers_own(schema, workload.kind, workload.value.clone())?;
        let mut object = Mut::new(schema, workload.ty, &mut value);
        if object.look().at("ObjectMeta.Name").str().is_empty() {
            return Err(refused("metadata.name: a controller needs one"));
        }
        for (field, name) in [
            ("Status.CurrentRevision", &before.current_revision),
            ("Status.UpdateRevision", &before.update_revision),
        ] {
            let field = object.at(field);
            if field.exists() {
                field.set_str(name);
            }
        }
        let counts = object.at("Status.CollisionCount").exists();
        if let Some(count) = before.collision_count {
            let fits = is_long(schema, workload.kind) || i32::try_from(count).is_ok();
            let count = if fits { count } else { (count as i32).into() };
            object.at("Status.CollisionCount").set_int(count);
        }
        let context = Context {
            schema,
            kind: workload.kind,
            object: Ref::new(schema, workload.ty, &value),
            hashed: hashed_template(schema, workload.kind, &value)?,
            gates,
        };
        context.check_selector()?;
        if before.collision_count.is_some() && !counts {
            return Err(no_counts);
        }
        reconcile(&context, before)
    }
}

/// What a controller writes into the history of a new workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerRevision {
    /// The hash by itself, as it stands in the revision's label.
    pub hash: String,
    /// The revision's name.
    pub name: String,
    /// What it holds, byte for byte.
    pub data: String,
}

/// Labels of a revision that hold its hash: a StatefulSet's and a DaemonSet's.
const REVISION_HASH_LABELS: [&str; 2] =
    ["controller.kubernetes.io/hash", "controller-revision-hash"];

/// Histories.
impl Engine {
    /// The first revision of a StatefulSet or DaemonSet, as [`Engine::arrive`] returned it; nothing
    /// for other kinds, and in releases whose controllers keep no history.
    ///
    /// # Errors
    /// When the API server would have refused the workload, or the controller fails.
    pub fn controller_revision(
        &self,
        workload: &Object<'_>,
        collision_count: Option<i64>,
        gates: &Gates<'_>,
    ) -> Result<Option<ControllerRevision>> {
        let release = self.schema().release();
        let has_history = matches!(&*workload.kind.kind, "StatefulSet" | "DaemonSet");
        if !has_history || !HISTORY.contains(release) {
            return Ok(None);
        }
        let mut workload = workload.clone();
        // How many Pods there are does not matter, and may be a great many.
        let mut object = Mut::new(self.schema(), workload.ty, &mut workload.value);
        let replicas = object.at("Spec.Replicas");
        if replicas.exists() {
            replicas.set_int(0);
        }
        let before = State {
            collision_count,
            ..State::default()
        };
        let after = self.reconcile(&workload, &before, gates)?.state;
        Ok(after.revisions.into_iter().next().map(|revision| {
            let mut labels = REVISION_HASH_LABELS
                .iter()
                .filter_map(|key| revision.labels.get(*key));
            ControllerRevision {
                hash: labels.next().cloned().unwrap_or_default(),
                name: revision.name,
                data: revision.data,
            }
        }))
    }
}

/// Whether the collision count is an `*int64` (1.7).
fn is_long(schema: &Schema, kind: &KindEntry) -> bool {
    let zero = schema.zero(kind.versioned);
    let field = Ref::new(schema, kind.versioned, &zero).at("Status.CollisionCount");
    let long = |(ty, _)| &*schema[ty].name == "*int64";
    field.parts().is_some_and(long)
}

/// An object as its controller has it: where that works on internal objects, one that has become
/// such an object and is versioned again.
fn controllers_own(schema: &Schema, kind: &KindEntry, object: Value) -> Result<Value> {
    if !INTERNAL.contains(schema.release()) {
        return Ok(object);
    }
    let internal = operations::to_internal(schema, kind, &object)?;
    let versioned = convert::from_internal(schema, kind, &internal, &Gates::defaults(schema));
    Ok(versioned.map_err(OperationError::from)?)
}

/// The template of an object, of the type that the release hashes and compares.
fn hashed_template(schema: &Schema, kind: &KindEntry, object: &Value) -> Result<(TypeId, Value)> {
    let missing = || refused(format!("this {} has no Pod template", kind.kind));
    let template = |ty, object: &Value| {
        let template = Ref::new(schema, ty, object).at("Spec.Template");
        template.parts().map(|(ty, value)| (ty, value.clone()))
    };
    let found = match (Recipe::of(schema.release()).form, kind.internal) {
        (Form::Internal, Some(ty)) => template(ty, &operations::to_internal(schema, kind, object)?),
        _ => template(kind.versioned, object),
    };
    found.ok_or_else(missing)
}

/// A workload on its controller's desk.
struct Context<'a> {
    schema: &'a Schema,
    kind: &'a KindEntry,
    object: Ref<'a, 'a>,
    /// The template, of the type that the release hashes and compares.
    hashed: (TypeId, Value),
    gates: &'a Gates<'a>,
}

impl<'a> Context<'a> {
    fn name(&self) -> &'a str {
        self.object.at("ObjectMeta.Name").str()
    }

    fn template(&self) -> Ref<'a, 'a> {
        self.object.at("Spec.Template")
    }

    fn template_labels(&self) -> Labels {
        labels(self.template().at("ObjectMeta.Labels"))
    }

    fn selects(&self, labels: &Labels) -> bool {
        selector::matches(self.object.at("Spec.Selector"), labels)
    }

    /// A controller never comes to rest over things that it makes and does not select, and takes a
    /// selector that selects everything for a mistake; the API server refuses such a workload.
    fn check_selector(&self) -> Result<()> {
        let selector = self.object.at("Spec.Selector");
        let selects_something = |field| !selector.get(field).is_empty();
        let parts = ["MatchLabels", "MatchExpressions"];
        if parts.into_iter().any(selects_something) && self.selects(&self.template_labels()) {
            Ok(())
        } else {
            Err(refused(
                "spec.selector: it does not select the labels of the template",
            ))
        }
    }

    fn collision_count(&self) -> Option<i64> {
        let count = self.object.at("Status.CollisionCount");
        count.deref().exists().then(|| count.int())
    }

    /// A number that the API server always sets.
    fn number(&self, path: &str, name: &str) -> Result<i64> {
        let number = self.object.at(path);
        if number.deref().exists() {
            Ok(number.int())
        } else {
            Err(refused(format!("{name}: missing")))
        }
    }

    /// The hash of the template with a collision count.
    fn template_hash(&self, collision_count: Option<i64>) -> String {
        let (ty, template) = &self.hashed;
        let recipe = Recipe::of(self.schema.release());
        recipe.label(self.schema, *ty, template, collision_count)
    }

    /// `<name>-<label>`, as the release writes the label into names.
    fn name_with(&self, label: &str, longest: usize) -> String {
        let suffix = Recipe::of(self.schema.release()).in_name(label);
        let room = longest.saturating_sub(suffix.len() + 1);
        let name = self.name();
        format!("{}-{suffix}", name.get(..room).unwrap_or(name))
    }
}

/// A map of labels; empty where there is none.
fn labels(map: Ref<'_, '_>) -> Labels {
    let entries = map.entries();
    entries
        .map(|(key, value)| (key.to_owned(), value.str().to_owned()))
        .collect()
}

/// The same as a value.
fn labels_value(labels: &Labels) -> Value {
    let entries = labels.iter();
    Value::Map(
        entries
            .map(|(key, value)| (Value::str(key), Value::str(value)))
            .collect(),
    )
}

impl State {
    /// In the order of names, with what became of the Pods.
    fn outcome(mut self, rollout: Rollout) -> Outcome {
        self.revisions.sort_by(|a, b| a.name.cmp(&b.name));
        self.replica_sets.sort_by(|a, b| a.name.cmp(&b.name));
        self.pods.sort_by(|a, b| a.name.cmp(&b.name));
        self.replaced.sort();
        Outcome {
            state: self,
            rollout,
        }
    }
}

fn null_is_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Arrival;

    fn reconcile(release: &str, kind: &str, spec: &str, before: &str) -> Outcome {
        let api_version = match (release, kind) {
            ("v1.7.5", "StatefulSet") => "apps/v1beta1",
            ("v1.2.7" | "v1.6.13" | "v1.7.5", _) => "extensions/v1beta1",
            _ => "apps/v1",
        };
        let engine = Engine::load(release.parse().unwrap()).unwrap();
        let text = format!(
            r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"web"}},"spec":{{
                {spec}"selector":{{"matchLabels":{{"app":"web"}}}},"template":{{
                "metadata":{{"labels":{{"app":"web"}}}},"spec":{{
                "terminationGracePeriodSeconds":9007199254740993,
                "containers":[{{"name":"app","image":"nginx:1.25"}}]}}}}}}}}"#
        );
        let gates = Gates::defaults(engine.schema());
        let object = engine.decode(&text).unwrap();
        let object = engine.arrive(&object, Arrival::Delivered, &gates).unwrap();
        let before = serde_json::from_str(before).unwrap();
        engine.reconcile(&object, &before, &gates).unwrap()
    }

    /// What the real controllers of these releases answered.
    #[test]
    fn revisions_are_named_and_filled_as_each_release_does() {
        for (release, kind, name, label, seconds) in [
            (
                "v1.7.5",
                "StatefulSet",
                "web-4034765724",
                ("controller.kubernetes.io/hash", "4034765724"),
                "9007199254740992",
            ),
            (
                "v1.7.5",
                "DaemonSet",
                "web-3167361645",
                ("controller-revision-hash", "3167361645"),
                "9007199254740993",
            ),
            (
                "v1.12.10",
                "StatefulSet",
                "web-d7966c744",
                ("controller.kubernetes.io/hash", "d7966c744"),
                "9007199254740992",
            ),
            (
                "v1.30.14",
                "StatefulSet",
                "web-d7966c744",
                ("controller.kubernetes.io/hash", "d7966c744"),
                "9007199254740992",
            ),
            (
                "v1.30.14",
                "DaemonSet",
                "web-7cd85967b8",
                ("controller-revision-hash", "7cd85967b8"),
                "9007199254740993",
            ),
        ] {
            let replicas = if kind == "StatefulSet" {
                r#""replicas":0,"#
            } else {
                ""
            };
            let outcome = reconcile(release, kind, replicas, "{}");
            let [revision] = outcome.state.revisions.as_slice() else {
                panic!("{outcome:?}");
            };
            assert_eq!(revision.name, name, "{release} {kind}");
            assert_eq!(revision.labels[label.0], label.1, "{release} {kind}");
            let seconds = format!(r#""terminationGracePeriodSeconds":{seconds}"#);
            assert!(revision.data.contains(&seconds), "{}", revision.data);
        }
    }

    const OLD: &str = r#"{"revisions":[{"name":"web-old","revision":1,"data":"{\"a\":1}",
        "labels":{"app":"web","controller.kubernetes.io/hash":"old","controller-revision-hash":"old"}}],
        "pods":[{"name":"web-0","node":"node-1","labels":{"app":"web","controller-revision-hash":"old"}},
                {"name":"web-1","node":"node-2","labels":{"app":"web","controller-revision-hash":"old"}}]}"#;

    #[test]
    fn the_strategy_decides_which_pods_are_replaced() {
        let set = r#""replicas":2,"updateStrategy":"#;
        let rolling = |rest: &str| format!(r#"{{"type":"RollingUpdate"{rest}}},"#);
        let partition = |n| rolling(&format!(r#","rollingUpdate":{{"partition":{n}}}"#));
        let on_delete = r#"{"type":"OnDelete"},"#.to_owned();
        for (kind, strategy, replaced, rollout) in [
            (
                "StatefulSet",
                rolling(""),
                &["web-0", "web-1"][..],
                Rollout::Full,
            ),
            ("StatefulSet", partition(1), &["web-1"], Rollout::Partial),
            ("StatefulSet", partition(100), &[], Rollout::NewRevisionOnly),
            ("StatefulSet", on_delete.clone(), &[], Rollout::OnDelete),
            ("DaemonSet", rolling(""), &["web-0", "web-1"], Rollout::Full),
            ("DaemonSet", on_delete, &[], Rollout::OnDelete),
        ] {
            let spec = if kind == "StatefulSet" {
                set
            } else {
                r#""updateStrategy":"#
            };
            let outcome = reconcile("v1.30.14", kind, &format!("{spec}{strategy}"), OLD);
            assert_eq!(outcome.state.replaced, replaced, "{kind} {strategy}");
            assert_eq!(outcome.rollout, rollout, "{kind} {strategy}");
        }
    }

    #[test]
    fn what_is_current_stays_as_it_is() {
        for kind in ["StatefulSet", "DaemonSet", "Deployment"] {
            let replicas = if kind == "DaemonSet" {
                ""
            } else {
                r#""replicas":2,"#
            };
            let first = reconcile("v1.30.14", kind, replicas, "{}");
            let mut there = serde_json::to_value(&first.state).unwrap();
            if kind == "DaemonSet" {
                for (at, pod) in there["pods"].as_array_mut().unwrap().iter_mut().enumerate() {
                    pod["name"] = format!("web-{at}").into();
                }
            }
            let again = reconcile("v1.30.14", kind, replicas, &there.to_string());
            assert_eq!(again.rollout, Rollout::None, "{kind}");
            assert_eq!(again.state.revisions, first.state.revisions);
            assert!(again.state.replaced.is_empty());
        }
    }

    #[test]
    fn a_name_that_is_taken_is_a_collision() {
        let taken = r#"{"revisions":[{"name":"web-7cd85967b8","revision":3,"data":"{}",
            "labels":{"app":"web","controller-revision-hash":"x"}}]}"#;
        let outcome = reconcile("v1.30.14", "DaemonSet", "", taken);
        assert_eq!(outcome.state.collision_count, Some(1));
        assert_eq!(outcome.state.revisions.len(), 2);
        assert!(outcome.state.revisions.iter().any(|r| r.revision == 4));
    }

    #[test]
    fn a_deployment_keeps_the_replica_set_that_means_the_same() {
        let template = |image: &str, seconds: u64| {
            format!(
                r#"{{"metadata":{{"labels":{{"app":"web","pod-template-hash":"x"}}}},"spec":{{
                    "terminationGracePeriodSeconds":{seconds},
                    "containers":[{{"name":"app","image":"{image}","command":[]}}]}}}}"#
            )
        };
        let before = |template: &str| {
            format!(
                r#"{{"replicaSets":[{{"name":"web-x","replicas":2,"template":{template},
                    "labels":{{"app":"web","pod-template-hash":"x"}}}}]}}"#
            )
        };
        let same = before(&template("nginx:1.25", 9_007_199_254_740_993));
        let outcome = reconcile("v1.30.14", "Deployment", r#""replicas":2,"#, &same);
        assert_eq!(outcome.rollout, Rollout::None);
        assert_eq!(outcome.state.replica_sets.len(), 1);
        let other = before(&template("nginx:1.24", 9_007_199_254_740_993));
        let outcome = reconcile("v1.30.14", "Deployment", r#""replicas":2,"#, &other);
        assert_eq!(outcome.rollout, Rollout::Full);
        let sizes: Vec<_> = outcome
            .state
            .replica_sets
            .iter()
            .map(|set| set.replicas)
            .collect();
        assert_eq!(sizes, [2, 0]);
    }

    /// The names, sizes and hashes of a Deployment's ReplicaSets.
    fn sets(outcome: &Outcome) -> Vec<(&str, i64, &str)> {
        let sets = outcome.state.replica_sets.iter();
        sets.map(|set| (&*set.name, set.replicas, &*set.labels["pod-template-hash"]))
            .collect()
    }

    /// What the real controllers of these releases answered.
    #[test]
    fn replica_sets_are_named_by_a_decimal_before_1_7() {
        for (release, name, hash) in [
            ("v1.2.7", "web-1074683842", "1074683842"),
            ("v1.6.13", "web-2651384803", "2651384803"),
        ] {
            let outcome = reconcile(release, "Deployment", r#""replicas":2,"#, "{}");
            assert_eq!(sets(&outcome), [(name, 2, hash)], "{release}");
        }
    }

    /// What the real controller answered.
    #[test]
    fn a_replica_set_without_a_hash_gets_it_before_1_7() {
        let before = r#"{"replicaSets":[{"name":"web-old","replicas":2,"labels":{"app":"web"},
            "template":{"metadata":{"labels":{"app":"web"}},
                "spec":{"containers":[{"name":"app","image":"nginx:1.24"}]}}}]}"#;
        let outcome = reconcile("v1.2.7", "Deployment", r#""replicas":2,"#, before);
        let expected = [
            ("web-1074683842", 2, "1074683842"),
            ("web-old", 0, "3900595414"),
        ];
        assert_eq!(sets(&outcome), expected);
        assert_eq!(outcome.rollout, Rollout::Full);
    }

    #[test]
    fn daemon_sets_of_1_6_go_by_the_generation() {
        let rolling = r#""updateStrategy":{"type":"RollingUpdate"},"#;
        for (generation, replaced) in [(1, &["web-0"][..]), (2, &[])] {
            let before = r#"{"pods":[{"name":"web-0","node":"node-1",
                "labels":{"app":"web","pod-template-generation":"2"}}]}"#;
            let spec = format!(r#"{rolling}"templateGeneration":{generation},"#);
            let outcome = reconcile("v1.6.13", "DaemonSet", &spec, before);
            assert!(outcome.state.revisions.is_empty());
            assert_eq!(outcome.state.replaced, replaced, "generation {generation}");
        }
    }
}
