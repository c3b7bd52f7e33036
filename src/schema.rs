//! The Go types of one release, as reflection saw them.
//!
//! In: `golden/schemas/*.jsonl`, which the reference programs write by reflection over the real
//! packages. Out: a [`Schema`]: every type reachable from the workload kinds, versioned and
//! internal, with its fields in declaration order, unexported ones included. Everything later in
//! the data's way (decoding, defaults, conversion, printing) is driven by it; no Kubernetes type
//! is written by hand.
//!
//! Types are stored once for all releases that share them and parsed only when a release that has
//! them is asked for; releases whose schemas are equal share what was parsed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use fnv::FnvHashMap;
use serde::Deserialize;

use crate::release::Release;

/// Every distinct type definition, a JSON object a line, sorted by type and digest.
const TYPES: &str = include_str!("../golden/schemas/types.jsonl");
/// A line per release: toolchain, kinds, feature gates and the digests of its types, or how it
/// differs from the release of an earlier line.
const RELEASES: &str = include_str!("../golden/schemas/releases.jsonl");

/// A type of a [`Schema`]; only meaningful together with the schema it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

impl TypeId {
    /// No type of any schema; never looked up.
    pub(crate) const NONE: TypeId = TypeId(u32::MAX);
}

/// All types of one release.
pub struct Schema {
    release: Release,
    toolchain: &'static str,
    types: Arc<Types>,
}

/// What releases share whose lines say the same.
#[derive(Default)]
struct Types {
    kinds: Box<[KindEntry]>,
    checkpoints: Box<[CheckpointEntry]>,
    endpoints: EndpointTypes,
    endpoints_kind: Option<KindEntry>,
    gates: FnvHashMap<Box<str>, bool>,
    types: Vec<Type>,
    ids: FnvHashMap<Box<str>, TypeId>,
}

/// A workload kind that a release serves in one API version.
#[derive(Clone, Debug)]
pub struct KindEntry {
    /// Group and version as manifests write them: `v1`, `apps/v1beta2`.
    pub api_version: Box<str>,
    /// The kind: `Deployment`.
    pub kind: Box<str>,
    /// The versioned Go type.
    pub versioned: TypeId,
    /// The type of the same kind in the release's internal version.
    pub internal: Option<TypeId>,
}

/// A file in which a kubelet of the release keeps something over a restart.
#[derive(Clone, Debug)]
pub struct CheckpointEntry {
    /// What requests call it: `cpu-manager`.
    pub form: Box<str>,
    /// Its name: `cpu_manager_state`.
    pub file: Box<str>,
    /// The structs that the release reads it as; the first is the one it writes.
    pub formats: Box<[CheckpointFormat]>,
}

/// One struct that a checkpoint file is read as.
#[derive(Clone, Debug)]
pub struct CheckpointFormat {
    /// The struct.
    pub ty: TypeId,
    /// Types that are dumped in place of it, or that a text in it holds.
    pub others: Box<[TypeId]>,
}

/// The types in which a release hashes Endpoints and EndpointSlices; those that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndpointTypes {
    /// A subset of versioned Endpoints.
    pub versioned: Option<TypeId>,
    /// A subset of internal Endpoints.
    pub internal: Option<TypeId>,
    /// An EndpointSlice, in the version that the release's controller uses.
    pub slice: Option<TypeId>,
}

/// One Go type.
#[derive(Clone, Debug)]
pub struct Type {
    /// Import path and name, or the composed form: `k8s.io/api/core/v1.Container`, `[]string`.
    pub id: Box<str>,
    /// What `reflect.Type.String` prints: package *name* and type name.
    pub name: Box<str>,
    /// What the type is made of.
    pub kind: Kind,
    /// Set where Go code of the type itself, not its shape, decides how it is read and written.
    pub special: Option<Special>,
}

/// What a type is made of, after Go's `reflect.Kind`.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `bool`
    Bool,
    /// `int` … `int64`, with the width in bits.
    Int(u8),
    /// `uint` … `uint64`, with the width in bits.
    Uint(u8),
    /// `uintptr`: spew prints it in hexadecimal.
    Uintptr,
    /// `float32`, `float64`, with the width in bits.
    Float(u8),
    /// `string`
    String,
    /// `*T`
    Pointer(TypeId),
    /// `[]T`
    Slice(TypeId),
    /// `[]byte`: base64 in JSON, one value here.
    Bytes,
    /// `[N]T`
    Array(usize, TypeId),
    /// `map[K]V`
    Map(TypeId, TypeId),
    /// `struct{…}`
    Struct(Box<[Field]>),
    /// An interface; only nil is ever met in the objects that are hashed.
    Interface,
    /// Channels, functions and what the reflection walk does not enter (`time.Location`).
    Opaque,
}

/// Types whose own methods decide their JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `resource.Quantity`
    Quantity,
    /// `time.Time`
    GoTime,
    /// `metav1.Time`, `unversioned.Time`
    Time,
    /// `metav1.MicroTime`
    MicroTime,
    /// `metav1.Duration`
    Duration,
    /// `intstr.IntOrString`, `util.IntOrString`
    IntOrString,
    /// `metav1.FieldsV1`, `runtime.RawExtension`: raw JSON in a struct.
    RawJson,
    /// The CPU manager's `state.PodEntry` (1.36 on): a struct with a set of CPUs, which is a string
    /// in JSON.
    CpuEntry,
    /// `metav1.Fields` (1.14, 1.15): a struct that is written as the map inside.
    Fields,
}

/// A struct field.
#[derive(Clone, Debug)]
pub struct Field {
    /// The Go name.
    pub name: Box<str>,
    /// The field's type.
    pub ty: TypeId,
    /// How `encoding/json` sees the field; `None` for unexported fields and `json:"-"`.
    pub json: Option<JsonField>,
    /// Whether the field has a protobuf tag, so that it survives the wire.
    pub protobuf: bool,
    /// An embedded field.
    pub embedded: bool,
}

/// `encoding/json`'s view of a field.
#[derive(Clone, Debug)]
pub struct JsonField {
    /// The key; empty where the embedded struct's own fields are promoted instead.
    pub key: Box<str>,
    /// `"key":` ready to be written.
    pub quoted: Box<str>,
    /// `omitempty`
    pub omit_empty: bool,
    /// `omitzero` (Go 1.24 and later act on it).
    pub omit_zero: bool,
}

impl JsonField {
    /// Whether the fields of this embedded struct appear in the outer object.
    pub fn is_inlined(&self) -> bool {
        self.key.is_empty()
    }
}

/// Why a schema could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError(String);

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SchemaError {}

// ---- what the JSON lines hold -------------------------------------------------------------

#[derive(Deserialize)]
struct TypeLine<'a> {
    #[serde(borrow, rename = "type")]
    ty: RawType<'a>,
}

#[derive(Deserialize)]
struct RawType<'a> {
    id: &'a str,
    name: &'a str,
    kind: &'a str,
    elem: Option<&'a str>,
    key: Option<&'a str>,
    #[serde(borrow, default)]
    fields: Vec<RawField<'a>>,
}

#[derive(Deserialize)]
struct RawField<'a> {
    n: &'a str,
    t: &'a str,
    tag: Option<&'a str>,
    pb: Option<&'a str>,
    #[serde(default)]
    anon: bool,
    #[serde(default)]
    unexp: bool,
}

/// A line of [`RELEASES`]. With `like`, what is absent is as in the release of that earlier line,
/// and its types are these without `without`, and `types` besides.
#[derive(Deserialize)]
struct ReleaseLine<'a> {
    toolchain: &'a str,
    like: Option<&'a str>,
    #[serde(borrow)]
    kinds: Option<Vec<RawKind<'a>>>,
    #[serde(borrow)]
    checkpoints: Option<Vec<RawCheckpoint<'a>>>,
    #[serde(borrow)]
    endpoints: Option<FnvHashMap<&'a str, &'a str>>,
    #[serde(borrow, rename = "featureGates")]
    gates: Option<FnvHashMap<&'a str, bool>>,
    #[serde(borrow, default)]
    without: Vec<&'a str>,
    #[serde(borrow, default)]
    types: Vec<&'a str>,
}

impl<'a> ReleaseLine<'a> {
    /// The release that this one equals but for its number and its toolchain.
    fn equal_to(&self) -> Option<&'a str> {
        let differs = self.kinds.is_some()
            || self.checkpoints.is_some()
            || self.endpoints.is_some()
            || self.gates.is_some()
            || !self.without.is_empty()
            || !self.types.is_empty();
        self.like.filter(|_| !differs)
    }

    /// Takes over from the line that this one is like.
    fn complete(&mut self, base: ReleaseLine<'a>) {
        self.like = base.like;
        self.kinds = self.kinds.take().or(base.kinds);
        self.checkpoints = self.checkpoints.take().or(base.checkpoints);
        self.endpoints = self.endpoints.take().or(base.endpoints);
        self.gates = self.gates.take().or(base.gates);
        let kept = base.types.into_iter();
        self.types
            .extend(kept.filter(|digest| !self.without.contains(digest)));
        self.without.extend(base.without);
    }
}

#[derive(Deserialize)]
struct RawKind<'a> {
    #[serde(rename = "apiVersion")]
    api_version: &'a str,
    kind: &'a str,
    #[serde(rename = "type")]
    ty: &'a str,
    internal: Option<&'a str>,
}

#[derive(Deserialize)]
struct RawCheckpoint<'a> {
    form: &'a str,
    file: &'a str,
    #[serde(borrow)]
    formats: Vec<RawFormat<'a>>,
}

#[derive(Deserialize)]
struct RawFormat<'a> {
    #[serde(rename = "type")]
    ty: &'a str,
    #[serde(borrow, default)]
    others: Vec<&'a str>,
}

/// Where each type's line stands, by digest. Lines begin `{"sha256":"<16 hex>",`.
fn type_lines() -> &'static FnvHashMap<&'static str, &'static str> {
    static LINES: OnceLock<FnvHashMap<&'static str, &'static str>> = OnceLock::new();
    LINES.get_or_init(|| {
        TYPES
            .lines()
            .filter_map(|line| Some((line.get(11..27)?, line)))
            .collect()
    })
}

/// A release's line, and where it begins.
fn find_line<'a>(lines: &'a str, release: &str) -> Option<(usize, &'a str)> {
    let prefix = format!("{{\"release\":\"{release}\",");
    let mut start = 0;
    for line in lines.lines() {
        if line.starts_with(&prefix) {
            return Some((start, line));
        }
        start += line.len() + 1;
    }
    None
}

/// [`find_line`], parsed. A line can only be like one that stands before `end`.
fn read_line<'a>(
    lines: &'a str,
    release: &str,
    end: usize,
) -> Result<(usize, ReleaseLine<'a>), SchemaError> {
    let (start, line) = find_line(lines, release)
        .filter(|(start, _)| *start < end)
        .ok_or_else(|| SchemaError(format!("no schema was recorded for {release}")))?;
    let line = serde_json::from_str(line)
        .map_err(|e| SchemaError(format!("the line of {release} is damaged: {e}")))?;
    Ok((start, line))
}

/// A line with everything that it leaves to earlier ones.
fn whole<'a>(
    lines: &'a str,
    mut start: usize,
    mut line: ReleaseLine<'a>,
) -> Result<ReleaseLine<'a>, SchemaError> {
    while let Some(release) = line.like {
        let base;
        (start, base) = read_line(lines, release, start)?;
        line.complete(base);
    }
    Ok(line)
}

/// The releases that have a schema of their own, in the file's order.
pub fn releases() -> impl Iterator<Item = Release> {
    RELEASES.lines().filter_map(|line| {
        let rest = line.strip_prefix("{\"release\":\"")?;
        rest.split('"').next()?.parse().ok()
    })
}

/// The Go toolchain that a release's schema was recorded with, without loading the schema.
pub fn toolchain_of(release: Release) -> Option<&'static str> {
    let (_, line) = find_line(RELEASES, &release.to_string())?;
    let (_, rest) = line.split_once("\"toolchain\":\"")?;
    rest.split('"').next()
}

impl Schema {
    /// The schema of a release that stands in `golden/schemas`.
    ///
    /// # Errors
    /// When there is none, or when the embedded file is damaged.
    pub fn load(release: Release) -> Result<Schema, SchemaError> {
        let name = release.to_string();
        let (mut start, mut line) = read_line(RELEASES, &name, usize::MAX)?;
        let toolchain = line.toolchain;
        while let Some(other) = line.equal_to() {
            (start, line) = read_line(RELEASES, other, start)?;
        }
        let types = shared(start, line)
            .map_err(|e| SchemaError(format!("schema of {release} is damaged: {e}")))?;
        Ok(Schema {
            release,
            toolchain,
            types,
        })
    }

    /// The release these types belong to.
    pub fn release(&self) -> Release {
        self.release
    }

    /// The Go toolchain the release was built with: `go1.23.10`.
    pub fn toolchain(&self) -> &str {
        self.toolchain
    }

    /// The workload kinds, in every API version that the release serves.
    pub fn kinds(&self) -> &[KindEntry] {
        &self.types.kinds
    }

    /// The kind that a manifest names.
    pub fn kind(&self, api_version: &str, kind: &str) -> Option<&KindEntry> {
        self.kinds()
            .iter()
            .find(|k| &*k.api_version == api_version && &*k.kind == kind)
    }

    /// The files that a kubelet keeps over a restart, with their types. Empty where the release has
    /// none, or where its schema was recorded before they were asked for.
    pub fn checkpoints(&self) -> &[CheckpointEntry] {
        &self.types.checkpoints
    }

    /// The types in which Endpoints and EndpointSlices are hashed. None where the schema was
    /// recorded before they were asked for.
    pub fn endpoints(&self) -> EndpointTypes {
        self.types.endpoints
    }

    /// Endpoints, which are no workload; `None` where the schema does not tell of their subsets.
    /// What is around these is laid out by hand.
    pub fn endpoints_kind(&self) -> Option<&KindEntry> {
        self.types.endpoints_kind.as_ref()
    }

    /// Whether a feature gate is on by default; `None` where the release has no such gate.
    pub fn feature_gate(&self, name: &str) -> Option<bool> {
        self.types.gates.get(name).copied()
    }

    /// Every feature gate and whether it is on by default.
    pub fn feature_gates(&self) -> impl Iterator<Item = (&str, bool)> {
        self.types.gates.iter().map(|(gate, on)| (&**gate, *on))
    }

    /// The types that have a name of their own, in no particular order.
    pub fn named_types(&self) -> impl Iterator<Item = &Type> {
        let composed = |id: &str| id.starts_with(['*', '[']) || id.starts_with("map[");
        let types = self.types.types.iter();
        types.filter(move |ty| ty.id.contains('.') && !composed(&ty.id))
    }

    /// What a type is made of, as Go writes it: `[]string`, `map[string]k8s.io/api/core/v1.Taint`.
    pub fn kind_name(&self, kind: &Kind) -> String {
        let id = |ty: &TypeId| &*self[*ty].id;
        match kind {
            Kind::Bool => "bool".to_owned(),
            Kind::Int(bits) => format!("int{bits}"),
            Kind::Uint(bits) => format!("uint{bits}"),
            Kind::Uintptr => "uintptr".to_owned(),
            Kind::Float(bits) => format!("float{bits}"),
            Kind::String => "string".to_owned(),
            Kind::Pointer(to) => format!("*{}", id(to)),
            Kind::Slice(of) => format!("[]{}", id(of)),
            Kind::Bytes => "[]uint8".to_owned(),
            Kind::Array(length, of) => format!("[{length}]{}", id(of)),
            Kind::Map(key, value) => format!("map[{}]{}", id(key), id(value)),
            Kind::Struct(_) => "struct".to_owned(),
            Kind::Interface => "interface".to_owned(),
            Kind::Opaque => "opaque".to_owned(),
        }
    }

    /// The type with this id (`k8s.io/api/core/v1.Container`, `*int64`).
    pub fn find(&self, id: &str) -> Option<TypeId> {
        self.types.ids.get(id).copied()
    }

    /// The type of a slice's elements.
    pub fn elem(&self, slice: TypeId) -> Option<TypeId> {
        match self[slice].kind {
            Kind::Slice(elem) => Some(elem),
            _ => None,
        }
    }

    /// A struct's fields; empty for every other kind.
    pub fn fields(&self, ty: TypeId) -> &[Field] {
        match &self[ty].kind {
            Kind::Struct(fields) => fields,
            _ => &[],
        }
    }

    /// The position and the description of a field, by its Go name.
    pub fn field(&self, ty: TypeId, name: &str) -> Option<(usize, &Field)> {
        self.fields(ty)
            .iter()
            .enumerate()
            .find(|(_, field)| &*field.name == name)
    }
}

#[cfg(test)]
impl Schema {
    /// A schema of these types alone, where a test wants others than those that were recorded.
    pub(crate) fn of(release: &str, line: &'static str, types: &'static str) -> Schema {
        let raws: Vec<RawType<'_>> = serde_json::from_str(types).unwrap();
        let line: ReleaseLine<'_> = serde_json::from_str(line).unwrap();
        Schema {
            release: release.parse().unwrap(),
            toolchain: line.toolchain,
            types: Arc::new(Types::of(&raws, &line).unwrap()),
        }
    }
}

/// The types of the line that begins at `start`: parsed once for as long as somebody has them.
fn shared(start: usize, line: ReleaseLine<'static>) -> Result<Arc<Types>, SchemaError> {
    static PARSED: Mutex<BTreeMap<usize, Weak<Types>>> = Mutex::new(BTreeMap::new());
    let mut parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(types) = parsed.get(&start).and_then(Weak::upgrade) {
        return Ok(types);
    }
    let types = Arc::new(Types::new(&whole(RELEASES, start, line)?)?);
    parsed.insert(start, Arc::downgrade(&types));
    Ok(types)
}

impl Types {
    fn new(line: &ReleaseLine<'_>) -> Result<Types, SchemaError> {
        let damaged = |what: &str, e: &dyn fmt::Display| SchemaError(format!("{what}: {e}"));
        let lines = type_lines();
        let mut raws = Vec::with_capacity(line.types.len());
        for digest in &line.types {
            let line = lines
                .get(digest)
                .ok_or_else(|| damaged("missing type", digest))?;
            let line: TypeLine = serde_json::from_str(line).map_err(|e| damaged(digest, &e))?;
            raws.push(line.ty);
        }
        Types::of(&raws, line)
    }

    fn of(raws: &[RawType<'_>], line: &ReleaseLine<'_>) -> Result<Types, SchemaError> {
        let damaged = |what: &str, e: &dyn fmt::Display| SchemaError(format!("{what}: {e}"));
        let gates = line.gates.iter().flatten();
        let mut types = Types {
            gates: gates.map(|(name, on)| (Box::from(*name), *on)).collect(),
            ..Types::default()
        };
        // Named types first, so that composed ones can refer to them in any order.
        for ty in raws {
            types.push(ty.id, ty.name.into(), Kind::Opaque);
        }
        for (index, ty) in raws.iter().enumerate() {
            let kind = types.raw_kind(ty).map_err(|e| damaged(ty.id, &e))?;
            types.types[index].kind = kind;
        }
        let mut kinds = Vec::new();
        for kind in line.kinds.iter().flatten() {
            kinds.push(KindEntry {
                api_version: kind.api_version.into(),
                kind: kind.kind.into(),
                versioned: types.intern(kind.ty).map_err(|e| damaged(kind.kind, &e))?,
                internal: match kind.internal {
                    Some(id) => Some(types.intern(id).map_err(|e| damaged(kind.kind, &e))?),
                    None => None,
                },
            });
        }
        types.kinds = kinds.into();
        let checkpoints = line.checkpoints.iter().flatten();
        types.checkpoints = checkpoints
            .map(|raw| types.checkpoint(raw).map_err(|e| damaged(raw.form, &e)))
            .collect::<Result<_, _>>()?;
        if let Some(raw) = &line.endpoints {
            types.endpoints = types.endpoint_types(raw)?;
        }
        types.endpoints_kind = types.lay_out_kind()?;
        Ok(types)
    }

    fn lay_out_kind(&mut self) -> Result<Option<KindEntry>, SchemaError> {
        let pods = |kind: &&KindEntry| (&*kind.api_version, &*kind.kind) == ("v1", "Pod");
        let Some(pod) = self.kinds.iter().find(pods).cloned() else {
            return Ok(None);
        };
        let EndpointTypes {
            versioned,
            internal,
            ..
        } = self.endpoints;
        let subset = match (versioned, internal) {
            (Some(subset), _) => subset,
            (None, Some(internal)) => self.lay_out_versioned(internal)?,
            (None, None) => return Ok(None),
        };
        let internal = match (internal, pod.internal) {
            (Some(subset), Some(pod)) => Some(self.lay_out_endpoints(subset, pod)?),
            _ => None,
        };
        Ok(Some(KindEntry {
            api_version: "v1".into(),
            kind: "Endpoints".into(),
            versioned: self.lay_out_endpoints(subset, pod.versioned)?,
            internal,
        }))
    }

    /// `Endpoints` (`pkg/api/types.go`, `pkg/api/v1/types.go`, later `pkg/apis/core/types.go` and
    /// `k8s.io/api/core/v1/types.go`; the same in all releases): the metadata that a Pod of the
    /// same version has, too, and the subsets.
    fn lay_out_endpoints(&mut self, subset: TypeId, pod: TypeId) -> Result<TypeId, SchemaError> {
        let subsets = self.intern(&format!("[]{}", self[subset].id))?;
        let mut fields = match &self[pod].kind {
            Kind::Struct(fields) => fields.to_vec(),
            _ => Vec::new(),
        };
        fields.truncate(2);
        fields.push(laid_out("Subsets", subsets, "subsets"));
        let own = |text: &str| text.replace("EndpointSubset", "Endpoints");
        let (id, name) = (own(&self[subset].id), own(&self[subset].name));
        Ok(self.push(&id, name.into(), Kind::Struct(fields.into())))
    }

    /// The type of a port's number in v1, `int` in 1.1 and `int32` since.
    fn versioned_port(&self) -> Option<TypeId> {
        let port = self.ids.get("k8s.io/kubernetes/pkg/api/v1.ContainerPort")?;
        let Kind::Struct(fields) = &self[*port].kind else {
            return None;
        };
        let number = fields.iter().find(|f| &*f.name == "ContainerPort");
        number.map(|field| field.ty)
    }

    /// v1's `EndpointSubset`, `EndpointAddress` and `EndpointPort` (`pkg/api/v1/types.go`, 1.1–1.5),
    /// which no function takes there: the internal ones with keys.
    fn lay_out_versioned(&mut self, internal: TypeId) -> Result<TypeId, SchemaError> {
        let (id, name) = (self[internal].id.clone(), self[internal].name.clone());
        let id = id.replace("pkg/api.", "pkg/api/v1.");
        if let Some(known) = self.ids.get(&*id) {
            return Ok(*known);
        }
        let Kind::Struct(inner) = self[internal].kind.clone() else {
            return Ok(internal);
        };
        let mut fields = Vec::with_capacity(inner.len());
        for field in inner {
            let ty = match self[field.ty].kind {
                Kind::Slice(elem) => {
                    let elem = self.lay_out_versioned(elem)?;
                    self.intern(&format!("[]{}", self[elem].id))?
                }
                Kind::Int(_) => self.versioned_port().unwrap_or(field.ty),
                _ => field.ty,
            };
            fields.push(laid_out(&field.name, ty, &key_of(&field.name)));
        }
        let name = name.replace("api.", "v1.");
        Ok(self.push(&id, name.into(), Kind::Struct(fields.into())))
    }

    fn checkpoint(&mut self, raw: &RawCheckpoint<'_>) -> Result<CheckpointEntry, SchemaError> {
        let mut formats = Vec::with_capacity(raw.formats.len());
        for format in &raw.formats {
            let ty = self.intern(format.ty)?;
            let others = format.others.iter().map(|other| self.intern(other));
            let others = others.collect::<Result<_, _>>()?;
            formats.push(CheckpointFormat { ty, others });
        }
        Ok(CheckpointEntry {
            form: raw.form.into(),
            file: raw.file.into(),
            formats: formats.into(),
        })
    }

    fn endpoint_types(
        &mut self,
        raw: &FnvHashMap<&str, &str>,
    ) -> Result<EndpointTypes, SchemaError> {
        let mut ty = |form| raw.get(form).map(|id| self.intern(id)).transpose();
        Ok(EndpointTypes {
            versioned: ty("versioned")?,
            internal: ty("internal")?,
            slice: ty("slice")?,
        })
    }

    fn push(&mut self, id: &str, name: Box<str>, kind: Kind) -> TypeId {
        let ty = TypeId(self.types.len() as u32);
        self.ids.insert(id.into(), ty);
        self.types.push(Type {
            id: id.into(),
            name,
            kind,
            special: special_of(id),
        });
        ty
    }

    fn name(&self, ty: TypeId) -> &str {
        &self.types[ty.0 as usize].name
    }

    fn raw_kind(&mut self, ty: &RawType<'_>) -> Result<Kind, SchemaError> {
        let elem = ty.elem.unwrap_or_default();
        Ok(match ty.kind {
            "struct" => {
                let mut fields = Vec::with_capacity(ty.fields.len());
                for field in &ty.fields {
                    fields.push(Field {
                        name: field.n.into(),
                        ty: self.intern(field.t)?,
                        json: json_field(field),
                        protobuf: field.pb.is_some(),
                        embedded: field.anon,
                    });
                }
                Kind::Struct(fields.into())
            }
            "slice" if elem == "uint8" => Kind::Bytes,
            "slice" => Kind::Slice(self.intern(elem)?),
            "map" => Kind::Map(self.intern(ty.key.unwrap_or_default())?, self.intern(elem)?),
            "ptr" => Kind::Pointer(self.intern(elem)?),
            predeclared => predeclared_kind(predeclared),
        })
    }

    /// The id for a reference: named, predeclared or composed (`*T`, `[]T`, `map[K]V`, `[N]T`).
    fn intern(&mut self, reference: &str) -> Result<TypeId, SchemaError> {
        if let Some(id) = self.ids.get(reference) {
            return Ok(*id);
        }
        let (name, kind) = if let Some(elem) = reference.strip_prefix('*') {
            let elem = self.intern(elem)?;
            (format!("*{}", self.name(elem)), Kind::Pointer(elem))
        } else if reference == "[]uint8" {
            (reference.to_owned(), Kind::Bytes)
        } else if let Some(elem) = reference.strip_prefix("[]") {
            let elem = self.intern(elem)?;
            (format!("[]{}", self.name(elem)), Kind::Slice(elem))
        } else if let Some((key, elem)) = reference
            .strip_prefix("map[")
            .and_then(|rest| rest.split_once(']'))
        {
            let (key, elem) = (self.intern(key)?, self.intern(elem)?);
            (
                format!("map[{}]{}", self.name(key), self.name(elem)),
                Kind::Map(key, elem),
            )
        } else if let Some((len, elem)) = reference
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
        {
            let elem = self.intern(elem)?;
            let len = len
                .parse()
                .map_err(|_| SchemaError(format!("no such type: {reference}")))?;
            (
                format!("[{len}]{}", self.name(elem)),
                Kind::Array(len, elem),
            )
        } else {
            (reference.to_owned(), predeclared_kind(reference))
        };
        Ok(self.push(reference, name.into(), kind))
    }
}

impl std::ops::Index<TypeId> for Types {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }
}

impl std::ops::Index<TypeId> for Schema {
    type Output = Type;

    fn index(&self, id: TypeId) -> &Type {
        &self.types[id]
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Schema({}, {} types)",
            self.release,
            self.types.types.len()
        )
    }
}

/// A field of a struct that reflection was not asked about.
fn laid_out(name: &str, ty: TypeId, key: &str) -> Field {
    Field {
        name: name.into(),
        ty,
        json: Some(JsonField {
            key: key.into(),
            quoted: format!("\"{key}\":").into(),
            omit_empty: !matches!(key, "ip" | "port"),
            omit_zero: false,
        }),
        protobuf: false,
        embedded: false,
    }
}

/// A Go name as JSON keys are written: `ip`, `notReadyAddresses`.
fn key_of(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) if letters.clone().any(char::is_lowercase) => {
            first.to_ascii_lowercase().to_string() + letters.as_str()
        }
        _ => name.to_ascii_lowercase(),
    }
}

fn predeclared_kind(name: &str) -> Kind {
    match name {
        "bool" => Kind::Bool,
        "int" | "int64" => Kind::Int(64),
        "int32" => Kind::Int(32),
        "int16" => Kind::Int(16),
        "int8" => Kind::Int(8),
        "uint" | "uint64" => Kind::Uint(64),
        "uint32" => Kind::Uint(32),
        "uint16" => Kind::Uint(16),
        "uint8" => Kind::Uint(8),
        "uintptr" => Kind::Uintptr,
        "float64" => Kind::Float(64),
        "float32" => Kind::Float(32),
        "string" => Kind::String,
        "struct {}" => Kind::Struct(Box::default()),
        name if name.starts_with("interface") => Kind::Interface,
        _ => Kind::Opaque,
    }
}

/// Types that carry methods of their own, by the end of their import path: the packages moved
/// (`pkg/api/unversioned` → `apimachinery/pkg/apis/meta/v1`), the names did not.
fn special_of(id: &str) -> Option<Special> {
    const SPECIALS: &[(&str, Special)] = &[
        ("/resource.Quantity", Special::Quantity),
        ("/meta/v1.Time", Special::Time),
        ("/unversioned.Time", Special::Time),
        ("/meta/v1.MicroTime", Special::MicroTime),
        ("/meta/v1.Duration", Special::Duration),
        ("/unversioned.Duration", Special::Duration),
        ("/intstr.IntOrString", Special::IntOrString),
        ("/util.IntOrString", Special::IntOrString),
        ("/meta/v1.FieldsV1", Special::RawJson),
        ("/meta/v1.Fields", Special::Fields),
        ("/runtime.RawExtension", Special::RawJson),
        ("/cpumanager/state.PodEntry", Special::CpuEntry),
    ];
    if id == "time.Time" {
        return Some(Special::GoTime);
    }
    if id.starts_with(['*', '[']) || id.starts_with("map[") {
        return None;
    }
    SPECIALS
        .iter()
        .find(|(end, _)| id.ends_with(end))
        .map(|(_, special)| *special)
}

/// Mirrors `typeFields` in `encoding/json/encode.go`: the tag's name, else the field's own; an
/// embedded struct without a name is inlined.
fn json_field(field: &RawField<'_>) -> Option<JsonField> {
    if field.unexp || field.tag == Some("-") {
        return None;
    }
    let (name, options) = match field.tag.unwrap_or_default().split_once(',') {
        Some((name, options)) => (name, options),
        None => (field.tag.unwrap_or_default(), ""),
    };
    let key = match name {
        "" if field.anon => "",
        "" => field.n,
        name => name,
    };
    let has = |option| options.split(',').any(|o| o == option);
    Some(JsonField {
        key: key.into(),
        quoted: format!("\"{key}\":").into(),
        omit_empty: has("omitempty"),
        omit_zero: has("omitzero"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = r#"{"release":"v1.2.0","toolchain":"go1","kinds":[],"featureGates":{"A":true},"types":["a","b","c"]}
{"release":"v1.2.1","toolchain":"go1","like":"v1.2.0","without":["b"],"types":["B"]}
{"release":"v1.2.2","toolchain":"go1","like":"v1.2.1","featureGates":{"A":false},"without":["B","c"],"types":["b"]}
{"release":"v1.2.3","toolchain":"go2","like":"v1.2.2"}
{"release":"v1.2.4","toolchain":"go2","like":"v1.2.5"}
{"release":"v1.2.5","toolchain":"go2","like":"v1.2.3"}
"#;

    fn types(release: &str) -> (Vec<&'static str>, bool) {
        let (start, line) = read_line(LINES, release, usize::MAX).unwrap();
        let mut line = whole(LINES, start, line).unwrap();
        line.types.sort_unstable();
        (line.types, line.gates.unwrap()["A"])
    }

    #[test]
    fn a_line_says_how_it_differs_from_an_earlier_one() {
        assert_eq!(types("v1.2.0"), (vec!["a", "b", "c"], true));
        assert_eq!(types("v1.2.1"), (vec!["B", "a", "c"], true));
        assert_eq!(types("v1.2.2"), (vec!["a", "b"], false));
        assert_eq!(types("v1.2.3"), types("v1.2.2"));
    }

    #[test]
    fn no_line_is_like_a_later_one() {
        let (start, line) = read_line(LINES, "v1.2.4", usize::MAX).unwrap();
        assert!(whole(LINES, start, line).is_err());
    }

    #[test]
    fn who_asks_again_gets_what_was_parsed() {
        let load = || Schema::load("v1.30.14".parse().unwrap()).unwrap();
        let (first, second) = (load(), load());
        assert!(Arc::ptr_eq(&first.types, &second.types));
    }
}
