//! The conformance protocol: one request a line in, one answer a line out.
//!
//! The same protocol drives the Go references, this engine (`kubehash testee`) and anybody's
//! implementation; `docs/protocol.md` describes it. A request names a subject and a release and
//! carries an object or a text; the answer is the subject's result, `error`, or `skipped` where
//! the release has no such thing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::engine::{
    self, ContainerHash, Engine, EngineError, Object, Options, StaticSource, View,
};
use crate::gates::Gates;
use crate::operations;
use crate::print::{json, spew};
use crate::release::Release;
use crate::subject::container_hash::{Form, Function, Recipe};
use crate::subject::deep_hash;
use crate::toolchain::Toolchain;
use crate::value::Ref;
use crate::yaml;

/// The subjects this engine answers.
pub const SUBJECTS: &[&str] = &[
    "container-hash",
    "container-hash-legacy",
    "container-hash-without-resources",
    "deep-hash",
    "yaml-to-json",
    "defaults",
    "create",
    "serve",
    "receive",
    "read-file",
    "info",
];

/// One request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request<'a> {
    /// Comes back in the answer.
    #[serde(default)]
    pub id: String,
    /// Which function.
    #[serde(default)]
    pub subject: String,
    /// Of which release, `v1.30.14`.
    #[serde(default)]
    pub release: String,
    /// decoded, delivered (the default) or static.
    #[serde(default)]
    pub view: Option<String>,
    /// versioned (the default) or internal, for `deep-hash`.
    #[serde(default)]
    pub form: Option<String>,
    /// Gates that differ from the release's defaults.
    #[serde(default)]
    pub feature_gates: Option<BTreeMap<String, bool>>,
    /// The object, as JSON.
    #[serde(default, borrow)]
    pub object: Option<&'a RawValue>,
    /// The text, for `yaml-to-json`.
    #[serde(default)]
    pub text: Option<String>,
    /// Where the kubelet read the object, for `read-file`.
    #[serde(default)]
    pub file: Option<String>,
    /// The node's name, for `read-file`.
    #[serde(default)]
    pub node: Option<String>,
    /// Whether the bytes that were hashed are wanted, too.
    #[serde(default)]
    pub preimage: bool,
}

/// One answer; only the parts that the subject has are written.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// The request's id.
    pub id: String,
    /// Container hashes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containers: Option<Vec<ContainerAnswer>>,
    /// The object after an operation, as Go's `json.Marshal` writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Box<RawValue>>,
    /// The hash, where there is exactly one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<u32>,
    /// What was hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preimage: Option<String>,
    /// JSON made of YAML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// The release that answers, for `info`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Its toolchain, for `info`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolchain: Option<String>,
    /// What can be asked, for `info`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Vec<&'static str>>,
    /// Why there is no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why the question does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// A container in an answer.
#[derive(Debug, Serialize)]
pub struct ContainerAnswer {
    /// The container's name.
    pub name: String,
    /// init, container or ephemeral.
    #[serde(rename = "type")]
    pub container_type: &'static str,
    /// Its hash.
    pub hash: u32,
    /// What was hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preimage: Option<String>,
}

impl From<ContainerHash> for ContainerAnswer {
    fn from(hash: ContainerHash) -> ContainerAnswer {
        ContainerAnswer {
            name: hash.name,
            container_type: hash.container_type.as_str(),
            hash: hash.hash,
            preimage: hash.preimage.map(text),
        }
    }
}

/// A preimage is made of strings that the decoder has made UTF-8.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// The id of a line that is no request, if it has one: the answer shall find its way.
fn id_of(line: &str) -> String {
    #[derive(Deserialize)]
    struct Id {
        #[serde(default)]
        id: String,
    }
    serde_json::from_str::<Id>(line).map_or_else(|_| String::new(), |request| request.id)
}

enum Refusal {
    Error(String),
    Skipped(String),
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Refusal {
        match error {
            EngineError::ViewNeedsAPod { .. } | EngineError::NoSuchFunction { .. } => {
                Refusal::Skipped(error.to_string())
            }
            EngineError::Decode(error) => Refusal::Error(error.to_string()),
            error => Refusal::Error(error.to_string()),
        }
    }
}

impl From<operations::OperationError> for Refusal {
    fn from(error: operations::OperationError) -> Refusal {
        Refusal::Error(error.to_string())
    }
}

/// Answers requests; keeps the engines of the releases it was asked about.
#[derive(Debug, Default)]
pub struct Testee {
    engines: Mutex<BTreeMap<Release, Arc<Engine>>>,
}

impl Testee {
    /// Answers one line with one line (without the line break).
    pub fn answer_line(&self, line: &str) -> String {
        let answer = match serde_json::from_str::<Request<'_>>(line) {
            Ok(request) => self.answer(&request),
            Err(error) => Answer {
                id: id_of(line),
                error: Some(format!("not a request: {error}")),
                ..Answer::default()
            },
        };
        serde_json::to_string(&answer).unwrap_or_else(|error| {
            // Only reached if a result held what JSON cannot write.
            format!("{{\"id\":\"\",\"error\":\"the answer could not be written: {error}\"}}")
        })
    }

    /// Answers one request.
    pub fn answer(&self, request: &Request<'_>) -> Answer {
        let mut answer = match self.result(request) {
            Ok(answer) => answer,
            Err(Refusal::Error(error)) => Answer {
                error: Some(error),
                ..Answer::default()
            },
            Err(Refusal::Skipped(why)) => Answer {
                skipped: Some(why),
                ..Answer::default()
            },
        };
        answer.id.clone_from(&request.id);
        answer
    }

    fn engine(&self, release: Release) -> Result<Arc<Engine>, Refusal> {
        let mut engines = self
            .engines
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(engine) = engines.get(&release) {
            return Ok(Arc::clone(engine));
        }
        let engine = Engine::load(release).map_err(|e| Refusal::Skipped(e.to_string()))?;
        let engine = Arc::new(engine);
        engines.insert(release, Arc::clone(&engine));
        Ok(engine)
    }

    fn result(&self, request: &Request<'_>) -> Result<Answer, Refusal> {
        for (name, value) in [("subject", &request.subject), ("release", &request.release)] {
            if value.is_empty() {
                return Err(Refusal::Error(format!("the request has no {name}")));
            }
        }
        if !SUBJECTS.contains(&&*request.subject) {
            return Err(Refusal::Skipped(format!(
                "no such subject: {}",
                request.subject
            )));
        }
        let release: Release = request
            .release
            .parse()
            .map_err(|e: crate::release::VersionError| Refusal::Error(e.to_string()))?;
        let engine = self.engine(release)?;
        if request.subject == "info" {
            return Ok(Answer {
                release: Some(release.to_string()),
                toolchain: Some(engine.schema().toolchain().to_owned()),
                subjects: Some(SUBJECTS.to_vec()),
                ..Answer::default()
            });
        }
        if request.subject == "yaml-to-json" {
            let text = request
                .text
                .as_deref()
                .ok_or_else(|| Refusal::Error("the request has no text".into()))?;
            let json = yaml::yaml_to_json(
                text.as_bytes(),
                yaml::Dialect::of(release, Toolchain::of(engine.schema())),
            )
            .map_err(|e| Refusal::Error(e.to_string()))?;
            return Ok(Answer {
                json: Some(json),
                ..Answer::default()
            });
        }

        let view = match &request.view {
            Some(view) => view.parse().map_err(Refusal::Error)?,
            None => View::default(),
        };
        let function = match &*request.subject {
            "container-hash" => Some(Function::HashContainer),
            "container-hash-legacy" => Some(Function::HashContainerLegacy),
            "container-hash-without-resources" => Some(Function::HashContainerWithoutResources),
            _ => None,
        };
        if let Some(function) = function
            && Recipe::of(function, release).is_none()
        {
            return Err(Refusal::Skipped(format!(
                "no such container hash in {release}"
            )));
        }
        if request.subject == "defaults" && !operations::SCHEME_DEFAULT.contains(release) {
            return Err(Refusal::Skipped(format!("no Scheme.Default in {release}")));
        }
        let object = request
            .object
            .ok_or_else(|| Refusal::Error("the request has no object".into()))?;
        let is_manifest = view == View::Static || request.subject == "read-file";
        if is_manifest && !engine::is_pod(object.get()) {
            return Err(Refusal::Skipped("only Pods have a static view".into()));
        }
        let none = BTreeMap::new();
        let gates = engine.gates(request.feature_gates.as_ref().unwrap_or(&none))?;
        let object = if is_manifest {
            engine.decode_manifest(object.get())?
        } else {
            engine.decode(object.get())?
        };
        match function {
            Some(function) => {
                containers(&engine, function, &object, &gates, view, request.preimage)
            }
            None if request.subject == "deep-hash" => {
                deep_hash_of(&engine, &object, &gates, view, request)
            }
            None => operation(&engine, &object, &gates, request),
        }
    }
}

fn containers(
    engine: &Engine,
    function: Function,
    object: &Object<'_>,
    gates: &Gates<'_>,
    view: View,
    preimages: bool,
) -> Result<Answer, Refusal> {
    let options = Options {
        view,
        preimages,
        ..Options::default()
    };
    let hashes = engine.hash_containers(function, object, gates, &options)?;
    let containers: Vec<ContainerAnswer> = hashes.into_iter().map(ContainerAnswer::from).collect();
    let only = match containers.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    Ok(Answer {
        hash: only.map(|c| c.hash),
        preimage: only.and_then(|c| c.preimage.clone()),
        containers: Some(containers),
        ..Answer::default()
    })
}

fn deep_hash_of(
    engine: &Engine,
    object: &Object<'_>,
    gates: &Gates<'_>,
    view: View,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let form = match request.form.as_deref() {
        None | Some("" | "versioned") => Form::Versioned,
        Some("internal") => Form::Internal,
        Some(other) => return Err(Refusal::Error(format!("no such form: {other}"))),
    };
    let viewed = engine.view(object, view, form, gates, StaticSource::default())?;
    let schema = engine.schema();
    let whole = Ref::new(schema, viewed.ty, &viewed.value);
    let hashed = if object.bare_container {
        let first = whole.at("Spec.Containers").items().next();
        first.unwrap_or(whole)
    } else {
        whole
    };
    let Some((ty, value)) = hashed.parts() else {
        return Err(Refusal::Error("nothing to hash".into()));
    };
    Ok(Answer {
        hash: Some(deep_hash::fnv32a(schema, ty, value)),
        preimage: request
            .preimage
            .then(|| text(spew::to_vec(schema, ty, value))),
        ..Answer::default()
    })
}

fn operation(
    engine: &Engine,
    object: &Object<'_>,
    gates: &Gates<'_>,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let schema = engine.schema();
    let value = object.value.clone();
    let value = match &*request.subject {
        "defaults" => operations::defaults(schema, object.kind, value, gates),
        "create" => operations::create(schema, object.kind, value, gates)?,
        "serve" => operations::serve(schema, object.kind, value, gates)?,
        "receive" => operations::receive(schema, object.kind, value)?,
        _ => {
            let source = StaticSource::default();
            let source = StaticSource {
                file: request.file.as_deref().unwrap_or(source.file),
                node: request.node.as_deref().unwrap_or(source.node),
            };
            engine
                .view(object, View::Static, Form::Versioned, gates, source)?
                .value
        }
    };
    let ty = object.kind.versioned;
    let written = text(json::to_vec(schema, ty, &value));
    Ok(Answer {
        object: Some(RawValue::from_string(written).map_err(|e| Refusal::Error(e.to_string()))?),
        hash: Some(deep_hash::fnv32a(schema, ty, &value)),
        preimage: request
            .preimage
            .then(|| text(spew::to_vec(schema, ty, &value))),
        ..Answer::default()
    })
}
