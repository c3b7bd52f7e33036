//! The service account's mount, which admission adds to a new Pod.
//!
//! In: an internal Pod on its way into the API server, between conversion and
//! [`strategy`](crate::strategy). Out: the same Pod with the token's volume and a mount of it in
//! its containers. Without it no container of a Pod made from a workload's manifest would have the
//! hash that a kubelet computes.
//!
//! Mirrors `Admit` and `mountServiceAccountToken` in
//! `plugin/pkg/admission/serviceaccount/admission.go`, for a service account that exists and has
//! one token. The random part of a volume's name is `00000` here; the real one never shows in a
//! hash that can be predicted at all.

use crate::gates::Gates;
use crate::release::{Release, Span};
use crate::value::{Mut, Ref};

const MOUNT_PATH: &str = "/var/run/secrets/kubernetes.io/serviceaccount";
const RANDOM: &str = "00000";
const BOUND: &str = "kube-api-access-";

/// The lists of containers that get the mount; ephemeral containers never do.
const LISTS: &[(Span, &str)] = &[
    (Span::since(3, 0), "InitContainers"),
    (Span::ALL, "Containers"),
];

/// Before, a token that expires needed a gate.
const ALWAYS_BOUND: Span = Span::since(22, 0);
/// A dot in the secret's name became a dash in the volume's.
const DOTS_BECOME_DASHES: Span = Span::since(19, 0);
/// The mode that defaulting would write anyway.
const WRITES_MODE: Span = Span::since(23, 0);
/// An hour, until 1.18; then seven seconds more, by which such tokens are told.
const EXPIRATIONS: &[(Span, i64)] = &[
    (Span::until(18, u16::MAX), 3600),
    (Span::since(19, 0), 3607),
];

/// Adds volume and mounts to an internal Pod.
pub fn mount_service_account_token(pod: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    let release = pod.schema().release();
    // A mirror Pod is only a picture of one that runs already.
    if pod
        .look()
        .at("ObjectMeta.Annotations")
        .entry("kubernetes.io/config.mirror")
        .exists()
    {
        return;
    }
    if pod.look().at("Spec.ServiceAccountName").str().is_empty() {
        pod.at("Spec.ServiceAccountName").set_str("default");
        // The internal Pod has the alias from 1.37 on.
        pod.at("Spec.DeprecatedServiceAccount").set_str("default");
    }
    let automount = pod.look().at("Spec.AutomountServiceAccountToken");
    if !automount.is_nil() && !automount.is_true() {
        return;
    }
    let token = Token::of(pod.look(), release, gates);
    let (volume_name, has_volume) = token.volume_name(pod.look(), release);

    let mut mounted = false;
    for (_, list) in LISTS.iter().filter(|(span, _)| span.contains(release)) {
        for mut container in pod.get("Spec").get(list).items() {
            let mut mounts = container.get("VolumeMounts");
            if mounts
                .look()
                .items()
                .any(|mount| mount.get("MountPath").str() == MOUNT_PATH)
            {
                continue;
            }
            let mut mount = mounts.by_ref().push();
            mount.get("Name").set_str(&volume_name);
            mount.get("ReadOnly").set_bool(true);
            mount.get("MountPath").set_str(MOUNT_PATH);
            mounted = true;
        }
    }
    if mounted && !has_volume {
        let mut volume = pod.at("Spec.Volumes").push();
        volume.get("Name").set_str(&volume_name);
        let mut source = volume.get("VolumeSource");
        match &token {
            Token::Secret(name) => source.get("Secret").make().get("SecretName").set_str(name),
            Token::Bound => fill_projected(source.get("Projected").make(), release),
        }
    }
}

/// How the token comes into the container.
enum Token {
    /// From a secret of this name, which the token controller made.
    Secret(String),
    /// From a projected volume, bound to the Pod.
    Bound,
}

impl Token {
    fn of(pod: Ref<'_, '_>, release: Release, gates: &Gates<'_>) -> Token {
        if ALWAYS_BOUND.contains(release) || gates.enabled("BoundServiceAccountTokenVolume") {
            Token::Bound
        } else {
            Token::Secret(format!(
                "{}-token-{RANDOM}",
                pod.at("Spec.ServiceAccountName").str()
            ))
        }
    }

    /// The volume's name, and whether the Pod has it already.
    fn volume_name(&self, pod: Ref<'_, '_>, release: Release) -> (String, bool) {
        let is_the_token = |volume: &Ref<'_, '_>| match self {
            Token::Secret(name) => volume.at("VolumeSource.Secret.SecretName").str() == name,
            Token::Bound => volume.get("Name").str().starts_with(BOUND),
        };
        let mut volumes = pod.at("Spec.Volumes").items();
        if let Some(volume) = volumes.find(is_the_token) {
            return (volume.get("Name").str().to_owned(), true);
        }
        let name = match self {
            Token::Bound => format!("{BOUND}{RANDOM}"),
            Token::Secret(secret) => {
                let name = if DOTS_BECOME_DASHES.contains(release) {
                    secret.replace('.', "-")
                } else {
                    secret.clone()
                };
                let taken = pod
                    .at("Spec.Volumes")
                    .items()
                    .any(|volume| volume.get("Name").str() == name);
                if taken {
                    format!("{name}-{RANDOM}")
                } else {
                    name
                }
            }
        };
        (name, false)
    }
}

/// `TokenVolumeSource`
fn fill_projected(mut projected: Mut<'_, '_>, release: Release) {
    if WRITES_MODE.contains(release) {
        projected.get("DefaultMode").set_int(0o644);
    }
    let expiration = EXPIRATIONS
        .iter()
        .find(|(span, _)| span.contains(release))
        .map_or(3607, |(_, seconds)| *seconds);
    let mut sources = projected.get("Sources");
    let mut source = sources.by_ref().push();
    let mut token = source.get("ServiceAccountToken").make();
    token.get("Path").set_str("token");
    token.get("ExpirationSeconds").set_int(expiration);

    let mut source = sources.by_ref().push();
    let mut config_map = source.get("ConfigMap").make();
    config_map
        .at("LocalObjectReference.Name")
        .set_str("kube-root-ca.crt");
    let mut item = config_map.get("Items").push();
    item.get("Key").set_str("ca.crt");
    item.get("Path").set_str("ca.crt");

    let mut source = sources.by_ref().push();
    let mut downward = source.get("DownwardAPI").make();
    let mut item = downward.get("Items").push();
    item.get("Path").set_str("namespace");
    let mut field = item.get("FieldRef").make();
    field.get("APIVersion").set_str("v1");
    field.get("FieldPath").set_str("metadata.namespace");
}
