//! Floating point numbers as Go writes them.
//!
//! Mirrors `strconv.FormatFloat` with the shortest precision and `encoding/json`'s `floatEncoder`.
//! Go and Rust agree on the shortest digits; they differ in where the exponent begins and how it
//! looks.

use crate::toolchain::Toolchain;

/// When `encoding/json` writes an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonFloats {
    /// Up to Go 1.7: below 1e-04 and from 1e+06 on, `%g` with two digits of exponent.
    General,
    /// Since Go 1.8: below 1e-6 and from 1e21 on, as ECMAScript does.
    EcmaScript,
}

impl JsonFloats {
    /// What a toolchain's `encoding/json` does.
    pub fn of(toolchain: Toolchain) -> JsonFloats {
        if toolchain < Toolchain::new(8, 0) {
            JsonFloats::General
        } else {
            JsonFloats::EcmaScript
        }
    }
}

/// The number as `encoding/json` writes it; `None` for infinities and NaN, which it refuses.
pub fn json(number: f64, floats: JsonFloats) -> Option<String> {
    if !number.is_finite() {
        return None;
    }
    let magnitude = number.abs();
    Some(match floats {
        JsonFloats::General => general(number),
        JsonFloats::EcmaScript if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) => {
            // Rust writes 1e21 and 1e-7; Go keeps the plus.
            let text = format!("{number:e}");
            if magnitude < 1.0 {
                text
            } else {
                text.replace('e', "e+")
            }
        }
        JsonFloats::EcmaScript => number.to_string(),
    })
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
                json(number, JsonFloats::EcmaScript).as_deref(),
                Some(expected)
            );
        }
        assert_eq!(json(f64::NAN, JsonFloats::EcmaScript), None);
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
