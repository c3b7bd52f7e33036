//! Why a hash is not what it was: the fields to blame, and since when.

use crate::catalogue;
use crate::engine::{Container, ContainerType, Engine};
use crate::gates::Gates;
use crate::release::Release;
use crate::schema::Schema;
use crate::subject::container_hash::{Function, Recipe};
use crate::value::Ref;

use super::leaves::{self, Leaf, Leaves, Print};

/// One reason for a hash to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The field, as manifests write it: `spec.containers[0].securityContext.procMount`; empty where
    /// no single field is to blame.
    pub path: String,
    /// The first release from which on it is so, of those that were built; of all that are known where
    /// the kubelet hashes otherwise. On the way down, the last release until which it was so.
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

/// Why a container's hash changed on the way from one release to another. `at` tells what would be hashed with another release in the place
/// of the new one.
pub(super) fn of(
    old: &Side<'_>,
    new: &Side<'_>,
    (from, to): (Release, Release),
    at: impl Fn(&Engine, &Gates<'_>) -> Option<Leaves>,
) -> Vec<Cause> {
    if old.recipe != new.recipe {
        let since = first_with(catalogue::known(), from, to, |release| {
            Recipe::of(Function::HashContainer, release) == Some(new.recipe)
        });
        let reason = format!(
            "kubelets hash otherwise: {} in place of {}",
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
        first_with(catalogue::built(), from, to, |release| {
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

/// Why what stands at a path is not what it was, as its JSON tells, or else its dump. Places under it
/// that do not count are left out.
pub(super) fn of_values(
    prefix: &str,
    (old_schema, old): (&Schema, Ref<'_, '_>),
    (new_schema, new): (&Schema, Ref<'_, '_>),
    counts: impl Fn(&str) -> bool,
) -> Vec<Cause> {
    let leaves = |schema, value: Ref<'_, '_>, print| match value.deref().parts() {
        Some((ty, value)) => leaves::of(schema, ty, value, print),
        None => Leaves::new(),
    };
    for print in [Print::Json, Print::Dump] {
        let (before, after) = (
            leaves(old_schema, old, print),
            leaves(new_schema, new, print),
        );
        let causes: Vec<Cause> = differences(&before, &after)
            .filter(|(path, _)| counts(path))
            .map(|(path, reason)| Cause {
                path: leaves::join(prefix, &path),
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

/// The first of these releases after `from` and up to `to` for which something holds that holds for
/// `to` and not for `from`; going down, the last one for which it does.
fn first_with(
    releases: &[Release],
    from: Release,
    to: Release,
    holds: impl Fn(Release) -> bool,
) -> Option<Release> {
    let (oldest, newest) = (from.min(to), from.max(to));
    let mut between: Vec<Release> = releases
        .iter()
        .copied()
        .filter(|release| *release != from && (oldest..=newest).contains(release))
        .collect();
    if from > to {
        between.reverse();
    }
    let first = between.partition_point(|release| !holds(*release));
    between.get(first).copied()
}
