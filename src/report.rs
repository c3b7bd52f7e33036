//! Machine output: what `-o json` prints, as types. The contract `kubehash/v1`.
//!
//! In: what the engine and the documents said. Out: structs whose serialisation is the report;
//! the order of the fields here is the order of the keys there, and both are part of the contract
//! (docs/cli.md).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::catalogue::{self, Evidence};
use crate::diagnostic::Diagnostic;
use crate::plan::{Cause, ContainerHop, Step, Uncompared};

/// The version of the contract, printed in every report.
pub const API_VERSION: &str = "kubehash/v1";

/// What `kubehash hash` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HashReport {
    /// [`API_VERSION`]
    pub api_version: &'static str,
    /// `HashReport`
    pub kind: &'static str,
    /// One per object and release, in input order.
    pub results: Vec<HashResult>,
    /// What went wrong, or is worth knowing, in input order.
    pub diagnostics: Vec<Diagnostic>,
    /// What became of the documents.
    pub summary: Summary,
}

impl HashReport {
    /// A report, complete.
    pub fn new(
        results: Vec<HashResult>,
        diagnostics: Vec<Diagnostic>,
        summary: Summary,
    ) -> HashReport {
        HashReport {
            api_version: API_VERSION,
            kind: "HashReport",
            results,
            diagnostics,
            summary,
        }
    }
}

/// The container hashes of one object under one release.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HashResult {
    /// The file as it was named or found, `-` for standard input.
    pub source: String,
    /// The object's position among the objects of its source, from 1; items of a `List` count one
    /// by one.
    pub document: usize,
    /// The object's kind.
    pub kind: String,
    /// `metadata.namespace`; empty where the document has none.
    pub namespace: String,
    /// `metadata.name`, or `metadata.generateName`.
    pub name: String,
    /// The release that was asked for.
    pub release: String,
    /// The release whose code answered: the same one where it was built.
    pub answers_for: String,
    /// The view that was hashed.
    pub view: &'static str,
    /// The object's `apiVersion`.
    pub api_version: String,
    /// How we know that the answer holds for this release.
    pub evidence: &'static str,
    /// Whether a node of this release might hold other numbers, because something between the
    /// document and the kubelet could still change the Pod.
    pub predicted: bool,
    /// Init containers, containers, ephemeral containers, each in the order of the Pod.
    pub containers: Vec<ContainerResult>,
    /// Of a workload: the hash of its Pod template, as the label `pod-template-hash` holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod_template_hash: Option<String>,
    /// Of a StatefulSet or DaemonSet: the first revision that its controller makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller_revision: Option<RevisionResult>,
    /// Of a static Pod, if it is known on which node it is: its UID, and the value of the annotation
    /// `kubernetes.io/config.hash`.
    #[serde(rename = "staticPodUID", skip_serializing_if = "Option::is_none")]
    pub static_pod_uid: Option<String>,
    /// Who answered for the keys besides `containers`, by key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub evidence_of: BTreeMap<&'static str, AnsweredBy>,
}

/// A ControllerRevision.
#[derive(Clone, Debug, Serialize)]
pub struct RevisionResult {
    /// The hash by itself, as it stands in the revision's label.
    pub hash: String,
    /// The revision's name.
    pub name: String,
    /// What it holds, byte for byte.
    pub data: String,
}

/// Who answered a question, and how well that is founded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnsweredBy {
    /// The release whose code answered.
    pub answers_for: String,
    /// How we know that the answer holds.
    pub evidence: &'static str,
}

/// One container's hash.
#[derive(Clone, Debug, Serialize)]
pub struct ContainerResult {
    /// The container's name.
    pub name: String,
    /// `init`, `container` or `ephemeral`.
    #[serde(rename = "type")]
    pub container_type: &'static str,
    /// The number.
    pub hash: u32,
    /// The number as the annotation `io.kubernetes.container.hash` holds it: lowercase
    /// hexadecimal, not padded.
    pub hex: String,
}

impl ContainerResult {
    /// The hash of a container, in both notations.
    pub fn new(
        name: impl Into<String>,
        container_type: &'static str,
        hash: u32,
    ) -> ContainerResult {
        ContainerResult {
            name: name.into(),
            container_type,
            hash,
            hex: format!("{hash:x}"),
        }
    }
}

/// What became of the documents: `documents = checked + skipped + errors`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Objects found; a file that cannot be read, or a text that is no object, counts as one.
    pub documents: usize,
    /// Objects that were hashed under every release asked for.
    pub checked: usize,
    /// Objects that have no container hash: other kinds, or no form in this view.
    pub skipped: usize,
    /// What could not be read, or not be hashed under some release asked for.
    pub errors: usize,
}

/// What `kubehash plan` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanReport {
    /// [`API_VERSION`]
    pub api_version: &'static str,
    /// `PlanReport`
    pub kind: &'static str,
    /// One per object, in input order.
    pub results: Vec<PlanResult>,
    /// What went wrong, or is worth knowing, in input order.
    pub diagnostics: Vec<Diagnostic>,
    /// What became of the documents, and what becomes of the cluster.
    pub summary: PlanSummary,
}

impl PlanReport {
    /// A report, complete.
    pub fn new(
        results: Vec<PlanResult>,
        diagnostics: Vec<Diagnostic>,
        documents: Summary,
    ) -> PlanReport {
        PlanReport {
            api_version: API_VERSION,
            kind: "PlanReport",
            summary: PlanSummary::of(&results, documents),
            results,
            diagnostics,
        }
    }
}

/// What becomes of one object on its way through releases.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanResult {
    /// The file as it was named or found, `-` for standard input.
    pub source: String,
    /// The object's position among the objects of its source, from 1.
    pub document: usize,
    /// The object's kind.
    pub kind: String,
    /// `metadata.namespace`; empty where the document has none.
    pub namespace: String,
    /// `metadata.name`, or `metadata.generateName`.
    pub name: String,
    /// The object's `apiVersion`.
    pub api_version: String,
    /// One per pair of neighbours on the way, in their order.
    pub hops: Vec<HopResult>,
}

/// What becomes of an object between two releases.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HopResult {
    /// The release that is left.
    pub from: String,
    /// The release that is gone to.
    pub to: String,
    /// The release whose code answered about containers for `from`.
    pub answers_for_from: String,
    /// The same for `to`.
    pub answers_for_to: String,
    /// How the object comes to the kubelet: `api`, `static` or `reapplied`.
    #[serde(rename = "as")]
    pub as_: &'static str,
    /// Init containers, containers, ephemeral containers, each in the order of the Pod.
    pub containers: Vec<ContainerPlan>,
    /// What becomes of the workload's Pods; `null` where no controller that is known here rolls it.
    pub rollout: Option<&'static str>,
    /// Names of the ReplicaSet or newest revision, where they are not the same; `null` where they
    /// are.
    pub renamed: Option<Renamed>,
    /// Why the workload rolls, or is renamed; of a static Pod that is made anew, why its UID changes.
    pub causes: Vec<CauseResult>,
    /// Whether a static Pod is made anew with another UID; `null` for what is none.
    pub static_pod_recreated: Option<bool>,
    /// How we know that the answer holds: the weakest of all that was asked.
    pub evidence: &'static str,
}

/// What becomes of one container.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerPlan {
    /// The container's name.
    pub name: String,
    /// `init`, `container` or `ephemeral`.
    #[serde(rename = "type")]
    pub container_type: &'static str,
    /// Whether it restarts.
    pub restarts: bool,
    /// At which step: `control-plane` or `kubelet`; `null` where it does not restart.
    pub step: Option<&'static str>,
    /// The hash that was recorded before, in hexadecimal; `null` where there was no such container.
    pub from_hash: Option<String>,
    /// The hash that is expected afterwards; `null` where there is no such container any more.
    pub to_hash: Option<String>,
    /// Why it restarts; where it does not, why its hash changes all the same.
    pub causes: Vec<CauseResult>,
    /// For people: why it does not restart though its hash changes.
    #[serde(skip)]
    pub stays_because: Option<&'static str>,
}

/// Names before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renamed {
    /// Before.
    pub from: String,
    /// After.
    pub to: String,
}

/// Why something changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CauseResult {
    /// The field, as manifests write it; empty where no single field is to blame.
    pub path: String,
    /// The first release from which on it is so, of those that were built, or of all that are known
    /// where the kubelet hashes otherwise; on the way down, the last one until which it was so.
    pub since: Option<String>,
    /// In words.
    pub reason: String,
}

impl PlanResult {
    /// Whether something restarts, rolls or is made anew.
    pub fn disturbs(&self) -> bool {
        self.hops.iter().any(HopResult::disturbs)
    }

    /// How many containers it has; a release may drop some.
    fn containers(&self) -> usize {
        let counts = self.hops.iter().map(|hop| hop.containers.len());
        counts.max().unwrap_or_default()
    }
}

impl HopResult {
    /// Whether something restarts, rolls or is made anew.
    pub fn disturbs(&self) -> bool {
        self.rolls()
            || self.static_pod_recreated == Some(true)
            || self.containers.iter().any(|container| container.restarts)
    }

    /// Whether Pods are replaced.
    pub fn rolls(&self) -> bool {
        matches!(self.rollout, Some("partial" | "full"))
    }
}

impl From<&ContainerHop> for ContainerPlan {
    fn from(container: &ContainerHop) -> ContainerPlan {
        let hex = |hash: u32| format!("{hash:x}");
        ContainerPlan {
            name: container.name.clone(),
            container_type: container.container_type.as_str(),
            restarts: container.step.is_some(),
            step: container.step.map(Step::as_str),
            from_hash: container.from_hash.map(hex),
            to_hash: container.to_hash.map(hex),
            causes: container.causes.iter().map(CauseResult::from).collect(),
            stays_because: container
                .uncompared
                .filter(|_| container.step.is_none() && container.from_hash != container.to_hash)
                .map(Uncompared::as_str),
        }
    }
}

impl From<&Cause> for CauseResult {
    fn from(cause: &Cause) -> CauseResult {
        CauseResult {
            path: cause.path.clone(),
            since: cause.since.map(|release| release.to_string()),
            reason: cause.reason.clone(),
        }
    }
}

/// What became of the documents, and what becomes of the cluster. Over several hops, restarts and
/// rollouts count once for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanSummary {
    /// What became of the documents.
    #[serde(flatten)]
    pub documents: Summary,
    /// Containers of the objects that were checked.
    pub containers: usize,
    /// Restarts of containers.
    pub restarts: Restarts,
    /// Workloads whose Pods are replaced, all or some.
    pub rolls: usize,
    /// Static Pods that are made anew.
    pub static_pods_recreated: usize,
}

/// Restarts of containers, by step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restarts {
    /// All nodes at once.
    pub control_plane: usize,
    /// Node by node.
    pub kubelet: usize,
}

impl PlanSummary {
    fn of(results: &[PlanResult], documents: Summary) -> PlanSummary {
        let hops = || results.iter().flat_map(|result| &result.hops);
        let restarts = |step: Step| {
            hops()
                .flat_map(|hop| &hop.containers)
                .filter(|container| container.step == Some(step.as_str()))
                .count()
        };
        PlanSummary {
            documents,
            containers: results.iter().map(PlanResult::containers).sum(),
            restarts: Restarts {
                control_plane: restarts(Step::ControlPlane),
                kubelet: restarts(Step::Kubelet),
            },
            rolls: hops().filter(|hop| hop.rolls()).count(),
            static_pods_recreated: hops()
                .filter(|hop| hop.static_pod_recreated == Some(true))
                .count(),
        }
    }
}

/// What `kubehash releases` lists.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseReport {
    /// [`API_VERSION`]
    pub api_version: &'static str,
    /// `ReleaseReport`
    pub kind: &'static str,
    /// Every release known, oldest first.
    pub results: Vec<ReleaseResult>,
    /// How many there are.
    pub summary: ReleaseSummary,
}

/// One release.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseResult {
    /// The version.
    pub release: String,
    /// The Go toolchain it is built with; `null` where it cannot be fetched.
    pub toolchain: Option<&'static str>,
    /// The release whose vectors speak for it, whatever is asked; `null` where there is none.
    pub class: Option<String>,
    /// Where the evidence is `unknown`: the release that answers from the other side.
    pub or_else: Option<String>,
    /// How we know that they do.
    pub evidence: Option<&'static str>,
    /// Modules that could not be had as the release wants them, and that matter.
    pub substituted: &'static [&'static str],
    /// What it computes.
    pub subjects: Vec<SubjectResult>,
    /// Who answers each question.
    pub questions: Vec<QuestionResult>,
}

/// One subject of a release.
#[derive(Clone, Debug, Serialize)]
pub struct SubjectResult {
    /// The subject's name.
    pub subject: &'static str,
    /// The recipe that the release follows.
    pub era: &'static str,
}

/// One question that a release answers.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionResult {
    /// `container-hash.delivered`: the subject, the form if it has one, and the view.
    pub question: &'static str,
    /// The oldest release with the same code behind the answer; `null` where that is not known.
    pub class: Option<String>,
    /// The release whose vectors speak for it.
    pub answers_for: String,
    /// How we know that they do.
    pub evidence: &'static str,
}

/// Counts of `kubehash releases`.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseSummary {
    /// Releases known.
    pub releases: usize,
    /// How many of them have each grade of evidence.
    pub built: usize,
    /// Their code is that of a built one.
    pub by_source: usize,
    /// They cannot be fetched; the releases around them are one class.
    pub by_neighbours: usize,
    /// None of these.
    pub unknown: usize,
}

impl ReleaseReport {
    /// The catalogue, whole.
    pub fn of_catalogue() -> ReleaseReport {
        ReleaseReport::of(catalogue::entries())
    }

    /// These releases of the catalogue.
    pub fn of(entries: impl Iterator<Item = catalogue::Entry>) -> ReleaseReport {
        let results: Vec<ReleaseResult> = entries.map(ReleaseResult::from).collect();
        let with = |evidence: Evidence| {
            let label = Some(evidence.label());
            results
                .iter()
                .filter(|result| result.evidence == label)
                .count()
        };
        let summary = ReleaseSummary {
            releases: results.len(),
            built: with(Evidence::Built),
            by_source: with(Evidence::BySource),
            by_neighbours: with(Evidence::ByNeighbours),
            unknown: with(Evidence::Unknown),
        };
        ReleaseReport {
            api_version: API_VERSION,
            kind: "ReleaseReport",
            results,
            summary,
        }
    }
}

impl From<catalogue::Entry> for ReleaseResult {
    fn from(entry: catalogue::Entry) -> ReleaseResult {
        let resolution = entry.resolution;
        ReleaseResult {
            release: entry.release.to_string(),
            toolchain: entry.toolchain,
            class: resolution.map(|resolution| resolution.answers_for.to_string()),
            or_else: resolution.and_then(|resolution| Some(resolution.or_else?.to_string())),
            evidence: resolution.map(|resolution| resolution.evidence_label()),
            substituted: entry.substituted,
            subjects: entry
                .eras
                .into_iter()
                .map(|(subject, era)| SubjectResult { subject, era })
                .collect(),
            questions: entry
                .questions
                .into_iter()
                .map(|entry| QuestionResult {
                    question: entry.question,
                    class: entry.class.map(|class| class.to_string()),
                    answers_for: entry.resolution.answers_for.to_string(),
                    evidence: entry.resolution.evidence_label(),
                })
                .collect(),
        }
    }
}

/// What `kubehash releases --diff` finds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceReport {
    /// [`API_VERSION`]
    pub api_version: &'static str,
    /// `DifferenceReport`
    pub kind: &'static str,
    /// The first release.
    pub from: String,
    /// The second release.
    pub to: String,
    /// What is different.
    pub result: catalogue::Difference,
}

impl DifferenceReport {
    /// What is different between two releases.
    ///
    /// # Errors
    /// When a schema is missing or damaged.
    pub fn between(
        from: &catalogue::Resolution,
        to: &catalogue::Resolution,
    ) -> Result<DifferenceReport, crate::schema::SchemaError> {
        Ok(DifferenceReport {
            api_version: API_VERSION,
            kind: "DifferenceReport",
            from: from.release.to_string(),
            to: to.release.to_string(),
            result: catalogue::Difference::between(from, to)?,
        })
    }
}
