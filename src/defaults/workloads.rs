//! Defaults of ReplicationControllers, ReplicaSets, Deployments, DaemonSets and StatefulSets, in
//! each of their API versions.
//!
//! Mirrors `SetDefaults_<Kind>` in `pkg/api/v1` and later `pkg/apis/core/v1`,
//! `pkg/apis/extensions/v1beta1` and `pkg/apis/apps/{v1alpha1,v1beta1,v1beta2,v1}`, each in
//! `defaults.go`. What an API version defaults differently is a row of its own; from
//! `apps/v1beta2` on labels and selectors are no longer taken from the template.

use super::Preset::{Empty, Int, Number, Str, Text};
use super::{Defaults, Preset, call, unset};
use crate::gates::Gates;
use crate::release::Span;
use crate::schema::Kind;
use crate::value::{Mut, Value};

/// `math.MaxInt32`, which these fields take for "not set".
const NO_LIMIT: i64 = i32::MAX as i64;

pub(super) const DEFAULTS: &[Defaults] = &[
    // ---- v1 --------------------------------------------------------------------------------
    Defaults {
        of: "core/v1.ReplicationController",
        rules: &[
            call(default_selector),
            call(default_labels),
            unset("Spec.Replicas", Int(1)),
        ],
    },
    Defaults {
        of: "core/v1.Endpoints",
        rules: &[call(default_port_protocols)],
    },
    // ---- extensions/v1beta1 ----------------------------------------------------------------
    Defaults {
        of: "extensions/v1beta1.ReplicaSet",
        rules: &[
            call(default_selector),
            call(default_labels),
            unset("Spec.Replicas", Int(1)),
        ],
    },
    Defaults {
        of: "extensions/v1beta1.Deployment",
        rules: &[
            call(default_selector),
            call(default_labels),
            unset("Spec.Replicas", Int(1)),
            unset("Spec.Strategy.Type", Str("RollingUpdate")),
            call(default_rolling_update_by_one),
            // From 1.5 on a Recreate strategy's stray parameters are completed, too.
            call(default_stray_rolling_update).since(5),
            unset(
                "Spec.UniqueLabelKey",
                Str("deployment.kubernetes.io/podTemplateHash"),
            )
            .until(1),
            unset("Spec.ProgressDeadlineSeconds", Int(NO_LIMIT)).in_span(Span::since(11, 7)),
            unset("Spec.RevisionHistoryLimit", Int(NO_LIMIT)).since(13),
        ],
    },
    Defaults {
        of: "extensions/v1beta1.DaemonSet",
        rules: &[
            call(default_selector),
            call(default_labels),
            unset("Spec.UpdateStrategy.Type", Str("OnDelete")).since(6),
            call(default_daemon_set_rolling_update).since(6),
            unset("Spec.RevisionHistoryLimit", Int(10)),
        ],
    },
    // ---- apps/v1alpha1 ---------------------------------------------------------------------
    Defaults {
        of: "apps/v1alpha1.PetSet",
        rules: &[
            call(default_selector),
            call(default_labels),
            unset("Spec.Replicas", Int(1)),
        ],
    },
    // ---- apps/v1beta1 ----------------------------------------------------------------------
    Defaults {
        of: "apps/v1beta1.Deployment",
        rules: &[
            call(default_selector),
            call(default_labels),
            unset("Spec.Replicas", Int(1)),
            unset("Spec.Strategy.Type", Str("RollingUpdate")),
            call(default_rolling_update_by_quarter),
            unset("Spec.RevisionHistoryLimit", Int(2)),
            unset("Spec.ProgressDeadlineSeconds", Int(600)),
        ],
    },
    Defaults {
        of: "apps/v1beta1.StatefulSet",
        rules: &[
            unset("Spec.PodManagementPolicy", Str("OrderedReady")),
            unset("Spec.UpdateStrategy.Type", Str("OnDelete")),
            call(default_selector),
            call(default_labels),
            call(default_claim_retention)
                .gate("StatefulSetAutoDeletePVC")
                .minors(23, 34),
            call(default_claim_retention).since(35),
            unset("Spec.Replicas", Int(1)),
            unset("Spec.RevisionHistoryLimit", Int(10)),
            call(default_partition),
            call(default_max_unavailable)
                .gate("MaxUnavailableStatefulSet")
                .since(24),
        ],
    },
    // ---- apps/v1beta2 ----------------------------------------------------------------------
    Defaults {
        of: "apps/v1beta2.ReplicaSet",
        rules: &[unset("Spec.Replicas", Int(1))],
    },
    Defaults {
        of: "apps/v1beta2.Deployment",
        rules: &[
            unset("Spec.Replicas", Int(1)),
            unset("Spec.Strategy.Type", Str("RollingUpdate")),
            call(default_rolling_update_by_quarter),
            unset("Spec.RevisionHistoryLimit", Int(10)),
            unset("Spec.ProgressDeadlineSeconds", Int(600)),
        ],
    },
    Defaults {
        of: "apps/v1beta2.DaemonSet",
        rules: &[
            unset("Spec.UpdateStrategy.Type", Str("RollingUpdate")),
            call(default_daemon_set_rolling_update),
            unset("Spec.RevisionHistoryLimit", Int(10)),
        ],
    },
    Defaults {
        of: "apps/v1beta2.StatefulSet",
        rules: &[
            unset("Spec.PodManagementPolicy", Str("OrderedReady")),
            call(default_update_strategy_afresh).until(23),
            call(default_update_strategy).since(24),
            call(default_partition),
            call(default_max_unavailable)
                .gate("MaxUnavailableStatefulSet")
                .since(24),
            call(default_claim_retention)
                .gate("StatefulSetAutoDeletePVC")
                .minors(23, 34),
            call(default_claim_retention).since(35),
            unset("Spec.Replicas", Int(1)),
            unset("Spec.RevisionHistoryLimit", Int(10)),
        ],
    },
    // ---- apps/v1 ---------------------------------------------------------------------------
    Defaults {
        of: "apps/v1.ReplicaSet",
        rules: &[unset("Spec.Replicas", Int(1))],
    },
    Defaults {
        of: "apps/v1.Deployment",
        rules: &[
            unset("Spec.Replicas", Int(1)),
            unset("Spec.Strategy.Type", Str("RollingUpdate")),
            call(default_rolling_update_by_quarter),
            unset("Spec.RevisionHistoryLimit", Int(10)),
            unset("Spec.ProgressDeadlineSeconds", Int(600)),
        ],
    },
    Defaults {
        of: "apps/v1.DaemonSet",
        rules: &[
            unset("Spec.UpdateStrategy.Type", Str("RollingUpdate")),
            call(default_daemon_set_rolling_update),
            unset("Spec.RevisionHistoryLimit", Int(10)),
        ],
    },
    Defaults {
        of: "apps/v1.StatefulSet",
        rules: &[
            unset("Spec.PodManagementPolicy", Str("OrderedReady")),
            call(default_update_strategy_afresh).until(18),
            call(default_update_strategy).since(19),
            call(default_partition),
            call(default_max_unavailable)
                .gate("MaxUnavailableStatefulSet")
                .since(24),
            call(default_claim_retention)
                .gate("StatefulSetAutoDeletePVC")
                .minors(23, 34),
            call(default_claim_retention).since(35),
            unset("Spec.Replicas", Int(1)),
            unset("Spec.RevisionHistoryLimit", Int(10)),
        ],
    },
];

/// The template's labels select the Pods where no selector is set.
pub(super) fn default_selector(object: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let Some(labels) = template_labels(object) else {
        return;
    };
    let mut selector = object.at("Spec.Selector");
    let Some(ty) = selector.ty() else {
        return;
    };
    if matches!(selector.schema()[ty].kind, Kind::Map(..)) {
        // v1 and, in 1.1, extensions/v1beta1: a plain map, whose emptiness counts as absence.
        if selector.look().is_empty() {
            selector.set(labels);
        }
    } else if selector.look().is_nil() {
        selector.by_ref().make().get("MatchLabels").set(labels);
    }
}

/// The template's labels become the object's where it has none.
pub(super) fn default_labels(object: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let labels = template_labels(object);
    if let Some(labels) = labels
        && object.look().at("ObjectMeta.Labels").is_empty()
    {
        object.at("ObjectMeta.Labels").set(labels);
    }
}

/// `SetDefaults_Endpoints` (in 1.1 and 1.2 without a name).
fn default_port_protocols(endpoints: &mut Mut<'_, '_>, _: &Gates<'_>) {
    for mut subset in endpoints.get("Subsets").items() {
        for mut port in subset.get("Ports").items() {
            Str("TCP").fill(port.get("Protocol"));
        }
    }
}

/// `None` for nil; an empty map is handed on as such.
fn template_labels(object: &Mut<'_, '_>) -> Option<Value> {
    match object.look().at("Spec.Template.ObjectMeta.Labels").parts() {
        None | Some((_, Value::Nil)) => None,
        Some((_, labels)) => Some(labels.clone()),
    }
}

fn default_rolling_update_by_one(deployment: &mut Mut<'_, '_>, _: &Gates<'_>) {
    default_rolling_update(deployment.at("Spec.Strategy"), Number(1), Number(1));
}

fn default_rolling_update_by_quarter(deployment: &mut Mut<'_, '_>, _: &Gates<'_>) {
    default_rolling_update(deployment.at("Spec.Strategy"), Text("25%"), Text("25%"));
}

fn default_daemon_set_rolling_update(daemon_set: &mut Mut<'_, '_>, _: &Gates<'_>) {
    // `maxSurge` came in 1.21.
    default_rolling_update(daemon_set.at("Spec.UpdateStrategy"), Number(1), Number(0));
}

fn default_rolling_update(mut strategy: Mut<'_, '_>, max_unavailable: Preset, max_surge: Preset) {
    if strategy.look().get("Type").str() == "RollingUpdate" {
        let mut rolling_update = strategy.get("RollingUpdate").make();
        max_unavailable.fill(rolling_update.get("MaxUnavailable"));
        max_surge.fill(rolling_update.get("MaxSurge"));
    }
}

fn default_stray_rolling_update(deployment: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let mut rolling_update = deployment.at("Spec.Strategy.RollingUpdate").deref();
    Number(1).fill(rolling_update.get("MaxUnavailable"));
    Number(1).fill(rolling_update.get("MaxSurge"));
}

/// The update strategy is RollingUpdate; parameters that stood without a type are kept.
fn default_update_strategy(stateful_set: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let mut strategy = stateful_set.at("Spec.UpdateStrategy");
    if strategy.look().get("Type").str().is_empty() {
        strategy.get("Type").set_str("RollingUpdate");
        Empty.fill(strategy.get("RollingUpdate"));
    }
}

/// As [`default_update_strategy`], but a partition that stood without a type is lost (apps/v1
/// before 1.19, apps/v1beta2 before 1.24).
fn default_update_strategy_afresh(stateful_set: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    if stateful_set
        .look()
        .at("Spec.UpdateStrategy.Type")
        .str()
        .is_empty()
    {
        stateful_set.at("Spec.UpdateStrategy.RollingUpdate").clear();
        default_update_strategy(stateful_set, gates);
    }
}

fn default_partition(stateful_set: &mut Mut<'_, '_>, _: &Gates<'_>) {
    Int(0).fill(rolling_update_parameters(stateful_set).get("Partition"));
}

fn default_max_unavailable(stateful_set: &mut Mut<'_, '_>, _: &Gates<'_>) {
    Number(1).fill(rolling_update_parameters(stateful_set).get("MaxUnavailable"));
}

/// `spec.updateStrategy.rollingUpdate` where the type is RollingUpdate and it is set.
fn rolling_update_parameters<'a>(stateful_set: &'a mut Mut<'_, '_>) -> Mut<'a, 'a> {
    let rolls = stateful_set.look().at("Spec.UpdateStrategy.Type").str() == "RollingUpdate";
    stateful_set
        .at(if rolls {
            "Spec.UpdateStrategy.RollingUpdate"
        } else {
            ""
        })
        .deref()
}

/// Claims are kept when a StatefulSet is deleted or shrunk.
fn default_claim_retention(stateful_set: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let mut policy = stateful_set
        .at("Spec.PersistentVolumeClaimRetentionPolicy")
        .make();
    Str("Retain").fill(policy.get("WhenDeleted"));
    Str("Retain").fill(policy.get("WhenScaled"));
}
