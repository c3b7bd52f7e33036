//! What the server fills in for a new Pod.
//!
//! Mirrors `pkg/registry/core/pod/strategy.go` (`pkg/registry/pod/strategy.go` until 1.4).

use crate::gates::Gates;
use crate::release::Span;
use crate::value::{Mut, Ref};

use super::{for_each_container, is_disabled, qos, release_of, resources};

pub(super) const APP_ARMOR_PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_PREFIX: &str = "container.seccomp.security.alpha.kubernetes.io/";
const LOCALHOST: &str = "localhost/";

/// Releases whose `GetPodQOS` believes the class that it finds in the status, and asks it while
/// the new status is made: so a user can set it after all.
const KEEPS_CLASS: Span = Span::minors(29, 36);

/// `pod.Status = api.PodStatus{}`; other kinds' statuses have no class.
pub(super) fn reset_status(mut status: Mut<'_, '_>) {
    let class = status.get("QOSClass").take();
    let keeps_class = KEEPS_CLASS.contains(release_of(&status));
    status.by_ref().clear();
    if let Some(class) = class.filter(|_| keeps_class) {
        status.get("QOSClass").set(class);
    }
}

/// Everything that `PrepareForCreate` does to the status, and after the fields of disabled features are gone.
pub(super) fn finish(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    let release = release_of(pod);
    pod.at("Status.Phase").set_str("Pending");
    if Span::minors(19, 26).contains(release) {
        apply_seccomp_version_skew(pod);
    }
    if Span::since(26, 0).contains(release) {
        apply_scheduling_gated_condition(pod);
    }
    if Span::since(29, 0).contains(release) {
        mutate_pod_affinity(pod, gates);
    }
    if Span::since(34, 0).contains(release) {
        mutate_topology_spread_constraints(pod, gates);
    }
    if Span::since(30, 0).contains(release) {
        apply_app_armor_version_skew(pod, gates);
    }
    if Span::since(37, 0).contains(release) {
        resources::default_pod_level_resources(pod, gates);
    }
    if Span::since(6, 0).contains(release) && pod.at("Status.QOSClass").look().str().is_empty() {
        let class = qos::of(pod.look(), gates);
        pod.at("Status.QOSClass").set_str(class);
    }
}

// ---- scheduling ---------------------------------------------------------------------------

/// `applyWaitingForSchedulingGatesCondition`, from 1.30 on `applySchedulingGatedCondition`. The
/// time that newer releases write into the condition stays empty: it is not the object's.
fn apply_scheduling_gated_condition(pod: &mut Mut<'_, '_>) {
    if pod.at("Spec.SchedulingGates").look().is_empty() {
        return;
    }
    let mut condition = pod.at("Status.Conditions").push();
    condition.get("Type").set_str("PodScheduled");
    condition.get("Status").set_str("False");
    condition.get("Reason").set_str("SchedulingGated");
    condition
        .get("Message")
        .set_str("Scheduling is blocked due to non-empty scheduling gates");
}

/// Label keys whose values the Pod's own labels give become part of the selectors.
fn mutate_pod_affinity(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    if is_disabled(gates, pod.look(), "MatchLabelKeysInPodAffinity") {
        return;
    }
    let labels = labels_of(pod);
    for affinity in ["Spec.Affinity.PodAffinity", "Spec.Affinity.PodAntiAffinity"] {
        let mut affinity = pod.at(affinity);
        for mut term in affinity
            .get("PreferredDuringSchedulingIgnoredDuringExecution")
            .items()
        {
            apply_label_keys(&mut term.get("PodAffinityTerm"), &labels);
        }
        for mut term in affinity
            .get("RequiredDuringSchedulingIgnoredDuringExecution")
            .items()
        {
            apply_label_keys(&mut term, &labels);
        }
    }
}

fn mutate_topology_spread_constraints(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    let off = |gate| is_disabled(gates, pod.look(), gate);
    if off("MatchLabelKeysInPodTopologySpread")
        || off("MatchLabelKeysInPodTopologySpreadSelectorMerge")
    {
        return;
    }
    let labels = labels_of(pod);
    for mut constraint in pod.at("Spec.TopologySpreadConstraints").items() {
        apply_label_keys(&mut constraint, &labels);
    }
}

fn labels_of(pod: &Mut<'_, '_>) -> Vec<(String, String)> {
    let labels = pod.look().at("ObjectMeta.Labels");
    labels
        .entries()
        .map(|(key, value)| (key.to_owned(), value.str().to_owned()))
        .collect()
}

/// `applyMatchLabelKeysAndMismatchLabelKeys`, `applyMatchLabelKeys`: without a selector nothing
/// matches anyway.
fn apply_label_keys(term: &mut Mut<'_, '_>, labels: &[(String, String)]) {
    if term.get("LabelSelector").look().is_nil() {
        return;
    }
    for (field, operator) in [("MatchLabelKeys", "In"), ("MismatchLabelKeys", "NotIn")] {
        let keys: Vec<String> = term
            .look()
            .get(field)
            .items()
            .map(|key| key.str().to_owned())
            .collect();
        for key in keys {
            if let Some((_, value)) = labels.iter().find(|(label, _)| *label == key) {
                let mut requirement = term.at("LabelSelector.MatchExpressions").push();
                requirement.get("Key").set_str(&key);
                requirement.get("Operator").set_str(operator);
                requirement.get("Values").push().set_str(value);
            }
        }
    }
}

// ---- seccomp ------------------------------------------------------------------------------

/// Until 1.24 fields were written as annotations too, for older kubelets.
const SECCOMP_WRITES_ANNOTATIONS: Span = Span::minors(19, 24);

/// `applySeccompVersionSkew`: annotation and field follow each other.
fn apply_seccomp_version_skew(pod: &mut Mut<'_, '_>) {
    let writes = SECCOMP_WRITES_ANNOTATIONS.contains(release_of(pod));
    let mut annotations = Annotations::of(pod);
    sync_seccomp(
        pod.at("Spec.SecurityContext"),
        &mut annotations,
        SECCOMP_POD,
        writes,
    );
    for_each_container(&mut pod.get("Spec"), |mut container| {
        let key = format!("{SECCOMP_PREFIX}{}", container.look().get("Name").str());
        sync_seccomp(
            container.get("SecurityContext"),
            &mut annotations,
            &key,
            writes,
        );
    });
    annotations.write(pod);
}

fn sync_seccomp(
    security_context: Mut<'_, '_>,
    annotations: &mut Annotations,
    key: &str,
    writes: bool,
) {
    let profile = security_context.look().get("SeccompProfile");
    match annotations.get(key) {
        None if writes && !profile.is_nil() => {
            if let Some(text) = profile_annotation(profile) {
                annotations.add(key, text);
            }
        }
        Some(text) if profile.is_nil() => {
            let profile = match text {
                "docker/default" => Some(("RuntimeDefault", None)),
                text => profile_of_annotation(text),
            };
            if let Some(profile) = profile {
                set_profile(
                    security_context.make().get("SeccompProfile").make(),
                    profile,
                );
            }
        }
        _ => {}
    }
}

/// What the text of an annotation means: the profile's type and its name on the node.
fn profile_of_annotation(text: &str) -> Option<(&'static str, Option<&str>)> {
    match text {
        "unconfined" => Some(("Unconfined", None)),
        "runtime/default" => Some(("RuntimeDefault", None)),
        text => {
            let name = text.strip_prefix(LOCALHOST)?;
            (!name.is_empty()).then_some(("Localhost", Some(name)))
        }
    }
}

fn set_profile(mut profile: Mut<'_, '_>, (ty, name): (&str, Option<&str>)) {
    profile.get("Type").set_str(ty);
    if let Some(name) = name {
        profile.get("LocalhostProfile").set_str(name);
    }
}

/// The other way round; nothing for a `Localhost` without a name or an unknown type.
fn profile_annotation(profile: Ref<'_, '_>) -> Option<String> {
    match profile.get("Type").str() {
        "Unconfined" => Some("unconfined".to_owned()),
        "RuntimeDefault" => Some("runtime/default".to_owned()),
        "Localhost" if !profile.get("LocalhostProfile").is_nil() => Some(format!(
            "{LOCALHOST}{}",
            profile.get("LocalhostProfile").str()
        )),
        _ => None,
    }
}

// ---- AppArmor -----------------------------------------------------------------------------

/// Until 1.33 fields were written as annotations too, for older kubelets.
const APP_ARMOR_WRITES_ANNOTATIONS: Span = Span::minors(30, 33);

/// `applyAppArmorVersionSkew`
fn apply_app_armor_version_skew(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    if is_disabled(gates, pod.look(), "AppArmorFields")
        || pod.look().at("Spec.OS.Name").str() == "windows"
    {
        return;
    }
    let writes = APP_ARMOR_WRITES_ANNOTATIONS.contains(release_of(pod));
    let of_pod = pod.look().at("Spec.SecurityContext.AppArmorProfile");
    let text_of_pod = profile_annotation(of_pod);
    let of_pod = (!of_pod.is_nil()).then(|| {
        let name = of_pod.get("LocalhostProfile");
        (
            of_pod.get("Type").str().to_owned(),
            (!name.is_nil()).then(|| name.str().to_owned()),
        )
    });
    let mut annotations = Annotations::of(pod);
    for_each_container(&mut pod.get("Spec"), |mut container| {
        let key = format!("{APP_ARMOR_PREFIX}{}", container.look().get("Name").str());
        let security_context = container.get("SecurityContext");
        let profile = security_context.look().get("AppArmorProfile");
        match annotations.get(&key) {
            None if writes => {
                let own = profile_annotation(profile);
                if let Some(text) = if profile.is_nil() {
                    text_of_pod.clone()
                } else {
                    own
                } {
                    annotations.add(&key, text);
                }
            }
            Some(text) if profile.is_nil() => {
                let said = profile_of_annotation(text)
                    .filter(|(_, name)| name.is_none_or(is_valid_profile));
                // A container that says the same as its Pod gets no field.
                let same = of_pod.as_ref().map(|(ty, name)| (&**ty, name.as_deref())) == said;
                if let Some(profile) = said.filter(|_| !same) {
                    set_profile(
                        security_context.make().get("AppArmorProfile").make(),
                        profile,
                    );
                }
            }
            _ => {}
        }
    });
    annotations.write(pod);
}

/// `ValidateAppArmorProfileField` on a name that is not empty.
fn is_valid_profile(name: &str) -> bool {
    name.trim() == name && name.len() <= 4095
}

/// A Pod's annotations while its containers are visited, which may add some.
struct Annotations {
    all: Vec<(String, String)>,
    old: usize,
}

impl Annotations {
    fn of(pod: &Mut<'_, '_>) -> Annotations {
        let annotations = pod.look().at("ObjectMeta.Annotations");
        let all: Vec<_> = annotations
            .entries()
            .map(|(key, value)| (key.to_owned(), value.str().to_owned()))
            .collect();
        Annotations {
            old: all.len(),
            all,
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.all
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| &**value)
    }

    fn add(&mut self, key: &str, value: String) {
        self.all.push((key.to_owned(), value));
    }

    fn write(self, pod: &mut Mut<'_, '_>) {
        for (key, value) in &self.all[self.old..] {
            pod.at("ObjectMeta.Annotations").insert(key).set_str(value);
        }
    }
}
