//! One release, ready to answer: a document's JSON in, hashes out.
//!
//! This is where the arrows of the data's way are joined: decode, operations, the Pod of a
//! workload, hash. It is the crate's front door; everything else can be reached through it.

mod manifests;
mod network;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::decode::{self, DecodeError};
use crate::gates::{self, Gates};
use crate::json::{Reader, Token};
use crate::operations::{self, OperationError};
pub use crate::operations::{Manifest, StaticSource};
use crate::release::{Release, Span};
use crate::schema::{KindEntry, Schema, SchemaError, TypeId};
use crate::subject::checkpoint;
use crate::subject::container_hash::{Form, Function, Recipe};
use crate::subject::endpoints::SubsetHashes;
use crate::subject::pod_template_hash;
use crate::value::{Ref, Value};

/// What happened to an object before it is hashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// Plain decoding.
    Decoded,
    /// What a kubelet or controller of a cluster of that release has.
    #[default]
    Delivered,
    /// What the kubelet makes of a static Pod's manifest.
    Static,
}

impl View {
    /// All views.
    pub const ALL: [View; 3] = [View::Decoded, View::Delivered, View::Static];

    /// The word that names it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            View::Decoded => "decoded",
            View::Delivered => "delivered",
            View::Static => "static",
        }
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<View, String> {
        View::ALL
            .into_iter()
            .find(|view| view.as_str() == text)
            .ok_or_else(|| format!("no such view: {text}; there are decoded, delivered and static"))
    }
}

/// How a workload comes to the controller of its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrival {
    /// Plain decoding.
    Decoded,
    /// Created, served and received in a cluster of one release.
    #[default]
    Delivered,
    /// Served and received; some release created it before.
    Served,
}

impl FromStr for Arrival {
    type Err = String;

    fn from_str(text: &str) -> Result<Arrival, String> {
        match text {
            "decoded" => Ok(Arrival::Decoded),
            "delivered" => Ok(Arrival::Delivered),
            "served" => Ok(Arrival::Served),
            _ => Err(format!(
                "no such view: {text}; there are decoded, delivered and served"
            )),
        }
    }
}

/// Which list of a Pod a container stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContainerType {
    /// `initContainers`
    Init,
    /// `containers`
    Container,
    /// `ephemeralContainers`
    Ephemeral,
}

impl ContainerType {
    /// The word that names it everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            ContainerType::Init => "init",
            ContainerType::Container => "container",
            ContainerType::Ephemeral => "ephemeral",
        }
    }
}

impl fmt::Display for ContainerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What to hash, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// What happened to the object before.
    pub view: View,
    /// Feature gates that differ from the release's defaults.
    pub feature_gates: BTreeMap<String, bool>,
    /// Whether the Pods of workloads get the service account's mount, as admission adds it.
    pub admission: bool,
    /// Whether to return the bytes that were hashed, too.
    pub preimages: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            view: View::Delivered,
            feature_gates: BTreeMap::new(),
            admission: true,
            preimages: false,
        }
    }
}

/// A container's hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerHash {
    /// The container's name.
    pub name: String,
    /// The list it stands in.
    pub container_type: ContainerType,
    /// The number; the annotation holds it in hexadecimal, lowercase and not padded.
    pub hash: u32,
    /// The exact bytes that were hashed, if asked for.
    pub preimage: Option<Vec<u8>>,
}

/// A hash, and what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The number.
    pub hash: u32,
    /// The exact bytes that were hashed.
    pub preimage: Vec<u8>,
}

/// Endpoints in their canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointsHashes {
    /// The subsets, as v1 writes them in JSON.
    pub repacked: String,
    /// The hashes of each of them.
    pub subsets: Vec<SubsetHashes>,
}

/// An object's container hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectHashes {
    /// `apiVersion` of the object.
    pub api_version: String,
    /// `kind` of the object.
    pub kind: String,
    /// `metadata.namespace`, empty if it has none.
    pub namespace: String,
    /// `metadata.name` (or `generateName`).
    pub name: String,
    /// Init containers, containers, ephemeral containers, each in the order of the Pod.
    pub containers: Vec<ContainerHash>,
    /// Paths of fields that the release does not know and drops.
    pub unknown_fields: Vec<String>,
}

/// Why an object has no hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineError {
    /// The text is not a JSON object, or a value does not fit its field.
    Decode(DecodeError),
    /// The release does not serve this kind in this API version.
    UnknownKind {
        /// The release.
        release: Release,
        /// As the document says.
        api_version: String,
        /// As the document says.
        kind: String,
        /// API versions in which the release serves the kind; empty where it is no workload kind.
        served: Vec<String>,
    },
    /// The view exists for Pods only.
    ViewNeedsAPod {
        /// The view.
        view: View,
        /// The kind that was given.
        kind: String,
    },
    /// A feature gate that the release does not have.
    UnknownFeatureGate {
        /// The release.
        release: Release,
        /// The gate.
        gate: String,
    },
    /// `AllAlpha` or `AllBeta`: which gates they stand for is not recorded.
    FeatureGateOfMany {
        /// The gate.
        gate: String,
    },
    /// The release has no such hash function.
    NoSuchFunction {
        /// The release.
        release: Release,
    },
    /// The release does not count collisions of hashes.
    NoCollisionCounts {
        /// The release.
        release: Release,
    },
    /// The release has no controller that rolls the kind out.
    NoSuchController {
        /// The release.
        release: Release,
        /// The kind.
        kind: String,
    },
    /// Kubelets of the release have no such checkpoint file.
    NoSuchCheckpoint {
        /// The release.
        release: Release,
        /// Which file.
        form: checkpoint::Form,
    },
    /// The release's schema was recorded before the types of checkpoint files were.
    NoCheckpointTypes {
        /// The release.
        release: Release,
        /// Which file.
        form: checkpoint::Form,
    },
    /// kubeadm of the release does not compare manifests.
    NoManifests {
        /// The release.
        release: Release,
    },
    /// A manifest is no YAML.
    Yaml(String),
    /// The release's API server or kubelet would refuse the object.
    Operation(OperationError),
}

impl EngineError {
    /// The field at fault, as manifests write it; empty where it is the whole document.
    pub fn path(&self) -> &str {
        match self {
            EngineError::Decode(error) => &error.path,
            EngineError::UnknownKind { served, .. } if served.is_empty() => "kind",
            EngineError::UnknownKind { .. } => "apiVersion",
            _ => "",
        }
    }

    /// What can be done about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            EngineError::Decode(_) => Some("mend the field; the release's API server refuses it as it stands".into()),
            EngineError::UnknownKind { served, .. } if served.is_empty() => Some(
                "hashes exist for Pod, PodTemplate, ReplicationController, ReplicaSet, Deployment, DaemonSet, StatefulSet, Job and CronJob".into(),
            ),
            EngineError::UnknownKind { release, kind, served, .. } => {
                Some(format!("{release} serves {kind} as {}", served.join(", ")))
            }
            EngineError::ViewNeedsAPod { .. } => Some("leave --view away, or give a Pod".into()),
            EngineError::UnknownFeatureGate { .. } => Some("remove the gate, or ask for a release that has it".into()),
            EngineError::FeatureGateOfMany { .. } => Some("name each gate that the cluster sets".into()),
            EngineError::NoSuchFunction { .. }
            | EngineError::NoCollisionCounts { .. }
            | EngineError::NoSuchController { .. }
            | EngineError::NoSuchCheckpoint { .. }
            | EngineError::NoCheckpointTypes { .. }
            | EngineError::NoManifests { .. }
            | EngineError::Yaml(_)
            | EngineError::Operation(_) => None,
        }
    }
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Decode(error) => f.write_str(&error.message),
            EngineError::UnknownKind {
                release,
                api_version,
                kind,
                ..
            } => {
                write!(
                    f,
                    "{release} does not serve kind {kind:?} in apiVersion {api_version:?}"
                )
            }
            EngineError::ViewNeedsAPod { view, kind } => {
                write!(f, "the view {view} exists for Pods only, not for a {kind}")
            }
            EngineError::UnknownFeatureGate { release, gate } => {
                write!(f, "{release} has no feature gate {gate:?}")
            }
            EngineError::FeatureGateOfMany { gate } => {
                write!(
                    f,
                    "the feature gate {gate} stands for many, which are not known here"
                )
            }
            EngineError::NoSuchFunction { release } => {
                write!(f, "{release} has no such hash function")
            }
            EngineError::NoCollisionCounts { release } => {
                write!(f, "no collision counts in {release}")
            }
            EngineError::NoSuchController { release, kind } => {
                write!(f, "{release} has no controller that rolls a {kind} out")
            }
            EngineError::NoSuchCheckpoint { release, form } => {
                write!(f, "no checkpoint {form} in {release}")
            }
            EngineError::NoCheckpointTypes { release, form } => {
                write!(
                    f,
                    "the types of the checkpoint {form} are not recorded for {release}"
                )
            }
            EngineError::NoManifests { release } => {
                write!(f, "kubeadm compares no manifests in {release}")
            }
            EngineError::Yaml(error) => f.write_str(error),
            EngineError::Operation(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for EngineError {}

impl From<DecodeError> for EngineError {
    fn from(error: DecodeError) -> EngineError {
        EngineError::Decode(error)
    }
}

impl From<OperationError> for EngineError {
    fn from(error: OperationError) -> EngineError {
        EngineError::Operation(error)
    }
}

type Result<T, E = EngineError> = std::result::Result<T, E>;

/// A decoded object of a workload kind.
#[derive(Clone, Debug)]
pub struct Object<'s> {
    /// What it is.
    pub kind: &'s KindEntry,
    /// The type of the struct: the kind's versioned one, but for [`Engine::decode_manifest`].
    pub ty: TypeId,
    /// The struct.
    pub value: Value,
    /// Paths of fields that the release does not know.
    pub unknown_fields: Vec<String>,
    /// Whether the document was a container alone, which is then the Pod's only one.
    pub bare_container: bool,
}

/// An object after the operations of a view.
#[derive(Debug)]
pub struct Viewed {
    /// The type of the struct.
    pub ty: TypeId,
    /// Which of the release's types that is.
    pub form: Form,
    /// The struct.
    pub value: Value,
}

/// A container as it is hashed.
#[derive(Clone, Copy, Debug)]
pub struct Container<'v> {
    /// Its name.
    pub name: &'v str,
    /// The list it stands in.
    pub container_type: ContainerType,
    /// Its place in that list.
    pub index: usize,
    /// The type of the struct.
    pub ty: TypeId,
    /// The struct.
    pub value: &'v Value,
}

/// One release.
#[derive(Debug)]
pub struct Engine {
    schema: Schema,
}

impl Engine {
    /// The engine of a release that has a schema.
    ///
    /// # Errors
    /// When no schema was recorded for it.
    pub fn load(release: Release) -> std::result::Result<Engine, SchemaError> {
        Ok(Engine {
            schema: Schema::load(release)?,
        })
    }

    /// The release's types.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The gates of a request.
    ///
    /// # Errors
    /// When the release does not have one of them, or one of them stands for many.
    pub fn gates<'a>(&'a self, overrides: &'a BTreeMap<String, bool>) -> Result<Gates<'a>> {
        for gate in overrides.keys().cloned() {
            if self.schema.feature_gate(&gate).is_none() {
                let release = self.schema.release();
                return Err(EngineError::UnknownFeatureGate { release, gate });
            }
            if gates::stands_for_many(&gate) {
                return Err(EngineError::FeatureGateOfMany { gate });
            }
        }
        Ok(Gates::with_overrides(&self.schema, overrides))
    }

    /// Decodes a document of a workload kind. One without `kind` is taken for a container, the
    /// only one of an otherwise empty Pod.
    ///
    /// # Errors
    /// When it is not JSON, of another kind, or does not fit the release's types.
    pub fn decode(&self, text: &str) -> Result<Object<'_>> {
        let (api_version, kind) = type_meta(text)?;
        let Some(kind) = kind else {
            let pod = format!(
                r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"bare","namespace":"default"}},"spec":{{"containers":[{text}]}}}}"#
            );
            let mut object = self.decode_as("v1", "Pod", &pod)?;
            object.bare_container = true;
            return Ok(object);
        };
        self.decode_as(&api_version.unwrap_or_default(), &kind, text)
    }

    /// Decodes a document as the kubelet decodes a manifest: as [`Engine::decode`] does, but that
    /// of 1.1 takes a Pod without `apiVersion` for one of the internal version.
    ///
    /// # Errors
    /// As [`Engine::decode`]; and when it is no Pod, whatever else it is.
    pub fn decode_manifest(&self, text: &str) -> Result<Object<'_>> {
        let (api_version, kind) = type_meta(text)?;
        if let Some(kind) = kind.as_deref().filter(|kind| *kind != "Pod") {
            return Err(view_needs_a_pod(View::Static, kind));
        }
        if NO_VERSION_IS_INTERNAL.contains(self.schema.release())
            && api_version.unwrap_or_default().is_empty()
            && kind.as_deref() == Some("Pod")
            && let Some(entry) = self.schema.kind("v1", "Pod")
        {
            return self.decode_type(entry, internal_type(entry)?, text);
        }
        self.decode(text)
    }

    fn decode_as(&self, api_version: &str, kind: &str, text: &str) -> Result<Object<'_>> {
        let entry = self
            .schema
            .kind(api_version, kind)
            .ok_or_else(|| self.unknown_kind(api_version, kind))?;
        self.decode_type(entry, entry.versioned, text)
    }

    fn decode_type<'s>(
        &'s self,
        kind: &'s KindEntry,
        ty: TypeId,
        text: &str,
    ) -> Result<Object<'s>> {
        let decoded = decode::decode(&self.schema, ty, text)?;
        Ok(Object {
            kind,
            ty,
            value: decoded.value,
            unknown_fields: decoded.unknown,
            bare_container: false,
        })
    }

    fn unknown_kind(&self, api_version: &str, kind: &str) -> EngineError {
        let kinds = self.schema.kinds().iter();
        EngineError::UnknownKind {
            release: self.schema.release(),
            api_version: api_version.into(),
            kind: kind.into(),
            served: kinds
                .filter(|entry| &*entry.kind == kind)
                .map(|entry| entry.api_version.to_string())
                .collect(),
        }
    }

    /// Takes an object through the operations of a view, to the form that is asked for.
    ///
    /// # Errors
    /// When the view is not for this kind, or the release would refuse the object.
    pub fn view(
        &self,
        object: &Object<'_>,
        view: View,
        form: Form,
        gates: &Gates<'_>,
        source: StaticSource<'_>,
    ) -> Result<Viewed> {
        let (schema, kind, value) = (&self.schema, object.kind, object.value.clone());
        if view == View::Static {
            if &*kind.kind != "Pod" {
                return Err(view_needs_a_pod(view, &kind.kind));
            }
            // A release whose kubelet hashes the internal Pod never converts it to v1.
            let native = Recipe::of(Function::HashContainer, schema.release()).map(Recipe::form);
            if native == Some(Form::Internal) && form == Form::Internal {
                let value = operations::read_file_internal(
                    schema,
                    kind,
                    (object.ty, value),
                    gates,
                    source,
                )?;
                return Ok(Viewed {
                    ty: internal_type(kind)?,
                    form,
                    value,
                });
            }
        }
        if view != View::Static && object.ty != kind.versioned {
            return Err(self.unknown_kind("", &kind.kind));
        }
        let versioned = match view {
            View::Decoded => value,
            View::Delivered => operations::deliver(schema, kind, value, gates)?,
            View::Static => operations::read_file(schema, kind, (object.ty, value), gates, source)?,
        };
        self.in_form(kind, versioned, form)
    }

    /// A versioned object in the form that is asked for.
    ///
    /// # Errors
    /// When the release has no internal form of the kind, or where the conversion fails in Go.
    pub fn in_form(&self, kind: &KindEntry, value: Value, form: Form) -> Result<Viewed> {
        match form {
            Form::Versioned => Ok(Viewed {
                ty: kind.versioned,
                form,
                value,
            }),
            Form::Internal => Ok(Viewed {
                ty: internal_type(kind)?,
                form,
                value: operations::to_internal(&self.schema, kind, &value)?,
            }),
        }
    }
}

const NO_VERSION_IS_INTERNAL: Span = Span::minors(1, 1);

fn internal_type(kind: &KindEntry) -> Result<TypeId> {
    let missing = || {
        OperationError::new(format!(
            "{} has no internal form in this release",
            kind.kind
        ))
    };
    Ok(kind.internal.ok_or_else(missing)?)
}

/// Hashing.
impl Engine {
    /// The container hashes of a document, as the release's kubelet computes them.
    ///
    /// For a Pod its own containers; for a workload those of the Pod that its controller would
    /// create (in the view `decoded`: of the template as it stands).
    ///
    /// # Errors
    /// When the document cannot be decoded, or the view is not for its kind.
    pub fn container_hashes(&self, object_json: &str, options: &Options) -> Result<ObjectHashes> {
        let object = match options.view {
            View::Static => self.decode_manifest(object_json)?,
            View::Decoded | View::Delivered => self.decode(object_json)?,
        };
        let gates = self.gates(&options.feature_gates)?;
        let containers = self.hash_containers(Function::HashContainer, &object, &gates, options)?;
        let top = Ref::new(&self.schema, object.ty, &object.value);
        let metadata = |name| top.get("ObjectMeta").get(name).str().to_owned();
        let name = metadata("Name");
        Ok(ObjectHashes {
            api_version: object.kind.api_version.to_string(),
            kind: object.kind.kind.to_string(),
            namespace: metadata("Namespace"),
            name: if name.is_empty() {
                metadata("GenerateName")
            } else {
                name
            },
            containers,
            unknown_fields: object.unknown_fields,
        })
    }

    /// The same with one of the kubelet's three functions, for an object that was decoded.
    ///
    /// # Errors
    /// When the release has no such function, or the view is not for the object's kind.
    pub fn hash_containers(
        &self,
        function: Function,
        object: &Object<'_>,
        gates: &Gates<'_>,
        options: &Options,
    ) -> Result<Vec<ContainerHash>> {
        let release = self.schema.release();
        let recipe =
            Recipe::of(function, release).ok_or(EngineError::NoSuchFunction { release })?;
        let viewed = self.view_pod(object, recipe.form(), gates, options)?;
        let containers = self
            .containers(&viewed)
            .ok_or_else(|| no_template(&object.kind.kind))?;
        Ok(containers
            .into_iter()
            .map(|container| ContainerHash {
                name: container.name.to_owned(),
                container_type: container.container_type,
                hash: recipe.hash(&self.schema, container.ty, container.value),
                preimage: options
                    .preimages
                    .then(|| recipe.preimage(&self.schema, container.ty, container.value)),
            })
            .collect())
    }

    /// All containers of a Pod, or of the template inside a workload, as they are hashed; nothing
    /// where there is no template.
    pub fn containers<'v>(&self, viewed: &'v Viewed) -> Option<Vec<Container<'v>>> {
        let spec = pod_spec(Ref::new(&self.schema, viewed.ty, &viewed.value));
        // Ephemeral containers are hashed as the container type they convert to.
        let (list, _) = spec.get("Containers").parts()?;
        let ty = self.schema.elem(list)?;
        let lists = [
            ("InitContainers", ContainerType::Init),
            ("Containers", ContainerType::Container),
            ("EphemeralContainers", ContainerType::Ephemeral),
        ];
        let mut containers = Vec::new();
        for (field, container_type) in lists {
            for (index, item) in spec.get(field).items().enumerate() {
                let common = item.get("EphemeralContainerCommon");
                let container = if common.exists() { common } else { item };
                let Some((_, value)) = container.parts() else {
                    continue;
                };
                containers.push(Container {
                    name: container.get("Name").str(),
                    container_type,
                    index,
                    ty,
                    value,
                });
            }
        }
        Some(containers)
    }

    /// The Pod (or, in the view `decoded`, the object with the template) whose containers are
    /// hashed, in the form that the recipe wants.
    fn view_pod(
        &self,
        object: &Object<'_>,
        form: Form,
        gates: &Gates<'_>,
        options: &Options,
    ) -> Result<Viewed> {
        let source = StaticSource::default();
        if options.view != View::Delivered || &*object.kind.kind == "Pod" {
            return self.view(object, options.view, form, gates, source);
        }
        let workload = self.view(object, options.view, Form::Versioned, gates, source)?;
        let schema = &self.schema;
        let pod = operations::pod_of(
            schema,
            object.kind,
            &workload.value,
            gates,
            options.admission,
        )?;
        let kind = schema
            .kind("v1", "Pod")
            .ok_or_else(|| OperationError::new("this release has no Pods"))?;
        self.in_form(kind, pod, form)
    }
}

/// The API version in which the controller of a kind watches its objects: that of the informer which
/// its constructor takes, from 1.6 on.
const WATCHED_AS: &[(Span, &str, &str)] = &[
    (Span::minors(6, 10), "Deployment", "extensions/v1beta1"),
    (Span::since(11, 0), "Deployment", "apps/v1"),
    (Span::minors(6, 9), "DaemonSet", "extensions/v1beta1"),
    (Span::since(10, 0), "DaemonSet", "apps/v1"),
    (Span::minors(7, 9), "StatefulSet", "apps/v1beta1"),
    (Span::since(10, 0), "StatefulSet", "apps/v1"),
];

/// What controllers see and hash.
impl Engine {
    /// A decoded workload as the controller of its kind sees it: in the API version that it watches.
    /// Kinds without such a controller keep theirs.
    ///
    /// # Errors
    /// Where the conversion fails in Go.
    pub fn arrive<'s>(
        &'s self,
        object: &Object<'s>,
        arrival: Arrival,
        gates: &Gates<'_>,
    ) -> Result<Object<'s>> {
        let (schema, mut kind) = (&self.schema, object.kind);
        let watched = self.watched_as(kind);
        let mut value = object.value.clone();
        if arrival == Arrival::Delivered {
            value = operations::create(schema, kind, value, gates)?;
        }
        if arrival != Arrival::Decoded {
            value = operations::serve_as(schema, kind, value, watched, gates)?;
            value = operations::receive(schema, watched, value)?;
            kind = watched;
        }
        Ok(Object {
            kind,
            ty: kind.versioned,
            value,
            unknown_fields: object.unknown_fields.clone(),
            bare_container: object.bare_container,
        })
    }

    fn watched_as<'s>(&'s self, kind: &'s KindEntry) -> &'s KindEntry {
        let release = self.schema.release();
        WATCHED_AS
            .iter()
            .find(|(span, name, _)| span.contains(release) && *name == &*kind.kind)
            .and_then(|(_, name, api_version)| self.schema.kind(api_version, name))
            .unwrap_or(kind)
    }

    /// What the release writes into the label `pod-template-hash` for the template of a workload
    /// that its controller sees, or of a PodTemplate; and, if asked for, what it hashes.
    ///
    /// # Errors
    /// When the object has no template, or the release does not count collisions.
    pub fn pod_template_hash(
        &self,
        object: &Object<'_>,
        collision_count: Option<i64>,
        preimage: bool,
    ) -> Result<(String, Option<Vec<u8>>)> {
        let schema = &self.schema;
        let release = schema.release();
        let recipe = pod_template_hash::Recipe::of(release);
        if collision_count.is_some() && !recipe.counts_collisions() {
            return Err(EngineError::NoCollisionCounts { release });
        }
        let viewed = self.in_form(object.kind, object.value.clone(), recipe.form)?;
        let whole = Ref::new(schema, viewed.ty, &viewed.value);
        let Some((ty, template)) = template_inside(whole).deref().parts() else {
            return Err(no_template(&object.kind.kind));
        };
        let label = recipe.label(schema, ty, template, collision_count);
        let hashed = preimage.then(|| recipe.preimage(schema, ty, template, collision_count));
        Ok((label, hashed))
    }
}

fn no_template(kind: &str) -> EngineError {
    OperationError::new(format!("this {kind} has no Pod template")).into()
}

/// The PodSpec of a Pod, or of the template inside a workload.
fn pod_spec<'s, 'v>(object: Ref<'s, 'v>) -> Ref<'s, 'v> {
    pod_template(object).get("Spec")
}

/// The template inside a workload; a Pod is its own.
pub fn pod_template<'s, 'v>(object: Ref<'s, 'v>) -> Ref<'s, 'v> {
    let template = template_inside(object);
    if template.exists() { template } else { object }
}

/// The template inside a workload, or nothing.
fn template_inside<'s, 'v>(object: Ref<'s, 'v>) -> Ref<'s, 'v> {
    const PATHS: [&str; 3] = [
        "Spec.JobTemplate.Spec.Template",
        "Spec.Template",
        "Template",
    ];
    let mut templates = PATHS.iter().map(|path| object.at(path));
    templates
        .find(|template| template.exists())
        .unwrap_or_else(|| object.get("Template"))
}

fn view_needs_a_pod(view: View, kind: &str) -> EngineError {
    EngineError::ViewNeedsAPod {
        view,
        kind: kind.to_owned(),
    }
}

/// The document's `apiVersion` and `kind`, without decoding the rest.
fn type_meta(text: &str) -> Result<(Option<String>, Option<String>)> {
    let fail = |error: crate::json::SyntaxError| {
        EngineError::Decode(DecodeError {
            path: String::new(),
            message: error.to_string(),
        })
    };
    let mut reader = Reader::new(text);
    if reader.peek().map_err(fail)? != Token::Object {
        return Err(EngineError::Decode(DecodeError {
            path: String::new(),
            message: "expected an object with apiVersion and kind".into(),
        }));
    }
    let (mut api_version, mut kind) = (None, None);
    let mut first = true;
    reader.begin_object().map_err(fail)?;
    while let Some(key) = reader.next_key(&mut first).map_err(fail)? {
        let slot = match &*key {
            "apiVersion" => &mut api_version,
            "kind" => &mut kind,
            _ => {
                reader.raw().map_err(fail)?;
                continue;
            }
        };
        if reader.peek().map_err(fail)? != Token::String {
            return Err(EngineError::Decode(DecodeError {
                path: key.into_owned(),
                message: "expected a string".into(),
            }));
        }
        *slot = Some(reader.string().map_err(fail)?.into_owned());
    }
    reader.end().map_err(fail)?;
    Ok((api_version, kind))
}
