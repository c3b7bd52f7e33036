//! A Deployment's controller.
//!
//! Mirrors `getNewReplicaSet`, `addHashKeyToRSAndPods` (until 1.6), `scale` and `cleanupDeployment`
//! in `pkg/controller/deployment/sync.go` (until 1.3 `deployment_controller.go`),
//! `FindNewReplicaSet`, `FindOldReplicaSets` and `EqualIgnoreHash` in `util/deployment_util.go`
//! (until 1.3 `pkg/util/deployment/deployment.go`).

use serde_json::value::RawValue;

use super::{Context, INTERNAL, Outcome, ReplicaSet, Result, Rollout, State};
use super::{controllers_own, hashed_template, labels, labels_value, refused};
use crate::decode;
use crate::operations;
use crate::print::json;
use crate::release::{Release, Span};
use crate::schema::{Kind, KindEntry, Schema, Special, TypeId};
use crate::subject::pod_template_hash::Recipe;
use crate::value::{Mut, Ref, Value};

const HASH_LABEL: &str = "pod-template-hash";

/// Before, a new ReplicaSet has no labels until the API server gives it the template's.
const NEW_ONES_HAVE_LABELS: Span = Span::since(11, 0);

/// Until then a ReplicaSet whose selector does not have the label gets it everywhere.
const ADOPTS: Span = Span::minors(2, 6);

/// Until then a ReplicaSet whose template has the right label already does not.
const ADOPTS_UNLABELLED_ONLY: Span = Span::minors(2, 5);

/// Until then old ReplicaSets are looked for only while there are Pods.
const OLD_ONES_NEED_PODS: Span = Span::minors(2, 6);

/// Until then nothing is done when the name is taken.
const NAMES_COLLIDE: Span = Span::minors(2, 6);

/// Since then a paused Deployment is scaled, and cleaned up.
const PAUSED_ONES_ARE_SCALED: Span = Span::since(4, 0);

/// Cleans up before anything else.
const CLEANS_UP_FIRST: Span = Span::minors(6, 6);

/// `generateReplicaSetName` makes room for the hash.
const NAMES_ARE_SHORTENED: Span = Span::since(34, 0);

/// `DNS1123SubdomainMaxLength`
const LONGEST_NAME: usize = 253;

fn longest_name(release: Release) -> usize {
    if NAMES_ARE_SHORTENED.contains(release) {
        LONGEST_NAME
    } else {
        usize::MAX
    }
}

pub(super) fn reconcile(context: &Context<'_>, before: &State) -> Result<Outcome> {
    let release = context.schema.release();
    let mut state = State {
        collision_count: context.collision_count(),
        ..State::default()
    };
    if !INTERNAL.contains(release) {
        state.pods.clone_from(&before.pods);
    }
    let mut rollout = Rollout::None;
    let mut sets = Sets::new(context, before)?;
    sets.adopt()?;
    let replicas = context.number("Spec.Replicas", "spec.replicas")?;
    let new = sets.find_new()?;
    if CLEANS_UP_FIRST.contains(release) {
        sets.clean_up(new.as_deref());
    }
    if !context.object.at("Spec.Paused").is_true() {
        check_strategy(context)?;
        let new = match new {
            Some(new) => new,
            None => {
                rollout = Rollout::NewRevisionOnly;
                sets.create(&mut state.collision_count)?
            }
        };
        for set in &mut sets.all {
            let is_new = set.name == new;
            if !is_new && set.replicas > 0 {
                rollout = Rollout::Full;
            }
            set.replicas = if is_new { replicas } else { 0 };
        }
        sets.clean_up(Some(&new));
    } else if PAUSED_ONES_ARE_SCALED.contains(release) {
        sets.scale(new.as_deref(), replicas)?;
        sets.clean_up(new.as_deref());
    }
    state.replica_sets = sets.into_replica_sets()?;
    Ok(state.outcome(rollout))
}

fn check_strategy(context: &Context<'_>) -> Result<()> {
    match context.object.at("Spec.Strategy.Type").str() {
        "Recreate" | "RollingUpdate" => Ok(()),
        other => Err(refused(format!(
            "spec.strategy.type: there is no {other:?}"
        ))),
    }
}

struct Sets<'a> {
    context: &'a Context<'a>,
    kind: &'a KindEntry,
    /// By name: all are equally old.
    all: Vec<Set>,
}

struct Set {
    name: String,
    replicas: i64,
    value: Value,
}

impl<'a> Sets<'a> {
    fn new(context: &'a Context<'a>, before: &State) -> Result<Sets<'a>> {
        let api_version = &context.kind.api_version;
        let kind = context.schema.kind(api_version, "ReplicaSet");
        let kind = kind.ok_or_else(|| refused(format!("no ReplicaSet in {api_version}")))?;
        let mut sets = Sets {
            context,
            kind,
            all: Vec::new(),
        };
        for set in &before.replica_sets {
            let value = sets.serve(set)?;
            sets.all.push(Set {
                name: set.name.clone(),
                replicas: set.replicas,
                value,
            });
        }
        sets.all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(sets)
    }

    /// A ReplicaSet that some release persisted, as this one hands it out.
    fn serve(&self, set: &ReplicaSet) -> Result<Value> {
        let Context { schema, gates, .. } = *self.context;
        if !self.context.selects(&set.labels) {
            return Err(refused(format!(
                "the Deployment does not select ReplicaSet {}",
                set.name
            )));
        }
        let template_ty = self.template_ty()?;
        let template = decode::decode(schema, template_ty, set.template.get())?.value;
        let value = self.object(&set.name, set.replicas, &set.labels, template);
        let value = operations::serve(schema, self.kind, value, gates)?;
        if INTERNAL.contains(schema.release()) {
            return controllers_own(schema, self.kind, value);
        }
        Ok(operations::receive(schema, self.kind, value)?)
    }

    fn template_ty(&self) -> Result<TypeId> {
        let template = self.context.template().parts();
        template
            .map(|(ty, _)| ty)
            .ok_or_else(|| refused("no template"))
    }

    fn object(&self, name: &str, replicas: i64, labels: &super::Labels, template: Value) -> Value {
        let schema = self.context.schema;
        let mut value = schema.zero(self.kind.versioned);
        let mut set = Mut::new(schema, self.kind.versioned, &mut value);
        set.at("TypeMeta.APIVersion")
            .set_str(&self.kind.api_version);
        set.at("TypeMeta.Kind").set_str(&self.kind.kind);
        set.at("ObjectMeta.Name").set_str(name);
        if !labels.is_empty() {
            set.at("ObjectMeta.Labels").set(labels_value(labels));
        }
        set.at("Spec.Replicas").set_int(replicas);
        let mut selector = set.at("Spec.Selector").make();
        selector.get("MatchLabels").set(labels_value(labels));
        set.at("Spec.Template").set(template);
        value
    }

    /// `addHashKeyToRSAndPods`
    fn adopt(&mut self) -> Result<()> {
        let schema = self.context.schema;
        if !ADOPTS.contains(schema.release()) {
            return Ok(());
        }
        let (recipe, kind) = (Recipe::of(schema.release()), self.kind);
        for set in &mut self.all {
            let (ty, mut template) = hashed_template(schema, kind, &set.value)?;
            let mut pod_labels = labels(Ref::new(schema, ty, &template).at("ObjectMeta.Labels"));
            let told = pod_labels.remove(HASH_LABEL);
            Mut::new(schema, ty, &mut template)
                .at("ObjectMeta.Labels")
                .set(labels_value(&pod_labels));
            let hash = recipe.label(schema, ty, &template, None);
            let mut own = Mut::new(schema, kind.versioned, &mut set.value);
            let mut set_labels = labels(own.look().at("ObjectMeta.Labels"));
            let is_labelled =
                ADOPTS_UNLABELLED_ONLY.contains(schema.release()) && told.as_ref() == Some(&hash);
            if set_labels.contains_key(HASH_LABEL) || is_labelled {
                continue;
            }
            pod_labels.insert(HASH_LABEL.into(), hash.clone());
            set_labels.insert(HASH_LABEL.into(), hash);
            own.at("Spec.Template.ObjectMeta.Labels")
                .set(labels_value(&pod_labels));
            own.at("ObjectMeta.Labels").set(labels_value(&set_labels));
        }
        Ok(())
    }

    /// `FindNewReplicaSet`: its name.
    fn find_new(&self) -> Result<Option<String>> {
        let schema = self.context.schema;
        let (ty, wanted) = &self.context.hashed;
        let wanted = without_hash(schema, *ty, wanted.clone());
        for set in &self.all {
            let (_, template) = hashed_template(schema, self.kind, &set.value)?;
            if equal(schema, *ty, &without_hash(schema, *ty, template), &wanted) {
                return Ok(Some(set.name.clone()));
            }
        }
        Ok(None)
    }

    /// Whether the controller finds old ReplicaSets.
    fn finds_old(&self) -> bool {
        !OLD_ONES_NEED_PODS.contains(self.context.schema.release())
            || self.all.iter().any(|set| set.replicas > 0)
    }

    /// `getNewReplicaSet`, where there is none.
    fn create(&mut self, collisions: &mut Option<i64>) -> Result<String> {
        let Context { schema, gates, .. } = *self.context;
        loop {
            let hash = self.context.template_hash(*collisions);
            let name = self
                .context
                .name_with(&hash, longest_name(schema.release()));
            if self.all.iter().any(|set| set.name == name) {
                if NAMES_COLLIDE.contains(schema.release()) {
                    return Err(refused(format!("ReplicaSet {name} is there already")));
                }
                *collisions = Some(collisions.unwrap_or(0).wrapping_add(1));
                continue;
            }
            let (ty, template) = self
                .context
                .template()
                .parts()
                .ok_or_else(|| refused("no template"))?;
            let mut template = template.clone();
            let mut pod_labels = self.context.template_labels();
            pod_labels.insert(HASH_LABEL.into(), hash);
            Mut::new(schema, ty, &mut template)
                .at("ObjectMeta.Labels")
                .set(labels_value(&pod_labels));
            let mut value = self.object(&name, 0, &pod_labels, template);
            if !NEW_ONES_HAVE_LABELS.contains(schema.release()) {
                Mut::new(schema, self.kind.versioned, &mut value)
                    .at("ObjectMeta.Labels")
                    .clear();
            }
            let value = operations::create(schema, self.kind, value, gates)?;
            self.all.push(Set {
                name: name.clone(),
                replicas: 0,
                value: controllers_own(schema, self.kind, value)?,
            });
            return Ok(name);
        }
    }

    /// `scale`, as a paused Deployment does it: the only active ReplicaSet, or else the newest, gets
    /// all the replicas.
    fn scale(&mut self, new: Option<&str>, replicas: i64) -> Result<()> {
        let finds_old = self.finds_old();
        let mut active = self.all.iter().filter(|set| set.replicas > 0);
        let target = match (active.next(), active.next()) {
            (Some(_), Some(_)) => {
                return Err(refused(
                    "a paused Deployment with several active ReplicaSets is not covered",
                ));
            }
            (Some(only), None) => Some(&*only.name),
            (None, _) => new.or(self.all.last().filter(|_| finds_old).map(|set| &*set.name)),
        };
        let target = target.map(str::to_owned);
        for set in &mut self.all {
            if target.as_ref() == Some(&set.name) {
                set.replicas = replicas;
            }
        }
        Ok(())
    }

    /// `cleanupDeployment`: of the oldest ones that are too many, those without replicas go.
    fn clean_up(&mut self, new: Option<&str>) {
        let limit = self.context.object.at("Spec.RevisionHistoryLimit");
        if !limit.deref().exists() || !self.finds_old() {
            return;
        }
        let is_new = |set: &Set| Some(&*set.name) == new;
        let old = self.all.iter().filter(|set| !is_new(set)).count();
        let mut surplus = old.saturating_sub(usize::try_from(limit.int()).unwrap_or(0));
        self.all.retain(|set| {
            let counts = surplus > 0 && !is_new(set);
            surplus -= usize::from(counts);
            !counts || set.replicas > 0
        });
    }

    fn into_replica_sets(self) -> Result<Vec<ReplicaSet>> {
        let schema = self.context.schema;
        let write = |set: &Set| {
            let object = Ref::new(schema, self.kind.versioned, &set.value);
            let (ty, template) = object.at("Spec.Template").parts()?;
            let text = String::from_utf8(json::to_vec(schema, ty, template)).ok()?;
            Some(ReplicaSet {
                name: set.name.clone(),
                replicas: set.replicas,
                labels: labels(object.at("ObjectMeta.Labels")),
                template: RawValue::from_string(text).ok()?,
            })
        };
        let written: Option<Vec<_>> = self.all.iter().map(write).collect();
        written.ok_or_else(|| refused("a ReplicaSet's template cannot be written"))
    }
}

/// A template without the label that no two ReplicaSets share.
fn without_hash(schema: &Schema, ty: TypeId, mut template: Value) -> Value {
    Mut::new(schema, ty, &mut template)
        .at("ObjectMeta.Labels")
        .remove(HASH_LABEL);
    template
}

/// `apiequality.Semantic.DeepEqual`: quantities by their amount, times by their moment, and what is
/// empty is as good as nil.
fn equal(schema: &Schema, ty: TypeId, a: &Value, b: &Value) -> bool {
    let empty = |value: &Value| match value {
        Value::Nil => true,
        Value::Slice(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        _ => false,
    };
    let special = schema[ty].special;
    match (&schema[ty].kind, a, b) {
        (_, Value::Quantity(a), Value::Quantity(b)) => a.same_amount(b),
        (Kind::Pointer(_), Value::Nil, _) | (Kind::Pointer(_), _, Value::Nil) => a == b,
        (Kind::Pointer(elem), Value::Pointer(a), Value::Pointer(b)) => equal(schema, *elem, a, b),
        (Kind::Slice(_) | Kind::Map(..) | Kind::Bytes, a, b) if empty(a) || empty(b) => {
            empty(a) && empty(b)
        }
        (Kind::Slice(elem) | Kind::Array(_, elem), Value::Slice(a), Value::Slice(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(schema, *elem, a, b))
        }
        (Kind::Map(_, elem), Value::Map(a), Value::Map(b)) => {
            let other = |key: &Value| b.iter().find(|(k, _)| k == key);
            let same = |(key, a): &(Value, Value)| {
                other(key).is_some_and(|(_, b)| equal(schema, *elem, a, b))
            };
            a.len() == b.len() && a.iter().all(same)
        }
        (Kind::Struct(_), a, b) if matches!(special, Some(Special::Time | Special::MicroTime)) => {
            a == b
        }
        (Kind::Struct(fields), Value::Struct(a), Value::Struct(b)) => {
            let mut values = fields.iter().zip(a.iter().zip(b));
            values.all(|(field, (a, b))| equal(schema, field.ty, a, b))
        }
        _ => a == b,
    }
}
