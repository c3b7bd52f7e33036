//! `schemas/releases.jsonl`: a line a release, whole or as a difference to an earlier one.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::short_digest;
use crate::error::{Error, Result};
use crate::release::Release;

/// What a reference answers to `schema`.
#[derive(Deserialize)]
pub(crate) struct SchemaAnswer {
    pub(crate) schema: ReferenceSchema,
}

/// The schema itself.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReferenceSchema {
    release: String,
    pub(crate) toolchain: String,
    kinds: Box<RawValue>,
    checkpoints: Option<Box<RawValue>>,
    endpoints: Option<Box<RawValue>>,
    feature_gates: Option<Box<RawValue>>,
    types: Vec<Box<RawValue>>,
}

/// What two releases have in common where one is like the other.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    kinds: String,
    /// The types of checkpoint files; nothing where the release has none, or was not asked since
    /// references tell them.
    checkpoints: Option<String>,
    /// The types that Endpoints and EndpointSlices are hashed in, likewise.
    endpoints: Option<String>,
    gates: Option<String>,
    /// Digests by type.
    types: BTreeMap<String, String>,
}

impl Shape {
    /// Whether a line of this one can say how it differs from another: what is absent in a line is
    /// as in the other, so it cannot say that there is nothing.
    fn can_be_like(&self, other: &Shape) -> bool {
        let parts: [fn(&Shape) -> &Option<String>; 3] =
            [|s| &s.checkpoints, |s| &s.endpoints, |s| &s.gates];
        parts
            .iter()
            .all(|part| part(self).is_some() || part(other).is_none())
    }
}

/// A release's schema, in full.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Full {
    toolchain: String,
    shape: Shape,
}

/// A line of `schemas/releases.jsonl`. With `like`, what is absent is as in that earlier release,
/// and its types are these without `without`, and `types` besides.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    release: String,
    toolchain: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    like: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kinds: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checkpoints: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    endpoints: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    feature_gates: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    types: Vec<String>,
}

/// A line of `schemas/types.jsonl`.
#[derive(Serialize, Deserialize)]
struct TypeLine {
    sha256: String,
    r#type: Box<RawValue>,
}

/// The schemas of all releases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Schemas {
    releases: BTreeMap<Release, Full>,
    /// Lines of `schemas/types.jsonl`, by type and digest.
    types: BTreeMap<(String, String), String>,
}

impl Schemas {
    /// Reads both files.
    pub(crate) fn parse(releases: &str, types: &str) -> Result<Schemas> {
        let mut schemas = Schemas::default();
        let mut ids = BTreeMap::new();
        for line in types.lines() {
            let entry: TypeLine = serde_json::from_str(line)?;
            let id = type_id(&entry.r#type)?;
            ids.insert(entry.sha256.clone(), id.clone());
            schemas.types.insert((id, entry.sha256), line.to_owned());
        }
        for line in releases.lines() {
            let line: Line = serde_json::from_str(line)?;
            let number = Release::parse(&line.release)?;
            let full = schemas.complete(line, &ids)?;
            schemas.releases.insert(number, full);
        }
        Ok(schemas)
    }

    fn complete(&self, line: Line, ids: &BTreeMap<String, String>) -> Result<Full> {
        let release = &line.release;
        let broken = |what: &str| Error::Failed(format!("golden/schemas: {release}: {what}"));
        let base = match &line.like {
            Some(like) => {
                let base = self.releases.get(&Release::parse(like)?);
                Some(
                    &base
                        .ok_or_else(|| broken("is like no earlier release"))?
                        .shape,
                )
            }
            None => None,
        };
        let text = |raw: Option<Box<RawValue>>| raw.map(|raw| raw.get().to_owned());
        let mut types = base.map(|base| base.types.clone()).unwrap_or_default();
        types.retain(|_, sha256| !line.without.contains(sha256));
        for sha256 in line.types {
            let id = ids
                .get(&sha256)
                .ok_or_else(|| broken("a type is missing"))?;
            types.insert(id.clone(), sha256);
        }
        let kinds = text(line.kinds).or_else(|| base.map(|base| base.kinds.clone()));
        Ok(Full {
            toolchain: line.toolchain,
            shape: Shape {
                kinds: kinds.ok_or_else(|| broken("no kinds"))?,
                checkpoints: text(line.checkpoints)
                    .or_else(|| base.and_then(|b| b.checkpoints.clone())),
                endpoints: text(line.endpoints).or_else(|| base.and_then(|b| b.endpoints.clone())),
                gates: text(line.feature_gates).or_else(|| base.and_then(|b| b.gates.clone())),
                types,
            },
        })
    }

    /// Whether a release's schema, but for the toolchain, is what a reference says.
    pub(crate) fn says_of(&self, release: &str, answer: &ReferenceSchema) -> Result<bool> {
        let mut with = self.clone();
        with.set(answer)?;
        let recorded = self.releases.get(&Release::parse(release)?);
        let fresh = with.releases.get(&Release::parse(&answer.release)?);
        Ok(recorded.map(|full| &full.shape) == fresh.map(|full| &full.shape))
    }

    /// Puts a release's schema in its place, and drops types that no release has any more.
    pub(crate) fn set(&mut self, answer: &ReferenceSchema) -> Result<()> {
        let mut mine = BTreeMap::new();
        for raw in &answer.types {
            // The reference writes fields in a fixed order and no space: already canonical.
            let sha256 = short_digest(raw.get().as_bytes());
            let id = type_id(raw)?;
            let line = TypeLine {
                sha256: sha256.clone(),
                r#type: raw.clone(),
            };
            let line = serde_json::to_string(&line)?;
            self.types.insert((id.clone(), sha256.clone()), line);
            mine.insert(id, sha256);
        }
        let full = Full {
            toolchain: answer.toolchain.clone(),
            shape: Shape {
                kinds: answer.kinds.get().to_owned(),
                checkpoints: answer.checkpoints.as_ref().map(|c| c.get().to_owned()),
                endpoints: answer.endpoints.as_ref().map(|e| e.get().to_owned()),
                gates: answer.feature_gates.as_ref().map(|g| g.get().to_owned()),
                types: mine,
            },
        };
        self.releases.insert(Release::parse(&answer.release)?, full);
        let all = self.releases.values();
        let used: BTreeSet<&String> = all.flat_map(|full| full.shape.types.values()).collect();
        self.types.retain(|(_, sha256), _| used.contains(sha256));
        Ok(())
    }

    /// The text of `schemas/types.jsonl`.
    pub(crate) fn render_types(&self) -> String {
        super::join(self.types.values())
    }

    /// The text of `schemas/releases.jsonl`. The first release of a minor is told in full, so that
    /// a reader has few lines to put together; a later one is like the first that equals it, or
    /// else like its predecessor.
    pub(crate) fn render_releases(&self) -> Result<String> {
        let mut text = String::new();
        let mut before: Vec<(Release, &Full)> = Vec::new();
        for (release, full) in &self.releases {
            let equal = before.iter().find(|(_, old)| old.shape == full.shape);
            let last = before.last().filter(|(old, _)| old.minor == release.minor);
            let line = Line::new(*release, full, equal.or(last).copied())?;
            text.push_str(&serde_json::to_string(&line)?);
            text.push('\n');
            before.push((*release, full));
        }
        Ok(text)
    }
}

impl Line {
    fn new(release: Release, full: &Full, base: Option<(Release, &Full)>) -> Result<Line> {
        let mine = &full.shape;
        let base = base.filter(|(_, base)| mine.can_be_like(&base.shape));
        let raw = |text: &String| RawValue::from_string(text.clone());
        let other = base.map(|(_, full)| &full.shape);
        // What an earlier line says already is not said again.
        let new_part = |part: fn(&Shape) -> &Option<String>| {
            let ours = part(mine).as_ref();
            let said = other.and_then(|other| part(other).as_ref());
            ours.filter(|ours| Some(*ours) != said).map(raw).transpose()
        };
        let new = |ours: &Shape, theirs: Option<&Shape>| -> Vec<String> {
            let listed = |(id, sha256): &(&String, &String)| {
                theirs.is_none_or(|shape| shape.types.get(*id) != Some(sha256))
            };
            let types = ours.types.iter().filter(listed);
            types.map(|(_, sha256)| sha256.clone()).collect()
        };
        Ok(Line {
            release: release.to_string(),
            toolchain: full.toolchain.clone(),
            like: base.map(|(release, _)| release.to_string()),
            kinds: match other.filter(|other| other.kinds == mine.kinds) {
                Some(_) => None,
                None => Some(raw(&mine.kinds)?),
            },
            checkpoints: new_part(|shape| &shape.checkpoints)?,
            endpoints: new_part(|shape| &shape.endpoints)?,
            feature_gates: new_part(|shape| &shape.gates)?,
            without: other
                .map(|other| new(other, Some(mine)))
                .unwrap_or_default(),
            types: new(mine, other),
        })
    }
}

fn type_id(raw: &RawValue) -> Result<String> {
    #[derive(Deserialize)]
    struct Id {
        id: String,
    }
    Ok(serde_json::from_str::<Id>(raw.get())?.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project_root;

    fn answer(release: &str, gates: &str, types: &[&str]) -> ReferenceSchema {
        let types: Vec<String> = types
            .iter()
            .map(|ty| format!(r#"{{"id":"{}","name":"{ty}"}}"#, &ty[..1]))
            .collect();
        let text = format!(
            r#"{{"release":"{release}","toolchain":"go1","kinds":[],"featureGates":{gates},"types":[{}]}}"#,
            types.join(",")
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn equal_schemas_stand_once_and_others_as_differences() {
        let mut schemas = Schemas::default();
        // The first of its minor comes last: what the others say changes, what they mean does not.
        for (release, gates, types) in [
            ("v1.9.10", r#"{"A":true}"#, &["a1", "b1", "c1"][..]),
            ("v1.10.0", r#"{"A":true}"#, &["a1", "b2"]),
            ("v1.9.2", r#"{"A":true}"#, &["a1", "b2", "d1"]),
            ("v1.10.1", r#"{"A":false}"#, &["a1", "b2"]),
            ("v1.9.0", r#"{"A":true}"#, &["a1", "b1", "c1"]),
        ] {
            schemas.set(&answer(release, gates, types)).unwrap();
        }
        let releases = schemas.render_releases().unwrap();
        let digest =
            |ty: &str| short_digest(format!(r#"{{"id":"{}","name":"{ty}"}}"#, &ty[..1]).as_bytes());
        let [a1, b1, b2, c1, d1] = ["a1", "b1", "b2", "c1", "d1"].map(digest);
        let expected = [
            format!(r#"{{"release":"v1.9.0","toolchain":"go1","kinds":[],"featureGates":{{"A":true}},"types":["{a1}","{b1}","{c1}"]}}"#),
            format!(r#"{{"release":"v1.9.2","toolchain":"go1","like":"v1.9.0","without":["{b1}","{c1}"],"types":["{b2}","{d1}"]}}"#),
            r#"{"release":"v1.9.10","toolchain":"go1","like":"v1.9.0"}"#.to_owned(),
            format!(r#"{{"release":"v1.10.0","toolchain":"go1","kinds":[],"featureGates":{{"A":true}},"types":["{a1}","{b2}"]}}"#),
            r#"{"release":"v1.10.1","toolchain":"go1","like":"v1.10.0","featureGates":{"A":false}}"#.to_owned(),
        ];
        assert_eq!(releases.lines().collect::<Vec<_>>(), expected);
        let read = Schemas::parse(&releases, &schemas.render_types()).unwrap();
        assert!(read == schemas);
    }

    /// An answer of a release with checkpoints and endpoints, or without.
    fn later_answer(release: &str, parts: &str) -> ReferenceSchema {
        let text =
            format!(r#"{{"release":"{release}","toolchain":"go1","kinds":[],{parts}"types":[]}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn what_only_some_references_tell_is_kept() {
        const CPU: &str = r#""checkpoints":[{"form":"cpu-manager","file":"f","formats":[]}],"#;
        const SLICE: &str = r#""endpoints":{"slice":"s"},"#;
        let mut schemas = Schemas::default();
        for (release, parts) in [
            ("v1.9.0", String::new()),
            ("v1.9.1", format!("{CPU}{SLICE}")),
            ("v1.9.2", format!("{CPU}{SLICE}")),
            ("v1.9.3", CPU.to_owned()),
        ] {
            schemas.set(&later_answer(release, &parts)).unwrap();
        }
        let releases = schemas.render_releases().unwrap();
        let expected = [
            r#"{"release":"v1.9.0","toolchain":"go1","kinds":[]}"#.to_owned(),
            format!(
                r#"{{"release":"v1.9.1","toolchain":"go1","like":"v1.9.0",{CPU}{}}}"#,
                SLICE.trim_end_matches(',')
            ),
            r#"{"release":"v1.9.2","toolchain":"go1","like":"v1.9.1"}"#.to_owned(),
            // It cannot say that it has no endpoints by saying nothing.
            format!(
                r#"{{"release":"v1.9.3","toolchain":"go1","kinds":[],{}}}"#,
                CPU.trim_end_matches(',')
            ),
        ];
        assert_eq!(releases.lines().collect::<Vec<_>>(), expected);
        assert!(Schemas::parse(&releases, "").unwrap() == schemas);
    }

    #[test]
    fn what_stands_in_golden_is_written_as_it_is_read() {
        let read = |name: &str| {
            std::fs::read_to_string(project_root().join("golden/schemas").join(name)).unwrap()
        };
        let (releases, types) = (read("releases.jsonl"), read("types.jsonl"));
        let schemas = Schemas::parse(&releases, &types).unwrap();
        assert!(schemas.render_releases().unwrap() == releases);
        assert!(schemas.render_types() == types);
    }
}
