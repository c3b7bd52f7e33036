//! Why a hash is not what it was: the fields to blame, and since when.

use crate::engine::{Container, ContainerType, Engine};
use crate::gates::Gates;
use crate::release::Release;
use crate::schema::{self, Schema};
use crate::subject::container_hash::Recipe;
use crate::value::Ref;

use super::leaves::{self, Leaf, Leaves, Print};

/// One reason for a hash to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The field, as manifests write it: `spec.containers[0].securityContext.procMount`; empty where
    /// no single field is to blame.
    pub path: String,
    /// The first release, of those that were built, from which on it is so.
    pub since: Option<Release>,
    /// In words.
    pub reason: String,
}

impl Cause {
    /// A cause that is not about what stands in a field.
    pub(super) fn whole(path: &str, reason: impl Into<String>) -> Cause {
        Cause {
            path: path.to_owned(),
            since: None,
            reason: reason.into(),
        }
    }
}

/// A container as a kubelet hashes it.
pub(super) struct Side<'a> {
    pub(super) schema: &'a Schema,
    pub(super) recipe: Recipe,
    pub(super) container: Container<'a>,
    pub(super) hash: u32,
}

impl<'a> Side<'a> {
    pub(super) fn new(schema: &'a Schema, recipe: Recipe, container: Container<'a>) -> Side<'a> {
        Side {
            schema,
            recipe,
            container,
            hash: recipe.hash(schema, container.ty, container.value),
        }
    }

    /// Whether it is the same container in another release.
    pub(super) fn is_of(&self, other: &Side<'_>) -> bool {
        self.container.name == other.container.name
            && self.container.container_type == other.container.container_type
    }

    /// What is hashed, by field.
    pub(super) fn leaves(&self) -> Leaves {
        let Container { ty, value, .. } = self.container;
        let print = match self.recipe {
            Recipe::Adler32OfDump(_) | Recipe::Fnv32aOfDump => Print::Dump,
            _ => Print::Json,
        };
        let mut leaves = leaves::of(self.schema, ty, value, print);
        match self.recipe {
            Recipe::Fnv32aOfNameAndImage => {
                leaves.retain(|path, _| path == "name" || path == "image");
            }
            Recipe::Fnv32aOfJsonDumpWithoutResources => {
                leaves.retain(|path, _| !path.starts_with("resources"));
            }
            _ => {}
        }
        leaves
    }

    /// Where the container stands in its Pod.
    fn path(&self) -> String {
        let list = match self.container.container_type {
            ContainerType::Init => "initContainers",
            ContainerType::Container => "containers",
            ContainerType::Ephemeral => "ephemeralContainers",
        };
        format!("spec.{list}[{}]", self.container.index)
    }
}

/// Why a container's hash changed. `at` tells what would be hashed with another release in the place
/// of the new one.
pub(super) fn of(
    old: &Side<'_>,
    new: &Side<'_>,
    at: impl Fn(&Engine, &Gates<'_>) -> Option<Leaves>,
) -> Vec<Cause> {
    if old.recipe != new.recipe {
        let since = first_with(old.schema.release(), new.schema.release(), |release| {
            Recipe::of(
                crate::subject::container_hash::Function::HashContainer,
                release,
            ) == Some(new.recipe)
        });
        let reason = format!(
            "kubelets hash otherwise: {}, before {}",
            new.recipe.describe(),
            old.recipe.describe()
        );
        return vec![Cause {
            path: String::new(),
            since,
            reason,
        }];
    }
    let (before, after) = (old.leaves(), new.leaves());
    let since = |path: &str| {
        let wanted = after.get(path);
        first_with(old.schema.release(), new.schema.release(), |release| {
            let Ok(engine) = Engine::load(release) else {
                return false;
            };
            let gates = Gates::defaults(engine.schema());
            at(&engine, &gates).is_some_and(|leaves| leaves.get(path) == wanted)
        })
    };
    let prefix = new.path();
    let mut causes: Vec<Cause> = differences(&before, &after)
        .map(|(path, reason)| Cause {
            since: since(&path),
            path: format!("{prefix}.{path}"),
            reason,
        })
        .collect();
    if causes.is_empty() {
        causes.push(Cause::whole(
            &prefix,
            format!(
                "{} writes what stands there otherwise than {}",
                new.schema.toolchain(),
                old.schema.toolchain()
            ),
        ));
    }
    causes
}

/// Why a Pod template is not what it was, as its JSON tells.
pub(super) fn of_templates(
    (old_schema, old): (&Schema, Ref<'_, '_>),
    (new_schema, new): (&Schema, Ref<'_, '_>),
) -> Vec<Cause> {
    let leaves = |schema, template: Ref<'_, '_>, print| match template.deref().parts() {
        Some((ty, value)) => leaves::of(schema, ty, value, print),
        None => Leaves::new(),
    };
    for print in [Print::Json, Print::Dump] {
        let (before, after) = (
            leaves(old_schema, old, print),
            leaves(new_schema, new, print),
        );
        let causes: Vec<Cause> = differences(&before, &after)
            .map(|(path, reason)| Cause {
                path: format!("spec.template.{path}"),
                since: None,
                reason,
            })
            .collect();
        if !causes.is_empty() {
            return causes;
        }
    }
    Vec::new()
}

/// The places where two values differ, and how.
fn differences<'a>(
    before: &'a Leaves,
    after: &'a Leaves,
) -> impl Iterator<Item = (String, String)> + 'a {
    let changed = after
        .iter()
        .filter_map(|(path, new)| match before.get(path) {
            Some(old) if old.text == new.text => None,
            Some(old) => Some((path.clone(), change(old, new))),
            None => Some((
                path.clone(),
                format!(
                    "appears in what is hashed of {}, as {}",
                    new.owner,
                    shown(&new.text)
                ),
            )),
        });
    let gone = before
        .iter()
        .filter(|(path, _)| !after.contains_key(*path))
        .map(|(path, old)| {
            let reason = format!(
                "was {}, and is no longer in what is hashed of {}",
                shown(&old.text),
                old.owner
            );
            (path.clone(), reason)
        });
    changed.chain(gone)
}

fn change(old: &Leaf, new: &Leaf) -> String {
    format!("was {}, is {}", shown(&old.text), shown(&new.text))
}

/// Enough of a text to know it by.
fn shown(text: &str) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The first built release after `from` and up to `to` for which something holds that holds for `to`
/// and not for `from`; going down, the last one for which it does.
fn first_with(from: Release, to: Release, holds: impl Fn(Release) -> bool) -> Option<Release> {
    let mut between: Vec<Release> = schema::releases()
        .filter(|release| *release > from.min(to) && *release <= from.max(to))
        .collect();
    between.sort_unstable();
    if from > to {
        between.reverse();
        between.push(to);
    }
    // Somewhere between a release for which it does not hold and one for which it does.
    let (mut no, mut yes) = (0, between.len().checked_sub(1)?);
    if between.first().copied().is_some_and(&holds) {
        return between.first().copied();
    }
    while yes - no > 1 {
        let middle = no + (yes - no) / 2;
        let there = between.get(middle).copied().is_some_and(&holds);
        if there { yes = middle } else { no = middle }
    }
    between.get(yes).copied()
}
