//! Checkpoint files: what a kubelet keeps over a restart, with a checksum that is the hash of a dump
//! of what it keeps (or of a text that holds it).
//!
//! In: a file's text. Out: whether a kubelet of the release that starts with it accepts it, what it
//! writes then, and the checksum that each format of the release wants. Mirrors
//! `pkg/kubelet/checkpointmanager` (1.11 on) and the managers that use it. `format` has the structs
//! and their checksums, `restore` what a kubelet does with them when it starts.

mod format;
mod restore;

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::gates::Gates;
use crate::release::{Release, Span};
use crate::schema::{Schema, TypeId};
use format::Format;

/// One kind of checkpoint file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `cpu_manager_state`
    CpuManager,
    /// `memory_manager_state`
    MemoryManager,
    /// `kubelet_internal_checkpoint`, the device manager's.
    DeviceManager,
    /// `dra_manager_state`
    DraManager,
    /// `pod_status_manager_state`; `allocated_pods_state` and `actuated_pods_state` from 1.33 on.
    PodAllocation,
    /// `Pod_*.yaml`, of a self-hosted control plane's Pod.
    Pod,
    /// dockershim's of a Pod's sandbox.
    Sandbox,
}

/// The forms, the words that name them everywhere, and the releases that have them.
const FORMS: &[(Form, &str, Span)] = &[
    (Form::CpuManager, "cpu-manager", Span::since(12, 0)),
    (Form::MemoryManager, "memory-manager", Span::since(21, 0)),
    (Form::DeviceManager, "device-manager", Span::since(11, 0)),
    (Form::DraManager, "dra-manager", Span::since(27, 0)),
    (Form::PodAllocation, "pod-allocation", Span::since(27, 0)),
    (Form::Pod, "pod", Span::minors(11, 18)),
    (Form::Sandbox, "sandbox", Span::minors(8, 23)),
];

/// The releases that have any form.
pub const CHECKPOINTS: Span = Span::since(8, 0);

impl Form {
    /// All forms.
    pub fn all() -> impl Iterator<Item = Form> {
        FORMS.iter().map(|(form, ..)| *form)
    }

    /// The word that names it everywhere.
    pub fn as_str(self) -> &'static str {
        let row = FORMS.iter().find(|(form, ..)| *form == self);
        row.map_or("", |(_, name, _)| *name)
    }

    /// Whether kubelets of a release have such a file.
    pub fn exists_in(self, release: Release) -> bool {
        let mut rows = FORMS.iter();
        rows.any(|(form, _, span)| *form == self && span.contains(release))
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Form {
    type Err = String;

    fn from_str(text: &str) -> Result<Form, String> {
        let row = FORMS.iter().find(|(_, name, _)| *name == text);
        row.map(|(form, ..)| *form)
            .ok_or_else(|| format!("no checkpoint {text}"))
    }
}

/// A container that the kubelet knows when it starts. The CPU manager's oldest format names
/// containers by ID only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Container {
    /// The runtime's ID.
    pub id: String,
    /// The Pod's UID.
    #[serde(rename = "podUID")]
    pub pod_uid: String,
    /// The container's name.
    pub name: String,
}

/// What a release makes of a checkpoint file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Why a kubelet that starts with the file does not accept it; nothing where it does. Its
    /// policy is the one that the file names.
    pub refused: Option<String>,
    /// What the file is when a kubelet that accepted it writes it again. Nothing for forms that are
    /// not written again.
    pub stored: Option<String>,
    /// What the release writes for these contents, whatever their checksum is. Nothing if they are
    /// of no format that the release reads.
    pub written: Option<String>,
    /// The file by each of the release's formats; the first is the one it writes.
    pub formats: Vec<Reading>,
}

impl Checkpoint {
    /// Whether a kubelet that starts with the file accepts it.
    pub fn is_accepted(&self) -> bool {
        self.refused.is_none()
    }
}

/// A file read as one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The Go type: `state.CPUManagerCheckpoint`.
    pub ty: String,
    /// Why it is no valid file of just this format; nothing where it is.
    pub refused: Option<String>,
    /// What `MarshalCheckpoint` gives for the contents; nothing where they do not fit the type.
    pub written: Option<String>,
    /// The checksums that the format wants for the contents; empty where they do not fit.
    pub checksums: Vec<Checksum>,
}

/// A checksum that a format wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// The Go field that holds it.
    pub field: &'static str,
    /// The number.
    pub hash: u32,
    /// The exact bytes that were hashed, if asked for.
    pub preimage: Option<Vec<u8>>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The release has no such file.
    Form,
    /// The release's schema does not have its types.
    Types,
}

/// A kubelet that starts with a file.
pub(crate) struct Kubelet<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) gates: Gates<'a>,
    pub(crate) containers: &'a [Container],
    pub(crate) preimages: bool,
}

/// A struct of the release for one form: how it is treated, and which types it has.
#[derive(Clone, Copy)]
struct Struct<'a> {
    format: &'static Format,
    ty: TypeId,
    others: &'a [TypeId],
}

impl<'a> Kubelet<'a> {
    /// What the kubelet makes of a file.
    pub(crate) fn checkpoint(&self, form: Form, text: &str) -> Result<Checkpoint, Missing> {
        let release = self.schema.release();
        let restore = restore::of(form, release).ok_or(Missing::Form)?;
        let formats = self.formats(form).ok_or(Missing::Types)?;
        let start = |text: &str| restore(&restore::Start::new(self, &formats, text));
        let (refused, stored) = match start(text) {
            Ok(stored) => (None, stored),
            Err(refused) => (Some(refused), None),
        };
        let readings: Vec<Reading> = formats.iter().map(|f| self.read(*f, text)).collect();
        // Of an older format: what is written once it was restored, with the right checksum or else
        // as it is.
        let migrated = |sealed: &str| start(sealed).or_else(|_| start(text)).ok().flatten();
        let mut sealed = readings.iter().enumerate();
        let written = sealed.find_map(|(index, reading)| match (index, &reading.written) {
            (0, sealed) => sealed.clone(),
            (_, sealed) => migrated(sealed.as_deref()?),
        });
        Ok(Checkpoint {
            refused,
            stored,
            written,
            formats: readings,
        })
    }

    /// The structs that the release has for a form. Where a feature gate decides on the newest one,
    /// it comes last while the gate is off.
    fn formats(&self, form: Form) -> Option<Vec<Struct<'a>>> {
        let entries = self.schema.checkpoints();
        let entry = entries.iter().find(|entry| &*entry.form == form.as_str())?;
        let mut formats = Vec::with_capacity(entry.formats.len());
        for found in &entry.formats {
            let name = self.schema[found.ty].name.rsplit('.').next()?;
            formats.push(Struct {
                format: Format::of(form, name, self.schema.release())?,
                ty: found.ty,
                others: &found.others,
            });
        }
        formats.sort_by_key(|of| match of.format.gate {
            Some(gate) if self.gates.enabled(gate) => 0,
            None => 1,
            Some(_) => 2,
        });
        Some(formats)
    }
}

#[cfg(test)]
mod tests;
