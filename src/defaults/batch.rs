//! Defaults of Jobs and CronJobs (ScheduledJobs until 1.4), in each of their API versions.
//!
//! Mirrors `SetDefaults_Job` in `pkg/apis/extensions/v1beta1` (1.1–1.5) and
//! `pkg/apis/batch/{v1,v2alpha1}`, and `SetDefaults_CronJob` in
//! `pkg/apis/batch/{v2alpha1,v1beta1,v1}`, each in `defaults.go`. A CronJob's job template gets
//! the Pod template's defaults, but none of a Job's.

use super::Preset::{Bool, Int, Str};
use super::workloads::{default_labels, default_selector};
use super::{Defaults, call, unset};
use crate::gates::Gates;
use crate::value::Mut;

pub(super) const DEFAULTS: &[Defaults] = &[
    Defaults {
        of: "extensions/v1beta1.Job",
        rules: &[
            call(default_selector).until(1),
            call(default_manual_selector).since(2),
            call(default_labels),
            // In 1.1 a Job without completions has one, and as many Pods at once as completions.
            unset("Spec.Completions", Int(1)).until(1),
            call(default_parallelism_to_completions).until(1),
            call(default_completions_and_parallelism).since(2),
        ],
    },
    Defaults {
        of: "batch/v1.Job",
        rules: &[
            call(default_completions_and_parallelism),
            call(default_backoff_limit),
            call(default_labels).since(5),
            unset("Spec.CompletionMode", Str("NonIndexed"))
                .gate("IndexedJob")
                .minors(21, 23),
            unset("Spec.CompletionMode", Str("NonIndexed")).since(24),
            unset("Spec.Suspend", Bool(false))
                .gate("SuspendJob")
                .minors(21, 23),
            unset("Spec.Suspend", Bool(false)).since(24),
            call(default_pod_condition_status).minors(25, 33),
            call(default_pod_replacement_policy)
                .gate("JobPodReplacementPolicy")
                .minors(28, 36),
            call(default_pod_replacement_policy).since(37),
            unset("Spec.ManualSelector", Bool(false)).since(29),
        ],
    },
    // From 1.34 on the type has a function of its own, so that CronJobs have the default, too.
    Defaults {
        of: "batch/v1.PodFailurePolicyOnPodConditionsPattern",
        rules: &[unset("Status", Str("True")).since(34)],
    },
    Defaults {
        of: "batch/v2alpha1.Job",
        rules: &[
            call(default_completions_and_parallelism),
            call(default_labels).since(5),
        ],
    },
    Defaults {
        of: "batch/v2alpha1.ScheduledJob",
        rules: &[
            unset("Spec.ConcurrencyPolicy", Str("Allow")),
            unset("Spec.Suspend", Bool(false)).since(4),
        ],
    },
    Defaults {
        of: "batch/v2alpha1.CronJob",
        rules: &[
            unset("Spec.ConcurrencyPolicy", Str("Allow")),
            unset("Spec.Suspend", Bool(false)),
        ],
    },
    Defaults {
        of: "batch/v1beta1.CronJob",
        rules: CRON_JOB,
    },
    Defaults {
        of: "batch/v1.CronJob",
        rules: CRON_JOB,
    },
];

const CRON_JOB: &[super::Rule] = &[
    unset("Spec.ConcurrencyPolicy", Str("Allow")),
    unset("Spec.Suspend", Bool(false)),
    unset("Spec.SuccessfulJobsHistoryLimit", Int(3)),
    unset("Spec.FailedJobsHistoryLimit", Int(1)),
];

/// A Job that does not ask for a generated selector gets the template's labels.
fn default_manual_selector(job: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    if !job.look().at("Spec.AutoSelector").is_true() {
        default_selector(job, gates);
    }
}

fn default_parallelism_to_completions(job: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let completions = job.look().at("Spec.Completions").int();
    if job.look().at("Spec.Parallelism").is_nil() {
        job.at("Spec.Parallelism").set_int(completions);
    }
}

/// Both unset: one and one. A Job with some parallelism may leave its completions open.
fn default_completions_and_parallelism(job: &mut Mut<'_, '_>, _: &Gates<'_>) {
    if job.look().at("Spec.Parallelism").is_nil() {
        Int(1).fill(job.at("Spec.Completions"));
    }
    Int(1).fill(job.at("Spec.Parallelism"));
}

/// Six, or no limit where each index has its own (1.28 on).
fn default_backoff_limit(job: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let per_index = !job.look().at("Spec.BackoffLimitPerIndex").is_nil();
    let limit = if per_index { i64::from(i32::MAX) } else { 6 };
    Int(limit).fill(job.at("Spec.BackoffLimit"));
}

fn default_pod_condition_status(job: &mut Mut<'_, '_>, _: &Gates<'_>) {
    for mut rule in job.at("Spec.PodFailurePolicy.Rules").items() {
        for mut pattern in rule.get("OnPodConditions").items() {
            Str("True").fill(pattern.get("Status"));
        }
    }
}

/// Only failed Pods are replaced where a failure policy has to see them first.
fn default_pod_replacement_policy(job: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let policy = match job.look().at("Spec.PodFailurePolicy").is_nil() {
        true => "TerminatingOrFailed",
        false => "Failed",
    };
    Str(policy).fill(job.at("Spec.PodReplacementPolicy"));
}
