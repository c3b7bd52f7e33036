//! What is hashed, to be read: one container in each era. The numbers are held to the real Go
//! code elsewhere; these snapshots show a reviewer what changed when something does.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows test functions, but not the helpers beside them"
)]

use kubehash::engine::{Engine, Options, View};
use rstest::rstest;

const POD: &str = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"subject"},"spec":{"containers":[
    {"name":"app","image":"registry.example/app:1.2","args":["<&>"],
     "ports":[{"containerPort":8080}],
     "env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
     "resources":{"limits":{"cpu":"0.5"},"requests":{}},
     "volumeMounts":[]}]}}"#;

/// The dump of a byte slice, as the text whose bytes it shows.
fn readable(preimage: &str) -> String {
    let Some(bytes) = preimage
        .strip_prefix("([]uint8)[")
        .and_then(|rest| rest.strip_suffix(']'))
    else {
        return preimage.to_owned();
    };
    let bytes: Vec<u8> = bytes.split(' ').map(|byte| byte.parse().unwrap()).collect();
    format!("dump of the bytes of {}", String::from_utf8(bytes).unwrap())
}

#[rstest]
#[case::adler32_of_the_internal_container("v1.1.8")]
#[case::quantities_with_a_fast_path("v1.5.8")]
#[case::fnv_of_the_versioned_container("v1.6.13")]
#[case::with_every_field_there_is("v1.15.12")]
#[case::fnv_of_the_json_dump("v1.16.15")]
#[case::the_last_of_the_json("v1.30.14")]
#[case::name_and_image("v1.31.14")]
fn preimages_of_each_era(
    #[case] release: &str,
    #[values(View::Decoded, View::Delivered)] view: View,
) {
    let engine = Engine::load(release.parse().unwrap()).unwrap();
    let options = Options {
        view,
        preimages: true,
        ..Options::default()
    };
    let hashes = engine.container_hashes(POD, &options).unwrap();
    let preimage = hashes.containers[0].preimage.clone().unwrap();
    let text = readable(&String::from_utf8(preimage).unwrap());
    insta::assert_snapshot!(format!("{release}-{view}"), text);
}
