//! Bytes to text: what go-yaml's reader accepts, and how far a scanner gets before it complains.
//!
//! In: the bytes of a file. Out: the text without its byte order mark and, when some of it is
//! unreadable, the complaint. Mirrors `readerc.go`.

use std::borrow::Cow;

/// go-yaml decodes its input in pieces of this many bytes (`input_raw_buffer_size`).
const PIECE: usize = 512;

/// Readable text, and what stands behind its end.
pub(super) struct Input<'a> {
    /// The text that the scanner may see.
    pub(super) text: Cow<'a, str>,
    /// The complaint that the scanner meets when it wants to see more than `text`.
    pub(super) broken: Option<Complaint>,
}

/// What the reader says about a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    /// In go-yaml's words.
    pub(super) problem: &'static str,
    /// The line of the character, counted from 0; go-yaml does not tell it.
    pub(super) line: usize,
}

/// Decodes UTF-8, or UTF-16 where a byte order mark announces it.
///
/// A character that is not allowed does no harm by itself: go-yaml complains only when its scanner
/// asks for a character of the *piece* that holds it. So `b: 1\n...\n` followed by 600 spaces and
/// a NUL is a fine document, and with 10 spaces it is not.
pub(super) fn read(bytes: &[u8]) -> Input<'_> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, 3),
        _ => utf8(bytes, 0),
    }
}

fn utf8(bytes: &[u8], mark: usize) -> Input<'_> {
    let (valid, broken) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let (good, bad) = bytes.split_at(error.valid_up_to());
            let problem = malformed(bad);
            let at_end = problem == CUT;
            let problem = Broken { problem, at_end };
            // `valid_up_to` promises this.
            (std::str::from_utf8(good).unwrap_or_default(), Some(problem))
        }
    };
    let broken = match first_forbidden(valid) {
        Some(at) => Some((
            at,
            Broken {
                problem: FORBIDDEN,
                at_end: false,
            },
        )),
        None => broken.map(|broken| (valid.len(), broken)),
    };
    match broken {
        None => Input {
            text: Cow::Borrowed(valid),
            broken: None,
        },
        Some((at, broken)) => {
            let end = if broken.at_end {
                at
            } else {
                piece_start(valid, at, mark)
            };
            Input {
                text: Cow::Borrowed(valid.get(..end).unwrap_or_default()),
                broken: Some(Complaint {
                    problem: broken.problem,
                    line: line_of(valid, at),
                }),
            }
        }
    }
}

/// The line of a place, counted from 0. `\r` alone ends a line, as it does for the scanner.
fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let returns = before.iter().filter(|&&b| b == b'\r').count();
    let feeds = before.iter().filter(|&&b| b == b'\n').count();
    let pairs = before.windows(2).filter(|pair| *pair == b"\r\n").count();
    returns + feeds - pairs
}

struct Broken {
    problem: &'static str,
    /// The reader notices only when it has seen the end of the input.
    at_end: bool,
}

const FORBIDDEN: &str = "control characters are not allowed";
const CUT: &str = "incomplete UTF-8 octet sequence";

/// Why a sequence is not UTF-8, in go-yaml's words and in its order of checks.
fn malformed(bytes: &[u8]) -> &'static str {
    let Some(&lead) = bytes.first() else {
        return CUT;
    };
    let (width, bits) = match lead {
        0xc0..=0xdf => (2, lead & 0x1f),
        0xe0..=0xef => (3, lead & 0x0f),
        0xf0..=0xf7 => (4, lead & 0x07),
        _ => return "invalid leading UTF-8 octet",
    };
    // The length is asked for first, so `\xe2"` at the end is cut and not malformed.
    let Some(trailing) = bytes.get(1..width) else {
        return CUT;
    };
    let mut value = u32::from(bits);
    for octet in trailing {
        if octet & 0xc0 != 0x80 {
            return "invalid trailing UTF-8 octet";
        }
        value = value << 6 | u32::from(octet & 0x3f);
    }
    let smallest = [0, 0, 0x80, 0x800, 0x1_0000][width];
    if value < smallest {
        "invalid length of a UTF-8 sequence"
    } else {
        "invalid Unicode character"
    }
}

/// The first character that YAML 1.1 does not allow in a stream.
fn first_forbidden(text: &str) -> Option<usize> {
    let mut from = 0;
    // Nearly all text is printable ASCII: look at single bytes and decode only what might matter.
    while let Some(step) = text.as_bytes()[from..].iter().position(|&b| {
        !matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~')
            && !matches!(b, 0x80..=0xbf | 0xc3..=0xee | 0xf0..)
    }) {
        let at = from + step;
        let c = text.get(at..).and_then(|rest| rest.chars().next())?;
        if !matches!(c, '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..) {
            return Some(at);
        }
        from = at + c.len_utf8();
    }
    None
}

/// Where the piece of input begins that holds the byte at `at`. Pieces begin anew at a character
/// that the previous one cut.
fn piece_start(text: &str, at: usize, mark: usize) -> usize {
    let mut start = 0;
    // The byte order mark belongs to the first piece but not to the text.
    let mut end = PIECE.saturating_sub(mark);
    while end <= at {
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        start = end;
        end += PIECE;
    }
    start
}

fn utf16(bytes: &[u8], join: fn([u8; 2]) -> u16) -> Input<'static> {
    let mut text = String::with_capacity(bytes.len());
    let mut units = bytes.chunks(2).peekable();
    let mut broken = None;
    // Byte offset in `bytes` and length of `text` at the beginning of each piece.
    let mut pieces = vec![(0, 0)];
    let mut offset = 0;
    while let Some(unit) = units.next() {
        let (Some(&(start, _)), &[a, b]) = (pieces.last(), unit) else {
            broken = Some(Broken {
                problem: "incomplete UTF-16 character",
                at_end: true,
            });
            break;
        };
        let unit = join([a, b]);
        let (c, width) = match unit {
            0xdc00..=0xdfff => {
                broken = Some(Broken {
                    problem: "unexpected low surrogate area",
                    at_end: false,
                });
                break;
            }
            0xd800..=0xdbff => match units.peek().copied() {
                Some(&[a, b]) => match char::decode_utf16([unit, join([a, b])]).next() {
                    Some(Ok(c)) => {
                        units.next();
                        (Some(c), 4)
                    }
                    _ => {
                        broken = Some(Broken {
                            problem: "expected low surrogate area",
                            at_end: false,
                        });
                        break;
                    }
                },
                _ => {
                    broken = Some(Broken {
                        problem: "incomplete UTF-16 surrogate pair",
                        at_end: true,
                    });
                    break;
                }
            },
            unit => (char::from_u32(unit.into()), 2),
        };
        let first_piece = if start == 0 { 2 } else { 0 };
        if offset + width > start + PIECE - first_piece {
            pieces.push((offset, text.len()));
        }
        offset += width;
        match c {
            Some(
                '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..,
            ) => {
                text.extend(c);
            }
            _ => {
                broken = Some(Broken {
                    problem: FORBIDDEN,
                    at_end: false,
                });
                break;
            }
        }
    }
    let line = line_of(&text, text.len());
    if let Some(Broken { at_end: false, .. }) = broken {
        text.truncate(pieces.last().map_or(0, |&(_, length)| length));
    }
    Input {
        text: Cow::Owned(text),
        broken: broken.map(|broken| Complaint {
            problem: broken.problem,
            line,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8]) -> (String, Option<&'static str>) {
        let input = read(bytes);
        let broken = input.broken.map(|broken| broken.problem);
        (input.text.into_owned(), broken)
    }

    #[test]
    fn text_passes_and_loses_its_mark() {
        assert_eq!(check(b"a: 1"), ("a: 1".into(), None));
        assert_eq!(
            check("\u{feff}a: é€🎉".as_bytes()),
            ("a: é€🎉".into(), None)
        );
        assert_eq!(check(b"\xff\xfea\0:\0"), ("a:".into(), None));
        assert_eq!(check(b"\xfe\xff\0a\xd8\x3c\xdf\x89"), ("a🎉".into(), None));
    }

    #[test]
    fn bad_bytes_are_named_as_go_names_them() {
        let cases: [(&[u8], &str); 9] = [
            (b"a: \x00", FORBIDDEN),
            ("a: \u{7f}".as_bytes(), FORBIDDEN),
            ("a: \u{80}".as_bytes(), FORBIDDEN),
            ("a: \u{ffff}".as_bytes(), FORBIDDEN),
            (b"a: \xff", "invalid leading UTF-8 octet"),
            (b"a: \xc3(", "invalid trailing UTF-8 octet"),
            (b"a: \xc0\x80", "invalid length of a UTF-8 sequence"),
            (b"a: \xed\xa0\x80", "invalid Unicode character"),
            (b"\xff\xfea\0\0\xdc", "unexpected low surrogate area"),
        ];
        for (bytes, problem) in cases {
            assert_eq!(check(bytes), (String::new(), Some(problem)), "{bytes:?}");
        }
    }

    #[test]
    fn bad_bytes_are_found_on_their_line() {
        let cases: [(&[u8], usize); 5] = [
            (b"a\nb\r\nc\r\0", 3),
            (b"\xef\xbb\xbf\n\xff", 1),
            (b"\n\xe2", 1),
            (b"\xff\xfe\n\0\0\0", 1),
            (b"\xff\xfe\n\0\0\xdc", 1),
        ];
        for (bytes, line) in cases {
            let broken = read(bytes).broken.map(|broken| broken.line);
            assert_eq!(broken, Some(line), "{bytes:?}");
        }
    }

    #[test]
    fn a_cut_sequence_is_noticed_at_its_place_only() {
        assert_eq!(check(b"a: \xe2\x82"), ("a: ".into(), Some(CUT)));
        assert_eq!(check(b"a: \xe2\""), ("a: ".into(), Some(CUT)));
    }

    #[test]
    fn earlier_pieces_stay_readable() {
        let mut bytes = vec![b' '; 511];
        bytes.extend("é".as_bytes());
        bytes.extend([b' '; 600]);
        bytes.push(0);
        // The second piece begins at the character that the first one cut.
        assert_eq!(check(&bytes).0.len(), 511 + 512);
    }
}
