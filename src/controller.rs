//! The Pod that a workload's controller would create.
//!
//! In: a workload as a controller received it ([`operations::deliver`](crate::operations::deliver)).
//! Out: the versioned Pod that the controller would send to the API server, which is delivered in
//! its turn before its containers are hashed.
//!
//! Mirrors `GetPodFromTemplate` in `pkg/controller/controller_utils.go` (`createPods` in 1.1 and
//! 1.2) without the owner: who owns a Pod never shows in its containers. For an Indexed Job also
//! `addCompletionIndexEnvVariables` in `pkg/controller/job/indexed_job_utils.go`.

use crate::gates::Gates;
use crate::release::Span;
use crate::schema::{KindEntry, Schema};
use crate::strategy;
use crate::value::{Mut, Ref, Value};

/// Until 1.4 a template's finalizers stayed in the template.
const FINALIZERS_ARE_COPIED: Span = Span::since(5, 0);

/// Makes the versioned Pod; nothing where the workload has no template.
pub fn pod_from_template(
    schema: &Schema,
    workload_kind: &KindEntry,
    workload: &Value,
    pod_kind: &KindEntry,
    gates: &Gates<'_>,
) -> Option<Value> {
    let workload = Ref::new(schema, workload_kind.versioned, workload);
    let template = workload
        .at(strategy::template_path(&workload_kind.kind)?)
        .deref();
    let (_, spec) = template.get("Spec").parts()?;

    let mut value = schema.zero(pod_kind.versioned);
    let mut pod = Mut::new(schema, pod_kind.versioned, &mut value);
    pod.at("TypeMeta.APIVersion").set_str(&pod_kind.api_version);
    pod.at("TypeMeta.Kind").set_str(&pod_kind.kind);
    pod.at("ObjectMeta.GenerateName")
        .set_str(&pods_prefix(workload.at("ObjectMeta.Name").str()));
    // The copies are never nil.
    for field in ["Labels", "Annotations"] {
        let copy = match template.get("ObjectMeta").get(field).parts() {
            Some((_, Value::Map(entries))) => entries.clone(),
            _ => Vec::new(),
        };
        pod.get("ObjectMeta").get(field).set(Value::Map(copy));
    }
    if FINALIZERS_ARE_COPIED.contains(schema.release()) {
        let copy = match template.at("ObjectMeta.Finalizers").parts() {
            Some((_, Value::Slice(items))) => items.clone(),
            _ => Vec::new(),
        };
        pod.at("ObjectMeta.Finalizers").set(Value::Slice(copy));
    }
    pod.get("Spec").set(spec.clone());
    if is_indexed(workload) {
        add_completion_index(pod.get("Spec"), gates);
    }
    Some(value)
}

/// `getPodsPrefix`: a dash makes the name prettier, unless the name is none that a Pod may have.
fn pods_prefix(controller: &str) -> String {
    let label = |label: &[u8]| {
        let inner = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        label.iter().all(|b| inner(b) || *b == b'-')
            && label.first().is_some_and(inner)
            && label.last().is_some_and(inner)
    };
    // `ValidatePodName(prefix, true)` puts an `a` in the place of the last *two* characters
    // (`maskTrailingDash`), so that a name of full length gets a dash all the same.
    let Some((_, rest)) = controller.as_bytes().split_last() else {
        return String::new();
    };
    let masked = [rest, b"a"].concat();
    if masked.len() <= 253 && masked.split(|b| *b == b'.').all(label) {
        format!("{controller}-")
    } else {
        controller.to_owned()
    }
}

// ---- Indexed Jobs -------------------------------------------------------------------------

const COMPLETION_INDEX: &str = "JOB_COMPLETION_INDEX";

/// From 1.28 on the index comes from a label, unless the gate is off.
const INDEX_LABEL: Span = Span::since(28, 0);

/// A Job of completion mode Indexed, or what makes one.
fn is_indexed(workload: Ref<'_, '_>) -> bool {
    [
        "Spec.CompletionMode",
        "Spec.JobTemplate.Spec.CompletionMode",
    ]
    .iter()
    .any(|path| workload.at(path).str() == "Indexed")
}

fn add_completion_index(mut spec: Mut<'_, '_>, gates: &Gates<'_>) {
    let release = spec.schema().release();
    let gate_is_off =
        spec.schema().feature_gate("PodIndexLabel").is_some() && !gates.enabled("PodIndexLabel");
    let from_label = INDEX_LABEL.contains(release) && !gate_is_off;
    let map = if from_label { "labels" } else { "annotations" };
    let path = format!("metadata.{map}['batch.kubernetes.io/job-completion-index']");
    for list in ["InitContainers", "Containers"] {
        for mut container in spec.get(list).items() {
            let has = container
                .look()
                .get("Env")
                .items()
                .any(|variable| variable.get("Name").str() == COMPLETION_INDEX);
            if !has {
                let mut variable = container.get("Env").push();
                variable.get("Name").set_str(COMPLETION_INDEX);
                let mut source = variable.get("ValueFrom").make();
                source
                    .get("FieldRef")
                    .make()
                    .get("FieldPath")
                    .set_str(&path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_follows_the_name_unless_the_name_is_none() {
        assert_eq!(pods_prefix("web"), "web-");
        assert_eq!(pods_prefix("web."), "web.-");
        let full = "a".repeat(253);
        assert_eq!(pods_prefix(&full), format!("{full}-"));
        assert_eq!(pods_prefix("Web"), "Web");
        assert_eq!(pods_prefix(""), "");
    }
}
