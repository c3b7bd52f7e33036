//! Resources of a whole Pod that follow from its containers'.
//!
//! Mirrors `DefaultPodLevelResources` in `pkg/api/pod/util.go` (1.37 on). Before, defaulting did
//! something like it ([`defaults`](crate::defaults)).

use crate::defaults::aggregate;
use crate::gates::Gates;
use crate::value::{Mut, Ref, Value};

use super::for_each_container;

/// Fills in the requests and limits at Pod level of an internal Pod that has some there.
pub(super) fn default_pod_level_resources(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    if !gates.enabled("PodLevelResources") || !gates.enabled("PodLevelResourcesFixDefaulting") {
        return;
    }
    let resources = pod.look().at("Spec.Resources");
    if resources.get("Requests").is_empty() && resources.get("Limits").is_empty() {
        return;
    }
    default_huge_page_limits(pod);
    default_requests(pod);
    default_limits(pod);
}

fn is_huge_pages(name: &str) -> bool {
    name.starts_with("hugepages-")
}

fn is_supported(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || is_huge_pages(name)
}

fn has(pod: &Mut<'_, '_>, list: &str, name: &str) -> bool {
    pod.look()
        .at("Spec.Resources")
        .get(list)
        .entry(name)
        .exists()
}

fn set_missing(pod: &mut Mut<'_, '_>, list: &str, values: Vec<(String, Value)>) {
    for (name, value) in values {
        if !has(pod, list, &name) {
            pod.at("Spec.Resources").get(list).insert(&name).set(value);
        }
    }
}

fn sums(pod: &Mut<'_, '_>, list: &str) -> Vec<(String, Value)> {
    aggregate(pod.look(), list)
        .into_iter()
        .map(|(name, sum)| (name.to_owned(), sum))
        .collect()
}

/// Huge pages cannot be overcommitted: the Pod's limit is its containers', unless it has a request.
fn default_huge_page_limits(pod: &mut Mut<'_, '_>) {
    let mut limits = sums(pod, "Limits");
    limits.retain(|(name, _)| is_huge_pages(name) && !has(pod, "Requests", name));
    set_missing(pod, "Limits", limits);
}

/// The Pod's requests are its containers' sums, or else its own limits.
fn default_requests(pod: &mut Mut<'_, '_>) {
    let mut requests = sums(pod, "Requests");
    requests.retain(|(name, _)| matches!(&**name, "cpu" | "memory"));
    set_missing(pod, "Requests", requests);
    let limits = pod.look().at("Spec.Resources.Limits");
    let limits = limits.entries().filter(|(name, _)| is_supported(name));
    let limits = limits
        .filter_map(|(name, limit)| Some((name.to_owned(), limit.parts()?.1.clone())))
        .collect();
    set_missing(pod, "Requests", limits);
}

/// Where every container has a limit, so has the Pod: the sum, or its own request if that is more.
fn default_limits(pod: &mut Mut<'_, '_>) {
    let names = pod.look().at("Spec.Resources.Requests");
    let mut names: Vec<String> = names
        .entries()
        .map(|(name, _)| name.to_owned())
        .filter(|name| is_supported(name))
        .collect();
    names.retain(|name| !has(pod, "Limits", name));
    for_each_container(&mut pod.get("Spec"), |container| {
        names.retain(|name| container.look().at("Resources.Limits").entry(name).exists());
    });
    let mut limits = sums(pod, "Limits");
    limits.retain(|(name, _)| names.contains(name));
    for (name, limit) in &mut limits {
        let request: Ref<'_, '_> = pod.look().at("Spec.Resources.Requests").entry(name);
        if let (Some(request), Value::Quantity(limit)) = (request.quantity(), limit)
            && request.clone().compare(limit).is_gt()
        {
            **limit = request.clone();
        }
    }
    set_missing(pod, "Limits", limits);
}
