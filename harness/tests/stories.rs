//! What people saw, told again: hashes that stand in public reports, and upgrades that rolled what
//! nobody had changed.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows test functions, but not the helpers beside them"
)]

use std::collections::BTreeMap;

use kubehash::catalogue;
use kubehash::engine::{Arrival, Engine};
use kubehash::gates::Gates;
use kubehash::rollout::{Rollout, State};
use rstest::rstest;

/// `kubectl create deployment nginx --image=nginx`
const NGINX: &str = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"creationTimestamp":null,
    "labels":{"app":"nginx"},"name":"nginx"},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"nginx"}},
    "strategy":{},"template":{"metadata":{"creationTimestamp":null,"labels":{"app":"nginx"}},"spec":{
    "containers":[{"image":"nginx","name":"nginx","resources":{}}]}}},"status":{}}"#;

/// The names that people's ReplicaSets of it have, wherever they show `kubectl get pods`.
#[rstest]
#[case("1.12", "55bd7c9fd")]
#[case("1.13", "5c7588df")]
#[case("1.14", "65f88748fd")]
#[case("1.15", "554b9c67f9")]
#[case("1.16", "86c57db685")]
#[case("1.17", "86c57db685")]
#[case("1.18", "f89759699")]
#[case("1.19", "6799fc88d8")]
#[case("1.20", "6799fc88d8")]
#[case("1.21", "6799fc88d8")]
#[case("1.22", "6799fc88d8")]
#[case("1.23", "85b98978db")]
#[case("1.24", "8f458dc5b")]
#[case("1.25", "76d6c9b8c")]
#[case("1.26", "748c667d99")]
#[case("1.27", "77b4fdf86c")]
#[case("1.28", "7854ff8877")]
#[case("1.29", "7854ff8877")]
#[case("1.30", "bf5d5cf98")]
#[case("1.31", "676b6c5bbc")]
#[case("1.32", "5869d7778c")]
#[case("1.33", "5869d7778c")]
#[case("1.34", "66686b6766")]
fn the_nginx_of_every_tutorial(#[case] minor: &str, #[case] hash: &str) {
    let engine = load(minor);
    let gates = Gates::defaults(engine.schema());
    let nginx = engine.decode(NGINX).unwrap();
    let nginx = engine.arrive(&nginx, Arrival::Delivered, &gates).unwrap();
    let (told, _) = engine.pod_template_hash(&nginx, None, false).unwrap();
    assert_eq!(told, hash);
    let made = engine.reconcile(&nginx, &State::default(), &gates).unwrap();
    let sets = made.state.replica_sets;
    assert_eq!(sets[0].name, format!("nginx-{hash}"));
}

/// kubernetes/kubernetes #134773: a time of creation that was null in the template's metadata is no
/// longer written, so 1.34.0 and 1.34.1 roll every StatefulSet that an older release knew; from
/// 1.34.2 on a revision that means the same is the same.
#[test]
fn statefulsets_roll_from_1_33_to_1_34_until_that_was_mended() {
    const SET: &str = r#"{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},"spec":{
        "replicas":2,"serviceName":"web","selector":{"matchLabels":{"app":"web"}},"template":{
        "metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx"}]}}}}"#;
    let before = {
        let engine = load("1.33");
        let gates = Gates::defaults(engine.schema());
        let set = engine.decode(SET).unwrap();
        let set = engine.arrive(&set, Arrival::Delivered, &gates).unwrap();
        engine
            .reconcile(&set, &State::default(), &gates)
            .unwrap()
            .state
    };
    assert!(
        before.revisions[0]
            .data
            .contains(r#""creationTimestamp":null"#)
    );
    let verdict = |release: &str, gates: &[(&str, bool)]| {
        let engine = load(release);
        let set: BTreeMap<String, bool> = gates.iter().map(|(g, on)| ((*g).into(), *on)).collect();
        let gates = engine.gates(&set).unwrap();
        let set = engine.decode(SET).unwrap();
        let set = engine.arrive(&set, Arrival::Delivered, &gates).unwrap();
        let after = engine.reconcile(&set, &before, &gates).unwrap();
        (after.rollout, after.state.replaced)
    };
    let everything = vec!["web-0".to_owned(), "web-1".to_owned()];
    let semantic = "StatefulSetSemanticRevisionComparison";
    assert_eq!(verdict("1.34.0", &[]), (Rollout::Full, everything.clone()));
    assert_eq!(verdict("1.34.1", &[]), (Rollout::Full, everything.clone()));
    assert_eq!(verdict("1.34.2", &[]), (Rollout::None, vec![]));
    assert_eq!(
        verdict("1.34.2", &[(semantic, false)]),
        (Rollout::Full, everything)
    );
    assert_eq!(verdict("1.35.0", &[]), (Rollout::None, vec![]));
}

fn load(release: &str) -> Engine {
    let resolution = catalogue::resolve(release.parse().unwrap()).unwrap();
    Engine::load(resolution.answers_for).unwrap()
}
