//! A value taken apart into the places where something stands: what a preimage says, by field.

use std::collections::BTreeMap;

use crate::print::{json, spew};
use crate::schema::{Kind, Schema, TypeId};
use crate::toolchain::{JsonStyle, Toolchain};
use crate::value::Value;

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
        style: JsonStyle::of(Toolchain::of(schema)),
        print,
        leaves: Leaves::new(),
    };
    walk.value("", "", ty, value);
    walk.leaves
}

struct Walk<'s> {
    schema: &'s Schema,
    style: JsonStyle,
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
                    let name = match (&field.json, self.print) {
                        (None, Print::Json) => continue,
                        (Some(json), Print::Json)
                            if json::is_left_out(schema, self.style, json, field.ty, value) =>
                        {
                            continue;
                        }
                        (Some(json), _) if json.key.is_empty() => None,
                        (Some(json), _) => Some(&*json.key),
                        (None, Print::Dump) => Some(&*field.name),
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
