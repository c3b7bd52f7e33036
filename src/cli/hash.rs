//! `kubehash hash`: documents × releases → hashes.
//!
//! Each source is read once; each of its objects is hashed under every release asked for before
//! the next one is looked at, so results and messages come in input order. What fails is told and
//! counted, and the rest goes on.

mod beyond;
mod messages;
mod meta;
mod render;
mod skipped;

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::Path;

use kubehash::catalogue::{self, Resolution};
use kubehash::diagnostic::Diagnostic;
use kubehash::documents::{self, Document, Entry};
use kubehash::engine::{Engine, EngineError, Options, View};
use kubehash::release::{Release, VersionRequest};
use kubehash::report::{ContainerResult, HashReport, HashResult, Summary};
use kubehash::toolchain::Toolchain;
use kubehash::yaml::Dialect;

use super::Exit;
use super::args::{HashArgs, Output};
use super::console::Console;
use super::input::{self, Argument, Found, Source};
use super::kinds::{self, Class};
use super::table::terminal_width;
use beyond::{Beyond, Wanted};
use messages::{ByRelease, Messages};
use meta::Meta;
use render::{Column, render};
use skipped::Skipped;

/// Hashes what the arguments name and prints the report.
pub(super) fn run(args: &HashArgs, console: &Console) -> io::Result<Exit> {
    let feature_gates = match args.gates() {
        Ok(gates) => gates,
        Err(problem) => {
            console.diagnostic(&problem);
            return Ok(Exit::Error);
        }
    };
    let options = Options {
        view: View::from(args.view),
        feature_gates,
        admission: !args.no_admission,
        ..Options::default()
    };
    let targets = match targets(args, &options) {
        Ok(targets) => targets,
        Err(problems) => {
            problems
                .iter()
                .for_each(|problem| console.diagnostic(problem));
            return Ok(Exit::Error);
        }
    };
    if args.paths.is_empty() && io::stdin().is_terminal() {
        console.diagnostic(
            &Diagnostic::error("no PATH was given, and stdin is a terminal")
                .with_hint("name files or directories, or pipe manifests in"),
        );
        return Ok(Exit::Error);
    }
    let wanted = Wanted {
        collision_count: args.collision_count,
        node: args.node.clone(),
        manifest_path: args.manifest_path.clone(),
    };
    let mut session = Session {
        targets,
        options,
        wanted,
        strict: args.strict,
        console,
        results: Vec::new(),
        diagnostics: Vec::new(),
        summary: Summary::default(),
        skipped: Skipped::default(),
        empty_argument: false,
    };
    session.caveats();
    if args.paths.is_empty() {
        session.argument(Path::new(input::STDIN));
    }
    for path in &args.paths {
        session.argument(path);
    }
    session.finish(args.output)
}

/// A release that was asked for, ready to answer.
struct Target {
    resolution: Resolution,
    engine: Engine,
    beyond: Beyond,
    dialect: Dialect,
}

impl Target {
    fn new(
        asked: VersionRequest,
        resolution: Resolution,
        options: &Options,
    ) -> Result<Target, Diagnostic> {
        let engine = Engine::load(resolution.answers_for)
            .map_err(|error| Diagnostic::error(error.to_string()))?;
        engine
            .gates(&options.feature_gates)
            .map_err(|error| of_engine(&error))?;
        let dialect = Dialect::of(resolution.answers_for, Toolchain::of(engine.schema()));
        Ok(Target {
            beyond: Beyond::new(asked, options, &engine),
            resolution,
            engine,
            dialect,
        })
    }

    fn name(&self) -> String {
        self.resolution.release.to_string()
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

/// All releases asked for, each once. Everything that is wrong with the request as a whole is
/// found here, so that it is told once and not with every object.
fn targets(args: &HashArgs, options: &Options) -> Result<Vec<Target>, Vec<Diagnostic>> {
    let mut targets: Vec<Target> = Vec::new();
    let mut problems = ByRelease::default();
    let mut asked = Vec::new();
    let question = format!("container-hash.{}", options.view.as_str());
    for request in &args.release {
        let resolution = match catalogue::resolve_for(*request, &question) {
            Ok(resolution) => resolution,
            Err(error) => {
                let problem = Diagnostic::error(error.to_string()).with_hint(error.hint());
                problems.add(None, problem);
                continue;
            }
        };
        if targets.iter().any(|target| target.resolution == resolution) {
            continue;
        }
        for resolution in resolution.answers() {
            asked.push(resolution.answers_for);
            match Target::new(*request, resolution, options) {
                Ok(target) => targets.push(target),
                Err(problem) => problems.add(Some(resolution.answers_for), problem),
            }
        }
    }
    let problems = problems.told(&asked);
    if problems.is_empty() {
        Ok(targets)
    } else {
        Err(problems)
    }
}

/// What became of one object under one release.
enum Outcome {
    Hashed(Box<HashResult>, Vec<Diagnostic>),
    Skipped(Diagnostic, String),
    Failed(Vec<Diagnostic>),
}

struct Session<'a> {
    targets: Vec<Target>,
    options: Options,
    wanted: Wanted,
    strict: bool,
    console: &'a Console,
    results: Vec<HashResult>,
    diagnostics: Vec<Diagnostic>,
    summary: Summary,
    skipped: Skipped,
    /// Whether some PATH held no object at all: asking to hash it cannot have succeeded.
    empty_argument: bool,
}

impl Session<'_> {
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

    fn releases(&self) -> Vec<Release> {
        self.targets
            .iter()
            .map(|target| target.resolution.release)
            .collect()
    }

    /// Something in a directory that is not read unless it is named.
    fn leave(&mut self, diagnostic: Diagnostic) {
        self.report(diagnostic);
        self.summary.documents += 1;
        self.summary.skipped += 1;
    }

    fn caveats(&mut self) {
        let mut aloud = ByRelease::default();
        for target in &self.targets {
            if let Some(caveat) = target.resolution.caveat() {
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

    fn argument(&mut self, path: &Path) {
        let before = self.summary.documents;
        match Argument::of(path) {
            Argument::Stdin => self.source(input::read_stdin()),
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
                        Found::File(file) => self.source(input::read_file(&file)),
                        Found::Special(diagnostic) => self.leave(diagnostic),
                    }
                }
            }
        }
        self.empty_argument |= self.summary.documents == before;
    }

    fn source(&mut self, source: Source) {
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
            self.object(&source.name, number, readings);
        }
    }

    /// One object, as each release's reader reads it.
    fn object(&mut self, source: &str, number: usize, readings: Vec<Option<Entry<'_>>>) {
        let mut messages = Messages::default();
        let (mut failed, mut skipped) = (false, None);
        for (target, reading) in readings.into_iter().enumerate() {
            // A release that cannot read a list at all has one entry where others have its items.
            let Some(reading) = reading else { continue };
            let outcome = match reading {
                Ok(document) => self.hash(&self.targets[target], source, &document),
                Err(diagnostic) => Outcome::Failed(vec![diagnostic]),
            };
            match outcome {
                Outcome::Hashed(result, warnings) => {
                    messages.add(target, warnings);
                    self.results.push(*result);
                }
                Outcome::Skipped(diagnostic, kind) => {
                    messages.skip(target, diagnostic);
                    skipped = Some(kind);
                }
                Outcome::Failed(errors) => {
                    messages.add(target, errors);
                    failed = true;
                }
            }
        }
        self.summary.documents += 1;
        if failed {
            self.summary.errors += 1;
        } else if let Some(kind) = skipped {
            self.summary.skipped += 1;
            self.skipped.add(source, kind);
        } else {
            self.summary.checked += 1;
        }
        let releases = self.releases();
        for diagnostic in messages.aloud(&releases) {
            self.console
                .diagnostic(&diagnostic.in_document(source, number));
        }
        for diagnostic in messages.reported(&releases) {
            self.diagnostics
                .push(diagnostic.in_document(source, number));
        }
    }

    fn hash(&self, target: &Target, source: &str, document: &Document<'_>) -> Outcome {
        let json = &*document.json;
        let meta = Meta::of(json);
        let (api_version, kind) = (meta.api_version.as_str(), meta.kind.as_str());
        let failed = |diagnostic| Outcome::Failed(vec![diagnostic]);
        let skipped = |words: String| {
            let words = format!("{words}; skipped");
            Outcome::Skipped(Diagnostic::warning(words), kind.to_owned())
        };
        // The engine takes an object without a kind for a bare container, as the protocol has it;
        // in a file it is somebody's mistake.
        if meta.is_object && kind.is_empty() {
            let missing = Diagnostic::error("the object does not say what kind it is").at("kind");
            return failed(missing.with_hint("a manifest names its apiVersion and its kind"));
        }
        if meta.is_object {
            match kinds::classify(api_version, kind) {
                // The engine says that it has no such view, whatever version it is written in.
                Class::Workload if self.options.view == View::Static && kind != "Pod" => {}
                Class::Workload => {
                    if let Some(diagnostic) = target.refusal(api_version, kind) {
                        return failed(diagnostic);
                    }
                }
                Class::Other => return skipped(format!("a {kind} has no containers")),
                Class::Custom => {
                    return skipped(format!("{api_version} {kind} is a custom resource"));
                }
                Class::Unknown(meant) => {
                    let message = format!("Kubernetes has no kind {kind:?} in {api_version:?}");
                    return failed(
                        Diagnostic::error(message)
                            .at("kind")
                            .with_hint(match meant {
                                Some(meant) => format!("did you mean {meant}?"),
                                None => format!("workloads are {}", kinds::WORKLOADS.join(", ")),
                            }),
                    );
                }
            }
        }
        let hashes = match target.engine.container_hashes(json, &self.options) {
            Ok(hashes) => hashes,
            Err(error @ EngineError::ViewNeedsAPod { .. }) => return skipped(error.to_string()),
            Err(error) => return failed(of_engine(&error)),
        };
        let mut warnings: Vec<Diagnostic> = document
            .warnings
            .iter()
            .cloned()
            .chain(hashes.unknown_fields.iter().map(|path| {
                Diagnostic::warning("unknown field: the release drops it").at(path.as_str())
            }))
            .map(|warning| warning.strictly(self.strict))
            .collect();
        if warnings.iter().any(Diagnostic::is_error) {
            return Outcome::Failed(warnings);
        }
        if hashes.containers.is_empty() {
            warnings.push(Diagnostic::warning("the object has no containers"));
        }
        // `tryDecodeSinglePod`, pkg/kubelet/config/common.go: the first document, and no lists.
        let alone = document.number == 1 && document.place.is_empty();
        let manifest = self.options.view == View::Static;
        if manifest && !alone {
            warnings.push(
                Diagnostic::warning(
                    "a kubelet reads the first document of a file only, and no lists",
                )
                .with_hint("give each static Pod a file; it is hashed as if it had one"),
            );
        }
        let mut result = HashResult {
            source: source.to_owned(),
            document: document.number,
            kind: hashes.kind,
            namespace: hashes.namespace,
            name: hashes.name,
            release: target.name(),
            answers_for: target.resolution.answers_for.to_string(),
            view: self.options.view.as_str(),
            api_version: hashes.api_version,
            evidence: target.resolution.evidence_label(),
            predicted: !(meta.is_live_pod() || manifest && alone),
            containers: hashes
                .containers
                .into_iter()
                .map(|c| ContainerResult::new(c.name, c.container_type.as_str(), c.hash))
                .collect(),
            pod_template_hash: None,
            controller_revision: None,
            static_pod_uid: None,
            evidence_of: BTreeMap::new(),
        };
        let (engine, options) = (&target.engine, &self.options);
        let beyond = &target.beyond;
        warnings.extend(beyond.add_to(&mut result, json, engine, options, &self.wanted));
        Outcome::Hashed(Box::new(result), warnings)
    }

    fn finish(self, output: Output) -> io::Result<Exit> {
        if let Some(diagnostic) = self.skipped.told() {
            self.console.diagnostic(&diagnostic);
        }
        let exit = if self.summary.errors > 0 {
            Exit::Error
        } else if self.summary.checked == 0 || self.summary.skipped > 0 || self.empty_argument {
            Exit::Incomplete
        } else {
            Exit::Done
        };
        match output {
            Output::Json => {
                let report = HashReport::new(self.results, self.diagnostics, self.summary);
                let mut json = serde_json::to_vec_pretty(&report)?;
                json.push(b'\n');
                self.console.write(&json)?;
            }
            Output::Table | Output::Wide => {
                let columns: Vec<Column> = self
                    .targets
                    .iter()
                    .map(|target| Column::from(&target.resolution))
                    .collect();
                let table = render(&columns, &self.results, output, terminal_width());
                self.console.write_styled(&table)?;
                if self.results.iter().any(|result| result.predicted) {
                    self.console.note(
                        "hashes of manifests are predictions: admission can still change the Pod; \
                         a live Pod (kubectl get pod -o json) gives the exact numbers",
                    );
                }
            }
        }
        Ok(exit)
    }
}

fn of_engine(error: &EngineError) -> Diagnostic {
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
