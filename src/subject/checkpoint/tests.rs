use super::*;
use crate::engine::Engine;

fn engine(minor: u16, patch: u16) -> Engine {
    Engine::load(Release::new(minor, patch)).unwrap()
}

/// What the releases 1.12.10 and 1.30.14 wrote.
const BY_ID: &str = r#"{"policyName":"static","defaultCpuSet":"0,4-7","entries":{"c1":"1-3","c2":"8"},"checksum":1803594045}"#;
const BY_NAME: &str = r#"{"policyName":"static","defaultCpuSet":"0,4-7","entries":{"pod-1":{"app":"1-3","side":"8"},"pod-2":{"app":"9"}},"checksum":2836801880}"#;
const DEVICES: &str = r#"{"Data":{"PodDeviceEntries":[{"PodUID":"p","ContainerName":"c","ResourceName":"r","DeviceIDs":["d"],"AllocResp":"AQI="}],"RegisteredDevices":{"r":["d"]}},"Checksum":0}"#;
const MEMORY: &str = r#"{"policyName":"Static","machineState":{"10":{"numberOfAssignments":0,"memoryMap":{},"cells":[]},"9":null},"entries":{"p":{"c":[{"numaAffinity":[0],"type":"memory","size":18446744073709551615}]}},"checksum":0}"#;
const SANDBOX: &str = r#"{"version":"v1","name":"n","namespace":"ns","data":{"port_mappings":[{"protocol":"tcp","container_port":80}]},"checksum":0}"#;
const TEXT: &str = r#"{"data":"{\"entries\":{\"p\":{}}}","Data":"{}","checksum":0}"#;

#[test]
fn a_release_accepts_what_it_wrote() {
    for (engine, file) in [(engine(12, 10), BY_ID), (engine(30, 14), BY_NAME)] {
        let checkpoint = engine.checkpoint(Form::CpuManager, file).unwrap();
        assert_eq!(checkpoint.refused, None);
        assert_eq!(checkpoint.stored.as_deref(), Some(file));
        assert_eq!(checkpoint.written.as_deref(), Some(file));
    }
}

#[test]
fn a_file_with_another_checksum_is_corrupt_and_one_without_is_not() {
    let engine = engine(30, 14);
    let ask = |from: &str, to: &str| {
        let file = BY_NAME.replace(from, to);
        engine.checkpoint(Form::CpuManager, &file).unwrap()
    };
    let wrong = ask("2836801880", "1");
    assert_eq!(wrong.refused.as_deref(), Some("checkpoint is corrupted"));
    assert_eq!(
        (wrong.stored, wrong.written.as_deref()),
        (None, Some(BY_NAME))
    );
    assert_eq!(ask("2836801880", "0").stored.as_deref(), Some(BY_NAME));
    assert!(!ask(r#""0,4-7""#, r#""0,7-4""#).is_accepted());
}

#[test]
fn containers_get_the_names_by_which_the_kubelet_knows_them() {
    let engine = engine(30, 14);
    let gates = Gates::defaults(engine.schema());
    let known = ["c1", "c2"].map(|id| Container {
        id: id.into(),
        pod_uid: "pod".into(),
        name: format!("name-of-{id}"),
    });
    let ask = |containers| {
        engine
            .checkpoint_with(Form::CpuManager, BY_ID, &gates, containers, false)
            .unwrap()
    };
    let stored = ask(&known).stored.unwrap();
    assert!(
        stored.contains(r#""entries":{"pod":{"name-of-c1":"1-3","name-of-c2":"8"}}"#),
        "{stored}"
    );
    let unknown = ask(&[]);
    assert!(unknown.refused.unwrap().contains("c1"));
    let [newest, oldest] = unknown.formats.as_slice() else {
        panic!("1.30 reads two formats");
    };
    assert!(newest.refused.is_some() && newest.checksums.is_empty());
    assert_eq!(oldest.refused, None);
    assert_eq!(
        oldest.checksums.first().map(|sum| sum.hash),
        Some(1_803_594_045)
    );
}

#[test]
fn devices_of_no_numa_node_are_the_first_ones() {
    let lists = engine(12, 10).checkpoint(Form::DeviceManager, DEVICES);
    let lists = lists.unwrap().written.unwrap();
    let checkpoint = engine(30, 14)
        .checkpoint(Form::DeviceManager, &lists)
        .unwrap();
    let stored = checkpoint.stored.unwrap();
    assert!(stored.contains(r#""DeviceIDs":{"0":["d"]}"#), "{stored}");
    assert_eq!(checkpoint.written, Some(stored));
    let newest = engine(34, 10).checkpoint(Form::DeviceManager, &lists);
    assert!(!newest.unwrap().is_accepted(), "it reads one format only");
}

#[test]
fn after_a_nil_pointer_in_a_map_no_type_is_told() {
    let engine = engine(30, 14);
    let gates = Gates::defaults(engine.schema());
    let file = r#"{"policyName":"Static","machineState":{"0":null},"checksum":1790716268}"#;
    let checkpoint = engine
        .checkpoint_with(Form::MemoryManager, file, &gates, &[], true)
        .unwrap();
    assert!(checkpoint.is_accepted());
    let sums = checkpoint.formats.first().map(|format| &format.checksums);
    let preimage = sums.and_then(|sums| sums.first()?.preimage.clone());
    let preimage = String::from_utf8(preimage.unwrap()).unwrap();
    assert!(
        preimage.contains("map[0:<nil>] Entries:map[] "),
        "{preimage}"
    );
}

#[test]
fn resources_of_pods_are_not_written_again_unless_they_change() {
    let engine = engine(34, 10);
    let ask = |file: &str| engine.checkpoint(Form::PodAllocation, file).unwrap();
    let file = |text: &str| serde_json::json!({"data": text}).to_string();
    let loose = ask(&file(r#"{ "entries": {"p": {}} }"#)).written.unwrap();
    assert!(loose.contains(r#"\"ContainerResources\":null"#), "{loose}");
    let stored = ask(&loose).stored.unwrap();
    assert!(stored.contains(r#"\"ContainerResources\":{}"#), "{stored}");
    assert_eq!(ask(&stored).stored.as_ref(), Some(&stored));
    let spaced = stored.replace(r#","checksum""#, r#" , "checksum""#);
    assert_eq!(ask(&spaced).stored, Some(spaced));
}

#[test]
fn forms_are_of_some_releases() {
    assert_eq!("cpu-manager".parse(), Ok(Form::CpuManager));
    assert!("cpu".parse::<Form>().is_err());
    assert!(Form::Pod.exists_in(Release::new(18, 20)));
    assert!(!Form::Pod.exists_in(Release::new(19, 0)));
    for form in Form::all() {
        for minor in 1..40 {
            let release = Release::new(minor, 0);
            let restored = restore::of(form, release).is_some();
            assert_eq!(restored, form.exists_in(release), "{form} {release}");
            assert!(!restored || CHECKPOINTS.contains(release), "{release}");
        }
    }
}

/// Every struct that a recorded schema names is known, and none is dead in the tables.
#[test]
fn the_formats_of_all_recorded_releases_are_known() {
    for release in crate::schema::releases() {
        let schema = Schema::load(release).unwrap();
        for entry in schema.checkpoints() {
            let form: Form = entry.form.parse().unwrap();
            assert!(form.exists_in(release), "{form} {release}");
            for found in &entry.formats {
                let name = schema[found.ty].name.rsplit('.').next().unwrap();
                assert!(
                    Format::of(form, name, release).is_some(),
                    "{form} {name} {release}"
                );
            }
        }
    }
}

#[test]
fn no_text_brings_it_down() {
    let samples = [BY_ID, BY_NAME, DEVICES, MEMORY, SANDBOX, TEXT];
    for release in crate::schema::releases() {
        let engine = Engine::load(release).unwrap();
        if engine.schema().checkpoints().is_empty() {
            continue;
        }
        for form in Form::all() {
            for sample in samples {
                for at in (0..sample.len()).step_by(7) {
                    let _ = engine.checkpoint(form, &sample[..at]);
                    let mut other = sample.to_owned();
                    other.replace_range(at..=at, "[");
                    let _ = engine.checkpoint(form, &other);
                }
                let _ = engine.checkpoint(form, sample);
            }
        }
    }
}
