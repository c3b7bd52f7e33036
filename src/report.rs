//! Machine output: what `-o json` prints, as types. The contract `kubehash/v1`.
//!
//! In: what the engine and the documents said. Out: structs whose serialisation is the report;
//! the order of the fields here is the order of the keys there, and both are part of the contract
//! (docs/cli.md).

use serde::Serialize;

use crate::catalogue;
use crate::diagnostic::Diagnostic;

/// The version of the contract, printed in every report.
pub const API_VERSION: &str = "kubehash/v1";

/// What `kubehash hash` found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HashReport {
    /// [`API_VERSION`]
    pub api_version: &'static str,
    /// `HashReport`
    pub kind: &'static str,
    /// One per object and release, in input order.
    pub results: Vec<HashResult>,
    /// What went wrong, or is worth knowing, in input order.
    pub diagnostics: Vec<Diagnostic>,
    /// What became of the documents.
    pub summary: Summary,
}

impl HashReport {
    /// A report, complete.
    pub fn new(
        results: Vec<HashResult>,
        diagnostics: Vec<Diagnostic>,
        summary: Summary,
    ) -> HashReport {
        HashReport {
            api_version: API_VERSION,
            kind: "HashReport",
            results,
            diagnostics,
            summary,
        }
    }
}

/// The container hashes of one object under one release.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HashResult {
    /// The file as it was named or found, `-` for standard input.
    pub source: String,
    /// The object's position among the objects of its source, from 1; items of a `List` count one
    /// by one.
    pub document: usize,
    /// The object's kind.
    pub kind: String,
    /// `metadata.namespace`; empty where the document has none.
    pub namespace: String,
    /// `metadata.name`, or `metadata.generateName`.
    pub name: String,
    /// The release that was asked for.
    pub release: String,
    /// The view that was hashed.
    pub view: &'static str,
    /// The object's `apiVersion`.
    pub api_version: String,
    /// How we know that the answer holds for this release.
    pub evidence: &'static str,
    /// Whether a node of this release might hold other numbers, because something between the
    /// document and the kubelet could still change the Pod.
    pub predicted: bool,
    /// Init containers, containers, ephemeral containers, each in the order of the Pod.
    pub containers: Vec<ContainerResult>,
}

/// One container's hash.
#[derive(Clone, Debug, Serialize)]
pub struct ContainerResult {
    /// The container's name.
    pub name: String,
    /// `init`, `container` or `ephemeral`.
    #[serde(rename = "type")]
    pub container_type: &'static str,
    /// The number.
    pub hash: u32,
    /// The number as the annotation `io.kubernetes.container.hash` holds it: lowercase
    /// hexadecimal, not padded.
    pub hex: String,
}

impl ContainerResult {
    /// The hash of a container, in both notations.
    pub fn new(
        name: impl Into<String>,
        container_type: &'static str,
        hash: u32,
    ) -> ContainerResult {
        ContainerResult {
            name: name.into(),
            container_type,
            hash,
            hex: format!("{hash:x}"),
        }
    }
}

/// What became of the documents: `documents = checked + skipped + errors`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Objects found; a file that cannot be read, or a text that is no object, counts as one.
    pub documents: usize,
    /// Objects that were hashed under every release asked for.
    pub checked: usize,
    /// Objects that have no container hash: other kinds, or no form in this view.
    pub skipped: usize,
    /// What could not be read, or not be hashed under some release asked for.
    pub errors: usize,
}

/// What `kubehash releases` lists.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseReport {
    /// [`API_VERSION`]
    pub api_version: &'static str,
    /// `ReleaseReport`
    pub kind: &'static str,
    /// Every release known, oldest first.
    pub results: Vec<ReleaseResult>,
    /// How many there are.
    pub summary: ReleaseSummary,
}

/// One release.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseResult {
    /// The version.
    pub release: String,
    /// The Go toolchain its code was built and run with; `null` where it was not.
    pub toolchain: Option<&'static str>,
    /// The release whose vectors speak for it; `null` where there is none.
    pub class: Option<String>,
    /// How we know that they do.
    pub evidence: Option<&'static str>,
    /// What it computes.
    pub subjects: Vec<SubjectResult>,
}

/// One subject of a release.
#[derive(Clone, Debug, Serialize)]
pub struct SubjectResult {
    /// The subject's name.
    pub subject: &'static str,
    /// The recipe that the release follows.
    pub era: &'static str,
}

/// Counts of `kubehash releases`.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ReleaseSummary {
    /// Releases known.
    pub releases: usize,
    /// Releases that were built and run themselves.
    pub built: usize,
}

impl ReleaseReport {
    /// The catalogue, whole.
    pub fn of_catalogue() -> ReleaseReport {
        let results: Vec<ReleaseResult> = catalogue::entries().map(ReleaseResult::from).collect();
        let summary = ReleaseSummary {
            releases: results.len(),
            built: catalogue::built().len(),
        };
        ReleaseReport {
            api_version: API_VERSION,
            kind: "ReleaseReport",
            results,
            summary,
        }
    }
}

impl From<catalogue::Entry> for ReleaseResult {
    fn from(entry: catalogue::Entry) -> ReleaseResult {
        ReleaseResult {
            release: entry.release.to_string(),
            toolchain: entry.toolchain,
            class: entry
                .resolution
                .map(|resolution| resolution.answers_for.to_string()),
            evidence: entry
                .resolution
                .map(|resolution| resolution.evidence_label()),
            subjects: entry
                .eras
                .into_iter()
                .map(|(subject, era)| SubjectResult { subject, era })
                .collect(),
        }
    }
}
