//! What comes out: tables for people, reports for programs, in input order.

use std::io::Read;
use std::process::Stdio;

use crate::run::{Directory, POD, command, kubehash, kubehash_with};

#[test]
fn the_table_of_one_release() {
    insta::assert_snapshot!(
        kubehash(&["hash", "examples/web.yaml", "--release", "1.30"]).transcript()
    );
}

#[test]
fn releases_stand_side_by_side() {
    let ran = kubehash(&["hash", "examples/web.yaml", "--release", "1.29,1.30,1.31"]);
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn the_report() {
    let ran = kubehash_with(
        &["hash", "-", "--release", "1.30.14,1.31.14", "-o", "json"],
        POD.as_bytes(),
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn an_object_that_some_releases_do_not_serve_is_hashed_under_the_others() {
    let ran = kubehash(&["hash", "examples/web.yaml", "--release", "1.8,1.20,1.30"]);
    insta::assert_snapshot!(ran.transcript());
    assert_eq!(ran.code, Some(1));
}

#[test]
fn a_release_that_was_not_built_says_who_answers() {
    // Nobody can fetch it, and it lies between two that are one class.
    let ran = kubehash_with(&["hash", "--release", "1.30.13"], POD.as_bytes());
    assert_eq!(ran.code, Some(0));
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn a_live_pod_is_no_prediction() {
    let live = POD.replace(
        "  name: web\n  name",
        "  name: web\n  uid: 5a6\n  resourceVersion: \"7\"\n  name",
    );
    let predicted = |manifest: &str| {
        let ran = kubehash_with(
            &["hash", "--release", "1.30", "-o", "json"],
            manifest.as_bytes(),
        );
        ran.json()["results"][0]["predicted"].clone()
    };
    assert_ne!(live, POD);
    assert_eq!(
        (predicted(&live), predicted(POD)),
        (false.into(), true.into())
    );
}

#[test]
fn lists_count_their_items_one_by_one() {
    let item = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"NAME"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;
    let list = format!(
        r#"{{"apiVersion":"v1","kind":"List","items":[{},{}]}}"#,
        item.replace("NAME", "a"),
        item.replace("NAME", "b")
    );
    let report = kubehash_with(
        &["hash", "--release", "1.30", "-o", "json"],
        list.as_bytes(),
    )
    .json();
    let results = report["results"].as_array().unwrap();
    let found: Vec<_> = results
        .iter()
        .map(|r| (r["document"].as_u64(), r["name"].as_str()))
        .collect();
    assert_eq!(found, [(Some(1), Some("a")), (Some(2), Some("b"))]);
    assert_eq!(report["summary"]["documents"], 2);
}

#[test]
fn a_directory_is_read_in_the_order_of_names_whatever_links_lead_around() {
    let directory = Directory::new("order");
    for name in [
        "manifests/b.yml",
        "manifests/a/z.yaml",
        "manifests/c.json",
        "manifests/.git/x.yaml",
    ] {
        let content = if name.ends_with("json") {
            r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"j"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#
        } else {
            POD
        };
        directory.file(name, content);
    }
    directory.file("manifests/notes.txt", "words");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("..", directory.path().join("manifests/a/up")).unwrap();
        std::os::unix::fs::symlink(".", directory.path().join("manifests/self")).unwrap();
    }
    let ran = directory.hash(&["manifests", "--release", "1.30", "-o", "json"]);
    let report = ran.json();
    let sources: Vec<_> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["source"].clone())
        .collect();
    assert_eq!(
        sources,
        ["manifests/a/z.yaml", "manifests/b.yml", "manifests/c.json"]
    );
    assert_eq!(ran.code, Some(0));
}

#[test]
fn every_view_and_the_mount_can_be_chosen() {
    let hash = |arguments: &[&str]| {
        let arguments = [
            &["hash", "examples/web.yaml", "-r", "1.30", "-o", "json"],
            arguments,
        ]
        .concat();
        kubehash(&arguments).json()["results"][1]["containers"][0]["hash"].clone()
    };
    let (delivered, decoded) = (hash(&[]), hash(&["--view", "decoded"]));
    let bare = hash(&["--no-admission"]);
    assert!(delivered != decoded && delivered != bare && decoded != bare);
}

#[test]
fn releases_as_a_report() {
    let ran = kubehash(&["releases", "-o", "json"]);
    let report = ran.json();
    let results = report["results"].as_array().unwrap();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert_eq!(report["apiVersion"], "kubehash/v1");
    assert_eq!(report["summary"]["releases"], results.len());
    let grades = ["built", "bySource", "byNeighbours", "unknown"];
    let graded: u64 = grades
        .iter()
        .map(|grade| report["summary"][grade].as_u64().unwrap())
        .sum();
    assert_eq!(graded, results.len() as u64);
    let of = |release: &str| results.iter().find(|r| r["release"] == release).unwrap();
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&[of("v1.30.13"), of("v1.30.14")]).unwrap()
    );
}

#[test]
fn the_page_of_releases_is_up_to_date() {
    let page = kubehash(&["releases", "-o", "markdown"]).stdout;
    let file = std::fs::read_to_string("docs/releases.md").unwrap();
    assert!(page == file, "run: cargo xtask docs");
}

#[test]
fn some_releases_are_listed() {
    let lines = |arguments: &[&str]| kubehash(arguments).stdout.lines().count();
    assert_eq!(lines(&["releases", "1.37.0"]), 2);
    let of_minor = lines(&["releases", "1.30"]);
    assert_eq!(of_minor, 16, "1.30.0 to 1.30.14 and a heading");
    assert_eq!(lines(&["releases", "1.30", "v1.29.3", "1.30.2"]), 17);
    let unknown = kubehash(&["releases", "1.30.99"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (Some(1), ""));
}

#[test]
fn two_releases_are_compared() {
    let ran = kubehash(&["releases", "--diff", "1.15.12", "1.16.15"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    for line in [
        "  go1.12.17 → go1.13.15",
        "  - extensions/v1beta1 DaemonSet",
        "  k8s.io/api/core/v1.Container",
        "    StartupProbe: - → *k8s.io/api/core/v1.Probe json:\"startupProbe,omitempty\"",
    ] {
        assert!(
            ran.stdout.lines().any(|l| l == line),
            "{line}\n{}",
            ran.stdout
        );
    }
    let same = kubehash(&["releases", "--diff", "1.30.14", "1.30.14"]);
    assert_eq!(
        same.stdout,
        "v1.30.14 and v1.30.14 are one class: nothing that can influence an answer differs\n"
    );
    let report = kubehash(&["releases", "--diff", "1.15", "1.16", "-o", "json"]).json();
    assert_eq!(report["kind"], "DifferenceReport");
    assert_eq!(report["result"]["toolchains"]["after"], "go1.13.15");
    for wrong in [
        &["releases", "--diff", "1.30"][..],
        &[
            "releases", "--diff", "1.30", "1.31", "--diff", "1.32", "1.33",
        ],
        &["releases", "--diff", "1.30", "1.31", "-o", "markdown"],
        &["releases", "--diff", "1.30", "1.30.99"],
    ] {
        let ran = kubehash(wrong);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{wrong:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn what_a_vendor_changed_is_not_said_to_be_nothing() {
    let ran = kubehash(&["releases", "--diff", "v1.30.14-eks-a737599", "v1.30.14"]);
    assert_eq!(
        ran.stdout,
        "nothing is known to differ between v1.30.14 and v1.30.14, but the sources of one of them \
         are not known\n"
    );
}

#[test]
fn a_kubelet_reads_one_static_pod_of_a_file() {
    let two = format!("{POD}---\n{POD}");
    let ran = kubehash_with(
        &["hash", "-r", "1.30", "--view", "static", "-o", "json"],
        two.as_bytes(),
    );
    let report = ran.json();
    assert_eq!(ran.code, Some(0));
    assert_eq!(report["results"][0]["predicted"], false);
    assert_eq!(report["results"][1]["predicted"], true);
    assert_eq!(report["diagnostics"][0]["document"], 2);
    assert!(
        ran.stderr.contains("the first document of a file only"),
        "{}",
        ran.stderr
    );
}

#[test]
fn objects_of_a_doubled_list_are_not_lost_in_silence() {
    let list = "kind: List\nitems: [{kind: Pod}]\nitems: []\n";
    let ran = kubehash_with(&["hash", "-r", "1.30"], list.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("items: the key is there twice"),
        "{}",
        ran.stderr
    );
}

#[test]
fn releases_as_a_table() {
    let ran = kubehash(&["releases"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let shown: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| {
            ["RELEASE", "v1.15.12 ", "v1.30.13 ", "v1.30.14 "]
                .iter()
                .any(|s| line.starts_with(s))
        })
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    for arguments in [
        &["releases"][..],
        &["completions", "bash"],
        &["hash", "examples/web.yaml", "-r", "1.30"],
    ] {
        let mut child = command()
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The reading end closes before anything is written.
        drop(child.stdout.take());
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        assert!(child.wait().unwrap().success(), "{arguments:?}: {stderr}");
        assert!(
            !stderr.contains("pipe") && !stderr.contains("panic"),
            "{arguments:?}: {stderr}"
        );
    }
}

#[test]
fn the_testee_answers_line_by_line_and_agrees_with_hash() {
    let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;
    let request = format!(
        r#"{{"id":"1","subject":"container-hash","release":"v1.30.14","view":"delivered","object":{pod}}}"#
    );
    let ran = kubehash_with(
        &["testee"],
        format!("{request}\nnonsense\n\n{request}\n").as_bytes(),
    );
    let answers: Vec<serde_json::Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (ran.code, answers.len()),
        (Some(0), 3),
        "{}",
        ran.transcript()
    );
    assert!(answers[1]["error"].is_string());
    assert_eq!(answers[0], answers[2]);
    let report = kubehash_with(&["hash", "-r", "v1.30.14", "-o", "json"], pod.as_bytes()).json();
    assert_eq!(
        report["results"][0]["containers"][0]["hash"],
        answers[0]["hash"]
    );
}

#[test]
fn a_manifest_cannot_write_to_the_terminal() {
    let pod = POD.replace("name: web\n    image", "name: \"web\\e[2J\"\n    image");
    let ran = kubehash_with(&["hash", "--release", "1.30"], pod.as_bytes());
    assert!(
        !ran.stdout.contains('\u{1b}') && ran.stdout.contains("web\\u{1b}[2J"),
        "{}",
        ran.stdout
    );
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["hash", "--help"],
        &["completions", "bash"],
        &["releases"],
        &["hash", "examples/web.yaml", "-r", "1.30", "-q"],
        &[
            "hash",
            "examples/web.yaml",
            "-r",
            "1.30",
            "-q",
            "-o",
            "json",
        ],
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = command().args(arguments).stdout(full).output().unwrap();
        assert_eq!(
            (
                output.status.code(),
                String::from_utf8(output.stderr).unwrap().as_str()
            ),
            (
                Some(1),
                "error: cannot write the output: No space left on device\n"
            ),
            "{arguments:?}"
        );
    }
}

#[test]
fn a_reader_that_has_enough_does_not_hide_what_failed() {
    let mut child = command()
        .args(["hash", "examples/web.yaml", "no-such-file", "-r", "1.30"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_testee_that_cannot_read_says_so() {
    let directory = std::fs::File::open(env!("CARGO_MANIFEST_DIR")).unwrap();
    let output = command().arg("testee").stdin(directory).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: stdin: cannot be read: Is a directory\n"
    );
}

#[test]
fn what_many_releases_say_is_one_line_for_people_and_stays_apart_in_the_report() {
    let typo = POD.replace("    image:", "    imagePullPolice: Always\n    image:")
        + "---\napiVersion: batch/v1\nkind: CronJob\nspec: {}\n";
    let releases = "1.18.1,1.18.2,1.18.3,1.19.16,1.20.15,1.8.15";
    let hash =
        |output: &str| kubehash_with(&["hash", "-r", releases, "-o", output], typo.as_bytes());
    let (table, report) = (hash("table"), hash("json").json());
    insta::assert_snapshot!(table.stderr);
    let words: Vec<&str> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|diagnostic| diagnostic["message"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(words.join("\n"));
}

#[test]
fn skipped_objects_are_told_with_where_they_are() {
    let directory = Directory::new("skipped-where");
    let service = "apiVersion: v1\nkind: Service\n";
    for name in ["m/a.yaml", "m/b.yaml", "m/c.yaml", "m/d.yaml", "m/e.yaml"] {
        directory.file(name, service);
    }
    directory.file("m/web.yaml", POD);
    let ran = directory.hash(&["m", "--release", "1.30"]);
    assert!(
        ran.stderr.contains(
            "warning: skipped 5 objects: 5 Service (in m/a.yaml, m/b.yaml, m/c.yaml and 2 other files)\n"
        ),
        "{}",
        ran.stderr
    );
    let ran = directory.hash(&["m/a.yaml", "m/web.yaml", "--release", "1.30"]);
    assert!(
        ran.stderr
            .contains("warning: m/a.yaml: skipped 1 object: 1 Service\n"),
        "{}",
        ran.stderr
    );
}

const WORKLOADS: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: web
  selector: {matchLabels: {app: web}}
  template: &template
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
";

#[test]
fn the_wide_table_tells_what_controllers_hash() {
    let arguments = ["hash", "--release", "1.6,1.16,1.33,1.34", "-o", "wide"];
    let old = WORKLOADS.replace("apps/v1\nkind: D", "extensions/v1beta1\nkind: D");
    insta::assert_snapshot!(kubehash_with(&arguments, old.as_bytes()).transcript());
    let arguments = ["hash", "--release", "1.16,1.33,1.34", "-o", "wide"];
    insta::assert_snapshot!(kubehash_with(&arguments, WORKLOADS.as_bytes()).transcript());
}

#[test]
fn a_collision_count_changes_what_controllers_hash() {
    let hashes = |count: &[&str]| {
        let arguments = [&["hash", "--release", "1.30", "-o", "json"], count].concat();
        let report = kubehash_with(&arguments, WORKLOADS.as_bytes()).json();
        let results = report["results"].as_array().unwrap().clone();
        let hash = |at: usize, keys: &[&str]| {
            let value = keys.iter().fold(&results[at], |value, key| &value[*key]);
            value.as_str().unwrap().to_owned()
        };
        (
            hash(0, &["podTemplateHash"]),
            hash(0, &["controllerRevision", "hash"]),
            hash(1, &["controllerRevision", "name"]),
        )
    };
    let (none, three) = (hashes(&[]), hashes(&["--collision-count", "3"]));
    assert_ne!(none.0, three.0);
    assert_ne!(none.1, three.1);
    assert_ne!(none.2, three.2);
    // A StatefulSet counts from 0 where nothing is known.
    assert_eq!(hashes(&["--collision-count", "0"]).1, none.1);
}

#[test]
fn a_workload_that_no_api_server_takes_has_no_revision() {
    let wrong = WORKLOADS.replacen(
        "{matchLabels: {app: web}}",
        "{matchLabels: {app: other}}",
        1,
    );
    let ran = kubehash_with(
        &["hash", "--release", "1.30", "-o", "json"],
        wrong.as_bytes(),
    );
    assert_eq!(ran.code, Some(0));
    let report = ran.json();
    assert!(report["results"][0].get("controllerRevision").is_none());
    assert!(report["results"][1].get("controllerRevision").is_some());
    assert!(
        ran.stderr.contains("no controllerRevision: spec.selector"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_static_pod_has_a_uid_on_a_node() {
    let uid = |arguments: &[&str]| {
        let arguments = [
            &[
                "hash",
                "--release",
                "1.30",
                "--view",
                "static",
                "-o",
                "json",
            ],
            arguments,
        ]
        .concat();
        let ran = kubehash_with(&arguments, POD.as_bytes());
        let uid = ran.json()["results"][0]["staticPodUID"].clone();
        (uid, ran.stderr)
    };
    assert_eq!(uid(&[]).0, serde_json::Value::Null);
    let (nowhere, words) = uid(&["--node", "node-1"]);
    assert_eq!(nowhere, serde_json::Value::Null);
    assert!(words.contains("--manifest-path"), "{words}");
    let path = ["--manifest-path", "/etc/kubernetes/manifests/pod.yaml"];
    let on = |node: &'static str| uid(&[&["--node", node], &path[..]].concat()).0;
    assert_eq!(on("node-1").as_str().unwrap().len(), 32);
    assert_ne!(on("node-1"), on("node-2"));
}
