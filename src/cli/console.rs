//! stdout for data, stderr for words; colour where it is wanted.

use std::borrow::Cow;
use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use kubehash::diagnostic::{Diagnostic, Severity};
use serde::Serialize;

use super::args::Color;
use super::input::STDIN;

const BOLD: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// The two streams and what the user asked of them.
pub(super) struct Console {
    color: ColorChoice,
    quiet: bool,
}

impl Console {
    /// `color` is what was asked for; an explicit word is stronger than `NO_COLOR`.
    pub(super) fn new(color: Color, quiet: bool) -> Console {
        let color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Console { color, quiet }
    }

    /// Writes data to stdout as it is.
    pub(super) fn write(&self, data: &[u8]) -> io::Result<()> {
        write(io::stdout().lock(), data)
    }

    /// Writes a report to stdout.
    pub(super) fn write_report(&self, report: &impl Serialize) -> io::Result<()> {
        let mut json = serde_json::to_vec_pretty(report)?;
        json.push(b'\n');
        self.write(&json)
    }

    /// Writes text to stdout; styles are dropped where colour is not wanted.
    pub(super) fn write_styled(&self, text: &str) -> io::Result<()> {
        let out = AutoStream::new(io::stdout(), self.color).lock();
        write(out, text.as_bytes())
    }

    /// Says what a diagnostic says: where, what, and what to do about it.
    pub(super) fn diagnostic(&self, diagnostic: &Diagnostic) {
        let mut place = place(&diagnostic.source, diagnostic.document);
        if !diagnostic.path.is_empty() {
            place.push_str(if place.is_empty() { "" } else { ": " });
            place.push_str(&diagnostic.path);
        }
        let (word, style) = match diagnostic.severity {
            Severity::Error => ("error", ERROR),
            Severity::Warning if self.quiet => return,
            Severity::Warning => ("warning", WARNING),
        };
        self.say(
            word,
            style,
            &place,
            &diagnostic.message,
            diagnostic.hint.as_deref(),
        );
    }

    /// Says something that is worth knowing and no reason to do anything.
    pub(super) fn note(&self, message: &str) {
        if !self.quiet {
            self.say("note", NOTE, "", message, None);
        }
    }

    fn say(&self, word: &str, style: Style, place: &str, message: &str, hint: Option<&str>) {
        let mut text = format!("{style}{word}{style:#}: ");
        if !place.is_empty() {
            text.push_str(&format!("{BOLD}{}{BOLD:#}: ", printable(place)));
        }
        // One message is one line, whatever Go put into its text.
        let mut lines = message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        text.push_str(&printable(lines.next().unwrap_or_default()));
        lines.for_each(|line| text.push_str(&format!(" {}", printable(line))));
        text.push('\n');
        if let Some(hint) = hint {
            text.push_str(&format!("  {NOTE}hint{NOTE:#}: {}\n", printable(hint)));
        }
        // When stderr fails, nobody is left to be told.
        let _ = AutoStream::new(io::stderr(), self.color)
            .lock()
            .write_all(text.as_bytes());
    }
}

/// Writes all of it; a reader that has read enough is no error.
fn write(mut out: impl Write, data: &[u8]) -> io::Result<()> {
    match out.write_all(data).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// The operating system's words, without Rust's "(os error 2)".
pub(super) fn words(error: &io::Error) -> String {
    let words = error.to_string();
    let end = words.find(" (os error").unwrap_or(words.len());
    words.get(..end).unwrap_or_default().to_owned()
}

/// How people are told where something is; reports for programs keep `-` for stdin.
pub(super) fn place(source: &str, document: Option<usize>) -> String {
    let source = if source == STDIN { "stdin" } else { source };
    match document {
        Some(document) => format!("{source}#{document}"),
        None => source.to_owned(),
    }
}

/// Text from the input as it may reach a terminal: characters by which a manifest could move the
/// cursor, recolour the screen or turn the order of letters around are written out; so are line
/// breaks.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(steers) {
        text.chars()
            .map(|c| {
                if steers(c) {
                    c.escape_default().to_string()
                } else {
                    c.to_string()
                }
            })
            .collect()
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a character does something instead of being shown: Unicode's controls, and its marks for
/// lines, paragraphs, the direction of text and the order of bytes.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_cannot_write_to_the_terminal() {
        assert_eq!(printable("web\u{1b}[2J\n"), "web\\u{1b}[2J\\n");
        assert_eq!(printable("\u{feff}kind"), "\\u{feff}kind");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable("wörk 工作"), "wörk 工作");
    }
}
