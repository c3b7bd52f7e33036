//! `CanonicalizeBytes` (`Canonicalize` before 1.3) and `suffix.go`: a number becomes text without
//! losing precision, without fractional digits, and with the largest suffix possible.

use num_bigint::BigInt;

use super::{Format, Number, Quantity};

/// Suffixes of powers of ten.
const DECIMAL: &[(i32, &str)] = &[
    (-9, "n"),
    (-6, "u"),
    (-3, "m"),
    (0, ""),
    (3, "k"),
    (6, "M"),
    (9, "G"),
    (12, "T"),
    (15, "P"),
    (18, "E"),
];

/// Suffixes of powers of 1024, by that power.
const BINARY: &[&str] = &["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/// The power of ten that a decimal suffix stands for.
pub(super) fn decimal_exponent(suffix: &str) -> Option<i32> {
    DECIMAL
        .iter()
        .find(|(_, known)| *known == suffix)
        .map(|(exponent, _)| *exponent)
}

/// The power of two that a binary suffix stands for.
pub(super) fn binary_exponent(suffix: &str) -> Option<u32> {
    // The empty one is a decimal suffix.
    let at = BINARY.iter().skip(1).position(|known| *known == suffix)?;
    u32::try_from((at + 1) * 10).ok()
}

/// The text of a quantity that remembers none.
pub(super) fn canonical(quantity: &Quantity) -> String {
    if quantity.is_zero() {
        return "0".to_owned();
    }
    match quantity.format {
        Format::BinarySI => match binary(&quantity.number) {
            Some(text) => text,
            None => decimal(&quantity.number, Format::DecimalSI),
        },
        Format::DecimalSI => decimal(&quantity.number, Format::DecimalSI),
        Format::DecimalExponent | Format::Unset => {
            decimal(&quantity.number, Format::DecimalExponent)
        }
    }
}

/// With a binary suffix, if the number is a whole one and at least 1024 in magnitude.
fn binary(number: &Number) -> Option<String> {
    match number {
        // `removeInt64Factors` cannot negate the least number, and so finds no factors in it.
        Number::Fixed {
            value: i64::MIN,
            scale: 0,
        } => Some(i64::MIN.to_string()),
        Number::Fixed { value, scale: 0 } => {
            let times = (value.trailing_zeros() / 10) as usize;
            (value.unsigned_abs() >= 1024)
                .then(|| with_binary_suffix(&(value >> (10 * times)), times))
        }
        Number::Fixed { value, scale } => {
            let whole = super::Decimal::of_fixed(*value, *scale).whole()?;
            match i64::try_from(&whole) {
                Ok(value) => binary(&Number::Fixed { value, scale: 0 }),
                Err(_) => binary_big(&whole),
            }
        }
        Number::Big(decimal) => binary_big(&decimal.whole()?),
    }
}

fn binary_big(whole: &BigInt) -> Option<String> {
    if whole.magnitude().bits() <= 10 {
        return None;
    }
    let times = usize::try_from(whole.trailing_zeros()? / 10).ok()?;
    Some(with_binary_suffix(&(whole >> (10 * times)), times))
}

fn with_binary_suffix(number: &impl ToString, times: usize) -> String {
    // Go has no suffix beyond Ei, looks it up all the same and then writes none.
    number.to_string() + BINARY.get(times).unwrap_or(&"")
}

/// With a decimal suffix or exponent: a multiple of three, as large as possible.
fn decimal(number: &Number, format: Format) -> String {
    let (mut text, scale) = match number {
        Number::Fixed { value, scale } => (value.to_string(), *scale),
        Number::Big(decimal) => (
            decimal.unscaled().to_string(),
            decimal.scale().wrapping_neg(),
        ),
    };
    let significant = text.trim_end_matches('0').len();
    let zeros = text.len() - significant;
    text.truncate(significant);
    // Exponents are an int32 in Go, which wraps.
    let mut exponent = scale.wrapping_add(i32::try_from(zeros).unwrap_or(i32::MAX));
    let (padding, places) = match exponent % 3 {
        1 | -2 => ("0", 1),
        2 | -1 => ("00", 2),
        _ => ("", 0),
    };
    text.push_str(padding);
    exponent = exponent.wrapping_sub(places);
    match format {
        Format::DecimalExponent if exponent == 0 => {}
        Format::DecimalExponent => text.push_str(&format!("e{exponent}")),
        _ => {
            let suffix = DECIMAL.iter().find(|(known, _)| *known == exponent);
            // As above: 1000E is written as 1.
            text.push_str(suffix.map_or("", |(_, suffix)| suffix));
        }
    }
    text
}
