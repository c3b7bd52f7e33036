//! What `Scheme.Default` writes into a versioned object.
//!
//! In: an object as the decoder left it, in one of the API versions that the release serves. Out:
//! the same object with that release's defaults filled in. In the data's way this stands after
//! decoding and before the conversion to the internal version.
//!
//! Kubernetes has a function `SetDefaults_<Type>` for each type with defaults, and generated code
//! (`SetObjectDefaults_<Kind>` in `zz_generated.defaults.go`) that walks an object from the outside
//! in and calls them: the struct's own function first, then its fields'. Here each function is a
//! row group in a table, keyed by the Go type, and the walk follows the schema instead of generated
//! code. The result is the same, because the generator emits a call wherever a type with such a
//! function is reachable.
//!
//! | releases | where the Go code is |
//! | --- | --- |
//! | 1.1 – 1.4 | `pkg/api/v1/defaults.go`, `pkg/apis/{extensions,batch,apps}/<version>/defaults.go`; no `Scheme.Default` yet: the functions run inside the conversion to the internal version, each when its type is converted, and write into the versioned object |
//! | 1.5 – 1.7 | the same files, called from `zz_generated.defaults.go` |
//! | 1.8 – | `pkg/apis/core/v1/defaults.go` and `pkg/apis/{extensions,batch,apps}/<version>/defaults.go`; since 1.20 some defaults are `+default=` markers in `k8s.io/api` and live in the generated code alone |
//!
//! A rule about a field that a release does not have does nothing, so spans stand only where a
//! release has the field and treats it differently.

mod batch;
mod container;
mod image;
mod pod;
mod resources;
#[cfg(test)]
mod tests;
mod volumes;
mod workloads;

pub(crate) use resources::aggregate;

use std::sync::OnceLock;

use fnv::FnvHashMap;

use crate::gates::Gates;
use crate::release::{Release, Span};
use crate::schema::{Kind, KindEntry, Schema, TypeId};
use crate::value::{Mut, Value};

/// Fills in the defaults of a versioned object of that kind.
///
/// An object of any other type is left alone, as `Scheme.Default` leaves alone what nothing was
/// registered for.
pub fn apply(object: Mut<'_, '_>, kind: &KindEntry, gates: &Gates<'_>) {
    if object.ty() == Some(kind.versioned) {
        apply_to_part(object, gates);
    }
}

/// Fills in the defaults of a part of a versioned object (a Container, a PodTemplateSpec): what
/// the functions for its type and the types below it do, without those of the types around it.
pub(crate) fn apply_to_part(part: Mut<'_, '_>, gates: &Gates<'_>) {
    if let Some((ty, _)) = part.look().parts() {
        let walk = Walk {
            schema: part.schema(),
            release: part.schema().release(),
            gates,
        };
        if let Some((_, value)) = part.into_parts() {
            walk.value(ty, value);
        }
    }
}

/// Fills in the defaults of one struct alone: what the function for its own type does.
pub(crate) fn apply_to_one(part: Mut<'_, '_>, gates: &Gates<'_>) {
    let walk = Walk {
        schema: part.schema(),
        release: part.schema().release(),
        gates,
    };
    if let Some((ty, value)) = part.into_parts() {
        walk.call(ty, value);
    }
}

struct Walk<'a> {
    schema: &'a Schema,
    release: Release,
    gates: &'a Gates<'a>,
}

impl Walk<'_> {
    fn value(&self, ty: TypeId, value: &mut Value) {
        match (&self.schema[ty].kind, value) {
            (Kind::Pointer(elem), Value::Pointer(inner)) => self.value(*elem, inner),
            (Kind::Slice(elem), Value::Slice(items)) => {
                for item in items {
                    self.value(*elem, item);
                }
            }
            // Of maps only `v1.ResourceList` has defaults; the generator enters no map.
            (Kind::Map(..), value @ Value::Map(_)) => self.call(ty, value),
            (Kind::Struct(fields), value @ Value::Struct(_)) => {
                self.call(ty, value);
                if let Value::Struct(values) = value {
                    for (field, value) in fields.iter().zip(values) {
                        self.value(field.ty, value);
                    }
                }
            }
            _ => {}
        }
    }

    fn call(&self, ty: TypeId, value: &mut Value) {
        for rule in rules_of(&self.schema[ty].id) {
            if rule.span.contains(self.release)
                && rule.gate.is_none_or(|gate| self.gates.enabled(gate))
            {
                rule.act(Mut::new(self.schema, ty, value), self.gates);
            }
        }
    }
}

/// What one Go function does: `SetDefaults_<Type>`, or the type's markers in the generated code.
struct Defaults {
    /// Group, version and type, as in `core/v1.Container`.
    of: &'static str,
    rules: &'static [Rule],
}

/// One step of such a function.
struct Rule {
    span: Span,
    gate: Option<&'static str>,
    what: What,
}

enum What {
    /// `if obj.Field == <zero> { obj.Field = preset }`, by path from the struct.
    Unset(&'static str, Preset),
    /// Anything else.
    Call(fn(&mut Mut<'_, '_>, &Gates<'_>)),
}

/// A value that a field is given; it is put behind a pointer where the field is one.
#[derive(Clone, Copy)]
enum Preset {
    Bool(bool),
    Int(i64),
    Str(&'static str),
    /// `&T{}`
    Empty,
    /// `intstr.FromInt32`
    Number(i64),
    /// `intstr.FromString`
    Text(&'static str),
}

const fn unset(field: &'static str, preset: Preset) -> Rule {
    Rule {
        span: Span::ALL,
        gate: None,
        what: What::Unset(field, preset),
    }
}

const fn call(function: fn(&mut Mut<'_, '_>, &Gates<'_>)) -> Rule {
    Rule {
        span: Span::ALL,
        gate: None,
        what: What::Call(function),
    }
}

impl Rule {
    const fn in_span(self, span: Span) -> Rule {
        Rule { span, ..self }
    }

    /// From the first release of a minor on.
    const fn since(self, minor: u16) -> Rule {
        self.in_span(Span::since(minor, 0))
    }

    /// Up to the last release of a minor.
    const fn until(self, minor: u16) -> Rule {
        self.in_span(Span::minors(0, minor))
    }

    const fn minors(self, first: u16, last: u16) -> Rule {
        self.in_span(Span::minors(first, last))
    }

    const fn gate(self, name: &'static str) -> Rule {
        Rule {
            gate: Some(name),
            ..self
        }
    }

    fn act(&self, mut object: Mut<'_, '_>, gates: &Gates<'_>) {
        match self.what {
            What::Unset(field, preset) => preset.fill(object.at(field)),
            What::Call(function) => function(&mut object, gates),
        }
    }
}

impl Preset {
    /// Sets the field unless it is set already. A field that is not there stays so.
    fn fill(self, mut field: Mut<'_, '_>) {
        if !field.exists() || !field.look().is_zero() {
            return;
        }
        match self {
            Preset::Bool(on) => field.set_bool(on),
            Preset::Int(number) => field.set_int(number),
            Preset::Str(text) => field.set_str(text),
            Preset::Empty => drop(field.make()),
            Preset::Number(number) => field.by_ref().make().get("IntVal").set_int(number),
            Preset::Text(text) => {
                let mut target = field.by_ref().make();
                // The discriminator was called `Kind` in 1.1, `Type` since.
                target.get("Type").set_int(1);
                target.get("Kind").set_int(1);
                target.get("StrVal").set_str(text);
            }
        }
    }
}

const GROUPS: &[&[Defaults]] = &[
    pod::DEFAULTS,
    container::DEFAULTS,
    volumes::DEFAULTS,
    workloads::DEFAULTS,
    batch::DEFAULTS,
];

/// The rules for a Go type, by its import path and name.
fn rules_of(id: &str) -> &'static [Rule] {
    static RULES: OnceLock<FnvHashMap<(&str, &str), &[Rule]>> = OnceLock::new();
    let rules = RULES.get_or_init(|| {
        GROUPS
            .iter()
            .flat_map(|group| group.iter())
            .filter_map(|defaults| Some((defaults.of.split_once('.')?, defaults.rules)))
            .collect()
    });
    // Only the end of an import path counts: `k8s.io/kubernetes/pkg/apis/apps/v1beta1` became
    // `k8s.io/api/apps/v1beta1` in 1.8. Internal types end in `pkg/api.Pod` or `apis/core.Pod`,
    // which no row has.
    let Some((slash, _)) = id.rmatch_indices('/').nth(1) else {
        return &[];
    };
    match id[slash + 1..].split_once('.') {
        Some(("api/v1", name)) => rules.get(&("core/v1", name)),
        Some(key) => rules.get(&key),
        None => None,
    }
    .copied()
    .unwrap_or_default()
}
