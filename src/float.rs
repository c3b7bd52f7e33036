//! Floating point numbers as Go writes them.
//!
//! Mirrors `strconv.FormatFloat` with the shortest precision and `encoding/json`'s `floatEncoder`.
//! Go since 1.13 and Rust agree on the shortest digits; they differ in where the exponent begins and
//! how it looks.

mod shortest;

use crate::toolchain::Toolchain;

/// How `encoding/json` writes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFloats {
    /// Up to Go 1.7: an exponent below 1e-04 and from 1e+06 on, `%g` with two digits of exponent.
    General,
    /// Since Go 1.8: below 1e-6 and from 1e21 on, as ECMAScript does.
    EcmaScript {
        /// Whether the shortest digits are always the closest ones, too: since Go 1.13.
        closest: bool,
    },
}

impl JsonFloats {
    /// What a toolchain's `encoding/json` does.
    pub fn of(toolchain: Toolchain) -> JsonFloats {
        if toolchain < Toolchain::new(8, 0) {
            JsonFloats::General
        } else {
            JsonFloats::EcmaScript {
                closest: toolchain >= Toolchain::new(13, 0),
            }
        }
    }
}

/// The number as `encoding/json` writes it; `None` for infinities and NaN, which it refuses.
pub fn json(number: f64, floats: JsonFloats) -> Option<String> {
    if !number.is_finite() {
        return None;
    }
    let other_digits = match floats {
        JsonFloats::EcmaScript { closest: true } => None,
        _ => shortest::scientific(number),
    };
    let scientific = other_digits
        .clone()
        .unwrap_or_else(|| format!("{number:e}"));
    let decimal = || match &other_digits {
        Some(scientific) => decimal(scientific),
        None => number.to_string(),
    };
    let magnitude = number.abs();
    Some(match floats {
        JsonFloats::General => general_digits(number, &scientific, &decimal()),
        JsonFloats::EcmaScript { .. } if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) => {
            // Rust writes 1e21 and 1e-7; Go keeps the plus.
            if magnitude < 1.0 {
                scientific
            } else {
                scientific.replace('e', "e+")
            }
        }
        JsonFloats::EcmaScript { .. } => decimal(),
    })
}

/// A number in scientific notation without it.
fn decimal(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let Ok(point) = usize::try_from(exponent + 1) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
        return format!("{sign}0.{zeros}{digits}");
    };
    match digits.split_at_checked(point) {
        Some((whole, "")) => format!("{sign}{whole}"),
        Some(("", fraction)) => format!("{sign}0.{fraction}"),
        Some((whole, fraction)) => format!("{sign}{whole}.{fraction}"),
        None => format!("{sign}{digits:0<point$}"),
    }
}

/// `strconv.FormatFloat(number, 'g', -1, 64)`.
pub fn general(number: f64) -> String {
    general_digits(number, &format!("{number:e}"), &number.to_string())
}

/// `strconv.FormatFloat(number, 'g', -1, 32)`: the shortest digits that tell the number from its
/// neighbours in *single* precision.
pub fn general_single(number: f64) -> String {
    // Go converts in the same way, and what is too large becomes infinite.
    let single = number as f32;
    general_digits(single.into(), &format!("{single:e}"), &single.to_string())
}

fn general_digits(number: f64, scientific: &str, decimal: &str) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // With the shortest precision, 6 decides (`eprec` in `strconv`'s `formatDigits`).
    if (-4..6).contains(&exponent) {
        return decimal.to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_since_go_1_8() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (100_000.0, "100000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (-1.5e300, "-1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(
                json(number, JsonFloats::EcmaScript { closest: true }).as_deref(),
                Some(expected)
            );
        }
        assert_eq!(
            json(f64::NAN, JsonFloats::EcmaScript { closest: true }),
            None
        );
    }

    #[test]
    fn digits_that_are_not_the_closest() {
        let number = 1_602_358_785_465_647_872.0;
        let json = |closest| json(number, JsonFloats::EcmaScript { closest }).unwrap();
        assert_eq!(json(true), "1602358785465647900");
        assert_eq!(json(false), "1602358785465647800");
    }

    #[test]
    fn numbers_lose_their_exponent() {
        for (scientific, expected) in [
            ("1.5e0", "1.5"),
            ("-1.25e1", "-12.5"),
            ("1e2", "100"),
            ("1.602e3", "1602"),
            ("1.5e-1", "0.15"),
            ("-1.5e-6", "-0.0000015"),
        ] {
            assert_eq!(decimal(scientific), expected);
        }
    }

    #[test]
    fn json_before_go_1_8_and_percent_g() {
        for (number, expected) in [
            (0.0, "0"),
            (100_000.0, "100000"),
            (1_000_000.0, "1e+06"),
            (1_234_567.5, "1.2345675e+06"),
            (0.0001, "0.0001"),
            (0.000_012_5, "1.25e-05"),
            (-1.5e300, "-1.5e+300"),
        ] {
            assert_eq!(json(number, JsonFloats::General).as_deref(), Some(expected));
            assert_eq!(general(number), expected);
        }
    }

    #[test]
    fn single_precision_is_shorter_and_overflows() {
        assert_eq!(general_single(0.1), "0.1");
        assert_eq!(general_single(1.23456789), "1.2345679");
        assert_eq!(general_single(1e100), "+Inf");
        assert_eq!(general_single(f64::NAN), "NaN");
    }
}
