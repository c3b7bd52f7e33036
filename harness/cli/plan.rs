//! `kubehash plan`: what public incidents were, what quiet upgrades are, and how it is told.

use rstest::rstest;
use serde_json::Value;

use crate::run::{Directory, POD, Ran, kubehash, kubehash_with};

fn plan(arguments: &[&str], manifest: &str) -> Ran {
    kubehash_with(&[&["plan"], arguments].concat(), manifest.as_bytes())
}

/// The report about one upgrade.
fn report(from: &str, to: &str, arguments: &[&str], manifest: &str) -> (Ran, Value) {
    let upgrade = ["--from", from, "--to", to, "-o", "json"];
    let ran = plan(&[&upgrade, arguments].concat(), manifest);
    let report = ran.json();
    (ran, report)
}

/// Its only hop.
fn hop(from: &str, to: &str, arguments: &[&str], manifest: &str) -> (Option<i32>, Value) {
    let (ran, report) = report(from, to, arguments, manifest);
    let hops = report["results"][0]["hops"].as_array();
    let hops = hops.unwrap_or_else(|| panic!("no result: {}", ran.transcript()));
    assert_eq!(hops.len(), 1, "{}", ran.transcript());
    (ran.code, hops[0].clone())
}

/// Step, and the paths of the causes, of a container; `-` where it does not restart.
fn verdict(hop: &Value, name: &str) -> (String, Vec<String>) {
    let containers = hop["containers"].as_array().unwrap();
    let container = containers.iter().find(|c| c["name"] == name).unwrap();
    assert_eq!(
        container["restarts"],
        !container["step"].is_null(),
        "{container}"
    );
    let step = container["step"].as_str().unwrap_or("-").to_owned();
    (step, paths(&container["causes"]))
}

fn paths(causes: &Value) -> Vec<String> {
    let causes = causes.as_array().unwrap().iter();
    causes
        .map(|cause| cause["path"].as_str().unwrap().to_owned())
        .collect()
}

/// An init container, a container with a security context, a mount and a probe that knows a younger
/// field.
const WEB: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  initContainers:
  - {name: setup, image: \"busybox:1\"}
  containers:
  - name: web
    image: \"nginx:1.25\"
    securityContext: {runAsUser: 1}
    volumeMounts: [{name: v, mountPath: /v}]
    livenessProbe:
      httpGet: {path: /, port: 80}
      terminationGracePeriodSeconds: 5
  volumes: [{name: v, emptyDir: {}}]
";

const STATEFUL_SET: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers: [{name: db, image: \"postgres:16\"}]
";

const PROC_MOUNT: &str = "spec.containers[0].securityContext.procMount";
const SUB_PATH_EXPR: &str = "spec.containers[0].volumeMounts[0].subPathExpr";
const DEVICES: &str = "spec.containers[0].volumeDevices";
const ESCALATION: &str = "spec.containers[0].securityContext.allowPrivilegeEscalation";
const PROPAGATION: &str = "spec.containers[0].volumeMounts[0].mountPropagation";

#[rstest]
#[case::fields_appear("1.7.5", "1.9.11", "kubelet", &[ESCALATION, DEVICES, PROPAGATION])]
#[case::proc_mount("1.11", "1.12", "kubelet", &[PROC_MOUNT])]
#[case::proc_mount_gone("1.12", "1.11", "kubelet", &[PROC_MOUNT])]
#[case::sub_path_expr("1.13", "1.14", "kubelet", &[SUB_PATH_EXPR])]
#[case::json("1.15", "1.16", "kubelet", &[""])]
#[case::everything("1.30", "1.31", "kubelet", &[""])]
#[case::quiet_1_30("1.29", "1.30", "-", &[])]
#[case::quiet_since_1_31("1.31", "1.37", "-", &[])]
#[case::dropped_at_create("1.20", "1.24", "-", &[])]
fn public_incidents_and_quiet_upgrades(
    #[case] from: &str,
    #[case] to: &str,
    #[case] step: &str,
    #[case] causes: &[&str],
) {
    let (code, hop) = hop(from, to, &[], WEB);
    let (at, paths) = verdict(&hop, "web");
    assert_eq!((at.as_str(), paths), (step, to_strings(causes)), "{hop}");
    assert_eq!(code, Some(if step == "-" { 0 } else { 2 }));
    assert_eq!(hop["as"], "api");
    assert_eq!(hop["staticPodRecreated"], Value::Null);
    // A finished init container does not run again, whatever its hash is.
    assert_eq!(verdict(&hop, "setup").0, "-");
}

fn to_strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[rstest]
#[case::one_that_was_built("1.11", "1.12", "v1.12.0", "as (*v1.ProcMountType)<nil>")]
#[case::the_first_that_hashes_so("1.30", "1.31", "v1.31.0", "the dump of name and image")]
#[case::downwards("1.12", "1.11", "v1.11.10", "no longer in what is hashed")]
fn a_cause_says_since_when_and_how(
    #[case] from: &str,
    #[case] to: &str,
    #[case] since: &str,
    #[case] reason: &str,
) {
    let cause = hop(from, to, &[], WEB).1["containers"][1]["causes"][0].clone();
    assert_eq!(cause["since"], since, "{cause}");
    assert!(
        cause["reason"].as_str().unwrap().contains(reason),
        "{cause}"
    );
}

#[test]
fn a_static_pod_is_read_by_each_kubelet() {
    let (code, hop) = hop("1.20", "1.24", &["--as", "static"], WEB);
    let (step, paths) = verdict(&hop, "web");
    assert_eq!((code, step.as_str()), (Some(2), "kubelet"));
    let grace = "spec.containers[0].livenessProbe.terminationGracePeriodSeconds".to_owned();
    assert!(paths.contains(&grace), "{paths:?}");
    assert_eq!(
        (&hop["as"], &hop["staticPodRecreated"]),
        (&"static".into(), &true.into())
    );
    let causes = hop["causes"].to_string();
    assert!(causes.contains(&grace), "{causes}");
}

#[test]
fn a_static_pod_is_made_anew_where_no_hash_of_a_container_changes() {
    let (code, hop) = hop("1.29", "1.30", &["--as", "static"], WEB);
    let web = &hop["containers"][1];
    assert_eq!(web["fromHash"], web["toHash"]);
    assert_eq!(
        verdict(&hop, "web"),
        ("kubelet".into(), vec!["metadata.uid".into()])
    );
    // All of it, init containers too.
    assert_eq!(verdict(&hop, "setup").0, "kubelet");
    assert_eq!((code, &hop["staticPodRecreated"]), (Some(2), &true.into()));
    assert!(
        paths(&hop["causes"])
            .iter()
            .any(|path| path.contains("appArmorProfile")),
        "{hop}"
    );
    // A UID that stands in the file stays.
    let fixed = WEB.replace("{name: web, namespace", "{uid: a-b, name: web, namespace");
    let (code, hop) = self::hop("1.29", "1.30", &["--as", "static"], &fixed);
    assert_eq!((code, &hop["staticPodRecreated"]), (Some(0), &false.into()));
    assert_eq!(verdict(&hop, "web"), ("-".into(), vec![]));
}

#[test]
fn a_mirror_pod_is_known_and_taken_for_its_file() {
    let mirror = WEB.replace(
        "namespace: shop}",
        "namespace: shop, uid: u, resourceVersion: \"7\", annotations: {kubernetes.io/config.mirror: x}}",
    ) + "status: {phase: Running}\n";
    let (file, mirrored) = (
        hop("1.29", "1.30", &["--as", "static"], WEB).1,
        hop("1.29", "1.30", &[], &mirror).1,
    );
    assert_eq!(file, mirrored);
    let (_, report) = report("1.29", "1.30", &[], &mirror);
    let words = report["diagnostics"][0]["message"].as_str().unwrap();
    assert!(
        words.starts_with("a static Pod as the cluster shows it"),
        "{words}"
    );
    assert_eq!(
        hop("1.29", "1.30", &["--as", "api"], &mirror).1["as"],
        "api"
    );
}

#[test]
fn a_stateful_set_keeps_its_pods_where_its_revision_is_the_same() {
    let (code, hop) = hop("1.33", "1.34", &[], STATEFUL_SET);
    assert_eq!((code, &hop["rollout"]), (Some(0), &"none".into()));
    assert_eq!(
        (&hop["renamed"], &hop["evidence"]),
        (&Value::Null, &"built".into())
    );
}

#[rstest]
#[case::all("{type: RollingUpdate}", "full", 2)]
#[case::some("{type: RollingUpdate, rollingUpdate: {partition: 2}}", "partial", 2)]
#[case::none("{type: OnDelete}", "on-delete", 0)]
fn a_stateful_set_rolls_where_a_default_is_new(
    #[case] strategy: &str,
    #[case] rollout: &str,
    #[case] code: i32,
) {
    let old = STATEFUL_SET
        .replace("apps/v1\n", "apps/v1beta1\n")
        .replace("  serviceName", "  replicas: 3\n  serviceName")
        + &format!(
            "      volumes: [{{name: v, hostPath: {{path: /v}}}}]\n  updateStrategy: {strategy}\n"
        );
    // Without a mount no hash of a container changes.
    let (exit, hop) = hop("1.7.5", "1.8", &["--no-admission"], &old);
    assert_eq!(hop["rollout"], rollout);
    assert_eq!(
        paths(&hop["causes"]),
        ["spec.template.spec.volumes[0].hostPath.type"]
    );
    assert_ne!(hop["renamed"]["from"], hop["renamed"]["to"]);
    assert_eq!(verdict(&hop, "db"), ("-".into(), vec![]));
    assert_eq!(exit, Some(code));
}

#[test]
fn what_old_kubelets_know_and_only_the_new_api_server_keeps_restarts_at_once() {
    let upgrade = ["--from", "1.24", "--to", "1.25", "--as", "reapplied"];
    let ran = plan(&[&upgrade[..], &["-o", "json"]].concat(), WEB);
    let hop = &ran.json()["results"][0]["hops"][0];
    let grace = "spec.containers[0].livenessProbe.terminationGracePeriodSeconds";
    assert_eq!(
        verdict(hop, "web"),
        ("control-plane".into(), to_strings(&[grace]))
    );
    let causes = &hop["containers"][1]["causes"];
    assert_eq!(causes[0]["since"], "v1.25.0", "{causes}");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("no drain helps"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("drain each node"), "{}", ran.stderr);
    // Nobody touches it: the old API server dropped the field.
    assert_eq!(plan(&upgrade[..4], WEB).code, Some(0));
}

/// kubernetes/kubernetes #134773
#[rstest]
#[case::when_it_came("1.34.0", "full")]
#[case::still_there("1.34.1", "full")]
#[case::mended("1.34.2", "none")]
fn statefulsets_roll_where_a_null_time_is_no_longer_written(
    #[case] to: &str,
    #[case] rollout: &str,
) {
    let (code, hop) = hop("1.33", to, &[], STATEFUL_SET);
    let rolls = rollout == "full";
    assert_eq!(hop["rollout"], rollout, "{hop}");
    assert_eq!(code, Some(if rolls { 2 } else { 0 }));
    let blamed: &[&str] = if rolls {
        &["spec.template.metadata.creationTimestamp"]
    } else {
        &[]
    };
    assert_eq!(paths(&hop["causes"]), to_strings(blamed), "{hop}");
}

#[test]
fn without_the_gate_that_mended_it_statefulsets_roll_still() {
    let off = [
        "--feature-gates",
        "StatefulSetSemanticRevisionComparison=false",
    ];
    let (code, hop) = hop("1.33", "1.34.2", &off, STATEFUL_SET);
    assert_eq!((code, &hop["rollout"]), (Some(2), &"full".into()), "{hop}");
}

#[test]
fn a_deployment_names_its_next_replica_set_otherwise_and_rolls_nothing() {
    let (code, hop) = hop(
        "1.29",
        "1.30",
        &[],
        &STATEFUL_SET
            .replace("StatefulSet", "Deployment")
            .replace("  serviceName: db\n", ""),
    );
    assert_eq!((code, &hop["rollout"]), (Some(0), &"none".into()));
    let names = [&hop["renamed"]["from"], &hop["renamed"]["to"]].map(|name| name.as_str().unwrap());
    assert!(
        names.iter().all(|name| name.starts_with("db-")),
        "{names:?}"
    );
    assert_ne!(names[0], names[1]);
    assert!(!paths(&hop["causes"]).is_empty());
}

#[test]
fn a_workload_is_followed_into_a_release_that_does_not_serve_its_version() {
    let old = STATEFUL_SET
        .replace(
            "apps/v1\nkind: StatefulSet",
            "extensions/v1beta1\nkind: Deployment",
        )
        .replace("  serviceName: db\n", "");
    let (code, hop) = hop("1.15", "1.30", &[], &old);
    assert_eq!((code, &hop["rollout"]), (Some(2), &"none".into()));
    assert_eq!(verdict(&hop, "db"), ("kubelet".into(), vec![String::new()]));
    let ran = plan(
        &["--from", "1.15", "--to", "1.30", "--as", "reapplied"],
        &old,
    );
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr
            .contains("v1.30.14 does not serve Deployment as extensions/v1beta1"),
        "{}",
        ran.stderr
    );
}

const SIDECAR: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  initContainers:
  - {name: logs, image: \"logs:1\", restartPolicy: Always}
  containers:
  - {name: web, image: \"web:1\"}
";

#[test]
fn sidecars_are_compared_from_1_32_on() {
    let (_, kept) = hop("1.30", "1.31", &[], SIDECAR);
    let logs = &kept["containers"][0];
    assert_ne!(logs["fromHash"], logs["toHash"]);
    assert_eq!(verdict(&kept, "logs"), ("-".into(), vec![String::new()]));
    let (_, restarted) = hop("1.30", "1.34", &[], SIDECAR);
    assert_eq!(verdict(&restarted, "logs").0, "kubelet");
    // Step by step, the hash of its start is compared later.
    let (_, late) = hop("1.31", "1.32", &[], SIDECAR);
    assert_eq!(verdict(&late, "logs").0, "-");
    let path = plan(&["--path", "1.30,1.31,1.32", "-o", "json"], SIDECAR).json();
    let hops = &path["results"][0]["hops"];
    assert_eq!(verdict(&hops[0], "logs").0, "-");
    assert_eq!(verdict(&hops[1], "logs").0, "kubelet");
    assert_eq!(hops[1]["containers"][0]["fromHash"], logs["fromHash"]);
}

#[test]
fn step_by_step_restarts_more() {
    let ran = plan(&["--path", "1.7.5,1.8,1.9", "-o", "json"], WEB);
    let report = ran.json();
    let hops = report["results"][0]["hops"].as_array().unwrap();
    let verdicts: Vec<_> = hops.iter().map(|hop| verdict(hop, "web")).collect();
    assert_eq!(
        verdicts,
        [
            ("kubelet".to_owned(), to_strings(&[ESCALATION, PROPAGATION])),
            ("kubelet".to_owned(), to_strings(&[DEVICES]))
        ]
    );
    assert_eq!(hops[0]["to"], hops[1]["from"]);
    assert_eq!(report["summary"]["restarts"]["kubelet"], 2);
    assert_eq!(report["summary"]["containers"], 2);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn a_gate_is_set_where_it_is_known() {
    let pod = POD.to_owned() + "    resources: {requests: {cpu: 100m}}\n";
    let verdict_with = |gate: &str| {
        let gates = ["--feature-gates", gate];
        let (code, hop) = hop("1.26", "1.27", &gates, &pod);
        (code, verdict(&hop, "web").0)
    };
    assert_eq!(
        verdict_with("InPlacePodVerticalScaling=true"),
        (Some(2), "kubelet".into())
    );
    assert_eq!(
        verdict_with("InPlacePodVerticalScaling=false"),
        (Some(0), "-".into())
    );
    let nobodys = kubehash_with(
        &[
            "plan",
            "--from",
            "1.26",
            "--to",
            "1.27",
            "--feature-gates",
            "NoSuchGate=true",
        ],
        pod.as_bytes(),
    );
    assert_eq!(nobodys.code, Some(1));
    assert_eq!(
        nobodys.stderr,
        "error: none of the releases has a feature gate \"NoSuchGate\"\n  \
         hint: check its name, or remove it\n"
    );
}

#[test]
fn the_token_mount_can_be_left_away() {
    let deployment = STATEFUL_SET
        .replace("StatefulSet", "Deployment")
        .replace("  serviceName: db\n", "");
    let step = |arguments: &[&str]| {
        let (_, hop) = hop("1.13", "1.14", arguments, &deployment);
        verdict(&hop, "db")
    };
    assert_eq!(step(&[]), ("kubelet".into(), to_strings(&[SUB_PATH_EXPR])));
    assert_eq!(step(&["--no-admission"]), ("-".into(), vec![]));
}

#[test]
fn the_table() {
    for (from, to, output) in [
        ("1.30", "1.31", "table"),
        ("1.29", "1.30", "table"),
        ("1.30", "1.32", "wide"),
    ] {
        let ran = kubehash(&[
            "plan",
            "--from",
            from,
            "--to",
            to,
            "examples/web.yaml",
            "-o",
            output,
        ]);
        insta::assert_snapshot!(format!("table_{from}_{to}_{output}"), ran.transcript());
    }
}

#[test]
fn the_table_of_static_pods_and_several_hops() {
    let ran = plan(
        &["--path", "1.20,1.24,1.25", "--as", "static", "-o", "wide"],
        WEB,
    );
    insta::assert_snapshot!("static_pods", ran.transcript());
    let ran = plan(&["--path", "1.7.5,1.8,1.9"], WEB);
    insta::assert_snapshot!("several_hops", ran.transcript());
    let ran = plan(&["--from", "1.12", "--to", "1.11"], WEB);
    insta::assert_snapshot!("downgrade", ran.transcript());
}

#[test]
fn the_report() {
    let (_, report) = report("1.29", "1.31", &[], &format!("{WEB}---\n{STATEFUL_SET}"));
    insta::assert_snapshot!("report", serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn what_is_not_covered_is_told_on_request() {
    let ran = kubehash(&["plan", "--what-is-not-covered"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    for word in [
        "container runtime",
        "cgroup driver",
        "reboot",
        "images",
        "mutating webhooks",
    ] {
        assert!(ran.stdout.contains(word), "{word}");
    }
    let ran = plan(&["--from", "1.30", "--to", "1.31"], POD);
    assert!(ran.stderr.contains("kubehash plan --what-is-not-covered"));
}

const SERVICE: &str = "apiVersion: v1\nkind: Service\n";
const BROKEN: &str = "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: 5}]}\n";

#[rstest]
#[case::quiet("1.29", &[POD], 0)]
#[case::restarts("1.31", &[POD], 2)]
#[case::quiet_and_skipped("1.29", &[POD, SERVICE], 3)]
#[case::restarts_and_skipped("1.31", &[POD, SERVICE], 2)]
#[case::restarts_and_broken("1.31", &[POD, BROKEN], 1)]
#[case::quiet_and_broken("1.29", &[BROKEN, POD, SERVICE], 1)]
#[case::only_skipped("1.31", &[SERVICE], 3)]
#[case::nothing("1.31", &[""], 3)]
fn exit_codes(#[case] to: &str, #[case] documents: &[&str], #[case] code: i32) {
    let ran = plan(&["--from", "1.30", "--to", to], &documents.join("---\n"));
    assert_eq!(ran.code, Some(code), "{}", ran.transcript());
}

#[test]
fn a_directory_without_manifests_is_no_quiet_upgrade() {
    let directory = Directory::new("plan-empty");
    let path = directory.path().to_str().unwrap();
    let ran = kubehash(&["plan", "--from", "1.30", "--to", "1.30", path]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    assert!(ran.stderr.contains("holds no manifests"), "{}", ran.stderr);
}

#[rstest]
#[case::no_release(&[])]
#[case::only_from(&["--from", "1.30"])]
#[case::both(&["--from", "1.30", "--to", "1.31", "--path", "1.30,1.31"])]
#[case::path_of_one(&["--path", "1.30"])]
#[case::unknown_release(&["--from", "1.30", "--to", "1.99"])]
#[case::bad_as(&["--from", "1.30", "--to", "1.31", "--as", "seen"])]
#[case::gate_both_ways(&["--from", "1.30", "--to", "1.31", "--feature-gates", "A=true,A=false"])]
#[case::gate_of_many(&["--from", "1.30", "--to", "1.31", "--feature-gates", "AllAlpha=true"])]
fn wrong_usage_is_an_error(#[case] arguments: &[&str]) {
    let ran = plan(arguments, POD);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
}

#[test]
fn what_the_first_release_cannot_read_is_told_with_its_place() {
    let ran = plan(
        &["--from", "1.30", "--to", "1.31"],
        &format!("{POD}---\n{BROKEN}"),
    );
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr
            .contains("error: stdin#2: spec.containers[0].name: expected a string, found 5"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("restarts"), "{}", ran.stdout);
}

#[test]
fn strict_refuses_what_the_first_release_drops() {
    let arguments = ["--from", "1.20", "--to", "1.21"];
    let ran = plan(&arguments, WEB);
    assert!(ran.stderr.contains("unknown field: the release drops it"));
    let ran = plan(&[&arguments[..], &["--strict"]].concat(), WEB);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}

#[test]
fn only_pods_are_static() {
    let arguments = ["--from", "1.30", "--to", "1.31", "--as", "static"];
    let ran = plan(&arguments, STATEFUL_SET);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    assert_eq!(
        ran.stderr,
        "warning: stdin: skipped 1 object: 1 StatefulSet\n"
    );
}

#[test]
fn a_release_whose_neighbours_differ_has_its_first_answer() {
    let catalogue = kubehash(&["releases", "-o", "json"]).json();
    let releases = catalogue["results"].as_array().unwrap().iter();
    let between = releases
        .filter(|release| release["orElse"].is_string())
        .map(|release| release["release"].as_str().unwrap());
    let torn = between
        .rev()
        .find(|release| {
            let hashed = kubehash_with(&["hash", "-r", release, "-o", "json"], POD.as_bytes());
            hashed.json()["results"].as_array().unwrap().len() == 2
        })
        .unwrap();
    let (ran, report) = report(torn, "1.37.0", &[], POD);
    let hop = &report["results"][0]["hops"][0];
    assert_eq!(
        (&hop["from"], &hop["evidence"]),
        (&torn.into(), &"unknown".into())
    );
    assert!(
        ran.stderr.contains("its neighbours differ: v1."),
        "{}",
        ran.stderr
    );
    assert_eq!(report["results"].as_array().unwrap().len(), 1);
}

#[test]
fn quiet_prints_the_table_alone() {
    let ran = plan(&["--from", "1.30", "--to", "1.31", "-q"], POD);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""));
    assert!(ran.stdout.contains("restarts"));
}
