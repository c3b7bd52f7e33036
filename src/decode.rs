//! JSON into a [`Value`], the way a release's serializer does it.
//!
//! In: a document's JSON text and a type of a [`Schema`]. Out: the value as Go would hold it, and
//! the paths of fields that the release does not know (Go drops them; the caller warns).
//! Mirrors `k8s.io/apimachinery/pkg/runtime/serializer/json` and the decoder below it, which is
//! `encoding/json`, ugorji's codec, json-iterator or `sigs.k8s.io/json` depending on the release:
//! see [`Dialect`].

use std::borrow::Cow;
use std::fmt;

use crate::json::{Reader, SyntaxError, Token};
use crate::quantity::Flavour;
use crate::release::{Release, Span};
use crate::schema::{Kind, Schema, Special, TypeId};
use crate::time::Time;
use crate::toolchain::Toolchain;
use crate::value::Value;

/// How the JSON library of a release treats what the JSON standard leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// `Image` is taken for `image` where no key fits exactly.
    pub fold_case: bool,
}

const DIALECTS: &[(Span, Dialect)] = &[(Span::ALL, Dialect { fold_case: false })];

impl Dialect {
    /// The dialect of a release's serializer.
    pub fn of(release: Release) -> Dialect {
        DIALECTS
            .iter()
            .find(|(span, _)| span.contains(release))
            .map_or(Dialect { fold_case: false }, |(_, dialect)| *dialect)
    }
}

/// A decoded object.
#[derive(Debug)]
pub struct Decoded {
    /// The object as Go holds it.
    pub value: Value,
    /// Paths of the keys that the release does not know, in document order.
    pub unknown: Vec<String>,
}

/// The document does not fit the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The field, as manifests write it: `spec.containers[0].image`; empty for the whole document.
    pub path: String,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for DecodeError {}

/// Decodes one document into a type of the schema.
///
/// # Errors
/// When the text is not JSON, or a value does not fit its field.
pub fn decode(schema: &Schema, ty: TypeId, text: &str) -> Result<Decoded, DecodeError> {
    let mut decoder = Decoder {
        schema,
        dialect: Dialect::of(schema.release()),
        flavour: Flavour::of(schema.release()),
        reader: Reader::new(text),
        path: Vec::new(),
        unknown: Vec::new(),
    };
    let mut value = schema.zero(ty);
    decoder.value(ty, &mut value)?;
    decoder.reader.end().map_err(|e| decoder.syntax(e))?;
    Ok(Decoded { value, unknown: decoder.unknown })
}

enum Step<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

struct Decoder<'s, 'a> {
    schema: &'s Schema,
    dialect: Dialect,
    flavour: Flavour,
    reader: Reader<'a>,
    path: Vec<Step<'a>>,
    unknown: Vec<String>,
}

type Result<T, E = DecodeError> = std::result::Result<T, E>;

impl<'a> Decoder<'_, 'a> {
    fn path(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(key);
                }
                Step::Index(index) => out.push_str(&format!("[{index}]")),
            }
        }
        out
    }

    fn error(&self, message: impl Into<String>) -> DecodeError {
        DecodeError { path: self.path(), message: message.into() }
    }

    fn syntax(&self, error: SyntaxError) -> DecodeError {
        self.error(error.to_string())
    }

    fn peek(&mut self) -> Result<Token> {
        self.reader.peek().map_err(|e| self.syntax(e))
    }

    fn string(&mut self) -> Result<Cow<'a, str>> {
        self.reader.string().map_err(|e| self.syntax(e))
    }

    fn raw(&mut self) -> Result<&'a str> {
        self.reader.raw().map_err(|e| self.syntax(e))
    }

    fn mismatch(&mut self, expected: &str, found: Token) -> DecodeError {
        let shown = match (found, self.reader.clone().raw()) {
            (Token::String | Token::Number | Token::Bool, Ok(raw)) => excerpt(raw),
            _ => found.describe().into(),
        };
        self.error(format!("expected {expected}, found {shown}"))
    }

    /// Decodes what comes next into `value`, which may hold what an earlier key of the same name
    /// left there.
    fn value(&mut self, ty: TypeId, value: &mut Value) -> Result<()> {
        if let Some(special) = self.schema[ty].special {
            return self.special(special, ty, value);
        }
        let token = self.peek()?;
        let schema = self.schema;
        match &schema[ty].kind {
            Kind::Pointer(elem) => {
                if token == Token::Null {
                    *value = Value::Nil;
                    return self.null();
                }
                if !matches!(value, Value::Pointer(_)) {
                    *value = Value::Pointer(Box::new(schema.zero(*elem)));
                }
                if let Value::Pointer(inner) = value {
                    self.value(*elem, inner)?;
                }
                return Ok(());
            }
            // null leaves everything that is not a pointer, slice, map or interface as it was
            Kind::Bool | Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::String
            | Kind::Struct(_) | Kind::Array(..)
                if token == Token::Null =>
            {
                return self.null();
            }
            Kind::Slice(_) | Kind::Bytes | Kind::Map(..) | Kind::Interface if token == Token::Null => {
                *value = Value::Nil;
                return self.null();
            }
            Kind::Bool => {
                if token != Token::Bool {
                    return Err(self.mismatch("true or false", token));
                }
                *value = Value::Bool(self.reader.bool().map_err(|e| self.syntax(e))?);
            }
            Kind::Int(bits) => {
                let number = self.number("a whole number", token)?;
                let limit = i64::MAX >> (64 - bits);
                match number.parse::<i64>() {
                    Ok(n) if -limit - 1 <= n && n <= limit => *value = Value::Int(n),
                    _ => return Err(self.error(format!("expected a whole number that fits {bits} bits, found {number}"))),
                }
            }
            Kind::Uint(bits) => {
                let number = self.number("a whole number, not negative", token)?;
                match number.parse::<u64>() {
                    Ok(n) if n <= u64::MAX >> (64 - bits) => *value = Value::Uint(n),
                    _ => return Err(self.error(format!("expected a whole number, not negative, that fits {bits} bits, found {number}"))),
                }
            }
            Kind::Float(_) => {
                let number = self.number("a number", token)?;
                match number.parse::<f64>() {
                    Ok(x) if x.is_finite() => *value = Value::Float(x),
                    _ => return Err(self.error(format!("expected a number in range, found {number}"))),
                }
            }
            Kind::String => {
                if token != Token::String {
                    return Err(self.mismatch("a string", token));
                }
                *value = Value::String(self.string()?.into());
            }
            Kind::Bytes => {
                if token != Token::String {
                    return Err(self.mismatch("base64 in a string", token));
                }
                let text = self.string()?;
                let bytes = base64(&text).ok_or_else(|| self.error("expected base64"))?;
                *value = Value::Bytes(bytes.into());
            }
            Kind::Slice(elem) => {
                if token != Token::Array {
                    return Err(self.mismatch("a list", token));
                }
                self.items(*elem, value)?;
            }
            Kind::Array(..) => return Err(self.mismatch("a type that manifests can hold", token)),
            Kind::Map(key, elem) => {
                if token != Token::Object {
                    return Err(self.mismatch("an object", token));
                }
                self.map(*key, *elem, value)?;
            }
            Kind::Struct(_) => {
                if token != Token::Object {
                    return Err(self.mismatch("an object", token));
                }
                self.object(ty, value)?;
            }
            Kind::Interface | Kind::Opaque | Kind::Uintptr => {
                // No workload kind has such a field with a JSON name.
                self.raw()?;
            }
        }
        Ok(())
    }

    fn null(&mut self) -> Result<()> {
        self.reader.null().map_err(|e| self.syntax(e))
    }

    fn number(&mut self, expected: &str, token: Token) -> Result<&'a str> {
        if token != Token::Number {
            return Err(self.mismatch(expected, token));
        }
        self.reader.number().map_err(|e| self.syntax(e))
    }

    /// A list that is written twice is decoded into the elements that are there already: every
    /// decoder that Kubernetes used fills their fields up rather than starting from zero.
    fn items(&mut self, elem: TypeId, value: &mut Value) -> Result<()> {
        let mut items = match std::mem::replace(value, Value::Nil) {
            Value::Slice(items) => items,
            _ => Vec::new(),
        };
        let mut len = 0;
        let mut first = true;
        self.reader.begin_array().map_err(|e| self.syntax(e))?;
        while self.reader.next_item(&mut first).map_err(|e| self.syntax(e))? {
            if len == items.len() {
                items.push(self.schema.zero(elem));
            }
            self.path.push(Step::Index(len));
            self.value(elem, &mut items[len])?;
            self.path.pop();
            len += 1;
        }
        items.truncate(len);
        *value = Value::Slice(items);
        Ok(())
    }

    fn map(&mut self, key: TypeId, elem: TypeId, value: &mut Value) -> Result<()> {
        let mut entries = match std::mem::replace(value, Value::Nil) {
            Value::Map(entries) => entries,
            _ => Vec::new(),
        };
        if !matches!(self.schema[key].kind, Kind::String) {
            return Err(self.error("this map's keys are not strings; no manifest can hold it"));
        }
        let mut index = fnv::FnvHashMap::default();
        let mut first = true;
        self.reader.begin_object().map_err(|e| self.syntax(e))?;
        for (at, (key, _)) in entries.iter().enumerate() {
            index.insert(key.as_str().unwrap_or_default().to_owned(), at);
        }
        while let Some(name) = self.reader.next_key(&mut first).map_err(|e| self.syntax(e))? {
            // A map's element starts from zero even when the key was there before.
            let mut item = self.schema.zero(elem);
            self.path.push(Step::Key(name.clone()));
            self.value(elem, &mut item)?;
            self.path.pop();
            match index.get(&*name) {
                Some(&at) => entries[at].1 = item,
                None => {
                    index.insert(name.clone().into_owned(), entries.len());
                    entries.push((Value::str(&name), item));
                }
            }
        }
        *value = Value::Map(entries);
        Ok(())
    }

    fn object(&mut self, ty: TypeId, value: &mut Value) -> Result<()> {
        let mut first = true;
        self.reader.begin_object().map_err(|e| self.syntax(e))?;
        while let Some(name) = self.reader.next_key(&mut first).map_err(|e| self.syntax(e))? {
            self.path.push(Step::Key(name.clone()));
            if let Some((field_ty, field)) = self.field(ty, value, &name) {
                self.value(field_ty, field)?;
            } else {
                self.unknown.push(self.path());
                self.raw()?;
            }
            self.path.pop();
        }
        Ok(())
    }

    /// The field that a key goes to, embedded structs included.
    fn field<'v>(&self, ty: TypeId, value: &'v mut Value, key: &str) -> Option<(TypeId, &'v mut Value)> {
        let exact = |name: &str| name == key;
        let folded = |name: &str| name.eq_ignore_ascii_case(key);
        let route = route(self.schema, ty, &exact).or_else(|| {
            let fold = self.dialect.fold_case;
            fold.then(|| route(self.schema, ty, &folded)).flatten()
        })?;
        let mut at = (ty, value);
        for index in route {
            let field = self.schema.fields(at.0).get(index)?;
            let Value::Struct(values) = at.1 else {
                return None;
            };
            at = (field.ty, values.get_mut(index)?);
        }
        Some(at)
    }

    fn special(&mut self, special: Special, ty: TypeId, value: &mut Value) -> Result<()> {
        match special {
            Special::Quantity => {
                let raw = self.raw()?;
                if let Value::Quantity(quantity) = value {
                    quantity.unmarshal_json_over(raw, self.flavour).map_err(|e| {
                        self.error(format!("expected a quantity like 500m or 1Gi, found {}: {e}", excerpt(raw)))
                    })?;
                }
            }
            Special::IntOrString => {
                let token = self.peek()?;
                let (kind, text, number) = match token {
                    Token::String => (1, self.string()?, 0),
                    Token::Null => {
                        self.null()?;
                        (0, Cow::Borrowed(""), 0)
                    }
                    _ => {
                        let number = self.number("a whole number or a string", token)?;
                        let parsed = number.parse::<i32>().map_err(|_| {
                            self.error(format!("expected a whole number that fits 32 bits or a string, found {number}"))
                        })?;
                        (0, Cow::Borrowed(""), i64::from(parsed))
                    }
                };
                // A field written twice keeps what the later form does not set.
                for (name, part) in [
                    ("Type", Some(Value::Int(kind))),
                    ("Kind", Some(Value::Int(kind))),
                    ("IntVal", (token == Token::Number).then_some(Value::Int(number))),
                    ("StrVal", (token == Token::String).then(|| Value::str(&text))),
                ] {
                    if let (Some((index, _)), Value::Struct(values), Some(part)) =
                        (self.schema.field(ty, name), &mut *value, part)
                    {
                        values[index] = part;
                    }
                }
            }
            Special::Time | Special::MicroTime => {
                let raw = self.raw()?;
                let parsed = if special == Special::Time {
                    Time::unmarshal_json(raw, Toolchain::of(self.schema))
                } else {
                    Time::unmarshal_json_micro(raw, Toolchain::of(self.schema))
                };
                let time = parsed.map_err(|e| {
                    self.error(format!("expected a time like 2006-01-02T15:04:05Z, found {}: {e}", excerpt(raw)))
                })?;
                if let Value::Struct(values) = value {
                    values[0] = Value::Time(Box::new(time));
                }
            }
            Special::GoTime => {
                // Only ever met inside metav1.Time, which reads it.
                self.raw()?;
            }
            Special::Duration => {
                return Err(self.error("durations are not supported in workloads"));
            }
            Special::RawJson => {
                let raw = self.raw()?;
                if let (Some((index, _)), Value::Struct(values)) = (self.schema.field(ty, "Raw"), value)
                    && raw != "null"
                {
                    values[index] = Value::Bytes(raw.as_bytes().into());
                }
            }
        }
        Ok(())
    }
}

/// As much of a value as belongs in a message.
fn excerpt(raw: &str) -> Cow<'_, str> {
    const MOST: usize = 64;
    match raw.char_indices().nth(MOST) {
        None => Cow::Borrowed(raw),
        Some((end, _)) => Cow::Owned(format!("{}…", &raw[..end])),
    }
}

/// Indices of fields from a struct down to the one whose JSON key fits; an outer field wins over
/// a promoted one.
fn route(schema: &Schema, ty: TypeId, fits: &dyn Fn(&str) -> bool) -> Option<Vec<usize>> {
    let fields = schema.fields(ty);
    let own = fields
        .iter()
        .position(|field| field.json.as_ref().is_some_and(|json| !json.is_inlined() && fits(&json.key)));
    if let Some(index) = own {
        return Some(vec![index]);
    }
    fields.iter().enumerate().find_map(|(index, field)| {
        if !field.json.as_ref()?.is_inlined() {
            return None;
        }
        let mut rest = route(schema, field.ty, fits)?;
        rest.insert(0, index);
        Some(rest)
    })
}

/// Standard base64 with padding; line breaks are skipped, as `encoding/base64` does.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3);
    let groups = digits.len() / 4;
    for (number, group) in digits.chunks(4).enumerate() {
        let padding = group.iter().rev().take_while(|b| **b == b'=').count();
        if padding > 2 || (padding > 0 && number + 1 != groups) {
            return None;
        }
        let mut bits = 0u32;
        for (index, digit) in group.iter().enumerate() {
            let six = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' if index >= 4 - padding => 0,
                _ => return None,
            };
            bits = bits << 6 | u32::from(six);
        }
        out.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    Some(out)
}
