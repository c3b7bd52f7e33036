//! What every command on manifests does with its arguments: sources are read once, taken apart as
//! each release reads YAML, and handed object by object to the command's [`Work`]. What is wrong is
//! told once for all releases and counted, and the rest goes on.

mod messages;
mod meta;
mod skipped;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use kubehash::catalogue::{self, Resolution};
use kubehash::diagnostic::Diagnostic;
use kubehash::documents::{self, Document, Entry};
use kubehash::engine::{Engine, EngineError, View};
use kubehash::release::{Release, VersionRequest};
use kubehash::report::Summary;
use kubehash::toolchain::Toolchain;
use kubehash::yaml::Dialect;

use super::Exit;
use super::console::Console;
use super::input::{self, Argument, Found, Source};
use super::kinds::{self, Class};
use messages::Messages;
use skipped::Skipped;

pub(super) use messages::ByRelease;
pub(super) use meta::Meta;

/// What a command does with an object.
pub(super) trait Work {
    /// Looks at an object of a source as the reader of each target reads it, and tells what came of
    /// it. A release that cannot read a list at all has one entry where others have its items.
    fn object(
        &mut self,
        targets: &[Target],
        source: &str,
        readings: Vec<Option<Entry<'_>>>,
        told: &mut Told,
    );
}

/// What came of one object.
#[derive(Default)]
pub(super) struct Told {
    messages: Messages,
    failed: bool,
    skipped: Option<String>,
}

impl Told {
    /// Something to know about an object that was checked.
    pub(super) fn warn(&mut self, target: usize, warnings: Vec<Diagnostic>) {
        self.messages.add(target, warnings);
    }

    /// The object was not checked under a target.
    pub(super) fn refuse(&mut self, target: usize, refusal: Refusal) {
        match refusal {
            Refusal::Skipped { why, kind } => {
                let words = format!("{why}; skipped");
                self.messages.skip(target, Diagnostic::warning(words));
                self.skipped = Some(kind);
            }
            Refusal::Failed(errors) => {
                self.messages.add(target, errors);
                self.failed = true;
            }
        }
    }
}

/// Why an object is not checked.
#[derive(Clone)]
pub(super) enum Refusal {
    /// There is nothing to check; the kind goes into the line about all that was skipped.
    Skipped { why: String, kind: String },
    /// It cannot be.
    Failed(Vec<Diagnostic>),
}

impl Refusal {
    /// One error.
    pub(super) fn failed(diagnostic: Diagnostic) -> Refusal {
        Refusal::Failed(vec![diagnostic])
    }

    fn skipped(why: String, kind: &str) -> Refusal {
        let kind = kind.to_owned();
        Refusal::Skipped { why, kind }
    }

    /// What the engine says.
    pub(super) fn of_engine(error: &EngineError) -> Refusal {
        Refusal::failed(of_engine(error))
    }
}

/// A release that was asked for, ready to answer.
pub(super) struct Target {
    pub(super) resolution: Resolution,
    pub(super) engine: Engine,
    caveat: Option<String>,
    dialect: Dialect,
}

impl Target {
    /// `caveat` belongs to every answer of this release.
    pub(super) fn new(
        resolution: Resolution,
        caveat: Option<String>,
    ) -> Result<Target, Diagnostic> {
        let engine = Engine::load(resolution.answers_for)
            .map_err(|error| Diagnostic::error(error.to_string()))?;
        let dialect = Dialect::of(resolution.answers_for, Toolchain::of(engine.schema()));
        Ok(Target {
            resolution,
            engine,
            caveat,
            dialect,
        })
    }

    pub(super) fn name(&self) -> String {
        self.resolution.release.to_string()
    }

    /// Whether the release takes an object in the version that it is written in.
    pub(super) fn admit(&self, meta: &Meta) -> Result<(), Refusal> {
        match self.refusal(&meta.api_version, &meta.kind) {
            Some(diagnostic) if meta.is_object => Err(Refusal::failed(diagnostic)),
            _ => Ok(()),
        }
    }

    /// Why the release's API server does not take a workload of this version; `None` if it does.
    fn refusal(&self, api_version: &str, kind: &str) -> Option<Diagnostic> {
        let release = self.resolution.release;
        let served: Vec<&str> = self
            .engine
            .schema()
            .kinds()
            .iter()
            .filter(|entry| &*entry.kind == kind && catalogue::serves(release, &entry.api_version))
            .map(|entry| &*entry.api_version)
            .collect();
        if served.contains(&api_version) {
            return None;
        }
        // Alpha versions have to be turned on, so they are worth naming only where nothing else is.
        let usual: Vec<&str> = served
            .iter()
            .copied()
            .filter(|version| !version.contains("alpha"))
            .collect();
        let hint = match (usual.as_slice(), served.as_slice()) {
            ([], []) => format!("{release} has no {kind} in any version"),
            ([], alpha) => format!(
                "{release} serves {kind} as {} (if turned on)",
                alpha.join(", ")
            ),
            (usual, _) => format!("{release} serves {kind} as {}", usual.join(", ")),
        };
        let message = if api_version.is_empty() {
            format!("the {kind} does not say which apiVersion it is written in")
        } else {
            format!("{release} does not serve {kind} as {api_version}")
        };
        Some(Diagnostic::error(message).at("apiVersion").with_hint(hint))
    }
}

/// Whether an object is a workload, which releases can be asked about. What is no object at all is
/// for the engine to refuse.
pub(super) fn workload(meta: &Meta) -> Result<(), Refusal> {
    if !meta.is_object {
        return Ok(());
    }
    let (api_version, kind) = (meta.api_version.as_str(), meta.kind.as_str());
    // The engine takes an object without a kind for a bare container, as the protocol has it; in a
    // file it is somebody's mistake.
    if kind.is_empty() {
        let missing = Diagnostic::error("the object does not say what kind it is").at("kind");
        return Err(Refusal::failed(
            missing.with_hint("a manifest names its apiVersion and its kind"),
        ));
    }
    match kinds::classify(api_version, kind) {
        Class::Workload => Ok(()),
        Class::Other => {
            let why = format!("a {kind} has no containers");
            Err(Refusal::skipped(why, kind))
        }
        Class::Custom => {
            let why = format!("{api_version} {kind} is a custom resource");
            Err(Refusal::skipped(why, kind))
        }
        Class::Unknown(meant) => {
            let message = format!("Kubernetes has no kind {kind:?} in {api_version:?}");
            let hint = match meant {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("workloads are {}", kinds::WORKLOADS.join(", ")),
            };
            let unknown = Diagnostic::error(message).at("kind").with_hint(hint);
            Err(Refusal::failed(unknown))
        }
    }
}

/// Static Pods are Pods; objects of other kinds have no such view, whatever version they are written
/// in.
pub(super) fn pods_only(meta: &Meta) -> Result<(), Refusal> {
    let kind = &meta.kind;
    if !meta.is_object || kind == "Pod" {
        return Ok(());
    }
    let error = EngineError::ViewNeedsAPod {
        view: View::Static,
        kind: kind.clone(),
    };
    Err(Refusal::skipped(error.to_string(), kind))
}

/// Who answers a further question for a release, besides the one about its containers.
pub(super) struct Answerer {
    pub(super) resolution: Resolution,
    /// Nothing where the release that answers for the containers answers this, too.
    engine: Option<Engine>,
}

impl Answerer {
    /// Nothing where nobody does.
    pub(super) fn new(
        asked: VersionRequest,
        question: &str,
        containers: &Engine,
    ) -> Option<Answerer> {
        let resolution = catalogue::resolve_for(asked, question).ok()?;
        let same = containers.schema().release() == resolution.answers_for;
        let engine = match same {
            true => None,
            false => Some(Engine::load(resolution.answers_for).ok()?),
        };
        Some(Answerer { resolution, engine })
    }

    pub(super) fn engine<'a>(&'a self, containers: &'a Engine) -> &'a Engine {
        self.engine.as_ref().unwrap_or(containers)
    }
}

/// Which release answers a question, or what is wrong with the request.
pub(super) fn resolve(asked: VersionRequest, question: &str) -> Result<Resolution, Diagnostic> {
    catalogue::resolve_for(asked, question)
        .map_err(|error| Diagnostic::error(error.to_string()).with_hint(error.hint()))
}

/// What is to be known of an object that a release decoded; with `--strict` it is an error.
pub(super) fn tolerated(
    document: &Document<'_>,
    unknown_fields: &[String],
    strict: bool,
) -> Result<Vec<Diagnostic>, Refusal> {
    let unknown = unknown_fields
        .iter()
        .map(|path| Diagnostic::warning("unknown field: the release drops it").at(path.as_str()));
    let warnings = document.warnings.iter().cloned().chain(unknown);
    let warnings: Vec<Diagnostic> = warnings.map(|warning| warning.strictly(strict)).collect();
    if warnings.iter().any(Diagnostic::is_error) {
        return Err(Refusal::Failed(warnings));
    }
    Ok(warnings)
}

/// What to say where a kubelet would not find the Pod in its file (`tryDecodeSinglePod`,
/// `pkg/kubelet/config/common.go`).
pub(super) fn not_alone(document: &Document<'_>) -> Option<Diagnostic> {
    let alone = document.number == 1 && document.place.is_empty();
    (!alone).then(|| {
        Diagnostic::warning("a kubelet reads the first document of a file only, and no lists")
            .with_hint("give each static Pod a file; it is hashed as if it had one")
    })
}

/// What to say where no PATH was given and nothing is piped in.
pub(super) fn nothing_to_read(paths: &[PathBuf]) -> Option<Diagnostic> {
    (paths.is_empty() && io::stdin().is_terminal()).then(|| {
        Diagnostic::error("no PATH was given, and stdin is a terminal")
            .with_hint("name files or directories, or pipe manifests in")
    })
}

/// One run of a command over its arguments.
pub(super) struct Session<'a> {
    pub(super) targets: Vec<Target>,
    pub(super) console: &'a Console,
    /// For the report, in input order.
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) summary: Summary,
    skipped: Skipped,
    /// Whether some PATH held no object at all: asking to check it cannot have succeeded.
    empty_argument: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(targets: Vec<Target>, console: &'a Console) -> Session<'a> {
        Session {
            targets,
            console,
            diagnostics: Vec::new(),
            summary: Summary::default(),
            skipped: Skipped::default(),
            empty_argument: false,
        }
    }

    /// Reads what the arguments name, stdin where there are none, and has the work done. The last
    /// words are about what was skipped.
    pub(super) fn run(&mut self, paths: &[PathBuf], work: &mut impl Work) {
        self.caveats();
        if paths.is_empty() {
            self.argument(Path::new(input::STDIN), work);
        }
        for path in paths {
            self.argument(path, work);
        }
        if let Some(diagnostic) = self.skipped.told() {
            self.console.diagnostic(&diagnostic);
        }
    }

    /// How the command ends, as far as its input is concerned.
    pub(super) fn exit(&self) -> Exit {
        if self.summary.errors > 0 {
            Exit::Error
        } else if self.summary.checked == 0 || self.summary.skipped > 0 || self.empty_argument {
            Exit::Incomplete
        } else {
            Exit::Done
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.console.diagnostic(&diagnostic);
        self.diagnostics.push(diagnostic);
    }

    /// A source that could not be read counts as a document that failed.
    fn fail(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.summary.documents += 1;
        self.summary.errors += 1;
    }

    /// Something in a directory that is not read unless it is named.
    fn leave(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.summary.documents += 1;
        self.summary.skipped += 1;
    }

    fn releases(&self) -> Vec<Release> {
        self.targets
            .iter()
            .map(|target| target.resolution.release)
            .collect()
    }

    fn caveats(&mut self) {
        let mut aloud = ByRelease::default();
        for target in &self.targets {
            if let Some(caveat) = &target.caveat {
                let caveat = Diagnostic::warning(caveat);
                if self.diagnostics.contains(&caveat) {
                    continue; // two answer for it
                }
                aloud.add(Some(target.resolution.release), caveat.clone());
                self.diagnostics.push(caveat);
            }
        }
        for caveat in aloud.told(&self.releases()) {
            self.console.diagnostic(&caveat);
        }
    }

    fn argument(&mut self, path: &Path, work: &mut impl Work) {
        let before = self.summary.documents;
        match Argument::of(path) {
            Argument::Stdin => self.source(input::read_stdin(), work),
            Argument::Unusable(diagnostic) => self.fail(diagnostic),
            Argument::Found(found) => {
                if found.is_empty() {
                    self.report(
                        Diagnostic::warning("holds no manifests (*.yaml, *.yml, *.json)")
                            .in_source(input::name(path)),
                    );
                }
                for found in found {
                    match found {
                        Found::File(file) => self.source(input::read_file(&file), work),
                        Found::Special(diagnostic) => self.leave(diagnostic),
                    }
                }
            }
        }
        self.empty_argument |= self.summary.documents == before;
    }

    fn source(&mut self, source: Source, work: &mut impl Work) {
        let bytes = match source.bytes {
            Ok(bytes) => bytes,
            Err(diagnostic) => return self.fail(diagnostic),
        };
        let dialects: Vec<Dialect> = self.targets.iter().map(|target| target.dialect).collect();
        let readings = match documents::read_for(&source.name, &bytes, &dialects) {
            Ok(readings) => readings,
            Err(diagnostic) if diagnostic.is_error() => return self.fail(diagnostic),
            // A file without objects is a warning.
            Err(diagnostic) => return self.report(diagnostic),
        };
        let mut readings: Vec<_> = readings.into_iter().map(Vec::into_iter).collect();
        for number in 1.. {
            let readings: Vec<_> = readings
                .iter_mut()
                .map(|reading| reading.next().flatten())
                .collect();
            if readings.iter().all(Option::is_none) {
                break;
            }
            let mut told = Told::default();
            work.object(&self.targets, &source.name, readings, &mut told);
            self.count(&source.name, number, told);
        }
    }

    fn count(&mut self, source: &str, number: usize, told: Told) {
        self.summary.documents += 1;
        if told.failed {
            self.summary.errors += 1;
        } else if let Some(kind) = told.skipped {
            self.summary.skipped += 1;
            self.skipped.add(source, kind);
        } else {
            self.summary.checked += 1;
        }
        let releases = self.releases();
        for diagnostic in told.messages.aloud(&releases) {
            self.console
                .diagnostic(&diagnostic.in_document(source, number));
        }
        for diagnostic in told.messages.reported(&releases) {
            self.diagnostics
                .push(diagnostic.in_document(source, number));
        }
    }
}

/// What the engine says, with what helps.
pub(super) fn of_engine(error: &EngineError) -> Diagnostic {
    let message = error.to_string();
    let diagnostic = Diagnostic::error(message.as_str()).at(error.path());
    // YAML's oldest trap: `y` is true and `1.10` a number.
    if let Some(found) = message.strip_prefix("expected a string, found ")
        && (matches!(found, "true" | "false") || found.starts_with(|c: char| c.is_ascii_digit()))
    {
        return diagnostic.with_hint("put the value in quotes");
    }
    match error.hint() {
        Some(hint) => diagnostic.with_hint(hint),
        None => diagnostic,
    }
}
