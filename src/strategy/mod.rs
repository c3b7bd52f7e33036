//! What the API server changes in a new object before it is persisted.
//!
//! In: an internal object, fresh from [`convert::to_internal`](crate::convert::to_internal). Out:
//! the same object without what users cannot set (status), without the fields of disabled feature
//! gates, with what the server fills in. In the data's way this is the step of the operation
//! `create` between the two conversions.
//!
//! Mirrors `PrepareForCreate` of the registry strategies: `pkg/registry/<kind>/strategy.go`
//! (1.1 – 1.4), `pkg/registry/{core,apps,extensions,batch}/<kind>/strategy.go` (1.5 on), with
//! `pkg/api/pod/util.go` (1.8 on). Validation, which refuses but never changes an object, is left
//! out; so is what happens around the strategy to a real object (name generation, UID, timestamps).

mod drop;
mod job;
mod pod;
mod qos;
mod resources;

use crate::gates::Gates;
use crate::release::{Release, Span};
use crate::schema::KindEntry;
use crate::value::{Mut, Ref};

/// `PrepareForCreate` of the strategy of the kind, on an internal object of it.
pub fn prepare_for_create(mut object: Mut<'_, '_>, kind: &KindEntry, gates: &Gates<'_>) {
    let release = object.schema().release();
    let applies =
        |span: Span, kinds: &[&str]| span.contains(release) && kinds.contains(&&*kind.kind);

    if &*kind.kind == "Job" {
        job::generate_selector_if_needed(&mut object);
    }
    if applies(RESETS_STATUS, WITH_STATUS) || applies(Span::until(1, u16::MAX), WITH_STATUS_IN_1_1)
    {
        pod::reset_status(object.get("Status"));
    }
    if GENERATIONS
        .iter()
        .any(|(span, kinds)| applies(*span, kinds))
    {
        object.at("ObjectMeta.Generation").set_int(1);
    }
    if applies(Span::since(6, 0), &["DaemonSet"])
        && object.at("Spec.TemplateGeneration").look().int() < 1
    {
        object.at("Spec.TemplateGeneration").set_int(1);
    }
    match &*kind.kind {
        "Pod" => {
            drop::disabled_fields(object.by_ref(), gates);
            pod::finish(&mut object, gates);
        }
        "Job" => job::prepare(&mut object, gates),
        _ => {}
    }
    if &*kind.kind != "Pod" {
        drop::disabled_workload_fields(&mut object, &kind.kind, gates);
        if let Some(path) = template_path(&kind.kind) {
            drop::disabled_fields(object.at(path), gates);
        }
    }
}

const RESETS_STATUS: Span = Span::since(2, 0);
const WITH_STATUS: &[&str] = &[
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "DaemonSet",
    "StatefulSet",
    "PetSet",
    "Job",
    "CronJob",
    "ScheduledJob",
];
/// 1.1's Deployment strategy does nothing at all.
const WITH_STATUS_IN_1_1: &[&str] = &["Pod", "ReplicationController", "DaemonSet", "Job"];

/// Since when a new object's generation is 1.
const GENERATIONS: &[(Span, &[&str])] = &[
    (Span::ALL, &["ReplicationController", "DaemonSet"]),
    (Span::since(2, 0), &["Deployment", "ReplicaSet"]),
    (Span::since(3, 0), &["StatefulSet", "PetSet"]),
    (Span::since(22, 0), &["PodTemplate", "Job", "CronJob"]),
    (Span::since(33, 0), &["Pod"]),
];

/// Where a kind's Pod template stands.
pub(crate) fn template_path(kind: &str) -> Option<&'static str> {
    match kind {
        "PodTemplate" => Some("Template"),
        "CronJob" | "ScheduledJob" => Some("Spec.JobTemplate.Spec.Template"),
        "ReplicationController"
        | "ReplicaSet"
        | "Deployment"
        | "DaemonSet"
        | "StatefulSet"
        | "PetSet"
        | "Job" => Some("Spec.Template"),
        _ => None,
    }
}

/// The three lists of a PodSpec that hold containers; an ephemeral container's fields stand one
/// level deeper.
const CONTAINER_LISTS: &[(&str, &str)] = &[
    ("InitContainers", ""),
    ("Containers", ""),
    ("EphemeralContainers", "EphemeralContainerCommon"),
];

/// `VisitContainers` over all types of containers.
fn for_each_container(spec: &mut Mut<'_, '_>, mut visit: impl FnMut(Mut<'_, '_>)) {
    for (list, common) in CONTAINER_LISTS {
        for mut container in spec.get(list).items() {
            if common.is_empty() {
                visit(container);
            } else {
                visit(container.get(common));
            }
        }
    }
}

/// A gate counts as off only in releases that have it: once it is gone, its feature stays.
fn is_disabled(gates: &Gates<'_>, object: Ref<'_, '_>, gate: &str) -> bool {
    object.schema().feature_gate(gate).is_some() && !gates.enabled(gate)
}

fn release_of(object: &Mut<'_, '_>) -> Release {
    object.schema().release()
}
