//! What is special to Jobs.
//!
//! Mirrors `pkg/registry/batch/job/strategy.go`.

use crate::gates::Gates;
use crate::release::Span;
use crate::value::{Mut, Value};

use super::{is_disabled, release_of};

/// From 1.29 on `PrepareForCreate` makes the selector and the labels it selects by; before,
/// validation did. The UID they name is empty here: the registry gives it to the object around
/// the strategy.
const SELECTOR_IN_STRATEGY: Span = Span::since(29, 0);

/// `generateSelectorIfNeeded`
pub(super) fn generate_selector_if_needed(job: &mut Mut<'_, '_>) {
    if !SELECTOR_IN_STRATEGY.contains(release_of(job))
        || job.at("Spec.ManualSelector").look().is_true()
    {
        return;
    }
    let name = job.look().at("ObjectMeta.Name").str().to_owned();
    let uid = job.look().at("ObjectMeta.UID").str().to_owned();
    let labels = [
        ("job-name", &name),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("batch.kubernetes.io/controller-uid", &uid),
    ];
    for (label, value) in labels {
        let mut all = job.at("Spec.Template.ObjectMeta.Labels");
        if !all.look().entry(label).exists() {
            all.by_ref().insert(label).set_str(value);
        }
    }
    let mut selector = job.at("Spec.Selector").make();
    let mut match_labels = selector.get("MatchLabels");
    let label = "batch.kubernetes.io/controller-uid";
    if !match_labels.look().entry(label).exists() {
        match_labels.by_ref().insert(label).set_str(&uid);
    }
}

const TRACKING: &str = "batch.kubernetes.io/job-tracking";

/// The annotation that tells Jobs whose Pods have finalizers, and rules that need a disabled gate.
pub(super) fn prepare(job: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    let release = release_of(job);
    if Span::minors(22, 25).contains(release) && !gates.enabled("JobTrackingWithFinalizers") {
        job.at("ObjectMeta.Annotations").remove(TRACKING);
    } else if Span::minors(22, 27).contains(release) {
        job.at("ObjectMeta.Annotations")
            .insert(TRACKING)
            .set_str("");
    }
    if Span::minors(28, 36).contains(release)
        && is_disabled(gates, job.look(), "JobBackoffLimitPerIndex")
    {
        let rules = job.at("Spec.PodFailurePolicy.Rules");
        let actions: Vec<bool> = rules
            .look()
            .items()
            .map(|rule| rule.get("Action").str() != "FailIndex")
            .collect();
        if let Some((_, Value::Slice(items))) = rules.into_parts() {
            let mut keep = actions.into_iter();
            items.retain(|_| keep.next().unwrap_or(true));
        }
    }
}
