//! `ParseQuantity` of all releases, and the half of `suffix.go` that reads.

use num_bigint::BigInt;

use super::canonical::{binary_exponent, decimal_exponent};
use super::decimal::{Decimal, MAX_DIGITS};
use super::{Flavour, Format, Number, Quantity, QuantityError};

/// The finest fraction that is kept since 1.2.
const NANO: i32 = -9;

/// The characters that may begin a suffix.
const SUFFIX: &[u8] = b"eEinumkKMGTP";

/// What a suffix multiplies by.
#[derive(Clone, Copy)]
enum Suffix {
    Ten { exponent: i32, format: Format },
    Two { exponent: u32 },
}

/// `quantitySuffixer.interpret`.
fn interpret(suffix: &str) -> Result<Suffix, QuantityError> {
    if let Some(exponent) = decimal_exponent(suffix) {
        return Ok(Suffix::Ten {
            exponent,
            format: Format::DecimalSI,
        });
    }
    if let Some(exponent) = binary_exponent(suffix) {
        return Ok(Suffix::Two { exponent });
    }
    let exponent = suffix
        .strip_prefix(['e', 'E'])
        .and_then(|digits| digits.parse::<i64>().ok())
        .ok_or(QuantityError::Suffix)?;
    Ok(Suffix::Ten {
        // Go cuts it to 32 bits without looking: 1e4294967296 is 1.
        exponent: exponent as i32,
        format: Format::DecimalExponent,
    })
}

/// 1.1 and 1.2: a regular expression splits number and suffix, and every number is a big decimal.
pub(super) fn by_expression(text: &str, flavour: Flavour) -> Result<Quantity, QuantityError> {
    let wrong = QuantityError::FormatWrong(flavour);
    let text = text.trim();
    // ^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$; 1.1 knew neither n nor u.
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let rest = unsigned.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if rest.len() == unsigned.len() {
        return Err(wrong);
    }
    let (number, suffix) = text.split_at(text.len() - rest.len());
    let letters = |c: char| {
        u8::try_from(c).is_ok_and(|c| SUFFIX.contains(&c))
            && !(flavour == Flavour::V1_1 && matches!(c, 'n' | 'u'))
    };
    let end = suffix.trim_start_matches(letters);
    let end = end.strip_prefix(['+', '-']).unwrap_or(end);
    if !end.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong);
    }

    let amount = big_decimal(number)?;
    let scale = match flavour {
        Flavour::V1_1 => 3,
        Flavour::V1_2 | Flavour::V1_3 => 9,
    };
    finish(amount, interpret(suffix)?, scale, true)
}

/// Since 1.3: a scanner, and fixed-point numbers where they are exact.
pub(super) fn by_scanner(text: &str) -> Result<Quantity, QuantityError> {
    if text.is_empty() {
        return Err(QuantityError::FormatWrong(Flavour::V1_3));
    }
    if text == "0" {
        return Ok(Quantity {
            text: Some(text.into()),
            ..Quantity::fixed_point(0, 0, Format::DecimalSI)
        });
    }
    let parts = scan(text)?;
    let suffix = interpret(parts.suffix)?;
    if let Some(quantity) = fixed_point(text, &parts, suffix) {
        return Ok(quantity);
    }
    let amount = big_decimal(parts.number)?;
    finish(amount, suffix, -NANO, false)
}

/// `parseQuantityString`'s answer.
struct Parts<'t> {
    negative: bool,
    /// Sign, digits and point as written (or a bare `0`): what a big decimal is read from.
    number: &'t str,
    /// The digits before the point without leading zeros; `0` if none are left.
    whole: &'t str,
    /// The digits after the point.
    fraction: &'t str,
    suffix: &'t str,
}

fn scan(text: &str) -> Result<Parts<'_>, QuantityError> {
    let digits =
        |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();

    let negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let unpadded = unsigned.trim_start_matches('0');
    if unpadded.is_empty() {
        // Nothing but zeros, or nothing at all: a lone sign is zero.
        return Ok(Parts {
            negative,
            number: "0",
            whole: "0",
            fraction: "",
            suffix: "",
        });
    }
    let (whole, rest) = unpadded.split_at(digits(unpadded));
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(digits(rest)),
        None => ("", rest),
    };
    let end =
        suffix.trim_start_matches(|c: char| u8::try_from(c).is_ok_and(|c| SUFFIX.contains(&c)));
    let end = end.strip_prefix(['+', '-']).unwrap_or(end);
    if digits(end) != end.len() {
        return Err(QuantityError::FormatWrong(Flavour::V1_3));
    }
    Ok(Parts {
        negative,
        number: text.strip_suffix(suffix).unwrap_or(text),
        whole: if whole.is_empty() { "0" } else { whole },
        fraction,
        suffix,
    })
}

/// The fast path of `ParseQuantity`: a number of up to 18 digits, and its text if that is
/// (roughly) canonical. Nothing where a big decimal is needed.
fn fixed_point(text: &str, parts: &Parts<'_>, suffix: Suffix) -> Option<Quantity> {
    /// The most decimal digits that always fit an int64.
    const MAX_INT64_FACTORS: usize = 18;

    let length = parts.whole.len() + parts.fraction.len();
    let (format, exponent, mantissa) = match suffix {
        Suffix::Ten { exponent, format } => {
            if length > MAX_INT64_FACTORS {
                return None;
            }
            (format, exponent, 1)
        }
        Suffix::Two { exponent } => {
            // Go's own estimate of the digits that the suffix takes.
            let room = 14_usize.checked_sub(exponent as usize * 3 / 10)?;
            if !parts.fraction.is_empty() || length > room {
                return None;
            }
            (Format::BinarySI, 0, 1_i64 << exponent)
        }
    };
    let scale = exponent.wrapping_sub(i32::try_from(parts.fraction.len()).ok()?);
    if scale < NANO {
        return None;
    }
    let shifted: String = [parts.whole, parts.fraction].concat();
    let value: i64 = shifted.parse().ok()?;
    let product = value.checked_mul(mantissa)?;
    let canonical = match suffix {
        Suffix::Two { .. } => value & 7 != 0,
        Suffix::Ten { .. } => {
            scale % 3 == 0 && !shifted.ends_with("000") && !shifted.starts_with('0')
        }
    };
    Some(Quantity {
        number: Number::Fixed {
            value: if parts.negative { -product } else { product },
            scale,
        },
        text: canonical.then(|| text.into()),
        format,
    })
}

/// `inf.Dec.SetString` of a sign, digits and points.
fn big_decimal(number: &str) -> Result<Decimal, QuantityError> {
    let (negative, unsigned) = match number.strip_prefix(['+', '-']) {
        Some(unsigned) => (number.starts_with('-'), unsigned),
        None => (false, number),
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if fraction.contains('.') || whole.len() + fraction.len() == 0 {
        return Err(QuantityError::Numeric);
    }
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if digits.len() > MAX_DIGITS as usize {
        return Err(QuantityError::TooLong);
    }
    let magnitude = match digits {
        "" => BigInt::ZERO,
        digits => digits.parse().map_err(|_| QuantityError::Numeric)?,
    };
    let scale = i32::try_from(fraction.len()).map_err(|_| QuantityError::TooLong)?;
    Ok(Decimal::new(
        if negative { -magnitude } else { magnitude },
        scale,
    ))
}

/// The second half of every `ParseQuantity`: suffix, rounding, cap.
fn finish(
    amount: Decimal,
    suffix: Suffix,
    scale: i32,
    always_cap: bool,
) -> Result<Quantity, QuantityError> {
    let (mut amount, mut format) = match suffix {
        Suffix::Ten { exponent, format } => {
            let scale = amount.scale().wrapping_add(exponent.wrapping_neg());
            (amount.with_scale(scale), format)
        }
        Suffix::Two { exponent } => {
            let scale = amount.scale();
            (
                Decimal::new(amount.unscaled() << exponent, scale),
                Format::BinarySI,
            )
        }
    };
    // Up, away from zero, "under the theory that if you want some resources, you should get some
    // resources"; zero keeps whatever scale it was written with.
    if !amount.is_zero() {
        amount = amount.rounded_up(scale)?;
    }
    let magnitude = Decimal::new(amount.unscaled().magnitude().clone().into(), amount.scale());
    let most = Decimal::new(i64::MAX.into(), 0);
    if (always_cap || format == Format::BinarySI) && magnitude.compare(&most).is_gt() {
        amount = if amount.is_negative() {
            Decimal::new((-i64::MAX).into(), 0)
        } else {
            most
        };
    } else if format == Format::BinarySI
        && !magnitude.is_zero()
        && magnitude.compare(&Decimal::new(1.into(), 0)).is_lt()
    {
        format = Format::DecimalSI;
    }
    Ok(Quantity::big(amount, format))
}
