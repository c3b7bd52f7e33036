//! Defaults of a container and of what hangs from it.
//!
//! Mirrors `SetDefaults_Container` and its neighbours in `pkg/api/v1/defaults.go` (1.1–1.7) and
//! `pkg/apis/core/v1/defaults.go` (1.8 on), and the markers in `k8s.io/api/core/v1/types.go`
//! (1.20 on).

use super::Preset::{Bool, Int, Str};
use super::{Defaults, call, image, unset};
use crate::gates::Gates;
use crate::quantity::Flavour;
use crate::release::Span;
use crate::value::{Mut, Value};

pub(super) const DEFAULTS: &[Defaults] = &[
    // SetDefaults_Container
    Defaults {
        of: "core/v1.Container",
        rules: &[
            call(set_defaults_container),
            unset("TerminationMessagePath", Str("/dev/termination-log")),
            unset("TerminationMessagePolicy", Str("File")),
        ],
    },
    // SetDefaults_EphemeralContainer calls SetDefaults_Container on the part that they share. The
    // type exists from 1.16 on, the function from 1.20 on; what is below it (ports, probes) has
    // its defaults from the start.
    Defaults {
        of: "core/v1.EphemeralContainer",
        rules: &[
            call(set_defaults_ephemeral_container).since(20),
            unset(
                "EphemeralContainerCommon.TerminationMessagePath",
                Str("/dev/termination-log"),
            )
            .since(20),
            unset(
                "EphemeralContainerCommon.TerminationMessagePolicy",
                Str("File"),
            )
            .since(20),
        ],
    },
    // SetDefaults_ContainerPort until 1.19, then `+default="TCP"`.
    Defaults {
        of: "core/v1.ContainerPort",
        rules: &[unset("Protocol", Str("TCP"))],
    },
    // SetDefaults_Probe; 1.1 has only the timeout.
    Defaults {
        of: "core/v1.Probe",
        rules: &[
            unset("TimeoutSeconds", Int(1)),
            unset("PeriodSeconds", Int(10)),
            unset("SuccessThreshold", Int(1)),
            unset("FailureThreshold", Int(3)),
        ],
    },
    // SetDefaults_HTTPGetAction
    Defaults {
        of: "core/v1.HTTPGetAction",
        rules: &[unset("Path", Str("/")), unset("Scheme", Str("HTTP"))],
    },
    // `+default=""`: a pointer to the empty string.
    Defaults {
        of: "core/v1.GRPCAction",
        rules: &[unset("Service", Str(""))],
    },
    // SetDefaults_ObjectFieldSelector
    Defaults {
        of: "core/v1.ObjectFieldSelector",
        rules: &[unset("APIVersion", Str("v1"))],
    },
    // `+default=false`, since the type came in 1.34.
    Defaults {
        of: "core/v1.FileKeySelector",
        rules: &[unset("Optional", Bool(false))],
    },
    // SetDefaults_SecurityContext lived for four patch releases.
    Defaults {
        of: "core/v1.SecurityContext",
        rules: &[unset("ProcMount", Str("Default")).in_span(Span::between((14, 0), (14, 3)))],
    },
    // SetDefaults_ResourceList; until 1.4 the conversion to the internal version rounds.
    Defaults {
        of: "core/v1.ResourceList",
        rules: &[call(set_defaults_resource_list).since(5)],
    },
];

/// The pull policy, which depends on the image's tag.
fn set_defaults_container(container: &mut Mut<'_, '_>, _: &Gates<'_>) {
    image::default_pull_policy(container, "Image", "ImagePullPolicy");
}

fn set_defaults_ephemeral_container(container: &mut Mut<'_, '_>, gates: &Gates<'_>) {
    set_defaults_container(&mut container.get("EphemeralContainerCommon"), gates);
}

/// Rounds every quantity up to a thousandth.
fn set_defaults_resource_list(list: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let flavour = Flavour::of(list.schema().release());
    for (_, quantity) in list.by_ref().entries() {
        if let Some((_, Value::Quantity(quantity))) = quantity.into_parts() {
            // Fails only for amounts that no parser lets pass; Go would run out of memory on them.
            let _ = quantity.round_up_to_milli(flavour);
        }
    }
}
