//! A value as `encoding/json` writes it.
//!
//! In: a value with its type. Out: the bytes of `json.Marshal`. Mirrors `encoding/json/encode.go`
//! with the `MarshalJSON` methods of the API's leaf types; what changed with Go is in
//! [`JsonStyle`].

use std::fmt::Write as _;

use crate::cpuset::CpuSet;
use crate::digest::Sink;
use crate::schema::{Field, JsonField, Kind, Schema, Special, TypeId};
use crate::toolchain::{JsonStyle, Toolchain};
use crate::value::{Ref, Value};

/// Writes the JSON of a value.
pub fn write(schema: &Schema, ty: TypeId, value: &Value, sink: &mut impl Sink) {
    let style = JsonStyle::of(Toolchain::of(schema));
    Printer {
        schema,
        style,
        sink,
        scratch: String::new(),
    }
    .value(ty, value);
}

/// Writes a Go string on its own.
pub fn write_string(schema: &Schema, text: &str, sink: &mut impl Sink) {
    let style = JsonStyle::of(Toolchain::of(schema));
    Printer {
        schema,
        style,
        sink,
        scratch: String::new(),
    }
    .string(text);
}

/// The JSON as bytes.
pub fn to_vec(schema: &Schema, ty: TypeId, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write(schema, ty, value, &mut out);
    out
}

/// Bytes that begin something that may have to be escaped.
const SUSPECT: [bool; 256] = {
    let mut suspect = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        suspect[byte] = true;
        byte += 1;
    }
    suspect[b'"' as usize] = true;
    suspect[b'\\' as usize] = true;
    suspect[b'<' as usize] = true;
    suspect[b'>' as usize] = true;
    suspect[b'&' as usize] = true;
    suspect[0xe2] = true;
    suspect
};

struct Printer<'s, 'o, S> {
    schema: &'s Schema,
    style: JsonStyle,
    sink: &'o mut S,
    scratch: String,
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

    fn value(&mut self, ty: TypeId, value: &Value) {
        let schema = self.schema;
        if let Some(special) = schema[ty].special {
            return self.special(special, ty, value);
        }
        match (&schema[ty].kind, value) {
            (_, Value::Nil) => self.text("null"),
            (_, Value::Bool(on)) => self.text(if *on { "true" } else { "false" }),
            (_, Value::Int(number)) => self.number(number),
            (_, Value::Uint(number)) => self.number(number),
            (_, Value::Float(number)) => self.number(number),
            (_, Value::String(text)) => self.string(text),
            (_, Value::Bytes(bytes)) => self.base64(bytes),
            (Kind::Pointer(elem), Value::Pointer(inner)) => self.value(*elem, inner),
            (Kind::Slice(elem) | Kind::Array(_, elem), Value::Slice(items)) => {
                self.text("[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.text(",");
                    }
                    self.value(*elem, item);
                }
                self.text("]");
            }
            (Kind::Map(_, elem), Value::Map(entries)) => {
                let keyed = entries.iter().map(|(key, item)| (key.key_text(), item));
                let mut sorted: Vec<_> = keyed.collect();
                sorted.sort_by(|a, b| a.0.cmp(&b.0));
                self.text("{");
                for (index, (key, item)) in sorted.into_iter().enumerate() {
                    if index > 0 {
                        self.text(",");
                    }
                    self.string(&key);
                    self.text(":");
                    self.value(*elem, item);
                }
                self.text("}");
            }
            (Kind::Struct(fields), Value::Struct(values)) => {
                self.text("{");
                self.fields(fields, values, true);
                self.text("}");
            }
            // A value that does not fit its type cannot be built by this crate.
            _ => self.text("null"),
        }
    }

    /// A struct's fields, those of embedded structs in their place; returns whether the next one
    /// is still the first.
    fn fields(&mut self, fields: &[Field], values: &[Value], mut first: bool) -> bool {
        let schema = self.schema;
        for (field, value) in fields.iter().zip(values) {
            let Some(json) = &field.json else { continue };
            if json.is_inlined() {
                if let (Kind::Struct(inner), Value::Struct(values)) =
                    (&schema[field.ty].kind, value)
                {
                    first = self.fields(inner, values, first);
                }
                continue;
            }
            if is_left_out(schema, self.style, json, field.ty, value) {
                continue;
            }
            if !first {
                self.text(",");
            }
            first = false;
            self.text(&json.quoted);
            self.value(field.ty, value);
        }
        first
    }

    fn special(&mut self, special: Special, ty: TypeId, value: &Value) {
        let field = |name: &str| match (self.schema.field(ty, name), value) {
            (Some((index, _)), Value::Struct(values)) => values.get(index),
            _ => None,
        };
        match (special, value) {
            (Special::Quantity, Value::Quantity(quantity)) => {
                // The text of a quantity holds no character that needs an escape.
                self.text("\"");
                self.text(&quantity.string());
                self.text("\"");
            }
            (Special::Time | Special::MicroTime, Value::Struct(values)) => {
                if let Some(Value::Time(time)) = values.first() {
                    self.scratch.clear();
                    if special == Special::Time {
                        time.write_json(&mut self.scratch);
                    } else {
                        time.write_json_micro(&mut self.scratch);
                    }
                    self.sink.write(self.scratch.as_bytes());
                }
            }
            (Special::IntOrString, _) => {
                let kind = field("Type").or_else(|| field("Kind"));
                match (kind, field("IntVal"), field("StrVal")) {
                    (Some(Value::Int(0)), Some(Value::Int(number)), _) => self.number(number),
                    (_, _, Some(Value::String(text))) => self.string(text),
                    _ => self.text("null"),
                }
            }
            (Special::CpuEntry, _) => {
                let set = Ref::new(self.schema, ty, value).at("CPUSet.elems");
                let set = CpuSet::of_map(set);
                self.text("{");
                if !set.is_empty() {
                    self.text("\"cpuSet\":\"");
                    self.number(set);
                    self.text("\"");
                }
                self.text("}");
            }
            (Special::Fields, _) => match (self.schema.field(ty, "Map"), field("Map")) {
                (Some((_, map)), Some(value)) => self.value(map.ty, value),
                _ => self.text("null"),
            },
            (Special::RawJson, _) => match field("Raw") {
                Some(Value::Bytes(raw)) => self.compact(raw),
                _ => self.text("null"),
            },
            _ => self.text("null"),
        }
    }

    /// A string in quotes, with what HTML and JavaScript could trip over escaped.
    ///
    /// Mirrors `appendString`/`encodeState.string` with `escapeHTML`; the strings of a [`Value`]
    /// are UTF-8 already.
    fn string(&mut self, text: &str) {
        self.sink.write(b"\"");
        let bytes = text.as_bytes();
        let mut from = 0;
        // Most strings need no escape at all: look before anything is taken apart.
        while let Some(ahead) = bytes[from..]
            .iter()
            .position(|byte| SUSPECT[usize::from(*byte)])
        {
            let at = from + ahead;
            self.sink.write(&bytes[from..at]);
            from = at + self.escape(&bytes[at..]);
        }
        self.sink.write(&bytes[from..]);
        self.sink.write(b"\"");
    }

    /// Writes what `rest` begins with, escaped if it has to be; returns how many bytes that was.
    fn escape(&mut self, rest: &[u8]) -> usize {
        let (text, len): (&[u8], usize) = match rest {
            [b'"', ..] => (b"\\\"", 1),
            [b'\\', ..] => (b"\\\\", 1),
            [b'\n', ..] => (b"\\n", 1),
            [b'\r', ..] => (b"\\r", 1),
            [b'\t', ..] if self.style.short_tab => (b"\\t", 1),
            [0x08, ..] if self.style.short_escapes => (b"\\b", 1),
            [0x0c, ..] if self.style.short_escapes => (b"\\f", 1),
            // U+2028 and U+2029
            [0xe2, 0x80, 0xa8, ..] => (b"\\u2028", 3),
            [0xe2, 0x80, 0xa9, ..] => (b"\\u2029", 3),
            [0xe2, ..] => (b"\xe2", 1),
            [byte, ..] => {
                self.number(format_args!("\\u{byte:04x}"));
                return 1;
            }
            [] => return 0,
        };
        self.sink.write(text);
        len
    }

    fn base64(&mut self, bytes: &[u8]) {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        self.text("\"");
        for group in bytes.chunks(3) {
            let bits = group
                .iter()
                .fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - group.len()));
            let mut text = [b'='; 4];
            for (index, digit) in text.iter_mut().enumerate().take(group.len() + 1) {
                *digit = DIGITS[(bits >> (18 - 6 * index) & 63) as usize];
            }
            self.sink.write(&text);
        }
        self.text("\"");
    }

    /// Raw JSON from a `MarshalJSON`: white space between tokens goes, HTML characters and
    /// U+2028/U+2029 are escaped (`compact` with `escape`, `encoding/json/indent.go`).
    fn compact(&mut self, raw: &[u8]) {
        let mut in_string = false;
        let mut escaped = false;
        let mut from = 0;
        for (at, byte) in raw.iter().enumerate() {
            let next = match byte {
                b' ' | b'\t' | b'\n' | b'\r' if !in_string => Some((at + 1, String::new())),
                b'<' | b'>' | b'&' => Some((at + 1, format!("\\u{byte:04x}"))),
                0xe2 => match raw.get(at + 1..at + 3) {
                    Some([0x80, last @ (0xa8 | 0xa9)]) => {
                        Some((at + 3, format!("\\u202{:x}", last & 0xf)))
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some((resume, text)) = next {
                self.sink.write(&raw[from..at]);
                self.text(&text);
                from = resume;
            }
            if in_string {
                match (escaped, byte) {
                    (false, b'"') => in_string = false,
                    (was, _) => escaped = !was && *byte == b'\\',
                }
            } else if *byte == b'"' {
                in_string = true;
            }
        }
        self.sink.write(&raw[from..]);
    }
}

/// Whether a field is left out for what is in it.
pub(crate) fn is_left_out(
    schema: &Schema,
    style: JsonStyle,
    json: &JsonField,
    ty: TypeId,
    value: &Value,
) -> bool {
    json.omit_empty && is_empty(value)
        || json.omit_zero && style.omit_zero && is_omitted_zero(schema, ty, value)
}

/// What `omitzero` asks: the type's own `IsZero` where it has one. A time that was decoded is zero
/// in the year 1, though it has a location.
fn is_omitted_zero(schema: &Schema, ty: TypeId, value: &Value) -> bool {
    match (schema[ty].special, value) {
        (Some(Special::Time | Special::MicroTime), Value::Struct(values)) => values
            .iter()
            .all(|value| matches!(value, Value::Time(time) if time.is_zero())),
        _ => schema.is_zero(value),
    }
}

/// What `omitempty` leaves out: a struct never.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::Bool(on) => !on,
        Value::Int(number) => *number == 0,
        Value::Uint(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::Slice(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Pointer(_) | Value::Struct(_) | Value::Quantity(_) | Value::Time(_) => false,
    }
}
