//! A Deployment's controller.
//!
//! Mirrors `getNewReplicaSet`, `scale` and `cleanupDeployment` in
//! `pkg/controller/deployment/sync.go`, `FindNewReplicaSet` and `EqualIgnoreHash` in
//! `util/deployment_util.go`.

use serde_json::value::RawValue;

use super::{Context, Outcome, ReplicaSet, Result, Rollout, State};
use super::{labels, labels_value, refused};
use crate::decode;
use crate::operations;
use crate::print::json;
use crate::release::{Release, Span};
use crate::schema::{Kind, KindEntry, Schema, Special, TypeId};
use crate::value::{Mut, Ref, Value};

const HASH_LABEL: &str = "pod-template-hash";

/// Before, a new ReplicaSet has no labels until the API server gives it the template's.
const NEW_ONES_HAVE_LABELS: Span = Span::since(11, 0);

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
    let mut state = State {
        replica_sets: before.replica_sets.clone(),
        pods: before.pods.clone(),
        collision_count: context.collision_count(),
        ..State::default()
    };
    let mut rollout = Rollout::None;
    if context.selects_everything() {
        return Ok(state.outcome(rollout));
    }
    context.check_selector()?;
    let mut sets = Sets::new(context, before)?;
    let replicas = context.number("Spec.Replicas", "spec.replicas")?;
    let new = sets.find_new();
    if context.object.at("Spec.Paused").is_true() {
        sets.scale(new, replicas)?;
    } else {
        let new = match new {
            Some(new) => new,
            None => {
                rollout = Rollout::NewRevisionOnly;
                sets.create(&mut state.collision_count)?
            }
        };
        for (at, set) in sets.all.iter_mut().enumerate() {
            if at != new && set.replicas > 0 {
                rollout = Rollout::Full;
            }
            set.replicas = if at == new { replicas } else { 0 };
        }
        sets.clean_up(new);
    }
    state.replica_sets = sets.into_replica_sets()?;
    Ok(state.outcome(rollout))
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

    fn template<'v>(&'v self, set: &'v Set) -> Ref<'v, 'v> {
        Ref::new(self.context.schema, self.kind.versioned, &set.value).at("Spec.Template")
    }

    /// `FindNewReplicaSet`
    fn find_new(&self) -> Option<usize> {
        let wanted = without_hash(self.context.template())?;
        let ty = self.template_ty().ok()?;
        self.all.iter().position(|set| {
            without_hash(self.template(set))
                .is_some_and(|template| equal(self.context.schema, ty, &template, &wanted))
        })
    }

    /// `getNewReplicaSet`, where there is none.
    fn create(&mut self, collisions: &mut Option<i64>) -> Result<usize> {
        let Context { schema, gates, .. } = *self.context;
        loop {
            let hash = self.context.template_hash(*collisions)?;
            let name = self
                .context
                .name_with(&hash, longest_name(schema.release()));
            if self.all.iter().any(|set| set.name == name) {
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
                name,
                replicas: 0,
                value,
            });
            return Ok(self.all.len() - 1);
        }
    }

    /// `scale`, as a paused Deployment does it: the only active ReplicaSet, or else the newest, gets
    /// all the replicas.
    fn scale(&mut self, new: Option<usize>, replicas: i64) -> Result<()> {
        let active = |(_, set): &(usize, &Set)| set.replicas > 0;
        let mut active = self.all.iter().enumerate().filter(active).map(|(at, _)| at);
        let target = match (active.next(), active.next()) {
            (Some(_), Some(_)) => {
                return Err(refused(
                    "a paused Deployment with several active ReplicaSets is not covered",
                ));
            }
            (only @ Some(_), None) => only,
            (None, _) => new.or(self.all.len().checked_sub(1)),
        };
        if let Some(set) = target.and_then(|target| self.all.get_mut(target)) {
            set.replicas = replicas;
        }
        Ok(())
    }

    /// `cleanupDeployment`
    fn clean_up(&mut self, new: usize) {
        let limit = self.context.object.at("Spec.RevisionHistoryLimit");
        if !limit.deref().exists() {
            return;
        }
        let old = self.all.len() - 1;
        let mut surplus = old.saturating_sub(usize::try_from(limit.int()).unwrap_or(0));
        let new = self.all.get(new).map(|set| set.name.clone());
        self.all.retain(|set| {
            let drop = surplus > 0 && Some(&set.name) != new.as_ref();
            surplus -= usize::from(drop);
            !drop
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
fn without_hash(template: Ref<'_, '_>) -> Option<Value> {
    let (ty, value) = template.parts()?;
    let mut value = value.clone();
    Mut::new(template.schema(), ty, &mut value)
        .at("ObjectMeta.Labels")
        .remove(HASH_LABEL);
    Some(value)
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
