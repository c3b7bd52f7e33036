//! What can be typed, and the help that says so.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use kubehash::diagnostic::Diagnostic;
use kubehash::engine::View;
use kubehash::release::VersionRequest;

/// Kubernetes' container hashes, bit for bit, for every release
#[derive(Debug, Parser)]
#[command(
    name = "kubehash",
    version,
    max_term_width = 100,
    long_about = "Kubernetes' container hashes, bit for bit, for every release.\n\n\
        A kubelet restarts a container when the hash of its spec changes, and the same spec hashes \
        differently under different releases. kubehash computes the hashes as the real code of \
        each release does.",
    after_help = "Exit codes are documented with each command: kubehash hash --help"
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,

    // Fixed places among a command's own arguments, or each new command would move them.
    /// When to use colour (auto: on a terminal, unless NO_COLOR is set)
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t = Color::Auto,
        display_order = 4
    )]
    pub(super) color: Color,

    /// Print no notes and no warnings on stderr, only errors
    #[arg(long, short, global = true, display_order = 5)]
    pub(super) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Print the container hashes of manifests under one or more releases
    Hash(HashArgs),
    /// Tell what an upgrade restarts and rolls, at which step, and which field is to blame
    Plan(PlanArgs),
    /// List the releases known, with toolchain, evidence and era
    Releases(ReleasesArgs),
    /// Answer conformance requests on stdin, one JSON object a line (docs/protocol.md)
    #[command(
        after_help = "Exit codes:\n  0  every line was answered\n  1  stdin or stdout failed"
    )]
    Testee,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes:\n  \
        0  everything was hashed\n  \
        1  wrong usage, an unreadable file, or an object that could not be hashed (the others \
        still are)\n  \
        3  nothing was hashed, or part of the input was skipped (other kinds, empty input, \
        special files)\n\
        Where several apply, 1 comes before 3.",
    after_long_help = "Examples:\n  \
        kubehash hash web.yaml --release 1.30\n  \
        kubehash hash manifests/ --release 1.29,1.30,1.31\n  \
        helm template chart | kubehash hash - --release v1.30.4-eks-a737599 -o json\n  \
        kubectl get pods -A -o json | kubehash hash - --release 1.31\n\n\
        Exit codes:\n  \
        0  everything was hashed\n  \
        1  wrong usage, an unreadable file, or an object that could not be hashed (the others \
        still are)\n  \
        3  nothing was hashed, or part of the input was skipped (other kinds, empty input, \
        special files)\n\
        Where several apply, 1 comes before 3."
)]
pub(super) struct HashArgs {
    /// Manifests: files, directories (read recursively: *.yaml, *.yml, *.json), or - for stdin
    ///
    /// YAML with any number of documents, JSON, and Lists. Workloads (Pod, PodTemplate,
    /// ReplicationController, ReplicaSet, Deployment, DaemonSet, StatefulSet, Job, CronJob) are
    /// hashed; objects of other kinds are skipped and counted. Without PATH, stdin is read.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// The releases to compute for: 1.30 (its newest patch), v1.30.14, 1.30.4-eks-a737599
    ///
    /// Several are separated by commas and shown side by side. Of a vendor's version the upstream
    /// release counts.
    #[arg(
        long,
        short,
        required = true,
        value_delimiter = ',',
        value_name = "RELEASE"
    )]
    pub(super) release: Vec<VersionRequest>,

    /// What happens to an object before it is hashed
    #[arg(long, value_enum, default_value_t = ViewArg::Delivered)]
    pub(super) view: ViewArg,

    /// Hash the Pods of workloads as the controller makes them, without the service account's
    /// token mount that admission adds
    #[arg(long)]
    pub(super) no_admission: bool,

    /// Make an error of what a release's decoder tolerates: unknown fields, duplicate keys
    #[arg(long)]
    pub(super) strict: bool,

    /// Feature gates of the cluster that differ from the release's defaults: a=true,b=false
    #[arg(long, value_name = "GATE=BOOL", value_parser = feature_gates)]
    pub(super) feature_gates: Vec<Gates>,

    /// How often hashes of the workload's template collided: its status.collisionCount
    ///
    /// Without it, none is known: Deployments and DaemonSets are hashed without a count,
    /// StatefulSets with 0, as their controllers do.
    #[arg(long, value_name = "N")]
    pub(super) collision_count: Option<i64>,

    /// The node that static Pods are on: with it, --view static tells their UID
    #[arg(long, value_name = "NAME")]
    pub(super) node: Option<String>,

    /// Where that node's kubelet finds the manifest, which is part of the UID
    ///
    /// Without it, /etc/kubernetes/manifests and the file's name.
    #[arg(long, value_name = "PATH", requires = "node")]
    pub(super) manifest_path: Option<String>,

    /// How to print the result
    #[arg(long, short, value_enum, default_value_t = Output::Table)]
    pub(super) output: Output,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes:\n  \
        0  nothing will restart or roll\n  \
        1  wrong usage, an unreadable file, or an object that could not be followed (the others \
        still are)\n  \
        2  something will restart or roll\n  \
        3  nothing was checked, or part of the input was skipped (other kinds, empty input, \
        special files)\n\
        Where several apply, 1 comes before 2, and 2 before 3.",
    after_long_help = "Examples:\n  \
        kubehash plan --from 1.30 --to 1.31 web.yaml\n  \
        kubehash plan --path 1.29,1.30,1.31 manifests/ -o wide\n  \
        kubectl get pods -A -o json | kubehash plan --from 1.30.4 --to 1.31 -o json\n  \
        kubehash plan --from 1.29 --to 1.30 --as static /etc/kubernetes/manifests\n\n\
        Exit codes:\n  \
        0  nothing will restart or roll\n  \
        1  wrong usage, an unreadable file, or an object that could not be followed (the others \
        still are)\n  \
        2  something will restart or roll\n  \
        3  nothing was checked, or part of the input was skipped (other kinds, empty input, \
        special files)\n\
        Where several apply, 1 comes before 2, and 2 before 3."
)]
pub(super) struct PlanArgs {
    /// Manifests: files, directories (read recursively: *.yaml, *.yml, *.json), or - for stdin
    ///
    /// YAML with any number of documents, JSON, and Lists. Workloads are followed; objects of other
    /// kinds are skipped and counted. Without PATH, stdin is read.
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,

    /// The release that the cluster runs: 1.30 (its newest patch), v1.30.14, 1.30.4-eks-a737599
    #[arg(
        long,
        value_name = "RELEASE",
        requires = "to",
        required_unless_present_any = ["path", "what_is_not_covered"]
    )]
    pub(super) from: Option<VersionRequest>,

    /// The release that it is upgraded to; an older one is a downgrade
    #[arg(
        long,
        value_name = "RELEASE",
        requires = "from",
        required_unless_present_any = ["path", "what_is_not_covered"]
    )]
    pub(super) to: Option<VersionRequest>,

    /// All releases on the way, for an upgrade in several hops: 1.29,1.30,1.31
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "RELEASE",
        conflicts_with_all = ["from", "to"]
    )]
    pub(super) path: Vec<VersionRequest>,

    /// How objects come to the kubelet
    #[arg(long = "as", value_enum, value_name = "AS", default_value_t = AsArg::Auto)]
    pub(super) as_: AsArg,

    /// Leave the service account's token mount away, which admission adds to the Pods of workloads
    #[arg(long)]
    pub(super) no_admission: bool,

    /// Make an error of what a release's decoder tolerates: unknown fields, duplicate keys
    #[arg(long)]
    pub(super) strict: bool,

    /// Feature gates of the cluster that differ from the defaults: a=true,b=false
    ///
    /// A gate that only some of the releases have is set there.
    #[arg(long, value_name = "GATE=BOOL", value_parser = feature_gates)]
    pub(super) feature_gates: Vec<Gates>,

    /// The node that static Pods are on, which is part of their UID
    #[arg(long, value_name = "NAME")]
    pub(super) node: Option<String>,

    /// Where that node's kubelet finds the manifest, which is part of the UID
    ///
    /// Without it, /etc/kubernetes/manifests and the file's name.
    #[arg(long, value_name = "PATH")]
    pub(super) manifest_path: Option<String>,

    /// How to print the result
    #[arg(long, short, value_enum, default_value_t = PlanOutput::Table)]
    pub(super) output: PlanOutput,

    /// Print what an upgrade may restart that is not predicted, and nothing else
    #[arg(long)]
    pub(super) what_is_not_covered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PlanOutput {
    /// Columns for people, with the first cause of each verdict
    Table,
    /// The same with all causes
    Wide,
    /// The whole report as JSON (apiVersion kubehash/v1, docs/cli.md)
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AsArg {
    /// As api; static Pods, which a cluster marks by annotations, as static
    Auto,
    /// The old release's API server persisted it, and nobody touches it
    Api,
    /// Each kubelet reads it from a file (Pods only)
    Static,
    /// It is applied again once the API server is new
    Reapplied,
}

#[derive(Debug, Args)]
#[command(after_help = "Exit codes:\n  \
        0  the list, or the difference, was printed\n  \
        1  wrong usage, or an unknown release")]
pub(super) struct ReleasesArgs {
    /// Only these: 1.30 (all of that minor), v1.30.4
    #[arg(value_name = "RELEASE")]
    pub(super) releases: Vec<VersionRequest>,

    /// Tell what is different between two releases: toolchain, types and fields, API versions,
    /// feature gates, and which answers are concerned
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], conflicts_with = "releases")]
    pub(super) diff: Option<Vec<VersionRequest>>,

    /// How to print it
    #[arg(long, short, value_enum, default_value_t = ReleasesOutput::Table)]
    pub(super) output: ReleasesOutput,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReleasesOutput {
    /// Columns for people
    Table,
    /// The whole report as JSON (apiVersion kubehash/v1, docs/cli.md)
    Json,
    /// The page docs/releases.md
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// Columns for people; the numbers in hexadecimal, as the annotation holds them
    Table,
    /// The same, with rows for the hash of the template, the revision and a static Pod's UID
    Wide,
    /// The whole report as JSON (apiVersion kubehash/v1, docs/cli.md)
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ViewArg {
    /// Created, persisted and served by an API server of the release, received by its kubelet;
    /// for a workload, the Pod that its controller creates
    Delivered,
    /// Decoded as it stands: no defaults, nothing added
    Decoded,
    /// A static Pod's manifest as the kubelet reads it from a file (Pods only)
    Static,
}

impl From<ViewArg> for View {
    fn from(view: ViewArg) -> View {
        match view {
            ViewArg::Delivered => View::Delivered,
            ViewArg::Decoded => View::Decoded,
            ViewArg::Static => View::Static,
        }
    }
}

/// What one `--feature-gates` says, in its order.
pub(super) type Gates = Vec<(String, bool)>;

/// Reads gates as Kubernetes' components do (`Set` of `MapStringBool`,
/// `k8s.io/component-base/cli/flag/map_string_bool.go`).
fn feature_gates(text: &str) -> Result<Gates, String> {
    text.split(',')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (gate, value) = pair
                .split_once('=')
                .ok_or_else(|| format!("write {pair:?} as {pair}=true or {pair}=false"))?;
            match gate.trim() {
                "" => Err(format!("the gate's name is missing in {pair:?}")),
                gate => Ok((gate.to_owned(), parse_bool(value.trim())?)),
            }
        })
        .collect()
}

/// Go's `strconv.ParseBool`.
fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        other => Err(format!("{other:?} is neither true nor false")),
    }
}

/// All gates that were set, or one that was set both ways. Kubernetes takes the last word; here
/// somebody made a mistake.
pub(super) fn merged(given: &[Gates]) -> Result<BTreeMap<String, bool>, Diagnostic> {
    let mut gates = BTreeMap::new();
    for (gate, value) in given.iter().flatten() {
        if gates.insert(gate.clone(), *value) == Some(!value) {
            let message = format!("--feature-gates sets {gate} to true and to false");
            return Err(Diagnostic::error(message).with_hint(format!(
                "leave one away; Kubernetes would take the last one, {gate}={value}"
            )));
        }
    }
    Ok(gates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }

    #[test]
    fn feature_gates_read_as_kubernetes_writes_them() {
        let gates = |pairs: &[(&str, bool)]| -> Result<Gates, String> {
            Ok(pairs
                .iter()
                .map(|(gate, on)| ((*gate).to_owned(), *on))
                .collect())
        };
        assert_eq!(feature_gates("A=true"), gates(&[("A", true)]));
        assert_eq!(
            feature_gates(" A = F,,B=1,"),
            gates(&[("A", false), ("B", true)])
        );
        assert_eq!(feature_gates(""), gates(&[]));
        for wrong in ["A", "A=yes", "=true", "A=", "A=true;B=false", " "] {
            assert!(feature_gates(wrong).is_err(), "{wrong}");
        }
    }
}
