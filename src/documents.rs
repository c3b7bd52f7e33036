//! A file's bytes to the JSON of each object in it.
//!
//! In: the bytes of a file and the [`Dialect`] of the release that reads it. Out: the objects in
//! the order of the file, or why one of them cannot be read; the others are read all the same.
//!
//! Mirrors `YAMLOrJSONDecoder` and `YAMLReader` of `k8s.io/apimachinery/pkg/util/yaml/decoder.go`
//! in their newest form: a file that begins with `{` is a row of JSON objects up to where that
//! fails, and from there on YAML, in which lines that begin with `---` part the documents. Older
//! releases split at more or fewer of those lines; a file is split the same way for every release
//! here, so that its objects keep their numbers. `List`s, `PodList`s and the like are taken apart as
//! kubectl does it.
//!
//! go-yaml reads one document between two of those lines. What follows behind its end (a line
//! `...`, a `---` after a lone CR) is lost in Kubernetes without a word; here it is an error.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::decode::excerpt;
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
    /// A warning for each key that an object has more than once (the last one counts; Kubernetes'
    /// strict decoding would refuse it), and one where the text is read as YAML though it begins
    /// like JSON.
    pub warnings: Vec<Diagnostic>,
}

/// An object of a file, or what is wrong with it.
pub type Entry<'a> = Result<Document<'a>, Diagnostic>;

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
pub fn read<'a>(source: &str, bytes: &'a [u8], dialect: Dialect) -> Vec<Entry<'a>> {
    match read_for(source, bytes, &[dialect]) {
        Ok(readings) => readings.into_iter().flatten().flatten().collect(),
        Err(diagnostic) => vec![Err(diagnostic)],
    }
}

/// Takes a file apart for several releases at once: a list for each dialect, all of one length.
///
/// An object has the same number for every release. Where a release makes fewer objects of a
/// document than others do (it cannot read a list of three), the rest of its entries are `None`.
///
/// # Errors
/// What is wrong with the file as a whole, whoever reads it. A file without an object is a warning.
pub fn read_for<'a>(
    source: &str,
    bytes: &'a [u8],
    dialects: &[Dialect],
) -> Result<Vec<Vec<Option<Entry<'a>>>>, Diagnostic> {
    let text = text(bytes).map_err(|diagnostic| diagnostic.in_source(source))?;
    let mut readings: Vec<Entries<'_, 'a>> = dialects
        .iter()
        .map(|&dialect| Entries {
            source,
            dialect,
            entries: Vec::new(),
            empty_list: false,
        })
        .collect();
    for chunk in Chunks::of(text) {
        for reading in &mut readings {
            reading.chunk(&chunk);
        }
        let most = readings.iter().map(|reading| reading.entries.len()).max();
        for reading in &mut readings {
            reading.entries.resize_with(most.unwrap_or(0), || None);
        }
    }
    if readings.iter().all(|reading| reading.entries.is_empty()) {
        let empty_list = readings.iter().any(|reading| reading.empty_list);
        return Err(nothing(text, empty_list).in_source(source));
    }
    Ok(readings
        .into_iter()
        .map(|reading| reading.entries)
        .collect())
}

fn text(bytes: &[u8]) -> Result<&str, Diagnostic> {
    if let Some(encoding) = wide_encoding(bytes) {
        let diagnostic = Diagnostic::error(format!("the file is {encoding}, not UTF-8"));
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

/// Encodings with zero bytes in ASCII, by their byte order mark or by where those zeros are.
fn wide_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        [1..=255, 0, 0, 0, ..] | [0, 0, 0, 1..=255, ..] => Some("UTF-32"),
        [1..=255, 0, 1..=255, 0, ..] | [0, 1..=255, 0, 1..=255, ..] => Some("UTF-16"),
        _ => None,
    }
}

/// Not an error: what is not there cannot be wrong. Whether that will do is for the caller to say.
fn nothing(text: &str, empty_list: bool) -> Diagnostic {
    if empty_list {
        Diagnostic::warning("the file holds no object: its list is empty")
    } else if text.trim().is_empty() {
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

// ---- chunks ---------------------------------------------------------------------------------

/// What one document is read from.
struct Chunk<'a> {
    /// The line on which it begins, counted from 1.
    line: usize,
    content: Content<'a>,
}

enum Content<'a> {
    /// A JSON object.
    Json(&'a str),
    /// What stands before a separator, and why it is not JSON if it begins like it.
    Yaml(&'a str, Option<SyntaxError>),
    /// What makes a separator invalid.
    Separator(&'a str),
}

/// The chunks of a file. Where they begin and end is the same for every release.
struct Chunks<'a> {
    rest: &'a str,
    line: usize,
    /// Whether the file is YAML from here on.
    yaml: bool,
    /// An invalid separator, told after the document that it ends.
    separator: Option<Chunk<'a>>,
}

impl<'a> Chunks<'a> {
    fn of(text: &'a str) -> Chunks<'a> {
        Chunks {
            rest: text,
            line: 1,
            yaml: false,
            separator: None,
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.line += count_lines(self.rest, bytes);
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn json(&mut self) -> Result<Chunk<'a>, SyntaxError> {
        let mut reader = Reader::new(self.rest);
        let json = reader.raw()?;
        let end = reader.offset();
        let chunk = Chunk {
            line: self.line + count_lines(self.rest, end - json.len()),
            content: Content::Json(json),
        };
        let after = self.rest.get(end..).unwrap_or_default();
        self.advance(end + after.len() - after.trim_start().len());
        Ok(chunk)
    }

    fn yaml(&mut self, not_json: Option<SyntaxError>) -> Chunk<'a> {
        let (document, read, garbage) = split(self.rest);
        let chunk = Chunk {
            line: self.line,
            content: Content::Yaml(document, not_json),
        };
        self.separator = garbage.map(|garbage| Chunk {
            line: self.line + count_lines(document, document.len()),
            content: Content::Separator(garbage),
        });
        self.advance(read);
        chunk
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Chunk<'a>> {
        if let Some(separator) = self.separator.take() {
            return Some(separator);
        }
        if self.rest.is_empty() {
            return None;
        }
        let mut not_json = None;
        if !self.yaml && self.rest.trim_start().starts_with('{') {
            match self.json() {
                Ok(chunk) => return Some(chunk),
                Err(error) => not_json = Some(error),
            }
        }
        self.yaml = true;
        Some(self.yaml(not_json))
    }
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

// ---- entries --------------------------------------------------------------------------------

/// What one dialect makes of a file.
struct Entries<'s, 'a> {
    source: &'s str,
    dialect: Dialect,
    entries: Vec<Option<Entry<'a>>>,
    /// Whether there was a list without items.
    empty_list: bool,
}

impl<'a> Entries<'_, 'a> {
    fn next_number(&self) -> usize {
        self.entries.len() + 1
    }

    fn fail(&mut self, diagnostic: Diagnostic) {
        let number = self.next_number();
        let diagnostic = diagnostic.in_document(self.source, number);
        self.entries.push(Some(Err(diagnostic)));
    }

    fn chunk(&mut self, chunk: &Chunk<'a>) {
        let line = chunk.line;
        match &chunk.content {
            Content::Json(json) => self.json(json, line),
            Content::Yaml(text, not_json) => self.yaml(text, not_json.as_ref(), line),
            Content::Separator(garbage) => self.fail(separator_diagnostic(garbage, line)),
        }
    }

    fn json(&mut self, json: &'a str, line: usize) {
        let duplicates = duplicate_keys(json)
            .into_iter()
            .map(|found| (found.path, line + count_lines(json, found.offset)))
            .collect();
        self.objects(Cow::Borrowed(json), line, duplicates);
    }

    fn yaml(&mut self, text: &str, not_json: Option<&SyntaxError>, line: usize) {
        if text.trim().is_empty() {
            return;
        }
        match yaml::convert(text.as_bytes(), self.dialect) {
            Ok(converted) => {
                let first = self.entries.len();
                if converted.json != "null" {
                    let duplicates = converted
                        .duplicates
                        .into_iter()
                        .map(|found| (found.path, line + found.line - 1))
                        .collect();
                    self.objects(Cow::Owned(converted.json), line, duplicates);
                }
                if let (Some(error), Some(Some(Ok(document)))) =
                    (not_json, self.entries.get_mut(first))
                {
                    let warning = not_json_warning(error, text, line)
                        .in_document(self.source, document.number);
                    document.warnings.push(warning);
                }
                if let Some(unread) = converted.unread {
                    self.fail(unread_diagnostic(text, line + unread - 1));
                }
            }
            Err(error) => {
                let diagnostic = template(text, line).unwrap_or_else(|| match not_json {
                    Some(error) if means_json(text) => json_diagnostic(error, text, line),
                    _ => yaml_diagnostic(&error, text, line),
                });
                self.fail(diagnostic);
            }
        }
    }

    // ---- objects and lists ------------------------------------------------------------------

    /// Adds a document's object, or the items of its lists. `duplicates` are paths in the document
    /// and lines in the file.
    fn objects(&mut self, json: Cow<'a, str>, line: usize, duplicates: Vec<(String, usize)>) {
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
        self.empty_list |= found.is_empty();
        let mut left = duplicates;
        let first = self.entries.len();
        for Found { place, json } in found {
            match json {
                Ok(json) => {
                    let number = self.next_number();
                    let warnings = take_below(&mut left, &place)
                        .map(|(path, line)| duplicate(&path, line).in_document(self.source, number))
                        .collect();
                    self.entries.push(Some(Ok(Document {
                        number,
                        line,
                        place,
                        json,
                        warnings,
                    })));
                }
                Err(diagnostic) => {
                    let path = join(&place, &diagnostic.path);
                    self.fail(diagnostic.at(path));
                }
            }
        }
        // What is left are keys of the lists themselves. Decoders keep the last items and drop the
        // others: objects would be lost without a word.
        for (path, line) in left {
            let said = duplicate(&path, line);
            if path == "items" || path.ends_with(".items") {
                self.fail(said.strictly(true));
            } else if let Some(Some(Ok(document))) = self.entries.get_mut(first) {
                let number = document.number;
                document
                    .warnings
                    .push(said.in_document(self.source, number));
            }
        }
    }
}

struct Found<'a> {
    place: String,
    json: Result<Cow<'a, str>, Diagnostic>,
}

fn join(place: &str, field: &str) -> String {
    let dot = if place.is_empty() || field.is_empty() {
        ""
    } else {
        "."
    };
    format!("{place}{dot}{field}")
}

fn count_lines(text: &str, bytes: usize) -> usize {
    text.bytes().take(bytes).filter(|&b| b == b'\n').count()
}

fn duplicate(path: &str, line: usize) -> Diagnostic {
    Diagnostic::warning("the key is there twice: the last one counts")
        .at(path)
        .with_hint(format!("remove one of them; one is on line {line}"))
}

/// Takes the paths that lie in an item, and makes them the item's own.
fn take_below(
    duplicates: &mut Vec<(String, usize)>,
    place: &str,
) -> impl Iterator<Item = (String, usize)> {
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
        let list = match meta.list() {
            Ok(list) => list,
            Err(diagnostic) => {
                items.push(Item {
                    place,
                    implied: None,
                    json: Err(diagnostic.at("items")),
                });
                continue;
            }
        };
        let Some(list) = list else {
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
                let path = join(&place, &format!("items[{index}]"));
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
    items: Items<'j>,
    /// A field that no list has, though it is none that every object has.
    other: Option<String>,
    /// Whether that field is `items` but for upper and lower case.
    miscased: bool,
}

/// What an object has as its `items`.
#[derive(Default)]
enum Items<'j> {
    #[default]
    Missing,
    Null,
    /// The text of a list.
    List(&'j str),
    /// Something else, as messages name it.
    Wrong(String),
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
                ("items", found) => {
                    let raw = reader.raw().map_err(syntax)?;
                    meta.items = match found {
                        Token::Array => Items::List(raw),
                        Token::Null => Items::Null,
                        Token::Object => Items::Wrong(found.describe().to_owned()),
                        _ => Items::Wrong(excerpt(raw).into_owned()),
                    };
                }
                (key, _) if key.eq_ignore_ascii_case("items") => {
                    meta.other = Some(key.to_owned());
                    meta.miscased = true;
                    reader.raw().map_err(syntax)?;
                }
                (key, _) => {
                    if !matches!(key, "apiVersion" | "kind" | "metadata") {
                        meta.other.get_or_insert_with(|| key.to_owned());
                    }
                    reader.raw().map_err(syntax)?;
                }
            }
        }
        Ok(meta)
    }

    /// The text of the items if the object is a list; what Go's clients write as null, or not at
    /// all, is an empty one.
    fn list(&self) -> Result<Option<&'j str>, Diagnostic> {
        if !self.kind.ends_with("List") {
            return Ok(None);
        }
        match (&self.items, &self.other) {
            (Items::List(_), Some(other)) if self.miscased => {
                let message = format!("the {} has items twice, as items and as {other}", self.kind);
                Err(Diagnostic::error(message).with_hint("put all objects into items"))
            }
            (Items::List(list), _) => Ok(Some(list)),
            (Items::Null, _) => Ok(Some("[]")),
            (Items::Wrong(found), _) => {
                let message = format!("expected a list, found {found}");
                Err(Diagnostic::error(message))
            }
            // Only Kubernetes' own groups have no dot, and none of them has a kind of that name
            // that is anything but a list.
            (Items::Missing, _) if self.api_version.contains('.') => Ok(None),
            (Items::Missing, None) => Ok(Some("[]")),
            (Items::Missing, Some(other)) => {
                let message = format!("the {} has no items", self.kind);
                let hint = format!("is {other} meant to be items?");
                Err(Diagnostic::error(message).with_hint(hint))
            }
        }
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

fn separator_diagnostic(garbage: &str, line: usize) -> Diagnostic {
    let shown = excerpt(garbage);
    let hint = if has_lone_returns(garbage) {
        LONE_RETURNS
    } else {
        "after --- on its line, Kubernetes takes comments only"
    };
    Diagnostic::error(format!("line {line}: invalid document separator: {shown}")).with_hint(hint)
}

fn unread_diagnostic(text: &str, line: usize) -> Diagnostic {
    let hint = if has_lone_returns(text) {
        LONE_RETURNS
    } else {
        "put a line --- between documents"
    };
    let what = "the document has ended before, and Kubernetes does not read on";
    Diagnostic::error(format!("line {line}: {what}")).with_hint(hint)
}

const LONE_RETURNS: &str =
    "lines end in CR alone, and Kubernetes looks for --- after LF: save it with LF";

/// Whether some line ends in CR without LF, which is a line to YAML but none to Kubernetes.
fn has_lone_returns(text: &str) -> bool {
    text.trim_end().replace("\r\n", "\n").contains('\r')
}

fn yaml_diagnostic(error: &YamlError, text: &str, first_line: usize) -> Diagnostic {
    let problem = match error.problem().strip_prefix("json: unsupported value: ") {
        Some(number) => format!("JSON has no number {number}"),
        None => format!("not valid YAML: {}", error.problem()),
    };
    let message = match error.line() {
        Some(line) => format!("line {}: {problem}", first_line + line - 1),
        None => problem,
    };
    let diagnostic = Diagnostic::error(message).at(error.path());
    match yaml_hint(error, text, first_line) {
        Some(hint) => diagnostic.with_hint(hint),
        None => diagnostic,
    }
}

fn yaml_hint(error: &YamlError, text: &str, first_line: usize) -> Option<Cow<'static, str>> {
    let (problem, line) = (error.problem(), error.line().unwrap_or(1));
    let words = text.lines().nth(line - 1).unwrap_or_default();
    if let Some(marked) = text.lines().skip(1).position(|l| l.starts_with('\u{feff}')) {
        let line = first_line + marked + 1;
        return Some(format!("line {line} begins with a byte order mark: remove it").into());
    }
    if is_directive(text) {
        return Some("remove the directive: the --- that has to follow it ends a document".into());
    }
    let hint = match problem {
        "found character that cannot start any token"
            if words.trim_start_matches(' ').starts_with('\t') =>
        {
            "YAML is indented with spaces, not with tabs"
        }
        "found character that cannot start any token" => {
            "a plain value cannot begin with this character: put it in quotes"
        }
        "mapping values are not allowed in this context" => {
            "is the indentation right? A value that contains `: ` needs quotes"
        }
        "control characters are not allowed" => return Some(control_hint(text)),
        "found unexpected end of stream" => "the text ends inside quotes: is the file complete?",
        "did not find expected hexdecimal number"
        | "found unknown escape character"
        | "found invalid Unicode character escape code" => {
            "in double quotes a backslash begins an escape: double it, or use single quotes"
        }
        "did not find expected node content" if text.trim_start().starts_with(',') => {
            "JSON objects follow each other without commas"
        }
        "did not find expected node content" if words.starts_with("...") => {
            "remove the line: there is no document that it could end"
        }
        "did not find expected <document start>" => "put a line --- between documents",
        "did not find expected ',' or ']'" | "did not find expected ',' or '}'"
            if line <= text.trim_end().lines().count() =>
        {
            "is a comma or a closing bracket missing?"
        }
        "did not find expected ',' or ']'"
        | "did not find expected ',' or '}'"
        | "did not find expected node content"
            if line >= text.trim_end().lines().count() =>
        {
            "the text ends too early: is the file complete?"
        }
        "could not find expected ':'"
        | "did not find expected key"
        | "did not find expected '-' indicator" => "is the indentation right?",
        _ if problem.starts_with("json: unsupported value: ") => {
            "put the value in quotes if it is text"
        }
        _ => return None,
    };
    Some(hint.into())
}

/// Whether the text begins with a `%YAML` or the like.
fn is_directive(text: &str) -> bool {
    text.lines()
        .find(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .is_some_and(|line| line.starts_with('%'))
}

fn control_hint(text: &str) -> Cow<'static, str> {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{85}');
    let found = text
        .chars()
        .find(|&c| c.is_control() && !allowed(c) || matches!(c, '\u{fffe}' | '\u{ffff}'));
    match found {
        None | Some('\0') => "is it a text file?".into(),
        Some(c) => format!(
            "remove the character U+{:04X}, or write it as an escape in double quotes",
            u32::from(c)
        )
        .into(),
    }
}

fn not_json_warning(error: &SyntaxError, text: &str, first_line: usize) -> Diagnostic {
    let line = first_line + count_lines(text, error.offset);
    let what = error.what;
    Diagnostic::warning(format!("line {line}: not JSON, read as YAML: {what}"))
        .with_hint("older kubectl and the kubelet take a file that begins with { for JSON")
}

/// Whether a text that is neither JSON nor YAML was to be JSON.
fn means_json(text: &str) -> bool {
    text.trim_start()
        .strip_prefix('{')
        .is_some_and(|inside| inside.trim_start().starts_with(['"', '}']))
}

fn json_diagnostic(error: &SyntaxError, text: &str, first_line: usize) -> Diagnostic {
    let line = first_line + count_lines(text, error.offset);
    let diagnostic = Diagnostic::error(format!("line {line}: not valid JSON: {}", error.what));
    if error.offset >= text.trim_end().len() {
        return diagnostic.with_hint("the text ends too early: is the file complete?");
    }
    if error.what.starts_with("expected") {
        return diagnostic.with_hint("is a comma, a quote or a bracket missing?");
    }
    diagnostic
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
                .flat_map(|entry| entry.unwrap().warnings)
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
    fn what_kubernetes_does_not_read_is_an_error_of_its_own() {
        let unread = |line: usize, document: usize| {
            format!(
                "error: f: document {document}: line {line}: the document has ended before, and \
                 Kubernetes does not read on\nhint: put a line --- between documents"
            )
        };
        let far_nul = format!("a: 1\n...\n{}\0\n---\nc: 3", " ".repeat(600));
        for (text, line) in [
            ("a: 1\n...\n# c\nb: 2\n---\nc: 3", 4),
            ("a: 1\n... # c\n\nb: 2\n---\nc: 3", 4),
            ("a: 1\n...\n%TAG ! x\n\"b\n---\nc: 3", 5),
            ("# c\n{a: 1}\n\n{b: 2}\n---\nc: 3", 4),
            ("a: 1\u{2028}---\n\nb: 2\n---\nc: 3", 4),
            (&far_nul, 3),
        ] {
            assert_eq!(
                texts(text),
                [r#"{"a":1}"#, &unread(line, 2), r#"{"c":3}"#],
                "{text:?}"
            );
        }
        for text in [
            "a: 1\n...\n\n# c\n...\n...",
            "a: 1\n...\n%YAML 1.1\n---\n",
            "a: 1\r...\r---\r\r# c\r",
            "a: 1\n...\n\u{2028}---\u{2028}",
        ] {
            assert_eq!(texts(text), [r#"{"a":1}"#], "{text:?}");
        }
        // The first document is empty, and still the rest is not read.
        assert_eq!(texts("#\u{2028}---\u{2028}...\na: 1"), [unread(4, 1)]);
    }

    #[test]
    fn lone_returns_part_no_documents() {
        let hint =
            "\nhint: lines end in CR alone, and Kubernetes looks for --- after LF: save it with LF";
        assert_eq!(
            texts("a: 1\r---\rb: 2\r"),
            [
                r#"{"a":1}"#.to_owned(),
                format!(
                    "error: f: document 2: line 3: the document has ended before, and Kubernetes \
                     does not read on{hint}"
                ),
            ]
        );
        assert_eq!(
            texts(&format!("---\ra: {}\r---\rb: 2", "1".repeat(100))),
            [format!(
                "error: f: document 1: line 1: invalid document separator: a: {}…{hint}",
                "1".repeat(61)
            )]
        );
        assert_eq!(texts("a: 1\r\n---\r\nb: 2\r\n").len(), 2);
    }

    #[test]
    fn after_broken_json_the_next_separator_counts() {
        for broken in [
            "{\"a\": 1",
            "{\"a\": {\"b\": 1}",
            "{\"a\": [1,\n",
            "{\"a\": \"x",
            "{\"a\": 1, \"b\"",
            "{\"a\" 1}",
        ] {
            let found = texts(&format!("{broken}\n---\nb: 2\n---\n{{\"c\": 3}}"));
            assert!(
                found[0].starts_with("error: f: document 1: line "),
                "{broken:?}: {found:?}"
            );
            assert_eq!(found[1..], [r#"{"b":2}"#, r#"{"c":3}"#], "{broken:?}");
        }
        let found = texts("{\"a\": 1},\n{\"b\": 2}\n---\nc: 3");
        assert_eq!(found.len(), 3);
        assert!(found[1].ends_with("hint: JSON objects follow each other without commas"));
    }

    /// Newer `YAMLOrJSONDecoder`s do so, and in a stream that began as YAML all of them do.
    #[test]
    fn flow_mappings_are_yaml() {
        assert_eq!(
            texts("---\n{\n  a: 1, # KYAML\n}\n---\n{b: 2}"),
            [r#"{"a":1}"#, r#"{"b":2}"#]
        );
        let entries = all(b"{\"a\": 1,\n}\n---\nb: 2");
        let first = entries[0].as_ref().unwrap();
        assert_eq!(first.json, r#"{"a":1}"#);
        assert_eq!(
            first.warnings[0].to_string(),
            "warning: f: document 1: line 2: not JSON, read as YAML: a comma before the end\n\
             hint: older kubectl and the kubelet take a file that begins with { for JSON"
        );
        assert!(entries[1].as_ref().unwrap().warnings.is_empty());
    }

    /// 1.9 looks one token past the document's end and refuses it; others have an error behind it.
    #[test]
    fn an_object_has_one_number_in_all_releases() {
        let old = Dialect::of(Release::new(9, 11), Toolchain::new(9, 3));
        let new = Dialect::of(Release::new(30, 14), Toolchain::new(23, 10));
        let readings = read_for("f", b"a: 1\n...\nb: 2\n---\nc: 3", &[old, new]).unwrap();
        let [old, new] = readings.as_slice() else {
            panic!("{readings:?}")
        };
        assert!(matches!(
            old.as_slice(),
            [Some(Err(_)), None, Some(Ok(Document { number: 3, .. }))]
        ));
        assert!(matches!(
            new.as_slice(),
            [
                Some(Ok(_)),
                Some(Err(_)),
                Some(Ok(Document { number: 3, .. }))
            ]
        ));
    }

    #[test]
    fn objects_of_a_list_are_not_lost_to_a_key_that_is_there_twice() {
        assert_eq!(
            texts("kind: List\nitems: [{a: 1}]\nitems: [{b: 1}]"),
            [
                r#"{"b":1}"#,
                "error: f: document 2: items: the key is there twice: the last one counts\n\
                 hint: remove one of them; one is on line 3",
            ]
        );
        assert_eq!(
            texts("kind: List\nitems: [{a: 1}]\nItems: [{b: 1}]"),
            [
                "error: f: document 1: items: the List has items twice, as items and as Items\n\
                 hint: put all objects into items"
            ]
        );
    }

    #[test]
    fn items_are_a_list() {
        for (items, found) in [
            ("5", "5"),
            ("true", "true"),
            ("{a: 1}", "an object"),
            ("words", "\"words\""),
        ] {
            assert_eq!(
                texts(&format!("kind: List\nitems: {items}")),
                [format!(
                    "error: f: document 1: items: expected a list, found {found}"
                )]
            );
        }
        assert_eq!(
            texts("kind: List\nitems: [{kind: PodList, items: 5}]"),
            ["error: f: document 1: items[0].items: expected a list, found 5"]
        );
        for list in [
            "kind: List",
            "kind: List\nitems: null",
            "kind: List\nitems: []",
            "apiVersion: apps/v1\nkind: DeploymentList\nmetadata: {}",
        ] {
            assert_eq!(
                texts(list),
                ["warning: f: the file holds no object: its list is empty"]
            );
            assert_eq!(texts(&format!("{list}\n---\na: 1")), [r#"{"a":1}"#]);
        }
        assert_eq!(
            texts("kind: List\nitem: [{kind: Pod}]"),
            [
                "error: f: document 1: items: the List has no items\nhint: is item meant to be items?"
            ]
        );
        // A custom resource may be called so and be none.
        assert!(all(b"apiVersion: a.io/v1\nkind: AllowList\nspec: {}")[0].is_ok());
    }

    #[test]
    fn hints_fit_what_is_wrong() {
        let hint = |text: &str| {
            let entries = all(text.as_bytes());
            let error = entries.into_iter().find_map(Result::err).unwrap();
            error.hint.unwrap_or_default()
        };
        let directive = "remove the directive: the --- that has to follow it ends a document";
        let escape =
            "in double quotes a backslash begins an escape: double it, or use single quotes";
        for (text, expected) in [
            ("%YAML 1.1\nkind: Pod", directive),
            ("# c\n%YAML 1.1\n---\nkind: Pod", directive),
            ("%YAML 1.3\n---\nkind: Pod", directive),
            ("a: \"\\xZZ\"", escape),
            ("a: \"\\q\"", escape),
            ("a: \"\\ud800\"", escape),
            (
                "---\n...\na: 1",
                "remove the line: there is no document that it could end",
            ),
            ("a: [b}\n", "is a comma or a closing bracket missing?"),
            ("a: [b\n", "the text ends too early: is the file complete?"),
            ("{\"a\" \"b\"}", "is a comma, a quote or a bracket missing?"),
            (
                "a: 1\n\u{feff}---\nb: 2",
                "line 2 begins with a byte order mark: remove it",
            ),
            (
                "a: \"\u{1}\"",
                "remove the character U+0001, or write it as an escape in double quotes",
            ),
        ] {
            assert_eq!(hint(text), expected, "{text:?}");
        }
    }

    #[test]
    fn bad_values_and_characters_are_found_in_their_place() {
        let hint = "\nhint: put the value in quotes if it is text";
        assert_eq!(
            texts("a: 1\n---\nb:\n  c:\n  - 1\n  - .inf"),
            [
                r#"{"a":1}"#.to_owned(),
                format!("error: f: document 2: b.c[1]: line 6: JSON has no number +Inf{hint}"),
            ]
        );
        assert_eq!(
            texts("a: &x .nan\nb: *x"),
            [format!(
                "error: f: document 1: a: line 1: JSON has no number NaN{hint}"
            )]
        );
        assert_eq!(
            texts("a: 1\r\n---\r\nb: 1\r\nc: \0\r\n"),
            [
                r#"{"a":1}"#,
                "error: f: document 2: line 4: not valid YAML: control characters are not allowed\n\
                 hint: is it a text file?"
            ]
        );
    }

    #[test]
    fn encodings_are_named() {
        let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
        let runes = |text: &str| text.chars().map(u32::from).collect::<Vec<u32>>();
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}kind: Pod");
            let cases: [(Vec<u8>, &str); 4] = [
                (
                    units(&text).iter().flat_map(|u| u.to_le_bytes()).collect(),
                    "UTF-16",
                ),
                (
                    units(&text).iter().flat_map(|u| u.to_be_bytes()).collect(),
                    "UTF-16",
                ),
                (
                    runes(&text).iter().flat_map(|u| u.to_le_bytes()).collect(),
                    "UTF-32",
                ),
                (
                    runes(&text).iter().flat_map(|u| u.to_be_bytes()).collect(),
                    "UTF-32",
                ),
            ];
            for (bytes, name) in cases {
                assert_eq!(
                    all(&bytes)[0].as_ref().unwrap_err().message,
                    format!("the file is {name}, not UTF-8"),
                    "{bytes:?}"
                );
            }
        }
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
