//! What is asked about a case, and where the cases stand. `regen-golden` asks references with this
//! very file, so that what the engine is asked is what they were asked.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

/// A line of a file of cases. Besides `id` and `about` it holds members of the request; their text is
/// the input, duplicate keys and odd numbers included.
#[derive(Debug, Deserialize)]
#[serde(from = "BTreeMap<String, Box<RawValue>>")]
pub struct Case {
    /// Stable and unique; empty if the line has none.
    pub id: String,
    /// What it is for; empty if the line does not say.
    pub about: String,
    /// `object`, `text`, `state` …
    pub members: BTreeMap<String, Box<RawValue>>,
}

impl From<BTreeMap<String, Box<RawValue>>> for Case {
    fn from(mut members: BTreeMap<String, Box<RawValue>>) -> Case {
        let mut text = |key: &str| {
            let value = members.remove(key)?;
            serde_json::from_str(value.get()).ok()
        };
        Case {
            id: text("id").unwrap_or_default(),
            about: text("about").unwrap_or_default(),
            members,
        }
    }
}

impl Case {
    /// The object's JSON as it was written.
    pub fn object(&self) -> Option<&str> {
        self.members.get("object").map(|object| object.get())
    }
}

/// Where cases come from, within `golden/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// `corpus/*.jsonl` without the YAML texts
    Objects,
    /// `corpus/yaml.jsonl`
    Texts,
    /// `cases/<name>.jsonl`
    Cases(&'a str),
    /// `before/<release>.jsonl`: what a release left behind
    Before(&'a str),
    /// `random/<release>.jsonl`: what its fuzzers made
    Random(&'a str),
}

impl Source<'_> {
    /// What the manifest calls it: `corpus`, `cases/rollouts`, `before/v1.33.13`, `random`.
    pub fn name(&self) -> String {
        match self {
            Source::Objects | Source::Texts => "corpus".to_owned(),
            Source::Cases(name) => format!("cases/{name}"),
            Source::Before(release) => format!("before/{release}"),
            Source::Random(_) => "random".to_owned(),
        }
    }
}

/// What is asked about every case: `container-hash.delivered`, `deep-hash.internal.static`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// As files are named.
    pub name: String,
    /// `container-hash`
    pub subject: String,
    /// `decoded`, `delivered`, `served`, `static`
    pub view: Option<String>,
    /// `versioned`, `internal`, `collided`, `url`; of a checkpoint, which file: `cpu-manager`
    pub form: Option<String>,
    /// The release that left behind what is asked about; none for cases of our own.
    pub before: Option<String>,
}

/// The questions about cases of our own, each with a file of vectors.
pub const QUESTIONS: &[&str] = &[
    "container-hash.decoded",
    "container-hash.delivered",
    "container-hash.static",
    "container-hash-legacy.decoded",
    "container-hash-legacy.delivered",
    "container-hash-legacy.static",
    "container-hash-without-resources.decoded",
    "container-hash-without-resources.delivered",
    "container-hash-without-resources.static",
    "infra-container-hash.decoded",
    "infra-container-hash.delivered",
    "infra-container-hash.static",
    "deep-hash.versioned.decoded",
    "deep-hash.versioned.delivered",
    "deep-hash.versioned.static",
    "deep-hash.internal.decoded",
    "deep-hash.internal.delivered",
    "deep-hash.internal.static",
    "defaults",
    "create",
    "serve",
    "receive",
    "read-file",
    "read-file.url",
    "pod-template-hash.decoded",
    "pod-template-hash.delivered",
    "reconcile.delivered",
    "reconcile.collided.delivered",
    "endpoints-hash.versioned",
    "endpoints-hash.internal",
    "yaml-to-json",
    "checkpoint.cpu-manager",
    "checkpoint.memory-manager",
    "checkpoint.device-manager",
    "checkpoint.dra-manager",
    "checkpoint.pod-allocation",
    "checkpoint.pod",
    "checkpoint.sandbox",
    "static-pod-equal",
];

/// The question about what a release left behind.
pub const RECONCILE_LEFT_BEHIND: &str = "reconcile.served";

/// The collision counts that Pod templates are hashed with: none, none yet, some, the last.
pub const COLLISION_COUNTS: &str = "[null,0,1,7,2147483647]";

/// The collision count of the form `collided`.
const COLLISION_COUNT: &str = "7";

/// Where a static Pod of the form `url` comes from.
const URL: &str = "\"http://manifests.example/pod.yaml\"";

impl Question {
    /// Reads `<subject>[.<form>][.<view>][@<release>]`.
    ///
    /// # Errors
    /// When the name does not follow the pattern.
    pub fn new(name: &str) -> Result<Question, String> {
        let (asked, before) = match name.split_once('@') {
            Some((asked, before)) => (asked, Some(before.to_owned())),
            None => (name, None),
        };
        let mut parts = asked.split('.');
        let subject = parts.next().unwrap_or_default().to_owned();
        let (mut view, mut form) = (None, None);
        for part in parts {
            match part {
                "decoded" | "delivered" | "served" | "static" if view.is_none() => {
                    view = Some(part.to_owned());
                }
                "versioned" | "internal" | "collided" | "url" if form.is_none() => {
                    form = Some(part.to_owned());
                }
                _ if form.is_none() && QUESTIONS.contains(&asked) && subject == "checkpoint" => {
                    form = Some(part.to_owned());
                }
                _ => return Err(format!("{name}: not a question")),
            }
        }
        Ok(Question {
            name: name.to_owned(),
            subject,
            view,
            form,
            before,
        })
    }

    /// Where its cases stand.
    pub fn source(&self) -> Source<'_> {
        if let Some(before) = &self.before {
            return Source::Before(before);
        }
        match &*self.subject {
            "yaml-to-json" => Source::Texts,
            "reconcile" => Source::Cases("rollouts"),
            "endpoints-hash" => Source::Cases("endpoints-hash"),
            "checkpoint" | "static-pod-equal" => Source::Cases(&self.name),
            _ => Source::Objects,
        }
    }

    /// Whether all of the answer counts ([`content`]), and not some members of it only.
    pub fn is_answered_in_full(&self) -> bool {
        matches!(
            &*self.subject,
            "reconcile"
                | "checkpoint"
                | "endpoints-hash"
                | "infra-container-hash"
                | "static-pod-equal"
        )
    }

    /// Whether it is asked about random Pods, too.
    pub fn suits_random_pods(&self) -> bool {
        self.source() == Source::Objects || self.name == "reconcile.delivered"
    }

    /// The request about a case, on a line; none for a case that has nothing to ask about.
    pub fn request(&self, release: &str, case: &Case) -> Option<String> {
        if case.members.is_empty() {
            return None;
        }
        let mut members = BTreeMap::from([
            ("id", quoted(&case.id)),
            ("subject", quoted(&self.subject)),
            ("release", quoted(release)),
        ]);
        if let Some(view) = &self.view {
            members.insert("view", quoted(view));
        }
        if let Some(form) = &self.form {
            let (key, value) = match &**form {
                "collided" => ("collisionCount", COLLISION_COUNT.to_owned()),
                "url" => ("url", URL.to_owned()),
                form => ("form", quoted(form)),
            };
            members.insert(key, value);
        }
        if self.subject == "pod-template-hash" {
            members.insert("collisionCounts", COLLISION_COUNTS.to_owned());
        }
        for (key, value) in &case.members {
            members.insert(key, value.get().to_owned());
        }
        if let Some(workload) = self.workload_around(case) {
            members.insert("object", workload);
        }
        let members = members
            .iter()
            .map(|(key, value)| format!("\"{key}\":{value}"));
        Some(format!("{{{}}}\n", members.collect::<Vec<_>>().join(",")))
    }

    /// For subjects that are about templates: a Pod becomes one, so that all that a Pod can have is
    /// asked about.
    fn workload_around(&self, case: &Case) -> Option<String> {
        #[derive(Deserialize)]
        struct Pod {
            #[serde(rename = "apiVersion")]
            api_version: String,
            kind: String,
            metadata: Option<Box<RawValue>>,
            spec: Option<Box<RawValue>>,
        }
        let around = match &*self.subject {
            "pod-template-hash" => "PodTemplate",
            "reconcile" => "StatefulSet",
            _ => return None,
        };
        let pod: Pod = serde_json::from_str(case.object()?).ok()?;
        if (&*pod.api_version, &*pod.kind) != ("v1", "Pod") {
            return None;
        }
        let part = |part: &Option<Box<RawValue>>| match part {
            Some(part) => part.get().to_owned(),
            None => "null".to_owned(),
        };
        let (metadata, spec) = (part(&pod.metadata), part(&pod.spec));
        Some(match around {
            "PodTemplate" => format!(
                r#"{{"apiVersion":"v1","kind":"PodTemplate","metadata":{{"name":"around"}},"template":{{"metadata":{metadata},"spec":{spec}}}}}"#
            ),
            _ => format!(
                r#"{{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{{"name":"around","namespace":"default"}},"spec":{{"serviceName":"around","selector":{{"matchLabels":{{"app":"around"}}}},"template":{{"metadata":{{"labels":{{"app":"around"}}}},"spec":{spec}}}}}}}"#
            ),
        })
    }
}

/// What an answer says, as text that does not depend on the order of keys: all but
/// the id and the preimages. Nothing if that is nothing. Of the words with which a checkpoint file is
/// refused, or manifests are told apart, only that there are some.
///
/// # Errors
/// When the line is no JSON object.
pub fn content(line: &str) -> serde_json::Result<Option<String>> {
    let mut members: BTreeMap<String, serde_json::Value> = serde_json::from_str(line)?;
    for key in ["id", "preimage", "preimages"] {
        members.remove(key);
    }
    if members.is_empty() {
        return Ok(None);
    }
    for key in ["refused", "difference"] {
        if let Some(words) = members.get_mut(key) {
            *words = true.into();
        }
    }
    for format in formats(&mut members) {
        if let Some(words) = format.get_mut("refused") {
            *words = true.into();
        }
        for checksum in list(format.get_mut("checksums")) {
            if let Some(checksum) = checksum.as_object_mut() {
                checksum.remove("preimage");
            }
        }
    }
    serde_json::to_string(&members).map(Some)
}

/// What a checkpoint file is by each format.
fn formats(members: &mut BTreeMap<String, serde_json::Value>) -> &mut [serde_json::Value] {
    list(members.get_mut("formats"))
}

fn list(value: Option<&mut serde_json::Value>) -> &mut [serde_json::Value] {
    let list = value.and_then(serde_json::Value::as_array_mut);
    list.map(Vec::as_mut_slice).unwrap_or_default()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_asked_about_by_its_form() {
        let question = Question::new("checkpoint.cpu-manager").unwrap();
        assert_eq!(question.form.as_deref(), Some("cpu-manager"));
        assert_eq!(question.source().name(), "cases/checkpoint.cpu-manager");
        let case: Case = serde_json::from_str(r#"{"id":"1","text":"{}"}"#).unwrap();
        assert_eq!(
            question.request("v1.30.14", &case).unwrap(),
            "{\"form\":\"cpu-manager\",\"id\":\"1\",\"release\":\"v1.30.14\",\
             \"subject\":\"checkpoint\",\"text\":\"{}\"}\n"
        );
        for name in ["checkpoint.none", "create.cpu-manager"] {
            assert!(Question::new(name).is_err(), "{name}");
        }
    }

    #[test]
    fn of_words_only_counts_that_there_are_some() {
        let content = |line: &str| content(line).unwrap().unwrap();
        let one = r#"{"id":"1","accepted":false,"refused":"a","formats":[{"refused":"b","checksums":[{"hash":1,"preimage":"p"}]}]}"#;
        let other = r#"{"id":"2","formats":[{"checksums":[{"hash":1}],"refused":"c"}],"refused":"d","accepted":false}"#;
        assert_eq!(content(one), content(other));
        for (from, to) in [
            (r#""refused":"a","#, ""),
            (r#""refused":"b","#, ""),
            (r#""hash":1"#, r#""hash":2"#),
            (r#""accepted":false"#, r#""accepted":true"#),
        ] {
            assert_ne!(content(&one.replace(from, to)), content(other), "{from}");
        }
        let equal = r#"{"equal":false,"difference":"x"}"#;
        assert_eq!(content(equal), content(&equal.replace('x', "y")));
    }
}
