//! Defaults of volumes and of volume claims.
//!
//! Mirrors `SetDefaults_Volume` and the functions for its sources in `pkg/api/v1/defaults.go`
//! (1.1–1.7) and `pkg/apis/core/v1/defaults.go` (1.8 on). From 1.31 on those of iSCSI, RBD,
//! Azure disks and ScaleIO are markers in `k8s.io/api/core/v1/types.go`, with the same values.

use super::Preset::{Bool, Empty, Int, Str};
use super::{Defaults, call, image, unset};
use crate::gates::Gates;
use crate::release::Span;
use crate::value::Mut;

/// 0644
const FILE_MODE: i64 = 0o644;

/// ScaleIO's pool and domain were once called `default` where nothing was said.
const NAMED_DEFAULT: Span = Span::until(8, 3);

pub(super) const DEFAULTS: &[Defaults] = &[
    Defaults {
        of: "core/v1.Volume",
        rules: &[
            call(set_defaults_volume),
            call(set_defaults_image_volume)
                .gate("ImageVolume")
                .since(31),
        ],
    },
    Defaults {
        of: "core/v1.SecretVolumeSource",
        rules: &[unset("DefaultMode", Int(FILE_MODE)).since(4)],
    },
    Defaults {
        of: "core/v1.ConfigMapVolumeSource",
        rules: &[unset("DefaultMode", Int(FILE_MODE)).since(4)],
    },
    Defaults {
        of: "core/v1.DownwardAPIVolumeSource",
        rules: &[unset("DefaultMode", Int(FILE_MODE)).since(4)],
    },
    Defaults {
        of: "core/v1.ProjectedVolumeSource",
        rules: &[unset("DefaultMode", Int(FILE_MODE))],
    },
    // An hour.
    Defaults {
        of: "core/v1.ServiceAccountTokenProjection",
        rules: &[unset("ExpirationSeconds", Int(3600)).since(11)],
    },
    // `HostPathUnset`: a pointer to the empty string.
    Defaults {
        of: "core/v1.HostPathVolumeSource",
        rules: &[unset("Type", Str(""))],
    },
    Defaults {
        of: "core/v1.ISCSIVolumeSource",
        rules: &[unset("ISCSIInterface", Str("default")).since(2)],
    },
    Defaults {
        of: "core/v1.RBDVolumeSource",
        rules: &[
            unset("RBDPool", Str("rbd")).since(3),
            unset("RadosUser", Str("admin")).since(3),
            unset("Keyring", Str("/etc/ceph/keyring")).since(3),
        ],
    },
    Defaults {
        of: "core/v1.AzureDiskVolumeSource",
        rules: &[
            unset("CachingMode", Str("None")).until(6),
            unset("CachingMode", Str("ReadWrite")).since(7),
            unset("Kind", Str("Shared")),
            unset("FSType", Str("ext4")),
            unset("ReadOnly", Bool(false)),
        ],
    },
    Defaults {
        of: "core/v1.ScaleIOVolumeSource",
        rules: &[
            unset("ProtectionDomain", Str("default")).in_span(NAMED_DEFAULT),
            unset("StoragePool", Str("default")).in_span(NAMED_DEFAULT),
            unset("StorageMode", Str("ThinProvisioned")),
            unset("FSType", Str("xfs")),
        ],
    },
    // Reached through a StatefulSet's claim templates.
    Defaults {
        of: "core/v1.PersistentVolumeClaim",
        rules: &[
            unset("Status.Phase", Str("Pending")),
            unset("Spec.VolumeMode", Str("Filesystem"))
                .gate("BlockVolume")
                .minors(9, 13),
            unset("Spec.VolumeMode", Str("Filesystem")).minors(14, 18),
        ],
    },
    // A function of its own since ephemeral volumes have claim templates, too.
    Defaults {
        of: "core/v1.PersistentVolumeClaimSpec",
        rules: &[unset("VolumeMode", Str("Filesystem")).since(19)],
    },
];

/// A volume without a source is an empty directory.
fn set_defaults_volume(volume: &mut Mut<'_, '_>, _: &Gates<'_>) {
    // All fields of VolumeSource are pointers: `AllPtrFieldsNil` asks whether it is zero.
    if volume.look().get("VolumeSource").is_zero() {
        Empty.fill(volume.at("VolumeSource.EmptyDir"));
    }
}

/// The pull policy of an image volume follows from its tag, as a container's does.
fn set_defaults_image_volume(volume: &mut Mut<'_, '_>, _: &Gates<'_>) {
    let mut source = volume.at("VolumeSource.Image").deref();
    if source.exists() {
        image::default_pull_policy(&mut source, "Reference", "PullPolicy");
    }
}
