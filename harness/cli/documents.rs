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
    let (command, shown) = blocks
        .windows(2)
        .find_map(|pair| {
            let arguments = pair[0].1.trim().strip_prefix("$ cargo run --release -- ")?;
            Some((arguments, pair[1].1))
        })
        .unwrap();
    assert_eq!(command, "hash examples/web.yaml --release 1.29,1.30,1.31");
    let ran = kubehash(&command.split(' ').collect::<Vec<_>>());
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(
        shown, ran.stdout,
        "put what it prints now into README.md:\n{}",
        ran.stdout
    );
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
fn the_documented_report_has_the_keys_of_a_real_one() {
    let text = read("docs/cli.md");
    let documented: serde_json::Value = blocks(&text)
        .iter()
        .find_map(|(language, json)| {
            (*language == "json").then(|| serde_json::from_str(json).unwrap())
        })
        .unwrap();
    let manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n---\nkind: Pod\n";
    let ran = crate::run::kubehash_with(&["hash", "-r", "1.30", "-o", "json"], manifest.as_bytes());
    let real = ran.json();
    let mut keys = Vec::new();
    shape("", &documented, &mut keys);
    let mut real_keys = Vec::new();
    shape("", &real, &mut real_keys);
    assert_eq!(keys, real_keys);
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
    let help = kubehash(&["hash", "--help"]).stdout;
    for code in ["0", "1", "3"] {
        assert!(text.contains(&format!("| {code} |")), "docs/cli.md: {code}");
        assert!(
            help.lines()
                .any(|line| line.trim_start().starts_with(&format!("{code}  "))),
            "help: {code}"
        );
    }
}
