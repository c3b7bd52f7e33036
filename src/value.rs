//! Objects as Go holds them.
//!
//! In: a [`Schema`] and what the decoder found. Out: a [`Value`], shaped as the Go struct would
//! be in memory: nil told from empty, pointers from values, every field of a struct present in
//! declaration order, unexported ones included. A value does not carry its type: whoever walks
//! it walks the schema beside it. [`Ref`] and [`Mut`] are such walkers; rules about Kubernetes
//! (defaults, conversion, strategies) are written with them, by Go field name:
//!
//! ```text
//! if pod.at("Spec.HostNetwork").is_true() { … }
//! container.get("ImagePullPolicy").set_str("IfNotPresent");
//! ```

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::quantity::Quantity;
use crate::schema::{Kind, Schema, Special, TypeId};
use crate::time::Time;

/// One Go value, without its type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A nil pointer, slice, map or interface.
    Nil,
    /// A `bool`.
    Bool(bool),
    /// Any signed integer.
    Int(i64),
    /// Any unsigned integer.
    Uint(u64),
    /// A float.
    Float(f64),
    /// A string; the decoder has replaced what was not UTF-8, as Go does.
    String(Box<str>),
    /// A `[]byte` that is not nil; also the raw JSON of `FieldsV1` and `RawExtension`.
    Bytes(Box<[u8]>),
    /// A pointer that is not nil.
    Pointer(Box<Value>),
    /// A slice that is not nil, or an array.
    Slice(Vec<Value>),
    /// A map that is not nil, in the order of insertion; keys are unique.
    Map(Vec<(Value, Value)>),
    /// A struct: a value per field of the schema, in declaration order.
    Struct(Box<[Value]>),
    /// A `resource.Quantity`.
    Quantity(Box<Quantity>),
    /// A `time.Time`.
    Time(Box<Time>),
}

impl Value {
    /// A string value.
    pub fn str(text: &str) -> Value {
        Value::String(text.into())
    }

    /// The text of a string value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A map's key as `encoding/json` writes it: a string as it is, a number in decimal.
    pub fn key_text(&self) -> Cow<'_, str> {
        match self {
            Value::String(text) => Cow::Borrowed(text),
            Value::Int(number) => Cow::Owned(number.to_string()),
            Value::Uint(number) => Cow::Owned(number.to_string()),
            _ => Cow::Borrowed(""),
        }
    }

    /// The order in which spew puts a map's keys: numbers by size, strings by their bytes.
    pub(crate) fn key_order(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Uint(a), Value::Uint(b)) => a.cmp(b),
            _ => self.as_str().cmp(&other.as_str()),
        }
    }
}

impl Schema {
    /// Go's zero value of a type.
    pub fn zero(&self, ty: TypeId) -> Value {
        match self[ty].special {
            Some(Special::Quantity) => return Value::Quantity(Box::default()),
            Some(Special::GoTime) => return Value::Time(Box::default()),
            _ => {}
        }
        match &self[ty].kind {
            Kind::Bool => Value::Bool(false),
            Kind::Int(_) => Value::Int(0),
            Kind::Uint(_) | Kind::Uintptr => Value::Uint(0),
            Kind::Float(_) => Value::Float(0.0),
            Kind::String => Value::str(""),
            Kind::Array(len, elem) => Value::Slice(vec![self.zero(*elem); *len]),
            Kind::Struct(fields) => Value::Struct(fields.iter().map(|f| self.zero(f.ty)).collect()),
            Kind::Pointer(_)
            | Kind::Slice(_)
            | Kind::Bytes
            | Kind::Map(..)
            | Kind::Interface
            | Kind::Opaque => Value::Nil,
        }
    }

    /// Whether `reflect.Value.IsZero` would say so.
    pub fn is_zero(&self, value: &Value) -> bool {
        match value {
            Value::Nil => true,
            Value::Bool(b) => !b,
            Value::Int(n) => *n == 0,
            Value::Uint(n) => *n == 0,
            // Go counts negative zero as non-zero here.
            Value::Float(x) => x.to_bits() == 0,
            Value::String(s) => s.is_empty(),
            Value::Struct(fields) => fields.iter().all(|field| self.is_zero(field)),
            Value::Quantity(quantity) => **quantity == Quantity::default(),
            Value::Time(time) => **time == Time::default(),
            Value::Bytes(_) | Value::Pointer(_) | Value::Slice(_) | Value::Map(_) => false,
        }
    }
}

/// A value to look at, with its type; or nothing, where this release has no such field or a
/// pointer on the way to it was nil. Every question about nothing answers as about a zero value.
#[derive(Clone, Copy)]
pub struct Ref<'s, 'v> {
    schema: &'s Schema,
    at: Option<(TypeId, &'v Value)>,
}

impl<'s, 'v> Ref<'s, 'v> {
    /// A value of the schema.
    pub fn new(schema: &'s Schema, ty: TypeId, value: &'v Value) -> Ref<'s, 'v> {
        Ref {
            schema,
            at: Some((ty, value)),
        }
    }

    /// The schema.
    pub fn schema(self) -> &'s Schema {
        self.schema
    }

    /// The type and the value themselves.
    pub fn parts(self) -> Option<(TypeId, &'v Value)> {
        self.at
    }

    /// Whether there is such a field at all in this release and on this object.
    pub fn exists(self) -> bool {
        self.at.is_some()
    }

    fn with(self, at: Option<(TypeId, &'v Value)>) -> Ref<'s, 'v> {
        Ref {
            schema: self.schema,
            at,
        }
    }

    /// Follows pointers as far as they go; a nil one leads to nothing.
    pub fn deref(self) -> Ref<'s, 'v> {
        let mut at = self.at;
        while let Some((ty, value)) = at
            && let Kind::Pointer(elem) = self.schema[ty].kind
        {
            at = match value {
                Value::Pointer(inner) => Some((elem, inner)),
                _ => None,
            };
        }
        self.with(at)
    }

    /// A field of the struct, or of the struct pointed to.
    pub fn get(self, name: &str) -> Ref<'s, 'v> {
        let target = self.deref();
        let Some((ty, Value::Struct(values))) = target.at else {
            return self.with(None);
        };
        let found = self.schema.field(ty, name);
        self.with(found.and_then(|(index, field)| Some((field.ty, values.get(index)?))))
    }

    /// A field by path: `Spec.SecurityContext.HostNetwork`.
    pub fn at(self, path: &str) -> Ref<'s, 'v> {
        path.split('.').fold(self, Ref::get)
    }

    /// Whether it is nil (or nothing).
    pub fn is_nil(self) -> bool {
        matches!(self.at, None | Some((_, Value::Nil)))
    }

    /// Whether it is Go's zero value (or nothing).
    pub fn is_zero(self) -> bool {
        self.at.is_none_or(|(_, value)| self.schema.is_zero(value))
    }

    /// The text, through pointers; empty where there is none.
    pub fn str(self) -> &'v str {
        match self.deref().at {
            Some((_, Value::String(text))) => text,
            _ => "",
        }
    }

    /// The number, through pointers; 0 where there is none.
    pub fn int(self) -> i64 {
        match self.deref().at {
            Some((_, Value::Int(number))) => *number,
            Some((_, Value::Uint(number))) => *number as i64,
            _ => 0,
        }
    }

    /// Whether it is true, through pointers.
    pub fn is_true(self) -> bool {
        matches!(self.deref().at, Some((_, Value::Bool(true))))
    }

    /// The quantity.
    pub fn quantity(self) -> Option<&'v Quantity> {
        match self.deref().at {
            Some((_, Value::Quantity(quantity))) => Some(quantity),
            _ => None,
        }
    }

    /// The number of elements of a slice or entries of a map; 0 for nil.
    pub fn len(self) -> usize {
        match self.deref().at {
            Some((_, Value::Slice(items))) => items.len(),
            Some((_, Value::Map(entries))) => entries.len(),
            Some((_, Value::Bytes(bytes))) => bytes.len(),
            Some((_, Value::String(text))) => text.len(),
            _ => 0,
        }
    }

    /// Whether [`Ref::len`] is 0.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// A slice's elements.
    pub fn items(self) -> impl DoubleEndedIterator<Item = Ref<'s, 'v>> + ExactSizeIterator {
        let (elem, items) = match self.deref().at {
            Some((ty, Value::Slice(items))) => match self.schema[ty].kind {
                Kind::Slice(elem) | Kind::Array(_, elem) => (elem, items.as_slice()),
                _ => (ty, &[][..]),
            },
            Some((ty, _)) => (ty, &[][..]),
            None => (TypeId::NONE, &[][..]),
        };
        items
            .iter()
            .map(move |item| Ref::new(self.schema, elem, item))
    }

    /// A map's entries, keys as text.
    pub fn entries(self) -> impl Iterator<Item = (&'v str, Ref<'s, 'v>)> {
        let (elem, entries) = match self.deref().at {
            Some((ty, Value::Map(entries))) => match self.schema[ty].kind {
                Kind::Map(_, elem) => (elem, entries.as_slice()),
                _ => (ty, &[][..]),
            },
            Some((ty, _)) => (ty, &[][..]),
            None => (TypeId::NONE, &[][..]),
        };
        entries.iter().filter_map(move |(key, value)| {
            Some((key.as_str()?, Ref::new(self.schema, elem, value)))
        })
    }

    /// A map's value by key.
    pub fn entry(self, key: &str) -> Ref<'s, 'v> {
        let found = self.entries().find(|(k, _)| *k == key);
        found.map_or_else(|| self.with(None), |(_, value)| value)
    }
}

/// A value to change, with its type; or nothing, where this release has no such field or a
/// pointer on the way to it was nil. A change to nothing does nothing: a rule about a field that a
/// release does not know needs no release check.
pub struct Mut<'s, 'v> {
    schema: &'s Schema,
    at: Option<(TypeId, &'v mut Value)>,
}

impl<'s, 'v> Mut<'s, 'v> {
    /// A value of the schema.
    pub fn new(schema: &'s Schema, ty: TypeId, value: &'v mut Value) -> Mut<'s, 'v> {
        Mut {
            schema,
            at: Some((ty, value)),
        }
    }

    /// The schema.
    pub fn schema(&self) -> &'s Schema {
        self.schema
    }

    /// The type; `None` for nothing.
    pub fn ty(&self) -> Option<TypeId> {
        self.at.as_ref().map(|(ty, _)| *ty)
    }

    /// Whether there is such a field at all in this release and on this object.
    pub fn exists(&self) -> bool {
        self.at.is_some()
    }

    /// The same value, for a shorter time.
    pub fn by_ref(&mut self) -> Mut<'s, '_> {
        Mut {
            schema: self.schema,
            at: self.at.as_mut().map(|(ty, value)| (*ty, &mut **value)),
        }
    }

    /// To look at.
    pub fn look(&self) -> Ref<'s, '_> {
        Ref {
            schema: self.schema,
            at: self.at.as_ref().map(|(ty, value)| (*ty, &**value)),
        }
    }

    /// The type and the value themselves.
    pub fn into_parts(self) -> Option<(TypeId, &'v mut Value)> {
        self.at
    }

    /// Follows pointers as far as they go; a nil one leads to nothing.
    pub fn deref(self) -> Mut<'s, 'v> {
        let schema = self.schema;
        let mut at = self.at;
        loop {
            match at {
                Some((ty, value)) => match schema[ty].kind {
                    Kind::Pointer(elem) => {
                        at = match value {
                            Value::Pointer(inner) => Some((elem, &mut **inner)),
                            _ => None,
                        };
                    }
                    _ => {
                        return Mut {
                            schema,
                            at: Some((ty, value)),
                        };
                    }
                },
                None => return Mut { schema, at: None },
            }
        }
    }

    /// A field of the struct, or of the struct pointed to.
    pub fn get(&mut self, name: &str) -> Mut<'s, '_> {
        self.by_ref().into_field(name)
    }

    fn into_field(self, name: &str) -> Mut<'s, 'v> {
        let schema = self.schema;
        let at = match self.deref().at {
            Some((ty, Value::Struct(values))) => match schema.field(ty, name) {
                Some((index, field)) => values.get_mut(index).map(|value| (field.ty, value)),
                None => None,
            },
            _ => None,
        };
        Mut { schema, at }
    }

    /// A field by path: `Spec.SecurityContext.HostNetwork`.
    pub fn at(&mut self, path: &str) -> Mut<'s, '_> {
        path.split('.').fold(self.by_ref(), Mut::into_field)
    }

    /// What is pointed to; a nil pointer is first pointed at a zero value (`new(T)`).
    pub fn make(self) -> Mut<'s, 'v> {
        let schema = self.schema;
        let at = match self.at {
            Some((ty, value)) => match schema[ty].kind {
                Kind::Pointer(elem) => {
                    if !matches!(value, Value::Pointer(_)) {
                        *value = Value::Pointer(Box::new(schema.zero(elem)));
                    }
                    match value {
                        Value::Pointer(inner) => Some((elem, &mut **inner)),
                        _ => None,
                    }
                }
                _ => Some((ty, value)),
            },
            None => None,
        };
        Mut { schema, at }
    }

    /// Sets the value as it stands; the caller vouches for its shape.
    pub fn set(self, new: Value) {
        if let Some((_, value)) = self.at {
            *value = new;
        }
    }

    /// Sets a string, or a pointer to a new one.
    pub fn set_str(self, text: &str) {
        self.make().set(Value::str(text));
    }

    /// Sets an integer of whatever width and sign, or a pointer to a new one.
    pub fn set_int(self, number: i64) {
        let target = self.make();
        let unsigned = target
            .ty()
            .is_some_and(|ty| matches!(target.schema[ty].kind, Kind::Uint(_)));
        target.set(if unsigned {
            Value::Uint(number as u64)
        } else {
            Value::Int(number)
        });
    }

    /// Sets a bool, or a pointer to a new one.
    pub fn set_bool(self, on: bool) {
        self.make().set(Value::Bool(on));
    }

    /// Sets Go's zero value: nil for pointers, slices and maps.
    pub fn clear(self) {
        let schema = self.schema;
        if let Some((ty, value)) = self.at {
            *value = schema.zero(ty);
        }
    }

    /// Takes the value out and leaves Go's zero value.
    pub fn take(self) -> Option<Value> {
        let schema = self.schema;
        self.at
            .map(|(ty, value)| std::mem::replace(value, schema.zero(ty)))
    }

    /// A slice's elements.
    pub fn items(self) -> impl Iterator<Item = Mut<'s, 'v>> {
        let schema = self.schema;
        let (elem, items): (TypeId, &mut [Value]) = match self.deref().at {
            Some((ty, Value::Slice(items))) => match schema[ty].kind {
                Kind::Slice(elem) | Kind::Array(_, elem) => (elem, items),
                _ => (ty, &mut []),
            },
            _ => (TypeId::NONE, &mut []),
        };
        items
            .iter_mut()
            .map(move |item| Mut::new(schema, elem, item))
    }

    /// A map's entries, keys as text.
    pub fn entries(self) -> impl Iterator<Item = (&'v str, Mut<'s, 'v>)> {
        let schema = self.schema;
        let (elem, entries): (TypeId, &mut [(Value, Value)]) = match self.deref().at {
            Some((ty, Value::Map(entries))) => match schema[ty].kind {
                Kind::Map(_, elem) => (elem, entries),
                _ => (ty, &mut []),
            },
            _ => (TypeId::NONE, &mut []),
        };
        entries
            .iter_mut()
            .filter_map(move |(key, value)| Some((key.as_str()?, Mut::new(schema, elem, value))))
    }

    /// Appends to a slice a zero element, and hands it out; nil becomes a slice first.
    pub fn push(self) -> Mut<'s, 'v> {
        let schema = self.schema;
        let at = match self.at {
            Some((ty, value)) => match schema[ty].kind {
                Kind::Slice(elem) => {
                    if !matches!(value, Value::Slice(_)) {
                        *value = Value::Slice(Vec::new());
                    }
                    match value {
                        Value::Slice(items) => {
                            items.push(schema.zero(elem));
                            items.last_mut().map(|item| (elem, item))
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            None => None,
        };
        Mut { schema, at }
    }

    /// A map's value by key, a zero one if the key is new; nil becomes a map first.
    pub fn insert(self, key: &str) -> Mut<'s, 'v> {
        let schema = self.schema;
        let at = match self.at {
            Some((ty, value)) => match schema[ty].kind {
                Kind::Map(_, elem) => {
                    if !matches!(value, Value::Map(_)) {
                        *value = Value::Map(Vec::new());
                    }
                    match value {
                        Value::Map(entries) => {
                            let found = entries.iter().position(|(k, _)| k.as_str() == Some(key));
                            let index = found.unwrap_or_else(|| {
                                entries.push((Value::str(key), schema.zero(elem)));
                                entries.len() - 1
                            });
                            entries.get_mut(index).map(|(_, value)| (elem, value))
                        }
                        _ => None,
                    }
                }
                _ => None,
            },
            None => None,
        };
        Mut { schema, at }
    }

    /// Removes a key from a map; the map itself stays, empty if need be.
    pub fn remove(self, key: &str) -> Option<Value> {
        match self.deref().at {
            Some((_, Value::Map(entries))) => {
                let index = entries.iter().position(|(k, _)| k.as_str() == Some(key))?;
                Some(entries.remove(index).1)
            }
            _ => None,
        }
    }
}
