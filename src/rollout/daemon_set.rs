//! A DaemonSet's controller, on three nodes.
//!
//! Mirrors `rollingUpdate` (1.6 on), `constructHistory`, `snapshot` and `cleanupHistory` (1.7 on) in
//! `pkg/controller/daemon/update.go`, `manage` in `daemon_controller.go` (`daemoncontroller.go` in
//! 1.6) and `IsPodUpdated` in `util/daemonset_util.go`.

use super::{Context, HISTORY, Labels, Outcome, Pod, Result, Revision, Rollout, State};
use super::{labels, refused, selector};
use crate::release::Span;
use crate::subject::controller_revision::{self, Numbers};
use crate::value::Ref;

const HASH_LABEL: &str = "controller-revision-hash";
const GENERATION_LABEL: &str = "pod-template-generation";
const GENERATION_ANNOTATION: &str = "deprecated.daemonset.template.generation";

/// By which label a Pod counts as updated. (The other releases go by the hash alone: they compare
/// with the generation's address.)
const GENERATION_COUNTS: [Span; 2] = [Span::minors(6, 9), Span::since(24, 0)];
/// Where the generation of the template stands.
const GENERATION_IS_A_FIELD: Span = Span::minors(6, 9);
/// Since then a Pod without node is waited for.
const WAITS_FOR_NODES: Span = Span::since(11, 0);
/// With the gate `DaemonSetUpdateSurge` until that was removed.
const SURGES: Span = Span::since(21, 0);

pub(super) fn reconcile(context: &Context<'_>, before: &State) -> Result<Outcome> {
    let mut set = Set::new(context, before)?;
    let mut given = before.pods.clone();
    let current = set.current(&mut given)?;
    let hash = current.labels.get(HASH_LABEL).cloned().unwrap_or_default();
    let pods = set.pods(&given, &hash)?;
    if HISTORY.contains(context.schema.release()) {
        let limit = context.number("Spec.RevisionHistoryLimit", "spec.revisionHistoryLimit")?;
        for pods in [&given, &pods.there] {
            set.clean_up(pods, &current.name, limit);
        }
    }
    let on_delete = context.object.at("Spec.UpdateStrategy.Type").str() == "OnDelete";
    let survivors = given
        .iter()
        .filter(|pod| !pods.replaced.contains(&pod.name));
    let outdated = survivors.filter(|pod| !set.is_updated(pod, &hash)).count();
    let rollout = Rollout::of_pods(
        pods.replaced.len(),
        given.len(),
        outdated,
        set.changed,
        on_delete,
    );
    Ok(State {
        revisions: set.revisions,
        pods: pods.there,
        replaced: pods.replaced,
        collision_count: set.collisions,
        ..State::default()
    }
    .outcome(rollout))
}

struct Set<'a> {
    context: &'a Context<'a>,
    revisions: Vec<Revision>,
    data: String,
    collisions: Option<i64>,
    generation: Option<i64>,
    changed: bool,
}

struct Pods {
    there: Vec<Pod>,
    replaced: Vec<String>,
}

impl<'a> Set<'a> {
    fn new(context: &'a Context<'a>, before: &State) -> Result<Set<'a>> {
        let (ty, template) = context
            .template()
            .parts()
            .ok_or_else(|| refused("no template"))?;
        let data = controller_revision::patch(context.schema, ty, template, Numbers::Integers)
            .map_err(|error| refused(format!("spec.template: {error}")))?;
        let generation = if GENERATION_IS_A_FIELD.contains(context.schema.release()) {
            Some(context.object.at("Spec.TemplateGeneration").int())
        } else {
            let annotations = context.object.at("ObjectMeta.Annotations");
            annotations.entry(GENERATION_ANNOTATION).str().parse().ok()
        };
        Ok(Set {
            context,
            revisions: before.revisions.clone(),
            data,
            collisions: context.collision_count(),
            generation,
            changed: false,
        })
    }

    /// The revision of the set as it stands; an empty one where there is no history.
    fn current(&mut self, pods: &mut [Pod]) -> Result<Revision> {
        if HISTORY.contains(self.context.schema.release()) {
            let at = self.construct_history(pods)?;
            return Ok(self.revisions[at].clone());
        }
        match self.revisions.first() {
            None => Ok(Revision::default()),
            Some(revision) => Err(refused(format!("{}: there is no history", revision.name))),
        }
    }

    /// `constructHistory`: returns the place of the revision of the set as it stands. Pods are
    /// relabelled where revisions that hold the same become one.
    fn construct_history(&mut self, pods: &mut [Pod]) -> Result<usize> {
        for revision in &mut self.revisions {
            let name = revision.name.clone();
            revision.labels.entry(HASH_LABEL.into()).or_insert(name);
        }
        let matches = |revision: &&Revision| revision.data == self.data;
        let old = self.revisions.iter().filter(|r| !matches(r));
        let next = old.map(|r| r.revision).max().unwrap_or(0).max(0) + 1;
        let keep = self
            .revisions
            .iter()
            .filter(matches)
            .max_by_key(|r| (r.revision, r.name.clone()))
            .cloned();
        let Some(keep) = keep else {
            self.changed = true;
            return self.snapshot(next);
        };
        let before = self.revisions.len();
        let data = self.data.clone();
        self.revisions
            .retain(|r| r.data != data || r.name == keep.name);
        if self.revisions.len() < before {
            let hash = keep.labels.get(HASH_LABEL).cloned().unwrap_or_default();
            for pod in pods {
                pod.labels.insert(HASH_LABEL.into(), hash.clone());
            }
        }
        let at = self.revisions.iter().position(|r| r.name == keep.name);
        let at = at.ok_or_else(|| refused("the current revision is gone"))?;
        let revision = &mut self.revisions[at];
        if revision.revision < next {
            revision.revision = next;
            self.changed = true;
        }
        Ok(at)
    }

    /// `snapshot`: a new revision, under a name that is not taken.
    fn snapshot(&mut self, revision: i64) -> Result<usize> {
        loop {
            let hash = self.context.template_hash(self.collisions);
            let name = self.context.name_with(&hash, usize::MAX);
            if self.revisions.iter().any(|r| r.name == name) {
                self.collisions = Some(self.collisions.unwrap_or(0).wrapping_add(1));
                continue;
            }
            let mut labels = self.context.template_labels();
            labels.insert(HASH_LABEL.into(), hash);
            self.revisions.push(Revision {
                name,
                revision,
                labels,
                data: self.data.clone(),
            });
            return Ok(self.revisions.len() - 1);
        }
    }

    /// `IsPodUpdated`
    fn is_updated(&self, pod: &Pod, hash: &str) -> bool {
        let has = |label: &str, value: &str| pod.labels.get(label).is_some_and(|l| l == value);
        let release = self.context.schema.release();
        let counts = GENERATION_COUNTS.iter().any(|span| span.contains(release));
        let generation = self.generation.filter(|_| counts).map(|g| g.to_string());
        (!hash.is_empty() && has(HASH_LABEL, hash))
            || generation.is_some_and(|generation| has(GENERATION_LABEL, &generation))
    }

    /// `manage` and `rollingUpdate`, until every node has the Pod that it shall have.
    fn pods(&self, given: &[Pod], hash: &str) -> Result<Pods> {
        let rolls = self.rolls()?;
        let release = self.context.schema.release();
        let mut there = Vec::new();
        let mut by_name: Vec<&Pod> = given.iter().collect();
        by_name.sort_by(|a, b| a.name.cmp(&b.name));
        for node in NODES {
            let mut here = by_name.iter().filter(|pod| pod.node == *node);
            if !self.fits(node) {
                continue;
            }
            let keeps = |pod: &&&&Pod| !rolls || self.is_updated(pod, hash);
            let oldest = if self.surges() {
                let newest = here.clone().find(|pod| self.is_updated(pod, hash));
                newest.or_else(|| here.next())
            } else {
                here.next()
            };
            match oldest.as_ref().filter(|pod| keeps(pod)) {
                Some(pod) => there.push((**pod).clone()),
                None => there.push(self.new_pod(node, hash)),
            }
        }
        for pod in given.iter().filter(|pod| !NODES.contains(&&*pod.node)) {
            let waits = pod.node.is_empty() && WAITS_FOR_NODES.contains(release);
            if waits || !rolls || self.is_updated(pod, hash) {
                there.push(pod.clone());
            }
        }
        let replaced = given.iter().filter(|pod| !there.contains(pod));
        Ok(Pods {
            replaced: replaced.map(|pod| pod.name.clone()).collect(),
            there,
        })
    }

    /// Whether old Pods are replaced at all.
    fn rolls(&self) -> Result<bool> {
        let strategy = self.context.object.at("Spec.UpdateStrategy");
        if strategy.get("Type").str() != "RollingUpdate" {
            return Ok(false);
        }
        let rolling = strategy.get("RollingUpdate");
        if !rolling.deref().exists() {
            return Err(refused("spec.updateStrategy.rollingUpdate: missing"));
        }
        let stuck = is_zero(rolling.get("MaxUnavailable"));
        Ok(SURGES.contains(self.context.schema.release()) || !stuck)
    }

    /// `AllowsSurge`
    fn surges(&self) -> bool {
        const GATE: &str = "DaemonSetUpdateSurge";
        let Context { schema, gates, .. } = *self.context;
        let gate_is_off = schema.feature_gate(GATE).is_some() && !gates.enabled(GATE);
        let surge = self
            .context
            .object
            .at("Spec.UpdateStrategy.RollingUpdate.MaxSurge");
        SURGES.contains(schema.release())
            && !gate_is_off
            && surge.deref().exists()
            && !is_zero(surge)
    }

    fn new_pod(&self, node: &str, hash: &str) -> Pod {
        let mut labels = self.context.template_labels();
        if let Some(generation) = self.generation {
            labels.insert(GENERATION_LABEL.into(), generation.to_string());
        }
        if !hash.is_empty() {
            labels.insert(HASH_LABEL.into(), hash.to_owned());
        }
        Pod {
            name: format!("{}-{node}", self.context.name()),
            node: node.to_owned(),
            labels,
        }
    }

    /// `NodeShouldRunDaemonPod`, for nodes that have the labels which the template demands.
    fn fits(&self, node: &str) -> bool {
        let spec = self.context.template().get("Spec");
        let demanded = spec.get("NodeName").str();
        let node_labels: Labels = labels(spec.get("NodeSelector"));
        (demanded.is_empty() || demanded == node) && selector::node_fits(spec, node, &node_labels)
    }

    /// `cleanupHistory`
    fn clean_up(&mut self, pods: &[Pod], current: &str, limit: i64) {
        let old = self.revisions.iter().filter(|r| r.name != current).count();
        let mut surplus = old.saturating_sub(usize::try_from(limit).unwrap_or(0));
        self.revisions.sort_by_key(|r| r.revision);
        self.revisions.retain(|revision| {
            let hash = revision
                .labels
                .get(HASH_LABEL)
                .filter(|hash| !hash.is_empty());
            let live = hash.is_some() && pods.iter().any(|pod| pod.labels.get(HASH_LABEL) == hash);
            let drop = surplus > 0 && revision.name != current && !live;
            surplus -= usize::from(drop);
            !drop
        });
    }
}

const NODES: &[&str] = &["node-1", "node-2", "node-3"];

/// A number or a percentage that comes to nothing, rounded up.
fn is_zero(amount: Ref<'_, '_>) -> bool {
    match amount.get("StrVal").str() {
        "" => amount.get("IntVal").int() == 0,
        percentage => percentage.trim_end_matches('%').parse() == Ok(0),
    }
}
