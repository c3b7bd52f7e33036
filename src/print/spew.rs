//! A value as go-spew dumps it for hashing.
//!
//! In: a value with its type. Out: the text of
//! `spew.ConfigState{Indent: " ", SortKeys: true, DisableMethods: true, SpewKeys: true}` with
//! `%#v`, which is what `DeepHashObject` (`pkg/util` 1.1, `pkg/util/hash` 1.2 on) writes into a
//! hasher. Mirrors `formatState.format` and `formatPtr` in go-spew's `format.go` (v1.1.1 and the
//! revisions before and after it; no difference in what they print here was ever seen).

use std::fmt::Write as _;

use crate::digest::Sink;
use crate::quantity::Quantity;
use crate::schema::{Kind, Schema, TypeId};
use crate::time::Time;
use crate::toolchain::Toolchain;
use crate::value::{Mut, Value};

/// Writes the dump of a value.
pub fn write(schema: &Schema, ty: TypeId, value: &Value, sink: &mut impl Sink) {
    Printer {
        schema,
        sink,
        scratch: String::new(),
        depth: 0,
        local: None,
        untold: false,
    }
    .typed(ty, value);
}

/// Writes the dump of a pointer to a struct, which begins with a star: `(*api.Pod){…}`.
pub fn write_pointer(schema: &Schema, ty: TypeId, value: &Value, sink: &mut (impl Sink + ?Sized)) {
    let dump = to_vec(schema, ty, value);
    sink.write(b"(*");
    sink.write(dump.get(1..).unwrap_or_default());
}

/// The dump as text.
pub fn to_vec(schema: &Schema, ty: TypeId, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write(schema, ty, value, &mut out);
    out
}

struct Printer<'s, 'o, S> {
    schema: &'s Schema,
    sink: &'o mut S,
    scratch: String,
    /// How many structs, slices and maps enclose what is printed.
    depth: usize,
    /// The depth at which `time.Local` was last followed, while spew remembers it. It is the only
    /// thing that two pointers in an object ever share; met again deeper down, spew takes it for
    /// a cycle and prints `<shown>`.
    local: Option<usize>,
    /// Whether the type of the next value is not told: after a nil pointer in a slice or a map, spew
    /// forgets that it was only that pointer's type it meant (`ignoreNextType`).
    untold: bool,
}

impl<S: Sink> Printer<'_, '_, S> {
    fn text(&mut self, text: &str) {
        self.sink.write(text.as_bytes());
    }

    fn number(&mut self, number: impl std::fmt::Display) {
        self.scratch.clear();
        // Writing to a String cannot fail.
        let _ = write!(self.scratch, "{number}");
        self.sink.write(self.scratch.as_bytes());
    }

    /// The start of `formatPtr`, which forgets the pointers that were followed at this depth or
    /// below it.
    fn at_pointer(&mut self) {
        self.local = self.local.filter(|followed| *followed < self.depth);
    }

    fn parenthesised(&mut self, name: &str) {
        self.text("(");
        self.text(name);
        self.text(")");
    }

    /// `(type)` and the value: a struct's field, or the whole dump.
    fn typed(&mut self, ty: TypeId, value: &Value) {
        if self.untold {
            return self.element(ty, value);
        }
        if let Kind::Pointer(_) = self.schema[ty].kind {
            self.at_pointer();
            // The type told is that of what lies at the end of the pointers, with the stars that
            // were followed; a nil pointer is told with its own type.
            let (mut stars, mut at) = (0, (ty, value));
            while let Kind::Pointer(elem) = self.schema[at.0].kind
                && let Value::Pointer(inner) = at.1
            {
                stars += 1;
                at = (elem, inner);
            }
            self.text("(");
            for _ in 0..stars {
                self.text("*");
            }
            let schema = self.schema;
            self.text(&schema[at.0].name);
            self.text(")");
            if let Kind::Pointer(_) = schema[at.0].kind {
                self.text("<nil>");
            } else {
                self.untyped(at.0, at.1);
            }
            return;
        }
        let schema = self.schema;
        self.parenthesised(&schema[ty].name);
        self.untyped(ty, value);
    }

    /// An element of a slice or a map, whose type was told before.
    fn element(&mut self, ty: TypeId, value: &Value) {
        self.untold = false;
        let (mut stars, mut at) = (0, (ty, value));
        while let Kind::Pointer(elem) = self.schema[at.0].kind {
            let Value::Pointer(inner) = at.1 else {
                self.untold |= stars == 0;
                return self.text("<nil>");
            };
            stars += 1;
            at = (elem, inner);
        }
        if stars > 0 {
            self.at_pointer();
            self.text("<");
            for _ in 0..stars {
                self.text("*");
            }
            self.text(">");
        }
        self.untyped(at.0, at.1);
    }

    fn untyped(&mut self, ty: TypeId, value: &Value) {
        let schema = self.schema;
        match value {
            Value::Quantity(quantity) => {
                return self.untyped(ty, &quantity_in_memory(schema, ty, quantity));
            }
            Value::Time(time) => return self.time(ty, time),
            _ => {}
        }
        match (&schema[ty].kind, value) {
            (_, Value::Nil) => self.text("<nil>"),
            (_, Value::Bool(on)) => self.text(if *on { "true" } else { "false" }),
            (_, Value::Int(number)) => self.number(number),
            // `printHexPtr`: a zero is taken for a nil pointer.
            (Kind::Uintptr, Value::Uint(0)) => self.text("<nil>"),
            (Kind::Uintptr, Value::Uint(number)) => self.number(format_args!("{number:#x}")),
            (_, Value::Uint(number)) => self.number(number),
            (_, Value::Float(number)) => self.number(number),
            (_, Value::String(text)) => self.text(text),
            (_, Value::Bytes(bytes)) => {
                self.text("[");
                for (index, byte) in bytes.iter().enumerate() {
                    if index > 0 {
                        self.text(" ");
                    }
                    self.number(byte);
                }
                self.text("]");
            }
            (Kind::Slice(elem) | Kind::Array(_, elem), Value::Slice(items)) => {
                self.depth += 1;
                self.text("[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text(" ");
                    }
                    self.element(*elem, item);
                }
                self.text("]");
                self.depth -= 1;
            }
            (Kind::Map(key, elem), Value::Map(entries)) => {
                let mut sorted: Vec<&(Value, Value)> = entries.iter().collect();
                sorted.sort_by(|a, b| a.0.key_order(&b.0));
                self.depth += 1;
                self.text("map[");
                for (index, (name, item)) in sorted.into_iter().enumerate() {
                    if index > 0 {
                        self.text(" ");
                    }
                    self.element(*key, name);
                    self.text(":");
                    self.element(*elem, item);
                }
                self.text("]");
                self.depth -= 1;
            }
            (Kind::Struct(fields), Value::Struct(values)) => {
                self.depth += 1;
                self.text("{");
                for (index, (field, value)) in fields.iter().zip(values).enumerate() {
                    if index > 0 {
                        self.text(" ");
                    }
                    self.text(&field.name);
                    self.text(":");
                    self.typed(field.ty, value);
                }
                self.text("}");
                self.depth -= 1;
            }
            // A value that does not fit its type cannot be built by this crate.
            _ => self.text("<invalid>"),
        }
    }

    /// A `time.Time`, field by field as its toolchain declares them.
    fn time(&mut self, ty: TypeId, time: &Time) {
        let schema = self.schema;
        let toolchain = Toolchain::of(schema);
        self.depth += 1;
        self.text("{");
        for (index, field) in schema.fields(ty).iter().enumerate() {
            if index > 0 {
                self.text(" ");
            }
            self.text(&field.name);
            self.text(":");
            let dump = time.dump_field(&field.name, toolchain);
            if let Kind::Pointer(_) = schema[field.ty].kind {
                self.at_pointer();
                let is_local = !dump.ends_with("<nil>");
                if is_local && self.local.is_some() {
                    self.text("(*time.Location)<shown>");
                    continue;
                }
                if is_local {
                    self.local = Some(self.depth);
                }
            }
            self.text(&dump);
        }
        self.text("}");
        self.depth -= 1;
    }
}

/// A quantity's struct as its release declares it: `Amount` alone (1.1, 1.2), or `i`, `d` and the
/// cached text `s` (1.3 on).
fn quantity_in_memory(schema: &Schema, ty: TypeId, quantity: &Quantity) -> Value {
    let fields = schema.fields(ty).iter().map(|field| schema.zero(field.ty));
    let mut value = Value::Struct(fields.collect());
    let mut memory = Mut::new(schema, ty, &mut value);
    memory.get("Format").set_str(quantity.format().as_str());
    memory.get("s").set_str(quantity.text());
    let (number, scale) = quantity.fixed();
    memory.at("i.value").set_int(number);
    memory.at("i.scale").set_int(i64::from(scale));
    if let Some(decimal) = quantity.decimal() {
        for path in ["Amount", "d.Dec"] {
            let mut dec = memory.at(path).make();
            dec.at("unscaled.neg").set_bool(decimal.is_negative());
            if let Some(words) = decimal.words() {
                dec.at("unscaled.abs")
                    .set(Value::Slice(words.into_iter().map(Value::Uint).collect()));
            }
            dec.get("scale").set_int(i64::from(decimal.scale()));
        }
    }
    value
}
