//! Which objects have container hashes: what to do with a document of a given kind, before any
//! release is asked.
//!
//! A kind that a release does not serve in that version is the release's to refuse (it knows the
//! ones it does serve). Here the question is only whether the object is a workload at all; a
//! mistyped kind must not pass for one of those that are left out in silence.

/// The workload kinds, as some release serves them.
pub(super) const WORKLOADS: &[&str] = &[
    "Pod",
    "PodTemplate",
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

/// Kinds of Kubernetes' own API groups that create no Pods (from the API specifications of all
/// releases), and kubectl's `Config`; without the requests and reviews that are never stored.
const OTHERS: &[&str] = &[
    "APIGroup",
    "APIService",
    "APIVersions",
    "AuditSink",
    "Binding",
    "CSIDriver",
    "CSINode",
    "CSIStorageCapacity",
    "CertificateSigningRequest",
    "ClusterCIDR",
    "ClusterRole",
    "ClusterRoleBinding",
    "ClusterTrustBundle",
    "ComponentStatus",
    "CompositePodGroup",
    "Config",
    "ConfigMap",
    "ControllerRevision",
    "CustomResourceDefinition",
    "DeleteOptions",
    "DeploymentRollback",
    "DeviceClass",
    "DeviceTaintRule",
    "EndpointSlice",
    "Endpoints",
    "Event",
    "Eviction",
    "EvictionRequest",
    "FlowSchema",
    "HorizontalPodAutoscaler",
    "IPAddress",
    "Ingress",
    "IngressClass",
    "InitializerConfiguration",
    "JobTemplate",
    "Lease",
    "LeaseCandidate",
    "LimitRange",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "MutatingWebhookConfiguration",
    "Namespace",
    "NetworkPolicy",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "PodCertificateRequest",
    "PodDisruptionBudget",
    "PodGroup",
    "PodPreset",
    "PodSchedulingContext",
    "PodSecurityPolicy",
    "PriorityClass",
    "PriorityLevelConfiguration",
    "RangeAllocation",
    "ResourceClaim",
    "ResourceClaimParameters",
    "ResourceClaimTemplate",
    "ResourceClass",
    "ResourceClassParameters",
    "ResourceQuota",
    "ResourceSlice",
    "Role",
    "RoleBinding",
    "RuntimeClass",
    "Scale",
    "Secret",
    "SerializedReference",
    "Service",
    "ServiceAccount",
    "ServiceCIDR",
    "Status",
    "StorageClass",
    "StorageVersion",
    "StorageVersionMigration",
    "ThirdPartyResource",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration",
    "VolumeAttachment",
    "VolumeAttributesClass",
    "WatchEvent",
    "Workload",
];

/// What a document is, by its `apiVersion` and `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A workload: the release decides.
    Workload,
    /// Another kind of Kubernetes' own.
    Other,
    /// A custom resource; whatever Pods its controller makes are that controller's business.
    Custom,
    /// No kind of the API group it claims; `Some` names the one that was probably meant.
    Unknown(Option<&'static str>),
}

/// Tells what a document is.
pub(super) fn classify(api_version: &str, kind: &str) -> Class {
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    // Groups without a dot are reserved to Kubernetes, and so is k8s.io; the projects under
    // x-k8s.io and other names define custom resources.
    let own = !group.contains('.') || (group.ends_with(".k8s.io") && !group.ends_with(".x-k8s.io"));
    if !own {
        return Class::Custom;
    }
    if WORKLOADS.contains(&kind) {
        return Class::Workload;
    }
    if OTHERS.contains(&kind) {
        return Class::Other;
    }
    let meant = WORKLOADS
        .iter()
        .copied()
        .find(|known| resembles(known, kind));
    // Add-ons publish custom resources under k8s.io too (snapshot.storage.k8s.io).
    if group.contains('.') && meant.is_none() {
        Class::Custom
    } else {
        Class::Unknown(meant)
    }
}

/// Whether one word is the other mistyped: the same but for case, or up to two edits away.
fn resembles(known: &str, word: &str) -> bool {
    let (known, word) = (known.to_ascii_lowercase(), word.to_ascii_lowercase());
    // Two edits make anything of a word as short as `job`.
    let bearable = if known.len() < 6 { 1 } else { 2 };
    known.len().abs_diff(word.len()) <= bearable
        && edits(known.as_bytes(), word.as_bytes()) <= bearable
}

/// Levenshtein's distance.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_apart() {
        assert_eq!(classify("apps/v1", "Deployment"), Class::Workload);
        assert_eq!(
            classify("apps/v9", "Deployment"),
            Class::Workload,
            "for the release to refuse"
        );
        assert_eq!(classify("v1", "Service"), Class::Other);
        assert_eq!(classify("networking.k8s.io/v1", "Ingress"), Class::Other);
        assert_eq!(classify("argoproj.io/v1alpha1", "Rollout"), Class::Custom);
        assert_eq!(
            classify("apps.kruise.io/v1alpha1", "StatefulSet"),
            Class::Custom
        );
        assert_eq!(
            classify("gateway.networking.x-k8s.io/v1", "Job"),
            Class::Custom
        );
        assert_eq!(
            classify("snapshot.storage.k8s.io/v1", "VolumeSnapshot"),
            Class::Custom
        );
    }

    #[test]
    fn a_mistyped_kind_is_not_left_out_in_silence() {
        assert_eq!(
            classify("apps/v1", "Deploymnt"),
            Class::Unknown(Some("Deployment"))
        );
        assert_eq!(
            classify("apps/v1", "deployment"),
            Class::Unknown(Some("Deployment"))
        );
        assert_eq!(
            classify("apps/v1", "Statefulset"),
            Class::Unknown(Some("StatefulSet"))
        );
        assert_eq!(classify("v1", "Pods"), Class::Unknown(Some("Pod")));
        assert_eq!(classify("v1", "Nonsense"), Class::Unknown(None));
    }
}
