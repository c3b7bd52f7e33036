//! Between the versioned and the internal form of a workload.
//!
//! In: an object of one of the two Go types of a kind ([`KindEntry::versioned`],
//! [`KindEntry::internal`]). Out: the other. In the data's way this stands between
//! [`crate::defaults`], which work on the versioned form, and
//! [`strategy`](crate::strategy), which works on the internal one.
//!
//! Mirrors `Scheme.ConvertToVersion`: generated code (`zz_generated.conversion.go`, before 1.2
//! `conversion_generated.go`) copies a struct field by field, by Go name, and calls functions
//! written by hand for the types that have them. Here one walk over both schemas stands for the
//! generated code and `RULES` is the table of what was written by hand:
//!
//! | releases | where the Go code is |
//! | --- | --- |
//! | 1.1 – 1.8 | `pkg/api/v1/conversion.go` |
//! | 1.9 – | `pkg/apis/core/v1/conversion.go` |
//! | all | `pkg/apis/{apps,extensions,batch}/<version>/conversion.go` |
//!
//! Most functions written by hand do what the generated ones would (they predate the generator's
//! ability to turn `*int32` into `int32`), so the table is short. The internal types themselves
//! moved (Job from extensions to batch in 1.3, Deployment, DaemonSet and ReplicaSet from
//! extensions to apps in 1.13), which needs no rule: the schema says where they are. In 1.37 the
//! internal Pod became the same as the versioned one, and its rules moved into defaults and
//! strategy.

use std::fmt;

use crate::decode;
use crate::defaults;
use crate::gates::Gates;
use crate::print::json;
use crate::quantity::Flavour;
use crate::release::{Release, Span};
use crate::schema::{Kind, KindEntry, Schema, Special, TypeId};
use crate::value::{Mut, Ref, Value};

/// An object cannot be converted. Go's own words where Go has some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvertError(String);

impl ConvertError {
    fn new(message: impl Into<String>) -> ConvertError {
        ConvertError(message.into())
    }
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConvertError {}

/// Until 1.4 the functions of `defaults.go` ran inside the conversion to the internal version,
/// each before its type was converted.
const CONVERSION_APPLIES_DEFAULTS: Span = Span::minors(1, 4);

/// For a while the converter still called the function for the type of what it was handed, the
/// object itself above all, but no longer those for the types inside.
const CONVERTER_APPLIES_DEFAULTS: Span = Span::minors(5, 6);

/// 1.1's `ConvertToVersion` blanks the version only. (Decoding blanks both.)
const KIND_STAYS: Span = Span::minors(1, 1);

/// Kinds that a shortcut kept from the converter.
const FAST_PATH: &[&str] = &["Endpoints", "Pod", "ReplicationController"];

/// Makes the internal object of a versioned one. Its `apiVersion` and `kind` are empty, but for
/// 1.1, which keeps the kind.
///
/// # Errors
/// When the release has no internal form of the kind, or where Go's conversion fails: an
/// annotation that stands for a field and cannot be parsed, a nil pointer that Go follows.
pub fn to_internal(
    schema: &Schema,
    kind: &KindEntry,
    versioned: &Value,
    gates: &Gates<'_>,
) -> Result<Value, ConvertError> {
    let internal = internal_type(schema, kind)?;
    let mut converter = Converter::new(schema, kind, ToInternal, gates);
    let release = schema.release();
    let mut out = if CONVERSION_APPLIES_DEFAULTS.contains(release) {
        let mut defaulted = versioned.clone();
        // What annotations stand for becomes a field first, and gets defaults like a field.
        converter.read_annotations(kind.versioned, &mut defaulted)?;
        defaults::apply(
            Mut::new(schema, kind.versioned, &mut defaulted),
            kind,
            gates,
        );
        converter.convert(kind.versioned, &defaulted, internal)?
    } else if CONVERTER_APPLIES_DEFAULTS.contains(release) && !FAST_PATH.contains(&&*kind.kind) {
        let mut defaulted = versioned.clone();
        let mut object = Mut::new(schema, kind.versioned, &mut defaulted);
        defaults::apply_to_one(object.by_ref(), gates);
        for claim in object.at("Spec.VolumeClaimTemplates").items() {
            defaults::apply_to_one(claim, gates);
        }
        converter.convert(kind.versioned, &defaulted, internal)?
    } else {
        converter.convert(kind.versioned, versioned, internal)?
    };
    let name = if KIND_STAYS.contains(release) {
        &kind.kind
    } else {
        ""
    };
    set_type_meta(schema, internal, &mut out, "", name);
    Ok(out)
}

/// Makes the versioned object of an internal one. Its `apiVersion` and `kind` are the kind's.
///
/// # Errors
/// When the release has no internal form of the kind, or where Go's conversion fails.
pub fn from_internal(
    schema: &Schema,
    kind: &KindEntry,
    object: &Value,
    gates: &Gates<'_>,
) -> Result<Value, ConvertError> {
    let internal = internal_type(schema, kind)?;
    let mut converter = Converter::new(schema, kind, FromInternal, gates);
    let mut out = converter.convert(internal, object, kind.versioned)?;
    let name = kind_of(schema, kind);
    set_type_meta(schema, kind.versioned, &mut out, &kind.api_version, name);
    Ok(out)
}

/// The name under which an internal type is written. ScheduledJob was an alias of CronJob in 1.5
/// to 1.7, and what had been created as the one came back as the other.
fn kind_of<'a>(schema: &'a Schema, kind: &'a KindEntry) -> &'a str {
    let alias_of = |other: &&KindEntry| {
        &*kind.kind == "ScheduledJob"
            && &*other.kind == "CronJob"
            && other.api_version == kind.api_version
    };
    schema
        .kinds()
        .iter()
        .find(alias_of)
        .map_or(&kind.kind, |other| &other.kind)
}

fn internal_type(schema: &Schema, kind: &KindEntry) -> Result<TypeId, ConvertError> {
    kind.internal.ok_or_else(|| {
        ConvertError::new(format!(
            "{} {} has no internal form in {}",
            kind.api_version,
            kind.kind,
            schema.release()
        ))
    })
}

/// `GetObjectKind().SetGroupVersionKind(…)`
fn set_type_meta(schema: &Schema, ty: TypeId, object: &mut Value, api_version: &str, kind: &str) {
    let mut object = Mut::new(schema, ty, object);
    object.at("TypeMeta.APIVersion").set_str(api_version);
    object.at("TypeMeta.Kind").set_str(kind);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    ToInternal,
    FromInternal,
}

/// A conversion function written by hand, or rather what it does beyond copying fields: `after`
/// sees the source and the target into which the fields of the same name have been copied.
struct Rule {
    span: Span,
    direction: Direction,
    /// The Go type without its package.
    ty: &'static str,
    after: fn(&Converter<'_>, Ref<'_, '_>, Mut<'_, '_>) -> Result<(), ConvertError>,
}

use Direction::{FromInternal, ToInternal};

/// In the order in which Go does these things.
const RULES: &[Rule] = &[
    // Convert_v1_PodSpec_To_core_PodSpec and back
    Rule {
        span: Span::minors(1, 36),
        direction: ToInternal,
        ty: "PodSpec",
        after: service_account_to_internal,
    },
    Rule {
        span: Span::minors(2, 36),
        direction: ToInternal,
        ty: "PodSpec",
        after: host_namespaces_to_internal,
    },
    Rule {
        span: Span::minors(1, 36),
        direction: FromInternal,
        ty: "PodSpec",
        after: service_account_from_internal,
    },
    Rule {
        span: Span::minors(2, 36),
        direction: FromInternal,
        ty: "PodSpec",
        after: host_namespaces_from_internal,
    },
    // autoConvert_api_PodSpec_To_v1_PodSpec
    Rule {
        span: Span::minors(6, 7),
        direction: FromInternal,
        ty: "PodSpec",
        after: containers_are_never_nil,
    },
    // Convert_v1_PodStatus_To_core_PodStatus and back
    Rule {
        span: Span::minors(16, 36),
        direction: ToInternal,
        ty: "PodStatus",
        after: pod_ips_to_internal,
    },
    Rule {
        span: Span::minors(16, 36),
        direction: FromInternal,
        ty: "PodStatus",
        after: pod_ip_from_internal,
    },
    // Convert_v1_Pod_To_api_Pod, Convert_v1_PodTemplateSpec_To_api_PodTemplateSpec and back
    Rule {
        span: Span::minors(3, 7),
        direction: ToInternal,
        ty: "Pod",
        after: remove_pod_annotations,
    },
    Rule {
        span: Span::minors(3, 7),
        direction: ToInternal,
        ty: "PodTemplateSpec",
        after: remove_template_annotations,
    },
    Rule {
        span: Span::minors(3, 7),
        direction: FromInternal,
        ty: "Pod",
        after: write_pod_annotations,
    },
    Rule {
        span: Span::minors(3, 7),
        direction: FromInternal,
        ty: "PodTemplateSpec",
        after: write_template_annotations,
    },
    Rule {
        span: Span::minors(8, 36),
        direction: ToInternal,
        ty: "Pod",
        after: drop_annotations,
    },
    Rule {
        span: Span::minors(8, 36),
        direction: ToInternal,
        ty: "PodTemplateSpec",
        after: drop_annotations,
    },
    Rule {
        span: Span::minors(8, 36),
        direction: FromInternal,
        ty: "Pod",
        after: drop_annotations,
    },
    Rule {
        span: Span::minors(8, 36),
        direction: FromInternal,
        ty: "PodTemplateSpec",
        after: drop_annotations,
    },
    Rule {
        span: Span::minors(1, 5),
        direction: FromInternal,
        ty: "Pod",
        after: reset_mirror_pod,
    },
    Rule {
        span: Span::minors(27, 36),
        direction: ToInternal,
        ty: "Pod",
        after: no_negative_grace_period,
    },
    Rule {
        span: Span::minors(27, 36),
        direction: FromInternal,
        ty: "Pod",
        after: no_negative_grace_period,
    },
    // Convert_v1beta1_JobSpec_To_batch_JobSpec and back
    Rule {
        span: Span::minors(2, 5),
        direction: ToInternal,
        ty: "JobSpec",
        after: manual_selector_to_internal,
    },
    Rule {
        span: Span::minors(2, 5),
        direction: FromInternal,
        ty: "JobSpec",
        after: auto_selector_from_internal,
    },
    // Convert_v1beta2_Deployment_To_extensions_Deployment and back
    Rule {
        span: Span::since(8, 0),
        direction: ToInternal,
        ty: "Deployment",
        after: rollback_to_internal,
    },
    Rule {
        span: Span::since(8, 0),
        direction: FromInternal,
        ty: "Deployment",
        after: rollback_from_internal,
    },
    // Convert_v1beta2_DaemonSet_To_extensions_DaemonSet and back
    Rule {
        span: Span::since(8, 0),
        direction: ToInternal,
        ty: "DaemonSet",
        after: template_generation_to_internal,
    },
    Rule {
        span: Span::since(8, 0),
        direction: FromInternal,
        ty: "DaemonSet",
        after: template_generation_from_internal,
    },
    // Convert_v1_StatefulSetStatus_To_apps_StatefulSetStatus and back
    Rule {
        span: Span::minors(9, 16),
        direction: ToInternal,
        ty: "StatefulSetStatus",
        after: conditions_are_never_nil,
    },
    Rule {
        span: Span::minors(9, 16),
        direction: FromInternal,
        ty: "StatefulSetStatus",
        after: conditions_are_never_nil,
    },
    // Convert_v1_StatefulSetUpdateStrategy_To_apps_StatefulSetUpdateStrategy
    Rule {
        span: Span::minors(7, 16),
        direction: ToInternal,
        ty: "RollingUpdateStatefulSetStrategy",
        after: partition_is_not_nil,
    },
    // Convert_v1_StatefulSetSpec_To_apps_StatefulSetSpec and back
    Rule {
        span: Span::between((17, 0), (17, 2)),
        direction: ToInternal,
        ty: "StatefulSetSpec",
        after: claim_templates_keep_their_type,
    },
    Rule {
        span: Span::between((17, 0), (17, 2)),
        direction: FromInternal,
        ty: "StatefulSetSpec",
        after: claim_templates_keep_their_type,
    },
    Rule {
        span: Span::since(17, 3),
        direction: FromInternal,
        ty: "StatefulSetSpec",
        after: claim_templates_from_internal,
    },
];

struct Converter<'a> {
    schema: &'a Schema,
    kind: &'a KindEntry,
    release: Release,
    direction: Direction,
    gates: &'a Gates<'a>,
    /// The rows of the table that apply.
    rules: Vec<&'static Rule>,
}

impl<'a> Converter<'a> {
    fn new(
        schema: &'a Schema,
        kind: &'a KindEntry,
        direction: Direction,
        gates: &'a Gates<'a>,
    ) -> Converter<'a> {
        let release = schema.release();
        let rules = RULES
            .iter()
            .filter(|rule| rule.direction == direction && rule.span.contains(release))
            .collect();
        Converter {
            schema,
            kind,
            release,
            direction,
            gates,
            rules,
        }
    }

    /// The type's name without its package.
    fn simple_name(&self, ty: TypeId) -> &'a str {
        let name = &self.schema[ty].name;
        name.rsplit_once('.').map_or(&**name, |(_, name)| name)
    }

    fn convert(&mut self, from: TypeId, value: &Value, to: TypeId) -> Result<Value, ConvertError> {
        // Nothing below a type that both forms share is ever versioned.
        if from == to {
            return Ok(self.copied(value));
        }
        let schema = self.schema;
        match (&schema[from].kind, &schema[to].kind) {
            (Kind::Struct(_), Kind::Struct(_)) => self.convert_struct(from, value, to),
            (Kind::Pointer(from_elem), Kind::Pointer(to_elem)) => match value {
                Value::Pointer(inner) => Ok(Value::Pointer(Box::new(
                    self.convert(*from_elem, inner, *to_elem)?,
                ))),
                _ => Ok(Value::Nil),
            },
            (Kind::Pointer(from_elem), _) => match value {
                Value::Pointer(inner) => self.convert(*from_elem, inner, to),
                _ => self.nil_into_value(*from_elem, to),
            },
            (_, Kind::Pointer(to_elem)) => Ok(Value::Pointer(Box::new(
                self.convert(from, value, *to_elem)?,
            ))),
            (Kind::Slice(from_elem), Kind::Slice(to_elem)) => match value {
                Value::Slice(items) => {
                    let items = items
                        .iter()
                        .map(|item| self.convert(*from_elem, item, *to_elem));
                    Ok(Value::Slice(items.collect::<Result<_, _>>()?))
                }
                _ => Ok(Value::Nil),
            },
            (Kind::Map(_, from_elem), Kind::Map(_, to_elem)) => match value {
                Value::Map(entries) => {
                    let mut out = Vec::with_capacity(entries.len());
                    for (key, item) in entries {
                        out.push((key.clone(), self.convert(*from_elem, item, *to_elem)?));
                    }
                    if self.rounds(from) {
                        round_up_quantities(&mut out, Flavour::of(self.release))?;
                    }
                    Ok(Value::Map(out))
                }
                _ => Ok(Value::Nil),
            },
            // Numbers of another width, named strings: Go converts them by value.
            (Kind::Int(_), Kind::Uint(_)) => Ok(match value {
                Value::Int(number) => Value::Uint(*number as u64),
                other => other.clone(),
            }),
            (Kind::Uint(_), Kind::Int(_)) => Ok(match value {
                Value::Uint(number) => Value::Int(*number as i64),
                other => other.clone(),
            }),
            _ => Ok(value.clone()),
        }
    }

    /// `Convert_v1_ResourceList_To_api_ResourceList` rounded up to thousandths before
    /// `SetDefaults_ResourceList` did.
    fn rounds(&self, from: TypeId) -> bool {
        self.direction == ToInternal
            && Span::minors(2, 4).contains(self.release)
            && self.simple_name(from) == "ResourceList"
    }

    fn copied(&self, value: &Value) -> Value {
        match value {
            // `Quantity.Copy` made a zero out of a nil amount in 1.1 and 1.2.
            Value::Quantity(quantity) if Flavour::of(self.release) != Flavour::V1_3 => {
                Value::Quantity(Box::new(quantity.deep_copy(Flavour::of(self.release))))
            }
            other => other.clone(),
        }
    }

    /// `Convert_Pointer_int32_To_int32` and its kin: zero. The functions that hand a
    /// `*intstr.IntOrString` on were once written by hand and could not take nil; those of
    /// extensions went last.
    fn nil_into_value(&self, from_elem: TypeId, to: TypeId) -> Result<Value, ConvertError> {
        const NIL_INT_OR_STRING_IS_AN_ERROR: &[(Span, &str)] = &[
            (Span::minors(1, 16), ""),
            (Span::minors(17, 17), "extensions/"),
        ];
        if self.schema[from_elem].special == Some(Special::IntOrString)
            && NIL_INT_OR_STRING_IS_AN_ERROR.iter().any(|(span, group)| {
                span.contains(self.release) && self.kind.api_version.starts_with(group)
            })
        {
            return Err(ConvertError::new("expected pointer, but got nil"));
        }
        Ok(self.schema.zero(to))
    }

    fn convert_struct(
        &mut self,
        from: TypeId,
        value: &Value,
        to: TypeId,
    ) -> Result<Value, ConvertError> {
        let schema = self.schema;
        let mut changed;
        let mut value = value;
        if self.direction == ToInternal
            && INIT_CONTAINER_ANNOTATIONS_ARE_READ.contains(self.release)
            && !CONVERSION_APPLIES_DEFAULTS.contains(self.release)
        {
            changed = None;
            self.annotations_as_fields(from, value, &mut changed)?;
            if let Some(changed) = &changed {
                value = changed;
            }
        }
        let Value::Struct(values) = value else {
            return Err(ConvertError::new(format!(
                "{} is not a struct",
                schema[from].name
            )));
        };
        let mut out = Vec::with_capacity(schema.fields(to).len());
        for field in schema.fields(to) {
            // `Convert_v1_TypeMeta_To_v1_TypeMeta` copies nothing, at any depth.
            let source = schema
                .field(from, &field.name)
                .filter(|_| &*field.name != "TypeMeta");
            let converted =
                match source.and_then(|(index, source)| Some((source, values.get(index)?))) {
                    Some((source, value)) => self.convert(source.ty, value, field.ty)?,
                    None => schema.zero(field.ty),
                };
            out.push(converted);
        }
        let mut out = Value::Struct(out.into());
        let name = self.simple_name(to);
        for rule in &self.rules {
            if rule.ty == name {
                let source = Ref::new(schema, from, value);
                (rule.after)(self, source, Mut::new(schema, to, &mut out))?;
            }
        }
        Ok(out)
    }
}

fn round_up_quantities(
    entries: &mut [(Value, Value)],
    flavour: Flavour,
) -> Result<(), ConvertError> {
    for (_, value) in entries {
        if let Value::Quantity(quantity) = value {
            quantity
                .round_up_to_milli(flavour)
                .map_err(|error| ConvertError::new(error.to_string()))?;
        }
    }
    Ok(())
}

// ---- PodSpec ------------------------------------------------------------------------------

/// `serviceAccount` is an alias for `serviceAccountName`, which wins.
fn service_account_to_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if source.get("ServiceAccountName").str().is_empty() {
        target
            .get("ServiceAccountName")
            .set_str(source.get("DeprecatedServiceAccount").str());
    }
    Ok(())
}

fn service_account_from_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    target
        .get("DeprecatedServiceAccount")
        .set_str(source.get("ServiceAccountName").str());
    Ok(())
}

/// The fields of the versioned PodSpec that stand in the internal PodSecurityContext. A field
/// that one of the two does not have yet (`ShareProcessNamespace` before 1.10, `HostUsers` before
/// 1.25) is passed over.
const HOST_NAMESPACES: &[&str] = &[
    "HostNetwork",
    "HostPID",
    "HostIPC",
    "ShareProcessNamespace",
    "HostUsers",
];

fn host_namespaces_to_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    let mut security_context = target.get("SecurityContext").make();
    copy_fields(HOST_NAMESPACES, source, &mut security_context);
    Ok(())
}

fn host_namespaces_from_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    copy_fields(HOST_NAMESPACES, source.get("SecurityContext"), &mut target);
    Ok(())
}

fn copy_fields(names: &[&str], source: Ref<'_, '_>, target: &mut Mut<'_, '_>) {
    for name in names {
        if let Some((_, value)) = source.get(name).parts() {
            target.get(name).set(value.clone());
        }
    }
}

/// The generator made an empty list out of none where JSON does not omit the field. It did so only
/// in structs that it converts field by field; those that look alike in memory are cast whole.
fn containers_are_never_nil(
    _: &Converter<'_>,
    _: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    empty_instead_of_nil(target.get("Containers"), Value::Slice(Vec::new()));
    Ok(())
}

// ---- PodStatus ----------------------------------------------------------------------------

/// `podIP` wins over `podIPs` where the two differ: older kubelets write only the former.
fn pod_ips_to_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    let ip = source.get("PodIP").str();
    let first = source
        .get("PodIPs")
        .items()
        .next()
        .map(|first| first.get("IP").str());
    if !ip.is_empty() && first != Some(ip) {
        target.get("PodIPs").clear();
        target.get("PodIPs").push().get("IP").set_str(ip);
    }
    Ok(())
}

fn pod_ip_from_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if let Some(first) = source.get("PodIPs").items().next() {
        target.get("PodIP").set_str(first.get("IP").str());
    }
    Ok(())
}

// ---- init containers in annotations -------------------------------------------------------

/// Init containers lived in annotations before they had a field, and in both for a while.
const INIT_CONTAINER_ANNOTATIONS_ARE_READ: Span = Span::minors(3, 7);

const ALPHA_INIT_CONTAINERS: &str = "pod.alpha.kubernetes.io/init-containers";
const BETA_INIT_CONTAINERS: &str = "pod.beta.kubernetes.io/init-containers";
const ALPHA_INIT_CONTAINER_STATUSES: &str = "pod.alpha.kubernetes.io/init-container-statuses";
const BETA_INIT_CONTAINER_STATUSES: &str = "pod.beta.kubernetes.io/init-container-statuses";

/// The annotations that a Pod's fields are written to, newest first; 1.3 knows only the last.
const INIT_CONTAINERS: &[(Span, &str)] = &[
    (Span::since(4, 0), BETA_INIT_CONTAINERS),
    (Span::ALL, ALPHA_INIT_CONTAINERS),
];
const INIT_CONTAINER_STATUSES: &[(Span, &str)] = &[
    (Span::since(4, 0), BETA_INIT_CONTAINER_STATUSES),
    (Span::ALL, ALPHA_INIT_CONTAINER_STATUSES),
];

fn known(
    release: Release,
    annotations: &[(Span, &'static str)],
) -> impl Iterator<Item = &'static str> {
    annotations
        .iter()
        .filter(move |(span, _)| span.contains(release))
        .map(|(_, annotation)| *annotation)
}

/// Which defaults init containers from an annotation get: the versioned object already had its
/// own when they appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LateDefaults {
    /// None: 1.5's templates. Until 1.4 they come in time for those of the object.
    None,
    /// `SetDefaults_Container` on each.
    Container,
    /// `SetObjectDefaults_Pod` on a Pod made of them.
    Object,
}

const LATE_DEFAULTS: &[(Span, &str, LateDefaults)] = &[
    (Span::minors(5, 6), "Pod", LateDefaults::Container),
    (
        Span::minors(6, 6),
        "PodTemplateSpec",
        LateDefaults::Container,
    ),
    (Span::minors(7, 7), "Pod", LateDefaults::Object),
    (Span::minors(7, 7), "PodTemplateSpec", LateDefaults::Object),
];

impl Converter<'_> {
    /// Puts what annotations stand for into the fields of every Pod and Pod template in a
    /// versioned object.
    fn read_annotations(&self, ty: TypeId, value: &mut Value) -> Result<(), ConvertError> {
        if !INIT_CONTAINER_ANNOTATIONS_ARE_READ.contains(self.release) {
            return Ok(());
        }
        let mut changed = None;
        self.annotations_as_fields(ty, value, &mut changed)?;
        if let Some(changed) = changed {
            *value = changed;
        }
        let schema = self.schema;
        match (&schema[ty].kind, value) {
            (Kind::Pointer(elem), Value::Pointer(inner)) => self.read_annotations(*elem, inner)?,
            (Kind::Struct(fields), Value::Struct(values)) => {
                for (field, value) in fields.iter().zip(values) {
                    // Templates nest in Spec, Template and JobTemplate only.
                    if matches!(&*field.name, "Spec" | "Template" | "JobTemplate") {
                        self.read_annotations(field.ty, value)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A changed copy of a versioned Pod or Pod template whose annotations stand for fields.
    fn annotations_as_fields(
        &self,
        ty: TypeId,
        value: &Value,
        changed: &mut Option<Value>,
    ) -> Result<(), ConvertError> {
        let name = self.simple_name(ty);
        if !matches!(name, "Pod" | "PodTemplateSpec") {
            return Ok(());
        }
        let schema = self.schema;
        let annotations = Ref::new(schema, ty, value).at("ObjectMeta.Annotations");
        let fields = [
            (INIT_CONTAINERS, "Spec.InitContainers"),
            (INIT_CONTAINER_STATUSES, "Status.InitContainerStatuses"),
        ];
        for (keys, field) in fields {
            let annotation = known(self.release, keys)
                .map(|key| annotations.entry(key))
                .find(|found| found.exists());
            let Some(annotation) = annotation else {
                continue;
            };
            let mut copy = changed.take().unwrap_or_else(|| value.clone());
            let mut target = Mut::new(schema, ty, &mut copy);
            // A template has no status.
            if let Some(list) = target.at(field).ty() {
                let decoded = decode::decode(schema, list, annotation.str())
                    .map_err(|error| ConvertError::new(error.to_string()))?;
                target.at(field).set(decoded.value);
                if keys == INIT_CONTAINERS {
                    self.late_defaults(name, target);
                }
            }
            *changed = Some(copy);
        }
        Ok(())
    }

    fn late_defaults(&self, name: &str, mut target: Mut<'_, '_>) {
        let late = LATE_DEFAULTS
            .iter()
            .find(|(span, ty, _)| *ty == name && span.contains(self.release))
            .map_or(LateDefaults::None, |(_, _, late)| *late);
        match late {
            LateDefaults::None => {}
            LateDefaults::Container => {
                for container in target.at("Spec.InitContainers").items() {
                    defaults::apply_to_one(container, self.gates);
                }
            }
            LateDefaults::Object => {
                let host_network = target.at("Spec.HostNetwork").look().is_true();
                let containers = target.at("Spec.InitContainers").take();
                if let (Some(ty), Some(containers)) = (target.ty(), containers) {
                    let mut temporary = self.schema.zero(ty);
                    let mut object = Mut::new(self.schema, ty, &mut temporary);
                    object.at("Spec.HostNetwork").set_bool(host_network);
                    object.at("Spec.InitContainers").set(containers);
                    defaults::apply_to_part(object.by_ref(), self.gates);
                    if let Some(containers) = object.at("Spec.InitContainers").take() {
                        target.at("Spec.InitContainers").set(containers);
                    }
                }
            }
        }
    }
}

/// What has become a field leaves the internal Pod's annotations.
fn remove_pod_annotations(
    converter: &Converter<'_>,
    _: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    remove_annotations(converter.release, INIT_CONTAINERS, &mut target);
    remove_annotations(converter.release, INIT_CONTAINER_STATUSES, &mut target);
    Ok(())
}

fn remove_template_annotations(
    converter: &Converter<'_>,
    _: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    remove_annotations(converter.release, INIT_CONTAINERS, &mut target);
    Ok(())
}

/// From 1.8 on the annotations mean nothing any more and are dropped lest an old kubelet act on
/// them: `dropInitContainerAnnotations`, for Pods and templates alike.
fn drop_annotations(
    converter: &Converter<'_>,
    source: Ref<'_, '_>,
    target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    remove_pod_annotations(converter, source, target)
}

fn remove_annotations(release: Release, keys: &[(Span, &'static str)], target: &mut Mut<'_, '_>) {
    for annotation in known(release, keys) {
        target.at("ObjectMeta.Annotations").remove(annotation);
    }
}

fn write_pod_annotations(
    converter: &Converter<'_>,
    _: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    let has_any = !target.at("Spec.InitContainers").look().is_empty()
        || !target.at("Status.InitContainerStatuses").look().is_empty();
    if has_any {
        remove_annotations(converter.release, INIT_CONTAINERS, &mut target);
        remove_annotations(converter.release, INIT_CONTAINER_STATUSES, &mut target);
    }
    write_as_annotation(
        converter,
        INIT_CONTAINERS,
        "Spec.InitContainers",
        &mut target,
    );
    write_as_annotation(
        converter,
        INIT_CONTAINER_STATUSES,
        "Status.InitContainerStatuses",
        &mut target,
    );
    Ok(())
}

fn write_template_annotations(
    converter: &Converter<'_>,
    _: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    remove_annotations(converter.release, INIT_CONTAINERS, &mut target);
    write_as_annotation(
        converter,
        INIT_CONTAINERS,
        "Spec.InitContainers",
        &mut target,
    );
    Ok(())
}

fn write_as_annotation(
    converter: &Converter<'_>,
    keys: &[(Span, &'static str)],
    field: &str,
    target: &mut Mut<'_, '_>,
) {
    let list = target.at(field);
    let Some((ty, value)) = list.look().parts() else {
        return;
    };
    if list.look().is_empty() {
        return;
    }
    let text = String::from_utf8_lossy(&json::to_vec(converter.schema, ty, value)).into_owned();
    for key in known(converter.release, keys) {
        target
            .at("ObjectMeta.Annotations")
            .insert(key)
            .set_str(&text);
    }
}

// ---- Pod ----------------------------------------------------------------------------------

/// A mirror Pod that a 1.0 kubelet made must look as that kubelet made it (#15960).
fn reset_mirror_pod(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    let mirror = source
        .at("ObjectMeta.Annotations")
        .entry("kubernetes.io/config.mirror");
    if mirror.str() == "mirror" {
        target.at("Spec.TerminationGracePeriodSeconds").clear();
        for mut container in target.at("Spec.Containers").items() {
            container.at("Resources.Requests").clear();
        }
    }
    Ok(())
}

/// For Pods only: a template keeps what it says.
fn no_negative_grace_period(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if source.at("Spec.TerminationGracePeriodSeconds").int() < 0 {
        target.at("Spec.TerminationGracePeriodSeconds").set_int(1);
    }
    Ok(())
}

// ---- JobSpec of extensions/v1beta1 --------------------------------------------------------

/// `autoSelector` is the opposite of `manualSelector`; unset and false are the same, and unset is
/// what is written. Of all JobSpecs only the one in extensions has it.
fn manual_selector_to_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    let auto = source.get("AutoSelector");
    if auto.exists() && !auto.is_true() {
        target.get("ManualSelector").set_bool(true);
    }
    Ok(())
}

fn auto_selector_from_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if !source.get("ManualSelector").is_true() {
        target.get("AutoSelector").set_bool(true);
    }
    Ok(())
}

// ---- Deployment, DaemonSet ----------------------------------------------------------------

const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// From 1.11 on the annotations were copied before they were changed; the copy of nil is empty.
const COPIES_ANNOTATIONS: Span = Span::since(11, 0);

/// Versions whose spec has no `rollbackTo` (apps/v1beta2, apps/v1) keep it in an annotation.
fn rollback_to_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if source.at("Spec.RollbackTo").exists() {
        return Ok(());
    }
    let revision = source.at("ObjectMeta.Annotations").entry(ROLLBACK_TO).str();
    if !revision.is_empty() {
        let revision = parse_int(revision).map_err(|error| {
            ConvertError::new(format!(
                "failed to parse annotation[{ROLLBACK_TO}]={revision} as int64: {error}"
            ))
        })?;
        target
            .at("Spec.RollbackTo")
            .make()
            .get("Revision")
            .set_int(revision);
        target.at("ObjectMeta.Annotations").remove(ROLLBACK_TO);
    }
    Ok(())
}

fn rollback_from_internal(
    converter: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if target.at("Spec.RollbackTo").exists() {
        return Ok(());
    }
    if COPIES_ANNOTATIONS.contains(converter.release) {
        empty_instead_of_nil(target.at("ObjectMeta.Annotations"), Value::Map(Vec::new()));
    }
    let rollback = source.at("Spec.RollbackTo");
    if rollback.is_nil() {
        target.at("ObjectMeta.Annotations").remove(ROLLBACK_TO);
    } else {
        let revision = rollback.get("Revision").int().to_string();
        target
            .at("ObjectMeta.Annotations")
            .insert(ROLLBACK_TO)
            .set_str(&revision);
    }
    Ok(())
}

/// Versions whose spec has no `templateGeneration` (apps/v1beta2, apps/v1) keep it in an
/// annotation.
fn template_generation_to_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if source.at("Spec.TemplateGeneration").exists() {
        return Ok(());
    }
    let generation = source
        .at("ObjectMeta.Annotations")
        .entry(TEMPLATE_GENERATION);
    if generation.exists() {
        let generation = parse_int(generation.str()).map_err(ConvertError::new)?;
        target.at("Spec.TemplateGeneration").set_int(generation);
        target
            .at("ObjectMeta.Annotations")
            .remove(TEMPLATE_GENERATION);
    }
    Ok(())
}

fn template_generation_from_internal(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if target.at("Spec.TemplateGeneration").exists() {
        return Ok(());
    }
    let generation = source.at("Spec.TemplateGeneration").int().to_string();
    target
        .at("ObjectMeta.Annotations")
        .insert(TEMPLATE_GENERATION)
        .set_str(&generation);
    Ok(())
}

fn empty_instead_of_nil(list: Mut<'_, '_>, empty: Value) {
    if let Some((_, value @ Value::Nil)) = list.into_parts() {
        *value = empty;
    }
}

/// `strconv.ParseInt(text, 10, 64)`
fn parse_int(text: &str) -> Result<i64, String> {
    text.parse::<i64>().map_err(|error| {
        let reason = match error.kind() {
            std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => {
                "value out of range"
            }
            _ => "invalid syntax",
        };
        format!("strconv.ParseInt: parsing {text:?}: {reason}")
    })
}

// ---- StatefulSet --------------------------------------------------------------------------

/// A list was made whether there was one or not, except for v1beta1, whose status has a pointer
/// to the observed generation and was left to the generator.
fn conditions_are_never_nil(
    converter: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    let is_pointer = |status: Ref<'_, '_>| {
        let generation = status.get("ObservedGeneration").parts();
        generation.is_some_and(|(ty, _)| matches!(converter.schema[ty].kind, Kind::Pointer(_)))
    };
    if is_pointer(source) != is_pointer(target.look()) {
        empty_instead_of_nil(target.get("Conditions"), Value::Slice(Vec::new()));
    }
    Ok(())
}

fn partition_is_not_nil(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    _: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    if source.get("Partition").is_nil() {
        return Err(ConvertError::new(
            "spec.updateStrategy.rollingUpdate.partition: nil pointer dereference",
        ));
    }
    Ok(())
}

/// The conversion that was generated first takes one list for the other as it lies in memory.
fn claim_templates_keep_their_type(
    _: &Converter<'_>,
    source: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    let from = source.get("VolumeClaimTemplates").items();
    for (from, mut to) in from.zip(target.get("VolumeClaimTemplates").items()) {
        for field in ["TypeMeta.APIVersion", "TypeMeta.Kind"] {
            to.at(field).set_str(from.at(field).str());
        }
    }
    Ok(())
}

/// From 1.17.3 on claim templates carry `apiVersion` and `kind` again, as they had done before the
/// conversion was generated (#87583).
fn claim_templates_from_internal(
    _: &Converter<'_>,
    _: Ref<'_, '_>,
    mut target: Mut<'_, '_>,
) -> Result<(), ConvertError> {
    for mut claim in target.get("VolumeClaimTemplates").items() {
        claim.at("TypeMeta.APIVersion").set_str("v1");
        claim.at("TypeMeta.Kind").set_str("PersistentVolumeClaim");
    }
    Ok(())
}
