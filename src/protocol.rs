//! The conformance protocol: one request a line in, one answer a line out.
//!
//! The same protocol drives the Go references, this engine (`kubehash testee`) and anybody's
//! implementation; `docs/protocol.md` describes it. A request names a subject and a release and
//! carries an object or a text; the answer is the subject's result, `error`, or `skipped` where
//! the release has no such thing.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::engine::{
    Arrival, ContainerHash, Engine, EngineError, Manifest, Object, Options, StaticSource, View,
};
use crate::gates::Gates;
use crate::json::{Reader, SyntaxError, Token};
use crate::operations;
use crate::print::{json, spew};
use crate::release::Release;
use crate::rollout::{self, State};
use crate::subject::checkpoint::{self, Container};
use crate::subject::container_hash::{Form, Function, Recipe};
use crate::subject::endpoints::SubsetHashes;
use crate::subject::{deep_hash, infra_container, static_pod};
use crate::toolchain::Toolchain;
use crate::value::Ref;
use crate::yaml;

/// A value of a request's `subject`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    ContainerHash(Function),
    InfraContainerHash,
    DeepHash,
    YamlToJson,
    Defaults,
    Create,
    Serve,
    Receive,
    ReadFile,
    PodTemplateHash,
    Reconcile,
    Checkpoint,
    StaticPodEqual,
    EndpointsHash,
    Info,
}

impl Subject {
    /// What this engine answers, in the order of the protocol's document.
    fn all() -> impl Iterator<Item = Subject> {
        let container_hashes = Function::ALL.into_iter().map(Subject::ContainerHash);
        container_hashes.chain([
            Subject::InfraContainerHash,
            Subject::DeepHash,
            Subject::YamlToJson,
            Subject::Defaults,
            Subject::Create,
            Subject::Serve,
            Subject::Receive,
            Subject::ReadFile,
            Subject::PodTemplateHash,
            Subject::Reconcile,
            Subject::Checkpoint,
            Subject::StaticPodEqual,
            Subject::EndpointsHash,
            Subject::Info,
        ])
    }

    fn name(self) -> &'static str {
        match self {
            Subject::ContainerHash(function) => function.subject(),
            Subject::InfraContainerHash => "infra-container-hash",
            Subject::DeepHash => "deep-hash",
            Subject::YamlToJson => "yaml-to-json",
            Subject::Defaults => "defaults",
            Subject::Create => "create",
            Subject::Serve => "serve",
            Subject::Receive => "receive",
            Subject::ReadFile => "read-file",
            Subject::PodTemplateHash => "pod-template-hash",
            Subject::Reconcile => "reconcile",
            Subject::Checkpoint => "checkpoint",
            Subject::StaticPodEqual => "static-pod-equal",
            Subject::EndpointsHash => "endpoints-hash",
            Subject::Info => "info",
        }
    }

    /// What a release lacks for it; `None` where it has the subject.
    fn missing(self, release: Release) -> Option<&'static str> {
        match self {
            Subject::ContainerHash(function) if Recipe::of(function, release).is_none() => {
                Some("such container hash")
            }
            Subject::InfraContainerHash if !infra_container::RELEASES.contains(release) => {
                Some("infra container hash")
            }
            Subject::Defaults if !operations::SCHEME_DEFAULT.contains(release) => {
                Some("Scheme.Default")
            }
            Subject::Reconcile if !rollout::RECONCILES.contains(release) => {
                Some("such controllers")
            }
            Subject::Checkpoint if !checkpoint::CHECKPOINTS.contains(release) => {
                Some("checkpoints")
            }
            Subject::StaticPodEqual if static_pod::Recipe::of(release).is_none() => {
                Some("comparison of manifests")
            }
            _ => None,
        }
    }
}

/// The subjects that a release has, as `info` lists them.
pub fn subjects(release: Release) -> Vec<&'static str> {
    Subject::all()
        .filter(|subject| subject.missing(release).is_none())
        .map(Subject::name)
        .collect()
}

/// One request.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// Comes back in the answer.
    pub id: String,
    /// Which function.
    pub subject: String,
    /// Of which release, `v1.30.14`.
    pub release: String,
    /// decoded, delivered (also if empty) or static.
    pub view: String,
    /// versioned (also if empty) or internal, for `deep-hash` and `endpoints-hash`; which file, for
    /// `checkpoint`.
    pub form: String,
    /// Gates that differ from the release's defaults.
    pub feature_gates: BTreeMap<String, bool>,
    /// The object, as JSON.
    pub object: Option<&'a str>,
    /// The text, for `yaml-to-json` and `checkpoint`.
    pub text: Option<String>,
    /// The manifests, for `static-pod-equal`, as a list of strings in JSON.
    pub texts: Option<&'a str>,
    /// The containers that the kubelet knows, for `checkpoint`, as a list in JSON.
    pub containers: Option<&'a str>,
    /// Where the kubelet read the object, for `read-file`; if empty, the default's place.
    pub file: String,
    /// The URL instead, for `read-file`.
    pub url: String,
    /// The node's name, for `read-file`; if empty, the default one.
    pub node: String,
    /// The image of the container for a Pod's network, for `infra-container-hash`; if empty, the
    /// default one.
    pub infra_image: String,
    /// How often hashes of the workload's templates collided, if that is known.
    pub collision_count: Option<i64>,
    /// The collision counts that `pod-template-hash` is asked for; if absent, that none is known.
    pub collision_counts: Option<&'a str>,
    /// What a controller left behind, as JSON, for `reconcile`.
    pub state: Option<&'a str>,
    /// Workloads that take the object's place, one after the other, as a list in JSON, for
    /// `reconcile`.
    pub then: Option<&'a str>,
    /// Whether the bytes that were hashed are wanted, too.
    pub preimage: bool,
}

/// A line that is no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    /// Its id, where that could be read: the answer shall find its way.
    pub id: String,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a request: {}", self.message)
    }
}

impl std::error::Error for RequestError {}

impl<'a> Request<'a> {
    /// Reads a line as Go's `encoding/json` reads it into the references' struct: half of a
    /// surrogate pair in a string is U+FFFD, `null` is no value, of a key that comes twice the last
    /// one counts, and keys that mean nothing here are passed over.
    ///
    /// # Errors
    /// When the line is no JSON object, or a value is of the wrong type.
    pub fn read(line: &'a str) -> Result<Request<'a>, RequestError> {
        let mut request = Request::default();
        let mut fields = Fields {
            reader: Reader::new(line),
            mismatch: None,
        };
        let problem = match fields.request(&mut request) {
            Ok(()) => fields.mismatch,
            Err(error) => Some(error.to_string()),
        };
        match problem {
            None => Ok(request),
            Some(message) => Err(RequestError {
                id: request.id,
                message,
            }),
        }
    }
}

/// A request's fields on their way out of its text.
struct Fields<'a> {
    reader: Reader<'a>,
    /// The first value of a wrong type. The rest is read all the same: the id may follow.
    mismatch: Option<String>,
}

impl<'a> Fields<'a> {
    fn request(&mut self, request: &mut Request<'a>) -> Result<(), SyntaxError> {
        let found = self.reader.peek()?;
        if found == Token::Object {
            self.reader.begin_object()?;
            let mut first = true;
            while let Some(key) = self.reader.next_key(&mut first)? {
                self.field(&key, request)?;
            }
        } else {
            self.mismatch = Some(format!("expected an object, found {}", found.describe()));
            self.reader.raw()?;
        }
        self.reader.end()
    }

    fn field(&mut self, key: &str, request: &mut Request<'a>) -> Result<(), SyntaxError> {
        match key {
            "id" => self.string(key, &mut request.id),
            "subject" => self.string(key, &mut request.subject),
            "release" => self.string(key, &mut request.release),
            "view" => self.string(key, &mut request.view),
            "form" => self.string(key, &mut request.form),
            "file" => self.string(key, &mut request.file),
            "url" => self.string(key, &mut request.url),
            "collisionCount" => self.integer(key, &mut request.collision_count),
            "node" => self.string(key, &mut request.node),
            "infraImage" => self.string(key, &mut request.infra_image),
            "text" => {
                if self.comes(key, Token::String)? {
                    request.text = Some(self.reader.string()?.into_owned());
                }
                Ok(())
            }
            "preimage" => self.bool(key, &mut request.preimage),
            "featureGates" => self.gates(key, &mut request.feature_gates),
            "object" => self.json(&mut request.object),
            "collisionCounts" => self.json(&mut request.collision_counts),
            "state" => self.json(&mut request.state),
            "then" => self.json(&mut request.then),
            "texts" => self.json(&mut request.texts),
            "containers" => self.json(&mut request.containers),
            _ => self.reader.raw().map(drop),
        }
    }

    fn string(&mut self, key: &str, slot: &mut String) -> Result<(), SyntaxError> {
        if self.comes(key, Token::String)? {
            *slot = self.reader.string()?.into_owned();
        }
        Ok(())
    }

    fn json(&mut self, slot: &mut Option<&'a str>) -> Result<(), SyntaxError> {
        let null = self.reader.peek()? == Token::Null;
        let text = self.reader.raw()?;
        *slot = (!null).then_some(text);
        Ok(())
    }

    fn bool(&mut self, key: &str, slot: &mut bool) -> Result<(), SyntaxError> {
        if self.comes(key, Token::Bool)? {
            *slot = self.reader.bool()?;
        }
        Ok(())
    }

    fn integer(&mut self, key: &str, slot: &mut Option<i64>) -> Result<(), SyntaxError> {
        if self.reader.peek()? == Token::Null {
            self.reader.null()?;
            *slot = None;
        } else if self.comes(key, Token::Number)? {
            let number = self.reader.number()?;
            *slot = number.parse().ok();
            if slot.is_none() {
                let message = format!("{key}: expected a whole number, found {number}");
                self.mismatch.get_or_insert(message);
            }
        }
        Ok(())
    }

    fn gates(&mut self, key: &str, gates: &mut BTreeMap<String, bool>) -> Result<(), SyntaxError> {
        if self.comes(key, Token::Object)? {
            self.reader.begin_object()?;
            let mut first = true;
            while let Some(gate) = self.reader.next_key(&mut first)? {
                let mut on = false;
                self.bool(&format!("{key}.{gate}"), &mut on)?;
                gates.insert(gate.into_owned(), on);
            }
        }
        Ok(())
    }

    /// Whether a value of this type comes next. Any other is consumed: `null` says nothing, the
    /// rest is a mismatch.
    fn comes(&mut self, what: &str, wanted: Token) -> Result<bool, SyntaxError> {
        let found = self.reader.peek()?;
        if found == wanted {
            return Ok(true);
        }
        self.reader.raw()?;
        if found != Token::Null {
            let (wanted, found) = (wanted.describe(), found.describe());
            self.mismatch
                .get_or_insert_with(|| format!("{what}: expected {wanted}, found {found}"));
        }
        Ok(false)
    }
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
    /// The hashes of a Pod template as they stand in the label, by collision count; none where the
    /// release does not count collisions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Option<String>>>,
    /// What they are hashes of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preimages: Option<Vec<String>>,
    /// What was hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preimage: Option<String>,
    /// What there is when the controller has nothing more to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<State>,
    /// What a release makes of a checkpoint file.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<CheckpointAnswer>,
    /// Whether two manifests are equal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equal: Option<bool>,
    /// In what they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
    /// Endpoints' subsets in their canonical form, as v1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repacked: Option<Box<RawValue>>,
    /// The hashes of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsets: Option<Vec<SubsetAnswer>>,
    /// The hash of an EndpointSlice's ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ports: Option<String>,
    /// Those of its endpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoints: Option<Vec<String>>,
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

/// A checkpoint file in an answer.
#[derive(Debug, Serialize)]
pub struct CheckpointAnswer {
    /// Whether a kubelet accepts it.
    pub accepted: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What the kubelet writes then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<String>,
    /// What the release writes for these contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The file by each format.
    pub formats: Vec<FormatAnswer>,
}

/// A checkpoint file read as one format, in an answer.
#[derive(Debug, Serialize)]
pub struct FormatAnswer {
    /// The Go type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Why it is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What is written for these contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The checksums that are wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checksums: Vec<ChecksumAnswer>,
}

/// A checksum in an answer.
#[derive(Debug, Serialize)]
pub struct ChecksumAnswer {
    /// The Go field.
    pub field: &'static str,
    /// The number.
    pub hash: u32,
    /// What was hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preimage: Option<String>,
}

impl From<checkpoint::Checkpoint> for CheckpointAnswer {
    fn from(file: checkpoint::Checkpoint) -> CheckpointAnswer {
        CheckpointAnswer {
            accepted: file.is_accepted(),
            refused: file.refused,
            stored: file.stored,
            written: file.written,
            formats: file.formats.into_iter().map(FormatAnswer::from).collect(),
        }
    }
}

impl From<checkpoint::Reading> for FormatAnswer {
    fn from(reading: checkpoint::Reading) -> FormatAnswer {
        let checksums = reading.checksums.into_iter();
        FormatAnswer {
            ty: reading.ty,
            refused: reading.refused,
            written: reading.written,
            checksums: checksums.map(ChecksumAnswer::from).collect(),
        }
    }
}

impl From<checkpoint::Checksum> for ChecksumAnswer {
    fn from(checksum: checkpoint::Checksum) -> ChecksumAnswer {
        ChecksumAnswer {
            field: checksum.field,
            hash: checksum.hash,
            preimage: checksum.preimage.map(text),
        }
    }
}

/// A subset of Endpoints in an answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SubsetAnswer {
    /// What puts subsets in order.
    pub hash: String,
    /// The hash of its addresses.
    pub addresses: String,
    /// The hashes of its ports; none where there are no ports.
    pub ports: Option<Vec<String>>,
    /// What was hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preimage: Option<String>,
    /// What was hashed of the ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port_preimages: Option<Vec<String>>,
}

impl SubsetAnswer {
    fn new(hashes: SubsetHashes, preimages: bool) -> SubsetAnswer {
        let port_preimages: Vec<String> = hashes.port_preimages.into_iter().map(text).collect();
        SubsetAnswer {
            hash: hashes.hash,
            addresses: hashes.addresses,
            ports: Some(hashes.ports).filter(|ports| !ports.is_empty()),
            preimage: preimages.then(|| text(hashes.preimage)),
            port_preimages: Some(port_preimages).filter(|list| preimages && !list.is_empty()),
        }
    }
}

/// A preimage is made of strings that the decoder has made UTF-8.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

enum Refusal {
    Error(String),
    Skipped(String),
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Refusal {
        match error {
            EngineError::ViewNeedsAPod { .. }
            | EngineError::NoSuchFunction { .. }
            | EngineError::NoCollisionCounts { .. }
            | EngineError::NoSuchController { .. }
            | EngineError::NoSuchCheckpoint { .. }
            | EngineError::NoCheckpointTypes { .. }
            | EngineError::NoManifests { .. }
            | EngineError::UnknownFeatureGate { .. } => Refusal::Skipped(error.to_string()),
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
        let answer = match Request::read(line) {
            Ok(request) => self.answer(&request),
            Err(error) => Answer {
                error: Some(error.to_string()),
                id: error.id,
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
        let subject = Subject::all()
            .find(|subject| subject.name() == request.subject)
            .ok_or_else(|| Refusal::Skipped(format!("no such subject: {}", request.subject)))?;
        let release: Release = request
            .release
            .parse()
            .map_err(|e: crate::release::VersionError| Refusal::Error(e.to_string()))?;
        let engine = self.engine(release)?;
        if let Some(what) = subject.missing(release) {
            return Err(Refusal::Skipped(format!("no {what} in {release}")));
        }
        match subject {
            Subject::Info => Ok(info(&engine)),
            Subject::YamlToJson => yaml_to_json(&engine, request),
            Subject::PodTemplateHash => pod_template_hash(&engine, request),
            Subject::Reconcile => reconcile(&engine, request),
            Subject::Checkpoint => checkpoint_file(&engine, request),
            Subject::StaticPodEqual => static_pods(&engine, request),
            Subject::EndpointsHash => endpoints_hash(&engine, request),
            subject => of_object(&engine, subject, request),
        }
    }
}

fn info(engine: &Engine) -> Answer {
    let release = engine.schema().release();
    Answer {
        release: Some(release.to_string()),
        toolchain: Some(engine.schema().toolchain().to_owned()),
        subjects: Some(subjects(release)),
        ..Answer::default()
    }
}

fn yaml_to_json(engine: &Engine, request: &Request<'_>) -> Result<Answer, Refusal> {
    let text = request
        .text
        .as_deref()
        .ok_or_else(|| Refusal::Error("the request has no text".into()))?;
    let schema = engine.schema();
    let dialect = yaml::Dialect::of(schema.release(), Toolchain::of(schema));
    let json =
        yaml::yaml_to_json(text.as_bytes(), dialect).map_err(|e| Refusal::Error(e.to_string()))?;
    Ok(Answer {
        json: Some(json),
        ..Answer::default()
    })
}

fn checkpoint_file(engine: &Engine, request: &Request<'_>) -> Result<Answer, Refusal> {
    let gates = engine.gates(&request.feature_gates)?;
    let form: checkpoint::Form = request.form.parse().map_err(Refusal::Skipped)?;
    let containers: Vec<Container> = match request.containers {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| Refusal::Error(format!("containers: {error}")))?,
        None => Vec::new(),
    };
    let text = request.text.as_deref().unwrap_or_default();
    let file = engine.checkpoint_with(form, text, &gates, &containers, request.preimage)?;
    Ok(Answer {
        checkpoint: Some(file.into()),
        ..Answer::default()
    })
}

fn static_pods(engine: &Engine, request: &Request<'_>) -> Result<Answer, Refusal> {
    let texts: Vec<String> = serde_json::from_str(request.texts.unwrap_or("[]"))
        .map_err(|error| Refusal::Error(format!("texts: {error}")))?;
    let [first, second] = texts.as_slice() else {
        let count = texts.len();
        return Err(Refusal::Error(format!(
            "texts: two are compared, not {count}"
        )));
    };
    let compared = engine.manifests_equal(first, second)?;
    let preimages = compared.preimages.filter(|_| request.preimage);
    Ok(Answer {
        equal: Some(compared.equal),
        difference: compared.difference,
        preimages: preimages.map(|dumps| dumps.map(text).to_vec()),
        ..Answer::default()
    })
}

/// A subject that takes an object.
fn of_object(engine: &Engine, subject: Subject, request: &Request<'_>) -> Result<Answer, Refusal> {
    let view = match &*request.view {
        "" => View::default(),
        view => view.parse().map_err(Refusal::Error)?,
    };
    let text = object_of(request)?;
    let gates = engine.gates(&request.feature_gates)?;
    let object = if view == View::Static || subject == Subject::ReadFile {
        manifest(engine, text)?
    } else {
        engine.decode(text)?
    };
    match subject {
        Subject::ContainerHash(function) => {
            containers(engine, function, &object, &gates, view, request.preimage)
        }
        Subject::InfraContainerHash => infra_container_hash(engine, &object, &gates, view, request),
        Subject::DeepHash => deep_hash_of(engine, &object, &gates, view, request),
        subject => operation(engine, subject, &object, &gates, request),
    }
}

fn pod_template_hash(engine: &Engine, request: &Request<'_>) -> Result<Answer, Refusal> {
    let gates = engine.gates(&request.feature_gates)?;
    let object = workload(engine, request, object_of(request)?, &gates)?;
    let counts: Vec<Option<i64>> = match request.collision_counts {
        Some(text) => serde_json::from_str(text)
            .map_err(|error| Refusal::Error(format!("collisionCounts: {error}")))?,
        None => vec![None],
    };
    let (mut labels, mut preimages) = (Vec::new(), Vec::new());
    for count in counts {
        let hash = engine.pod_template_hash(&object, count, request.preimage);
        let (label, preimage) = match hash {
            Err(EngineError::NoCollisionCounts { .. }) => (None, None),
            hash => hash.map(|(label, preimage)| (Some(label), preimage))?,
        };
        labels.push(label);
        preimages.push(preimage.map(text).unwrap_or_default());
    }
    Ok(Answer {
        labels: Some(labels),
        preimages: request.preimage.then_some(preimages),
        ..Answer::default()
    })
}

fn reconcile(engine: &Engine, request: &Request<'_>) -> Result<Answer, Refusal> {
    let gates = engine.gates(&request.feature_gates)?;
    let mut state: State = match request.state {
        Some(text) => {
            serde_json::from_str(text).map_err(|error| Refusal::Error(format!("state: {error}")))?
        }
        None => State::default(),
    };
    state.collision_count = state.collision_count.or(request.collision_count);
    let then: Vec<&RawValue> = match request.then {
        Some(text) => {
            serde_json::from_str(text).map_err(|error| Refusal::Error(format!("then: {error}")))?
        }
        None => Vec::new(),
    };
    let first = object_of(request)?;
    for text in std::iter::once(first).chain(then.into_iter().map(RawValue::get)) {
        let object = workload(engine, request, text, &gates)?;
        state = engine.reconcile(&object, &state, &gates)?.state;
    }
    Ok(Answer {
        state: Some(state),
        ..Answer::default()
    })
}

/// A workload as the controller of its kind sees it.
fn workload<'e>(
    engine: &'e Engine,
    request: &Request<'_>,
    text: &str,
    gates: &Gates<'_>,
) -> Result<Object<'e>, Refusal> {
    let arrival = match &*request.view {
        "" => Arrival::default(),
        view => view.parse().map_err(Refusal::Error)?,
    };
    let object = engine.decode(text)?;
    Ok(engine.arrive(&object, arrival, gates)?)
}

fn object_of<'a>(request: &Request<'a>) -> Result<&'a str, Refusal> {
    request
        .object
        .ok_or_else(|| Refusal::Error("the request has no object".into()))
}

/// A manifest, decoded. The references ask for the kind before anything is decoded, so one that is
/// not even a string is just not a Pod's.
fn manifest<'e>(engine: &'e Engine, text: &str) -> Result<Object<'e>, Refusal> {
    engine.decode_manifest(text).map_err(|error| match error {
        EngineError::Decode(error) if error.path == "kind" => Refusal::Skipped(error.to_string()),
        error => error.into(),
    })
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

fn infra_container_hash(
    engine: &Engine,
    object: &Object<'_>,
    gates: &Gates<'_>,
    view: View,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let image = match &*request.infra_image {
        "" => infra_container::DEFAULT_IMAGE,
        image => image,
    };
    let hashed = engine.infra_container_hash(object, view, image, gates)?;
    Ok(Answer {
        hash: Some(hashed.hash),
        preimage: request.preimage.then(|| text(hashed.preimage)),
        ..Answer::default()
    })
}

fn endpoints_hash(engine: &Engine, request: &Request<'_>) -> Result<Answer, Refusal> {
    #[derive(Deserialize)]
    struct Meta {
        kind: Option<String>,
    }
    let object = object_of(request)?;
    let is_slice = object.starts_with('[') || {
        let meta: Meta = serde_json::from_str(object).map_err(|e| Refusal::Error(e.to_string()))?;
        meta.kind.as_deref() == Some("EndpointSlice")
    };
    if is_slice {
        let hashes = engine.endpoint_slice(object)?;
        return Ok(Answer {
            ports: Some(hashes.ports),
            endpoints: Some(hashes.endpoints),
            preimage: request.preimage.then(|| text(hashes.preimage)),
            ..Answer::default()
        });
    }
    let hashes = engine.endpoints(object, form_of(request)?)?;
    let subsets = hashes.subsets.into_iter();
    let subsets = subsets.map(|subset| SubsetAnswer::new(subset, request.preimage));
    Ok(Answer {
        repacked: Some(raw_value(hashes.repacked)?),
        subsets: Some(subsets.collect()),
        ..Answer::default()
    })
}

/// The form that a request names, if any.
fn form_of(request: &Request<'_>) -> Result<Option<Form>, Refusal> {
    match &*request.form {
        "" => Ok(None),
        "versioned" => Ok(Some(Form::Versioned)),
        "internal" => Ok(Some(Form::Internal)),
        other => Err(Refusal::Error(format!("no such form: {other}"))),
    }
}

fn raw_value(json: String) -> Result<Box<RawValue>, Refusal> {
    RawValue::from_string(json).map_err(|e| Refusal::Error(e.to_string()))
}

fn deep_hash_of(
    engine: &Engine,
    object: &Object<'_>,
    gates: &Gates<'_>,
    view: View,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let form = form_of(request)?.unwrap_or(Form::Versioned);
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
    subject: Subject,
    object: &Object<'_>,
    gates: &Gates<'_>,
    request: &Request<'_>,
) -> Result<Answer, Refusal> {
    let schema = engine.schema();
    let value = object.value.clone();
    let value = match subject {
        Subject::Defaults => operations::defaults(schema, object.kind, value, gates),
        Subject::Create => operations::create(schema, object.kind, value, gates)?,
        Subject::Serve => operations::serve(schema, object.kind, value, gates)?,
        Subject::Receive => operations::receive(schema, object.kind, value)?,
        _ => {
            let mut source = StaticSource::default();
            if !request.url.is_empty() {
                source.manifest = Manifest::Url(&request.url);
            } else if !request.file.is_empty() {
                source.manifest = Manifest::File(&request.file);
            }
            if !request.node.is_empty() {
                source.node = &request.node;
            }
            engine
                .view(object, View::Static, Form::Versioned, gates, source)?
                .value
        }
    };
    let ty = object.kind.versioned;
    let written = text(json::to_vec(schema, ty, &value));
    Ok(Answer {
        object: Some(raw_value(written)?),
        hash: Some(deep_hash::fnv32a(schema, ty, &value)),
        preimage: request
            .preimage
            .then(|| text(spew::to_vec(schema, ty, &value))),
        ..Answer::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    fn ask(line: &str) -> serde_json::Value {
        serde_json::from_str(&Testee::default().answer_line(line)).unwrap()
    }

    #[test]
    fn only_an_object_is_a_request() {
        for line in [
            r#"["1","info","v1.30.14"]"#,
            "null",
            "5",
            r#""info""#,
            "true",
        ] {
            let answer = ask(line);
            let error = answer["error"].as_str().unwrap();
            assert!(
                error.starts_with("not a request: expected an object, found "),
                "{error}"
            );
            assert_eq!(answer["id"], "");
        }
        for line in ["", "nonsense", "{", r#"{"id":"1"} 5"#] {
            let answer = ask(line);
            assert!(
                answer["error"]
                    .as_str()
                    .unwrap()
                    .starts_with("not a request: not JSON")
            );
        }
    }

    #[test]
    fn strings_are_those_of_go() {
        let answer = ask(r#"{"id":"\ud800","subject":"info","release":"v1.30.14"}"#);
        assert_eq!(
            (&answer["id"], &answer["release"]),
            (&"\u{fffd}".into(), &"v1.30.14".into())
        );
        let text =
            r#"{"id":"1","subject":"yaml-to-json","release":"v1.30.14","text":"a: x\udc00y"}"#;
        assert_eq!(ask(text)["json"], "{\"a\":\"x\u{fffd}y\"}");
        let request = Request::read(r#"{"id":"1","id":"2","view":null,"unknown":[{}]}"#).unwrap();
        assert_eq!((&*request.id, &*request.view), ("2", ""));
    }

    #[test]
    fn a_value_of_a_wrong_type_is_told_to_whoever_asked() {
        let answer = ask(r#"{"subject":["info"],"featureGates":{"A":1},"id":"7"}"#);
        assert_eq!(answer["id"], "7");
        assert_eq!(
            answer["error"],
            "not a request: subject: expected a string, found a list"
        );
        let answer = ask(r#"{"id":"8","featureGates":{"A":1}}"#);
        assert_eq!(
            answer["error"],
            "not a request: featureGates.A: expected true or false, found a number"
        );
    }

    #[test]
    fn info_lists_what_the_release_answers() {
        for release in catalogue::built() {
            let listed = ask(&format!(
                r#"{{"id":"1","subject":"info","release":"{release}"}}"#
            ));
            let listed = listed["subjects"].as_array().unwrap().clone();
            for subject in Subject::all().map(Subject::name) {
                let (kind, at) = match subject {
                    "pod-template-hash" => ("PodTemplate", r#""template":{"spec":"#),
                    // Answered for three kinds only, which not every release has in one version.
                    "reconcile" => continue,
                    // Each form is in some releases only, and types are recorded for some.
                    "checkpoint" | "endpoints-hash" => continue,
                    _ => ("Pod", r#""spec":"#),
                };
                let request = format!(
                    r#"{{"id":"1","subject":"{subject}","release":"{release}","text":"a: b",
                        "texts":["kind: Pod\napiVersion: v1","kind: Pod\napiVersion: v1"],
                        "object":{{"apiVersion":"v1","kind":"{kind}","metadata":{{"name":"p"}},
                        {at}{{"containers":[{{"name":"c","image":"i"}}]}}{}}}}}"#,
                    if at.contains("template") { "}" } else { "" }
                );
                let answer = ask(&request);
                assert_eq!(answer.get("error"), None, "{release} {subject}");
                assert_eq!(
                    answer.get("skipped").is_none(),
                    listed.contains(&subject.into()),
                    "{release} {subject}"
                );
            }
        }
        let has = |release, subject| subjects(release).contains(&subject);
        assert!(!has(Release::new(5, 8), "container-hash-legacy"));
        assert!(has(Release::new(10, 13), "container-hash-legacy"));
        assert!(!has(
            Release::new(31, 14),
            "container-hash-without-resources"
        ));
        assert!(!has(Release::new(4, 12), "defaults"));
        assert!(!has(Release::new(1, 8), "reconcile"));
        assert!(has(Release::new(2, 7), "reconcile"));
        assert!(has(Release::new(2, 7), "infra-container-hash"));
        assert!(!has(Release::new(3, 10), "infra-container-hash"));
    }

    #[test]
    fn what_is_no_pod_has_no_static_view_however_malformed() {
        for kind in ["\"Deployment\"", "\"Service\"", "5"] {
            let answer = ask(&format!(
                r#"{{"id":"1","subject":"container-hash","view":"static","release":"v1.30.14",
                    "object":{{"apiVersion":"apps/v1","kind":{kind},"spec":5}}}}"#
            ));
            assert!(answer["skipped"].is_string(), "{answer}");
        }
    }

    #[test]
    fn an_empty_word_is_the_default() {
        let request = |more: &str| {
            ask(&format!(
                r#"{{"id":"1","subject":"read-file","release":"v1.30.14"{more},
                    "object":{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p"}}}}}}"#
            ))
        };
        let plain = request("");
        assert!(plain["object"].is_object(), "{plain}");
        assert_eq!(plain, request(r#","file":"","node":"","view":"""#));
        assert_ne!(plain, request(r#","node":"other""#));
    }

    #[test]
    fn a_gate_that_stands_for_many_is_refused_and_one_that_is_missing_skipped() {
        let request = |gate: &str| {
            ask(&format!(
                r#"{{"id":"1","subject":"container-hash","release":"v1.30.14",
                    "featureGates":{{"{gate}":true}},"object":{{"name":"c","image":"i"}}}}"#
            ))
        };
        assert!(request("AllAlpha")["error"].is_string());
        assert!(request("NoSuchGate")["skipped"].is_string());
    }
}
