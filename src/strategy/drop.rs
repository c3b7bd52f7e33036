//! Fields of features that are switched off.
//!
//! Mirrors `DropDisabledAlphaFields` (1.8 – 1.13), `DropDisabledPodFields` and
//! `DropDisabledTemplateFields` (1.14 on) in `pkg/api/pod/util.go`, and what single strategies drop
//! from their own kinds. The parts of those functions about an object that existed before do not
//! matter here: the object is new. Nor do those about status, which was reset before.
//!
//! The order of the rows is that of the Go functions where it matters, otherwise that in which
//! the features came.

use crate::gates::Gates;
use crate::release::Span;
use crate::schema::Kind;
use crate::value::{Mut, Ref, Value};

use super::{for_each_container, is_disabled, release_of};

/// A feature whose fields are dropped while one of its gates is off.
struct Row {
    span: Span,
    gates: &'static [&'static str],
    /// From the PodSpec; `[]` goes through a list, `*[]` through all containers of all kinds.
    fields: &'static [&'static str],
}

const fn row(
    first: u16,
    last: u16,
    gate: &'static [&'static str],
    fields: &'static [&'static str],
) -> Row {
    Row {
        span: Span::minors(first, last),
        gates: gate,
        fields,
    }
}

/// The gate exists to this day.
const NOW: u16 = u16::MAX;

const ROWS: &[Row] = &[
    row(8, 15, &["PodPriority"], &["Priority", "PriorityClassName"]),
    row(
        8,
        24,
        &["LocalStorageCapacityIsolation"],
        &["Volumes[].VolumeSource.EmptyDir.SizeLimit"],
    ),
    row(
        8,
        12,
        &["MountPropagation"],
        &["*[].VolumeMounts[].MountPropagation"],
    ),
    row(9, 17, &["BlockVolume"], &["*[].VolumeDevices"]),
    row(
        10,
        11,
        &["PodShareProcessNamespace"],
        &["SecurityContext.ShareProcessNamespace"],
    ),
    row(
        14,
        16,
        &["PodShareProcessNamespace"],
        &["SecurityContext.ShareProcessNamespace"],
    ),
    row(
        10,
        20,
        &["RunAsGroup"],
        &[
            "SecurityContext.RunAsGroup",
            "*[].SecurityContext.RunAsGroup",
        ],
    ),
    row(12, 19, &["RuntimeClass"], &["RuntimeClassName"]),
    row(
        14,
        19,
        &["TokenRequestProjection"],
        &["Volumes[].VolumeSource.Projected.Sources[].ServiceAccountToken"],
    ),
    row(14, 20, &["Sysctls"], &["SecurityContext.Sysctls"]),
    row(14, 22, &["VolumeSubpath"], &["*[].VolumeMounts[].SubPath"]),
    row(
        14,
        18,
        &["VolumeSubpath", "VolumeSubpathEnvExpansion"],
        &["*[].VolumeMounts[].SubPathExpr"],
    ),
    row(
        19,
        22,
        &["VolumeSubpath"],
        &["*[].VolumeMounts[].SubPathExpr"],
    ),
    row(
        14,
        24,
        &["CSIInlineVolume"],
        &["Volumes[].VolumeSource.CSI"],
    ),
    row(
        15,
        17,
        &["WindowsGMSA"],
        &[
            "SecurityContext.WindowsOptions.GMSACredentialSpecName",
            "SecurityContext.WindowsOptions.GMSACredentialSpec",
            "Containers[].SecurityContext.WindowsOptions.GMSACredentialSpecName",
            "Containers[].SecurityContext.WindowsOptions.GMSACredentialSpec",
            "InitContainers[].SecurityContext.WindowsOptions.GMSACredentialSpecName",
            "InitContainers[].SecurityContext.WindowsOptions.GMSACredentialSpec",
        ],
    ),
    row(15, 23, &["NonPreemptingPriority"], &["PreemptionPolicy"]),
    row(16, 24, &["EphemeralContainers"], &["EphemeralContainers"]),
    row(16, 19, &["StartupProbe"], &["*[].StartupProbe"]),
    row(
        16,
        17,
        &["WindowsRunAsUserName"],
        &[
            "SecurityContext.WindowsOptions.RunAsUserName",
            "Containers[].SecurityContext.WindowsOptions.RunAsUserName",
            "InitContainers[].SecurityContext.WindowsOptions.RunAsUserName",
        ],
    ),
    row(16, 23, &["PodOverhead"], &["Overhead"]),
    row(16, 18, &["EvenPodsSpread"], &["TopologySpreadConstraints"]),
    row(
        18,
        22,
        &["ConfigurableFSGroupPolicy"],
        &["SecurityContext.FSGroupChangePolicy"],
    ),
    row(
        19,
        22,
        &["GenericEphemeralVolume"],
        &["Volumes[].VolumeSource.Ephemeral"],
    ),
    row(19, 21, &["SetHostnameAsFQDN"], &["SetHostnameAsFQDN"]),
    row(
        21,
        27,
        &["ProbeTerminationGracePeriod"],
        &[
            "*[].LivenessProbe.TerminationGracePeriodSeconds",
            "*[].StartupProbe.TerminationGracePeriodSeconds",
        ],
    ),
    row(
        21,
        23,
        &["PodAffinityNamespaceSelector"],
        &[
            "Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[].NamespaceSelector",
            "Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution[].PodAffinityTerm.NamespaceSelector",
            "Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[].NamespaceSelector",
            "Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution[].PodAffinityTerm.NamespaceSelector",
        ],
    ),
    row(23, 24, &["IdentifyPodOS"], &["OS"]),
    row(
        24,
        29,
        &["MinDomainsInPodTopologySpread"],
        &["TopologySpreadConstraints[].MinDomains"],
    ),
    row(
        25,
        27,
        &["UserNamespacesStatelessPodsSupport"],
        &["SecurityContext.HostUsers"],
    ),
    row(
        28,
        36,
        &["UserNamespacesSupport"],
        &["SecurityContext.HostUsers"],
    ),
    row(37, NOW, &["UserNamespacesSupport"], &["HostUsers"]),
    row(
        25,
        NOW,
        &["NodeInclusionPolicyInPodTopologySpread"],
        &[
            "TopologySpreadConstraints[].NodeTaintsPolicy",
            "TopologySpreadConstraints[].NodeAffinityPolicy",
        ],
    ),
    row(
        25,
        NOW,
        &["MatchLabelKeysInPodTopologySpread"],
        &["TopologySpreadConstraints[].MatchLabelKeys"],
    ),
    row(26, 29, &["PodSchedulingReadiness"], &["SchedulingGates"]),
    row(
        26,
        NOW,
        &["DynamicResourceAllocation"],
        &["*[].Resources.Claims", "ResourceClaims"],
    ),
    row(
        27,
        NOW,
        &["InPlacePodVerticalScaling"],
        &["*[].ResizePolicy"],
    ),
    row(
        28,
        36,
        &["SidecarContainers"],
        &["InitContainers[].RestartPolicy"],
    ),
    row(
        29,
        NOW,
        &["MatchLabelKeysInPodAffinity"],
        &[
            "Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[].MatchLabelKeys",
            "Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[].MismatchLabelKeys",
            "Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution[].PodAffinityTerm.MatchLabelKeys",
            "Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution[].PodAffinityTerm.MismatchLabelKeys",
            "Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[].MatchLabelKeys",
            "Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[].MismatchLabelKeys",
            "Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution[].PodAffinityTerm.MatchLabelKeys",
            "Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution[].PodAffinityTerm.MismatchLabelKeys",
        ],
    ),
    row(
        29,
        NOW,
        &["ClusterTrustBundleProjection"],
        &["Volumes[].VolumeSource.Projected.Sources[].ClusterTrustBundle"],
    ),
    row(
        29,
        29,
        &["PodLifecycleSleepAction"],
        &[
            "*[].Lifecycle.PreStop.Sleep",
            "*[].Lifecycle.PostStart.Sleep",
        ],
    ),
    row(
        30,
        30,
        &["AppArmor", "AppArmorFields"],
        &[
            "SecurityContext.AppArmorProfile",
            "*[].SecurityContext.AppArmorProfile",
        ],
    ),
    row(
        30,
        NOW,
        &["RecursiveReadOnlyMounts"],
        &["*[].VolumeMounts[].RecursiveReadOnly"],
    ),
    row(
        31,
        NOW,
        &["SupplementalGroupsPolicy"],
        &["SecurityContext.SupplementalGroupsPolicy"],
    ),
    row(32, NOW, &["PodLevelResources"], &["Resources"]),
    row(
        32,
        NOW,
        &["SELinuxChangePolicy"],
        &["SecurityContext.SELinuxChangePolicy"],
    ),
    row(
        34,
        NOW,
        &["PodCertificateRequest"],
        &["Volumes[].VolumeSource.Projected.Sources[].PodCertificate"],
    ),
    row(34, NOW, &["HostnameOverride"], &["HostnameOverride"]),
    row(34, NOW, &["EnvFiles"], &["*[].Env[].ValueFrom.FileKeyRef"]),
    row(
        35,
        NOW,
        &["GenericWorkload"],
        &["WorkloadRef", "SchedulingGroup"],
    ),
    row(
        37,
        NOW,
        &["EmptyDirVolumeMode"],
        &["Volumes[].VolumeSource.EmptyDir.Mode"],
    ),
    row(
        37,
        NOW,
        &["VolumeBindMountOptions"],
        &["*[].VolumeMounts[].BindMountOptions"],
    ),
    row(
        37,
        NOW,
        &["GRPCContainerProbeTLS"],
        &[
            "*[].LivenessProbe.ProbeHandler.GRPC.Mode",
            "*[].ReadinessProbe.ProbeHandler.GRPC.Mode",
            "*[].StartupProbe.ProbeHandler.GRPC.Mode",
        ],
    ),
    row(
        37,
        NOW,
        &["H2CContainerProbe"],
        &[
            "*[].LivenessProbe.ProbeHandler.HTTPGet.Protocol",
            "*[].ReadinessProbe.ProbeHandler.HTTPGet.Protocol",
            "*[].StartupProbe.ProbeHandler.HTTPGet.Protocol",
            "*[].Lifecycle.PostStart.HTTPGet.Protocol",
            "*[].Lifecycle.PreStop.HTTPGet.Protocol",
        ],
    ),
    row(37, NOW, &["EvictionRequestAPI"], &["EvictionResponders"]),
    // Without a gate: the field was never meant for volumes' claims, and their type lost it in 1.29.
    Row {
        span: Span::between((26, 3), (28, u16::MAX)),
        gates: &[],
        fields: &["Volumes[].VolumeSource.Ephemeral.VolumeClaimTemplate.Spec.Resources.Claims"],
    },
];

/// What takes more than emptying a field.
struct Special {
    span: Span,
    gate: &'static str,
    act: fn(&mut Mut<'_, '_>),
}

const SPECIALS: &[Special] = &[
    // The alpha field was forced on every container with a security context (#78633), until it
    // was seen that this restarts containers.
    Special {
        span: Span::between((12, 0), (12, 9)),
        gate: "ProcMountType",
        act: force_proc_mount,
    },
    Special {
        span: Span::between((13, 0), (13, 7)),
        gate: "ProcMountType",
        act: force_proc_mount,
    },
    Special {
        span: Span::between((14, 0), (14, 3)),
        gate: "ProcMountType",
        act: force_proc_mount,
    },
    Special {
        span: Span::between((12, 10), (12, u16::MAX)),
        gate: "ProcMountType",
        act: default_proc_mount,
    },
    Special {
        span: Span::between((13, 8), (13, u16::MAX)),
        gate: "ProcMountType",
        act: default_proc_mount,
    },
    Special {
        span: Span::since(14, 4),
        gate: "ProcMountType",
        act: default_proc_mount,
    },
    Special {
        span: Span::minors(37, NOW),
        gate: "AtomicWriteVolumeUserFields",
        act: drop_volume_users,
    },
    Special {
        span: Span::minors(34, NOW),
        gate: "ContainerRestartRules",
        act: drop_restart_rules,
    },
    Special {
        span: Span::minors(30, 36),
        gate: "PodLifecycleSleepAction",
        act: drop_sleep_action,
    },
    Special {
        span: Span::minors(31, NOW),
        gate: "ImageVolume",
        act: drop_image_volumes,
    },
    Special {
        span: Span::minors(33, NOW),
        gate: "ContainerStopSignals",
        act: drop_stop_signals,
    },
];

/// `dropDisabledFields` on a Pod or a Pod template, internal form.
pub(super) fn disabled_fields(mut pod: Mut<'_, '_>, gates: &Gates<'_>) {
    let release = release_of(&pod);
    if Span::minors(14, 30).contains(release) && is_disabled(gates, pod.look(), "AppArmor") {
        drop_app_armor_annotations(&mut pod);
    }
    if Span::since(37, 0).contains(release) {
        drop_init_container_annotations(&mut pod);
    }
    let mut spec = pod.get("Spec");
    for row in ROWS {
        let off = |gate: &&str| is_disabled(gates, spec.look(), gate);
        if row.span.contains(release) && (row.gates.is_empty() || row.gates.iter().any(off)) {
            for path in row.fields {
                clear(&mut spec, path);
            }
        }
    }
    for special in SPECIALS {
        if special.span.contains(release) && is_disabled(gates, spec.look(), special.gate) {
            (special.act)(&mut spec);
        }
    }
}

fn clear(object: &mut Mut<'_, '_>, path: &str) {
    if let Some(rest) = path.strip_prefix("*[].") {
        for_each_container(object, |mut container| clear(&mut container, rest));
        return;
    }
    match path.split_once("[].") {
        Some((list, rest)) => {
            for mut item in object.at(list).items() {
                clear(&mut item, rest);
            }
        }
        None => object.at(path).clear(),
    }
}

fn drop_app_armor_annotations(pod: &mut Mut<'_, '_>) {
    if let Some((_, Value::Map(annotations))) = pod.at("ObjectMeta.Annotations").into_parts() {
        annotations.retain(|(key, _)| {
            !key.as_str()
                .is_some_and(|key| key.starts_with(super::pod::APP_ARMOR_PREFIX))
        });
    }
}

/// In 1.37 this moved here from the conversion, which had nothing else left to do.
fn drop_init_container_annotations(pod: &mut Mut<'_, '_>) {
    for annotation in [
        "pod.beta.kubernetes.io/init-containers",
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-container-statuses",
    ] {
        pod.at("ObjectMeta.Annotations").remove(annotation);
    }
}

fn force_proc_mount(spec: &mut Mut<'_, '_>) {
    for_each_container(spec, |mut container| {
        container.at("SecurityContext.ProcMount").set_str("Default")
    });
}

/// Present stays present, lest objects that the releases above persisted look changed.
fn default_proc_mount(spec: &mut Mut<'_, '_>) {
    for_each_container(spec, |mut container| {
        let proc_mount = container.at("SecurityContext.ProcMount");
        if !proc_mount.look().is_nil() {
            proc_mount.set_str("Default");
        }
    });
}

/// Of a volume with several sources, which validation would refuse, only the first is looked at.
fn drop_volume_users(spec: &mut Mut<'_, '_>) {
    for mut volume in spec.get("Volumes").items() {
        let mut sources = volume.get("VolumeSource");
        let volume_sources = ["Secret", "ConfigMap", "DownwardAPI", "Projected"];
        let Some(mut source) = first_present(&mut sources, &volume_sources) else {
            continue;
        };
        clear(&mut source, "DefaultUser");
        clear(&mut source, "Items[].User");
        for mut projection in source.get("Sources").items() {
            let projections = [
                "Secret",
                "DownwardAPI",
                "ConfigMap",
                "ServiceAccountToken",
                "ClusterTrustBundle",
                "PodCertificate",
            ];
            if let Some(mut projected) = first_present(&mut projection, &projections) {
                clear(&mut projected, "Items[].User");
                clear(&mut projected, "User");
            }
        }
    }
}

fn first_present<'s, 'v>(object: &'v mut Mut<'s, '_>, fields: &[&str]) -> Option<Mut<'s, 'v>> {
    let present = fields
        .iter()
        .find(|field| !object.look().get(field).is_nil())?;
    Some(object.get(present))
}

/// A sidecar's `Always` is older than the feature and stays.
fn drop_restart_rules(spec: &mut Mut<'_, '_>) {
    for mut container in spec.get("InitContainers").items() {
        if container.get("RestartPolicy").look().str() != "Always" {
            container.get("RestartPolicy").clear();
        }
    }
    for mut container in spec.get("Containers").items() {
        container.get("RestartPolicy").clear();
    }
    for mut container in spec.get("EphemeralContainers").items() {
        container
            .at("EphemeralContainerCommon.RestartPolicy")
            .clear();
    }
    clear(spec, "*[].RestartPolicyRules");
}

/// From 1.30 on what is left empty by it goes too.
fn drop_sleep_action(spec: &mut Mut<'_, '_>) {
    for_each_container(spec, |mut container| {
        for hook in ["PreStop", "PostStart"] {
            let path = format!("Lifecycle.{hook}");
            let mut handler = container.at(&path);
            if handler.look().get("Sleep").is_nil() {
                continue;
            }
            handler.get("Sleep").clear();
            let is_empty = ["Exec", "HTTPGet", "TCPSocket"]
                .iter()
                .all(|action| handler.look().get(action).is_nil());
            if is_empty {
                handler.clear();
            }
        }
        drop_empty_lifecycle(&mut container);
    });
}

fn drop_stop_signals(spec: &mut Mut<'_, '_>) {
    for_each_container(spec, |mut container| {
        if !container.at("Lifecycle.StopSignal").look().is_nil() {
            container.at("Lifecycle.StopSignal").clear();
            drop_empty_lifecycle(&mut container);
        }
    });
}

fn drop_empty_lifecycle(container: &mut Mut<'_, '_>) {
    let mut lifecycle = container.get("Lifecycle");
    let is_empty = |lifecycle: Ref<'_, '_>| lifecycle.deref().is_zero();
    if is_empty(lifecycle.look()) {
        lifecycle.by_ref().clear();
    }
}

/// Image volumes go, and with them their mounts.
fn drop_image_volumes(spec: &mut Mut<'_, '_>) {
    let names: Vec<String> = spec
        .look()
        .get("Volumes")
        .items()
        .filter(|volume| !volume.at("VolumeSource.Image").is_nil())
        .map(|volume| volume.get("Name").str().to_owned())
        .collect();
    if names.is_empty() {
        return;
    }
    retain(spec.get("Volumes"), |volume| {
        volume.at("VolumeSource.Image").is_nil()
    });
    for_each_container(spec, |mut container| {
        retain(container.get("VolumeMounts"), |mount| {
            !names.iter().any(|name| name == mount.get("Name").str())
        });
    });
}

/// Keeps a list's elements for which `keep` says so; without any left the list is nil.
fn retain(list: Mut<'_, '_>, keep: impl Fn(Ref<'_, '_>) -> bool) {
    let schema = list.schema();
    let Some((ty, value)) = list.into_parts() else {
        return;
    };
    if let (Kind::Slice(elem), Value::Slice(items)) = (&schema[ty].kind, &mut *value) {
        items.retain(|item| keep(Ref::new(schema, *elem, item)));
        if items.is_empty() {
            *value = Value::Nil;
        }
    }
}

// ---- fields of one kind -------------------------------------------------------------------

/// The same for fields of the kind itself, from the object.
struct KindRow {
    span: Span,
    kinds: &'static [&'static str],
    gate: &'static str,
    fields: &'static [&'static str],
}

const fn kind_row(
    first: u16,
    last: u16,
    kinds: &'static [&'static str],
    gate: &'static str,
    fields: &'static [&'static str],
) -> KindRow {
    KindRow {
        span: Span::minors(first, last),
        kinds,
        gate,
        fields,
    }
}

const KIND_ROWS: &[KindRow] = &[
    kind_row(
        12,
        22,
        &["Job"],
        "TTLAfterFinished",
        &["Spec.TTLSecondsAfterFinished"],
    ),
    kind_row(21, 23, &["Job"], "IndexedJob", &["Spec.CompletionMode"]),
    kind_row(21, 23, &["Job"], "SuspendJob", &["Spec.Suspend"]),
    kind_row(
        21,
        24,
        &["DaemonSet"],
        "DaemonSetUpdateSurge",
        &["Spec.UpdateStrategy.RollingUpdate.MaxSurge"],
    ),
    kind_row(
        22,
        24,
        &["StatefulSet"],
        "StatefulSetMinReadySeconds",
        &["Spec.MinReadySeconds"],
    ),
    kind_row(
        23,
        34,
        &["StatefulSet"],
        "StatefulSetAutoDeletePVC",
        &["Spec.PersistentVolumeClaimRetentionPolicy"],
    ),
    kind_row(
        24,
        NOW,
        &["StatefulSet"],
        "MaxUnavailableStatefulSet",
        &["Spec.UpdateStrategy.RollingUpdate.MaxUnavailable"],
    ),
    kind_row(24, 26, &["CronJob"], "CronJobTimeZone", &["Spec.TimeZone"]),
    kind_row(
        25,
        30,
        &["Job"],
        "JobPodFailurePolicy",
        &["Spec.PodFailurePolicy"],
    ),
    kind_row(
        26,
        33,
        &["StatefulSet"],
        "StatefulSetStartOrdinal",
        &["Spec.Ordinals"],
    ),
    kind_row(
        28,
        36,
        &["Job"],
        "JobBackoffLimitPerIndex",
        &["Spec.BackoffLimitPerIndex", "Spec.MaxFailedIndexes"],
    ),
    kind_row(
        28,
        36,
        &["Job"],
        "JobPodReplacementPolicy",
        &["Spec.PodReplacementPolicy"],
    ),
    kind_row(30, NOW, &["Job"], "JobManagedBy", &["Spec.ManagedBy"]),
    kind_row(
        30,
        36,
        &["Job"],
        "JobSuccessPolicy",
        &["Spec.SuccessPolicy"],
    ),
    kind_row(37, NOW, &["Job"], "WorkloadWithJob", &["Spec.Scheduling"]),
    kind_row(
        37,
        NOW,
        &["CronJob"],
        "WorkloadWithJob",
        &["Spec.JobTemplate.Spec.Scheduling"],
    ),
];

/// What a kind's own strategy drops.
pub(super) fn disabled_workload_fields(object: &mut Mut<'_, '_>, kind: &str, gates: &Gates<'_>) {
    let release = release_of(object);
    for row in KIND_ROWS {
        if row.span.contains(release)
            && row.kinds.contains(&kind)
            && is_disabled(gates, object.look(), row.gate)
        {
            for path in row.fields {
                clear(object, path);
            }
        }
    }
}
