//! A value taken apart into the places where something stands: what a preimage says, by field.

use std::collections::BTreeMap;

use crate::print::{json, spew};
use crate::schema::{JsonField, Kind, Schema, TypeId};
use crate::value::{Ref, Value};

/// What stands at a place: the text that is hashed for it, and the Go type that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// As the preimage has it.
    pub(super) text: String,
    /// The Go type of the struct whose field this is: `v1.Container`.
    pub(super) owner: String,
}

/// Places as manifests name them, relative to what was taken apart.
pub(super) type Leaves = BTreeMap<String, Leaf>;

/// How the value is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Print {
    /// By go-spew: every field, whatever is in it.
    Dump,
    /// By `encoding/json`: what is not left out.
    Json,
}

/// Takes a value apart.
pub(super) fn of(schema: &Schema, ty: TypeId, value: &Value, print: Print) -> Leaves {
    let mut walk = Walk {
        schema,
        print,
        leaves: Leaves::new(),
    };
    walk.value("", "", ty, value);
    walk.leaves
}

struct Walk<'s> {
    schema: &'s Schema,
    print: Print,
    leaves: Leaves,
}

impl Walk<'_> {
    fn value(&mut self, path: &str, owner: &str, ty: TypeId, value: &Value) {
        let schema = self.schema;
        let def = &schema[ty];
        match (&def.kind, value) {
            (Kind::Pointer(elem), Value::Pointer(inner)) => {
                self.value(path, owner, *elem, inner);
            }
            (Kind::Struct(fields), Value::Struct(values)) if def.special.is_none() => {
                for (field, value) in fields.iter().zip(values.iter()) {
                    if self.is_left_out(field.json.as_ref(), field.ty, value) {
                        continue;
                    }
                    let name = match &field.json {
                        Some(json) if !json.key.is_empty() => Some(&*json.key),
                        Some(_) => None,
                        None if self.print == Print::Json => continue,
                        None => Some(&*field.name),
                    };
                    let path = match name {
                        Some(name) => join(path, name),
                        None => path.to_owned(),
                    };
                    self.value(&path, &def.name, field.ty, value);
                }
            }
            (Kind::Slice(elem) | Kind::Array(_, elem), Value::Slice(items))
                if !items.is_empty() =>
            {
                for (index, item) in items.iter().enumerate() {
                    self.value(&format!("{path}[{index}]"), owner, *elem, item);
                }
            }
            (Kind::Map(_, elem), Value::Map(entries)) if !entries.is_empty() => {
                for (key, item) in entries {
                    let key = key.as_str().unwrap_or_default();
                    self.value(&format!("{path}[{key}]"), owner, *elem, item);
                }
            }
            _ => self.leaf(path, owner, ty, value),
        }
    }

    /// What `encoding/json` leaves out.
    fn is_left_out(&self, json: Option<&JsonField>, ty: TypeId, value: &Value) -> bool {
        if self.print == Print::Dump {
            return false;
        }
        let Some(json) = json else { return true };
        let empty = match value {
            Value::Nil => true,
            Value::Slice(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            Value::Struct(_) => false,
            _ => Ref::new(self.schema, ty, value).is_zero(),
        };
        json.omit_empty && empty
    }

    fn leaf(&mut self, path: &str, owner: &str, ty: TypeId, value: &Value) {
        let text = match self.print {
            Print::Dump => spew::to_vec(self.schema, ty, value),
            Print::Json => json::to_vec(self.schema, ty, value),
        };
        let leaf = Leaf {
            text: String::from_utf8_lossy(&text).into_owned(),
            owner: owner.to_owned(),
        };
        self.leaves.insert(path.to_owned(), leaf);
    }
}

/// A field of what stands at a path.
pub(super) fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}
