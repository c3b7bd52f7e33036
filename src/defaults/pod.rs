//! Defaults of a Pod, of a Pod's spec wherever it stands, and of a Pod's status.
//!
//! Mirrors `SetDefaults_Pod`, `SetDefaults_PodSpec` and `SetDefaults_PodStatus` in
//! `pkg/api/v1/defaults.go` (1.1–1.7) and `pkg/apis/core/v1/defaults.go` (1.8 on). What is in the
//! first is done to Pods only, not to the templates of workloads.

use super::Preset::{Bool, Empty, Int, Str};
use super::{Defaults, call, resources, unset};
use crate::gates::Gates;
use crate::value::{Mut, Value};

pub(super) const DEFAULTS: &[Defaults] = &[
    Defaults {
        of: "core/v1.Pod",
        rules: &[
            call(default_negative_grace_period).since(37),
            call(default_requests_to_limits),
            call(default_init_requests_to_limits).since(6),
            call(default_resize_policy)
                .gate("InPlacePodVerticalScaling")
                .minors(27, 32),
            call(resources::default_huge_page_pod_limits)
                .gate("PodLevelResources")
                .minors(33, 36),
            call(resources::default_pod_requests)
                .gate("PodLevelResources")
                .minors(32, 36),
            call(default_pod_level_resources)
                .gate("PodLevelResources")
                .since(37),
            unset("Spec.EnableServiceLinks", Bool(true)),
            // Until 1.27 SetDefaults_PodSpec does it.
            call(default_host_ports_of_pod).since(28),
            call(default_http_probe_protocol)
                .gate("H2CContainerProbe")
                .since(37),
        ],
    },
    Defaults {
        of: "core/v1.PodSpec",
        rules: &[
            call(sync_service_account).since(37),
            unset("DNSPolicy", Str("ClusterFirst")),
            unset("RestartPolicy", Str("Always")),
            call(default_host_ports).until(27),
            call(default_init_host_ports).minors(6, 27),
            call(default_host_ports)
                .gate(HOST_PORTS_IN_TEMPLATES)
                .minors(28, 30),
            call(default_init_host_ports)
                .gate(HOST_PORTS_IN_TEMPLATES)
                .minors(28, 30),
            unset("SecurityContext", Empty).since(2),
            unset("TerminationGracePeriodSeconds", Int(30)),
            unset("SchedulerName", Str("default-scheduler")),
        ],
    },
    Defaults {
        of: "core/v1.PodStatus",
        rules: &[call(sync_pod_ips).since(37)],
    },
];

const HOST_PORTS_IN_TEMPLATES: &str = "DefaultHostNetworkHostPortsInPodTemplates";

/// A negative grace period, which old API servers let pass, becomes a second.
fn default_negative_grace_period(pod: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let mut period = pod.at("Spec.TerminationGracePeriodSeconds");
    if period.look().int() < 0 {
        period.by_ref().set_int(1);
    }
}

/// Requests that are not set are set to the limits.
fn default_requests_to_limits(pod: &mut Mut<'_, '_>, _: &Gates<'_>) {
    for container in pod.at("Spec.Containers").items() {
        requests_from_limits(container);
    }
}

fn default_init_requests_to_limits(pod: &mut Mut<'_, '_>, _: &Gates<'_>) {
    for container in pod.at("Spec.InitContainers").items() {
        requests_from_limits(container);
    }
}

fn requests_from_limits(mut container: Mut<'_, '_>) {
    let mut own = container.get("Resources");
    let limits: Vec<(Box<str>, Value)> = own
        .look()
        .get("Limits")
        .entries()
        .filter_map(|(name, limit)| Some((name.into(), resources::deep_copy(limit)?)))
        .collect();
    if own.look().get("Limits").is_nil() {
        return;
    }
    // Limits that are there but empty leave requests that are there but empty.
    resources::make_map(own.get("Requests"));
    for (name, limit) in limits {
        if !own.look().get("Requests").entry(&name).exists() {
            own.get("Requests").insert(&name).set(limit);
        }
    }
}

/// `resizePolicy` entries for CPU and memory where requests are set: NotRequired.
fn default_resize_policy(pod: &mut Mut<'_, '_>, _: &Gates<'_>) {
    for mut container in pod.at("Spec.Containers").items() {
        for name in ["cpu", "memory"] {
            let asked = container
                .look()
                .at("Resources.Requests")
                .entry(name)
                .exists();
            let told = container
                .look()
                .get("ResizePolicy")
                .items()
                .any(|policy| policy.get("ResourceName").str() == name);
            if asked && !told {
                let mut policy = container.get("ResizePolicy").push();
                policy.get("ResourceName").set_str(name);
                policy.get("RestartPolicy").set_str("NotRequired");
            }
        }
    }
}

/// From 1.37 on a second gate moves the work from here to the registry's `PrepareForCreate`.
fn default_pod_level_resources(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    if !gates.enabled("PodLevelResourcesFixDefaulting") {
        resources::default_huge_page_pod_limits(pod, gates);
        resources::default_pod_requests(pod, gates);
    }
}

fn default_host_ports_of_pod(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    let mut spec = pod.get("Spec");
    default_host_ports(&mut spec, gates);
    default_init_host_ports(&mut spec, gates);
}

/// With host networking a port of the container is a port of the host.
fn default_host_ports(spec: &mut Mut<'_, '_>, _: &Gates<'_>) {
    default_host_network_ports(spec, "Containers");
}

fn default_init_host_ports(spec: &mut Mut<'_, '_>, _: &Gates<'_>) {
    default_host_network_ports(spec, "InitContainers");
}

fn default_host_network_ports(spec: &mut Mut<'_, '_>, containers: &str) {
    if !spec.look().get("HostNetwork").is_true() {
        return;
    }
    for mut container in spec.get(containers).items() {
        for mut port in container.get("Ports").items() {
            let number = port.look().get("ContainerPort").int();
            Int(number).fill(port.get("HostPort"));
        }
    }
}

/// The probes' and hooks' HTTP requests say which HTTP they speak.
fn default_http_probe_protocol(pod: &mut Mut<'_, '_>, _: &Gates<'_>) {
    for list in ["Containers", "InitContainers", "EphemeralContainers"] {
        for mut container in pod.get("Spec").get(list).items() {
            let mut container = match list {
                "EphemeralContainers" => container.get("EphemeralContainerCommon"),
                _ => container,
            };
            for probe in ["LivenessProbe", "ReadinessProbe", "StartupProbe"] {
                Str("HTTP1").fill(
                    container
                        .get(probe)
                        .get("ProbeHandler")
                        .at("HTTPGet.Protocol"),
                );
            }
            for hook in ["PostStart", "PreStop"] {
                Str("HTTP1").fill(container.get("Lifecycle").get(hook).at("HTTPGet.Protocol"));
            }
        }
    }
}

/// `serviceAccount` and `serviceAccountName` say the same; the latter wins. Until 1.36 the
/// conversion to the internal version and back does it.
fn sync_service_account(spec: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let deprecated = spec.look().get("DeprecatedServiceAccount").str().to_owned();
    if spec.look().get("ServiceAccountName").str().is_empty() {
        spec.get("ServiceAccountName").set_str(&deprecated);
    }
    let name = spec.look().get("ServiceAccountName").str().to_owned();
    spec.get("DeprecatedServiceAccount").set_str(&name);
}

/// `podIP` and the first of `podIPs` say the same; the former wins. Until 1.36 the conversion to
/// the internal version and back does it.
fn sync_pod_ips(status: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let ip = status.look().get("PodIP").str().to_owned();
    let first = status
        .look()
        .get("PodIPs")
        .items()
        .next()
        .map(|ip| ip.get("IP").str().to_owned());
    match first {
        Some(first) if ip.is_empty() => status.get("PodIP").set_str(&first),
        Some(first) if first == ip => {}
        None if ip.is_empty() => {}
        _ => {
            status.get("PodIPs").clear();
            status.get("PodIPs").push().get("IP").set_str(&ip);
        }
    }
}
