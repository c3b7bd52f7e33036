//! What the documents show is what the program prints.

use std::fs;
use std::path::Path;

use crate::run::kubehash;

fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The fenced blocks of a document in order: language and content.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    text.split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n'))
        .collect()
}

#[test]
fn the_readme_shows_real_output() {
    let text = read("README.md");
    let blocks = blocks(&text);
    let shown: Vec<(&str, &str)> = blocks
        .windows(2)
        .filter_map(|pair| {
            let arguments = pair[0].1.trim().strip_prefix("$ cargo run --release -- ")?;
            Some((arguments, pair[1].1))
        })
        .collect();
    let commands: Vec<&str> = shown.iter().map(|(command, _)| *command).collect();
    assert_eq!(
        commands,
        [
            "hash examples/web.yaml --release 1.29,1.30,1.31",
            "plan examples/web.yaml --from 1.30 --to 1.31",
        ]
    );
    for ((command, shown), code) in shown.into_iter().zip([0, 2]) {
        let ran = kubehash(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, Some(code), "{}", ran.transcript());
        assert_eq!(
            shown, ran.stdout,
            "put what it prints now into README.md:\n{}",
            ran.stdout
        );
    }
}

#[test]
fn ci_runs_the_test_command_of_the_readme() {
    let command = "cargo test --workspace";
    assert!(
        blocks(&read("README.md"))
            .iter()
            .any(|(_, block)| block.trim() == format!("$ {command}"))
    );
    assert!(read(".ci/run").lines().any(|line| line.trim() == command));
}

#[test]
fn the_documented_reports_have_the_keys_of_real_ones() {
    let text = read("docs/cli.md");
    let documented: Vec<serde_json::Value> = blocks(&text)
        .iter()
        .filter(|(language, _)| *language == "json")
        .map(|(_, json)| serde_json::from_str(json).unwrap())
        .collect();
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n---\nkind: Pod\n";
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}, \
        template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}\n---\nspec: {}\n";
    let real = [
        (&["hash", "-r", "1.30", "-o", "json"][..], pod),
        (
            &["plan", "--from", "1.13", "--to", "1.14", "-o", "json"],
            deployment,
        ),
    ]
    .map(|(arguments, manifest)| crate::run::kubehash_with(arguments, manifest.as_bytes()).json());
    assert_eq!(documented.len(), real.len());
    for (documented, real) in documented.iter().zip(&real) {
        let (mut keys, mut real_keys) = (Vec::new(), Vec::new());
        shape("", documented, &mut keys);
        shape("", real, &mut real_keys);
        assert_eq!(keys, real_keys);
    }
}

/// The paths of all keys, of first items only.
fn shape(path: &str, value: &serde_json::Value, keys: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}.{key}");
                keys.push(path.clone());
                shape(&path, value, keys);
            }
        }
        serde_json::Value::Array(items) => {
            if let Some(first) = items.first() {
                shape(&format!("{path}[]"), first, keys);
            }
        }
        _ => {}
    }
}

#[test]
fn exit_codes_are_in_the_documents_and_in_the_help() {
    let text = read("docs/cli.md");
    for (command, codes) in [
        ("hash", &["0", "1", "3"][..]),
        ("plan", &["0", "1", "2", "3"]),
    ] {
        let section = text
            .split("\n## ")
            .find(|section| section.starts_with(&format!("`kubehash {command} ")))
            .unwrap();
        let help = kubehash(&[command, "--help"]).stdout;
        for code in codes {
            assert!(
                section.contains(&format!("\n| {code} |")),
                "docs/cli.md: {command}: {code}"
            );
            assert!(
                help.lines()
                    .any(|line| line.trim_start().starts_with(&format!("{code}  "))),
                "{command} --help: {code}"
            );
        }
    }
}
