//! The history of StatefulSets and DaemonSets: what a ControllerRevision holds, and its name.
//!
//! Mirrors `getPatch` in `pkg/controller/statefulset/stateful_set_utils.go` and
//! `pkg/controller/daemon/update.go`, and `HashControllerRevision` and `ControllerRevisionName` in
//! `pkg/controller/history/controller_history.go` (1.7 on). A DaemonSet's revisions are named by
//! the hash of the template instead ([`pod_template_hash`](super::pod_template_hash)).

use std::collections::BTreeMap;

use crate::digest::{Fnv32, Sink};
use crate::float::{self, JsonFloats};
use crate::json::{Reader, SyntaxError, Token};
use crate::print::json;
use crate::release::{Release, Span};
use crate::schema::{Schema, TypeId};
use crate::subject::pod_template_hash::safe_encode;
use crate::toolchain::Toolchain;
use crate::value::Value;

/// What a number of the template is while the patch is made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// A float: `encoding/json`, by which StatefulSets are taken apart. Whole numbers from 2^53 on
    /// lose digits.
    Floats,
    /// An integer where it is one: `k8s.io/apimachinery/pkg/util/json`, as DaemonSets are.
    Integers,
}

/// JSON as Go's `map[string]interface{}` holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// As Go writes it again.
    Number(String),
    String(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// Deeper than this no template nests.
const MAX_DEPTH: usize = 500;

impl Json {
    /// Reads a whole text.
    pub(crate) fn read(
        text: &str,
        numbers: Numbers,
        toolchain: Toolchain,
    ) -> Result<Json, SyntaxError> {
        let mut reader = Reader::new(text);
        let json = Json::value(&mut reader, numbers, JsonFloats::of(toolchain), 0)?;
        reader.end()?;
        Ok(json)
    }

    fn value(
        reader: &mut Reader<'_>,
        numbers: Numbers,
        floats: JsonFloats,
        depth: usize,
    ) -> Result<Json, SyntaxError> {
        if depth > MAX_DEPTH {
            return Err(reader.refuse("nested deeper than 500 levels"));
        }
        let mut first = true;
        Ok(match reader.peek()? {
            Token::Null => {
                reader.null()?;
                Json::Null
            }
            Token::Bool => Json::Bool(reader.bool()?),
            Token::Number => {
                let text = reader.number()?;
                let integer = text.parse::<i64>().ok();
                let written = match integer.filter(|_| numbers == Numbers::Integers) {
                    Some(integer) => Some(integer.to_string()),
                    None => text.parse().ok().and_then(|n| float::json(n, floats)),
                };
                Json::Number(written.ok_or_else(|| reader.refuse("a number out of range"))?)
            }
            Token::String => Json::String(reader.string()?.into_owned()),
            Token::Array => {
                let mut items = Vec::new();
                reader.begin_array()?;
                while reader.next_item(&mut first)? {
                    items.push(Json::value(reader, numbers, floats, depth + 1)?);
                }
                Json::List(items)
            }
            Token::Object => {
                let mut entries = BTreeMap::new();
                reader.begin_object()?;
                while let Some(key) = reader.next_key(&mut first)? {
                    let value = Json::value(reader, numbers, floats, depth + 1)?;
                    entries.insert(key.into_owned(), value);
                }
                Json::Object(entries)
            }
        })
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(entries) => entries.get(key),
            _ => None,
        }
    }

    /// Writes it as `json.Marshal` does: keys sorted.
    pub(crate) fn write(&self, schema: &Schema, sink: &mut impl Sink) {
        match self {
            Json::Null => sink.write(b"null"),
            Json::Bool(on) => sink.write(if *on { b"true" } else { b"false" }),
            Json::Number(text) => sink.write(text.as_bytes()),
            Json::String(text) => json::write_string(schema, text, sink),
            Json::List(items) => {
                sink.write(b"[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        sink.write(b",");
                    }
                    item.write(schema, sink);
                }
                sink.write(b"]");
            }
            Json::Object(entries) => {
                sink.write(b"{");
                for (index, (key, item)) in entries.iter().enumerate() {
                    if index > 0 {
                        sink.write(b",");
                    }
                    json::write_string(schema, key, sink);
                    sink.write(b":");
                    item.write(schema, sink);
                }
                sink.write(b"}");
            }
        }
    }
}

/// `getPatch`: what a revision of this template holds.
///
/// # Errors
/// When raw JSON inside the template holds what Go cannot take apart.
pub fn patch(
    schema: &Schema,
    ty: TypeId,
    template: &Value,
    numbers: Numbers,
) -> Result<String, SyntaxError> {
    let text = String::from_utf8_lossy(&json::to_vec(schema, ty, template)).into_owned();
    let mut template = Json::read(&text, numbers, Toolchain::of(schema))?;
    if let Json::Object(entries) = &mut template {
        entries.insert("$patch".into(), Json::String("replace".into()));
    }
    let mut out = b"{\"spec\":{\"template\":".to_vec();
    template.write(schema, &mut out);
    out.extend_from_slice(b"}}");
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// How a release names a StatefulSet's revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    span: Span,
    /// Whether the collision count is hashed from 0 on; else only once there was a collision.
    pub counts_from_zero: bool,
    /// Whether the label holds [`safe_encode`] of the number.
    encoded_label: bool,
    /// Whether the name does.
    encoded_name: bool,
}

const RECIPES: &[Recipe] = &[
    Recipe {
        span: Span::minors(7, 7),
        counts_from_zero: false,
        encoded_label: false,
        encoded_name: false,
    },
    Recipe {
        span: Span::minors(8, 11),
        counts_from_zero: true,
        encoded_label: false,
        encoded_name: true,
    },
    NEWEST,
];

const NEWEST: Recipe = Recipe {
    span: Span::since(12, 0),
    counts_from_zero: true,
    encoded_label: true,
    encoded_name: true,
};

impl Recipe {
    /// What a release does; `None` where there are no revisions.
    pub fn of(release: Release) -> Option<Recipe> {
        let mut recipes = RECIPES.iter();
        recipes
            .find(|recipe| recipe.span.contains(release))
            .copied()
    }

    /// What stands in the label `controller.kubernetes.io/hash`.
    pub fn label(self, data: &str, collisions: i32) -> String {
        let hash = self.hash(data, collisions).to_string();
        if self.encoded_label {
            safe_encode(&hash)
        } else {
            hash
        }
    }

    /// The revision's name.
    pub fn name(self, parent: &str, data: &str, collisions: i32) -> String {
        let hash = self.hash(data, collisions).to_string();
        let hash = if self.encoded_name {
            safe_encode(&hash)
        } else {
            hash
        };
        let prefix = parent.as_bytes().get(..223).unwrap_or(parent.as_bytes());
        format!("{}-{hash}", String::from_utf8_lossy(prefix))
    }

    /// `HashControllerRevision`
    fn hash(self, data: &str, collisions: i32) -> u32 {
        let mut hasher = Fnv32::default();
        hasher.write(data.as_bytes());
        if self.counts_from_zero || collisions > 0 {
            hasher.write(collisions.to_string().as_bytes());
        }
        hasher.sum()
    }
}
