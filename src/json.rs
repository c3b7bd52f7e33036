//! JSON as Go reads it: a pull reader over text that borrows what it can.
//!
//! In: the text of one document. Out: tokens, strings unescaped as `encoding/json` does it (a lone
//! surrogate becomes U+FFFD), numbers as they were written (`1E2` stays `1E2`: quantities depend
//! on it). Nothing recurses here, so depth costs no stack; like Go's scanner it gives up at 10,000
//! levels (`maxNestingDepth`, `encoding/json/scanner.go`).

use std::borrow::Cow;
use std::fmt;

/// Go's `maxNestingDepth`.
const MAX_DEPTH: usize = 10_000;

/// What a value begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// A digit or `-`.
    Number,
    /// `true`, `false`
    Bool,
    /// `null`
    Null,
}

impl Token {
    /// As error messages name it.
    pub fn describe(self) -> &'static str {
        match self {
            Token::Object => "an object",
            Token::Array => "a list",
            Token::String => "a string",
            Token::Number => "a number",
            Token::Bool => "true or false",
            Token::Null => "null",
        }
    }
}

/// The text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset of the place.
    pub offset: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON at byte {}: {}", self.offset, self.what)
    }
}

impl std::error::Error for SyntaxError {}

/// What becomes of a `\u` escape that is half of a surrogate pair, in a Go string U+FFFD.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surrogates {
    /// `encoding/json`: what follows a lone half is read on its own.
    #[default]
    Alone,
    /// json-iterator: the next `\u` escape is the other half, come what may; a pair that does not
    /// fit becomes two.
    Pairwise,
    /// ugorji's codec: the next `\u` escape is the other half and has to be there; a pair that does
    /// not fit becomes one.
    Paired,
}

/// Reads one document from front to back.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
    surrogates: Surrogates,
}

type Result<T> = std::result::Result<T, SyntaxError>;

impl<'a> Reader<'a> {
    /// A reader at the beginning of a document.
    pub fn new(text: &'a str) -> Reader<'a> {
        Reader::with_surrogates(text, Surrogates::default())
    }

    /// The same for a library that treats surrogates in its own way.
    pub fn with_surrogates(text: &'a str, surrogates: Surrogates) -> Reader<'a> {
        Reader {
            text,
            at: 0,
            surrogates,
        }
    }

    /// Byte offset of what comes next.
    pub fn offset(&self) -> usize {
        self.at
    }

    fn error<T>(&self, what: &'static str) -> Result<T> {
        Err(self.refuse(what))
    }

    /// An error at what comes next, for a caller that refuses it.
    pub fn refuse(&self, what: &'static str) -> SyntaxError {
        SyntaxError {
            offset: self.at,
            what,
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// What comes next; nothing is consumed but white space.
    ///
    /// # Errors
    /// At the end of the text and at anything that begins no value.
    pub fn peek(&mut self) -> Result<Token> {
        self.skip_space();
        match self.byte() {
            Some(b'{') => Ok(Token::Object),
            Some(b'[') => Ok(Token::Array),
            Some(b'"') => Ok(Token::String),
            Some(b'-' | b'0'..=b'9') => Ok(Token::Number),
            Some(b't' | b'f') => Ok(Token::Bool),
            Some(b'n') => Ok(Token::Null),
            Some(_) => self.error("expected a value"),
            None => self.error("the text ends where a value was expected"),
        }
    }

    fn literal(&mut self, word: &'static str) -> Result<()> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            self.error("expected true, false or null")
        }
    }

    /// Consumes `null`.
    ///
    /// # Errors
    /// When something else comes.
    pub fn null(&mut self) -> Result<()> {
        self.skip_space();
        self.literal("null")
    }

    /// Consumes `true` or `false`.
    ///
    /// # Errors
    /// When something else comes.
    pub fn bool(&mut self) -> Result<bool> {
        self.skip_space();
        let value = self.byte() == Some(b't');
        self.literal(if value { "true" } else { "false" })?;
        Ok(value)
    }

    /// Consumes a number and returns it as written.
    ///
    /// # Errors
    /// When it does not follow JSON's grammar (`05`, `1.`, `+1`).
    pub fn number(&mut self) -> Result<&'a str> {
        self.skip_space();
        let start = self.at;
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.byte() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.error("expected a digit"),
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) {
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<()> {
        if !matches!(self.byte(), Some(b'0'..=b'9')) {
            return self.error("expected a digit");
        }
        self.digits();
        Ok(())
    }

    /// Consumes a string.
    ///
    /// # Errors
    /// At raw control characters, bad escapes and the end of the text.
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        self.skip_space();
        if self.byte() != Some(b'"') {
            return self.error("expected a string");
        }
        self.at += 1;
        let start = self.at;
        self.plain()?;
        if self.byte() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        let mut out = String::from(&self.text[start..self.at]);
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(out));
                }
                Some(b'\\') => self.escape(&mut out)?,
                _ => {
                    let from = self.at;
                    self.plain()?;
                    out.push_str(&self.text[from..self.at]);
                }
            }
        }
    }

    /// Runs up to the next quote or backslash.
    fn plain(&mut self) -> Result<()> {
        loop {
            match self.byte() {
                Some(b'"' | b'\\') => return Ok(()),
                Some(0..=0x1f) => return self.error("a control character inside a string"),
                Some(_) => self.at += 1,
                None => return self.error("the text ends inside a string"),
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<()> {
        self.at += 1;
        let Some(byte) = self.byte() else {
            return self.error("the text ends inside a string");
        };
        let plain = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                let unit = self.four_hex()?;
                match char::from_u32(unit) {
                    Some(rune) => out.push(rune),
                    None => self.surrogate(unit, out)?,
                }
                return Ok(());
            }
            _ => return self.error("no such escape in a string"),
        };
        out.push(plain);
        self.at += 1;
        Ok(())
    }

    fn four_hex(&mut self) -> Result<u32> {
        match self
            .text
            .as_bytes()
            .get(self.at..self.at + 4)
            .and_then(hex4)
        {
            Some(unit) => {
                self.at += 4;
                Ok(unit)
            }
            None => self.error("expected four hexadecimal digits"),
        }
    }

    /// Half of a surrogate pair, joined with the other half if it follows (`unquoteBytes` in
    /// `encoding/json`, `readEscapedChar` in json-iterator, `appendStringAsBytes` in ugorji's codec).
    fn surrogate(&mut self, unit: u32, out: &mut String) -> Result<()> {
        const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
        let rest = &self.text.as_bytes()[self.at..];
        let next = match rest.strip_prefix(b"\\u") {
            Some(digits) => digits.get(..4).and_then(hex4),
            None => None,
        };
        let joined = next.and_then(|next| {
            let high = (0xd800..0xdc00).contains(&unit);
            let low = (0xdc00..0xe000).contains(&next);
            (high && low).then(|| 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00))
        });
        match (self.surrogates, next, joined.and_then(char::from_u32)) {
            (_, _, Some(rune)) => {
                self.at += 6;
                out.push(rune);
            }
            (Surrogates::Pairwise, Some(next), None) => {
                self.at += 6;
                out.push(REPLACEMENT);
                out.push(char::from_u32(next).unwrap_or(REPLACEMENT));
            }
            (Surrogates::Paired, Some(_), None) => {
                self.at += 6;
                out.push(REPLACEMENT);
            }
            (Surrogates::Paired, None, _) => {
                return self.error("half of a surrogate pair without the other half");
            }
            (Surrogates::Alone | Surrogates::Pairwise, _, None) => out.push(REPLACEMENT),
        }
        Ok(())
    }

    /// Enters an object.
    ///
    /// # Errors
    /// When something else comes.
    pub fn begin_object(&mut self) -> Result<()> {
        self.begin(b'{', "expected an object")
    }

    /// Enters a list.
    ///
    /// # Errors
    /// When something else comes.
    pub fn begin_array(&mut self) -> Result<()> {
        self.begin(b'[', "expected a list")
    }

    fn begin(&mut self, open: u8, what: &'static str) -> Result<()> {
        self.skip_space();
        if self.byte() != Some(open) {
            return self.error(what);
        }
        self.at += 1;
        Ok(())
    }

    /// The next key of the object entered last, with its colon consumed; `None` at its end.
    /// `first` is true until the first key was read.
    ///
    /// # Errors
    /// At anything else.
    pub fn next_key(&mut self, first: &mut bool) -> Result<Option<Cow<'a, str>>> {
        if !self.more(b'}', first)? {
            return Ok(None);
        }
        let key = self.string()?;
        self.skip_space();
        if self.byte() != Some(b':') {
            return self.error("expected ':' after a key");
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Whether the list entered last goes on; its end is consumed.
    ///
    /// # Errors
    /// At anything else.
    pub fn next_item(&mut self, first: &mut bool) -> Result<bool> {
        self.more(b']', first)
    }

    fn more(&mut self, close: u8, first: &mut bool) -> Result<bool> {
        self.skip_space();
        let was_first = std::mem::replace(first, false);
        match self.byte() {
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            Some(b',') if !was_first => {
                self.at += 1;
                self.skip_space();
                // A comma before the end is an error that the next value would report, except
                // that an object's next key begins with a quote.
                if self.byte() == Some(close) {
                    return self.error("a comma before the end");
                }
                Ok(true)
            }
            Some(_) if was_first => Ok(true),
            Some(_) => self.error("expected ',' or the end"),
            None => self.error("the text ends inside an object or a list"),
        }
    }

    /// Consumes a value of any kind and returns its text.
    ///
    /// # Errors
    /// When it is not JSON, or nested deeper than Go goes.
    pub fn raw(&mut self) -> Result<&'a str> {
        self.raw_if(|_| true)
    }

    /// The same, where each number in it has to please the caller.
    ///
    /// # Errors
    /// When one does not, and as [`Reader::raw`].
    pub fn raw_if(&mut self, number_fits: impl Fn(&str) -> bool) -> Result<&'a str> {
        self.skip_space();
        let start = self.at;
        // One bit per open level: whether it is an object.
        let mut open: Vec<bool> = Vec::new();
        let mut first = true;
        loop {
            match self.peek()? {
                token @ (Token::Object | Token::Array) => {
                    self.at += 1;
                    open.push(token == Token::Object);
                    if open.len() > MAX_DEPTH {
                        return self.error("nested deeper than 10,000 levels");
                    }
                    first = true;
                }
                Token::String => {
                    self.string()?;
                }
                Token::Number => {
                    let number = self.number()?;
                    if !number_fits(number) {
                        return self.error("a number out of range");
                    }
                }
                Token::Bool => {
                    self.bool()?;
                }
                Token::Null => self.null()?,
            }
            // Close what ends here, then step to the next value.
            loop {
                let Some(&object) = open.last() else {
                    return Ok(&self.text[start..self.at]);
                };
                let goes_on = if object {
                    self.next_key(&mut first)?.is_some()
                } else {
                    self.next_item(&mut first)?
                };
                if goes_on {
                    break;
                }
                open.pop();
                first = false;
            }
        }
    }

    /// Asserts that nothing but white space follows.
    ///
    /// # Errors
    /// When something does.
    pub fn end(&mut self) -> Result<()> {
        self.skip_space();
        match self.byte() {
            None => Ok(()),
            Some(_) => self.error("something follows the end of the document"),
        }
    }
}

fn hex4(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, digit| {
        Some(value << 4 | char::from(*digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> Result<String> {
        Reader::new(text).string().map(Cow::into_owned)
    }

    #[test]
    fn surrogates_join_and_lone_ones_are_replaced_as_go_does() {
        assert_eq!(string(r#""\ud83d\ude00""#).as_deref(), Ok("😀"));
        assert_eq!(string(r#""\ud800x""#).as_deref(), Ok("\u{fffd}x"));
        assert_eq!(string(r#""\ud800\u0041""#).as_deref(), Ok("\u{fffd}A"));
        assert_eq!(
            string(r#""\ud800\ud83d\ude00""#).as_deref(),
            Ok("\u{fffd}😀")
        );
    }

    #[test]
    fn raw_keeps_the_text_and_checks_the_grammar() {
        let mut reader = Reader::new(r#" {"a": [1E2, {}, []], "b": "\u0041"} x"#);
        assert_eq!(reader.raw(), Ok(r#"{"a": [1E2, {}, []], "b": "\u0041"}"#));
        assert!(reader.end().is_err());
        for bad in [
            "{",
            "[1,]",
            "{\"a\":1,}",
            "[1 2]",
            "05",
            "1.",
            "nul",
            "{\"a\" 1}",
            "\"\n\"",
            "{,}",
        ] {
            let mut reader = Reader::new(bad);
            assert!(reader.raw().and_then(|_| reader.end()).is_err(), "{bad}");
        }
    }

    #[test]
    fn depth_is_bounded_without_a_stack() {
        let deep = "[".repeat(100_000);
        assert_eq!(
            Reader::new(&deep).raw().map_err(|e| e.what),
            Err("nested deeper than 10,000 levels")
        );
    }
}
