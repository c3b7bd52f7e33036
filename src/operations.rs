//! What one release's API server, clients and kubelet do to an object.
//!
//! In: a versioned object of a workload kind. Out: the versioned object after the operation. An
//! operation is done by one release; objects go from release to release as JSON between two of
//! them. In the data's way this joins [`defaults`], [`convert`], [`admission`], [`strategy`] and
//! [`proto`] between decoding and hashing.
//!
//! | operation | steps | in Kubernetes |
//! | --- | --- | --- |
//! | [`create`] | defaults, to internal, strategy, from internal, wire | what is persisted for a new object |
//! | [`serve`] | defaults, to internal, from internal, wire | what is handed out for a persisted object |
//! | [`receive`] | wire | what a client decodes |
//! | [`deliver`] | all three | what a kubelet or controller of the release has |
//! | [`read_file`] | defaults, to internal, `applyDefaults`, from internal | what the kubelet makes of a static Pod's manifest |

use std::fmt;

use crate::admission;
use crate::controller;
use crate::convert::{self, ConvertError};
use crate::defaults as defaulting;
use crate::digest::{Fnv128a, Md5, Sink, hex};
use crate::gates::Gates;
use crate::print::spew;
use crate::proto::{self, WireError};
use crate::release::Span;
use crate::schema::{KindEntry, Schema, TypeId};
use crate::strategy;
use crate::value::{Mut, Ref, Value};

/// An operation cannot be done on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationError(String);

impl OperationError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> OperationError {
        OperationError(message.into())
    }
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OperationError {}

impl From<ConvertError> for OperationError {
    fn from(error: ConvertError) -> OperationError {
        OperationError(error.to_string())
    }
}

impl From<WireError> for OperationError {
    fn from(error: WireError) -> OperationError {
        OperationError(error.to_string())
    }
}

/// Where the kubelet reads a static Pod, as far as its hash depends on it.
#[derive(Clone, Copy, Debug)]
pub struct StaticSource<'a> {
    /// What it reads.
    pub manifest: Manifest<'a>,
    /// The node's name.
    pub node: &'a str,
}

/// What the kubelet reads a static Pod from.
#[derive(Clone, Copy, Debug)]
pub enum Manifest<'a> {
    /// A path on the node.
    File(&'a str),
    /// The kubelet's `--manifest-url`.
    Url(&'a str),
}

impl Default for StaticSource<'_> {
    fn default() -> Self {
        StaticSource {
            manifest: Manifest::File("/etc/kubernetes/manifests/pod.yaml"),
            node: "node-1",
        }
    }
}

type Result<T> = std::result::Result<T, OperationError>;

/// The releases that have `Scheme.Default`. Until 1.4 conversion to the internal version set
/// defaults on its way.
pub const SCHEME_DEFAULT: Span = Span::since(5, 0);

/// `Scheme.Default`.
pub fn defaults(schema: &Schema, kind: &KindEntry, mut object: Value, gates: &Gates<'_>) -> Value {
    defaulting::apply(Mut::new(schema, kind.versioned, &mut object), kind, gates);
    object
}

/// What the release's API server persists for a new object.
///
/// # Errors
/// Where the conversion fails in Go.
pub fn create(
    schema: &Schema,
    kind: &KindEntry,
    object: Value,
    gates: &Gates<'_>,
) -> Result<Value> {
    create_with(schema, kind, object, gates, |_| {})
}

fn create_with(
    schema: &Schema,
    kind: &KindEntry,
    object: Value,
    gates: &Gates<'_>,
    admit: impl FnOnce(&mut Mut<'_, '_>),
) -> Result<Value> {
    let (ty, mut internal) = into_internal(schema, kind, object, gates)?;
    let mut object = Mut::new(schema, ty, &mut internal);
    admit(&mut object);
    strategy::prepare_for_create(object, kind, gates);
    out_of_internal(schema, kind, &internal, gates)
}

/// What the release's API server hands out for an object that was persisted.
///
/// # Errors
/// Where the conversion fails in Go.
pub fn serve(schema: &Schema, kind: &KindEntry, object: Value, gates: &Gates<'_>) -> Result<Value> {
    serve_as(schema, kind, object, kind, gates)
}

/// The same for a client that asks for another API version of the kind, of another group even.
///
/// # Errors
/// When the two have nothing to do with each other, or where the conversion fails in Go.
pub fn serve_as(
    schema: &Schema,
    kind: &KindEntry,
    object: Value,
    wanted: &KindEntry,
    gates: &Gates<'_>,
) -> Result<Value> {
    if wanted.internal != kind.internal {
        return Err(OperationError(format!(
            "{} {} is not served as {} {}",
            kind.api_version, kind.kind, wanted.api_version, wanted.kind
        )));
    }
    let (_, internal) = into_internal(schema, kind, object, gates)?;
    out_of_internal(schema, wanted, &internal, gates)
}

/// What a client of the release decodes.
///
/// # Errors
/// When a quantity cannot be read again.
pub fn receive(schema: &Schema, kind: &KindEntry, mut object: Value) -> Result<Value> {
    proto::round_trip(schema, kind.versioned, &mut object)?;
    Ok(object)
}

/// What a kubelet or controller of a cluster of the release has: created, served, received.
///
/// # Errors
/// Where the conversion fails in Go.
pub fn deliver(
    schema: &Schema,
    kind: &KindEntry,
    object: Value,
    gates: &Gates<'_>,
) -> Result<Value> {
    let object = create(schema, kind, object, gates)?;
    let object = serve(schema, kind, object, gates)?;
    receive(schema, kind, object)
}

/// The internal form of a versioned object, as the kubelet of older releases hashes it.
///
/// # Errors
/// Where the conversion fails in Go.
pub fn to_internal(schema: &Schema, kind: &KindEntry, object: &Value) -> Result<Value> {
    Ok(convert::to_internal(
        schema,
        kind,
        object,
        &Gates::defaults(schema),
    )?)
}

/// The Pod of a workload that was delivered: made by its controller and delivered in its turn,
/// with the service account's mount if `admission` is on.
///
/// # Errors
/// When the kind has no Pod template, or where the conversion fails in Go.
pub fn pod_of(
    schema: &Schema,
    kind: &KindEntry,
    workload: &Value,
    gates: &Gates<'_>,
    admission: bool,
) -> Result<Value> {
    let pod_kind = pod_kind(schema)?;
    let pod = create_pod_of(schema, kind, workload, gates, admission)?;
    let pod = serve(schema, pod_kind, pod, gates)?;
    receive(schema, pod_kind, pod)
}

/// The Pod of a workload that was delivered, as the API server persists it.
///
/// # Errors
/// When the kind has no Pod template, or where the conversion fails in Go.
pub fn create_pod_of(
    schema: &Schema,
    kind: &KindEntry,
    workload: &Value,
    gates: &Gates<'_>,
    admission: bool,
) -> Result<Value> {
    let pod_kind = pod_kind(schema)?;
    let pod = controller::pod_from_template(schema, kind, workload, pod_kind, gates).ok_or_else(
        || {
            OperationError(format!(
                "{} {} has no Pod template",
                kind.api_version, kind.kind
            ))
        },
    )?;
    create_with(schema, pod_kind, pod, gates, |pod| {
        if admission {
            admission::mount_service_account_token(pod, gates);
        }
    })
}

fn pod_kind(schema: &Schema) -> Result<&KindEntry> {
    schema
        .kind("v1", "Pod")
        .ok_or_else(|| OperationError(format!("{} has no Pods", schema.release())))
}

fn into_internal(
    schema: &Schema,
    kind: &KindEntry,
    object: Value,
    gates: &Gates<'_>,
) -> Result<(TypeId, Value)> {
    let object = if SCHEME_DEFAULT.contains(schema.release()) {
        defaults(schema, kind, object, gates)
    } else {
        object
    };
    let internal = convert::to_internal(schema, kind, &object, gates)?;
    let ty = kind
        .internal
        .ok_or_else(|| OperationError(format!("{} has no internal form", kind.kind)))?;
    Ok((ty, internal))
}

fn out_of_internal(
    schema: &Schema,
    kind: &KindEntry,
    internal: &Value,
    gates: &Gates<'_>,
) -> Result<Value> {
    let mut object = convert::from_internal(schema, kind, internal, gates)?;
    proto::round_trip(schema, kind.versioned, &mut object)?;
    Ok(object)
}

// ---- static Pods --------------------------------------------------------------------------

/// What the kubelet makes of a static Pod's manifest, which it decoded into one of the kind's two
/// types: a versioned Pod.
///
/// # Errors
/// Where the conversion fails in Go.
pub fn read_file(
    schema: &Schema,
    kind: &KindEntry,
    pod: (TypeId, Value),
    gates: &Gates<'_>,
    source: StaticSource<'_>,
) -> Result<Value> {
    let internal = read_file_internal(schema, kind, pod, gates, source)?;
    Ok(convert::from_internal(schema, kind, &internal, gates)?)
}

/// The same in the internal form, which kubelets up to 1.5 never leave.
///
/// # Errors
/// Where the conversion fails in Go.
pub fn read_file_internal(
    schema: &Schema,
    kind: &KindEntry,
    pod: (TypeId, Value),
    gates: &Gates<'_>,
    source: StaticSource<'_>,
) -> Result<Value> {
    let (ty, mut pod) = match pod {
        (ty, pod) if ty == kind.versioned => into_internal(schema, kind, pod, gates)?,
        internal => internal,
    };
    Mut::new(schema, ty, &mut pod).get("TypeMeta").clear();
    apply_defaults(schema, ty, &mut pod, source);
    Ok(pod)
}

/// How a static Pod without a UID gets one. Where it came from is node and file, or the URL alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UidHash {
    /// md5 of the Pod alone: `DeepHashObject` resets the hasher, and so erases where it came from,
    /// which was written before it.
    Md5OfPod,
    /// md5 of the Pod, then where it came from.
    Md5,
    /// FNV-128a of the same.
    Fnv128a,
}

const UID_HASHES: &[(Span, UidHash)] = &[
    (Span::minors(1, 20), UidHash::Md5OfPod),
    (Span::minors(21, 34), UidHash::Md5),
    (Span::since(35, 0), UidHash::Fnv128a),
];

/// From a namespace and a name.
type SelfLink = fn(&str, &str) -> String;

/// Where the API server would serve the Pod; empty from 1.24 on.
const SELF_LINKS: &[(Span, SelfLink)] = &[
    (Span::minors(1, 6), |namespace, name| {
        format!("/api/v1/pods/namespaces/{name}/{namespace}")
    }),
    (Span::minors(7, 23), |namespace, name| {
        format!("/api/v1/namespaces/{namespace}/pods/{name}")
    }),
];

/// Until 1.9 the node's name was appended as it stands.
const NODE_NAME_IS_LOWERED: Span = Span::since(10, 0);
const STATUS_IS_PENDING: Span = Span::since(2, 0);
/// A static Pod from a file must not be evicted when its node has problems.
const TOLERATES_EVERYTHING: Span = Span::since(6, 0);

/// `applyDefaults` in `pkg/kubelet/config/common.go`, on an internal Pod.
fn apply_defaults(schema: &Schema, ty: TypeId, pod: &mut Value, source: StaticSource<'_>) {
    let release = schema.release();
    let uid = Mut::new(schema, ty, pod)
        .look()
        .at("ObjectMeta.UID")
        .str()
        .to_owned();
    let uid = if uid.is_empty() {
        static_pod_uid(schema, ty, pod, source)
    } else {
        uid
    };

    let mut pod = Mut::new(schema, ty, pod);
    pod.at("ObjectMeta.UID").set_str(&uid);
    let suffix = if NODE_NAME_IS_LOWERED.contains(release) {
        source.node.to_lowercase()
    } else {
        source.node.to_owned()
    };
    let name = format!("{}-{suffix}", pod.look().at("ObjectMeta.Name").str());
    pod.at("ObjectMeta.Name").set_str(&name);
    if pod.look().at("ObjectMeta.Namespace").str().is_empty() {
        pod.at("ObjectMeta.Namespace").set_str("default");
    }
    let namespace = pod.look().at("ObjectMeta.Namespace").str().to_owned();
    pod.at("Spec.NodeName").set_str(source.node);
    if let Some((_, link)) = SELF_LINKS.iter().find(|(span, _)| span.contains(release)) {
        pod.at("ObjectMeta.SelfLink")
            .set_str(&link(&namespace, &name));
    }
    pod.at("ObjectMeta.Annotations")
        .insert("kubernetes.io/config.hash")
        .set_str(&uid);
    if TOLERATES_EVERYTHING.contains(release) && matches!(source.manifest, Manifest::File(_)) {
        tolerate_everything(&mut pod);
    }
    if STATUS_IS_PENDING.contains(release) {
        pod.at("Status.Phase").set_str("Pending");
    }
}

/// The UID of a static Pod whose manifest has none.
fn static_pod_uid(schema: &Schema, ty: TypeId, pod: &Value, source: StaticSource<'_>) -> String {
    let recipe = UID_HASHES
        .iter()
        .find(|(span, _)| span.contains(schema.release()))
        .map_or(UidHash::Fnv128a, |(_, recipe)| *recipe);
    let write = |sink: &mut dyn Sink| {
        spew::write_pointer(schema, ty, pod, sink);
        if recipe != UidHash::Md5OfPod {
            let parts = match source.manifest {
                Manifest::File(path) => ["host:", source.node, "file:", path],
                Manifest::Url(url) => ["url:", url, "", ""],
            };
            parts.iter().for_each(|part| sink.write(part.as_bytes()));
        }
    };
    if recipe == UidHash::Fnv128a {
        let mut hasher = Fnv128a::default();
        write(&mut hasher);
        hex(&hasher.sum())
    } else {
        let mut hasher = Md5::default();
        write(&mut hasher);
        hasher.hex()
    }
}

/// `AddOrUpdateTolerationInPod`: it takes the place of tolerations of the same key, effect,
/// operator and value.
fn tolerate_everything(pod: &mut Mut<'_, '_>) {
    let is_same = |toleration: Ref<'_, '_>| {
        toleration.get("Key").str().is_empty()
            && toleration.get("Value").str().is_empty()
            && toleration.get("Operator").str() == "Exists"
            && toleration.get("Effect").str() == "NoExecute"
    };
    let mut found = false;
    for mut toleration in pod.at("Spec.Tolerations").items() {
        if is_same(toleration.look()) {
            toleration.get("TolerationSeconds").clear();
            found = true;
        }
    }
    if !found {
        let mut toleration = pod.at("Spec.Tolerations").push();
        toleration.get("Operator").set_str("Exists");
        toleration.get("Effect").set_str("NoExecute");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::decode;

    fn schema() -> Schema {
        Schema::load("v1.30.14".parse().unwrap()).unwrap()
    }

    fn pod(schema: &Schema, spec: &str) -> Value {
        let text = format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p"}},"spec":{spec}}}"#
        );
        let kind = schema.kind("v1", "Pod").unwrap();
        decode::decode(schema, kind.versioned, &text).unwrap().value
    }

    fn look<'v>(schema: &'v Schema, pod: &'v Value, path: &str) -> Ref<'v, 'v> {
        Ref::new(schema, schema.kind("v1", "Pod").unwrap().versioned, pod).at(path)
    }

    #[test]
    fn an_empty_list_is_nil_once_it_has_been_on_the_wire() {
        let schema = schema();
        let sent = pod(
            &schema,
            r#"{"containers":[{"name":"c","args":[],"env":[]}]}"#,
        );
        let kind = schema.kind("v1", "Pod").unwrap();
        let received = receive(&schema, kind, sent.clone()).unwrap();
        let args = |pod| {
            look(&schema, pod, "Spec.Containers")
                .items()
                .next()
                .unwrap()
                .get("Args")
                .is_nil()
        };
        assert!(!args(&sent));
        assert!(args(&received));
    }

    #[test]
    fn a_field_of_a_disabled_gate_is_dropped_when_the_object_is_created_but_not_when_it_is_served()
    {
        let schema = schema();
        let kind = schema.kind("v1", "Pod").unwrap();
        let sidecar = pod(
            &schema,
            r#"{"containers":[{"name":"c"}],"initContainers":[{"name":"s","restartPolicy":"Always"}]}"#,
        );
        let off = BTreeMap::from([("SidecarContainers".to_owned(), false)]);
        let gates = Gates::with_overrides(&schema, &off);
        let policy = |pod: &Value| {
            let first = look(&schema, pod, "Spec.InitContainers").items().next();
            first.unwrap().get("RestartPolicy").str().to_owned()
        };
        let created = create(&schema, kind, sidecar.clone(), &Gates::defaults(&schema)).unwrap();
        assert_eq!(policy(&created), "Always");
        let created = create(&schema, kind, sidecar.clone(), &gates).unwrap();
        assert_eq!(policy(&created), "");
        let served = serve(&schema, kind, sidecar, &gates).unwrap();
        assert_eq!(policy(&served), "Always");
    }

    #[test]
    fn a_static_pod_with_a_uid_keeps_it_and_one_without_depends_on_node_and_file() {
        let schema = schema();
        let kind = schema.kind("v1", "Pod").unwrap();
        let gates = Gates::defaults(&schema);
        let uid = |node, file| {
            let pod = pod(&schema, r#"{"containers":[{"name":"c"}]}"#);
            let pod = read_file(
                &schema,
                kind,
                (kind.versioned, pod),
                &gates,
                StaticSource {
                    manifest: Manifest::File(file),
                    node,
                },
            )
            .unwrap();
            look(&schema, &pod, "ObjectMeta.UID").str().to_owned()
        };
        assert_eq!(uid("a", "/m/p.yaml").len(), 32);
        assert_eq!(uid("a", "/m/p.yaml"), uid("a", "/m/p.yaml"));
        assert_ne!(uid("a", "/m/p.yaml"), uid("b", "/m/p.yaml"));
        assert_ne!(uid("a", "/m/p.yaml"), uid("a", "/m/q.yaml"));
    }

    fn mounts_of_pod_of(job_spec: &str, admission: bool) -> Vec<(String, usize, usize)> {
        let schema = schema();
        let gates = Gates::defaults(&schema);
        let kind = schema.kind("batch/v1", "Job").unwrap();
        let text = format!(
            r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"j"}},"spec":{job_spec}}}"#
        );
        let job = decode::decode(&schema, kind.versioned, &text)
            .unwrap()
            .value;
        let job = deliver(&schema, kind, job, &gates).unwrap();
        let pod = pod_of(&schema, kind, &job, &gates, admission).unwrap();
        ["Spec.InitContainers", "Spec.Containers"]
            .iter()
            .flat_map(|list| look(&schema, &pod, list).items())
            .map(|c| {
                (
                    c.get("Name").str().to_owned(),
                    c.get("VolumeMounts").len(),
                    c.get("Env").len(),
                )
            })
            .collect()
    }

    #[test]
    fn every_container_that_does_not_mount_the_token_itself_gets_it() {
        let template = r#"{"template":{"spec":{
            "initContainers":[{"name":"i"}],
            "containers":[{"name":"c"},{"name":"own","volumeMounts":[
                {"name":"t","mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}]}]}}}"#;
        let expected = |n| {
            vec![
                ("i".to_owned(), n, 0),
                ("c".to_owned(), n, 0),
                ("own".to_owned(), 1, 0),
            ]
        };
        assert_eq!(mounts_of_pod_of(template, true), expected(1));
        assert_eq!(mounts_of_pod_of(template, false), expected(0));
    }

    #[test]
    fn a_pod_that_wants_no_token_gets_none() {
        let template = r#"{"template":{"spec":{
            "automountServiceAccountToken":false,"containers":[{"name":"c"}]}}}"#;
        assert_eq!(mounts_of_pod_of(template, true), [("c".to_owned(), 0, 0)]);
    }

    #[test]
    fn an_indexed_job_tells_its_containers_their_index_unless_they_know() {
        let template = r#"{"completionMode":"Indexed","completions":2,"template":{"spec":{
            "automountServiceAccountToken":false,
            "initContainers":[{"name":"i","env":[{"name":"JOB_COMPLETION_INDEX","value":"7"}]}],
            "containers":[{"name":"c","env":[{"name":"A"}]}]}}}"#;
        assert_eq!(
            mounts_of_pod_of(template, true),
            [("i".to_owned(), 0, 1), ("c".to_owned(), 0, 2)]
        );
    }
}
