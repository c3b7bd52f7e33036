//! A scalar's text to its value: YAML 1.1 as go-yaml has it.
//!
//! In: a scalar's text and tag. Out: a [`Scalar`]. Mirrors `resolve.go` and the parts of Go's
//! `strconv` and `time` that it leans on; what changed is in [`Dialect`].

use std::borrow::Cow;

use super::parser::Tag;
use super::{Dialect, FloatGrammar, YamlError};

/// A resolved scalar, as Go's `interface{}` would hold it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// Only what does not fit `i64`.
    Uint(u64),
    Float(f64),
    Str(Cow<'a, str>),
    /// A string from `!!binary`, which need not be UTF-8.
    Bytes(Vec<u8>),
}

/// What a scalar means. `implicit` is false where it was quoted or is a block scalar.
///
/// # Errors
/// When the text is no value of its tag.
pub(super) fn resolve<'a>(
    text: &Cow<'a, str>,
    tag: Tag,
    implicit: bool,
    dialect: Dialect,
    line: usize,
) -> Result<Scalar<'a>, YamlError> {
    let as_text = || Scalar::Str(text.clone());
    match tag {
        Tag::None if !implicit => return Ok(as_text()),
        Tag::Str | Tag::Merge | Tag::Other => return Ok(as_text()),
        Tag::Timestamp if !dialect.go_yaml.timestamps => return Ok(as_text()),
        Tag::Binary => {
            return match decode_base64(text) {
                Some(bytes) => Ok(Scalar::Bytes(bytes)),
                None => Err(YamlError::new(
                    "!!binary value contains invalid base64 data",
                    line,
                )),
            };
        }
        _ => {}
    }
    if tag == Tag::Timestamp && is_timestamp(text) {
        return Ok(as_text());
    }
    let value = untagged(text, dialect);
    let found = match value {
        None => Tag::Str,
        Some(Scalar::Null) => Tag::Null,
        Some(Scalar::Bool(_)) => Tag::Bool,
        Some(Scalar::Int(_) | Scalar::Uint(_)) => Tag::Int,
        Some(Scalar::Float(_)) => Tag::Float,
        Some(Scalar::Str(_) | Scalar::Bytes(_)) => Tag::Str,
    };
    match (tag, value) {
        (Tag::None, value) => Ok(value.unwrap_or_else(as_text)),
        (tag, Some(value)) if tag == found => Ok(value),
        (Tag::Float, Some(Scalar::Int(number))) if dialect.go_yaml.int_as_float => {
            Ok(Scalar::Float(number as f64))
        }
        (tag, _) => Err(YamlError::new(
            format!(
                "cannot decode {} `{text}` as a {}",
                found.name(),
                tag.name()
            ),
            line,
        )),
    }
}

/// The value of a plain scalar; `None` for a string.
fn untagged<'a>(text: &str, dialect: Dialect) -> Option<Scalar<'a>> {
    let first = text.bytes().next();
    match first {
        None => Some(Scalar::Null),
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            word(text)
        }
        Some(b'.') => word(text).or_else(|| {
            // Here underscores are left to `ParseFloat`, which knows them since Go 1.13.
            if dialect.base_prefixes && text.contains('_') {
                separates_digits(text).then(|| float(&text.replace('_', ""), FloatGrammar::Full))?
            } else {
                float(text, FloatGrammar::Full)
            }
        }),
        Some(b'+' | b'-' | b'0'..=b'9') => word(text).or_else(|| number(text, dialect)),
        Some(_) => None,
    }
}

fn word<'a>(text: &str) -> Option<Scalar<'a>> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        ".nan" | ".NaN" | ".NAN" => Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Scalar::Float(f64::NEG_INFINITY),
        _ => return None,
    })
}

fn number<'a>(text: &str, dialect: Dialect) -> Option<Scalar<'a>> {
    let plain: Cow<'_, str> = if text.contains('_') {
        text.replace('_', "").into()
    } else {
        text.into()
    };
    if let Some(number) = integer(&plain, dialect.base_prefixes) {
        return Some(number);
    }
    if let Some(number) = float(&plain, dialect.go_yaml.float) {
        return Some(number);
    }
    if let Some(digits) = plain.strip_prefix("0b") {
        return parse_int(digits, 2)
            .map(Scalar::Int)
            .or_else(|| parse_uint(digits, 2).map(Scalar::Uint));
    }
    if let Some(digits) = plain.strip_prefix("-0b") {
        let number = if dialect.go_yaml.strict_negative_binary {
            parse_int(&format!("-{digits}"), 2)
        } else {
            // Up to 1.12 the sign was taken off, read again from the digits, and put back.
            parse_int(digits, 2).map(i64::wrapping_neg)
        };
        return number.map(Scalar::Int);
    }
    None
}

/// `strconv.ParseInt(text, 0, 64)`, then `ParseUint` for what is too large.
fn integer<'a>(text: &str, base_prefixes: bool) -> Option<Scalar<'a>> {
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'+' | b'-') => text.split_at(1),
        _ => ("", text),
    };
    let magnitude = magnitude(digits, base_prefixes)?;
    if sign == "-" {
        return 0i64.checked_sub_unsigned(magnitude).map(Scalar::Int);
    }
    match i64::try_from(magnitude) {
        Ok(number) => Some(Scalar::Int(number)),
        Err(_) if sign.is_empty() => Some(Scalar::Uint(magnitude)),
        // `ParseUint` takes no sign.
        Err(_) => None,
    }
}

/// `strconv.ParseUint(digits, 0, 64)`: Go's literals choose the base. `0b` and `0o` came with
/// Go 1.13.
fn magnitude(digits: &str, base_prefixes: bool) -> Option<u64> {
    let Some(rest) = digits.strip_prefix('0') else {
        return parse_uint(digits, 10);
    };
    let (base, rest) = match rest.as_bytes() {
        [] => return Some(0),
        [b'x' | b'X', ..] => (16, &rest[1..]),
        [b'b' | b'B', ..] if base_prefixes => (2, &rest[1..]),
        [b'o' | b'O', ..] if base_prefixes => (8, &rest[1..]),
        _ => (8, rest),
    };
    parse_uint(rest, base)
}

/// Digits only: Rust's own parser would take a sign.
fn parse_uint(digits: &str, base: u32) -> Option<u64> {
    match digits.as_bytes() {
        [b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z', ..] => u64::from_str_radix(digits, base).ok(),
        _ => None,
    }
}

fn parse_int(text: &str, base: u32) -> Option<i64> {
    i64::from_str_radix(text, base).ok()
}

/// `strconv.ParseFloat`, guarded by the grammar that go-yaml puts before it.
fn float<'a>(text: &str, grammar: FloatGrammar) -> Option<Scalar<'a>> {
    if grammar == FloatGrammar::Anything {
        let lower = text.to_ascii_lowercase();
        match lower.as_str() {
            "+inf" | "+infinity" => return Some(Scalar::Float(f64::INFINITY)),
            "-inf" | "-infinity" => return Some(Scalar::Float(f64::NEG_INFINITY)),
            _ => {}
        }
    }
    if !is_float(text, grammar == FloatGrammar::SignedExponent) {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    // Go reports an overflow as an error, and the scalar stays a string.
    number.is_finite().then_some(Scalar::Float(number))
}

/// Whether each underscore stands between two digits (`underscoreOK`).
fn separates_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    bytes
        .iter()
        .enumerate()
        .all(|(at, &b)| b != b'_' || digit(at.checked_sub(1)) && digit(Some(at + 1)))
}

/// Sign, digits with at most one point, exponent. In the `narrow` grammar of 1.10 to 1.13 a digit
/// must follow the point and a sign the `e`, so `1.` and `1e3` are strings there.
fn is_float(text: &str, narrow: bool) -> bool {
    let digits = |text: &mut &[u8]| {
        let count = text.iter().take_while(|b| b.is_ascii_digit()).count();
        *text = text.get(count..).unwrap_or_default();
        count
    };
    let mut rest = text.as_bytes();
    if let [b'+' | b'-', after @ ..] = rest {
        rest = after;
    }
    let whole = digits(&mut rest);
    let mut fraction = None;
    if let [b'.', after @ ..] = rest {
        rest = after;
        fraction = Some(digits(&mut rest));
    }
    match fraction {
        None if whole == 0 => return false,
        Some(0) if whole == 0 || narrow => return false,
        _ => {}
    }
    if let [b'e' | b'E', after @ ..] = rest {
        rest = after;
        match rest {
            [b'+' | b'-', after @ ..] => rest = after,
            _ if narrow => return false,
            _ => {}
        }
        if digits(&mut rest) == 0 {
            return false;
        }
    }
    rest.is_empty()
}

/// `base64.StdEncoding.DecodeString`: padded, line breaks skipped, stray bits ignored.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut symbols = text.bytes().filter(|b| !matches!(b, b'\r' | b'\n'));
    loop {
        let mut group = 0u32;
        let mut count = 0;
        while count < 4 {
            let Some(symbol) = symbols.next() else {
                return (count == 0).then_some(out);
            };
            let value = match symbol {
                b'A'..=b'Z' => symbol - b'A',
                b'a'..=b'z' => symbol - b'a' + 26,
                b'0'..=b'9' => symbol - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                b'=' => break,
                _ => return None,
            };
            group = group << 6 | u32::from(value);
            count += 1;
        }
        let bytes = (group << (6 * (4 - count))).to_be_bytes();
        match count {
            4 => out.extend_from_slice(&bytes[1..]),
            // One `=` was taken; two stand after two symbols, one after three.
            2 if symbols.next() != Some(b'=') => return None,
            2 | 3 => {
                if symbols.next().is_some() {
                    return None;
                }
                out.extend_from_slice(&bytes[1..count]);
                return Some(out);
            }
            _ => return None,
        }
    }
}

/// `parseTimestamp`: whether one of its four layouts takes the text.
fn is_timestamp(text: &str) -> bool {
    fn number(rest: &mut &[u8], longest: usize) -> Option<u32> {
        let count = rest
            .iter()
            .take(longest)
            .take_while(|b| b.is_ascii_digit())
            .count();
        let (digits, after) = rest.split_at(count);
        *rest = after;
        (count > 0).then(|| digits.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0')))
    }
    fn eat(rest: &mut &[u8], byte: u8) -> Option<()> {
        let (&first, after) = rest.split_first()?;
        *rest = after;
        (first == byte).then_some(())
    }
    fn clock(rest: &mut &[u8]) -> Option<bool> {
        let hour = number(rest, 2)?;
        eat(rest, b':')?;
        let minute = number(rest, 2)?;
        eat(rest, b':')?;
        let second = number(rest, 2)?;
        if let [b'.' | b',', b'0'..=b'9', ..] = rest {
            *rest = &rest[1..];
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            *rest = rest.get(digits..).unwrap_or_default();
        }
        Some(hour < 24 && minute < 60 && second < 60)
    }
    fn check(text: &str) -> Option<bool> {
        let mut rest = text.as_bytes();
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits != 4 {
            return None;
        }
        let year = number(&mut rest, 4)?;
        eat(&mut rest, b'-')?;
        let month = number(&mut rest, 2)?;
        eat(&mut rest, b'-')?;
        let day = number(&mut rest, 2)?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + u32::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        if day == 0 || day > days {
            return None;
        }
        let valid = match rest.split_first() {
            None => return Some(true),
            Some((b'T' | b't', after)) => {
                rest = after;
                let valid = clock(&mut rest)?;
                match rest.split_first()? {
                    (b'Z', after) => rest = after,
                    (b'+' | b'-', after) => {
                        rest = after;
                        let before = rest.len();
                        let hours = number(&mut rest, 2)?;
                        eat(&mut rest, b':')?;
                        let minutes = number(&mut rest, 2)?;
                        if before - rest.len() != 5 || hours > 24 || minutes > 60 {
                            return None;
                        }
                    }
                    _ => return None,
                }
                valid
            }
            Some((b' ', after)) => {
                rest = after.trim_ascii_start();
                clock(&mut rest)?
            }
            Some(_) => return None,
        };
        Some(valid && rest.is_empty())
    }
    check(text).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::Release;
    use crate::toolchain::Toolchain;

    fn plain(text: &str, dialect: Dialect) -> Scalar<'static> {
        untagged(text, dialect).unwrap_or_else(|| Scalar::Str(Cow::Owned(text.to_owned())))
    }

    fn newest() -> Dialect {
        Dialect::of(Release::new(30, 14), Toolchain::new(23, 10))
    }

    fn text(text: &str) -> Scalar<'static> {
        Scalar::Str(Cow::Owned(text.to_owned()))
    }

    #[test]
    fn what_a_plain_scalar_is() {
        use Scalar::{Bool, Float, Int, Null, Uint};
        let cases = [
            ("", Null),
            ("~", Null),
            ("nULL", text("nULL")),
            ("on", Bool(true)),
            ("y", Bool(true)),
            ("Off", Bool(false)),
            ("oN", text("oN")),
            ("0644", Int(420)),
            ("0o644", Int(420)),
            ("08", Float(8.0)),
            ("0x1F", Int(31)),
            ("0b101", Int(5)),
            ("0b-1", Int(-1)),
            ("-0b101", Int(-5)),
            ("1_000", Int(1000)),
            ("+5", Int(5)),
            ("1e3", Float(1000.0)),
            ("1.", Float(1.0)),
            (".5", Float(0.5)),
            ("._5", text("._5")),
            (".5_1", Float(0.51)),
            (".5_", text(".5_")),
            ("1_.5__0", Float(1.5)),
            ("1e400", text("1e400")),
            ("1e-400", Float(0.0)),
            ("9223372036854775808", Uint(9_223_372_036_854_775_808)),
            ("-9223372036854775808", Int(i64::MIN)),
            ("+9223372036854775808", Float(9_223_372_036_854_775_808.0)),
            ("18446744073709551616", Float(18_446_744_073_709_551_616.0)),
            ("-", text("-")),
            ("1:30", text("1:30")),
            ("0x", text("0x")),
            ("+inf", text("+inf")),
            ("-.inf", Float(f64::NEG_INFINITY)),
            ("2001-01-01", text("2001-01-01")),
            ("<<", text("<<")),
        ];
        for (source, expected) in cases {
            assert_eq!(plain(source, newest()), expected, "{source}");
        }
    }

    #[test]
    fn eras_differ_in_their_numbers() {
        let first = Dialect::of(Release::new(1, 8), Toolchain::new(4, 3));
        let narrow = Dialect::of(Release::new(12, 10), Toolchain::new(10, 8));
        assert_eq!(plain("1e3", first), Scalar::Float(1000.0));
        assert_eq!(plain("1e3", narrow), text("1e3"));
        assert_eq!(plain("1e+3", narrow), Scalar::Float(1000.0));
        assert_eq!(plain("1.", narrow), text("1."));
        assert_eq!(plain("+Inf", first), Scalar::Float(f64::INFINITY));
        assert_eq!(plain("0o17", narrow), text("0o17"));
        assert_eq!(plain("0b11", narrow), Scalar::Int(3));
    }

    #[test]
    fn tags_convert_or_complain() {
        let resolve = |text: &str, tag| {
            resolve(&Cow::Owned(text.to_owned()), tag, false, newest(), 0)
                .map_err(|e| e.to_string())
        };
        assert_eq!(resolve("yes", Tag::Str), Ok(text("yes")));
        assert_eq!(resolve("1", Tag::Float), Ok(Scalar::Float(1.0)));
        assert_eq!(resolve("/w==", Tag::Binary), Ok(Scalar::Bytes(vec![0xff])));
        assert_eq!(
            resolve("abc", Tag::Int),
            Err("yaml: cannot decode !!str `abc` as a !!int".to_owned())
        );
        assert_eq!(resolve("2001-1-1", Tag::Timestamp), Ok(text("2001-1-1")));
        assert!(resolve("2001-2-30", Tag::Timestamp).is_err());
        assert!(resolve("a", Tag::Binary).is_err());
    }

    #[test]
    fn base64_is_gos() {
        for (source, expected) in [
            ("", Some("")),
            ("YQ==", Some("a")),
            ("YWI=", Some("ab")),
            ("YW\nJj\r\n", Some("abc")),
            ("YR==", Some("a")),
        ] {
            assert_eq!(
                decode_base64(source),
                expected.map(|s| s.as_bytes().to_vec()),
                "{source:?}"
            );
        }
        for source in [
            "YQ", "YQ=", "Y===", "=", "YQ==YQ==", "YQ= =", "a b", "YWI==",
        ] {
            assert_eq!(decode_base64(source), None, "{source:?}");
        }
    }
}
