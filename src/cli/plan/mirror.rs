//! A static Pod as a cluster shows it, and what of it stood in the file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kubehash::diagnostic::Diagnostic;
use serde_json::value::RawValue;

/// What kubelet and API server add to `metadata`.
const ADDED: &[&str] = &[
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "generation",
    "managedFields",
    "ownerReferences",
    "selfLink",
];

/// How the annotations begin that a kubelet adds (`pkg/kubelet/types/pod_update.go`).
const ANNOTATIONS: &str = "kubernetes.io/config.";

type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

/// The manifest of a static Pod, as far as it can be told from what the cluster shows of it.
pub(super) fn manifest_of(json: &str) -> Cow<'_, str> {
    match without_what_was_added(json) {
        Ok(manifest) => Cow::Owned(manifest),
        // It was decoded before, so this is no JSON object that Rust and Go read differently.
        Err(_) => Cow::Borrowed(json),
    }
}

fn without_what_was_added(json: &str) -> serde_json::Result<String> {
    let mut pod: Fields<'_> = serde_json::from_str(json)?;
    pod.remove("status");
    let Some(metadata) = pod.get("metadata") else {
        return serde_json::to_string(&pod);
    };
    let mut metadata: Fields<'_> = serde_json::from_str(metadata.get())?;
    metadata.retain(|key, _| !ADDED.contains(&&**key));
    let annotations = match metadata.get("annotations") {
        Some(annotations) => annotations_of_the_file(annotations)?,
        None => None,
    };
    match &annotations {
        Some(annotations) => metadata.insert("annotations".into(), annotations),
        None => metadata.remove("annotations"),
    };
    let metadata = serde_json::value::to_raw_value(&metadata)?;
    pod.insert("metadata".into(), &metadata);
    serde_json::to_string(&pod)
}

/// Nothing where all were added.
fn annotations_of_the_file(annotations: &RawValue) -> serde_json::Result<Option<Box<RawValue>>> {
    let mut annotations: Fields<'_> = serde_json::from_str(annotations.get())?;
    annotations.retain(|key, _| !key.starts_with(ANNOTATIONS));
    if annotations.is_empty() {
        return Ok(None);
    }
    serde_json::value::to_raw_value(&annotations).map(Some)
}

/// What belongs to every verdict on such a Pod.
pub(super) fn warning() -> Diagnostic {
    Diagnostic::warning(
        "a static Pod as the cluster shows it: what admission added to it counts as if it stood in \
         its file",
    )
    .with_hint("the manifest itself, with --as static, gives the exact verdict")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_kubelet_and_api_server_added_is_dropped() {
        let mirror = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"etcd-a",
            "annotations":{"kubernetes.io/config.hash":"5a6","kubernetes.io/config.mirror":"5a6","own":"1"},
            "uid":"u","resourceVersion":"7","creationTimestamp":null},"spec":{"a":1.50},"status":{}}"#;
        assert_eq!(
            manifest_of(mirror),
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"own":"1"},"name":"etcd-a"},"spec":{"a":1.50}}"#
        );
        let bare = r#"{"metadata":{"annotations":{"kubernetes.io/config.source":"file"}}}"#;
        assert_eq!(manifest_of(bare), r#"{"metadata":{}}"#);
        assert_eq!(manifest_of(r#"{"kind":"Pod"}"#), r#"{"kind":"Pod"}"#);
        assert_eq!(manifest_of("5"), "5");
    }
}
