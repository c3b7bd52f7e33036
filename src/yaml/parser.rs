//! Tokens to a tree of nodes: the first document of a stream.
//!
//! In: a [`Scanner`]. Out: a [`Document`]. Mirrors the productions of `parserc.go` and the tree
//! builder at the top of `decode.go`. Both are state machines here, so depth costs no stack.

use std::borrow::Cow;

use fnv::FnvHashMap;

use super::scanner::{Kind, Mark, Scanner};
use super::{GoYaml, YamlError};

/// A node's place in [`Document::nodes`].
pub(super) type NodeId = usize;

/// A document as a tree; an alias leads to the node it names.
pub(super) struct Document<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// Absent where the stream holds no document.
    pub(super) root: Option<NodeId>,
    /// The last node of each anchor.
    pub(super) anchors: FnvHashMap<&'a str, NodeId>,
    /// Where the stream goes on after the document, counted from 0.
    pub(super) unread: Option<usize>,
}

pub(super) struct Node<'a> {
    pub(super) shape: Shape<'a>,
    /// Counted from 0.
    pub(super) line: usize,
    /// The next child of the same parent.
    pub(super) next: Option<NodeId>,
}

pub(super) enum Shape<'a> {
    Scalar {
        value: Cow<'a, str>,
        tag: Tag,
        implicit: bool,
    },
    Sequence {
        first: Option<NodeId>,
    },
    /// Keys and values in turn.
    Mapping {
        first: Option<NodeId>,
    },
    /// `target` is absent where the name is resolved only when the document is complete.
    Alias {
        name: &'a str,
        target: Option<NodeId>,
    },
}

/// A scalar's tag, as far as the resolver tells tags apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    None,
    Str,
    Bool,
    Int,
    Float,
    Null,
    Timestamp,
    Binary,
    Merge,
    Other,
}

impl Tag {
    fn of(name: &str) -> Tag {
        match name.strip_prefix("tag:yaml.org,2002:") {
            Some("str") => Tag::Str,
            Some("bool") => Tag::Bool,
            Some("int") => Tag::Int,
            Some("float") => Tag::Float,
            Some("null") => Tag::Null,
            Some("timestamp") => Tag::Timestamp,
            Some("binary") => Tag::Binary,
            Some("merge") => Tag::Merge,
            _ if name.is_empty() => Tag::None,
            _ => Tag::Other,
        }
    }

    /// As documents write it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Tag::None | Tag::Other => "",
            Tag::Str => "!!str",
            Tag::Bool => "!!bool",
            Tag::Int => "!!int",
            Tag::Float => "!!float",
            Tag::Null => "!!null",
            Tag::Timestamp => "!!timestamp",
            Tag::Binary => "!!binary",
            Tag::Merge => "!!merge",
        }
    }
}

type Result<T, E = YamlError> = std::result::Result<T, E>;

/// Reads the first document.
///
/// # Errors
/// Where go-yaml reports a syntax error. What follows the document is never one, except that
/// releases up to 1.12 read one event further.
pub(super) fn parse<'a>(scanner: Scanner<'a>, rules: &'static GoYaml) -> Result<Document<'a>> {
    let parser = Parser {
        scanner,
        rules,
        state: State::StreamStart,
        states: Vec::new(),
        marks: Vec::new(),
        directives: Vec::new(),
    };
    Builder {
        parser,
        document: Document {
            nodes: Vec::new(),
            root: None,
            anchors: FnvHashMap::default(),
            unread: None,
        },
        open: Vec::new(),
    }
    .build()
}

// ---- the tree -------------------------------------------------------------------------------

struct Builder<'a> {
    parser: Parser<'a>,
    document: Document<'a>,
    /// The collections that are not yet complete, each with its last child so far.
    open: Vec<(NodeId, Option<NodeId>)>,
}

impl<'a> Builder<'a> {
    fn build(mut self) -> Result<Document<'a>> {
        loop {
            let event = self.parser.next_event()?;
            match event.kind {
                EventKind::StreamStart | EventKind::DocumentStart => {}
                EventKind::StreamEnd => return Ok(self.document),
                EventKind::DocumentEnd => {
                    if self.parser.rules.reads_past_the_end {
                        self.parser.next_event()?;
                    }
                    self.document.unread = self.parser.unread();
                    return Ok(self.document);
                }
                EventKind::Scalar {
                    value,
                    tag,
                    implicit,
                    anchor,
                } => {
                    self.add(
                        Shape::Scalar {
                            value,
                            tag,
                            implicit,
                        },
                        anchor,
                        event.line,
                    );
                }
                EventKind::SequenceStart { anchor } => {
                    let node = self.add(Shape::Sequence { first: None }, anchor, event.line);
                    self.open.push((node, None));
                }
                EventKind::MappingStart { anchor } => {
                    let node = self.add(Shape::Mapping { first: None }, anchor, event.line);
                    self.open.push((node, None));
                }
                EventKind::SequenceEnd | EventKind::MappingEnd => {
                    self.open.pop();
                }
                EventKind::Alias { name } => {
                    let mut target = None;
                    if !self.parser.rules.late_anchors {
                        target = self.document.anchors.get(name).copied();
                        if target.is_none() {
                            return Err(YamlError::unknown_anchor(name, event.line));
                        }
                    }
                    self.add(Shape::Alias { name, target }, None, event.line);
                }
            }
        }
    }

    fn add(&mut self, shape: Shape<'a>, anchor: Option<&'a str>, line: usize) -> NodeId {
        let nodes = &mut self.document.nodes;
        let id = nodes.len();
        nodes.push(Node {
            shape,
            line,
            next: None,
        });
        if let Some(anchor) = anchor {
            self.document.anchors.insert(anchor, id);
        }
        match self.open.last_mut() {
            None => self.document.root = Some(id),
            Some((parent, last)) => {
                match *last {
                    Some(last) => {
                        if let Some(node) = nodes.get_mut(last) {
                            node.next = Some(id);
                        }
                    }
                    None => {
                        if let Some(Node {
                            shape: Shape::Sequence { first } | Shape::Mapping { first },
                            ..
                        }) = nodes.get_mut(*parent)
                        {
                            *first = Some(id);
                        }
                    }
                }
                *last = Some(id);
            }
        }
        id
    }
}

// ---- the grammar ----------------------------------------------------------------------------

struct Event<'a> {
    kind: EventKind<'a>,
    /// Counted from 0.
    line: usize,
}

enum EventKind<'a> {
    StreamStart,
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Scalar {
        value: Cow<'a, str>,
        tag: Tag,
        implicit: bool,
        anchor: Option<&'a str>,
    },
    SequenceStart {
        anchor: Option<&'a str>,
    },
    SequenceEnd,
    MappingStart {
        anchor: Option<&'a str>,
    },
    MappingEnd,
    Alias {
        name: &'a str,
    },
}

/// What the parser expects next; named as in Go, without `yaml_PARSE_…_STATE`.
#[derive(Clone, Copy, Debug)]
enum State {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequenceEntryMappingKey,
    FlowSequenceEntryMappingValue,
    FlowSequenceEntryMappingEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Where a node stands, which decides what it may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Flow,
    Block,
    /// In a block mapping, whose value may be a sequence that is not indented.
    BlockOrIndentless,
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    rules: &'static GoYaml,
    state: State,
    /// What to go on with when the current node is complete.
    states: Vec<State>,
    /// Where the open collections began.
    marks: Vec<Mark>,
    /// Tag handles and the prefixes they stand for.
    directives: Vec<(String, String)>,
}

impl<'a> Parser<'a> {
    fn next_event(&mut self) -> Result<Event<'a>> {
        match self.state {
            State::StreamStart => self.stream_start(),
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Place::Block),
            State::BlockSequenceFirstEntry => self.block_sequence_entry(true),
            State::BlockSequenceEntry => self.block_sequence_entry(false),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => self.block_mapping_key(true),
            State::BlockMappingKey => self.block_mapping_key(false),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => self.flow_sequence_entry(true),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowSequenceEntryMappingKey => self.flow_sequence_mapping_key(),
            State::FlowSequenceEntryMappingValue => self.flow_sequence_mapping_value(),
            State::FlowSequenceEntryMappingEnd => {
                let line = self.scanner.peek()?.start.line;
                self.state = State::FlowSequenceEntry;
                Ok(Event {
                    kind: EventKind::MappingEnd,
                    line,
                })
            }
            State::FlowMappingFirstKey => self.flow_mapping_key(true),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(false),
            State::FlowMappingEmptyValue => self.flow_mapping_value(true),
            State::End => Ok(Event {
                kind: EventKind::StreamEnd,
                line: 0,
            }),
        }
    }

    // `context` is where the surrounding construct began.
    fn fail<T>(&self, problem: &str, mark: Mark, context: Option<Mark>) -> Result<T> {
        Err(YamlError::in_parser(
            problem,
            mark.line,
            context.map_or(0, |mark| mark.line),
        ))
    }

    fn pop_state(&mut self) {
        // The stack is as deep as the nodes that are open; below them lies the document's end.
        self.state = self.states.pop().unwrap_or(State::End);
    }

    fn empty_scalar(&self, mark: Mark) -> Result<Event<'a>> {
        let kind = EventKind::Scalar {
            value: Cow::Borrowed(""),
            tag: Tag::None,
            implicit: true,
            anchor: None,
        };
        Ok(Event {
            kind,
            line: mark.line,
        })
    }

    /// A node, after which the parser goes on with `then`.
    fn node_then(&mut self, then: State, place: Place) -> Result<Event<'a>> {
        self.states.push(then);
        self.node(place)
    }

    /// An absent node, which reads as null, after which the parser goes on with `then`.
    fn nothing_then(&mut self, then: State, mark: Mark) -> Result<Event<'a>> {
        self.state = then;
        self.empty_scalar(mark)
    }

    /// The line on which there is more than comments, directives and document markers, which
    /// go-yaml never gets to see; what cannot be read is more, too.
    fn unread(&mut self) -> Option<usize> {
        loop {
            match self.scanner.peek() {
                Ok(token) => match token.kind {
                    Kind::StreamEnd => return None,
                    Kind::DocumentStart
                    | Kind::DocumentEnd
                    | Kind::Version { .. }
                    | Kind::TagDirective { .. } => {}
                    _ => return Some(token.start.line),
                },
                Err(error) => {
                    let line = error.line().map(|line| line.saturating_sub(1));
                    return line.or(Some(self.scanner.line()));
                }
            }
            self.scanner.skip();
        }
    }

    fn stream_start(&mut self) -> Result<Event<'a>> {
        let line = self.scanner.peek()?.start.line;
        self.scanner.skip();
        self.state = State::ImplicitDocumentStart;
        Ok(Event {
            kind: EventKind::StreamStart,
            line,
        })
    }

    fn document_start(&mut self, implicit: bool) -> Result<Event<'a>> {
        if !implicit {
            while matches!(self.scanner.peek()?.kind, Kind::DocumentEnd) {
                self.scanner.skip();
            }
        }
        let token = self.scanner.peek()?;
        let line = token.start.line;
        match token.kind {
            Kind::StreamEnd => {
                self.scanner.skip();
                self.state = State::End;
                return Ok(Event {
                    kind: EventKind::StreamEnd,
                    line,
                });
            }
            Kind::Version { .. } | Kind::TagDirective { .. } | Kind::DocumentStart => {}
            _ if implicit => {
                self.process_directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                return Ok(Event {
                    kind: EventKind::DocumentStart,
                    line,
                });
            }
            _ => {}
        }
        self.process_directives()?;
        let token = self.scanner.peek()?;
        if !matches!(token.kind, Kind::DocumentStart) {
            let mark = token.start;
            return self.fail("did not find expected <document start>", mark, None);
        }
        self.scanner.skip();
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(Event {
            kind: EventKind::DocumentStart,
            line,
        })
    }

    fn document_content(&mut self) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        match token.kind {
            Kind::Version { .. }
            | Kind::TagDirective { .. }
            | Kind::DocumentStart
            | Kind::DocumentEnd
            | Kind::StreamEnd => {
                let mark = token.start;
                self.pop_state();
                self.empty_scalar(mark)
            }
            _ => self.node(Place::Block),
        }
    }

    fn document_end(&mut self) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        let line = token.start.line;
        if matches!(token.kind, Kind::DocumentEnd) {
            self.scanner.skip();
        }
        self.directives.clear();
        self.state = State::DocumentStart;
        Ok(Event {
            kind: EventKind::DocumentEnd,
            line,
        })
    }

    fn process_directives(&mut self) -> Result<()> {
        let mut versioned = false;
        loop {
            let token = self.scanner.peek()?;
            let mark = token.start;
            match &mut token.kind {
                Kind::Version { .. } if versioned => {
                    return self.fail("found duplicate %YAML directive", mark, None);
                }
                Kind::Version { major: 1, minor: 1 } => versioned = true,
                Kind::Version { .. } => {
                    return self.fail("found incompatible YAML document", mark, None);
                }
                Kind::TagDirective { handle, prefix } => {
                    let (handle, prefix) = (std::mem::take(handle), std::mem::take(prefix));
                    if self.directives.iter().any(|(known, _)| *known == handle) {
                        return self.fail("found duplicate %TAG directive", mark, None);
                    }
                    self.directives.push((handle, prefix));
                }
                _ => break,
            }
            self.scanner.skip();
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.directives.iter().any(|(known, _)| known == handle) {
                self.directives.push((handle.to_owned(), prefix.to_owned()));
            }
        }
        Ok(())
    }

    fn node(&mut self, place: Place) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        let start = token.start;
        let line = start.line;
        if let Kind::Alias(name) = token.kind {
            self.scanner.skip();
            self.pop_state();
            return Ok(Event {
                kind: EventKind::Alias { name },
                line,
            });
        }

        // An anchor and a tag, in either order.
        let mut anchor = None;
        let mut tag = None;
        loop {
            let token = self.scanner.peek()?;
            match &mut token.kind {
                Kind::Anchor(name) if anchor.is_none() => anchor = Some(*name),
                Kind::Tag { handle, suffix } if tag.is_none() => {
                    tag = Some((std::mem::take(handle), std::mem::take(suffix), token.start));
                }
                _ => break,
            }
            self.scanner.skip();
        }
        let tag = match tag {
            None => String::new(),
            Some((handle, suffix, _)) if handle.is_empty() => suffix,
            Some((handle, suffix, mark)) => {
                let prefix = self.directives.iter().find(|(known, _)| *known == handle);
                match prefix.map(|(_, prefix)| format!("{prefix}{suffix}")) {
                    Some(tag) if !tag.is_empty() => tag,
                    _ => return self.fail("found undefined tag handle", mark, Some(start)),
                }
            }
        };

        let token = self.scanner.peek()?;
        let mark = token.start;
        let kind = match &mut token.kind {
            Kind::BlockEntry if place == Place::BlockOrIndentless => {
                self.state = State::IndentlessSequenceEntry;
                EventKind::SequenceStart { anchor }
            }
            Kind::Scalar { value, plain } => {
                let implicit = tag.is_empty() && *plain || tag == "!";
                let value = std::mem::take(value);
                self.scanner.skip();
                self.pop_state();
                EventKind::Scalar {
                    value,
                    tag: Tag::of(&tag),
                    implicit,
                    anchor,
                }
            }
            Kind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirstEntry;
                EventKind::SequenceStart { anchor }
            }
            Kind::FlowMappingStart => {
                self.state = State::FlowMappingFirstKey;
                EventKind::MappingStart { anchor }
            }
            Kind::BlockSequenceStart if place != Place::Flow => {
                self.state = State::BlockSequenceFirstEntry;
                EventKind::SequenceStart { anchor }
            }
            Kind::BlockMappingStart if place != Place::Flow => {
                self.state = State::BlockMappingFirstKey;
                EventKind::MappingStart { anchor }
            }
            _ if anchor.is_some() || !tag.is_empty() => {
                self.pop_state();
                let implicit = tag.is_empty();
                EventKind::Scalar {
                    value: Cow::Borrowed(""),
                    tag: Tag::of(&tag),
                    implicit,
                    anchor,
                }
            }
            _ => return self.fail("did not find expected node content", mark, Some(start)),
        };
        Ok(Event { kind, line })
    }

    /// Steps into a collection whose first token is next.
    fn open(&mut self) -> Result<()> {
        let mark = self.scanner.peek()?.start;
        self.marks.push(mark);
        self.scanner.skip();
        Ok(())
    }

    /// Steps out of a collection whose last token is next.
    fn close(&mut self, kind: EventKind<'a>) -> Result<Event<'a>> {
        let line = self.scanner.peek()?.start.line;
        self.marks.pop();
        self.scanner.skip();
        self.pop_state();
        Ok(Event { kind, line })
    }

    fn block_sequence_entry(&mut self, first: bool) -> Result<Event<'a>> {
        if first {
            self.open()?;
        }
        let token = self.scanner.peek()?;
        let (start, end) = (token.start, token.end);
        match token.kind {
            Kind::BlockEntry => {
                self.scanner.skip();
                match self.scanner.peek()?.kind {
                    Kind::BlockEntry | Kind::BlockEnd => {
                        self.nothing_then(State::BlockSequenceEntry, end)
                    }
                    _ => self.node_then(State::BlockSequenceEntry, Place::Block),
                }
            }
            Kind::BlockEnd => self.close(EventKind::SequenceEnd),
            _ => self.fail(
                "did not find expected '-' indicator",
                start,
                self.marks.last().copied(),
            ),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        let (start, end) = (token.start, token.end);
        if !matches!(token.kind, Kind::BlockEntry) {
            self.pop_state();
            return Ok(Event {
                kind: EventKind::SequenceEnd,
                line: start.line,
            });
        }
        self.scanner.skip();
        match self.scanner.peek()?.kind {
            Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd => {
                self.nothing_then(State::IndentlessSequenceEntry, end)
            }
            _ => self.node_then(State::IndentlessSequenceEntry, Place::Block),
        }
    }

    fn block_mapping_key(&mut self, first: bool) -> Result<Event<'a>> {
        if first {
            self.open()?;
        }
        let token = self.scanner.peek()?;
        let (start, end) = (token.start, token.end);
        match token.kind {
            Kind::Key => {
                self.scanner.skip();
                match self.scanner.peek()?.kind {
                    Kind::Key | Kind::Value | Kind::BlockEnd => {
                        self.nothing_then(State::BlockMappingValue, end)
                    }
                    _ => self.node_then(State::BlockMappingValue, Place::BlockOrIndentless),
                }
            }
            Kind::BlockEnd => self.close(EventKind::MappingEnd),
            _ => self.fail(
                "did not find expected key",
                start,
                self.marks.last().copied(),
            ),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        let (start, end) = (token.start, token.end);
        if !matches!(token.kind, Kind::Value) {
            return self.nothing_then(State::BlockMappingKey, start);
        }
        self.scanner.skip();
        match self.scanner.peek()?.kind {
            Kind::Key | Kind::Value | Kind::BlockEnd => {
                self.nothing_then(State::BlockMappingKey, end)
            }
            _ => self.node_then(State::BlockMappingKey, Place::BlockOrIndentless),
        }
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event<'a>> {
        if first {
            self.open()?;
        }
        if !self.flow_separator(
            first,
            |kind| matches!(kind, Kind::FlowSequenceEnd),
            "did not find expected ',' or ']'",
        )? {
            return self.close(EventKind::SequenceEnd);
        }
        let token = self.scanner.peek()?;
        let line = token.start.line;
        match token.kind {
            // `[a: b]` is `[{a: b}]`.
            Kind::Key => {
                self.scanner.skip();
                self.state = State::FlowSequenceEntryMappingKey;
                Ok(Event {
                    kind: EventKind::MappingStart { anchor: None },
                    line,
                })
            }
            _ => self.node_then(State::FlowSequenceEntry, Place::Flow),
        }
    }

    /// The comma between the entries of a flow collection; false where the collection ends.
    fn flow_separator(
        &mut self,
        first: bool,
        ends: fn(&Kind<'a>) -> bool,
        complaint: &str,
    ) -> Result<bool> {
        let token = self.scanner.peek()?;
        if ends(&token.kind) {
            return Ok(false);
        }
        if first {
            return Ok(true);
        }
        if !matches!(token.kind, Kind::FlowEntry) {
            let mark = token.start;
            return self.fail(complaint, mark, self.marks.last().copied());
        }
        self.scanner.skip();
        Ok(!ends(&self.scanner.peek()?.kind))
    }

    fn flow_sequence_mapping_key(&mut self) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        let end = token.end;
        match token.kind {
            Kind::Value | Kind::FlowEntry | Kind::FlowSequenceEnd => {
                // go-yaml drops this token, libyaml's slip: `[? , a]` is refused.
                self.scanner.skip();
                self.nothing_then(State::FlowSequenceEntryMappingValue, end)
            }
            _ => self.node_then(State::FlowSequenceEntryMappingValue, Place::Flow),
        }
    }

    fn flow_sequence_mapping_value(&mut self) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        let start = token.start;
        if matches!(token.kind, Kind::Value) {
            self.scanner.skip();
            if !matches!(
                self.scanner.peek()?.kind,
                Kind::FlowEntry | Kind::FlowSequenceEnd
            ) {
                return self.node_then(State::FlowSequenceEntryMappingEnd, Place::Flow);
            }
        }
        self.nothing_then(State::FlowSequenceEntryMappingEnd, start)
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event<'a>> {
        if first {
            self.open()?;
        }
        if !self.flow_separator(
            first,
            |kind| matches!(kind, Kind::FlowMappingEnd),
            "did not find expected ',' or '}'",
        )? {
            return self.close(EventKind::MappingEnd);
        }
        if !matches!(self.scanner.peek()?.kind, Kind::Key) {
            return self.node_then(State::FlowMappingEmptyValue, Place::Flow);
        }
        self.scanner.skip();
        let token = self.scanner.peek()?;
        let start = token.start;
        match token.kind {
            Kind::Value | Kind::FlowEntry | Kind::FlowMappingEnd => {
                self.nothing_then(State::FlowMappingValue, start)
            }
            _ => self.node_then(State::FlowMappingValue, Place::Flow),
        }
    }

    fn flow_mapping_value(&mut self, empty: bool) -> Result<Event<'a>> {
        let token = self.scanner.peek()?;
        let start = token.start;
        if !empty && matches!(token.kind, Kind::Value) {
            self.scanner.skip();
            let token = self.scanner.peek()?;
            let start = token.start;
            if matches!(token.kind, Kind::FlowEntry | Kind::FlowMappingEnd) {
                return self.nothing_then(State::FlowMappingKey, start);
            }
            return self.node_then(State::FlowMappingKey, Place::Flow);
        }
        self.nothing_then(State::FlowMappingKey, start)
    }
}
