//! YAML to JSON, byte for byte as Kubernetes does it before it decodes a manifest.
//!
//! In: the text of one document and a release's [`Dialect`]. Out: JSON text. Mirrors `YAMLToJSON`
//! of `github.com/ghodss/yaml` (up to 1.12) and `sigs.k8s.io/yaml` (since), which is go-yaml v2,
//! then a walk that makes every key a string, then `encoding/json`. go-yaml is YAML 1.1 with habits
//! of its own: `on` is true, `0644` is 420, an entry after `<<` does not win over one before it,
//! text after the first document is not read.
//!
//! The steps are a module each: `reader` (bytes to text), `scanner` (tokens), `parser` (nodes),
//! `resolve` (scalars), `convert` (JSON). The scanner is ours because no crate has go-yaml's
//! grammar in all its releases: libyaml's own differs in escapes and in flow scalars.

mod convert;
mod parser;
mod reader;
mod resolve;
mod scanner;

use std::fmt;

use crate::float::JsonFloats;
use crate::release::Release;
use crate::toolchain::{JsonStyle, Toolchain};

/// How a release reads YAML: its go-yaml, and the Go that it was built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    go_yaml: &'static GoYaml,
    /// `strconv.ParseInt` knows `0b` and `0o` (Go 1.13).
    base_prefixes: bool,
    json_floats: JsonFloats,
    short_escapes: bool,
    /// How the error about a key begins that JSON cannot have.
    unsupported_key: &'static str,
}

impl Dialect {
    /// The dialect of a release. The toolchain is the one it shipped with.
    pub fn of(release: Release, toolchain: Toolchain) -> Dialect {
        let go_yaml = GO_YAML
            .iter()
            .rev()
            .find(|(since, _)| *since <= release)
            .map_or(&V_2015_09, |(_, version)| version);
        Dialect {
            go_yaml,
            base_prefixes: toolchain >= Toolchain::new(13, 0),
            json_floats: JsonFloats::of(toolchain),
            short_escapes: JsonStyle::of(toolchain).short_escapes,
            unsupported_key: if release < Release::new(31, 0) {
                "Unsupported map key"
            } else {
                "unsupported map key"
            },
        }
    }
}

/// Which go-yaml a release has: its pins in `Godeps.json` and `go.mod`. It changed within minors
/// where a security fix was picked back (CVE-2019-11253, CVE-2019-11254).
const GO_YAML: &[(Release, GoYaml)] = &[
    (Release::new(0, 0), V_2014),
    (Release::new(4, 0), V_2015_09),
    (Release::new(10, 0), V_2017_07),
    (Release::new(13, 0), V2_2_1),
    (Release::new(13, 12), V2_2_4),
    (Release::new(14, 0), V2_2_1),
    (Release::new(14, 8), V2_2_4),
    (Release::new(15, 0), V2_2_1),
    (Release::new(15, 5), V2_2_4),
    (Release::new(15, 10), V2_2_8),
    // 2.2.2 differs from 2.2.1 in nothing that is read here.
    (Release::new(16, 0), V2_2_1),
    (Release::new(16, 2), V2_2_4),
    (Release::new(16, 7), V2_2_8),
    (Release::new(17, 0), V2_2_4),
    // 2.4.0, the fork in sigs.k8s.io/yaml 1.4 and go.yaml.in/yaml/v2 2.4.2 to 2.4.4 read like
    // 2.2.8: their decoders are the same files.
    (Release::new(17, 3), V2_2_8),
];

/// One version of go-yaml v2, told by what it does.
#[derive(Debug, PartialEq, Eq)]
struct GoYaml {
    /// What a plain number may look like if it is no integer.
    float: FloatGrammar,
    /// One event is parsed after the document, so what follows it must at least begin well.
    reads_past_the_end: bool,
    /// An alias means the *last* node of its name, even one further down.
    late_anchors: bool,
    /// `{a:b}` is an error.
    no_colon_in_flow: bool,
    /// What makes a tag, so that its absence is an error.
    tag_uri: TagUri,
    /// `{}: a` is an empty mapping, see `Scanner::insert`.
    forgets_empty_keys: bool,
    /// A key that lacks its `:` is noticed on the next line and not at the next key.
    eager_keys: bool,
    /// `%TAG ! a` crashes the parser.
    crashes_on_primary_handle: bool,
    /// UTF-16 is decoded. Before, it came out as garbage that no type takes.
    utf16: bool,
    /// Errors of the scanner count lines from 1. All others count from 0, to this day.
    scanner_lines_from_one: bool,
    /// `!!timestamp` is checked.
    timestamps: bool,
    /// `!!float 1` is a float and no error.
    int_as_float: bool,
    /// `-0b-1` is a string and not 1.
    strict_negative_binary: bool,
    /// Documents that are mostly aliases are refused.
    alias_ratio: bool,
    wording: Wording,
}

/// What plain numbers look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FloatGrammar {
    /// Whatever `strconv.ParseFloat` takes, `+Inf` included.
    Anything,
    /// A sign must follow the `e`, and a digit the point: `1e3` and `1.` are strings.
    SignedExponent,
    /// YAML 1.1's floats without base 60.
    Full,
}

/// What must be there for a tag to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TagUri {
    /// Something after the `!`, so that a lone `!` is an error.
    WithoutHead,
    /// Something that is not `%41`.
    WithoutEscapes,
    /// Anything.
    Anything,
}

/// Texts of errors that were corrected over time.
#[derive(Debug, PartialEq, Eq)]
struct Wording {
    unknown_directive: &'static str,
    zero_indentation: &'static str,
    tab_in_block_scalar: &'static str,
    tab_in_plain_scalar: &'static str,
    /// The one text for whatever is wrong with a tag, where there is only one.
    tag: Option<&'static str>,
}

/// d466437, before the typing errors in the texts were mended.
const V_2014: GoYaml = GoYaml {
    wording: Wording {
        unknown_directive: "found uknown directive name",
        zero_indentation: "found an intendation indicator equal to 0",
        tab_in_block_scalar: "found a tab character where an intendation space is expected",
        tab_in_plain_scalar: "found a tab character that violate intendation",
        ..V_2015_09.wording
    },
    ..V_2015_09
};

/// 53feefa
const V_2015_09: GoYaml = GoYaml {
    float: FloatGrammar::Anything,
    reads_past_the_end: true,
    late_anchors: true,
    no_colon_in_flow: true,
    tag_uri: TagUri::WithoutHead,
    forgets_empty_keys: false,
    eager_keys: true,
    crashes_on_primary_handle: true,
    utf16: false,
    scanner_lines_from_one: false,
    timestamps: false,
    int_as_float: false,
    strict_negative_binary: false,
    alias_ratio: false,
    wording: Wording {
        unknown_directive: "found uknown directive name",
        zero_indentation: "found an indentation indicator equal to 0",
        tab_in_block_scalar: "found a tab character where an indentation space is expected",
        tab_in_plain_scalar: "found a tab character that violate indentation",
        tag: Some("did not find URI escaped octet"),
    },
};

/// 670d4cf
const V_2017_07: GoYaml = GoYaml {
    float: FloatGrammar::SignedExponent,
    tag_uri: TagUri::WithoutEscapes,
    utf16: true,
    wording: Wording {
        unknown_directive: "found unknown directive name",
        tag: None,
        ..V_2015_09.wording
    },
    ..V_2015_09
};

const V2_2_1: GoYaml = GoYaml {
    reads_past_the_end: false,
    late_anchors: false,
    no_colon_in_flow: false,
    crashes_on_primary_handle: false,
    tag_uri: TagUri::Anything,
    scanner_lines_from_one: true,
    timestamps: true,
    int_as_float: true,
    strict_negative_binary: true,
    wording: Wording {
        tab_in_plain_scalar: "found a tab character that violates indentation",
        ..V_2017_07.wording
    },
    ..V_2017_07
};

const V2_2_4: GoYaml = GoYaml {
    float: FloatGrammar::Full,
    alias_ratio: true,
    ..V2_2_1
};

const V2_2_8: GoYaml = GoYaml {
    forgets_empty_keys: true,
    eager_keys: false,
    ..V2_2_4
};

/// A converted document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The document as JSON.
    pub json: String,
    /// The keys that a mapping has more than once, by line. The last one won; Kubernetes' strict
    /// decoding would refuse the document. Entries that `<<` brings count.
    pub duplicates: Vec<Duplicate>,
    /// The line, counted from 1, on which the text goes on behind the document's end: go-yaml does
    /// not read it, whatever it is. Comments, directives and document markers do not count.
    pub unread: Option<usize>,
}

/// A key that its mapping had already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The field: `spec.containers[0].image`.
    pub path: String,
    /// The line of the later value, counted from 1.
    pub line: usize,
}

/// The text is not YAML, or not YAML that can be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Whether go-yaml says it, which signs its errors.
    signed: bool,
    /// The line in Go's text; 0 where it names none.
    told: usize,
    problem: String,
    line: Option<usize>,
    path: String,
}

impl YamlError {
    /// What is wrong, in Go's words, without the place.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The line that is meant, counted from 1, where one is known. The line in the text is Go's own,
    /// which for many errors is one less.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The field that is meant, `spec.containers[0].image`; empty where none is known.
    pub fn path(&self) -> &str {
        &self.path
    }

    fn at(mut self, path: String) -> YamlError {
        self.path = path;
        self
    }

    /// An error at a line, counted from 0, that Go does not name.
    fn new(problem: impl Into<String>, line: usize) -> YamlError {
        YamlError {
            signed: true,
            told: 0,
            problem: problem.into(),
            line: Some(line + 1),
            path: String::new(),
        }
    }

    fn unplaced(problem: &str) -> YamlError {
        YamlError {
            signed: true,
            told: 0,
            problem: problem.to_owned(),
            line: None,
            path: String::new(),
        }
    }

    /// An error that is not go-yaml's.
    fn bare(problem: String, line: Option<usize>) -> YamlError {
        YamlError {
            signed: false,
            told: 0,
            problem,
            line: line.map(|line| line + 1),
            path: String::new(),
        }
    }

    fn unknown_anchor(name: &str, line: usize) -> YamlError {
        YamlError::new(format!("unknown anchor '{name}' referenced"), line)
    }

    fn in_scanner(rules: &GoYaml, problem: &str, line: usize, context: usize) -> YamlError {
        let told = match line {
            0 => context,
            line => line + usize::from(rules.scanner_lines_from_one),
        };
        YamlError {
            told,
            ..YamlError::new(problem, line)
        }
    }

    fn in_parser(problem: &str, line: usize, context: usize) -> YamlError {
        let told = if line == 0 { context } else { line };
        YamlError {
            told,
            ..YamlError::new(problem, line)
        }
    }
}

impl fmt::Display for YamlError {
    /// The text that Go has for it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.signed {
            f.write_str("yaml: ")?;
        }
        if self.told > 0 {
            write!(f, "line {}: ", self.told)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for YamlError {}

/// Converts the first document of a YAML text; no document is `null`.
///
/// ```
/// use kubehash::release::Release;
/// use kubehash::toolchain::Toolchain;
/// use kubehash::yaml::{self, Dialect};
///
/// let dialect = Dialect::of(Release::new(30, 14), Toolchain::new(23, 10));
/// let converted = yaml::convert(b"mode: 0644\non: yes", dialect).unwrap();
/// assert_eq!(converted.json, r#"{"mode":420,"true":true}"#);
/// ```
///
/// # Errors
/// Where the release reports one, in its words. One limit is ours: aliases may not expand to JSON
/// of more than 64 MiB or 16 times the text.
pub fn convert(text: &[u8], dialect: Dialect) -> Result<Converted, YamlError> {
    let input = reader::read(text);
    if matches!(text, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) && !dialect.go_yaml.utf16 {
        return Err(YamlError::unplaced("this release cannot read UTF-16"));
    }
    let scanner = scanner::Scanner::new(&input.text, input.broken, dialect.go_yaml);
    let document = parser::parse(scanner, dialect.go_yaml)?;
    convert::convert(&document, dialect, text.len())
}

/// `YAMLToJSON`: like [`convert`], the JSON only.
///
/// # Errors
/// As [`convert`].
pub fn yaml_to_json(text: &[u8], dialect: Dialect) -> Result<String, YamlError> {
    convert(text, dialect).map(|converted| converted.json)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialect(minor: u16, patch: u16) -> Dialect {
        let go = match minor {
            ..5 => 4,
            5..7 => 7,
            7..9 => 8,
            9..11 => 9,
            11..13 => 10,
            13 => 11,
            14..16 => 12,
            16..19 => 13,
            _ => 23,
        };
        Dialect::of(Release::new(minor, patch), Toolchain::new(go, 0))
    }

    fn convert(text: &str, release: (u16, u16)) -> String {
        yaml_to_json(text.as_bytes(), dialect(release.0, release.1))
            .unwrap_or_else(|e| e.to_string())
    }

    /// Texts and what became of them, era by era; every line was seen in the real go-yaml.
    #[test]
    fn eras() {
        type Answer = ((u16, u16), &'static str);
        let cases: &[(&str, &[Answer])] = &[
            (
                "a: 1e3",
                &[
                    ((9, 11), r#"{"a":1000}"#),
                    ((12, 10), r#"{"a":"1e3"}"#),
                    ((13, 11), r#"{"a":"1e3"}"#),
                    ((13, 12), r#"{"a":1000}"#),
                    ((14, 7), r#"{"a":"1e3"}"#),
                    ((15, 4), r#"{"a":"1e3"}"#),
                    ((15, 5), r#"{"a":1000}"#),
                    ((16, 1), r#"{"a":"1e3"}"#),
                    ((16, 2), r#"{"a":1000}"#),
                    ((30, 14), r#"{"a":1000}"#),
                ],
            ),
            (
                "a: 0o17",
                &[((15, 12), r#"{"a":"0o17"}"#), ((16, 15), r#"{"a":15}"#)],
            ),
            (
                "a: 1500000.5",
                &[
                    ((6, 13), r#"{"a":1.5000005e+06}"#),
                    ((7, 5), r#"{"a":1500000.5}"#),
                ],
            ),
            (
                "a: +Inf",
                &[
                    ((9, 11), "json: unsupported value: +Inf"),
                    ((10, 13), r#"{"a":"+Inf"}"#),
                ],
            ),
            (
                "{a:b}",
                &[
                    ((12, 10), "yaml: found unexpected ':'"),
                    ((13, 0), r#"{"a:b":null}"#),
                ],
            ),
            (
                "\"a\" b",
                &[
                    ((12, 10), "yaml: did not find expected <document start>"),
                    ((13, 0), "\"a\""),
                ],
            ),
            (
                "- &x 1\n- *x\n- &x 2",
                &[((12, 10), "[1,2,2]"), ((13, 0), "[1,1,2]")],
            ),
            (
                "a: !!float 1",
                &[
                    ((12, 10), "yaml: cannot decode !!int `1` as a !!float"),
                    ((13, 0), r#"{"a":1}"#),
                ],
            ),
            (
                "a: ! b",
                &[
                    ((9, 11), "yaml: did not find URI escaped octet"),
                    ((10, 13), r#"{"a":"b"}"#),
                ],
            ),
            (
                "{}: a",
                &[
                    (
                        (15, 9),
                        "yaml: invalid map key: map[interface {}]interface {}{}",
                    ),
                    ((15, 10), "{}"),
                ],
            ),
            (
                "a: 1\nb: c: d",
                &[
                    (
                        (12, 10),
                        "yaml: line 1: mapping values are not allowed in this context",
                    ),
                    (
                        (13, 0),
                        "yaml: line 2: mapping values are not allowed in this context",
                    ),
                ],
            ),
            (
                "~: a",
                &[
                    (
                        (30, 14),
                        "Unsupported map key of type: %!s(<nil>), key: <nil>, value: \"a\"",
                    ),
                    (
                        (31, 14),
                        "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"a\"",
                    ),
                ],
            ),
            (
                "a: \"\\b\"",
                &[((18, 20), r#"{"a":"\u0008"}"#), ((30, 14), r#"{"a":"\b"}"#)],
            ),
        ];
        for (text, answers) in cases {
            for (release, expected) in *answers {
                assert_eq!(
                    convert(text, *release),
                    *expected,
                    "{text:?} in {release:?}"
                );
            }
        }
    }

    #[test]
    fn merged_entries_win_over_earlier_ones_and_lose_to_later_ones() {
        let text = "a: &a {x: 1}\nb: {x: 2, <<: *a}\nc: {<<: *a, x: 2}\nd: {<<: [{x: 3}, *a]}";
        assert_eq!(
            convert(text, (30, 14)),
            r#"{"a":{"x":1},"b":{"x":1},"c":{"x":2},"d":{"x":3}}"#
        );
    }

    #[test]
    fn duplicates_are_told_with_path_and_line() {
        let text = b"spec:\n- a: 1\n  b: {c: 1,\n   c: 2}\n  a: 3\n1: a\n\"1\": a\n";
        let converted = super::convert(text, dialect(30, 14)).unwrap();
        assert_eq!(converted.json, r#"{"1":"a","spec":[{"a":3,"b":{"c":2}}]}"#);
        let duplicates: Vec<_> = converted
            .duplicates
            .iter()
            .map(|d| (d.path.as_str(), d.line))
            .collect();
        assert_eq!(duplicates, [("spec[0].b.c", 4), ("spec[0].a", 5)]);
    }

    #[test]
    fn bombs_are_refused() {
        let bomb: String = (1..40)
            .map(|i| format!("a{i}: &a{i} [*a{0}, *a{0}]\n", i - 1))
            .collect();
        let bomb = format!("a0: &a0 [x]\n{bomb}");
        let strings = format!(
            "a: &a {}\nb:\n{}",
            "x".repeat(100_000),
            "- *a\n".repeat(10_000)
        );
        for release in [(1, 8), (13, 0), (30, 14)] {
            for text in [&bomb, &strings] {
                assert_eq!(
                    convert(text, release),
                    "yaml: document contains excessive aliasing"
                );
            }
            for text in [
                "[".repeat(50_000),
                "- ".repeat(50_000),
                "{a: ".repeat(50_000),
            ] {
                assert!(convert(&text, release).starts_with("yaml: exceeded max depth"));
            }
        }
    }

    /// The corpus itself is checked against Go by the vectors; here its cases are cut and
    /// disturbed, which must end in an answer, whatever it is.
    #[test]
    fn no_text_panics() {
        let corpus = include_str!("../golden/corpus/yaml.jsonl");
        let mut cases = 0;
        for line in corpus.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = case["text"].as_str().unwrap().as_bytes();
            cases += 1;
            for release in [(9, 11), (30, 14)] {
                let dialect = dialect(release.0, release.1);
                let mut copy = text.to_vec();
                for at in (0..text.len().min(240)).step_by(2) {
                    let _ = yaml_to_json(&text[..at], dialect);
                    let kept = copy[at];
                    for byte in [b'\n', b':', b'"', b'\\'] {
                        copy[at] = byte;
                        let _ = yaml_to_json(&copy, dialect);
                    }
                    copy[at] = kept;
                }
            }
        }
        assert!(cases >= 100, "the corpus has {cases} cases");
    }
}
