//! Text to tokens, with go-yaml's ideas of YAML.
//!
//! In: the text of a stream. Out: tokens, one at a time, with marks. Mirrors `scannerc.go` of
//! gopkg.in/yaml.v2. That scanner is libyaml's with its own departures (`\'` is an escape and `\/`
//! is none, `?` ends a plain scalar in flow context, key length counts characters), and it is the
//! departures that decide whether a manifest is read as Kubernetes reads it.
//!
//! Nothing here recurses; levels are capped as in Go.

use std::borrow::Cow;
use std::collections::VecDeque;

use fnv::FnvHashMap;

use super::reader::Complaint;
use super::{GoYaml, TagUri, YamlError};

/// `max_flow_level` and `max_indents`.
pub(super) const MAX_LEVELS: usize = 10_000;

/// A place in the stream; columns and the index count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) line: usize,
    column: usize,
    index: usize,
}

#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) start: Mark,
    pub(super) end: Mark,
}

#[derive(Debug)]
pub(super) enum Kind<'a> {
    StreamStart,
    StreamEnd,
    Version { major: u32, minor: u32 },
    TagDirective { handle: String, prefix: String },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag { handle: String, suffix: String },
    Scalar { value: Cow<'a, str>, plain: bool },
}

/// A place where a key may turn out to have begun, once its `:` is seen.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    token: usize,
    mark: Mark,
}

type Result<T, E = YamlError> = std::result::Result<T, E>;

pub(super) struct Scanner<'a> {
    text: &'a str,
    /// What to say when more than `text` is asked for.
    broken: Option<Complaint>,
    rules: &'static GoYaml,
    /// Byte offset in `text`.
    at: usize,
    mark: Mark,
    tokens: VecDeque<Token<'a>>,
    /// How many tokens have left the queue: the number of the one at its head.
    taken: usize,
    head_is_final: bool,
    started: bool,
    /// The column of the current block collection; -1 outside of any.
    indent: isize,
    indents: Vec<isize>,
    flow_level: usize,
    simple_key_allowed: bool,
    /// One for each flow level and one for the block context.
    simple_keys: Vec<SimpleKey>,
    /// Which entry of `simple_keys` began at a token.
    keys_by_token: FnvHashMap<usize, usize>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(
        text: &'a str,
        broken: Option<Complaint>,
        rules: &'static GoYaml,
    ) -> Scanner<'a> {
        Scanner {
            text,
            broken,
            rules,
            at: 0,
            mark: Mark::default(),
            tokens: VecDeque::new(),
            taken: 0,
            head_is_final: false,
            started: false,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            simple_key_allowed: false,
            simple_keys: Vec::new(),
            keys_by_token: FnvHashMap::default(),
        }
    }

    /// The next token, which stays in the queue.
    pub(super) fn peek(&mut self) -> Result<&mut Token<'a>> {
        if !self.head_is_final {
            self.fetch_more()?;
            self.head_is_final = true;
        }
        // `fetch_more` leaves a token in the queue; past the end of the stream there is none.
        let mark = self.mark;
        if self.tokens.is_empty() {
            self.tokens.push_back(Token {
                kind: Kind::StreamEnd,
                start: mark,
                end: mark,
            });
        }
        match self.tokens.front_mut() {
            Some(token) => Ok(token),
            None => Err(YamlError::new(
                "unknown problem parsing YAML content",
                mark.line,
            )),
        }
    }

    /// The line that has been reached, counted from 0.
    pub(super) fn line(&self) -> usize {
        self.mark.line
    }

    /// Drops the token last peeked at.
    pub(super) fn skip(&mut self) {
        self.head_is_final = false;
        self.taken += 1;
        self.tokens.pop_front();
    }

    // ---- characters -------------------------------------------------------------------------

    /// The byte `ahead` bytes further on; 0 behind the end, as in Go's padded buffer.
    #[inline]
    fn byte(&self, ahead: usize) -> u8 {
        self.text
            .as_bytes()
            .get(self.at + ahead)
            .copied()
            .unwrap_or(0)
    }

    /// Asks the reader for this many characters; it has a say only where its input is broken.
    #[inline]
    fn need(&self, characters: usize) -> Result<()> {
        match self.broken {
            None => Ok(()),
            Some(complaint) => self.ask_reader(characters, complaint),
        }
    }

    #[cold]
    fn ask_reader(&self, characters: usize, complaint: Complaint) -> Result<()> {
        if self.rest().chars().take(characters).count() < characters {
            return Err(YamlError::new(complaint.problem, complaint.line));
        }
        Ok(())
    }

    /// Steps over ASCII characters of a kind, as far as that is no matter for the reader.
    #[inline]
    fn advance_while(&mut self, wanted: impl Fn(u8) -> bool) {
        if self.broken.is_some() {
            return;
        }
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let count = rest
            .iter()
            .take_while(|&&b| b.is_ascii() && wanted(b))
            .count();
        self.at += count;
        self.mark.index += count;
        self.mark.column += count;
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn at_end(&self, ahead: usize) -> bool {
        self.byte(ahead) == 0
    }

    fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t')
    }

    #[inline]
    fn is_break(&self, ahead: usize) -> bool {
        self.break_width(ahead) > 0
    }

    /// Bytes of the line break here, `\r\n` counting as one break; 0 where there is none.
    #[inline]
    fn break_width(&self, ahead: usize) -> usize {
        match self.byte(ahead) {
            b'\n' => 1,
            b'\r' => 1 + usize::from(self.byte(ahead + 1) == b'\n'),
            0xc2 if self.byte(ahead + 1) == 0x85 => 2,
            0xe2 if self.byte(ahead + 1) == 0x80 && matches!(self.byte(ahead + 2), 0xa8 | 0xa9) => {
                3
            }
            _ => 0,
        }
    }

    #[inline]
    fn is_break_or_end(&self, ahead: usize) -> bool {
        self.at_end(ahead) || self.is_break(ahead)
    }

    #[inline]
    fn is_blank_or_end(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || self.is_break_or_end(ahead)
    }

    fn is_word(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-')
    }

    /// Steps over one character.
    #[inline]
    fn advance(&mut self) {
        let width = match self.byte(0) {
            0 => return,
            0x01..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
        };
        self.at += width;
        self.mark.index += 1;
        self.mark.column += 1;
    }

    fn advance_bytes(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.text.len());
        let run = self.text.as_bytes().get(self.at..end).unwrap_or_default();
        // Every byte but a continuation begins a character.
        let characters = run.iter().filter(|&&b| b & 0xc0 != 0x80).count();
        self.at = end;
        self.mark.index += characters;
        self.mark.column += characters;
    }

    fn advance_line(&mut self) {
        let width = self.break_width(0);
        if width > 0 {
            self.mark.index += if width == 2 && self.byte(0) == b'\r' {
                2
            } else {
                1
            };
            self.at += width;
            self.mark.column = 0;
            self.mark.line += 1;
        }
    }

    /// Steps over a line break and returns what it becomes in a scalar.
    fn read_line(&mut self) -> &'static str {
        let folded = match (self.break_width(0), self.byte(2)) {
            (0, _) => "",
            (3, 0xa8) => "\u{2028}",
            (3, _) => "\u{2029}",
            _ => "\n",
        };
        self.advance_line();
        folded
    }

    fn skip_blanks(&mut self) -> Result<()> {
        self.need(1)?;
        while self.is_blank(0) {
            self.advance();
            self.need(1)?;
        }
        Ok(())
    }

    fn skip_comment(&mut self) -> Result<()> {
        if self.byte(0) == b'#' {
            while !self.is_break_or_end(0) {
                self.advance();
                self.need(1)?;
                self.advance_while(|b| !matches!(b, b'\n' | b'\r'));
            }
        }
        Ok(())
    }

    /// Blanks, a comment and the line break; `complaint` when something else is there.
    fn finish_line(&mut self, start: Mark, complaint: &str) -> Result<()> {
        self.skip_blanks()?;
        self.skip_comment()?;
        if !self.is_break_or_end(0) {
            return self.fail(start, complaint);
        }
        if self.is_break(0) {
            self.need(2)?;
            self.advance_line();
        }
        Ok(())
    }

    fn fail<T>(&self, context: Mark, problem: &str) -> Result<T> {
        Err(YamlError::in_scanner(
            self.rules,
            problem,
            self.mark.line,
            context.line,
        ))
    }

    // ---- the queue --------------------------------------------------------------------------

    fn push(&mut self, kind: Kind<'a>, start: Mark) {
        self.tokens.push_back(Token {
            kind,
            start,
            end: self.mark,
        });
    }

    fn push_empty(&mut self, kind: Kind<'a>, mark: Mark) {
        self.tokens.push_back(Token {
            kind,
            start: mark,
            end: mark,
        });
    }

    /// Inserts before the token with this number. go-yaml appends when that one has already left
    /// the queue, which is how `{}: a` ends as an empty mapping.
    fn insert(&mut self, number: usize, kind: Kind<'a>, mark: Mark) {
        let token = Token {
            kind,
            start: mark,
            end: mark,
        };
        match number.checked_sub(self.taken) {
            Some(index) if index <= self.tokens.len() => self.tokens.insert(index, token),
            _ => self.tokens.push_back(token),
        }
    }

    fn next_number(&self) -> usize {
        self.taken + self.tokens.len()
    }

    fn fetch_more(&mut self) -> Result<()> {
        loop {
            if !self.tokens.is_empty() {
                self.check_required_key()?;
                // The head may become a key: look on until that is known.
                let Some(&key) = self.keys_by_token.get(&self.taken) else {
                    return Ok(());
                };
                if !self.key_is_valid(key)? {
                    return Ok(());
                }
            }
            self.fetch()?;
        }
    }

    fn fetch(&mut self) -> Result<()> {
        self.need(1)?;
        if !self.started {
            self.started = true;
            self.simple_key_allowed = true;
            self.simple_keys.push(SimpleKey::default());
            self.push_empty(Kind::StreamStart, self.mark);
            return Ok(());
        }
        self.skip_to_token()?;
        self.check_required_key()?;
        self.unroll_indent(self.mark.column as isize);
        self.need(4)?;

        let document_indicator = self.mark.column == 0 && self.is_blank_or_end(3);
        let word = [self.byte(0), self.byte(1), self.byte(2)];
        match self.byte(0) {
            0 => self.fetch_stream_end(),
            b'%' if self.mark.column == 0 => self.fetch_directive(),
            b'-' if document_indicator && word == *b"---" => {
                self.fetch_document_indicator(Kind::DocumentStart)
            }
            b'.' if document_indicator && word == *b"..." => {
                self.fetch_document_indicator(Kind::DocumentEnd)
            }
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.is_blank_or_end(1) => self.fetch_block_entry(),
            b'?' if self.flow_level > 0 || self.is_blank_or_end(1) => self.fetch_key(),
            b':' if self.flow_level > 0 || self.is_blank_or_end(1) => self.fetch_value(),
            b'*' => self.fetch_anchor(true),
            b'&' => self.fetch_anchor(false),
            b'!' => self.fetch_tag(),
            b'|' if self.flow_level == 0 => self.fetch_block_scalar(true),
            b'>' if self.flow_level == 0 => self.fetch_block_scalar(false),
            b'\'' => self.fetch_scalar(|s| s.scan_quoted(true)),
            b'"' => self.fetch_scalar(|s| s.scan_quoted(false)),
            // The block context lets a plain scalar begin with these, where nothing else applied.
            b'-' | b'?' | b':' => self.fetch_scalar(Scanner::scan_plain),
            b' ' | b'\t' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => self.no_token(),
            _ => self.fetch_scalar(Scanner::scan_plain),
        }
    }

    fn no_token(&self) -> Result<()> {
        self.fail(self.mark, "found character that cannot start any token")
    }

    fn skip_to_token(&mut self) -> Result<()> {
        loop {
            self.need(1)?;
            // Go looks for the mark at the beginning of its buffer, not here; for the text of one
            // buffer that is the beginning of the stream.
            if self.at == 0 && self.text.starts_with('\u{feff}') {
                self.advance();
            }
            self.need(1)?;
            self.advance_while(|b| b == b' ');
            // A tab may stand where no indentation is measured.
            while self.byte(0) == b' '
                || self.byte(0) == b'\t' && (self.flow_level > 0 || !self.simple_key_allowed)
            {
                self.advance();
                self.need(1)?;
            }
            self.skip_comment()?;
            if !self.is_break(0) {
                return Ok(());
            }
            self.need(2)?;
            self.advance_line();
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    // ---- keys and indentation ---------------------------------------------------------------

    /// A simple key ends on its line and within 1,024 characters.
    fn key_is_valid(&mut self, level: usize) -> Result<bool> {
        let Some(key) = self.simple_keys.get(level).copied() else {
            return Ok(false);
        };
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < self.mark.line || key.mark.index + 1024 < self.mark.index {
            if key.required {
                return self.fail(key.mark, "could not find expected ':'");
            }
            if let Some(key) = self.simple_keys.get_mut(level) {
                key.possible = false;
            }
            return Ok(false);
        }
        Ok(true)
    }

    /// Up to 2.2.4 every key is checked before every token. Only one can be required, and so be
    /// missed: that of the block context.
    fn check_required_key(&mut self) -> Result<()> {
        if self.rules.eager_keys
            && !self.key_is_valid(0)?
            && let Some(key) = self.simple_keys.first()
        {
            self.keys_by_token.remove(&key.token);
        }
        Ok(())
    }

    fn save_simple_key(&mut self) -> Result<()> {
        if !self.simple_key_allowed {
            return Ok(());
        }
        self.remove_simple_key()?;
        let token = self.next_number();
        let required = self.flow_level == 0 && self.indent == self.mark.column as isize;
        let mark = self.mark;
        if let Some(key) = self.simple_keys.last_mut() {
            *key = SimpleKey {
                possible: true,
                required,
                token,
                mark,
            };
        }
        self.keys_by_token.insert(token, self.simple_keys.len() - 1);
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Result<()> {
        let Some(key) = self.simple_keys.last_mut() else {
            return Ok(());
        };
        if key.possible {
            if key.required {
                let mark = key.mark;
                return self.fail(mark, "could not find expected ':'");
            }
            key.possible = false;
            let token = key.token;
            self.keys_by_token.remove(&token);
        }
        Ok(())
    }

    fn increase_flow_level(&mut self) -> Result<()> {
        let token = self.next_number();
        self.simple_keys.push(SimpleKey {
            token,
            mark: self.mark,
            ..SimpleKey::default()
        });
        self.flow_level += 1;
        if self.flow_level > MAX_LEVELS {
            return self.fail(self.mark, "exceeded max depth of 10000");
        }
        Ok(())
    }

    fn decrease_flow_level(&mut self) {
        if self.flow_level == 0 {
            return;
        }
        self.flow_level -= 1;
        if let Some(inner) = self.simple_keys.pop() {
            // From 2.2.8 on an empty collection takes the key that began with its bracket along:
            // both carry the bracket's number. See `insert`.
            if self.rules.forgets_empty_keys || inner.possible {
                self.keys_by_token.remove(&inner.token);
            }
        }
    }

    fn roll_indent(
        &mut self,
        column: usize,
        number: Option<usize>,
        kind: Kind<'a>,
        mark: Mark,
    ) -> Result<()> {
        let column = column as isize;
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > MAX_LEVELS {
            let context = self.simple_keys.last().map_or(self.mark, |key| key.mark);
            return self.fail(context, "exceeded max depth of 10000");
        }
        match number {
            Some(number) => self.insert(number, kind, mark),
            None => self.push_empty(kind, mark),
        }
        Ok(())
    }

    fn unroll_indent(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push_empty(Kind::BlockEnd, self.mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    // ---- one token --------------------------------------------------------------------------

    fn fetch_stream_end(&mut self) -> Result<()> {
        if self.mark.column != 0 {
            self.mark.column = 0;
            self.mark.line += 1;
        }
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.push_empty(Kind::StreamEnd, self.mark);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: Kind<'a>) -> Result<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.mark;
        self.advance_bytes(3);
        self.push(kind, start);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: Kind<'a>) -> Result<()> {
        self.save_simple_key()?;
        self.increase_flow_level()?;
        self.simple_key_allowed = true;
        self.indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind<'a>) -> Result<()> {
        self.remove_simple_key()?;
        self.decrease_flow_level();
        self.simple_key_allowed = false;
        self.indicator(kind);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.indicator(Kind::FlowEntry);
        Ok(())
    }

    fn indicator(&mut self, kind: Kind<'a>) {
        let start = self.mark;
        self.advance();
        self.push(kind, start);
    }

    fn fetch_block_entry(&mut self) -> Result<()> {
        // In flow context the parser has the better complaint.
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return self.fail(
                    self.mark,
                    "block sequence entries are not allowed in this context",
                );
            }
            self.roll_indent(self.mark.column, None, Kind::BlockSequenceStart, self.mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.indicator(Kind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<()> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return self.fail(self.mark, "mapping keys are not allowed in this context");
            }
            self.roll_indent(self.mark.column, None, Kind::BlockMappingStart, self.mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.indicator(Kind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<()> {
        let level = self.simple_keys.len().saturating_sub(1);
        if self.key_is_valid(level)? {
            let key = self.simple_keys.get(level).copied().unwrap_or_default();
            self.insert(key.token, Kind::Key, key.mark);
            self.roll_indent(
                key.mark.column,
                Some(key.token),
                Kind::BlockMappingStart,
                key.mark,
            )?;
            if let Some(key) = self.simple_keys.get_mut(level) {
                key.possible = false;
            }
            self.keys_by_token.remove(&key.token);
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return self.fail(self.mark, "mapping values are not allowed in this context");
                }
                self.roll_indent(self.mark.column, None, Kind::BlockMappingStart, self.mark)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.indicator(Kind::Value);
        Ok(())
    }

    fn fetch_anchor(&mut self, alias: bool) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let start = self.mark;
        self.advance();
        self.need(1)?;
        let name = self.word()?;
        let delimited = self.is_blank_or_end(0)
            || matches!(
                self.byte(0),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if name.is_empty() || !delimited {
            return self.fail(
                start,
                "did not find expected alphabetic or numeric character",
            );
        }
        self.push(
            if alias {
                Kind::Alias(name)
            } else {
                Kind::Anchor(name)
            },
            start,
        );
        Ok(())
    }

    fn word(&mut self) -> Result<&'a str> {
        let from = self.at;
        while self.is_word(0) {
            self.advance();
            self.need(1)?;
        }
        Ok(self.slice(from, self.at))
    }

    fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    fn fetch_scalar(&mut self, scan: impl FnOnce(&mut Self) -> Result<Token<'a>>) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let token = scan(self)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Result<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        let token = self.scan_block_scalar(literal)?;
        self.tokens.push_back(token);
        Ok(())
    }

    // ---- directives and tags ----------------------------------------------------------------

    fn fetch_directive(&mut self) -> Result<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;

        let start = self.mark;
        self.advance();
        self.need(1)?;
        let name = self.word()?;
        if name.is_empty() {
            return self.fail(start, "could not find expected directive name");
        }
        if !self.is_blank_or_end(0) {
            return self.fail(start, "found unexpected non-alphabetical character");
        }
        let kind = match name {
            "YAML" => {
                self.skip_blanks()?;
                let major = self.version_number(start)?;
                if self.byte(0) != b'.' {
                    return self.fail(start, "did not find expected digit or '.' character");
                }
                self.advance();
                Kind::Version {
                    major,
                    minor: self.version_number(start)?,
                }
            }
            "TAG" => {
                self.skip_blanks()?;
                let handle = self.tag_handle(true, start)?;
                self.need(1)?;
                if !self.is_blank(0) {
                    return self.fail(start, "did not find expected whitespace");
                }
                self.skip_blanks()?;
                let prefix = self.tag_uri("", start)?;
                self.need(1)?;
                if !self.is_blank_or_end(0) {
                    return self.fail(start, "did not find expected whitespace or line break");
                }
                Kind::TagDirective { handle, prefix }
            }
            _ => return self.fail(start, self.rules.wording.unknown_directive),
        };
        let end = self.mark;
        self.finish_line(start, "did not find expected comment or line break")?;
        self.tokens.push_back(Token { kind, start, end });
        Ok(())
    }

    fn version_number(&mut self, start: Mark) -> Result<u32> {
        self.need(1)?;
        let mut digits = 0;
        let mut number = 0;
        while let digit @ b'0'..=b'9' = self.byte(0) {
            digits += 1;
            if digits > 2 {
                return self.fail(start, "found extremely long version number");
            }
            number = number * 10 + u32::from(digit - b'0');
            self.advance();
            self.need(1)?;
        }
        if digits == 0 {
            return self.fail(start, "did not find expected version number");
        }
        Ok(number)
    }

    fn fetch_tag(&mut self) -> Result<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;

        let start = self.mark;
        self.need(2)?;
        let (handle, suffix) = if self.byte(1) == b'<' {
            self.advance_bytes(2);
            let suffix = self.tag_uri("", start)?;
            if self.byte(0) != b'>' {
                return self.fail(start, "did not find the expected '>'");
            }
            self.advance();
            (String::new(), suffix)
        } else {
            let handle = self.tag_handle(false, start)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let suffix = self.tag_uri("", start)?;
                (handle, suffix)
            } else {
                // It was no handle after all but the beginning of the suffix.
                let suffix = self.tag_uri(&handle, start)?;
                if suffix.is_empty() {
                    (suffix, "!".to_owned())
                } else {
                    ("!".to_owned(), suffix)
                }
            }
        };
        self.need(1)?;
        if !self.is_blank_or_end(0) {
            return self.fail(start, "did not find expected whitespace or line break");
        }
        self.push(Kind::Tag { handle, suffix }, start);
        Ok(())
    }

    fn fail_tag<T>(&self, context: Mark, problem: &str) -> Result<T> {
        self.fail(context, self.rules.wording.tag.unwrap_or(problem))
    }

    fn tag_handle(&mut self, directive: bool, start: Mark) -> Result<String> {
        self.need(1)?;
        if self.byte(0) != b'!' {
            return self.fail_tag(start, "did not find expected '!'");
        }
        let from = self.at;
        self.advance();
        self.need(1)?;
        self.word()?;
        if self.byte(0) == b'!' {
            self.advance();
        } else if directive && self.at - from == 1 && self.rules.crashes_on_primary_handle {
            return self.fail(start, "runtime error: index out of range");
        } else if directive && self.at - from > 1 {
            return self.fail_tag(start, "did not find expected '!'");
        }
        Ok(self.slice(from, self.at).to_owned())
    }

    fn tag_uri(&mut self, head: &str, start: Mark) -> Result<String> {
        let mut uri = head.get(1..).unwrap_or_default().as_bytes().to_vec();
        let mut length = head.len();
        let mut escapes = 0;
        self.need(1)?;
        loop {
            match self.byte(0) {
                b'%' => {
                    self.uri_escape(&mut uri, start)?;
                    escapes += 1;
                    self.need(1)?;
                    continue;
                }
                b';' | b'/' | b'?' | b':' | b'@' | b'&' | b'=' | b'+' | b'$' | b',' | b'.'
                | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' | b'[' | b']' => {
                    uri.push(self.byte(0));
                    self.advance();
                }
                byte if self.is_word(0) => {
                    uri.push(byte);
                    self.advance();
                }
                _ => break,
            }
            length += 1;
            self.need(1)?;
        }
        let found = match self.rules.tag_uri {
            TagUri::WithoutHead => !uri.is_empty(),
            TagUri::WithoutEscapes => length > 0,
            TagUri::Anything => length + escapes > 0,
        };
        if !found {
            return self.fail_tag(start, "did not find expected tag URI");
        }
        // Overlong forms pass the checks above in Go; no tag we know is spelled with them.
        Ok(String::from_utf8_lossy(&uri).into_owned())
    }

    fn uri_escape(&mut self, uri: &mut Vec<u8>, start: Mark) -> Result<()> {
        let hex = |byte: u8| char::from(byte).to_digit(16);
        let mut left = None;
        loop {
            self.need(3)?;
            let (b'%', Some(high), Some(low)) =
                (self.byte(0), hex(self.byte(1)), hex(self.byte(2)))
            else {
                return self.fail_tag(start, "did not find URI escaped octet");
            };
            let octet = (high << 4 | low) as u8;
            let width = match left {
                None => match octet {
                    0..0x80 => 1,
                    0xc0..0xe0 => 2,
                    0xe0..0xf0 => 3,
                    0xf0..0xf8 => 4,
                    _ => return self.fail_tag(start, "found an incorrect leading UTF-8 octet"),
                },
                Some(_) if octet & 0xc0 != 0x80 => {
                    return self.fail_tag(start, "found an incorrect trailing UTF-8 octet");
                }
                Some(width) => width,
            };
            uri.push(octet);
            self.advance_bytes(3);
            if width == 1 {
                return Ok(());
            }
            left = Some(width - 1);
        }
    }

    // ---- scalars ----------------------------------------------------------------------------

    fn scan_block_scalar(&mut self, literal: bool) -> Result<Token<'a>> {
        let start = self.mark;
        self.advance();
        self.need(1)?;

        let mut chomping = None;
        let mut increment = 0;
        for _ in 0..2 {
            match self.byte(0) {
                sign @ (b'+' | b'-') if chomping.is_none() => chomping = Some(sign),
                b'0' if increment == 0 => {
                    return self.fail(start, self.rules.wording.zero_indentation);
                }
                digit @ b'1'..=b'9' if increment == 0 => increment = isize::from(digit - b'0'),
                _ => break,
            }
            self.advance();
            self.need(1)?;
        }
        self.finish_line(start, "did not find expected comment or line break")?;

        let mut end = self.mark;
        let mut indent = match increment {
            0 => 0,
            n => self.indent.max(0) + n,
        };
        let mut text = String::new();
        let mut leading_break = "";
        let mut trailing_breaks = String::new();
        let mut after_blank = false;
        self.block_scalar_breaks(&mut indent, &mut trailing_breaks, start, &mut end)?;
        self.need(1)?;
        while self.mark.column as isize == indent && !self.at_end(0) {
            let blank = self.is_blank(0);
            if !literal && !after_blank && !blank && leading_break == "\n" {
                // Folded lines are joined by a space, unless empty lines stand between them.
                if trailing_breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(leading_break);
            }
            text.push_str(&trailing_breaks);
            trailing_breaks.clear();
            after_blank = blank;

            let from = self.at;
            while !self.is_break_or_end(0) {
                self.advance();
                self.need(1)?;
                self.advance_while(|b| !matches!(b, b'\n' | b'\r'));
            }
            text.push_str(self.slice(from, self.at));
            self.need(2)?;
            leading_break = self.read_line();
            self.block_scalar_breaks(&mut indent, &mut trailing_breaks, start, &mut end)?;
        }
        if chomping != Some(b'-') {
            text.push_str(leading_break);
        }
        if chomping == Some(b'+') {
            text.push_str(&trailing_breaks);
        }
        Ok(Token {
            kind: Kind::Scalar {
                value: Cow::Owned(text),
                plain: false,
            },
            start,
            end,
        })
    }

    /// Empty lines and the indentation of the next one; the first decides where none was given.
    fn block_scalar_breaks(
        &mut self,
        indent: &mut isize,
        breaks: &mut String,
        start: Mark,
        end: &mut Mark,
    ) -> Result<()> {
        *end = self.mark;
        let mut widest = 0;
        loop {
            self.need(1)?;
            if *indent == 0 {
                self.advance_while(|b| b == b' ');
            }
            while (*indent == 0 || (self.mark.column as isize) < *indent) && self.byte(0) == b' ' {
                self.advance();
                self.need(1)?;
            }
            let column = self.mark.column as isize;
            widest = widest.max(column);
            if (*indent == 0 || column < *indent) && self.byte(0) == b'\t' {
                return self.fail(start, self.rules.wording.tab_in_block_scalar);
            }
            if !self.is_break(0) {
                break;
            }
            self.need(2)?;
            breaks.push_str(self.read_line());
            *end = self.mark;
        }
        if *indent == 0 {
            *indent = widest.max(self.indent + 1).max(1);
        }
        Ok(())
    }

    fn scan_quoted(&mut self, single: bool) -> Result<Token<'a>> {
        let quote = if single { b'\'' } else { b'"' };
        let start = self.mark;
        self.advance();

        if let Some(value) = self.simple_quoted(quote) {
            let value = Cow::Borrowed(value);
            return Ok(Token {
                kind: Kind::Scalar {
                    value,
                    plain: false,
                },
                start,
                end: self.mark,
            });
        }

        let mut text = String::new();
        let mut blanks = Blanks::default();
        loop {
            self.need(4)?;
            if self.at_document_indicator() {
                return self.fail(start, "found unexpected document indicator");
            }
            if self.at_end(0) {
                return self.fail(start, "found unexpected end of stream");
            }
            let mut leading_blanks = false;
            while !self.is_blank_or_end(0) {
                match self.byte(0) {
                    b'\'' if single && self.byte(1) == b'\'' => {
                        text.push('\'');
                        self.advance_bytes(2);
                    }
                    byte if byte == quote => break,
                    b'\\' if !single && self.is_break(1) => {
                        self.need(3)?;
                        self.advance();
                        self.advance_line();
                        leading_blanks = true;
                        break;
                    }
                    b'\\' if !single => text.push(self.escape(start)?),
                    _ => {
                        let from = self.at;
                        self.advance();
                        self.advance_while(|b| !matches!(b, b'\0'..=b' ' | b'\'' | b'"' | b'\\'));
                        text.push_str(self.slice(from, self.at));
                    }
                }
                self.need(2)?;
            }
            self.need(1)?;
            if self.byte(0) == quote {
                break;
            }
            self.read_blanks(&mut blanks, &mut leading_blanks, None)?;
            if leading_blanks {
                blanks.fold_into(&mut text);
            } else {
                text.push_str(&blanks.spaces);
                blanks.spaces.clear();
            }
        }
        self.advance();
        let value = Cow::Owned(text);
        Ok(Token {
            kind: Kind::Scalar {
                value,
                plain: false,
            },
            start,
            end: self.mark,
        })
    }

    /// A quoted scalar without escapes on one line, which needs no copy.
    fn simple_quoted(&mut self, quote: u8) -> Option<&'a str> {
        if self.broken.is_some() {
            return None;
        }
        let rest = self.rest();
        let length = rest.bytes().position(|b| {
            b == quote
                || matches!(b, b'\\' if quote == b'"')
                || matches!(b, b'\n' | b'\r' | 0xc2 | 0xe2)
        })?;
        if self.byte(length) != quote || quote == b'\'' && self.byte(length + 1) == b'\'' {
            return None;
        }
        self.advance_bytes(length + 1);
        rest.get(..length)
    }

    /// An escape sequence, whose backslash is next.
    fn escape(&mut self, start: Mark) -> Result<char> {
        let (c, digits) = match self.byte(1) {
            b'0' => ('\0', 0),
            b'a' => ('\x07', 0),
            b'b' => ('\x08', 0),
            b't' | b'\t' => ('\t', 0),
            b'n' => ('\n', 0),
            b'v' => ('\x0b', 0),
            b'f' => ('\x0c', 0),
            b'r' => ('\r', 0),
            b'e' => ('\x1b', 0),
            b' ' => (' ', 0),
            b'"' => ('"', 0),
            // libyaml has `\/` instead.
            b'\'' => ('\'', 0),
            b'\\' => ('\\', 0),
            b'N' => ('\u{85}', 0),
            b'_' => ('\u{a0}', 0),
            b'L' => ('\u{2028}', 0),
            b'P' => ('\u{2029}', 0),
            b'x' => ('\0', 2),
            b'u' => ('\0', 4),
            b'U' => ('\0', 8),
            _ => return self.fail(start, "found unknown escape character"),
        };
        self.advance_bytes(2);
        if digits == 0 {
            return Ok(c);
        }
        self.need(digits)?;
        let mut value = 0u32;
        for k in 0..digits {
            match char::from(self.byte(k)).to_digit(16) {
                Some(digit) => value = value << 4 | digit,
                None => return self.fail(start, "did not find expected hexdecimal number"),
            }
        }
        match char::from_u32(value) {
            Some(c) => {
                self.advance_bytes(digits);
                Ok(c)
            }
            None => self.fail(start, "found invalid Unicode character escape code"),
        }
    }

    fn at_document_indicator(&self) -> bool {
        self.mark.column == 0
            && matches!(&[self.byte(0), self.byte(1), self.byte(2)], b"---" | b"...")
            && self.is_blank_or_end(3)
    }

    fn scan_plain(&mut self) -> Result<Token<'a>> {
        let start = self.mark;
        let from = self.at;
        let mut end = self.mark;
        let mut end_at = self.at;
        // Set once a fold makes the value differ from its source.
        let mut folded: Option<String> = None;
        let mut blanks = Blanks::default();
        let mut leading_blanks = false;
        let indent = self.indent + 1;
        loop {
            self.need(4)?;
            if self.at_document_indicator() || self.byte(0) == b'#' {
                break;
            }
            let run = self.at;
            while !self.is_blank_or_end(0) {
                let byte = self.byte(0);
                if byte == b':' {
                    if self.flow_level > 0
                        && self.rules.no_colon_in_flow
                        && !self.is_blank_or_end(1)
                    {
                        return self.fail(start, "found unexpected ':'");
                    }
                    if self.is_blank_or_end(1) {
                        break;
                    }
                }
                if self.flow_level > 0 && matches!(byte, b',' | b'?' | b'[' | b']' | b'{' | b'}') {
                    break;
                }
                if self.at == run {
                    // The first character of a run: what stood before it is part of the scalar.
                    if leading_blanks {
                        let text =
                            folded.get_or_insert_with(|| self.slice(from, end_at).to_owned());
                        blanks.fold_into(text);
                        leading_blanks = false;
                    } else if let Some(text) = &mut folded {
                        text.push_str(&blanks.spaces);
                    }
                    blanks.spaces.clear();
                }
                self.advance();
                self.need(2)?;
                // Most of a scalar cannot end it.
                let flow = self.flow_level > 0;
                self.advance_while(|b| match b {
                    b'\0'..=b' ' | b':' => false,
                    b',' | b'?' | b'[' | b']' | b'{' | b'}' => !flow,
                    _ => true,
                });
            }
            if self.at > run {
                end = self.mark;
                end_at = self.at;
                if let Some(text) = &mut folded {
                    text.push_str(self.slice(run, end_at));
                }
            }
            if !(self.is_blank(0) || self.is_break(0)) {
                break;
            }
            self.need(1)?;
            self.read_blanks(&mut blanks, &mut leading_blanks, Some((indent, start)))?;
            if self.flow_level == 0 && (self.mark.column as isize) < indent {
                break;
            }
        }
        if leading_blanks {
            self.simple_key_allowed = true;
        }
        let value = match folded {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(self.slice(from, end_at)),
        };
        Ok(Token {
            kind: Kind::Scalar { value, plain: true },
            start,
            end,
        })
    }

    /// Blanks and line breaks between the words of a scalar. `plain` is the indentation and the
    /// beginning of a plain one, where a tab may be out of place.
    fn read_blanks(
        &mut self,
        blanks: &mut Blanks,
        leading: &mut bool,
        plain: Option<(isize, Mark)>,
    ) -> Result<()> {
        loop {
            if self.is_blank(0) {
                match plain {
                    Some((indent, start))
                        if *leading
                            && (self.mark.column as isize) < indent
                            && self.byte(0) == b'\t' =>
                    {
                        return self.fail(start, self.rules.wording.tab_in_plain_scalar);
                    }
                    _ if !*leading => blanks.spaces.push(char::from(self.byte(0))),
                    _ => {}
                }
                self.advance();
            } else if self.is_break(0) {
                self.need(2)?;
                if *leading {
                    blanks.trailing_breaks.push_str(self.read_line());
                } else {
                    blanks.spaces.clear();
                    blanks.leading_break = self.read_line();
                    *leading = true;
                }
            } else {
                return Ok(());
            }
            self.need(1)?;
        }
    }
}

/// White space that becomes part of a scalar if more of it follows.
#[derive(Default)]
struct Blanks {
    spaces: String,
    leading_break: &'static str,
    trailing_breaks: String,
}

impl Blanks {
    /// Line folding: one break is a space, more are one fewer, and a Unicode break is itself.
    fn fold_into(&mut self, text: &mut String) {
        if self.leading_break == "\n" && self.trailing_breaks.is_empty() {
            text.push(' ');
        } else {
            if self.leading_break != "\n" {
                text.push_str(self.leading_break);
            }
            text.push_str(&self.trailing_breaks);
        }
        self.leading_break = "";
        self.trailing_breaks.clear();
    }
}
