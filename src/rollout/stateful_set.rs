//! A StatefulSet's controller.
//!
//! Mirrors `getStatefulSetRevisions`, `updateStatefulSet` and `truncateHistory` in
//! `pkg/controller/statefulset/stateful_set_control.go`, what they use of
//! `stateful_set_utils.go` beside it, and `pkg/controller/history/controller_history.go`.

use super::{Context, Labels, Outcome, Pod, Result, Revision, Rollout, State};
use super::{labels, refused};
use crate::decode;
use crate::engine::EngineError;
use crate::operations;
use crate::release::Span;
use crate::schema::TypeId;
use crate::subject::controller_revision::{self, Json, Numbers, Recipe};
use crate::toolchain::Toolchain;
use crate::value::{Mut, Ref, Value};

const HASH_LABEL: &str = "controller.kubernetes.io/hash";
const REVISION_LABEL: &str = "controller-revision-hash";
const NAME_LABEL: &str = "statefulset.kubernetes.io/pod-name";
const INDEX_LABEL: &str = "apps.kubernetes.io/pod-index";

/// Before, a revision got the labels that the set's selector demands.
const LABELS_ARE_THE_TEMPLATES: Span = Span::since(10, 0);
/// Before, a revision of the same name was a collision even if it held the same.
const SAME_DATA_IS_NO_COLLISION: Span = Span::since(10, 0);
/// Two revisions with decimal hash labels that differ are not equal, whatever they hold. Checked
/// in 1.34 and later no more, whose labels are not decimal anyway.
const LABELS_ARE_COMPARED: Span = Span::until(33, u16::MAX);
const COUNTS_COLLISIONS_IN_STATUS: Span = Span::since(8, 0);
const PODS_HAVE_NAME_LABELS: Span = Span::since(9, 0);
/// The index label, with the gate `PodIndexLabel` until that was removed.
const PODS_HAVE_INDEX_LABELS: Span = Span::since(28, 0);
const ORDINALS_HAVE_A_START: Span = Span::since(26, 0);

/// How often the controller is let work before it counts as restless.
const MOST_ROUNDS: usize = 500;

pub(super) fn reconcile(context: &Context<'_>, before: &State) -> Result<Outcome> {
    let mut history = History::new(context, before)?;
    let update = history.settle()?;
    let status = context.object.get("Status");
    let current = status.get("CurrentRevision").str();
    let current = match history.position(current) {
        Some(at) => at,
        None => update,
    };
    for revision in [current, update] {
        history.can_be_applied(&history.revisions[revision])?;
    }
    let pods = pods(context, before, &history.revisions, current, update)?;

    let update_name = history.revisions[update].name.clone();
    let is_new = |pod: &&Pod| revision_of(pod) == update_name;
    let replicas = context.number("Spec.Replicas", "spec.replicas")?;
    let strategy = context.object.at("Spec.UpdateStrategy.Type").str();
    let updated = pods.members.iter().filter(is_new).count();
    let complete = strategy == "RollingUpdate" && i64::try_from(updated) == Ok(replicas);
    let current = if complete { update } else { current };
    let current_name = history.revisions[current].name.clone();

    let is_given = |pod: &&Pod| before.pods.contains(pod);
    let unchanged = pods.members.iter().all(|pod| is_given(&pod))
        && pods.replaced.is_empty()
        && status_says(status, &pods.members, &current_name, &update_name);
    let counts = COUNTS_COLLISIONS_IN_STATUS.contains(context.schema.release());
    let collision_count = if counts && !unchanged {
        Some(history.collisions.into())
    } else {
        context.collision_count()
    };

    let survivors = before
        .pods
        .iter()
        .filter(|pod| !pods.replaced.contains(&pod.name));
    let outdated = survivors
        .filter(|pod| revision_of(pod) != update_name)
        .count();
    let rollout = Rollout::of_pods(
        pods.replaced.len(),
        before.pods.len(),
        outdated,
        history.changed,
        strategy == "OnDelete",
    );
    let limit = context.number("Spec.RevisionHistoryLimit", "spec.revisionHistoryLimit")?;
    history.truncate(&pods.members, [&current_name, &update_name], limit);
    Ok(State {
        revisions: history.into_revisions(),
        pods: [pods.members, pods.strangers].concat(),
        replaced: pods.replaced,
        collision_count,
        current_revision: current_name,
        update_revision: update_name,
        ..State::default()
    }
    .outcome(rollout))
}

// ---- revisions ----------------------------------------------------------------------------

struct History<'a> {
    context: &'a Context<'a>,
    recipe: Recipe,
    /// Those that the set's selector selects, and new ones.
    revisions: Vec<Revision>,
    /// The others, which the controller does not see.
    strangers: Vec<Revision>,
    /// What a revision of the set as it stands holds.
    data: String,
    collisions: i32,
    changed: bool,
}

impl<'a> History<'a> {
    fn new(context: &'a Context<'a>, before: &State) -> Result<History<'a>> {
        let release = context.schema.release();
        let recipe = Recipe::of(release).ok_or(EngineError::NoSuchFunction { release })?;
        let all = before.revisions.iter().cloned();
        let (revisions, strangers) = all.partition(|revision| context.selects(&revision.labels));
        Ok(History {
            context,
            recipe,
            revisions,
            strangers,
            data: patch_of(context, context.template())?,
            collisions: context.collision_count().unwrap_or(0) as i32,
            changed: false,
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.revisions
            .iter()
            .position(|revision| revision.name == name)
    }

    /// Lets the controller work until it writes nothing more; returns the place of the update
    /// revision.
    fn settle(&mut self) -> Result<usize> {
        for _ in 0..MOST_ROUNDS {
            let (update, wrote) = self.update_revision()?;
            self.changed |= wrote;
            if !wrote {
                return Ok(update);
            }
        }
        Err(refused("the controller does not come to rest"))
    }

    /// `getStatefulSetRevisions`: the revision of the set as it stands, found, brought forward or
    /// created, and whether that took a write.
    fn update_revision(&mut self) -> Result<(usize, bool)> {
        self.revisions
            .sort_by(|a, b| (a.revision, &a.name).cmp(&(b.revision, &b.name)));
        let wanted = Revision {
            name: String::new(),
            revision: self.revisions.last().map_or(1, |last| last.revision + 1),
            labels: self.labels()?,
            data: self.data.clone(),
        };
        let equal = self.revisions.iter().rposition(|r| self.equal(r, &wanted));
        let last = self.revisions.len().checked_sub(1);
        if let (Some(equal), Some(last)) = (equal, last) {
            if self.equal(&self.revisions[last], &self.revisions[equal]) {
                return Ok((last, false));
            }
            self.revisions[equal].revision = wanted.revision;
            return Ok((equal, true));
        }
        if let Some(last) = last
            && self.means_the_same(&self.revisions[last])
        {
            return Ok((last, false));
        }
        Ok(self.create(wanted))
    }

    /// `NewControllerRevision`, as far as its labels go.
    fn labels(&self) -> Result<Labels> {
        let release = self.context.schema.release();
        let mut labels = if LABELS_ARE_THE_TEMPLATES.contains(release) {
            self.context.template_labels()
        } else {
            let selector = self.context.object.at("Spec.Selector");
            if !selector.get("MatchExpressions").is_empty() {
                return Err(refused(
                    "spec.selector.matchExpressions: the labels of a revision cannot be told from them",
                ));
            }
            labels(selector.get("MatchLabels"))
        };
        let collisions = if self.recipe.counts_from_zero {
            self.collisions
        } else {
            0
        };
        labels.insert(HASH_LABEL.into(), self.recipe.label(&self.data, collisions));
        Ok(labels)
    }

    /// `EqualRevision`
    fn equal(&self, a: &Revision, b: &Revision) -> bool {
        let hash = |revision: &Revision| revision.labels.get(HASH_LABEL)?.parse::<i32>().ok();
        let labels_differ = matches!((hash(a), hash(b)), (Some(a), Some(b)) if a != b);
        let compared = LABELS_ARE_COMPARED.contains(self.context.schema.release());
        a.data == b.data && !(compared && labels_differ)
    }

    /// `CreateControllerRevision`
    fn create(&mut self, mut wanted: Revision) -> (usize, bool) {
        let parent = self.context.name();
        let release = self.context.schema.release();
        let mut collisions = if self.recipe.counts_from_zero {
            self.collisions
        } else {
            0
        };
        loop {
            wanted.name = self.recipe.name(parent, &wanted.data, collisions);
            let there = |revision: &&Revision| revision.name == wanted.name;
            let exists = self.revisions.iter().chain(&self.strangers).find(there);
            match exists {
                Some(exists)
                    if SAME_DATA_IS_NO_COLLISION.contains(release)
                        && exists.data == wanted.data =>
                {
                    let name = exists.name.clone();
                    let at = self.position(&name).unwrap_or_else(|| {
                        self.revisions.push(wanted.clone());
                        self.revisions.len() - 1
                    });
                    return (at, false);
                }
                Some(_) => collisions = collisions.wrapping_add(1),
                None => break,
            }
        }
        if self.recipe.counts_from_zero {
            self.collisions = collisions;
        }
        self.revisions.push(wanted);
        (self.revisions.len() - 1, true)
    }

    /// `setMatchesLatestStateRevision`: whether the set, rolled back to this revision, would be
    /// the set as it stands.
    fn means_the_same(&self, revision: &Revision) -> bool {
        const GATE: &str = "StatefulSetSemanticRevisionComparison";
        let Context { schema, gates, .. } = *self.context;
        if schema.feature_gate(GATE).is_none() || !gates.enabled(GATE) {
            return false;
        }
        let Some((ty, mut set)) = self.context.object.parts().map(|(ty, v)| (ty, v.clone())) else {
            return false;
        };
        let template_ty = self.context.template().parts().map(|(ty, _)| ty);
        match (template_in(self.context, revision), template_ty) {
            (Template::Unchanged, _) => {}
            (Template::Replaced(template), Some(template_ty)) => {
                let Some(template) = decode_template(self.context, template_ty, &template) else {
                    return false;
                };
                Mut::new(schema, ty, &mut set)
                    .at("Spec.Template")
                    .set(template);
            }
            _ => return false,
        }
        let set = operations::defaults(schema, self.context.kind, set, gates);
        let template = Ref::new(schema, ty, &set).at("Spec.Template");
        patch_of(self.context, template).is_ok_and(|data| data == self.data)
    }

    /// `ApplyRevision`, of which the controller makes Pods: a number that became a float may not
    /// fit its field any more.
    fn can_be_applied(&self, revision: &Revision) -> Result<()> {
        let template_ty = self.context.template().parts().map(|(ty, _)| ty);
        match (template_in(self.context, revision), template_ty) {
            (Template::Replaced(template), Some(ty))
                if decode_template(self.context, ty, &template).is_none() =>
            {
                let name = &revision.name;
                Err(refused(format!(
                    "revision {name}: no template can be made of it"
                )))
            }
            _ => Ok(()),
        }
    }

    /// `truncateHistory`
    fn truncate(&mut self, pods: &[Pod], live: [&str; 2], limit: i64) {
        let is_live = |revision: &Revision| {
            live.contains(&&*revision.name)
                || pods.iter().any(|pod| revision_of(pod) == revision.name)
        };
        self.revisions
            .sort_by(|a, b| (a.revision, &a.name).cmp(&(b.revision, &b.name)));
        let dead = self.revisions.iter().filter(|r| !is_live(r)).count();
        let Ok(limit) = usize::try_from(limit) else {
            return;
        };
        let mut surplus = dead.saturating_sub(limit);
        self.revisions.retain(|revision| {
            let drop = surplus > 0 && !is_live(revision);
            surplus -= usize::from(drop);
            !drop
        });
    }

    fn into_revisions(self) -> Vec<Revision> {
        [self.revisions, self.strangers].concat()
    }
}

fn patch_of(context: &Context<'_>, template: Ref<'_, '_>) -> Result<String> {
    let (ty, template) = template.parts().ok_or_else(|| refused("no template"))?;
    controller_revision::patch(context.schema, ty, template, Numbers::Floats)
        .map_err(|error| refused(format!("spec.template: {error}")))
}

/// What a revision's patch makes of the template.
enum Template {
    Unchanged,
    Replaced(Json),
    /// A patch that no controller wrote.
    Unknown,
}

fn template_in(context: &Context<'_>, revision: &Revision) -> Template {
    let toolchain = Toolchain::of(context.schema);
    let Ok(data) = Json::read(&revision.data, Numbers::Integers, toolchain) else {
        return Template::Unknown;
    };
    match data.get("spec").map(|spec| spec.get("template")) {
        None | Some(None) => Template::Unchanged,
        Some(Some(Json::Object(template))) => {
            let mut template = template.clone();
            match template.remove("$patch") {
                Some(Json::String(how)) if how == "replace" => {
                    Template::Replaced(Json::Object(template))
                }
                _ => Template::Unknown,
            }
        }
        Some(Some(_)) => Template::Unknown,
    }
}

fn decode_template(context: &Context<'_>, ty: TypeId, template: &Json) -> Option<Value> {
    let mut text = Vec::new();
    template.write(context.schema, &mut text);
    let text = String::from_utf8(text).ok()?;
    Some(decode::decode(context.schema, ty, &text).ok()?.value)
}

// ---- Pods ---------------------------------------------------------------------------------

struct Pods {
    /// The set's Pods in the end.
    members: Vec<Pod>,
    /// Pods that are there and not the set's.
    strangers: Vec<Pod>,
    replaced: Vec<String>,
}

/// `updateStatefulSet`, until every Pod is as it shall be.
fn pods(
    context: &Context<'_>,
    before: &State,
    revisions: &[Revision],
    current: usize,
    update: usize,
) -> Result<Pods> {
    let spec = context.object.get("Spec");
    let start = if ORDINALS_HAVE_A_START.contains(context.schema.release()) {
        spec.at("Ordinals.Start").int()
    } else {
        0
    };
    let replicas = context.number("Spec.Replicas", "spec.replicas")?;
    if replicas > MOST_REPLICAS {
        return Err(refused(format!(
            "spec.replicas: expected at most {MOST_REPLICAS}, found {replicas}"
        )));
    }
    let on_delete = spec.at("UpdateStrategy.Type").str() == "OnDelete";
    let rolling = spec.at("UpdateStrategy.RollingUpdate");
    let partition = rolling.get("Partition").int();
    let (current, update) = (&revisions[current], &revisions[update]);

    let mut pods = Pods {
        members: Vec::new(),
        strangers: Vec::new(),
        replaced: Vec::new(),
    };
    let given = |ordinal| {
        let mut given = before.pods.iter();
        given.find(|pod| context.selects(&pod.labels) && ordinal_of(context, pod) == Some(ordinal))
    };
    for ordinal in start..start + replicas {
        // The partition is a number of Pods where they are rolled, but new ones of the old
        // revision are told by their ordinal.
        let keeps = ordinal - start < partition;
        match given(ordinal) {
            Some(pod) if on_delete || keeps || revision_of(pod) == update.name => {
                let mut pod = pod.clone();
                identify(context, &mut pod, ordinal);
                pods.members.push(pod);
            }
            found => {
                pods.replaced.extend(found.map(|pod| pod.name.clone()));
                let revision = if keeps { current } else { update };
                pods.members
                    .push(new_pod(context, revision, update, ordinal));
            }
        }
    }
    for pod in &before.pods {
        match ordinal_of(context, pod) {
            Some(ordinal) if context.selects(&pod.labels) => {
                if !(start..start + replicas).contains(&ordinal) {
                    pods.replaced.push(pod.name.clone());
                }
            }
            _ => pods.strangers.push(pod.clone()),
        }
    }
    Ok(pods)
}

/// More Pods than that no cluster runs.
const MOST_REPLICAS: i64 = 200_000;

/// `newVersionedStatefulSetPod`
fn new_pod(context: &Context<'_>, revision: &Revision, update: &Revision, ordinal: i64) -> Pod {
    let own = context.template_labels();
    let mut labels = if revision.name == update.name {
        own
    } else {
        match template_in(context, revision) {
            Template::Replaced(template) => labels_in(&template),
            Template::Unchanged | Template::Unknown => own,
        }
    };
    labels.insert(REVISION_LABEL.into(), revision.name.clone());
    let mut pod = Pod {
        name: format!("{}-{ordinal}", context.name()),
        node: context.template().at("Spec.NodeName").str().to_owned(),
        labels,
    };
    add_identity(context, &mut pod, ordinal);
    pod
}

fn labels_in(template: &Json) -> Labels {
    match template.get("metadata").and_then(|m| m.get("labels")) {
        Some(Json::Object(entries)) => entries
            .iter()
            .filter_map(|(key, value)| match value {
                Json::String(value) => Some((key.clone(), value.clone())),
                _ => None,
            })
            .collect(),
        _ => Labels::new(),
    }
}

/// A Pod that stays gets its labels if it lacks that of its name (`identityMatches`).
fn identify(context: &Context<'_>, pod: &mut Pod, ordinal: i64) {
    if pod.labels.get(NAME_LABEL) != Some(&pod.name) {
        add_identity(context, pod, ordinal);
    }
}

/// `updateIdentity`
fn add_identity(context: &Context<'_>, pod: &mut Pod, ordinal: i64) {
    const GATE: &str = "PodIndexLabel";
    let release = context.schema.release();
    if PODS_HAVE_NAME_LABELS.contains(release) {
        pod.labels.insert(NAME_LABEL.into(), pod.name.clone());
    }
    let gate_is_off = context.schema.feature_gate(GATE).is_some() && !context.gates.enabled(GATE);
    if PODS_HAVE_INDEX_LABELS.contains(release) && !gate_is_off {
        pod.labels.insert(INDEX_LABEL.into(), ordinal.to_string());
    }
}

/// `isMemberOf` and `getOrdinal`: the number at the end of the name.
fn ordinal_of(context: &Context<'_>, pod: &Pod) -> Option<i64> {
    let (parent, ordinal) = pod.name.rsplit_once('-')?;
    let digits = !ordinal.is_empty() && ordinal.bytes().all(|b| b.is_ascii_digit());
    let ordinal: i32 = ordinal.parse().ok().filter(|_| digits)?;
    (parent == context.name()).then_some(ordinal.into())
}

/// `getPodRevision`
fn revision_of(pod: &Pod) -> &str {
    pod.labels.get(REVISION_LABEL).map_or("", String::as_str)
}

/// Whether the status says already what the controller would write (`inconsistentStatus`).
fn status_says(status: Ref<'_, '_>, pods: &[Pod], current: &str, update: &str) -> bool {
    let of = |revision: &str| {
        pods.iter()
            .filter(|pod| revision_of(pod) == revision)
            .count()
    };
    let is = |field: &str, count: usize| {
        let field = status.get(field);
        !field.exists() || i64::try_from(count) == Ok(field.int())
    };
    status.get("CurrentRevision").str() == current
        && status.get("UpdateRevision").str() == update
        && is("Replicas", pods.len())
        && is("ReadyReplicas", pods.len())
        && is("AvailableReplicas", pods.len())
        && is("CurrentReplicas", of(current))
        && is("UpdatedReplicas", of(update))
}
