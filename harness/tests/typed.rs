//! The typed front door gives the numbers that the manifest's text gives.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows test functions, but not the helpers beside them"
)]

use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::batch::v1::CronJob;
use k8s_openapi::api::core::v1::{Container, Pod};
use kubehash::engine::{Engine, Options, View};
use kubehash::typed::Hashable;
use rstest::rstest;
use serde::de::DeserializeOwned;

const CONTAINER: &str = r#"{"name":"app","image":"registry.example/app:1.2",
    "env":[{"name":"A","value":"<&>"}],"resources":{"limits":{"cpu":"0.5","memory":"1Gi"}},
    "livenessProbe":{"httpGet":{"path":"/healthz","port":"http"}}}"#;

fn same<T: Hashable + DeserializeOwned>(release: &str, text: &str, view: View) {
    let engine = Engine::load(release.parse().unwrap()).unwrap();
    let options = Options {
        view,
        ..Options::default()
    };
    let typed: T = serde_json::from_str(text).unwrap();
    let by_text = engine.container_hashes(text, &options).unwrap();
    let by_type = engine.container_hashes_of(&typed, &options).unwrap();
    assert_eq!(by_type.containers, by_text.containers);
    assert_eq!(by_type.containers.len(), 1);
}

fn workload(kind: &str, api_version: &str) -> String {
    let template = format!(
        r#"{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"restartPolicy":"Always","containers":[{CONTAINER}]}}}}"#
    );
    let spec = match kind {
        "Pod" => format!(r#"{{"containers":[{CONTAINER}]}}"#),
        "CronJob" => {
            format!(r#"{{"schedule":"@daily","jobTemplate":{{"spec":{{"template":{template}}}}}}}"#)
        }
        _ => format!(
            r#"{{"serviceName":"s","selector":{{"matchLabels":{{"a":"b"}}}},"template":{template}}}"#
        ),
    };
    format!(
        r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"w","namespace":"d"}},"spec":{spec}}}"#
    )
}

#[rstest]
fn typed_objects_hash_as_their_text_does(
    #[values("v1.21.14", "v1.30.14", "v1.37.0")] release: &str,
    #[values(View::Decoded, View::Delivered)] view: View,
) {
    same::<Container>(release, CONTAINER, view);
    same::<Pod>(release, &workload("Pod", "v1"), view);
    same::<Deployment>(release, &workload("Deployment", "apps/v1"), view);
    same::<StatefulSet>(release, &workload("StatefulSet", "apps/v1"), view);
    same::<CronJob>(release, &workload("CronJob", "batch/v1"), view);
}
