//! Pod-level resources that follow from the containers'.
//!
//! Mirrors `defaultPodRequests` and `defaultHugePagePodLimits` in `pkg/apis/core/v1/defaults.go`
//! (from 1.32 and 1.33 on) and the sums below them in `k8s.io/component-helpers/resource`. Both act
//! only where the Pod has some resources at its own level. From 1.37 on a gate, on by default,
//! leaves the work to the registry ([`strategy`](crate::strategy)), which uses the same sums.

use crate::gates::Gates;
use crate::quantity::Flavour;
use crate::release::Release;
use crate::schema::Kind;
use crate::value::{Mut, Ref, Value};

/// A `v1.ResourceList` in the making.
pub(crate) type Totals<'v> = Vec<(&'v str, Value)>;

const HUGE_PAGES: &str = "hugepages-";

/// Points a nil map at an empty one.
pub(super) fn make_map(map: Mut<'_, '_>) {
    let is_map = map
        .ty()
        .is_some_and(|ty| matches!(map.schema()[ty].kind, Kind::Map(..)));
    if is_map && map.look().is_nil() {
        map.set(Value::Map(Vec::new()));
    }
}

/// `Quantity.DeepCopy`, `Copy` before 1.16.
pub(super) fn deep_copy(quantity: Ref<'_, '_>) -> Option<Value> {
    let flavour = Flavour::of(quantity.schema().release());
    Some(Value::Quantity(Box::new(
        quantity.quantity()?.deep_copy(flavour),
    )))
}

/// The Pod's limits of huge pages are the sums of its containers', unless the Pod has its own.
pub(super) fn default_huge_page_pod_limits(pod: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let resources = pod.look().at("Spec.Resources");
    if resources.get("Limits").is_empty() && resources.get("Requests").is_empty() {
        return;
    }
    // From 1.34 on a request of huge pages at Pod level keeps the limit from being set.
    let heeds_requests = pod.schema().release() >= Release::new(34, 0);
    let missing: Vec<(Box<str>, Value)> = aggregate(pod.look(), "Limits")
        .into_iter()
        .filter(|(name, _)| name.starts_with(HUGE_PAGES))
        .filter(|(name, _)| !(heeds_requests && resources.get("Requests").entry(name).exists()))
        .filter(|(name, _)| !resources.get("Limits").entry(name).exists())
        .map(|(name, total)| (Box::from(name), total))
        .collect();
    for (name, total) in missing {
        pod.at("Spec.Resources.Limits").insert(&name).set(total);
    }
}

/// The Pod's requests are its containers' sums, or else its own limits.
pub(super) fn default_pod_requests(pod: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let resources = pod.look().at("Spec.Resources");
    if resources.get("Limits").is_empty() {
        return;
    }
    // Huge pages cannot be overcommitted: their request is the limit. (In 1.32 the Pod level does
    // not support them at all.)
    let huge_pages = pod.schema().release() >= Release::new(33, 0);
    let supported =
        |name: &str| matches!(name, "cpu" | "memory") || huge_pages && name.starts_with(HUGE_PAGES);
    let totals = aggregate(pod.look(), "Requests");
    let from_containers = totals
        .into_iter()
        .filter(|(name, _)| matches!(*name, "cpu" | "memory"));
    let from_limits = resources
        .get("Limits")
        .entries()
        .filter(|(name, _)| supported(name))
        .filter_map(|(name, limit)| Some((name, deep_copy(limit)?)));
    let candidates: Vec<(Box<str>, Value)> = from_containers
        .chain(from_limits)
        .filter(|(name, _)| !resources.get("Requests").entry(name).exists())
        .map(|(name, quantity)| (Box::from(name), quantity))
        .collect();
    for (name, quantity) in candidates {
        // The containers' sums come first.
        if !pod
            .look()
            .at("Spec.Resources.Requests")
            .entry(&name)
            .exists()
        {
            pod.at("Spec.Resources.Requests")
                .insert(&name)
                .set(quantity);
        }
    }
}

/// `AggregateContainerRequests`, `AggregateContainerLimits`: what all containers need at once.
/// Init containers run one after another, beside the sidecars that were started before them.
pub(crate) fn aggregate<'v>(pod: Ref<'_, 'v>, which: &str) -> Totals<'v> {
    let list = |container: Ref<'_, 'v>| -> Totals<'v> {
        container
            .get("Resources")
            .get(which)
            .entries()
            .filter_map(|(name, quantity)| Some((name, deep_copy(quantity)?)))
            .collect()
    };
    let mut totals = Totals::new();
    for container in pod.at("Spec.Containers").items() {
        add_resource_list(&mut totals, &list(container));
    }
    let mut sidecars = Totals::new();
    let mut init = Totals::new();
    for container in pod.at("Spec.InitContainers").items() {
        let own = list(container);
        if container.get("RestartPolicy").str() == "Always" {
            add_resource_list(&mut totals, &own);
            add_resource_list(&mut sidecars, &own);
            max_resource_list(&mut init, &sidecars);
        } else {
            let mut with_sidecars = own;
            add_resource_list(&mut with_sidecars, &sidecars);
            max_resource_list(&mut init, &with_sidecars);
        }
    }
    max_resource_list(&mut totals, &init);
    totals
}

fn add_resource_list<'v>(totals: &mut Totals<'v>, list: &Totals<'v>) {
    for (name, value) in list {
        match totals.iter_mut().find(|(known, _)| known == name) {
            Some((_, Value::Quantity(total))) => {
                if let Value::Quantity(quantity) = value {
                    // Fails only for sums of millions of digits; Go would run out of memory.
                    let _ = total.add(quantity);
                }
            }
            Some(_) => {}
            None => totals.push((name, value.clone())),
        }
    }
}

fn max_resource_list<'v>(totals: &mut Totals<'v>, list: &Totals<'v>) {
    for (name, value) in list {
        let Some((_, total)) = totals.iter_mut().find(|(known, _)| known == name) else {
            totals.push((name, value.clone()));
            continue;
        };
        let mut value = value.clone();
        // Comparing may change the form of the one that is kept: `Cmp` has a pointer receiver.
        if let (Value::Quantity(a), Value::Quantity(b)) = (&mut value, &*total)
            && a.compare(b).is_gt()
        {
            *total = value;
        }
    }
}
