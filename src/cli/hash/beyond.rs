//! What of an object is hashed besides its containers: the template, the revision, the whole static
//! Pod.
//!
//! Each is a question of its own, so a release that was not built may be answered for by another one
//! than for its containers, and known less well.

use std::collections::BTreeMap;

use kubehash::diagnostic::{Diagnostic, Severity};
use kubehash::engine::{Arrival, Engine, EngineError, Object, Options, View};
use kubehash::operations::{Manifest, StaticSource};
use kubehash::release::VersionRequest;
use kubehash::report::{AnsweredBy, HashResult, RevisionResult};
use kubehash::subject::container_hash::Form;
use kubehash::value::Ref;

use super::super::input;
use super::super::session::{Answerer, of_engine};

/// What is asked for besides containers, with what the arguments say to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// How often hashes of the workload's template collided, if that is known.
    pub(super) collision_count: Option<i64>,
    /// The node that static Pods are on; without it they have no UID.
    pub(super) node: Option<String>,
    /// Where the kubelet finds the manifest.
    pub(super) manifest_path: Option<String>,
}

fn answered_by(answerer: &Answerer) -> AnsweredBy {
    AnsweredBy {
        answers_for: answerer.resolution.answers_for.to_string(),
        evidence: answerer.resolution.evidence_label(),
    }
}

/// Who answers what is asked besides containers.
pub(super) struct Beyond {
    template: Option<Answerer>,
    revision: Option<Answerer>,
    static_pod: Option<Answerer>,
}

impl Beyond {
    pub(super) fn new(asked: VersionRequest, options: &Options, containers: &Engine) -> Beyond {
        let answerer = |question: &str| Answerer::new(asked, question, containers);
        match options.view {
            View::Static => Beyond {
                template: None,
                revision: None,
                static_pod: answerer("read-file"),
            },
            view => Beyond {
                template: answerer(&format!("pod-template-hash.{view}")),
                revision: answerer("reconcile.delivered"),
                static_pod: None,
            },
        }
    }

    /// Adds to an object's result what applies to it; what goes wrong is told and left away.
    pub(super) fn add_to(
        &self,
        result: &mut HashResult,
        json: &str,
        containers: &Engine,
        options: &Options,
        wanted: &Wanted,
    ) -> Vec<Diagnostic> {
        let mut about = BTreeMap::new();
        let mut problems = Vec::new();
        let work = Work {
            json,
            options,
            wanted,
        };
        // Both are of the workload as its controller sees it, mostly in one release.
        let mut arrived: Option<(&Engine, Arrived<'_>)> = None;
        if let Some(answerer) = &self.template {
            let engine = answerer.engine(containers);
            let (_, workload) = arrived.insert((engine, work.arrived(engine)));
            match work.template_hash(engine, workload) {
                Ok(Some(hash)) => {
                    result.pod_template_hash = Some(hash);
                    about.insert("podTemplateHash", answered_by(answerer));
                }
                Ok(None) => {}
                Err(error) => problems.push(without("podTemplateHash", &error)),
            }
        }
        if let Some(answerer) = &self.revision {
            let engine = answerer.engine(containers);
            let workload = match arrived {
                Some((by, workload)) if std::ptr::eq(by, engine) => workload,
                _ => work.arrived(engine),
            };
            match work.revision(engine, &workload) {
                Ok(Some(revision)) => {
                    result.controller_revision = Some(revision);
                    about.insert("controllerRevision", answered_by(answerer));
                }
                Ok(None) => {}
                Err(error) => problems.push(without("controllerRevision", &error)),
            }
        }
        if let Some(answerer) = &self.static_pod {
            match work.static_pod_uid(answerer.engine(containers), &result.source) {
                Ok(Some(uid)) => {
                    result.static_pod_uid = Some(uid);
                    about.insert("staticPodUID", answered_by(answerer));
                }
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
        result.evidence_of = about;
        problems
    }
}

/// A workload as its controller sees it; nothing for a Pod.
type Arrived<'e> = Result<Option<Object<'e>>, EngineError>;

/// One object and what is asked about it.
struct Work<'a> {
    json: &'a str,
    options: &'a Options,
    wanted: &'a Wanted,
}

impl Work<'_> {
    fn arrived<'e>(&self, engine: &'e Engine) -> Arrived<'e> {
        let object = engine.decode(self.json)?;
        if &*object.kind.kind == "Pod" {
            return Ok(None);
        }
        let gates = engine.gates(&self.options.feature_gates)?;
        let arrival = match self.options.view {
            View::Decoded => Arrival::Decoded,
            View::Delivered | View::Static => Arrival::Delivered,
        };
        engine.arrive(&object, arrival, &gates).map(Some)
    }

    fn template_hash(
        &self,
        engine: &Engine,
        workload: &Arrived<'_>,
    ) -> Result<Option<String>, EngineError> {
        let Some(object) = workload.as_ref().map_err(Clone::clone)? else {
            return Ok(None);
        };
        let count = self.wanted.collision_count;
        let (hash, _) = engine.pod_template_hash(object, count, false)?;
        Ok(Some(hash))
    }

    fn revision(
        &self,
        engine: &Engine,
        workload: &Arrived<'_>,
    ) -> Result<Option<RevisionResult>, EngineError> {
        let Some(object) = workload.as_ref().map_err(Clone::clone)? else {
            return Ok(None);
        };
        let gates = engine.gates(&self.options.feature_gates)?;
        let revision = engine.controller_revision(object, self.wanted.collision_count, &gates)?;
        Ok(revision.map(|revision| RevisionResult {
            hash: revision.hash,
            name: revision.name,
            data: revision.data,
        }))
    }

    fn static_pod_uid(&self, engine: &Engine, source: &str) -> Result<Option<String>, Diagnostic> {
        let Some(node) = &self.wanted.node else {
            return Ok(None);
        };
        let Some(path) = self
            .wanted
            .manifest_path
            .clone()
            .or_else(|| input::path_on_node(source))
        else {
            return Err(Diagnostic::warning(
                "no staticPodUID: where the manifest lies is part of it",
            )
            .with_hint("give --manifest-path, the file's path on the node"));
        };
        let uid = |engine: &Engine| -> Result<String, EngineError> {
            let object = engine.decode_manifest(self.json)?;
            let gates = engine.gates(&self.options.feature_gates)?;
            let read = StaticSource {
                manifest: Manifest::File(&path),
                node,
            };
            let pod = engine.view(&object, View::Static, Form::Versioned, &gates, read)?;
            let pod = Ref::new(engine.schema(), pod.ty, &pod.value);
            Ok(pod.at("ObjectMeta.UID").str().to_owned())
        };
        uid(engine)
            .map(Some)
            .map_err(|error| without("staticPodUID", &error))
    }
}

/// The rest of the result stands.
fn without(key: &str, error: &EngineError) -> Diagnostic {
    let problem = of_engine(error);
    Diagnostic {
        severity: Severity::Warning,
        message: format!("no {key}: {}", problem.message),
        ..problem
    }
}
