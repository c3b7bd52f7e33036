//! Input that is wrong: one clear message each, with file, document, field and what to do; the
//! rest is still hashed; the exit code tells.

use rstest::{Context, rstest};

use crate::run::{Directory, POD, kubehash_with};

const TYPO: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    image: registry.example/web:1.0
    imagePullPolice: Always
";

const FLOW: &str = "\
{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: i}]}}
";

#[rstest]
#[case::wrong_type("image: registry.example/web:1.0", "image: 5")]
#[case::list_for_object("name: web\n    image", "name: [web]\n    image")]
#[case::bad_quantity(
    "image: registry.example/web:1.0",
    "image: a\n    resources: {limits: {cpu: 1 core}}"
)]
#[case::number_out_of_range(
    "image: registry.example/web:1.0",
    "image: a\n    ports: [{containerPort: 3000000000}]"
)]
#[case::unknown_kind("kind: Pod", "kind: Podd")]
#[case::other_nonsense_kind("kind: Pod", "kind: Nonsense")]
#[case::unserved_version("v1\nkind: Pod", "apps/v7\nkind: Deployment")]
#[case::removed_version("v1\nkind: Pod", "extensions/v1beta1\nkind: Deployment")]
#[case::no_kind("kind: Pod\n", "")]
#[case::no_api_version("apiVersion: v1\n", "")]
#[case::kind_is_a_number("kind: Pod", "kind: 5")]
#[case::helm_template("name: web\n    image", "name: {{ .Values.name }}\n    image")]
#[case::truncated("image: registry.example/web:1.0\n", "image: \"registry.exa")]
#[case::tab("  containers:", "\tcontainers:")]
#[case::spec_is_text(
    "spec:\n  containers:\n  - name: web\n    image: registry.example/web:1.0",
    "spec: none"
)]
#[case::only_text(POD, "just words\n")]
#[case::a_list_at_the_top(POD, "- a\n- b\n")]
fn a_bad_document_is_told_and_the_others_are_hashed(
    #[context] context: Context,
    #[case] good: &str,
    #[case] bad: &str,
) {
    let name = context.description.unwrap();
    let bad = POD.replacen(good, bad, 1);
    assert_ne!(bad, POD, "the case changes nothing");
    let directory = Directory::new(&format!("bad-{name}"));
    directory.file("pods.yaml", format!("{POD}---\n{bad}"));
    let ran = directory.hash(&["pods.yaml", "--release", "1.30"]);
    insta::assert_snapshot!(name, ran.transcript());
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr
            .lines()
            .any(|line| line.starts_with("error: pods.yaml")),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("pods.yaml#1 "),
        "the first document is still hashed"
    );
}

#[rstest]
#[case::not_utf8(b"apiVersion: v1\nkind: \xff\xfe\n", 1)]
#[case::utf16(b"\xff\xfea\x00p\x00i\x00:\x00", 1)]
#[case::utf32(b"\xff\xfe\x00\x00a\x00\x00\x00", 1)]
#[case::nul(b"apiVersion: v1\0\n", 1)]
#[case::infinity(b"apiVersion: v1\nkind: Pod\nmetadata:\n  annotations: {a: .inf}\n", 1)]
#[case::directive(b"%YAML 1.1\n", 1)]
#[case::list_of_a_number(b"apiVersion: v1\nkind: List\nitems: 5\n", 1)]
#[case::list_without_items(b"apiVersion: v1\nkind: List\n", 3)]
#[case::empty_file(b"", 3)]
#[case::only_comments(b"# nothing\n---\n# here\n", 3)]
#[case::truncated_json(br#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a""#, 1)]
#[case::json_list_with_a_bad_item(br#"{"apiVersion":"v1","kind":"List","items":[5]}"#, 1)]
fn a_bad_file_is_told(#[context] context: Context, #[case] content: &[u8], #[case] code: i32) {
    let name = context.description.unwrap();
    let directory = Directory::new(&format!("file-{name}"));
    directory.file("input.yaml", content);
    let ran = directory.hash(&["input.yaml", "--release", "1.30"]);
    insta::assert_snapshot!(format!("file_{name}"), ran.transcript());
    assert_eq!(ran.code, Some(code));
    assert_eq!(ran.stdout, "");
}

/// Kubernetes reads one document between two lines `---` and loses the rest without a word.
#[rstest]
#[case::after_the_document_end(format!("{POD}...\n{POD}---\n{POD}"))]
#[case::after_a_lone_return(format!("{POD}\r---\r{POD}---\n{POD}"))]
#[case::after_a_flow_mapping(format!("# c\n{FLOW}{FLOW}---\n{POD}"))]
fn what_kubernetes_does_not_read_is_told(#[context] context: Context, #[case] content: String) {
    let name = context.description.unwrap();
    let directory = Directory::new(&format!("unread-{name}"));
    directory.file("pods.yaml", content);
    let ran = directory.hash(&["pods.yaml", "--release", "1.30"]);
    insta::assert_snapshot!(format!("unread_{name}"), ran.transcript());
    assert_eq!(ran.code, Some(1));
    let ran = directory.hash(&["pods.yaml", "--release", "1.9,1.30", "-o", "json"]);
    let report = ran.json();
    assert_eq!(report["summary"]["documents"], 3);
    let last = report["results"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["document"], &last["release"]),
        (&3.into(), &"v1.30.14".into()),
        "the next document has its number"
    );
}

#[rstest]
#[case::a_brace_is_missing("}}\n", "}\n")]
#[case::the_text_is_cut(":[{\"name\":\"c\",\"image\":\"i\"}]}}\n", ":\n")]
#[case::a_comma_joins_objects("}}\n", "}},{}\n")]
fn what_follows_broken_json_is_hashed(#[case] good: &str, #[case] bad: &str) {
    let json = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\
                \"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}\n";
    let broken = json.replacen(good, bad, 1);
    assert_ne!(json, broken, "the case changes nothing");
    let text = format!("{broken}---\n{POD}---\n{POD}");
    let ran = kubehash_with(&["hash", "-r", "1.30", "-o", "json"], text.as_bytes());
    let report = ran.json();
    assert_eq!(ran.code, Some(1));
    assert_eq!(report["summary"]["errors"], 1, "{}", ran.transcript());
    let bad = report["diagnostics"][0]["document"].as_u64().unwrap();
    let numbers: Vec<u64> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["document"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers[numbers.len() - 2..], [bad + 1, bad + 2]);
}

#[test]
fn what_cannot_be_found_is_told_and_the_rest_is_hashed() {
    let directory = Directory::new("missing");
    directory.file("web.yaml", POD);
    let ran = directory.hash(&["missing.yaml", "web.yaml", "--release", "1.30"]);
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn a_directory_without_manifests_is_no_success() {
    let directory = Directory::new("no-manifests");
    directory
        .file("README.md", "words")
        .file("empty/.hidden.yaml", POD);
    let ran = directory.hash(&[".", "--release", "1.30"]);
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn an_empty_file_beside_others_is_told_but_does_not_fail_the_directory() {
    let directory = Directory::new("one-empty");
    directory
        .file("manifests/a.yaml", "")
        .file("manifests/b.yaml", POD);
    let ran = directory.hash(&["manifests", "--release", "1.30"]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(
        ran.stderr.contains("manifests/a.yaml: the file is empty"),
        "{}",
        ran.stderr
    );
    let named = directory.hash(&["manifests/a.yaml", "manifests/b.yaml", "--release", "1.30"]);
    assert_eq!(named.code, Some(3), "{}", named.transcript());
}

#[test]
fn an_unknown_field_is_a_warning_and_with_strict_an_error() {
    let ran = kubehash_with(&["hash", "--release", "1.30"], TYPO.as_bytes());
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr
            .contains("warning: stdin#1: spec.containers[0].imagePullPolice: "),
        "{}",
        ran.stderr
    );
    let ran = kubehash_with(&["hash", "--release", "1.30", "--strict"], TYPO.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(
        ran.stderr
            .contains("error: stdin#1: spec.containers[0].imagePullPolice: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_duplicate_key_is_a_warning_and_with_strict_an_error() {
    let twice = POD.replace("    image:", "    image: first\n    image:");
    let ran = kubehash_with(&["hash", "--release", "1.30"], twice.as_bytes());
    let once = kubehash_with(&["hash", "--release", "1.30"], POD.as_bytes());
    assert_eq!(
        (ran.code, &ran.stdout),
        (Some(0), &once.stdout),
        "the last one counts"
    );
    assert!(
        ran.stderr.contains("spec.containers[0].image"),
        "{}",
        ran.stderr
    );
    let strict = kubehash_with(&["hash", "--release", "1.30", "--strict"], twice.as_bytes());
    assert_eq!((strict.code, strict.stdout.as_str()), (Some(1), ""));
}

#[test]
fn other_kinds_are_skipped_counted_and_no_full_success() {
    let mixed = format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: a}}\n---\n{POD}---\n\
         apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {{name: b}}\n"
    );
    let ran = kubehash_with(&["hash", "--release", "1.30"], mixed.as_bytes());
    assert_eq!(ran.code, Some(3));
    assert!(
        ran.stderr
            .contains("warning: stdin: skipped 2 objects: 1 Rollout, 1 Service"),
        "{}",
        ran.stderr
    );
    let report = kubehash_with(
        &["hash", "--release", "1.30", "-o", "json"],
        mixed.as_bytes(),
    )
    .json();
    insta::assert_snapshot!(serde_json::to_string_pretty(&report["diagnostics"]).unwrap());
    assert_eq!(report["summary"]["skipped"], 2);
}

#[test]
fn a_view_that_does_not_apply_skips_the_object() {
    let ran = crate::run::kubehash(&[
        "hash",
        "examples/web.yaml",
        "-r",
        "1.30",
        "--view",
        "static",
        "-o",
        "json",
    ]);
    let report = ran.json();
    assert_eq!(ran.code, Some(3));
    assert_eq!(report["summary"]["skipped"], 4, "the workloads");
    assert_eq!(report["results"].as_array().unwrap().len(), 1, "the Pod");
    assert_eq!(
        report["results"][0]["predicted"], true,
        "a kubelet reads the first document only"
    );
}

#[test]
fn no_depth_breaks_it() {
    let deep = format!(
        "{{\"apiVersion\":{}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let ran = kubehash_with(&["hash", "--release", "1.30"], deep.as_bytes());
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
}

#[test]
fn what_is_no_pod_is_skipped_in_the_static_view_however_malformed() {
    for deployment in [
        "apiVersion: apps/v1\nkind: Deployment\nspec: {replicas: many}\n",
        "apiVersion: apps/v1\nkind: Deployment\nspec: 5\n",
        "apiVersion: extensions/v1beta1\nkind: Deployment\n",
    ] {
        let ran = kubehash_with(
            &["hash", "-r", "1.30", "--view", "static"],
            deployment.as_bytes(),
        );
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(3), "warning: stdin: skipped 1 object: 1 Deployment\n")
        );
    }
    let ran = kubehash_with(
        &["hash", "-r", "1.30", "--view", "static"],
        b"apiVersion: v1\nkind: Pod\nspec: 5\n",
    );
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
}

/// Makes a named pipe.
#[cfg(unix)]
fn pipe(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_in_a_directory_is_told_and_counted() {
    let directory = Directory::new("special");
    directory.file("manifests/web.yaml", POD);
    let manifests = directory.path().join("manifests");
    pipe(&manifests.join("pipe.yaml"));
    pipe(&manifests.join("pipe.sock"));
    std::os::unix::fs::symlink("/dev/null", manifests.join("device.json")).unwrap();
    let ran = directory.hash(&["manifests", "--release", "1.30", "-o", "json"]);
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert_eq!(
        ran.json()["summary"],
        serde_json::json!({"documents": 3, "checked": 1, "skipped": 2, "errors": 0})
    );
    insta::assert_snapshot!(ran.stderr);
    let named = directory.hash(&["manifests/device.json", "--release", "1.30"]);
    assert!(
        named.stderr.contains("device.json: the file is empty"),
        "what is named is read: {}",
        named.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_says_where_it_leads() {
    let directory = Directory::new("dangling");
    directory.file("manifests/web.yaml", POD);
    let link = directory.path().join("manifests/link.yaml");
    std::os::unix::fs::symlink("../gone.yaml", link).unwrap();
    for argument in ["manifests", "manifests/link.yaml"] {
        let ran = directory.hash(&[argument, "--release", "1.30"]);
        assert_eq!(ran.code, Some(1), "{}", ran.transcript());
        assert!(
            ran.stderr.contains(
                "error: manifests/link.yaml: is a symbolic link that leads nowhere, to ../gone.yaml\n"
            ),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn no_more_than_a_gibibyte_is_read() {
    let directory = Directory::new("too-long");
    directory.file("web.yaml", POD);
    let long = std::fs::File::create(directory.path().join("long.yaml")).unwrap();
    // Sparse: it takes no room.
    long.set_len((1 << 30) + 1).unwrap();
    let ran = directory.hash(&["long.yaml", "web.yaml", "--release", "1.30"]);
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!(ran.transcript());
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_read_and_printed_as_well_as_can_be() {
    use std::os::unix::ffi::OsStrExt as _;
    let directory = Directory::new("not-utf-8-name");
    let manifests = directory.path().join("manifests");
    std::fs::create_dir_all(&manifests).unwrap();
    for name in [b"\xfe.yaml", b"\xff.yaml"] {
        std::fs::write(manifests.join(std::ffi::OsStr::from_bytes(name)), POD).unwrap();
    }
    let ran = directory.hash(&["manifests", "--release", "1.30,1.31"]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let rows = ran.stdout.matches("manifests/\u{fffd}.yaml#1").count();
    assert_eq!(rows, 2, "{}", ran.stdout);
    let report = directory
        .hash(&["manifests", "--release", "1.30", "-o", "json"])
        .json();
    assert_eq!(report["results"][1]["source"], "manifests/\u{fffd}.yaml");
}
