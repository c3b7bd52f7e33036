//! JSON into a [`Value`], the way a release's serializer does it.
//!
//! In: a document's JSON text and a type of a [`Schema`]. Out: the value as Go would hold it, and
//! the paths of fields that the release does not know (Go drops them; the caller warns).
//! Mirrors `k8s.io/apimachinery/pkg/runtime/serializer/json` and the decoder below it, which is
//! `encoding/json`, ugorji's codec, json-iterator or `sigs.k8s.io/json` depending on the release:
//! see [`Dialect`].

use std::borrow::Cow;
use std::fmt;

use crate::cpuset::CpuSet;
use crate::json::{Reader, Surrogates, SyntaxError, Token};
use crate::quantity::Flavour;
use crate::release::{Release, Span};
use crate::schema::{Kind, Schema, Special, TypeId};
use crate::time::Time;
use crate::toolchain::Toolchain;
use crate::value::{Mut, Value};

/// How the JSON library of a release treats what the JSON standard leaves open, and what it gets
/// wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// `Image` is taken for `image` where no key fits exactly.
    pub fold_case: bool,
    /// What `null` does to a field that cannot be nil.
    pub null: Null,
    /// What becomes of half a surrogate pair.
    pub surrogates: Surrogates,
    /// Numbers in fields that are dropped have to fit a float all the same.
    pub dropped_numbers: DroppedNumbers,
    /// Which of ugorji's codecs it is, if it is one.
    pub codec: Option<Codec>,
}

/// ugorji's codec reads more than JSON has: `80.0` and `8e1` are whole numbers, a list stands for
/// a struct's fields in their order. And less: `null` is no number or boolean in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codec {
    /// `null` is an empty string in `[]string` and `map[string]string`; else it is an error there.
    pub null_strings: bool,
    /// `"80"` is a number.
    pub quoted_numbers: bool,
    /// An empty list of strings or numbers is nil: the functions for them returned a result that
    /// had no name and so was never set.
    pub empty_lists_are_nil: bool,
    /// In a list that stands for a struct, promoted fields come after the struct's own.
    pub promoted_fields_last: bool,
}

/// What `null` does to a field that cannot be nil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Null {
    /// Nothing.
    Keeps,
    /// It empties strings and does nothing to others.
    EmptiesStrings,
    /// It makes the field zero.
    Zeroes,
}

/// What numbers in fields that nobody knows have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DroppedNumbers {
    /// Anything JSON allows.
    Any,
    /// Within the range of a `float32`, if they have an exponent.
    Float32,
    /// Within the range of a `float64`.
    Float64,
}

const ENCODING_JSON: Dialect = Dialect {
    fold_case: true,
    null: Null::Keeps,
    surrogates: Surrogates::Alone,
    dropped_numbers: DroppedNumbers::Any,
    codec: None,
};

/// Revision f4485b3.
const UGORJI_F4485B3: Dialect = Dialect {
    fold_case: false,
    null: Null::Zeroes,
    surrogates: Surrogates::Paired,
    dropped_numbers: DroppedNumbers::Float64,
    codec: Some(Codec {
        null_strings: false,
        quoted_numbers: true,
        empty_lists_are_nil: false,
        promoted_fields_last: true,
    }),
};

/// Revision f1f1a80, which is older than f4485b3 and came later.
const UGORJI_F1F1A80: Dialect = Dialect {
    codec: Some(Codec {
        null_strings: false,
        quoted_numbers: false,
        empty_lists_are_nil: true,
        promoted_fields_last: false,
    }),
    ..UGORJI_F4485B3
};

/// Revision ded73ea.
const UGORJI_DED73EA: Dialect = Dialect {
    codec: Some(Codec {
        null_strings: true,
        quoted_numbers: true,
        empty_lists_are_nil: false,
        promoted_fields_last: false,
    }),
    ..UGORJI_F4485B3
};

const JSON_ITERATOR_1_1_4: Dialect = Dialect {
    fold_case: false,
    null: Null::EmptiesStrings,
    surrogates: Surrogates::Pairwise,
    dropped_numbers: DroppedNumbers::Float32,
    codec: None,
};

/// From 1.1.5 on unknown numbers are read as `float64` (`skipNumber`, `iter_skip_strict.go`).
const JSON_ITERATOR: Dialect = Dialect {
    dropped_numbers: DroppedNumbers::Float64,
    ..JSON_ITERATOR_1_1_4
};

/// A fork of `encoding/json` that minds the case.
const SIGS_JSON: Dialect = Dialect {
    fold_case: false,
    ..ENCODING_JSON
};

const DIALECTS: &[(Span, Dialect)] = &[
    (Span::minors(1, 1), ENCODING_JSON),
    (Span::minors(2, 3), UGORJI_F4485B3),
    (Span::minors(4, 5), UGORJI_F1F1A80),
    (Span::minors(6, 7), UGORJI_DED73EA),
    (Span::minors(8, 15), JSON_ITERATOR_1_1_4),
    (Span::minors(16, 22), JSON_ITERATOR),
    (Span::since(23, 0), SIGS_JSON),
];

impl Dialect {
    /// The dialect of a release's serializer.
    pub fn of(release: Release) -> Dialect {
        DIALECTS
            .iter()
            .find(|(span, _)| span.contains(release))
            .map_or(SIGS_JSON, |(_, dialect)| *dialect)
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
    let dialect = Dialect::of(schema.release());
    let mut decoder = Decoder {
        schema,
        dialect,
        flavour: Flavour::of(schema.release()),
        reader: Reader::with_surrogates(text, dialect.surrogates),
        path: Vec::new(),
        unknown: Vec::new(),
        mismatches: Mismatches::End,
    };
    let mut value = schema.zero(ty);
    decoder.value(ty, &mut value)?;
    decoder.reader.end().map_err(|e| decoder.syntax(e))?;
    Ok(Decoded {
        value,
        unknown: decoder.unknown,
    })
}

/// `json.Unmarshal` of `encoding/json` into a value that may hold something already.
///
/// Text that is no JSON changes nothing. A value that does not fit its field is passed over and the
/// rest is read all the same, so that the value holds something after an error, too; only when a
/// type's own method refuses its text, nothing more is read.
///
/// # Errors
/// When the text is not JSON, or the first value that does not fit its field.
pub fn unmarshal(schema: &Schema, ty: TypeId, value: &mut Value, text: &str) -> Result<()> {
    let mut decoder = Decoder {
        schema,
        dialect: ENCODING_JSON,
        flavour: Flavour::of(schema.release()),
        reader: Reader::new(text),
        path: Vec::new(),
        unknown: Vec::new(),
        mismatches: Mismatches::Saved(None),
    };
    whole_text(text).map_err(|e| decoder.syntax(e))?;
    decoder.value(ty, value)?;
    match decoder.mismatches {
        Mismatches::Saved(Some(error)) => Err(error),
        _ => Ok(()),
    }
}

/// `checkValid` in `encoding/json/scanner.go`: whether the text is one JSON value.
fn whole_text(text: &str) -> Result<(), SyntaxError> {
    let mut reader = Reader::new(text);
    reader.raw()?;
    reader.end()
}

/// `json.Unmarshal` into a struct with one field, a string: what the field holds then, and whether
/// there was an error.
pub(crate) fn string_member(text: &str, key: &str) -> (String, Result<()>) {
    let mut found = String::new();
    let read = string_member_into(&mut found, text, key);
    (found, read)
}

fn string_member_into(found: &mut String, text: &str, key: &str) -> Result<()> {
    let error = |message: String| DecodeError {
        path: key.to_owned(),
        message,
    };
    let syntax = |e: SyntaxError| error(e.to_string());
    whole_text(text).map_err(syntax)?;
    let mut reader = Reader::new(text);
    let mut read = Ok(());
    match reader.peek().map_err(syntax)? {
        Token::Object => reader.begin_object().map_err(syntax)?,
        Token::Null => return Ok(()),
        other => {
            return Err(error(format!(
                "expected an object, found {}",
                other.describe()
            )));
        }
    }
    let mut first = true;
    while let Some(name) = reader.next_key(&mut first).map_err(syntax)? {
        let token = reader.peek().map_err(syntax)?;
        if !equal_fold(key, &name) || token == Token::Null {
            reader.raw().map_err(syntax)?;
        } else if token == Token::String {
            *found = reader.string().map_err(syntax)?.into_owned();
        } else {
            reader.raw().map_err(syntax)?;
            let mismatch = format!("expected a string, found {}", token.describe());
            read = read.and(Err(error(mismatch)));
        }
    }
    read
}

/// What a value does that does not fit its field.
enum Mismatches {
    /// It ends the decoding.
    End,
    /// It is passed over; the first one is told in the end.
    Saved(Option<DecodeError>),
    /// A type's own method refused its text, which ends the decoding.
    Ended,
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
    mismatches: Mismatches,
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
        DecodeError {
            path: self.path(),
            message: message.into(),
        }
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
        let (start, depth) = (self.reader.clone(), self.path.len());
        match self.fitting_value(ty, value) {
            Err(error) if matches!(self.mismatches, Mismatches::Saved(_)) => {
                self.save(error);
                self.path.truncate(depth);
                self.reader = start;
                self.raw().map(drop)
            }
            read => read,
        }
    }

    /// `saveError`: the first one counts.
    fn save(&mut self, error: DecodeError) {
        if let Mismatches::Saved(saved) = &mut self.mismatches {
            saved.get_or_insert(error);
        }
    }

    fn fitting_value(&mut self, ty: TypeId, value: &mut Value) -> Result<()> {
        let token = self.peek()?;
        let schema = self.schema;
        match schema[ty].special {
            Some(_) if token == Token::Null && self.dialect.null == Null::Zeroes => {}
            Some(special) => {
                let read = self.special(special, ty, value);
                if read.is_err() {
                    self.mismatches = Mismatches::Ended;
                }
                return read;
            }
            None => {}
        }
        if token == Token::Null {
            match (&schema[ty].kind, self.dialect.null) {
                (
                    Kind::Pointer(_)
                    | Kind::Slice(_)
                    | Kind::Bytes
                    | Kind::Map(..)
                    | Kind::Interface,
                    _,
                ) => {
                    *value = Value::Nil;
                }
                (Kind::String, Null::EmptiesStrings) | (_, Null::Zeroes) => {
                    *value = schema.zero(ty)
                }
                _ => {}
            }
            return self.null();
        }
        match &schema[ty].kind {
            Kind::Pointer(elem) => {
                if !matches!(value, Value::Pointer(_)) {
                    *value = Value::Pointer(Box::new(schema.zero(*elem)));
                }
                if let Value::Pointer(inner) = value {
                    self.value(*elem, inner)?;
                }
                return Ok(());
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
                match self.whole(number).and_then(|n| i64::try_from(n).ok()) {
                    Some(n) if -limit - 1 <= n && n <= limit => *value = Value::Int(n),
                    _ => {
                        return Err(self.error(format!(
                            "expected a whole number that fits {bits} bits, found {}",
                            excerpt(number)
                        )));
                    }
                }
            }
            Kind::Uint(bits) => {
                let number = self.number("a whole number, not negative", token)?;
                let whole = match self.dialect.codec {
                    // `strconv.ParseUint` does not know `-0`.
                    None => number.parse().ok(),
                    Some(_) => self.whole(number).and_then(|n| u64::try_from(n).ok()),
                };
                match whole {
                    Some(n) if n <= u64::MAX >> (64 - bits) => *value = Value::Uint(n),
                    _ => return Err(self.error(format!(
                        "expected a whole number, not negative, that fits {bits} bits, found {}",
                        excerpt(number)
                    ))),
                }
            }
            Kind::Float(_) => {
                let number = self.number("a number", token)?;
                match number.parse::<f64>() {
                    Ok(x) if x.is_finite() => *value = Value::Float(x),
                    _ => {
                        return Err(
                            self.error(format!("expected a number in range, found {number}"))
                        );
                    }
                }
            }
            Kind::String => {
                if token != Token::String {
                    return Err(self.mismatch("a string", token));
                }
                *value = Value::String(self.string()?.into());
            }
            Kind::Bytes if token == Token::Array && self.saves_mismatches() => {
                self.bytes(value)?;
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
            Kind::Struct(_) if token == Token::Array && self.dialect.codec.is_some() => {
                self.object_from_list(ty, value)?
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

    fn saves_mismatches(&self) -> bool {
        matches!(self.mismatches, Mismatches::Saved(_))
    }

    /// A `[]byte` written as a list of numbers.
    fn bytes(&mut self, value: &mut Value) -> Result<()> {
        let mut bytes = Vec::new();
        let mut first = true;
        self.reader.begin_array().map_err(|e| self.syntax(e))?;
        while self
            .reader
            .next_item(&mut first)
            .map_err(|e| self.syntax(e))?
        {
            let raw = self.raw()?;
            let byte = raw.parse();
            if byte.is_err() && raw != "null" {
                let found = excerpt(raw);
                let error = self.error(format!("expected a byte, found {found}"));
                self.save(error);
            }
            bytes.push(byte.unwrap_or_default());
        }
        *value = Value::Bytes(bytes.into());
        Ok(())
    }

    fn null(&mut self) -> Result<()> {
        self.reader.null().map_err(|e| self.syntax(e))
    }

    fn number(&mut self, expected: &str, token: Token) -> Result<&'a str> {
        match token {
            Token::Number => self.reader.number().map_err(|e| self.syntax(e)),
            Token::String if self.dialect.codec.is_some_and(|codec| codec.quoted_numbers) => {
                let raw = self.raw()?;
                let inside = raw.trim_matches('"');
                Ok(inside.strip_prefix('+').unwrap_or(inside))
            }
            _ => Err(self.mismatch(expected, token)),
        }
    }

    /// A whole number as it is written.
    fn whole(&self, number: &str) -> Option<i128> {
        if self.dialect.codec.is_none() {
            return number
                .parse::<i64>()
                .ok()
                .map(i128::from)
                .or_else(|| number.parse::<u64>().ok().map(i128::from));
        }
        // `decNum` of ugorji's codec: a mantissa of 64 bits without trailing zeros, and an exponent
        // that must not be negative.
        let (number, exponent) = match number.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (number, 0),
        };
        if number.is_empty() {
            return None;
        }
        let (digits, negative) = match number.strip_prefix('-') {
            Some(digits) => (digits, true),
            None => (number, false),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mut exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        let mut mantissa = 0u64;
        for digit in whole.bytes().chain(fraction.bytes()) {
            let digit = char::from(digit).to_digit(10)?;
            mantissa = mantissa.checked_mul(10)?.checked_add(u64::from(digit))?;
        }
        while mantissa != 0 && mantissa.is_multiple_of(10) {
            mantissa /= 10;
            exponent += 1;
        }
        let power = 10u64.checked_pow(u32::try_from(exponent).ok()?)?;
        let number = i128::from(mantissa.checked_mul(power)?);
        Some(if negative { -number } else { number })
    }

    /// The text of a value that no field takes, or that a type's own method reads.
    fn skip(&mut self) -> Result<&'a str> {
        let fits = match self.dialect.dropped_numbers {
            DroppedNumbers::Any => |_: &str| true,
            DroppedNumbers::Float32 => |number: &str| {
                !number.contains(['e', 'E']) || number.parse().is_ok_and(f32::is_finite)
            },
            DroppedNumbers::Float64 => |number: &str| number.parse().is_ok_and(f64::is_finite),
        };
        self.reader.raw_if(fits).map_err(|e| self.syntax(e))
    }

    /// Whether `null` is no element of a list or map of this type.
    fn refuses_null(&self, elem: TypeId) -> bool {
        self.dialect.codec.is_some_and(|codec| {
            let string = matches!(self.schema[elem].kind, Kind::String);
            self.on_fast_path(elem) && !(string && codec.null_strings)
        })
    }

    /// Whether ugorji's codec reads lists and maps of this type with a function made for plain
    /// strings and numbers (`fast-path.generated.go`).
    fn on_fast_path(&self, elem: TypeId) -> bool {
        let ty = &self.schema[elem];
        let plain = matches!(
            ty.kind,
            Kind::String | Kind::Bool | Kind::Int(_) | Kind::Uint(_) | Kind::Float(_)
        );
        plain && ty.id == ty.name
    }

    /// A struct written as a list: its fields in their order (`codecDecodeSelfFromArray`).
    fn object_from_list(&mut self, ty: TypeId, value: &mut Value) -> Result<()> {
        let mut routes = Vec::new();
        all_routes(self.schema, ty, &mut Vec::new(), &mut routes);
        if self
            .dialect
            .codec
            .is_some_and(|codec| codec.promoted_fields_last)
        {
            routes.sort_by_key(Vec::len);
        }
        let mut routes = routes.into_iter();
        let mut first = true;
        self.reader.begin_array().map_err(|e| self.syntax(e))?;
        loop {
            let route = routes.next();
            let promoted = route.as_ref().is_some_and(|route| route.len() > 1);
            let mut field = route.and_then(|route| follow(self.schema, ty, value, route));
            // The generated code allocates what a promoted pointer points to before it looks
            // whether the list goes on.
            if let Some((field_ty, field)) = &mut field
                && promoted
            {
                Mut::new(self.schema, *field_ty, field).make();
            }
            if !self
                .reader
                .next_item(&mut first)
                .map_err(|e| self.syntax(e))?
            {
                return Ok(());
            }
            match field {
                Some((field_ty, field)) => self.value(field_ty, field)?,
                None => {
                    self.skip()?;
                }
            }
        }
    }

    /// A list that is written twice is decoded into the elements that are there already: every
    /// decoder that Kubernetes used fills their fields up rather than starting from zero.
    fn items(&mut self, elem: TypeId, value: &mut Value) -> Result<()> {
        let mut items = match std::mem::replace(value, Value::Nil) {
            Value::Slice(items) => items,
            _ => Vec::new(),
        };
        let read = self.fill_items(elem, &mut items);
        let nil = items.is_empty()
            && self.on_fast_path(elem)
            && self
                .dialect
                .codec
                .is_some_and(|codec| codec.empty_lists_are_nil);
        *value = if nil { Value::Nil } else { Value::Slice(items) };
        read
    }

    fn fill_items(&mut self, elem: TypeId, items: &mut Vec<Value>) -> Result<()> {
        let mut len = 0;
        let mut first = true;
        self.reader.begin_array().map_err(|e| self.syntax(e))?;
        while self
            .reader
            .next_item(&mut first)
            .map_err(|e| self.syntax(e))?
        {
            if len == items.len() {
                items.push(self.schema.zero(elem));
            }
            self.path.push(Step::Index(len));
            if self.refuses_null(elem) && self.peek()? == Token::Null {
                return Err(self.error("null is no element of this list in this release"));
            }
            if let Some(item) = items.get_mut(len) {
                self.value(elem, item)?;
            }
            self.path.pop();
            len += 1;
        }
        items.truncate(len);
        Ok(())
    }

    fn map(&mut self, key: TypeId, elem: TypeId, value: &mut Value) -> Result<()> {
        let mut entries = match std::mem::replace(value, Value::Nil) {
            Value::Map(entries) => entries,
            _ => Vec::new(),
        };
        let read = self.fill_map(key, elem, &mut entries);
        *value = Value::Map(entries);
        read
    }

    fn fill_map(
        &mut self,
        key: TypeId,
        elem: TypeId,
        entries: &mut Vec<(Value, Value)>,
    ) -> Result<()> {
        if !matches!(self.schema[key].kind, Kind::String | Kind::Int(_)) {
            return Err(self.error("this map's keys are not strings; no manifest can hold it"));
        }
        let mut index = fnv::FnvHashMap::default();
        let mut first = true;
        self.reader.begin_object().map_err(|e| self.syntax(e))?;
        for (at, (key, _)) in entries.iter().enumerate() {
            index.insert(key.key_text().into_owned(), at);
        }
        while let Some(name) = self
            .reader
            .next_key(&mut first)
            .map_err(|e| self.syntax(e))?
        {
            // A map's element starts from zero even when the key was there before.
            let mut item = self.schema.zero(elem);
            self.path.push(Step::Key(name.clone()));
            if self.refuses_null(elem) && self.peek()? == Token::Null {
                return Err(self.error("null is no value of this map in this release"));
            }
            self.value(elem, &mut item)?;
            if let Some(key) = self.map_key(key, &name)? {
                match index.get(&*key.key_text()).copied() {
                    Some(at) => entries[at].1 = item,
                    None => {
                        index.insert(key.key_text().into_owned(), entries.len());
                        entries.push((key, item));
                    }
                }
            }
            self.path.pop();
        }
        Ok(())
    }

    /// A map's key; nothing where it does not fit and that does not end the decoding.
    fn map_key(&mut self, ty: TypeId, name: &str) -> Result<Option<Value>> {
        let Kind::Int(bits) = self.schema[ty].kind else {
            return Ok(Some(Value::str(name)));
        };
        let limit = i64::MAX >> (64 - bits);
        match name.parse::<i64>() {
            Ok(n) if -limit - 1 <= n && n <= limit => return Ok(Some(Value::Int(n))),
            _ => {}
        }
        let error = self.error("expected a whole number as the key");
        if !self.saves_mismatches() {
            return Err(error);
        }
        self.save(error);
        Ok(None)
    }

    fn object(&mut self, ty: TypeId, value: &mut Value) -> Result<()> {
        let mut first = true;
        self.reader.begin_object().map_err(|e| self.syntax(e))?;
        while let Some(name) = self
            .reader
            .next_key(&mut first)
            .map_err(|e| self.syntax(e))?
        {
            self.path.push(Step::Key(name.clone()));
            if let Some((field_ty, field)) = self.field(ty, value, &name) {
                self.value(field_ty, field)?;
            } else {
                self.unknown.push(self.path());
                self.skip()?;
            }
            self.path.pop();
        }
        Ok(())
    }

    /// The field that a key goes to, embedded structs included.
    fn field<'v>(
        &self,
        ty: TypeId,
        value: &'v mut Value,
        key: &str,
    ) -> Option<(TypeId, &'v mut Value)> {
        let exact = |name: &str| name == key;
        let folded = |name: &str| equal_fold(name, key);
        let route = route(self.schema, ty, &exact).or_else(|| {
            let fold = self.dialect.fold_case;
            fold.then(|| route(self.schema, ty, &folded)).flatten()
        })?;
        follow(self.schema, ty, value, route)
    }

    fn special(&mut self, special: Special, ty: TypeId, value: &mut Value) -> Result<()> {
        match special {
            Special::Quantity => {
                let raw = if self.dialect.codec.is_some() {
                    self.skip()?
                } else {
                    self.raw()?
                };
                if let Value::Quantity(quantity) = value {
                    quantity
                        .unmarshal_json_over(raw, self.flavour)
                        .map_err(|e| {
                            self.error(format!(
                                "expected a quantity like 500m or 1Gi, found {}: {e}",
                                excerpt(raw)
                            ))
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
                        let bits = match self
                            .schema
                            .field(ty, "IntVal")
                            .map(|(_, field)| &self.schema[field.ty].kind)
                        {
                            Some(Kind::Int(bits)) => *bits,
                            _ => 32,
                        };
                        // The type's own method reads it, with encoding/json in every release.
                        let parsed = number
                            .parse::<i64>()
                            .ok()
                            .filter(|n| *n == *n << (64 - bits) >> (64 - bits));
                        let parsed = parsed.ok_or_else(|| {
                            self.error(format!("expected a whole number that fits {bits} bits or a string, found {number}"))
                        })?;
                        (0, Cow::Borrowed(""), parsed)
                    }
                };
                // A field written twice keeps what the later form does not set.
                for (name, part) in [
                    ("Type", Some(Value::Int(kind))),
                    ("Kind", Some(Value::Int(kind))),
                    (
                        "IntVal",
                        (token == Token::Number).then_some(Value::Int(number)),
                    ),
                    (
                        "StrVal",
                        (token == Token::String).then(|| Value::str(&text)),
                    ),
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
                    self.error(format!(
                        "expected a time like 2006-01-02T15:04:05Z, found {}: {e}",
                        excerpt(raw)
                    ))
                })?;
                if let Value::Struct(values) = value {
                    values[0] = Value::Time(Box::new(time));
                }
            }
            Special::CpuEntry => {
                let raw = self.raw()?;
                let (text, read) = string_member(raw, "cpuSet");
                let set = read.and_then(|()| {
                    let set = CpuSet::parse(&text, self.schema.release());
                    set.map_err(|e| self.error(e.to_string()))
                })?;
                let elements = set.to_map().map_err(|e| self.error(e.to_string()))?;
                Mut::new(self.schema, ty, value)
                    .at("CPUSet.elems")
                    .set(elements);
            }
            Special::GoTime => {
                // Only ever met inside metav1.Time, which reads it.
                self.raw()?;
            }
            Special::Duration => {
                return Err(self.error("durations are not supported in workloads"));
            }
            Special::Fields => {
                // Managed fields nest as deep as their object does; nobody's goes near this.
                const MOST: usize = 200;
                if self.path.len() > MOST {
                    return Err(self.error("nested deeper than 200 levels"));
                }
                if let (Some((index, field)), Value::Struct(values)) =
                    (self.schema.field(ty, "Map"), value)
                {
                    self.value(field.ty, &mut values[index])?;
                }
            }
            Special::RawJson => {
                let raw = self.raw()?;
                if let (Some((index, _)), Value::Struct(values)) =
                    (self.schema.field(ty, "Raw"), value)
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
pub(crate) fn excerpt(raw: &str) -> Cow<'_, str> {
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
    let own = fields.iter().position(|field| {
        field
            .json
            .as_ref()
            .is_some_and(|json| !json.is_inlined() && fits(&json.key))
    });
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

/// The routes to all fields that have a JSON key, in their order.
fn all_routes(schema: &Schema, ty: TypeId, prefix: &mut Vec<usize>, routes: &mut Vec<Vec<usize>>) {
    for (index, field) in schema.fields(ty).iter().enumerate() {
        let Some(json) = &field.json else { continue };
        prefix.push(index);
        if json.is_inlined() {
            all_routes(schema, field.ty, prefix, routes);
        } else {
            routes.push(prefix.clone());
        }
        prefix.pop();
    }
}

/// The field at the end of a route.
fn follow<'v>(
    schema: &Schema,
    ty: TypeId,
    value: &'v mut Value,
    route: Vec<usize>,
) -> Option<(TypeId, &'v mut Value)> {
    let mut at = (ty, value);
    for index in route {
        let field = schema.fields(at.0).get(index)?;
        let Value::Struct(values) = at.1 else {
            return None;
        };
        at = (field.ty, values.get_mut(index)?);
    }
    Some(at)
}

/// `foldFunc` of `encoding/json`: besides ASCII, the long s and the Kelvin sign fold to s and k.
fn equal_fold(name: &str, key: &str) -> bool {
    let fold = |c: char| match c {
        'ſ' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    name.chars().map(fold).eq(key.chars().map(fold))
}

/// Standard base64 with padding; line breaks are skipped, as `encoding/base64` does.
fn base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|b| !matches!(b, b'\r' | b'\n'))
        .collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Ref;

    /// `json.Unmarshal` into a Pod; what stands in it then.
    fn unmarshalled(text: &str) -> (String, Option<String>, i64) {
        let schema = Schema::load(Release::new(30, 14)).unwrap();
        let ty = schema.kind("v1", "Pod").unwrap().versioned;
        let mut pod = schema.zero(ty);
        let read = unmarshal(&schema, ty, &mut pod, text);
        let pod = Ref::new(&schema, ty, &pod);
        (
            pod.at("ObjectMeta.Name").str().to_owned(),
            read.err().map(|error| error.path),
            pod.at("ObjectMeta.Generation").int(),
        )
    }

    #[test]
    fn what_does_not_fit_is_passed_over_and_told() {
        let read = unmarshalled(
            r#"{"metadata":{"name":5,"labels":[],"Generation":7},"spec":{"containers":[5]}}"#,
        );
        assert_eq!(read, (String::new(), Some("metadata.name".into()), 7));
        let read = unmarshalled(r#"{"metadata":{"name":"p","generation":1e2}}"#);
        assert_eq!(
            read,
            ("p".into(), Some("metadata.generation".into()), 0),
            "a whole number has no exponent"
        );
    }

    #[test]
    fn a_type_that_refuses_its_text_ends_the_reading() {
        let read =
            unmarshalled(r#"{"metadata":{"name":"p","creationTimestamp":"x","generation":7}}"#);
        assert_eq!(
            read,
            ("p".into(), Some("metadata.creationTimestamp".into()), 0)
        );
    }

    #[test]
    fn text_that_is_no_json_changes_nothing() {
        for text in [
            "",
            "{",
            r#"{"metadata":{"name":"p"}"#,
            r#"{"metadata":{"name":"p"}} x"#,
        ] {
            let (name, error, _) = unmarshalled(text);
            assert_eq!(
                (name, error),
                (String::new(), Some(String::new())),
                "{text}"
            );
        }
    }

    #[test]
    fn a_lone_string_is_found_as_a_struct_would_find_it() {
        let found = |text| {
            let (found, read) = string_member(text, "policyName");
            (found, read.is_ok())
        };
        for (text, name, fits) in [
            (r#"{"policyName":"a"}"#, "a", true),
            (r#"{"POLICYNAME":"a","policyName":null,"x":{}}"#, "a", true),
            (r#"{"policyName":"a","policyname":"b"}"#, "b", true),
            (r#"{"policyName":"a","policyName":5}"#, "a", false),
            ("null", "", true),
            ("[]", "", false),
            (r#"{"policyName":"a""#, "", false),
        ] {
            assert_eq!(found(text), (name.to_owned(), fits), "{text}");
        }
    }
}
