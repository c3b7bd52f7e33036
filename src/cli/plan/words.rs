//! What the verdicts come to, in words, and what to do about it.

use kubehash::plan::Step;
use kubehash::report::{HopResult, PlanReport, PlanSummary};

/// What `--what-is-not-covered` prints.
pub(super) const NOT_COVERED: &str = "\
What an upgrade may restart, and kubehash plan does not predict:

Nodes
  - another container runtime (dockershim to containerd), or an upgrade of it
  - another cgroup driver, or cgroup version
  - a reboot, a new operating system, a node that is replaced by another one
  - images that the kubelet collected, and that cannot be pulled again
  - Pods that are evicted, and probes that fail, while a node is busy or its kubelet is away
  - state that the new kubelet does not accept: checkpoints of the CPU, memory and device managers

Kubelets
  - a kubelet that merely restarts, with other feature gates or another configuration
  - containers that the release before --from started, with the hash that it recorded
  - what recreates a Pod's sandbox besides a static Pod's new UID
  - static Pods whose manifests the upgrade itself rewrites (kubeadm: new images, new arguments)

API server and controllers
  - mutating webhooks and policies, LimitRanges, and other admission plugins than the one that mounts
    the service account's token: what stands in a manifest is not all of a Pod
  - a service account that opts out of its token by itself
  - controllers of custom resources, and what they make of Pods and workloads
  - Pods that Jobs, CronJobs and ReplicationControllers make, or make anew
  - clients that write objects while control planes of both releases serve them

Releases
  - what a vendor changed in a release
  - patches that cannot be fetched, whose neighbours differ (evidence: unknown)

For a node as it is, compare the hashes that its containers carry (annotation
io.kubernetes.container.hash) with: kubehash hash --release TO, given the live Pods.
";

/// The summary and the advice, a line each.
pub(super) fn of(report: &PlanReport) -> Vec<String> {
    if report.results.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![what_happens(report)];
    lines.extend(advice(report).into_iter().map(str::to_owned));
    lines.push(
        "what else an upgrade may restart is not predicted: kubehash plan --what-is-not-covered"
            .to_owned(),
    );
    lines
}

fn what_happens(report: &PlanReport) -> String {
    let PlanSummary {
        containers,
        restarts,
        rolls,
        static_pods_recreated,
        ..
    } = report.summary;
    let objects = report.results.len();
    let quiet = report.results.iter().filter(|result| !result.disturbs());
    let quiet = quiet.count();
    let of = format!(
        "{} of {}",
        counted(containers, "container"),
        counted(objects, "object")
    );
    if quiet == objects {
        return format!("nothing restarts and nothing rolls: {of}");
    }
    let happens = [
        (
            restarts.control_plane,
            "restart",
            "at the control-plane step",
        ),
        (restarts.kubelet, "restart", "at the kubelet step"),
    ];
    let mut parts: Vec<String> = happens
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, what, when)| format!("{} {when}", counted(count, what)))
        .collect();
    if rolls > 0 {
        parts.push(counted(rolls, "rollout"));
    }
    if static_pods_recreated > 0 {
        let pods = counted(static_pods_recreated, "static Pod");
        parts.push(format!("{pods} made anew"));
    }
    if quiet > 0 {
        parts.push(format!("{} quiet", counted(quiet, "object")));
    }
    format!("{of}: {}", parts.join(", "))
}

fn advice(report: &PlanReport) -> Vec<&'static str> {
    let summary = &report.summary;
    let hops = report.results.iter().flat_map(|result| &result.hops);
    let mut movable = hops.filter(|hop| hop.static_pod_recreated.is_none());
    let by_kubelets = movable.any(|hop| {
        let mut containers = hop.containers.iter();
        containers.any(|container| container.step == Some(Step::Kubelet.as_str()))
    });
    let static_pods = report.results.iter().flat_map(|result| &result.hops);
    let static_pods = static_pods
        .filter(|hop| hop.static_pod_recreated.is_some())
        .any(HopResult::disturbs);
    let mut lines = Vec::new();
    if summary.restarts.control_plane > 0 {
        lines.push(
            "control-plane step: once the new API server answers, the old kubelets restart these \
             containers on all nodes at once, and no disruption budget holds them; no drain helps, \
             because drained Pods come to kubelets that do the same: choose an hour that can bear it",
        );
    }
    if summary.rolls > 0 {
        lines.push(
            "rollouts: the new controllers replace Pods as the workload's update strategy says; see \
             that disruption budgets and capacity can bear it",
        );
    }
    if by_kubelets {
        lines.push(
            "kubelet step: an upgraded kubelet restarts these containers in place; drain each node \
             before its kubelet is upgraded, so that Pods move within their disruption budgets",
        );
    }
    if static_pods {
        lines.push(
            "static Pods cannot be drained: they restart in place when their node's kubelet is \
             upgraded, so upgrade one node after the other",
        );
    }
    lines
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
