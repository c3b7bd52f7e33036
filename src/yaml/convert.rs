//! A tree of nodes to JSON text.
//!
//! In: a [`Document`]. Out: the JSON that Kubernetes decodes. Two passes, as in Go: the first
//! visits everything in document order, aliases as often as they are used (`decode.go`), and finds
//! what is wrong; the second writes mappings by sorted keys (`convertToJSONableObject` of
//! sigs.k8s.io/yaml, then `json.Marshal`).

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use super::parser::{Document, Node, NodeId, Shape, Tag};
use super::resolve::{Scalar, resolve};
use super::{Converted, Dialect, Duplicate, YamlError};
use crate::diagnostic::FieldPath;
use crate::float;

/// Aliases can make a small document large. Go's limits count nodes, so long strings get past
/// them; ours are bytes: this many, or a multiple of the input if that is more. No API server takes
/// a request of a tenth of it.
const MAX_OUTPUT: usize = 64 << 20;
const MAX_GROWTH: usize = 16;

/// How many nodes a release without a limit of its own may visit.
const MAX_VISITS: usize = 10_000_000;

/// More duplicates than anybody reads.
const MAX_DUPLICATES: usize = 1_000;

type Result<T, E = YamlError> = std::result::Result<T, E>;

pub(super) fn convert(
    document: &Document<'_>,
    dialect: Dialect,
    input_length: usize,
) -> Result<Converted> {
    let Some(root) = document.root else {
        return Ok(Converted {
            json: "null".to_owned(),
            duplicates: Vec::new(),
            unread: None,
        });
    };
    let mut scalars = Vec::new();
    scalars.resize_with(document.nodes.len(), || None);
    let mut check = Check {
        document,
        dialect,
        scalars,
        active: HashSet::new(),
        alias_depth: 0,
        visits: 0,
        alias_visits: 0,
    };
    check.run(root)?;
    let mut writer = Writer {
        document,
        scalars: &check.scalars,
        dialect,
        out: Vec::with_capacity(input_length + input_length / 4),
        limit: MAX_OUTPUT.max(input_length.saturating_mul(MAX_GROWTH)),
        duplicates: Vec::new(),
        unsupported_number: None,
    };
    writer.run(root)?;
    writer
        .duplicates
        .sort_by(|a, b| (a.line, &a.path).cmp(&(b.line, &b.path)));
    writer.duplicates.dedup();
    match (writer.unsupported_number, String::from_utf8(writer.out)) {
        (Some(error), _) => Err(error),
        (None, Ok(json)) => Ok(Converted {
            json,
            duplicates: writer.duplicates,
            unread: document.unread.map(|line| line + 1),
        }),
        // Text goes in as text, and binary strings are replaced on the way.
        (None, Err(_)) => Err(YamlError::unplaced("unknown problem parsing YAML content")),
    }
}

impl<'a> Document<'a> {
    fn node(&self, id: NodeId) -> Option<&Node<'a>> {
        self.nodes.get(id)
    }

    fn next(&self, id: NodeId) -> Option<NodeId> {
        self.node(id)?.next
    }

    /// What an alias names; other nodes are themselves.
    fn target(&self, id: NodeId) -> Option<NodeId> {
        let mut id = id;
        // An alias leads to a node with an anchor, and an alias has none.
        for _ in 0..2 {
            match &self.node(id)?.shape {
                Shape::Alias {
                    target: Some(target),
                    ..
                } => id = *target,
                Shape::Alias { name, target: None } => id = *self.anchors.get(name)?,
                _ => return Some(id),
            }
        }
        None
    }

    fn is_mapping(&self, id: NodeId) -> bool {
        matches!(
            self.node(id).map(|node| &node.shape),
            Some(Shape::Mapping { .. })
        )
    }

    /// The keys and values of a mapping in the order in which Go sets them, those that `<<` brings
    /// in its place.
    fn pairs(&self, first: Option<NodeId>) -> Vec<(NodeId, NodeId)> {
        let mut pairs = Vec::new();
        let mut rest = vec![first];
        while let Some(top) = rest.last_mut() {
            let Some((key, value)) = top.and_then(|key| Some((key, self.next(key)?))) else {
                rest.pop();
                continue;
            };
            *top = self.next(value);
            if !self.is_merge(key) {
                pairs.push((key, value));
                continue;
            }
            let mut merge = |id| {
                let target = self.target(id).and_then(|id| self.node(id));
                if let Some(Shape::Mapping { first }) = target.map(|node| &node.shape) {
                    rest.push(*first);
                }
            };
            match self.node(value).map(|node| &node.shape) {
                // The last goes first, so that earlier ones take precedence.
                Some(Shape::Sequence { first }) => {
                    let mut item = *first;
                    while let Some(id) = item {
                        merge(id);
                        item = self.next(id);
                    }
                }
                _ => merge(value),
            }
        }
        pairs
    }

    /// `isMerge`
    fn is_merge(&self, key: NodeId) -> bool {
        match self.node(key).map(|node| &node.shape) {
            Some(Shape::Scalar {
                value,
                tag,
                implicit,
            }) => value == "<<" && (*implicit || *tag == Tag::Merge),
            _ => false,
        }
    }
}

// ---- the first pass -------------------------------------------------------------------------

struct Check<'d, 'a> {
    document: &'d Document<'a>,
    dialect: Dialect,
    /// What each scalar node means, once visited.
    scalars: Vec<Option<Scalar<'a>>>,
    /// The aliases that are being followed; by the node they name where names are resolved late.
    active: HashSet<NodeId>,
    alias_depth: usize,
    visits: usize,
    alias_visits: usize,
}

enum Step {
    Visit(NodeId),
    /// The rest of a sequence.
    Items(Option<NodeId>),
    /// The rest of a mapping.
    Pairs(Option<NodeId>),
    /// A key has been visited: it must not be a collection.
    Key(NodeId),
    /// One of the values of `<<`.
    Merge(NodeId),
    /// An alias has been followed.
    Leave(NodeId),
}

impl Check<'_, '_> {
    fn run(&mut self, root: NodeId) -> Result<()> {
        let document = self.document;
        let mut steps = vec![Step::Visit(root)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(id) => self.visit(id, &mut steps)?,
                Step::Items(None) | Step::Pairs(None) => {}
                Step::Items(Some(id)) => {
                    steps.push(Step::Items(document.next(id)));
                    steps.push(Step::Visit(id));
                }
                Step::Pairs(Some(key)) => {
                    let Some(value) = document.next(key) else {
                        continue;
                    };
                    steps.push(Step::Pairs(document.next(value)));
                    if document.is_merge(key) {
                        self.merge(value, &mut steps)?;
                    } else {
                        steps.push(Step::Visit(value));
                        steps.push(Step::Key(key));
                        steps.push(Step::Visit(key));
                    }
                }
                Step::Key(key) => {
                    let target = document.target(key).and_then(|id| document.node(id));
                    if let Some(Shape::Mapping { .. } | Shape::Sequence { .. }) =
                        target.map(|node| &node.shape)
                    {
                        return Err(
                            self.error(format!("invalid map key: {}", self.go_syntax(key)), key)
                        );
                    }
                }
                Step::Merge(id) => {
                    match document.target(id) {
                        // The visit reports an anchor that does not exist.
                        None => {}
                        Some(target) if document.is_mapping(target) => {}
                        Some(_) => return Err(self.merge_error(id)),
                    }
                    steps.push(Step::Visit(id));
                }
                Step::Leave(id) => {
                    self.active.remove(&id);
                    self.alias_depth -= 1;
                }
            }
        }
        Ok(())
    }

    fn error(&self, message: impl Into<String>, id: NodeId) -> YamlError {
        YamlError::new(message, self.document.node(id).map_or(0, |node| node.line))
    }

    fn merge_error(&self, id: NodeId) -> YamlError {
        self.error(
            "map merge requires map or sequence of maps as the value",
            id,
        )
    }

    fn merge(&mut self, value: NodeId, steps: &mut Vec<Step>) -> Result<()> {
        match self.document.node(value).map(|node| &node.shape) {
            Some(Shape::Mapping { .. } | Shape::Alias { .. }) => steps.push(Step::Merge(value)),
            Some(Shape::Sequence { first }) => {
                // The last goes first, so that earlier ones take precedence.
                let mut item = *first;
                while let Some(id) = item {
                    steps.push(Step::Merge(id));
                    item = self.document.next(id);
                }
            }
            _ => return Err(self.merge_error(value)),
        }
        Ok(())
    }

    fn visit(&mut self, id: NodeId, steps: &mut Vec<Step>) -> Result<()> {
        self.count(id)?;
        let Some(node) = self.document.node(id) else {
            return Ok(());
        };
        match &node.shape {
            Shape::Sequence { first } => steps.push(Step::Items(*first)),
            Shape::Mapping { first } => steps.push(Step::Pairs(*first)),
            Shape::Scalar {
                value,
                tag,
                implicit,
            } => {
                if let Some(slot @ None) = self.scalars.get_mut(id) {
                    *slot = Some(resolve(value, *tag, *implicit, self.dialect, node.line)?);
                }
            }
            Shape::Alias { name, .. } => {
                let Some(target) = self.document.target(id) else {
                    return Err(YamlError::unknown_anchor(name, node.line));
                };
                let key = if self.dialect.go_yaml.late_anchors {
                    target
                } else {
                    id
                };
                if !self.active.insert(key) {
                    return Err(self.error(format!("anchor '{name}' value contains itself"), id));
                }
                self.alias_depth += 1;
                steps.push(Step::Leave(key));
                steps.push(Step::Visit(target));
            }
        }
        Ok(())
    }

    /// Refuses documents that are mostly repetition (`allowedAliasRatio`).
    fn count(&mut self, id: NodeId) -> Result<()> {
        self.visits += 1;
        if self.alias_depth > 0 {
            self.alias_visits += 1;
        }
        let excessive = if self.dialect.go_yaml.alias_ratio {
            const LOW: f64 = 400_000.0;
            const HIGH: f64 = 4_000_000.0;
            let visits = self.visits as f64;
            let allowed = 0.99 - 0.89 * ((visits.clamp(LOW, HIGH) - LOW) / (HIGH - LOW));
            self.alias_visits > 100
                && self.visits > 1000
                && self.alias_visits as f64 / visits > allowed
        } else {
            self.alias_visits > MAX_VISITS
        };
        if excessive {
            return Err(self.error("document contains excessive aliasing", id));
        }
        Ok(())
    }

    /// A value as Go's `%#v` prints it, for the texts of errors.
    fn go_syntax(&self, id: NodeId) -> String {
        let mut out = String::new();
        GoSyntax {
            document: self.document,
            scalars: &self.scalars,
        }
        .write(id, 0, &mut out);
        out
    }
}

// ---- the second pass ------------------------------------------------------------------------

struct Writer<'d, 'a> {
    document: &'d Document<'a>,
    scalars: &'d [Option<Scalar<'a>>],
    dialect: Dialect,
    out: Vec<u8>,
    limit: usize,
    duplicates: Vec<Duplicate>,
    /// The first number that JSON cannot hold. Go notices it when it marshals, after all keys.
    unsupported_number: Option<YamlError>,
}

/// A collection that is being written.
enum Open<'d> {
    Object {
        entries: Vec<Entry<'d>>,
        next: usize,
    },
    Array {
        next: Option<NodeId>,
        index: usize,
    },
}

struct Entry<'d> {
    key: Cow<'d, [u8]>,
    /// No key of an object: null, or too large an integer.
    unsupported: bool,
    id: NodeId,
    value: NodeId,
}

impl<'d> Writer<'d, '_> {
    fn run(&mut self, root: NodeId) -> Result<()> {
        let mut open: Vec<Open<'d>> = Vec::new();
        let mut value = Some(root);
        loop {
            if let Some(id) = value.take() {
                self.value(id, &mut open)?;
            }
            if self.out.len() > self.limit {
                return Err(YamlError::unplaced("document contains excessive aliasing"));
            }
            match open.last_mut() {
                None => return Ok(()),
                Some(Open::Array {
                    next: Some(id),
                    index,
                }) => {
                    if *index > 0 {
                        self.out.push(b',');
                    }
                    *index += 1;
                    value = Some(*id);
                    let following = self.document.next(*id);
                    if let Some(Open::Array { next, .. }) = open.last_mut() {
                        *next = following;
                    }
                }
                Some(Open::Array { next: None, .. }) => {
                    self.out.push(b']');
                    open.pop();
                }
                Some(Open::Object { entries, next }) => match entries.get(*next) {
                    Some(entry) => {
                        if *next > 0 {
                            self.out.push(b',');
                        }
                        *next += 1;
                        write_string(&mut self.out, &entry.key, self.dialect.short_escapes);
                        self.out.push(b':');
                        value = Some(entry.value);
                    }
                    None => {
                        self.out.push(b'}');
                        open.pop();
                    }
                },
            }
        }
    }

    fn value(&mut self, id: NodeId, open: &mut Vec<Open<'d>>) -> Result<()> {
        let document = self.document;
        let Some(id) = document.target(id) else {
            return Ok(());
        };
        match document.node(id).map(|node| &node.shape) {
            Some(Shape::Sequence { first }) => {
                self.out.push(b'[');
                open.push(Open::Array {
                    next: *first,
                    index: 0,
                });
            }
            Some(Shape::Mapping { first }) => {
                let entries = self.entries(*first, open)?;
                self.out.push(b'{');
                open.push(Open::Object { entries, next: 0 });
            }
            _ => self.scalar(id, open),
        }
        Ok(())
    }

    fn scalar(&mut self, id: NodeId, open: &[Open<'_>]) {
        let out = &mut self.out;
        match self.scalars.get(id).and_then(Option::as_ref) {
            None | Some(Scalar::Null) => out.extend_from_slice(b"null"),
            Some(Scalar::Bool(true)) => out.extend_from_slice(b"true"),
            Some(Scalar::Bool(false)) => out.extend_from_slice(b"false"),
            Some(Scalar::Int(number)) => out.extend_from_slice(number.to_string().as_bytes()),
            Some(Scalar::Uint(number)) => out.extend_from_slice(number.to_string().as_bytes()),
            Some(Scalar::Float(number)) => match float::json(*number, self.dialect.json_floats) {
                Some(text) => out.extend_from_slice(text.as_bytes()),
                None => {
                    let line = self.document.node(id).map(|node| node.line);
                    self.unsupported_number.get_or_insert_with(|| {
                        let number = float::general(*number);
                        YamlError::bare(format!("json: unsupported value: {number}"), line)
                            .at(path(open).into())
                    });
                }
            },
            Some(Scalar::Str(text)) => {
                write_string(out, text.as_bytes(), self.dialect.short_escapes)
            }
            Some(Scalar::Bytes(bytes)) => write_string(out, bytes, self.dialect.short_escapes),
        }
    }

    /// The entries of a mapping, those it merges included, by sorted keys. Later ones win, whether
    /// they were merged or not: `{a: 1, <<: {a: 2}}` has 2, unlike YAML's own rule.
    fn entries(&mut self, first: Option<NodeId>, open: &[Open<'d>]) -> Result<Vec<Entry<'d>>> {
        let document = self.document;
        let mut entries: Vec<Entry<'d>> = document
            .pairs(first)
            .into_iter()
            .map(|(key, value)| {
                let id = document.target(key).unwrap_or(key);
                let (key, unsupported) = self.key(id);
                Entry {
                    key,
                    unsupported,
                    id,
                    value,
                }
            })
            .collect();
        // The sort is stable: of equal keys the last one written comes last.
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        let mut kept: Vec<Entry<'d>> = Vec::with_capacity(entries.len());
        for entry in entries {
            match kept.last_mut() {
                Some(last) if last.key == entry.key && last.unsupported == entry.unsupported => {
                    // `1` and `"1"` are different keys until they become JSON.
                    if self.scalars.get(last.id) == self.scalars.get(entry.id) {
                        self.duplicate(&entry, open);
                    }
                    *last = entry;
                }
                _ => kept.push(entry),
            }
        }
        match kept.iter().find(|entry| entry.unsupported) {
            Some(entry) => Err(self.unsupported(entry)),
            None => Ok(kept),
        }
    }

    fn duplicate(&mut self, entry: &Entry<'_>, open: &[Open<'_>]) {
        if self.duplicates.len() < MAX_DUPLICATES {
            let line = self.document.node(entry.value).map_or(0, |node| node.line) + 1;
            let mut path = path(open);
            path.key(&String::from_utf8_lossy(&entry.key));
            self.duplicates.push(Duplicate {
                path: path.into(),
                line,
            });
        }
    }

    /// The key as a string, and whether it may not be one.
    fn key(&self, id: NodeId) -> (Cow<'d, [u8]>, bool) {
        let owned = |text: String| Cow::Owned(text.into_bytes());
        let key = match self.scalars.get(id).and_then(Option::as_ref) {
            Some(Scalar::Str(text)) => Cow::Borrowed(text.as_bytes()),
            Some(Scalar::Bytes(bytes)) => Cow::Borrowed(bytes.as_slice()),
            Some(Scalar::Int(number)) => owned(number.to_string()),
            Some(Scalar::Float(number)) => owned(match float::general_single(*number) {
                text if text == "+Inf" => ".inf".to_owned(),
                text if text == "-Inf" => "-.inf".to_owned(),
                text if text == "NaN" => ".nan".to_owned(),
                text => text,
            }),
            Some(Scalar::Bool(true)) => Cow::Borrowed(b"true".as_slice()),
            Some(Scalar::Bool(false)) => Cow::Borrowed(b"false".as_slice()),
            Some(Scalar::Uint(number)) => return (owned(format!("{number:#x}")), true),
            None | Some(Scalar::Null) => return (Cow::Borrowed(b"<nil>".as_slice()), true),
        };
        (key, false)
    }

    fn unsupported(&self, entry: &Entry<'_>) -> YamlError {
        let kind = match self.scalars.get(entry.id) {
            Some(Some(Scalar::Uint(_))) => "uint64",
            _ => "%!s(<nil>)",
        };
        let mut value = String::new();
        let syntax = GoSyntax {
            document: self.document,
            scalars: self.scalars,
        };
        syntax.write(entry.value, 0, &mut value);
        // At the top, nil has no type to print.
        let value = if value == "interface {}(nil)" {
            "<nil>"
        } else {
            &value
        };
        let what = self.dialect.unsupported_key;
        let key = String::from_utf8_lossy(&entry.key);
        let line = self.document.node(entry.id).map(|node| node.line);
        YamlError::bare(
            format!("{what} of type: {kind}, key: {key}, value: {value}"),
            line,
        )
    }
}

fn path(open: &[Open<'_>]) -> FieldPath {
    let mut path = FieldPath::default();
    for level in open {
        match level {
            Open::Object { entries, next } => {
                if let Some(entry) = entries.get(next.saturating_sub(1)) {
                    path.key(&String::from_utf8_lossy(&entry.key));
                }
            }
            Open::Array { index, .. } => path.index(index.saturating_sub(1)),
        }
    }
    path
}

/// A string as `encoding/json` writes it with HTML escaping on.
fn write_string(out: &mut Vec<u8>, text: &[u8], short_escapes: bool) {
    out.push(b'"');
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid().as_bytes();
        let mut from = 0;
        for (at, &byte) in valid.iter().enumerate() {
            let escape: &[u8] = match byte {
                b'"' => b"\\\"",
                b'\\' => b"\\\\",
                b'\n' => b"\\n",
                b'\r' => b"\\r",
                b'\t' => b"\\t",
                0x08 if short_escapes => b"\\b",
                0x0c if short_escapes => b"\\f",
                b'<' => b"\\u003c",
                b'>' => b"\\u003e",
                b'&' => b"\\u0026",
                0..0x20 => b"",
                0xe2 => match valid.get(at + 1..at + 3) {
                    Some([0x80, 0xa8]) => b"\\u2028",
                    Some([0x80, 0xa9]) => b"\\u2029",
                    _ => continue,
                },
                _ => continue,
            };
            out.extend_from_slice(valid.get(from..at).unwrap_or_default());
            if escape.is_empty() {
                out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            } else {
                out.extend_from_slice(escape);
            }
            from = at + if byte == 0xe2 { 3 } else { 1 };
        }
        out.extend_from_slice(valid.get(from..).unwrap_or_default());
        // Go replaces byte by byte.
        for _ in chunk.invalid() {
            out.extend_from_slice(b"\\ufffd");
        }
    }
    out.push(b'"');
}

/// Values as `fmt` prints them with `%#v`.
struct GoSyntax<'d, 'a> {
    document: &'d Document<'a>,
    scalars: &'d [Option<Scalar<'a>>],
}

impl GoSyntax<'_, '_> {
    /// Deeper than this nobody reads an error message.
    const MAX_DEPTH: usize = 32;

    fn write(&self, id: NodeId, depth: usize, out: &mut String) {
        let document = self.document;
        let Some(id) = document.target(id) else {
            return;
        };
        let Some(node) = document.node(id) else {
            return;
        };
        if depth > Self::MAX_DEPTH || out.len() > 4096 {
            out.push('…');
            return;
        }
        // Writing to a String cannot fail.
        let _ = match (&node.shape, self.scalars.get(id).and_then(Option::as_ref)) {
            (Shape::Sequence { first }, _) => {
                out.push_str("[]interface {}{");
                let mut item = *first;
                while let Some(id) = item {
                    self.write(id, depth + 1, out);
                    item = document.next(id);
                    if item.is_some() {
                        out.push_str(", ");
                    }
                }
                out.push('}');
                Ok(())
            }
            (Shape::Mapping { first }, _) => {
                // Sorted, as `fmt` prints maps since Go 1.12; the last of equal keys counts.
                let mut pairs = BTreeMap::new();
                for (key, value) in document.pairs(*first) {
                    let mut text = String::new();
                    self.write(key, depth + 1, &mut text);
                    pairs.insert(text, value);
                }
                out.push_str("map[interface {}]interface {}{");
                for (index, (key, value)) in pairs.into_iter().enumerate() {
                    if index > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(&key);
                    out.push(':');
                    self.write(value, depth + 1, out);
                }
                out.push('}');
                Ok(())
            }
            (_, None | Some(Scalar::Null)) => write!(out, "interface {{}}(nil)"),
            (_, Some(Scalar::Bool(on))) => write!(out, "{on}"),
            (_, Some(Scalar::Int(number))) => write!(out, "{number}"),
            (_, Some(Scalar::Uint(number))) => write!(out, "{number:#x}"),
            (_, Some(Scalar::Float(number))) => write!(out, "{}", float::general(*number)),
            (_, Some(Scalar::Str(text))) => quote(text, out),
            (_, Some(Scalar::Bytes(bytes))) => quote(&String::from_utf8_lossy(bytes), out),
        };
    }
}

/// `strconv.Quote`
fn quote(text: &str, out: &mut String) -> std::fmt::Result {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            '\0'..' ' | '\x7f' => write!(out, "\\x{:02x}", u32::from(c))?,
            // What Rust escapes, Go does too, but for combining marks.
            _ if c.is_alphanumeric() || !c.escape_debug().to_string().starts_with("\\u") => {
                out.push(c)
            }
            '\0'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c))?,
            _ => write!(out, "\\U{:08x}", u32::from(c))?,
        }
    }
    out.push('"');
    Ok(())
}
