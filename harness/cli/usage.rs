//! Arguments: what is accepted, what is refused, and how.

use rstest::rstest;

use crate::run::{POD, command, kubehash, kubehash_with};

#[rstest]
#[case::no_command(&[])]
#[case::unknown_command(&["hsh"])]
#[case::no_release(&["hash", "examples/web.yaml"])]
#[case::unknown_flag(&["hash", "examples/web.yaml", "--releases", "1.30"])]
#[case::bad_version(&["hash", "examples/web.yaml", "--release", "latest"])]
#[case::bad_view(&["hash", "examples/web.yaml", "--release", "1.30", "--view", "seen"])]
#[case::bad_output(&["hash", "examples/web.yaml", "--release", "1.30", "-o", "yaml2"])]
#[case::bad_gate(&["hash", "examples/web.yaml", "--release", "1.30", "--feature-gates", "A=maybe"])]
#[case::bad_shell(&["completions", "cmd"])]
fn wrong_usage_exits_with_1_and_says_so_on_stderr(#[case] arguments: &[&str]) {
    let ran = kubehash(arguments);
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    assert_eq!(ran.stdout, "");
    assert!(
        ran.stderr.contains("Usage") || ran.stderr.contains("--help"),
        "{}",
        ran.stderr
    );
}

#[rstest]
#[case::release_between("1.18.7")]
#[case::patch_too_new("1.30.99")]
#[case::too_new("1.99")]
#[case::one_oh("1.0.6")]
#[case::two_wrong_ones("1.30,1.98,1.99")]
fn an_unknown_release_is_told_with_what_to_ask_for(#[case] release: &str) {
    let ran = kubehash(&["hash", "examples/web.yaml", "--release", release]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    // The newest release of all grows with the catalogue.
    let report = kubehash(&["releases", "-o", "json"]).json();
    let newest = report["results"].as_array().unwrap().last().unwrap()["release"].clone();
    let words = ran.stderr.replace(newest.as_str().unwrap(), "[the newest]");
    insta::assert_snapshot!(format!("unknown_release_{release}"), words);
}

#[test]
fn an_unknown_feature_gate_is_told_once() {
    let gates = ["--feature-gates", "NoSuchGate=true"];
    let ran = kubehash(
        &[
            &["hash", "examples/web.yaml", "--release", "1.30"],
            &gates[..],
        ]
        .concat(),
    );
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.stderr.matches("NoSuchGate").count(),
        1,
        "{}",
        ran.stderr
    );
}

#[test]
fn help_and_version_are_data() {
    for arguments in [
        &["--help"][..],
        &["hash", "--help"],
        &["releases", "-h"],
        &["--version"],
    ] {
        let ran = kubehash(arguments);
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
        assert!(!ran.stdout.is_empty());
    }
    let version = kubehash(&["--version"]).stdout;
    assert_eq!(
        version.trim_end(),
        concat!("kubehash ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn the_help_of_every_command_documents_its_exit_codes() {
    for command in ["hash", "plan", "releases", "testee"] {
        for help in ["-h", "--help"] {
            assert!(
                kubehash(&[command, help]).stdout.contains("Exit codes:"),
                "{command} {help}"
            );
        }
    }
}

#[test]
fn help_of_hash() {
    insta::assert_snapshot!(kubehash(&["hash", "--help"]).stdout);
}

#[test]
fn help_of_plan() {
    insta::assert_snapshot!(kubehash(&["plan", "--help"]).stdout);
}

#[rstest]
#[case("bash", "complete -F")]
#[case("zsh", "#compdef kubehash")]
#[case("fish", "complete -c kubehash")]
fn completions_for_shells(#[case] shell: &str, #[case] contains: &str) {
    let ran = kubehash(&["completions", shell]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.contains(contains), "{}", ran.stdout);
}

#[test]
fn a_vendors_version_is_its_upstream_release() {
    for release in [
        "v1.30.14-eks-a737599",
        "1.30.14-gke.1589017",
        "v1.30.14+k3s1",
    ] {
        let ran = kubehash_with(
            &["hash", "--release", release, "-o", "json"],
            POD.as_bytes(),
        );
        let report = ran.json();
        assert_eq!(report["results"][0]["release"], "v1.30.14", "{release}");
        assert_eq!(report["results"][0]["evidence"], "vendor build");
        assert!(
            ran.stderr.contains("taken for upstream v1.30.14"),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.code, Some(0));
    }
}

#[test]
fn a_release_asked_for_twice_answers_once() {
    let ran = kubehash_with(
        &["hash", "-r", "1.30", "-r", "v1.30.14", "-o", "json"],
        POD.as_bytes(),
    );
    assert_eq!(ran.json()["results"].as_array().unwrap().len(), 1);
}

#[rstest]
#[case::auto_off_terminal(&[], &[], false)]
#[case::always(&["--color", "always"], &[], true)]
#[case::never(&["--color", "never"], &[("CLICOLOR_FORCE", "1")], false)]
#[case::forced_by_environment(&[], &[("CLICOLOR_FORCE", "1")], true)]
#[case::no_color(&[], &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false)]
fn colour_where_it_is_wanted(
    #[case] arguments: &[&str],
    #[case] environment: &[(&str, &str)],
    #[case] colour: bool,
) {
    let output = command()
        .args(["hash", "examples/web.yaml", "--release", "1.30"])
        .args(arguments)
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    assert_eq!(output.stdout.contains(&0x1b), colour);
    assert_eq!(output.stderr.contains(&0x1b), colour);
}

#[test]
fn quiet_leaves_errors_only() {
    let ran = kubehash(&["hash", "examples/web.yaml", "-r", "1.30.4", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let ran = kubehash(&["hash", "no-such-file", "-r", "1.30.4", "--quiet"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.stderr
            .lines()
            .filter(|line| line.starts_with("error: "))
            .count(),
        1
    );
}

#[test]
fn a_feature_gate_set_both_ways_is_a_mistake_and_set_twice_is_none() {
    let hash = |gates: &[&str]| {
        let mut arguments = vec!["hash", "examples/web.yaml", "-r", "1.30", "-q"];
        for gates in gates {
            arguments.extend(["--feature-gates", gates]);
        }
        kubehash(&arguments)
    };
    for gates in [
        &["SidecarContainers=true,SidecarContainers=false"][..],
        &["SidecarContainers=true", "SidecarContainers=0"],
    ] {
        let ran = hash(gates);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
        assert_eq!(
            ran.stderr,
            "error: --feature-gates sets SidecarContainers to true and to false\n  \
             hint: leave one away; Kubernetes would take the last one, SidecarContainers=false\n"
        );
    }
    for gates in [
        &["SidecarContainers=true,SidecarContainers=T"][..],
        &["SidecarContainers=1,", ""],
    ] {
        assert_eq!(hash(gates).code, Some(0), "{gates:?}");
    }
}

#[test]
fn a_gate_that_stands_for_many_is_not_taken_for_none() {
    let gates = ["--feature-gates", "AllAlpha=true"];
    let ran = kubehash(
        &[
            &["hash", "examples/web.yaml", "-r", "1.29,1.30"],
            &gates[..],
        ]
        .concat(),
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(
        ran.stderr
            .starts_with("error: the feature gate AllAlpha stands for many"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_gate_that_no_release_has_is_told_once_for_all() {
    let arguments = ["hash", "examples/web.yaml", "-r", "1.28,1.29,1.30"];
    let ran = kubehash(&[&arguments[..], &["--feature-gates", "NoSuchGate=true"]].concat());
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.stderr.lines().next().unwrap(),
        "error: the release has no feature gate \"NoSuchGate\" (in v1.28.15–v1.30.14)"
    );
}
