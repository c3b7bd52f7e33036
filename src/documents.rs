//! A file's bytes to the JSON of each object in it.
//!
//! In: the bytes of a file and the [`Dialect`] of the release that reads it. Out: the objects in
//! the order of the file, or why one of them cannot be read; the others are read all the same.
//!
//! Mirrors `YAMLOrJSONDecoder` and `YAMLReader` of `k8s.io/apimachinery/pkg/util/yaml/decoder.go`
//! as of 1.30: a document that begins with `{` is JSON, all others are YAML, and lines that begin
//! with `---` part them. Older releases split at more or fewer of those lines; a file is split the
//! same way for every release here, so that its objects keep their numbers. `List`s, `PodList`s and
//! the like are taken apart as kubectl does it.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::diagnostic::{Diagnostic, FieldPath};
use crate::json::{Reader, SyntaxError, Token};
use crate::yaml::{self, Dialect, YamlError};

/// Lists inside of lists, deeper than anybody makes them: each level is read again.
const MAX_LIST_DEPTH: usize = 16;

/// More duplicates than anybody reads.
const MAX_DUPLICATES: usize = 1_000;

/// One object of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<'a> {
    /// Its position among the objects of the file, counted from 1. Items of lists count one by
    /// one, and objects that cannot be read count too.
    pub number: usize,
    /// The line of the file where its YAML or JSON document begins, counted from 1.
    pub line: usize,
    /// Where it is in that document: `items[3]`; empty for the document itself.
    pub place: String,
    /// Its text. Borrowed where the file was JSON.
    pub json: Cow<'a, str>,
    /// A warning for each key that an object has more than once. The last one counts; Kubernetes'
    /// strict decoding would refuse it.
    pub duplicates: Vec<Diagnostic>,
}

/// Takes a file apart.
///
/// An entry for each object: the object, or what is wrong with it. A file without an object gives
/// one entry that says so, with a warning. `source` is how diagnostics name the file.
///
/// ```
/// use kubehash::documents;
/// use kubehash::release::Release;
/// use kubehash::toolchain::Toolchain;
/// use kubehash::yaml::Dialect;
///
/// let dialect = Dialect::of(Release::new(30, 14), Toolchain::new(23, 10));
/// let file = b"kind: Pod\n---\nkind: List\nitems: [{kind: Job}, {kind: Pod}]";
/// let objects: Vec<_> = documents::read("web.yaml", file, dialect)
///     .into_iter()
///     .map(|object| object.unwrap().json)
///     .collect();
/// assert_eq!(objects, [r#"{"kind":"Pod"}"#, r#"{"kind":"Job"}"#, r#"{"kind":"Pod"}"#]);
/// ```
pub fn read<'a>(
    source: &str,
    bytes: &'a [u8],
    dialect: Dialect,
) -> Vec<Result<Document<'a>, Diagnostic>> {
    let text = match text(bytes) {
        Ok(text) => text,
        Err(diagnostic) => return vec![Err(diagnostic.in_source(source))],
    };
    let mut entries = Entries {
        source,
        dialect,
        entries: Vec::new(),
    };
    let mut rest = text;
    let mut line = 1;
    while !rest.is_empty() {
        let read = if rest.trim_start().starts_with('{') {
            entries.json(rest, line)
        } else {
            entries.yaml(rest, line)
        };
        let (read, after) = rest.split_at_checked(read).unwrap_or((rest, ""));
        line += read.bytes().filter(|&b| b == b'\n').count();
        rest = after;
    }
    if entries.entries.is_empty() {
        entries.entries.push(Err(nothing(text).in_source(source)));
    }
    entries.entries
}

fn text(bytes: &[u8]) -> Result<&str, Diagnostic> {
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = bytes {
        let diagnostic = Diagnostic::error("the file is UTF-16, not UTF-8");
        return Err(diagnostic.with_hint("save it as UTF-8"));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = good.iter().filter(|&&b| b == b'\n').count() + 1;
            let hint = if bytes.contains(&0) {
                "is it a binary file?"
            } else {
                "save it as UTF-8"
            };
            let message = format!("line {line}: the file is not UTF-8");
            Err(Diagnostic::error(message).with_hint(hint))
        }
    }
}

/// Not an error: what is not there cannot be wrong. Whether that will do is for the caller to say.
fn nothing(text: &str) -> Diagnostic {
    if text.trim().is_empty() {
        Diagnostic::warning("the file is empty")
    } else if text
        .lines()
        .all(|line| line.is_empty() || line.trim_start().starts_with('#'))
    {
        Diagnostic::warning("the file holds nothing but comments")
    } else {
        Diagnostic::warning("the file holds no object")
    }
}

struct Entries<'s, 'a> {
    source: &'s str,
    dialect: Dialect,
    entries: Vec<Result<Document<'a>, Diagnostic>>,
}

impl<'a> Entries<'_, 'a> {
    fn next_number(&self) -> usize {
        self.entries.len() + 1
    }

    fn fail(&mut self, diagnostic: Diagnostic) {
        let number = self.next_number();
        self.entries
            .push(Err(diagnostic.in_document(self.source, number)));
    }

    // ---- YAML -------------------------------------------------------------------------------

    /// Reads the first document of some YAML and returns how many bytes it takes, its separator
    /// included.
    fn yaml(&mut self, text: &'a str, line: usize) -> usize {
        let (document, read, separator) = split(text);
        if let Some(garbage) = separator {
            let line = line + text.get(..read).unwrap_or_default().lines().count() - 1;
            // Reported after the document that it ends.
            self.yaml_document(document, line);
            self.fail(
                Diagnostic::error(format!(
                    "line {line}: invalid document separator: {garbage}"
                ))
                .with_hint("after --- on its line, Kubernetes takes comments only"),
            );
        } else {
            self.yaml_document(document, line);
        }
        read
    }

    fn yaml_document(&mut self, text: &'a str, line: usize) {
        if text.trim().is_empty() {
            return;
        }
        match yaml::convert(text.as_bytes(), self.dialect) {
            Ok(converted) if converted.json == "null" => {}
            Ok(converted) => {
                let duplicates = converted
                    .duplicates
                    .into_iter()
                    .map(|found| (found.path, Some(line + found.line - 1)))
                    .collect();
                self.objects(Cow::Owned(converted.json), line, duplicates);
            }
            Err(error) => self.fail(yaml_diagnostic(&error, text, line)),
        }
    }

    // ---- JSON -------------------------------------------------------------------------------

    /// Reads a JSON object and returns how many bytes it takes.
    fn json(&mut self, text: &'a str, line: usize) -> usize {
        let mut reader = Reader::new(text);
        match reader.raw() {
            Ok(json) => {
                let skipped = reader.offset() - json.len();
                let line = line + count_lines(text, skipped);
                let duplicates = duplicate_keys(json)
                    .into_iter()
                    .map(|found| (found.path, Some(line + count_lines(json, found.offset))))
                    .collect();
                self.objects(Cow::Borrowed(json), line, duplicates);
                // A separator, or white space at the end, is nothing to report.
                let after = text.get(reader.offset()..).unwrap_or_default();
                let space = after.len() - after.trim_start().len();
                reader.offset() + space
            }
            Err(error) => {
                // Nothing but a separator tells where the next object begins.
                let end = match text.get(error.offset..).and_then(|rest| rest.find("\n---")) {
                    Some(at) => error.offset + at + 1,
                    None => text.len(),
                };
                let text = text.get(..end).unwrap_or(text);
                self.fail(
                    template(text, line).unwrap_or_else(|| json_diagnostic(&error, text, line)),
                );
                end
            }
        }
    }

    // ---- objects and lists ------------------------------------------------------------------

    /// Adds a document's object, or the items of its lists. `duplicates` are paths in the document
    /// and lines in the file.
    fn objects(
        &mut self,
        json: Cow<'a, str>,
        line: usize,
        duplicates: Vec<(String, Option<usize>)>,
    ) {
        let mut found = match &json {
            Cow::Borrowed(text) => flatten(text)
                .into_iter()
                .map(|item| Found {
                    place: item.place,
                    json: item.json.map(|text| match item.implied {
                        Some(implied) => Cow::Owned(implied.into_object(text)),
                        None => Cow::Borrowed(text),
                    }),
                })
                .collect::<Vec<_>>(),
            Cow::Owned(text) => flatten(text)
                .into_iter()
                .map(|item| Found {
                    place: item.place,
                    json: item.json.map(|text| match item.implied {
                        Some(implied) => Cow::Owned(implied.into_object(text)),
                        None => Cow::Owned(text.to_owned()),
                    }),
                })
                .collect(),
        };
        if let [
            Found {
                place,
                json: only @ Ok(_),
            },
        ] = found.as_mut_slice()
            && place.is_empty()
        {
            *only = Ok(json);
        }
        let mut left = duplicates;
        for Found { place, json } in found {
            match json {
                Ok(json) => {
                    let number = self.next_number();
                    let duplicates = take_below(&mut left, &place)
                        .map(|(path, line)| duplicate(&path, line).in_document(self.source, number))
                        .collect();
                    self.entries.push(Ok(Document {
                        number,
                        line,
                        place,
                        json,
                        duplicates,
                    }));
                }
                Err(diagnostic) => self.fail(diagnostic.at(place)),
            }
        }
    }
}

struct Found<'a> {
    place: String,
    json: Result<Cow<'a, str>, Diagnostic>,
}

fn count_lines(text: &str, bytes: usize) -> usize {
    text.bytes().take(bytes).filter(|&b| b == b'\n').count()
}

fn duplicate(path: &str, line: Option<usize>) -> Diagnostic {
    let diagnostic = Diagnostic::warning("the key is there twice: the last one counts").at(path);
    match line {
        Some(line) => diagnostic.with_hint(format!("remove one of them; one is on line {line}")),
        None => diagnostic,
    }
}

/// Takes the paths that lie in an item, and makes them the item's own.
fn take_below(
    duplicates: &mut Vec<(String, Option<usize>)>,
    place: &str,
) -> impl Iterator<Item = (String, Option<usize>)> {
    let mut below = Vec::new();
    duplicates.retain(|(path, line)| {
        let inner = match path.strip_prefix(place) {
            Some(rest) if place.is_empty() => Some(rest),
            Some(rest) => rest.strip_prefix('.'),
            None => None,
        };
        if let Some(inner) = inner {
            below.push((inner.to_owned(), *line));
        }
        inner.is_none()
    });
    below.into_iter()
}

/// Parts the first document from what follows it: its text, the bytes read, and what makes the
/// separator's line invalid.
fn split(text: &str) -> (&str, usize, Option<&str>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(after) = line.strip_prefix("---") {
            let after = after.trim();
            let document = text.get(..at).unwrap_or_default();
            let garbage = (!after.is_empty() && !after.starts_with('#')).then_some(after);
            return (document, end, garbage);
        }
        at = end;
    }
    (text, text.len(), None)
}

// ---- lists ----------------------------------------------------------------------------------

struct Item<'j> {
    place: String,
    /// The kind that the list gives to items that do not say it.
    implied: Option<Implied>,
    json: Result<&'j str, Diagnostic>,
}

/// What the items of a `PodList` are: the API server does not repeat it in each.
#[derive(Clone)]
struct Implied {
    api_version: String,
    kind: String,
}

impl Implied {
    fn into_object(self, json: &str) -> String {
        let quote = |text: String| serde_json::Value::String(text).to_string();
        let fields = json.trim_start().strip_prefix('{').unwrap_or_default();
        let comma = if fields.trim_start().starts_with('}') {
            ""
        } else {
            ","
        };
        let (api_version, kind) = (quote(self.api_version), quote(self.kind));
        format!("{{\"apiVersion\":{api_version},\"kind\":{kind}{comma}{fields}")
    }
}

/// The objects of a document: itself, or the items of the lists it is made of.
fn flatten(json: &str) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut rest = vec![(String::new(), None::<Implied>, json, 0)];
    while let Some((place, implied, json, depth)) = rest.pop() {
        let meta = match Meta::of(json) {
            Ok(meta) => meta,
            Err(diagnostic) => {
                items.push(Item {
                    place,
                    implied: None,
                    json: Err(diagnostic),
                });
                continue;
            }
        };
        let Some(list) = meta.items.filter(|_| meta.kind.ends_with("List")) else {
            let implied = implied.filter(|_| meta.kind.is_empty());
            items.push(Item {
                place,
                implied,
                json: Ok(json),
            });
            continue;
        };
        if depth == MAX_LIST_DEPTH {
            let message = format!("lists are nested deeper than {MAX_LIST_DEPTH} levels");
            items.push(Item {
                place,
                implied: None,
                json: Err(Diagnostic::error(message)),
            });
            continue;
        }
        let implied = match meta.kind.strip_suffix("List") {
            None | Some("") => None,
            Some(kind) => Some(Implied {
                api_version: meta.api_version,
                kind: kind.to_owned(),
            }),
        };
        let first = rest.len();
        let mut reader = Reader::new(list);
        let mut more = true;
        if reader.begin_array().is_ok() {
            let mut index = 0;
            while reader.next_item(&mut more).unwrap_or(false) {
                let Ok(item) = reader.raw() else { break };
                let mut path = place.clone();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&format!("items[{index}]"));
                rest.push((path, implied.clone(), item, depth + 1));
                index += 1;
            }
        }
        // The stack gives back what was put on it last.
        if let Some(added) = rest.get_mut(first..) {
            added.reverse();
        }
    }
    items
}

#[derive(Default)]
struct Meta<'j> {
    api_version: String,
    kind: String,
    /// The text of `items`, if that is a list.
    items: Option<&'j str>,
}

impl<'j> Meta<'j> {
    fn of(json: &'j str) -> Result<Meta<'j>, Diagnostic> {
        let syntax = |error: SyntaxError| Diagnostic::error(error.to_string());
        let mut reader = Reader::new(json);
        match reader.peek().map_err(syntax)? {
            Token::Object => {}
            Token::Array => {
                return Err(
                    Diagnostic::error("expected an object, found a list").with_hint(
                        "put the objects into a List: {apiVersion: v1, kind: List, items: […]}",
                    ),
                );
            }
            found => {
                let message = format!("expected an object, found {}", found.describe());
                return Err(Diagnostic::error(message).with_hint("is it a Kubernetes manifest?"));
            }
        }
        let mut meta = Meta::default();
        let mut first = true;
        reader.begin_object().map_err(syntax)?;
        while let Some(key) = reader.next_key(&mut first).map_err(syntax)? {
            let value = reader.peek().map_err(syntax)?;
            match (key.as_ref(), value) {
                ("apiVersion", Token::String) => {
                    meta.api_version = reader.string().map_err(syntax)?.into_owned();
                }
                ("kind", Token::String) => {
                    meta.kind = reader.string().map_err(syntax)?.into_owned()
                }
                ("items", Token::Array) => meta.items = Some(reader.raw().map_err(syntax)?),
                // What Go's clients write for a list that holds nothing.
                ("items", Token::Null) => {
                    reader.null().map_err(syntax)?;
                    meta.items = Some("[]");
                }
                _ => {
                    reader.raw().map_err(syntax)?;
                }
            }
        }
        Ok(meta)
    }
}

// ---- duplicates in JSON ---------------------------------------------------------------------

/// A key that its object had already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The field: `spec.containers[0].image`.
    pub path: String,
    /// Where in the text the later value begins, in bytes.
    pub offset: usize,
}

/// The keys that an object of a JSON text has more than once, in document order. Decoders let the
/// last one win and say nothing. A text that is not JSON is looked at up to its error.
pub fn duplicate_keys(json: &str) -> Vec<DuplicateKey> {
    enum Open<'a> {
        Object {
            first: bool,
            keys: HashSet<Cow<'a, str>>,
            key: Cow<'a, str>,
        },
        Array {
            first: bool,
            index: usize,
        },
    }
    fn path(open: &[Open<'_>]) -> String {
        let mut path = FieldPath::default();
        for level in open {
            match level {
                Open::Object { key, .. } => path.key(key),
                Open::Array { index, .. } => path.index(index.saturating_sub(1)),
            }
        }
        path.into()
    }

    let mut found = Vec::new();
    let mut reader = Reader::new(json);
    let mut open: Vec<Open<'_>> = Vec::new();
    loop {
        // A value.
        let entered = match reader.peek() {
            Ok(Token::Object) => reader.begin_object().map(|()| {
                let key = Cow::Borrowed("");
                open.push(Open::Object {
                    first: true,
                    keys: HashSet::new(),
                    key,
                });
            }),
            Ok(Token::Array) => reader.begin_array().map(|()| {
                open.push(Open::Array {
                    first: true,
                    index: 0,
                })
            }),
            Ok(_) => reader.raw().map(drop),
            Err(error) => Err(error),
        };
        if entered.is_err() {
            return found;
        }
        // What follows it.
        loop {
            let more = match open.last_mut() {
                None => return found,
                Some(Open::Array { first, index }) => {
                    *index += 1;
                    reader.next_item(first)
                }
                Some(Open::Object { first, keys, key }) => match reader.next_key(first) {
                    Ok(Some(next)) => {
                        let known = !keys.insert(next.clone());
                        *key = next;
                        if known {
                            let offset = reader.offset();
                            found.push(DuplicateKey {
                                path: path(&open),
                                offset,
                            });
                            if found.len() == MAX_DUPLICATES {
                                return found;
                            }
                        }
                        Ok(true)
                    }
                    Ok(None) => Ok(false),
                    Err(error) => Err(error),
                },
            };
            match more {
                Ok(true) => break,
                Ok(false) => {
                    open.pop();
                }
                Err(_) => return found,
            }
        }
    }
}

// ---- words ----------------------------------------------------------------------------------

fn yaml_diagnostic(error: &YamlError, text: &str, first_line: usize) -> Diagnostic {
    if let Some(diagnostic) = template(text, first_line) {
        return diagnostic;
    }
    let problem = error.problem();
    let message = match error.line() {
        Some(line) => format!("line {}: not valid YAML: {problem}", first_line + line - 1),
        None => format!("not valid YAML: {problem}"),
    };
    let diagnostic = Diagnostic::error(message);
    let line = error
        .line()
        .and_then(|line| text.lines().nth(line - 1))
        .unwrap_or_default();
    let at_end = error
        .line()
        .is_some_and(|line| line >= text.trim_end().lines().count());
    let hint = match problem {
        "found character that cannot start any token"
            if line.trim_start_matches(' ').starts_with('\t') =>
        {
            "YAML is indented with spaces, not with tabs"
        }
        "found character that cannot start any token" => {
            "a plain value cannot begin with this character: put it in quotes"
        }
        "mapping values are not allowed in this context" => {
            "is the indentation right? A value that contains `: ` needs quotes"
        }
        "control characters are not allowed" => "is it a text file?",
        "found unexpected end of stream" => "the text ends inside quotes: is the file complete?",
        _ if at_end && problem.starts_with("did not find expected") => {
            "the text ends too early: is the file complete?"
        }
        "could not find expected ':'" | "did not find expected key" => "is the indentation right?",
        "did not find expected '-' indicator" => "is the indentation right?",
        _ => return diagnostic,
    };
    diagnostic.with_hint(hint)
}

fn json_diagnostic(error: &SyntaxError, text: &str, first_line: usize) -> Diagnostic {
    let line = first_line + count_lines(text, error.offset);
    let diagnostic = Diagnostic::error(format!("line {line}: not valid JSON: {}", error.what));
    if error.offset >= text.trim_end().len() {
        return diagnostic.with_hint("the text ends too early: is the file complete?");
    }
    diagnostic.with_hint(
        "a document that begins with { is read as JSON: keys and strings need double quotes",
    )
}

/// Whether what cannot be read is a Helm chart's template: a file with `{{ … }}` outside of quotes.
fn template(text: &str, first_line: usize) -> Option<Diagnostic> {
    let (index, _) = text.lines().enumerate().find(|(_, line)| {
        line.find("{{").is_some_and(|at| {
            let before = line.get(..at).unwrap_or_default();
            line.contains("}}") && !before.contains('#') && !before.contains(['"', '\''])
        })
    })?;
    let line = first_line + index;
    Some(
        Diagnostic::error(format!(
            "line {line}: the file is a template: {{{{ … }}}} is not filled in"
        ))
        .with_hint("render it first: helm template CHART | kubehash hash -"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Release;
    use crate::toolchain::Toolchain;

    fn all(bytes: &[u8]) -> Vec<Result<Document<'_>, Diagnostic>> {
        read(
            "f",
            bytes,
            Dialect::of(Release::new(30, 14), Toolchain::new(23, 10)),
        )
    }

    /// The texts of the objects, or the diagnostics as they print.
    fn texts(text: &str) -> Vec<String> {
        all(text.as_bytes())
            .into_iter()
            .map(|entry| match entry {
                Ok(document) => document.json.into_owned(),
                Err(diagnostic) => diagnostic.to_string(),
            })
            .collect()
    }

    #[test]
    fn separators_part_documents_and_empty_ones_do_not_count() {
        assert_eq!(
            texts("---\na: 1\n---\n\n--- # c\nb: |\n  x\n  ---\n---\n"),
            [r#"{"a":1}"#, r#"{"b":"x\n---\n"}"#]
        );
        let places: Vec<_> = all(b"# c\n---\n\na: 1\n---\nb: 1")
            .into_iter()
            .map(|entry| entry.map(|d| (d.number, d.line)))
            .collect();
        assert_eq!(places, [Ok((1, 3)), Ok((2, 6))]);
    }

    #[test]
    fn json_is_told_by_its_brace_and_kept_as_written() {
        let entries = all(b" \n{\"a\": 1E2}\n{\"b\":2}  ");
        let documents: Vec<_> = entries.into_iter().map(Result::unwrap).collect();
        assert!(matches!(&documents[0].json, Cow::Borrowed("{\"a\": 1E2}")));
        assert_eq!(
            (documents[1].json.as_ref(), documents[1].line),
            ("{\"b\":2}", 3)
        );
        assert_eq!(texts("{\"a\":1}\n---\nb: 2\n---\n{\"c\":3}").len(), 3);
        assert_eq!(texts("\u{feff}{\"a\":1}"), [r#"{"a":1}"#]);
    }

    #[test]
    fn lists_are_flattened_in_order() {
        let text = r#"{"kind":"List","items":[{"a":1},{"kind":"List","items":[{"b":1},{"c":1}]},{"d":1}]}"#;
        let places: Vec<_> = all(text.as_bytes())
            .into_iter()
            .map(|entry| {
                entry
                    .map(|d| (d.number, d.place, d.json.into_owned()))
                    .unwrap()
            })
            .collect();
        let expect = |n, place: &str, json: &str| (n, place.to_owned(), json.to_owned());
        assert_eq!(
            places,
            [
                expect(1, "items[0]", r#"{"a":1}"#),
                expect(2, "items[1].items[0]", r#"{"b":1}"#),
                expect(3, "items[1].items[1]", r#"{"c":1}"#),
                expect(4, "items[2]", r#"{"d":1}"#),
            ]
        );
    }

    #[test]
    fn the_items_of_a_typed_list_have_its_kind() {
        assert_eq!(
            texts(
                "{apiVersion: v1, kind: PodList, items: [{a: 1}, {}, {kind: Job}]}"
                    .trim_start_matches('{')
                    .trim_end_matches('}')
                    .replace(", kind", "\nkind")
                    .replace(", items", "\nitems")
                    .as_str()
            ),
            [
                r#"{"apiVersion":"v1","kind":"Pod","a":1}"#,
                r#"{"apiVersion":"v1","kind":"Pod"}"#,
                r#"{"kind":"Job"}"#,
            ]
        );
    }

    #[test]
    fn duplicates_are_named_where_they_are() {
        let found = |text: &str| -> Vec<(String, String)> {
            all(text.as_bytes())
                .into_iter()
                .flat_map(|entry| entry.unwrap().duplicates)
                .map(|d| (d.path, d.hint.unwrap_or_default()))
                .collect()
        };
        let at = |path: &str, line: usize| {
            (
                path.to_owned(),
                format!("remove one of them; one is on line {line}"),
            )
        };
        assert_eq!(
            found("a: 1\n---\nspec:\n- x: 1\n  x: 2\n"),
            [at("spec[0].x", 5)]
        );
        assert_eq!(
            found("{\"spec\":[0,{\"x\":1,\n\"x\":2}]}"),
            [at("spec[1].x", 2)]
        );
        assert_eq!(
            found("kind: List\nitems:\n- a: 1\n- b: 1\n  b: 2\n- {c: {d: 1, d: 2}}"),
            [at("b", 5), at("c.d", 6)]
        );
    }

    #[test]
    fn one_bad_document_does_not_hide_the_others() {
        assert_eq!(
            texts("a: 1\n---\na: b: c\n---\n- x\n---\nb: 2"),
            [
                r#"{"a":1}"#,
                "error: f: document 2: line 3: not valid YAML: mapping values are not allowed in this context\n\
                 hint: is the indentation right? A value that contains `: ` needs quotes",
                "error: f: document 3: expected an object, found a list\n\
                 hint: put the objects into a List: {apiVersion: v1, kind: List, items: […]}",
                r#"{"b":2}"#,
            ]
        );
        assert_eq!(texts("{\"a\":1,}\n---\nb: 2").len(), 2);
        assert_eq!(texts("a: 1\n--- b: 2\nc: 3").len(), 3);
    }

    #[test]
    fn unreadable_files_say_why() {
        let cases: [(&[u8], &str); 9] = [
            (b"", "warning: f: the file is empty"),
            (b" \n\n", "warning: f: the file is empty"),
            (
                b"# a\n\n  # b",
                "warning: f: the file holds nothing but comments",
            ),
            (b"---\n---\nnull\n", "warning: f: the file holds no object"),
            (
                b"\xff\xfea\0",
                "error: f: the file is UTF-16, not UTF-8\nhint: save it as UTF-8",
            ),
            (
                b"a: 1\nb: \xe9",
                "error: f: line 2: the file is not UTF-8\nhint: save it as UTF-8",
            ),
            (
                b"a:\n\tb: 1",
                "error: f: document 1: line 2: not valid YAML: found character that cannot start any token\n\
                 hint: YAML is indented with spaces, not with tabs",
            ),
            (
                b"a: \"b",
                "error: f: document 1: line 1: not valid YAML: found unexpected end of stream\n\
                 hint: the text ends inside quotes: is the file complete?",
            ),
            (
                b"{\"a\": [1",
                "error: f: document 1: line 1: not valid JSON: the text ends inside an object or a list\n\
                 hint: the text ends too early: is the file complete?",
            ),
        ];
        for (bytes, expected) in cases {
            let entries = all(bytes);
            assert_eq!(entries.len(), 1);
            assert_eq!(entries[0].as_ref().unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn helm_templates_are_recognized() {
        let hint = "render it first: helm template CHART | kubehash hash -";
        for text in [
            "spec:\n  replicas: {{ .Values.replicas }}\n",
            "{{- if .Values.on }}\na: 1\n{{- end }}\n",
            "a: 1\n{{ include \"x\" . }}\n",
        ] {
            let entries = all(text.as_bytes());
            assert_eq!(
                entries[0].as_ref().unwrap_err().hint.as_deref(),
                Some(hint),
                "{text}"
            );
        }
        // In quotes it is a value like any other.
        assert_eq!(texts("a: \"{{ x }}\""), [r#"{"a":"{{ x }}"}"#]);
    }

    #[test]
    fn deep_and_wide_input_neither_overflows_nor_takes_forever() {
        let deep = "[".repeat(200_000);
        assert_eq!(all(deep.as_bytes()).len(), 1);
        let deep = "{\"a\":".repeat(200_000);
        assert_eq!(all(deep.as_bytes()).len(), 1);
        let deep = "{\"kind\":\"List\",\"items\":[".repeat(4_000) + &"]}".repeat(4_000);
        assert_eq!(all(deep.as_bytes()).len(), 1);
        let wide = "{\"a\":1}".repeat(50_000);
        assert_eq!(all(wide.as_bytes()).len(), 50_000);
        let wide = "---\n".repeat(50_000);
        assert_eq!(all(wide.as_bytes()).len(), 1);
    }
}
