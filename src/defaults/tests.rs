//! What surprises about the defaults, a promise each. That all of them are right, for every
//! release, is for the golden vectors of the subject `defaults` to say.

use serde_json::{Value as Json, json};

use super::apply;
use crate::decode::decode;
use crate::gates::Gates;
use crate::print;
use crate::release::Release;
use crate::schema::Schema;
use crate::value::Mut;

const V1_9: Release = Release::new(9, 11);
const V1_30: Release = Release::new(30, 14);
const V1_37: Release = Release::new(37, 0);

/// The object with the release's defaults.
fn defaulted(release: Release, object: Json) -> Json {
    let schema = Schema::load(release).unwrap();
    let word = |key: &str| object[key].as_str().unwrap();
    let kind = schema.kind(word("apiVersion"), word("kind")).unwrap();
    let mut decoded = decode(&schema, kind.versioned, &object.to_string()).unwrap();
    apply(
        Mut::new(&schema, kind.versioned, &mut decoded.value),
        kind,
        &Gates::defaults(&schema),
    );
    let text = print::json::to_vec(&schema, kind.versioned, &decoded.value);
    serde_json::from_slice(&text).unwrap()
}

fn pod(spec: Json) -> Json {
    json!({ "apiVersion": "v1", "kind": "Pod", "spec": spec })
}

fn workload(api_version: &str, kind: &str, spec: Json) -> Json {
    json!({ "apiVersion": api_version, "kind": kind, "spec": spec })
}

#[test]
fn limits_become_requests_in_a_pod_and_not_in_a_template() {
    let spec =
        json!({ "containers": [{ "resources": { "limits": { "cpu": "1", "memory": "2" } } }] });
    for release in [V1_9, V1_30, V1_37] {
        let pod = defaulted(release, pod(spec.clone()));
        let resources = &pod["spec"]["containers"][0]["resources"];
        assert_eq!(resources["requests"], resources["limits"], "{release}");

        let template =
            json!({ "apiVersion": "v1", "kind": "PodTemplate", "template": { "spec": spec } });
        let template = defaulted(release, template);
        assert_eq!(
            template["template"]["spec"]["containers"][0]["resources"].get("requests"),
            None,
            "{release}"
        );
    }
}

#[test]
fn quantities_are_rounded_up_to_thousandths() {
    let spec = json!({ "containers": [{ "resources": { "requests": { "cpu": "0.0001" } } }] });
    let pod = defaulted(V1_30, pod(spec));
    assert_eq!(
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"],
        "1m"
    );
}

#[test]
fn templates_lost_their_host_ports_in_1_28() {
    let spec =
        json!({ "hostNetwork": true, "containers": [{ "ports": [{ "containerPort": 80 }] }] });
    let host_port = |release| {
        let workload = workload(
            "apps/v1",
            "Deployment",
            json!({ "template": { "spec": spec } }),
        );
        defaulted(release, workload)["spec"]["template"]["spec"]["containers"][0]["ports"][0]
            .get("hostPort")
            .cloned()
    };
    assert_eq!(host_port(V1_9), Some(json!(80)));
    assert_eq!(host_port(V1_30), None);
    let pod = defaulted(V1_30, pod(spec.clone()));
    assert_eq!(pod["spec"]["containers"][0]["ports"][0]["hostPort"], 80);
}

#[test]
fn a_partition_without_a_type_was_lost_before_1_19() {
    let spec = json!({ "updateStrategy": { "rollingUpdate": { "partition": 2 } } });
    let partition = |release| {
        defaulted(release, workload("apps/v1", "StatefulSet", spec.clone()))["spec"]["updateStrategy"]
            ["rollingUpdate"]["partition"]
            .clone()
    };
    assert_eq!(partition(V1_9), 0);
    assert_eq!(partition(V1_30), 2);
}

#[test]
fn apps_v1_takes_no_labels_from_the_template() {
    let spec = json!({ "template": { "metadata": { "labels": { "app": "a" } } } });
    let old = defaulted(
        V1_9,
        workload("extensions/v1beta1", "Deployment", spec.clone()),
    );
    assert_eq!(old["metadata"]["labels"], json!({ "app": "a" }));
    assert_eq!(
        old["spec"]["selector"],
        json!({ "matchLabels": { "app": "a" } })
    );
    let new = defaulted(V1_9, workload("apps/v1", "Deployment", spec));
    assert_eq!(new["metadata"].get("labels"), None);
    assert_eq!(new["spec"]["selector"], Json::Null);
}

#[test]
fn a_cron_jobs_failure_policy_is_completed_only_from_1_34_on() {
    let policy = json!({ "rules": [{ "action": "Ignore", "onPodConditions": [{ "type": "T" }] }] });
    let spec = json!({ "jobTemplate": { "spec": { "podFailurePolicy": policy } } });
    let status = |release| {
        defaulted(release, workload("batch/v1", "CronJob", spec.clone()))["spec"]["jobTemplate"]["spec"]
            ["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["status"]
            .clone()
    };
    assert_eq!(status(V1_30), "");
    assert_eq!(status(V1_37), "True");
}

#[test]
fn a_feature_gate_adds_a_resize_policy() {
    let schema = Schema::load(V1_30).unwrap();
    let kind = schema.kind("v1", "Pod").unwrap();
    let gate = [("InPlacePodVerticalScaling".to_owned(), true)].into();
    let text = r#"{"spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}]}}"#;
    let mut decoded = decode(&schema, kind.versioned, text).unwrap();
    let object = Mut::new(&schema, kind.versioned, &mut decoded.value);
    apply(object, kind, &Gates::with_overrides(&schema, &gate));
    let text = print::json::to_vec(&schema, kind.versioned, &decoded.value);
    let pod: Json = serde_json::from_slice(&text).unwrap();
    assert_eq!(
        pod["spec"]["containers"][0]["resizePolicy"],
        json!([{ "resourceName": "cpu", "restartPolicy": "NotRequired" }])
    );
}

#[test]
fn an_internal_object_has_no_defaults() {
    let schema = Schema::load(V1_30).unwrap();
    let kind = schema.kind("v1", "Pod").unwrap();
    let internal = kind.internal.unwrap();
    let mut value = schema.zero(internal);
    apply(
        Mut::new(&schema, internal, &mut value),
        kind,
        &Gates::defaults(&schema),
    );
    assert_eq!(value, schema.zero(internal));
}
