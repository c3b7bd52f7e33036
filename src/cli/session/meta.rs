//! What has to be known of an object before a release decodes it.

use kubehash::json::{Reader, SyntaxError, Token};

/// The annotation of a static Pod's mirror (`pkg/kubelet/types/pod_update.go`).
const MIRROR: &str = "kubernetes.io/config.mirror";
/// The annotation in which a kubelet notes where it has a Pod from.
const SOURCE: &str = "kubernetes.io/config.source";

/// Read off the object's JSON, whatever release it is for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Meta {
    /// Whether it is an object whose kind, if it has one, is a string.
    pub(in crate::cli) is_object: bool,
    /// Empty where it is missing.
    pub(in crate::cli) api_version: String,
    /// Empty where it is missing.
    pub(in crate::cli) kind: String,
    has_uid: bool,
    has_resource_version: bool,
    has_status: bool,
    is_from_manifest: bool,
}

impl Meta {
    /// Reads what it can; what is no JSON, or of another type, is left for the engine to refuse.
    pub(in crate::cli) fn of(json: &str) -> Meta {
        let mut meta = Meta::default();
        let _ = meta.read(json);
        meta
    }

    fn read(&mut self, json: &str) -> Result<(), SyntaxError> {
        let mut reader = Reader::new(json);
        if reader.peek()? != Token::Object {
            return Ok(());
        }
        reader.begin_object()?;
        self.is_object = true;
        let mut first = true;
        while let Some(key) = reader.next_key(&mut first)? {
            match &*key {
                "apiVersion" if reader.peek()? == Token::String => {
                    self.api_version = reader.string()?.into_owned();
                }
                "kind" if reader.peek()? == Token::String => {
                    self.kind = reader.string()?.into_owned();
                }
                // A kind of the wrong type is there, and wrong: not the same as missing.
                "kind" => {
                    self.is_object = false;
                    reader.raw()?;
                }
                "metadata" if reader.peek()? == Token::Object => {
                    reader.begin_object()?;
                    let mut first = true;
                    while let Some(key) = reader.next_key(&mut first)? {
                        if &*key == "annotations" && reader.peek()? == Token::Object {
                            self.read_annotations(&mut reader)?;
                            continue;
                        }
                        let set = !matches!(reader.raw()?, "\"\"" | "null");
                        match &*key {
                            "uid" => self.has_uid = set,
                            "resourceVersion" => self.has_resource_version = set,
                            _ => {}
                        }
                    }
                }
                "status" => self.has_status = !matches!(reader.raw()?, "{}" | "null"),
                _ => {
                    reader.raw()?;
                }
            }
        }
        Ok(())
    }

    fn read_annotations(&mut self, reader: &mut Reader<'_>) -> Result<(), SyntaxError> {
        reader.begin_object()?;
        let mut first = true;
        while let Some(key) = reader.next_key(&mut first)? {
            let value = reader.raw()?;
            self.is_from_manifest |= match &*key {
                MIRROR => true,
                SOURCE => matches!(value, r#""file""# | r#""http""#),
                _ => false,
            };
        }
        Ok(())
    }

    /// Whether it is a static Pod as a kubelet or, in its mirror, an API server shows it.
    pub(in crate::cli) fn is_static_pod(&self) -> bool {
        self.kind == "Pod" && self.is_from_manifest
    }

    /// Whether an API server handed the object out as it stands in the cluster: then nothing will
    /// change it on its way to the kubelet. A manifest may fix a uid (static Pods do), but it has
    /// neither a resource version nor a status.
    pub(in crate::cli) fn is_live_pod(&self) -> bool {
        self.kind == "Pod" && self.has_uid && (self.has_resource_version || self.has_status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_live_pod_is_told_from_a_manifest() {
        let live = |json: &str| Meta::of(json).is_live_pod();
        assert!(live(
            r#"{"kind":"Pod","metadata":{"uid":"u","resourceVersion":"1"}}"#
        ));
        assert!(live(
            r#"{"kind":"Pod","metadata":{"uid":"u"},"status":{"phase":"Running"}}"#
        ));
        assert!(
            !live(r#"{"kind":"Pod","metadata":{"uid":"u"},"status":{}}"#),
            "a static Pod's file"
        );
        assert!(!live(
            r#"{"kind":"Pod","metadata":{"uid":"","resourceVersion":"1"}}"#
        ));
        assert!(!live(
            r#"{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"1"}}"#
        ));
    }

    #[test]
    fn static_pods_are_known_by_their_annotations() {
        let pod = |annotations: &str| {
            let json = format!(r#"{{"kind":"Pod","metadata":{{"annotations":{annotations}}}}}"#);
            Meta::of(&json).is_static_pod()
        };
        assert!(pod(r#"{"a":"b","kubernetes.io/config.mirror":"5a6"}"#));
        assert!(pod(r#"{"kubernetes.io/config.source":"file"}"#));
        assert!(pod(r#"{"kubernetes.io/config.source":"http"}"#));
        assert!(!pod(r#"{"kubernetes.io/config.source":"api"}"#));
        assert!(!pod("null"));
    }

    #[test]
    fn what_is_no_object_is_for_the_engine_to_refuse() {
        for json in ["5", "", "[]", "nonsense", r#"{"kind":5}"#] {
            assert!(!Meta::of(json).is_object, "{json}");
        }
    }
}
