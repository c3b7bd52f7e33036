//! A Pod's quality of service class.
//!
//! Mirrors `InternalGetPodQOS` (`pkg/kubelet/qos/qos.go`, 1.6) and `GetPodQOS`
//! (`pkg/api/helper/qos`, 1.7 – 1.8; `pkg/apis/core/helper/qos`, 1.9 on).

use std::cmp::Ordering;

use crate::gates::Gates;
use crate::quantity::Quantity;
use crate::release::{Release, Span};
use crate::value::Ref;

const GUARANTEED: &str = "Guaranteed";
const BURSTABLE: &str = "Burstable";
const BEST_EFFORT: &str = "BestEffort";

/// Huge pages counted like cpu and memory.
const HUGE_PAGES_COUNT: Span = Span::minors(8, 9);
const INIT_CONTAINERS_COUNT: Span = Span::since(16, 0);
/// Each container is judged for itself; before, their sums were.
const CONTAINER_BY_CONTAINER: Span = Span::since(37, 0);

/// The class of an internal Pod.
pub(super) fn of(pod: Ref<'_, '_>, gates: &Gates<'_>) -> &'static str {
    let release = pod.schema().release();
    let at_pod_level = pod.at("Spec.Resources");
    let pod_level = gates.enabled("PodLevelResources") && !at_pod_level.is_nil();
    if CONTAINER_BY_CONTAINER.contains(release) {
        let counts = !gates.enabled("PodLevelResourcesFixKubeletQOSClass")
            || is_pod_level_resources_set(at_pod_level);
        if pod_level && counts {
            return of_requirements(at_pod_level);
        }
        return of_containers(pod);
    }
    let mut sums = Sums {
        release,
        requests: Vec::new(),
        limits: Vec::new(),
        guaranteed: true,
    };
    if pod_level {
        // A Pod without limits at its own level is not told apart from one whose limits cover
        // everything; the comparison below finds that out.
        sums.add(at_pod_level, !at_pod_level.get("Limits").is_empty());
    } else {
        let lists: &[&str] = if INIT_CONTAINERS_COUNT.contains(release) {
            &["Containers", "InitContainers"]
        } else {
            &["Containers"]
        };
        for list in lists {
            for container in pod.get("Spec").get(list).items() {
                sums.add(container.get("Resources"), true);
            }
        }
    }
    sums.class()
}

struct Sums<'v> {
    release: Release,
    requests: Vec<(&'v str, Quantity)>,
    limits: Vec<(&'v str, Quantity)>,
    guaranteed: bool,
}

impl<'v> Sums<'v> {
    fn counts(&self, name: &str) -> bool {
        matches!(name, "cpu" | "memory")
            || HUGE_PAGES_COUNT.contains(self.release) && name.starts_with("hugepages-")
    }

    fn positive(&self, list: Ref<'_, 'v>) -> Vec<(&'v str, Quantity)> {
        list.entries()
            .filter(|(name, _)| self.counts(name))
            .filter_map(|(name, quantity)| Some((name, quantity.quantity()?.clone())))
            .filter(|(_, quantity)| {
                quantity.clone().compare(&Quantity::default()) == Ordering::Greater
            })
            .collect()
    }

    fn add(&mut self, resources: Ref<'_, 'v>, limits_count: bool) {
        for (name, quantity) in self.positive(resources.get("Requests")) {
            add(&mut self.requests, name, quantity);
        }
        let limits = self.positive(resources.get("Limits"));
        let found = |resource: &str| limits.iter().any(|(name, _)| *name == resource);
        // 1.6 and 1.7 count: both of the two.
        if limits_count && !(found("cpu") && found("memory")) {
            self.guaranteed = false;
        }
        for (name, quantity) in limits {
            add(&mut self.limits, name, quantity);
        }
    }

    fn class(mut self) -> &'static str {
        if self.requests.is_empty() && self.limits.is_empty() {
            return BEST_EFFORT;
        }
        for (name, request) in &self.requests {
            let limit = self.limits.iter().find(|(limit, _)| limit == name);
            if !limit.is_some_and(|(_, limit)| limit.same_amount(request)) {
                self.guaranteed = false;
            }
        }
        if self.guaranteed && self.requests.len() == self.limits.len() {
            GUARANTEED
        } else {
            BURSTABLE
        }
    }
}

fn add<'v>(list: &mut Vec<(&'v str, Quantity)>, name: &'v str, quantity: Quantity) {
    match list.iter_mut().find(|(known, _)| *known == name) {
        Some((_, sum)) => {
            // Fails only for sums of millions of digits; Go would run out of memory.
            let _ = sum.add(&quantity);
        }
        None => list.push((name, quantity)),
    }
}

// ---- from 1.37 on -------------------------------------------------------------------------

fn is_pod_level_resources_set(resources: Ref<'_, '_>) -> bool {
    ["Requests", "Limits"].iter().any(|list| {
        resources
            .get(list)
            .entries()
            .any(|(name, _)| matches!(name, "cpu" | "memory") || name.starts_with("hugepages-"))
    })
}

fn of_containers(pod: Ref<'_, '_>) -> &'static str {
    let mut class = None;
    for list in ["InitContainers", "Containers"] {
        for container in pod.get("Spec").get(list).items() {
            let own = of_requirements(container.get("Resources"));
            if own == BURSTABLE || class.is_some_and(|class| class != own) {
                return BURSTABLE;
            }
            class = Some(own);
        }
    }
    class.unwrap_or(BEST_EFFORT)
}

fn of_requirements(resources: Ref<'_, '_>) -> &'static str {
    let (requests, limits) = (resources.get("Requests"), resources.get("Limits"));
    if requests.is_empty() && limits.is_empty() {
        return BEST_EFFORT;
    }
    let of_resource = |name: &str| {
        let zero = Quantity::default();
        let request = requests.entry(name).quantity().unwrap_or(&zero);
        let limit = limits.entry(name).quantity().unwrap_or(&zero);
        if !request.same_amount(limit) {
            BURSTABLE
        } else if request.is_zero() {
            BEST_EFFORT
        } else {
            GUARANTEED
        }
    };
    let (cpu, memory) = (of_resource("cpu"), of_resource("memory"));
    if cpu == memory { cpu } else { BURSTABLE }
}
