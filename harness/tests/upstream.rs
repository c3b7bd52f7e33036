//! Constants that Kubernetes' own developers wrote into their tests: a witness that is
//! independent of our references.

use std::collections::BTreeSet;

use harness::golden;
use kubehash::engine::{Engine, Options, View};
use kubehash::gates::Gates;
use kubehash::subject::container_hash::Function;
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constant {
    id: String,
    release: String,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "test")]
    _test: String,
    function: String,
    object: Box<RawValue>,
    hash: u64,
}

#[test]
fn upstreams_own_test_constants_agree() {
    let constants: Vec<Constant> = golden::lines(&golden::root().join("upstream.jsonl")).unwrap();
    let mut releases = BTreeSet::new();
    for constant in &constants {
        let engine = Engine::load(constant.release.parse().unwrap()).unwrap();
        let function = match &*constant.function {
            "HashContainer" => Function::HashContainer,
            "HashContainerWithoutResources" => Function::HashContainerWithoutResources,
            other => panic!("{}: no such function: {other}", constant.id),
        };
        let object = engine.decode(constant.object.get()).unwrap();
        let options = Options {
            view: View::Decoded,
            ..Options::default()
        };
        let gates = Gates::defaults(engine.schema());
        let hashes = engine
            .hash_containers(function, &object, &gates, &options)
            .unwrap();
        let hashes: Vec<u64> = hashes.iter().map(|c| u64::from(c.hash)).collect();
        assert_eq!(hashes, [constant.hash], "{}", constant.id);
        releases.insert(&constant.release);
    }
    assert_eq!((constants.len(), releases.len()), (88, 22));
}
