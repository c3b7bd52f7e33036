//! What is different between two releases: the answer to "why are they not one class?".
//!
//! Types, fields, kinds and feature gates come from the schemas; which answers are concerned comes from
//! the classes; the names of the declarations that changed come from `golden/changes.jsonl`, which
//! compares each release with the one before it in its minor.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::classes::{self, Class};
use super::{Resolution, known, serves};
use crate::release::Release;
use crate::schema::{self, Field, Kind, Schema, SchemaError};

/// The question about the types themselves, which references answer only.
const SCHEMA: &str = "schema";

const CHANGES: &str = include_str!("../../golden/changes.jsonl");

/// Everything that is different between two releases.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// The Go toolchains, where both are known and differ.
    pub toolchains: Option<Change<String>>,
    /// The questions whose code or toolchain differs; `None` where nobody knows: a release was not
    /// classified, or it is a vendor's build.
    pub questions: Option<Vec<&'static str>>,
    /// Workload kinds that one of them serves and the other does not, as `apps/v1beta1 Deployment`.
    pub kinds: Vec<Change<String>>,
    /// Feature gates that came, went or have another default.
    pub feature_gates: Vec<GateChange>,
    /// Go types that came, went or have other fields.
    pub types: Vec<TypeChange>,
    /// By import path, the declarations that changed (`-Name`: went); `None` where the two are not
    /// of one minor, or where nobody knows.
    pub declarations: Option<BTreeMap<&'static str, BTreeSet<&'static str>>>,
}

/// Before and after; `None` where there was nothing, or is nothing any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change<T> {
    /// In the first release.
    pub before: Option<T>,
    /// In the second.
    pub after: Option<T>,
}

/// A feature gate that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GateChange {
    /// Its name.
    pub gate: String,
    /// Its default.
    #[serde(flatten)]
    pub change: Change<bool>,
}

/// A Go type that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TypeChange {
    /// Import path and name: `k8s.io/api/core/v1.HostAlias`.
    #[serde(rename = "type")]
    pub ty: String,
    /// What became of it.
    #[serde(flatten)]
    pub what: TypeChangeKind,
}

/// What became of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TypeChangeKind {
    /// It is new.
    Came,
    /// It is gone.
    Went,
    /// It is a struct, and these fields are not what they were.
    Fields(Vec<FieldChange>),
    /// It is made of something else.
    Underlying(Change<String>),
}

/// A struct field that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// Its Go name.
    pub field: String,
    /// Its type and its `json` tag, as Go writes them.
    #[serde(flatten)]
    pub change: Change<String>,
}

/// A line of `golden/changes.jsonl`.
#[derive(Deserialize)]
struct ChangesLine {
    #[serde(borrow)]
    declarations: BTreeMap<&'static str, Vec<&'static str>>,
}

impl Difference {
    /// Compares two releases; where one was not built, the release that answers for it counts.
    ///
    /// # Errors
    /// When a schema is missing or damaged.
    pub fn between(before: &Resolution, after: &Resolution) -> Result<Difference, SchemaError> {
        let (old, new) = (
            Schema::load(before.answers_for)?,
            Schema::load(after.answers_for)?,
        );
        Ok(Difference {
            toolchains: toolchain(before)
                .zip(toolchain(after))
                .and_then(|(before, after)| changed(before.to_owned(), after.to_owned())),
            questions: questions(before, after),
            kinds: kinds(&old, &new),
            feature_gates: feature_gates(&old, &new),
            types: types(&old, &new),
            declarations: declarations(before, after),
        })
    }

    /// Whether nothing is known to differ. Where `questions` is `None`, something may all the same.
    pub fn is_empty(&self) -> bool {
        self.toolchains.is_none()
            && self.questions.as_ref().is_none_or(Vec::is_empty)
            && self.kinds.is_empty()
            && self.feature_gates.is_empty()
            && self.types.is_empty()
            && self.declarations.as_ref().is_none_or(BTreeMap::is_empty)
    }
}

fn changed<T: PartialEq>(before: T, after: T) -> Option<Change<T>> {
    (before != after).then_some(Change {
        before: Some(before),
        after: Some(after),
    })
}

/// What differs between two maps, in the order of the keys.
fn compare<K: Ord + Clone, V: PartialEq + Clone>(
    before: &BTreeMap<K, V>,
    after: &BTreeMap<K, V>,
) -> Vec<(K, Change<V>)> {
    let keys: BTreeSet<&K> = before.keys().chain(after.keys()).collect();
    keys.into_iter()
        .filter(|key| before.get(key) != after.get(key))
        .map(|key| {
            let change = Change {
                before: before.get(key).cloned(),
                after: after.get(key).cloned(),
            };
            (key.clone(), change)
        })
        .collect()
}

/// What a release was shipped with, if that is known.
fn toolchain(resolution: &Resolution) -> Option<&'static str> {
    classes::of(resolution.release)
        .map(|class| class.toolchain)
        .or_else(|| schema::toolchain_of(resolution.release))
}

/// What a release consists of, if that is known: what a vendor changed is not.
fn class_of(resolution: &Resolution) -> Option<&'static Class> {
    classes::of(resolution.release).filter(|_| !resolution.vendor)
}

fn questions(before: &Resolution, after: &Resolution) -> Option<Vec<&'static str>> {
    let (before, after) = (class_of(before)?, class_of(after)?);
    let all: BTreeSet<&str> = before.questions().chain(after.questions()).collect();
    // What a schema holds is compared itself.
    let differ =
        |question: &&str| *question != SCHEMA && !before.answers_like(after, Some(question));
    Some(all.into_iter().filter(differ).collect())
}

fn kinds(before: &Schema, after: &Schema) -> Vec<Change<String>> {
    let of = |schema: &Schema| -> BTreeMap<String, ()> {
        schema
            .kinds()
            .iter()
            .filter(|entry| serves(schema.release(), &entry.api_version))
            .map(|entry| (format!("{} {}", entry.api_version, entry.kind), ()))
            .collect()
    };
    compare(&of(before), &of(after))
        .into_iter()
        .map(|(name, change)| Change {
            before: change.before.map(|()| name.clone()),
            after: change.after.map(|()| name.clone()),
        })
        .collect()
}

fn feature_gates(before: &Schema, after: &Schema) -> Vec<GateChange> {
    let of = |schema: &Schema| -> BTreeMap<String, bool> {
        let gates = schema.feature_gates();
        gates.map(|(gate, on)| (gate.to_owned(), on)).collect()
    };
    compare(&of(before), &of(after))
        .into_iter()
        .map(|(gate, change)| GateChange { gate, change })
        .collect()
}

fn types(before: &Schema, after: &Schema) -> Vec<TypeChange> {
    let of = |schema: &Schema| -> BTreeMap<String, Shape> {
        let named = schema.named_types();
        named
            .map(|ty| (ty.id.to_string(), Shape::of(schema, &ty.kind)))
            .collect()
    };
    compare(&of(before), &of(after))
        .into_iter()
        .filter_map(|(ty, change)| {
            let what = match (change.before, change.after) {
                (None, Some(_)) => TypeChangeKind::Came,
                (Some(_), None) => TypeChangeKind::Went,
                (Some(Shape::Struct(old)), Some(Shape::Struct(new))) => {
                    TypeChangeKind::Fields(fields(&old, &new))
                }
                (Some(old), Some(new)) => TypeChangeKind::Underlying(Change {
                    before: Some(old.words()),
                    after: Some(new.words()),
                }),
                (None, None) => return None,
            };
            Some(TypeChange { ty, what })
        })
        .collect()
}

/// What a type is made of, in words that can be compared.
#[derive(Clone, PartialEq)]
enum Shape {
    /// Its fields in their order: name, and type with tag.
    Struct(Vec<(String, String)>),
    Other(String),
}

impl Shape {
    fn of(schema: &Schema, kind: &Kind) -> Shape {
        match kind {
            Kind::Struct(fields) => Shape::Struct(
                fields
                    .iter()
                    .map(|field| (field.name.to_string(), field_words(schema, field)))
                    .collect(),
            ),
            other => Shape::Other(schema.kind_name(other)),
        }
    }

    fn words(self) -> String {
        match self {
            Shape::Struct(_) => "struct".to_owned(),
            Shape::Other(words) => words,
        }
    }
}

/// `string json:"ip,omitempty"`
fn field_words(schema: &Schema, field: &Field) -> String {
    let ty = &*schema[field.ty].id;
    let Some(json) = &field.json else {
        return ty.to_owned();
    };
    let mut tag = if json.is_inlined() {
        ",inline".to_owned()
    } else {
        json.key.to_string()
    };
    for (set, option) in [
        (json.omit_empty, ",omitempty"),
        (json.omit_zero, ",omitzero"),
    ] {
        if set {
            tag.push_str(option);
        }
    }
    format!("{ty} json:\"{tag}\"")
}

/// Fields that came, went or are different; where none is, their order is what differs.
fn fields(before: &[(String, String)], after: &[(String, String)]) -> Vec<FieldChange> {
    let by_name = |fields: &[(String, String)]| fields.iter().cloned().collect();
    let changes = compare(&by_name(before), &by_name(after));
    if changes.is_empty() {
        let order = |fields: &[(String, String)]| {
            let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
            Some(names.join(", "))
        };
        return vec![FieldChange {
            field: "(order)".to_owned(),
            change: Change {
                before: order(before),
                after: order(after),
            },
        }];
    }
    changes
        .into_iter()
        .map(|(field, change)| FieldChange { field, change })
        .collect()
}

/// All declarations that changed on the way from one release of a minor to another.
fn declarations(
    before: &Resolution,
    after: &Resolution,
) -> Option<BTreeMap<&'static str, BTreeSet<&'static str>>> {
    class_of(before).zip(class_of(after))?;
    let (before, after) = (before.release, after.release);
    if before.minor() != after.minor() {
        return None;
    }
    let (first, last) = (before.min(after), before.max(after));
    let steps = known()
        .iter()
        .filter(|step| first < **step && **step <= last);
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for step in steps {
        for (package, names) in changes_of(*step) {
            all.entry(package).or_default().extend(names);
        }
    }
    Some(all)
}

/// What a release changed against the one before it in its minor.
fn changes_of(release: Release) -> BTreeMap<&'static str, Vec<&'static str>> {
    let prefix = format!("{{\"release\":\"{release}\",");
    CHANGES
        .lines()
        .find(|line| line.starts_with(&prefix))
        // That every line is one is for a test to see.
        .and_then(|line| serde_json::from_str::<ChangesLine>(line).ok())
        .map(|line| line.declarations)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::resolve;

    fn between(before: &str, after: &str) -> Difference {
        let resolution = |text: &str| resolve(text.parse().unwrap()).unwrap();
        Difference::between(&resolution(before), &resolution(after)).unwrap()
    }

    #[test]
    fn every_line_of_the_changes_is_read() {
        for line in CHANGES.lines() {
            let release: Release = line.split('"').nth(3).unwrap().parse().unwrap();
            assert!(classes::of(release).is_some(), "{release}");
            assert!(
                serde_json::from_str::<ChangesLine>(line).is_ok(),
                "{release}"
            );
        }
    }

    #[test]
    fn a_release_is_like_itself() {
        assert!(between("1.30.14", "1.30.14").is_empty());
    }

    #[test]
    fn fields_kinds_and_gates_are_named() {
        let difference = between("1.15.12", "1.16.15");
        assert!(difference.toolchains.is_some());
        let went = Change {
            before: Some("extensions/v1beta1 DaemonSet".to_owned()),
            after: None,
        };
        assert!(difference.kinds.contains(&went), "{:?}", difference.kinds);
        let container = difference
            .types
            .iter()
            .find(|ty| ty.ty == "k8s.io/api/core/v1.Container")
            .unwrap();
        let TypeChangeKind::Fields(fields) = &container.what else {
            panic!("{container:?}");
        };
        assert_eq!(fields.len(), 1);
        assert_eq!(fields[0].field, "StartupProbe");
        assert_eq!(fields[0].change.before, None);
        assert_eq!(
            fields[0].change.after.as_deref(),
            Some("*k8s.io/api/core/v1.Probe json:\"startupProbe,omitempty\"")
        );
    }

    #[test]
    fn a_new_order_is_a_difference() {
        let field = |name: &str| (name.to_owned(), "string".to_owned());
        let order = fields(&[field("A"), field("B")], &[field("B"), field("A")]);
        assert_eq!(order[0].field, "(order)");
        assert_eq!(order[0].change.after.as_deref(), Some("B, A"));
    }
}
