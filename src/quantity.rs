//! `resource.Quantity` as Go holds it in memory: `500m`, `1.5Gi`, `1e3`.
//!
//! In goes the raw JSON token of a quantity, out comes the struct that the release's decoder
//! makes of it, with the same fields: the number in its fixed-point or big-decimal form, the
//! format, and the text that is kept or not. [Decoding](crate::decode) makes quantities, defaults
//! round and compare them, protobuf parses them again, and both printers show them: the spew
//! printer field by field, the JSON printer through [`Quantity::marshal_json`].
//!
//! # Which Go code this is
//!
//! | releases | Go package | in memory |
//! | --- | --- | --- |
//! | 1.1, 1.2 | `k8s.io/kubernetes/pkg/api/resource` | `{Amount *inf.Dec; Format}` |
//! | 1.3 – 1.5 | the same | `{i int64Amount; d infDecAmount; s string; Format}` |
//! | since 1.6 | `k8s.io/apimachinery/pkg/api/resource` | the same |
//!
//! `ParseQuantity`, `UnmarshalJSON`, `MarshalJSON`, `String`, `CanonicalizeBytes`, `RoundUp`,
//! `Cmp`, `Add`, `Copy`/`DeepCopy` and the generated protobuf code were compared file by file from
//! 1.1.8 to 1.37.0: they changed between 1.1 and 1.2 and between 1.2 and 1.3, and not since. So
//! there are three [flavours](Flavour).
//!
//! # What surprises
//!
//! - The text is kept, sign, leading zeros and all, if the number has up to 18 digits (fewer with
//!   a binary suffix) *and* looks canonical: `500m`, `+05` and `1.500` keep theirs, `0.5`, `1000m`
//!   and `1536Mi` do not. What is kept is printed and emitted as it is.
//! - `String` remembers its result in the struct, `MarshalJSON` does not.
//! - `1.5Gi` is a big decimal, `1536Mi` a fixed-point number: equal, and hashed apart. Protobuf
//!   turns the one into the other.
//! - Comparing a fixed-point number with a big decimal turns the first into a big decimal, in
//!   place ([`Quantity::compare`]).
//! - A decimal amount of 1000E or more loses its suffix when it is written: `1000E` becomes `1`.
//! - `-`, `m` and `.` are zero.
//!
//! # Where it is bounded and Go is not
//!
//! Go writes any exponent out before it rounds: `12345678901234567890e1000000` costs it a number
//! of a million digits, and `…e2000000000` all its memory. Here a number that would need more than
//! [`MAX_DIGITS`] digits is an error that says so. Everything that Go gets through without that
//! (`1e1000000` keeps its exponent; `1e-1000000` rounds up to `1n`) is the same here, at any size.

mod canonical;
mod decimal;
mod parse;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use crate::release::Release;

pub use decimal::{Decimal, MAX_DIGITS, go_words};

/// How a span of releases holds and reads quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavour {
    /// 1.1: a big decimal, rounded up to milli, at most 2⁶³ − 1, no suffixes `n` and `u`.
    V1_1,
    /// 1.2: the same rounded up to nano, with those suffixes; milli when it becomes internal.
    V1_2,
    /// Since 1.3: fixed-point where that is exact, else a big decimal; capped if binary only.
    V1_3,
}

impl Flavour {
    /// The first minor release of each flavour, newest first.
    const SINCE: &[(u16, Flavour)] = &[(3, Flavour::V1_3), (2, Flavour::V1_2), (0, Flavour::V1_1)];

    /// The flavour of a release.
    pub fn of(release: Release) -> Flavour {
        Flavour::SINCE
            .iter()
            .find(|(since, _)| release.minor() >= *since)
            .map_or(Flavour::V1_1, |(_, flavour)| *flavour)
    }
}

/// `resource.Format`: how a quantity is written again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// The empty string: a quantity that nobody parsed. Written like `DecimalExponent`.
    #[default]
    Unset,
    /// `12e6`
    DecimalExponent,
    /// `12Mi`
    BinarySI,
    /// `12M`
    DecimalSI,
}

impl Format {
    /// The Go string.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Unset => "",
            Format::DecimalExponent => "DecimalExponent",
            Format::BinarySI => "BinarySI",
            Format::DecimalSI => "DecimalSI",
        }
    }
}

/// Why a text is no quantity. Shows Go's own words where Go has some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QuantityError {
    /// `ErrFormatWrong`; the expression that it quotes grew in 1.2.
    FormatWrong(Flavour),
    /// `ErrNumeric`
    Numeric,
    /// `ErrSuffix`
    Suffix,
    /// Go would write out a number of more than [`MAX_DIGITS`] digits. It may succeed where there
    /// is memory enough; this crate does not try.
    TooLong,
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuantityError::FormatWrong(flavour) => {
                let small = if *flavour == Flavour::V1_1 { "" } else { "nu" };
                write!(
                    f,
                    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEi{small}mkKMGTP]*[-+]?[0-9]*)$'"
                )
            }
            QuantityError::Numeric => f.write_str("unable to parse numeric part of quantity"),
            QuantityError::Suffix => f.write_str("unable to parse quantity's suffix"),
            QuantityError::TooLong => {
                write!(
                    f,
                    "the number would have more than {MAX_DIGITS} digits when written out"
                )
            }
        }
    }
}

impl std::error::Error for QuantityError {}

/// The number inside: one of Go's two forms.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Number {
    /// `i`, an `int64Amount`: value × 10^scale. In 1.1 and 1.2 only zero: `Amount` is nil.
    Fixed { value: i64, scale: i32 },
    /// `d.Dec`; `Amount` in 1.1 and 1.2. Then `i` is zero.
    Big(Box<Decimal>),
}

/// A `resource.Quantity`.
///
/// Two quantities are `==` if all their fields are, as `reflect.DeepEqual` sees it;
/// [`compare`](Quantity::compare) compares amounts. The default is Go's zero value.
///
/// ```
/// use kubehash::quantity::{Flavour, Quantity};
///
/// let half = Quantity::unmarshal_json("\"0.15\"", Flavour::V1_3)?;
/// assert_eq!(half.fixed(), (15, -2));
/// assert_eq!(half.string(), "150m");
/// let stored = half.protobuf_round_trip(Flavour::V1_3)?;
/// assert_eq!(stored.fixed(), (150, -3));
/// # Ok::<(), kubehash::quantity::QuantityError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    number: Number,
    /// `s`; absent is the empty string.
    text: Option<Box<str>>,
    format: Format,
}

impl Default for Quantity {
    fn default() -> Quantity {
        Quantity::fixed_point(0, 0, Format::Unset)
    }
}

/// Making quantities.
impl Quantity {
    fn fixed_point(value: i64, scale: i32, format: Format) -> Quantity {
        Quantity {
            number: Number::Fixed { value, scale },
            text: None,
            format,
        }
    }

    fn big(decimal: Decimal, format: Format) -> Quantity {
        Quantity {
            number: Number::Big(Box::new(decimal)),
            text: None,
            format,
        }
    }

    /// `ParseQuantity`. The text is bare: no quotes.
    ///
    /// # Errors
    ///
    /// Go's, or [`QuantityError::TooLong`].
    pub fn parse(text: &str, flavour: Flavour) -> Result<Quantity, QuantityError> {
        match flavour {
            Flavour::V1_1 | Flavour::V1_2 => parse::by_expression(text, flavour),
            Flavour::V1_3 => parse::by_scanner(text),
        }
    }

    /// `UnmarshalJSON` into a zero value. `raw` is the JSON token as it stands in the document,
    /// quotes and all: every decoder that Kubernetes ever used passes that on, so an escape in the
    /// string (`"\u0035"`) is not undone and makes it no quantity, while a bare number is one.
    ///
    /// `null` is the zero value since 1.3 and an error before; decoders that never ask the type
    /// about `null` (ugorji's, 1.2 – 1.9) have to leave the value alone by themselves.
    ///
    /// # Errors
    ///
    /// As [`Quantity::parse`].
    pub fn unmarshal_json(raw: &str, flavour: Flavour) -> Result<Quantity, QuantityError> {
        let mut quantity = Quantity::default();
        quantity.unmarshal_json_over(raw, flavour)?;
        Ok(quantity)
    }

    /// `UnmarshalJSON` into a value that is already there, as for a key that is written twice:
    /// `null` clears the number and keeps text and format.
    ///
    /// # Errors
    ///
    /// As [`Quantity::parse`]; the value is then as before.
    pub fn unmarshal_json_over(
        &mut self,
        raw: &str,
        flavour: Flavour,
    ) -> Result<(), QuantityError> {
        let text = match flavour {
            Flavour::V1_1 | Flavour::V1_2 => raw.trim_matches('"').trim(),
            Flavour::V1_3 if raw == "null" => {
                self.number = Number::Fixed { value: 0, scale: 0 };
                return Ok(());
            }
            Flavour::V1_3 => raw
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'))
                .unwrap_or(raw)
                .trim(),
        };
        *self = Quantity::parse(text, flavour)?;
        Ok(())
    }

    /// What becomes of the quantity on its way through protobuf, which carries its string only:
    /// `Unmarshal` of `Marshal`. In 1.1 and 1.2, which had no protobuf, the way through JSON: it
    /// carries the same string.
    ///
    /// # Errors
    ///
    /// As [`Quantity::parse`]. Go's strings can be parsed again, but not always without writing
    /// out an exponent ([`QuantityError::TooLong`]).
    pub fn protobuf_round_trip(&self, flavour: Flavour) -> Result<Quantity, QuantityError> {
        Quantity::parse(&self.string(), flavour)
    }

    /// `Copy` (1.1 – 1.15) and `DeepCopy` (since 1.4): everything is kept, the text too. In 1.1
    /// and 1.2 a nil amount becomes a zero.
    ///
    /// The conversion from v1 to the internal version copies this way in 1.1 and 1.2.
    #[must_use]
    pub fn deep_copy(&self, flavour: Flavour) -> Quantity {
        let mut copy = self.clone();
        match &mut copy.number {
            Number::Big(decimal) => decimal.forget_storage(),
            Number::Fixed { .. } if flavour == Flavour::V1_3 => {}
            Number::Fixed { .. } => copy.number = Number::Big(Box::default()),
        }
        copy
    }
}

/// The fields, for the printer that shows them.
impl Quantity {
    /// `i.value` and `i.scale`.
    pub fn fixed(&self) -> (i64, i32) {
        match self.number {
            Number::Fixed { value, scale } => (value, scale),
            Number::Big(_) => (0, 0),
        }
    }

    /// `d.Dec`, and `Amount` in 1.1 and 1.2; nothing is nil.
    pub fn decimal(&self) -> Option<&Decimal> {
        match &self.number {
            Number::Fixed { .. } => None,
            Number::Big(decimal) => Some(decimal),
        }
    }

    /// `s`: the text that was kept or cached, empty if none.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// `Format`.
    pub const fn format(&self) -> Format {
        self.format
    }
}

/// Writing.
impl Quantity {
    /// `String`, without remembering it.
    pub fn string(&self) -> Cow<'_, str> {
        match &self.text {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(canonical::canonical(self)),
        }
    }

    /// `String` as Go runs it on a pointer since 1.3: the result stays in the value and shows in
    /// its dump from then on.
    pub fn string_remembered(&mut self) -> &str {
        if self.text.is_none() {
            self.text = Some(canonical::canonical(self).into());
        }
        self.text()
    }

    /// `MarshalJSON`: appends the string in quotes. It never holds a character that JSON escapes.
    pub fn marshal_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(self.string().as_bytes());
        out.push(b'"');
    }
}

/// Computing.
impl Quantity {
    /// `IsZero`; a nil amount is zero.
    pub fn is_zero(&self) -> bool {
        match &self.number {
            Number::Fixed { value, .. } => *value == 0,
            Number::Big(decimal) => decimal.is_zero(),
        }
    }

    /// Rounds up, away from zero, to thousandths, the finest amount that the API kept before 1.2:
    ///
    /// - since 1.5 by `SetDefaults_ResourceList`, in 1.3 and 1.4 by the conversion from v1 to the
    ///   internal version: `RoundUp(-3)`. A big decimal is brought to scale 3 even if nothing is
    ///   lost, and forgets its text; a fixed-point number of at least that scale is left alone.
    /// - in 1.2 by that conversion, on a [copy](Quantity::deep_copy): always to scale 3.
    /// - in 1.1 nowhere: it was parsed that way. Here it does nothing then.
    ///
    /// # Errors
    ///
    /// [`QuantityError::TooLong`] if the exponent is too large to be written out, which cannot
    /// happen to a quantity as it was parsed.
    pub fn round_up_to_milli(&mut self, flavour: Flavour) -> Result<(), QuantityError> {
        const MILLI: i32 = -3;
        if flavour == Flavour::V1_1 {
            return Ok(());
        }
        if flavour == Flavour::V1_2 {
            *self = self.deep_copy(flavour);
        }
        match &mut self.number {
            Number::Fixed { scale, .. } if *scale >= MILLI => return Ok(()),
            Number::Fixed { value, scale } => {
                *value = round_up_fixed(*value, MILLI.saturating_sub(*scale));
                *scale = MILLI;
            }
            Number::Big(decimal) => **decimal = decimal.rounded_up(-MILLI)?,
        }
        self.text = None;
        Ok(())
    }

    /// `Cmp`, since 1.3. If one of the two is a big decimal and `self` is not, `self` becomes one,
    /// as in Go, where the receiver is a pointer (`other` is a copy there and stays as it is).
    pub fn compare(&mut self, other: &Quantity) -> Ordering {
        let ordering = self.amount().compare(&other.amount());
        if matches!(other.number, Number::Big(_)) {
            self.number = Number::Big(Box::new(self.amount().into_owned()));
        }
        ordering
    }

    /// Whether the amounts are equal, as `Equal` and `Semantic.DeepEqual` see it.
    pub fn same_amount(&self, other: &Quantity) -> bool {
        self.amount().compare(&other.amount()) == Ordering::Equal
    }

    /// `Add`, since 1.3. Forgets the text; a zero takes over the other's format.
    ///
    /// # Errors
    ///
    /// [`QuantityError::TooLong`] if the exponents lie so far apart that the sum cannot be written
    /// out; the number is then as before.
    pub fn add(&mut self, other: &Quantity) -> Result<(), QuantityError> {
        self.text = None;
        if self.is_zero() {
            self.format = other.format;
        }
        if let (
            Number::Fixed { value, scale },
            Number::Fixed {
                value: more,
                scale: by,
            },
        ) = (&mut self.number, &other.number)
            && let Some((sum, at)) = add_fixed((*value, *scale), (*more, *by))
        {
            (*value, *scale) = (sum, at);
            return Ok(());
        }
        let mut sum = self.amount().into_owned();
        sum.add(&other.amount())?;
        self.number = Number::Big(Box::new(sum));
        Ok(())
    }

    /// `AsDec` on a copy.
    fn amount(&self) -> Cow<'_, Decimal> {
        match &self.number {
            Number::Fixed { value, scale } => Cow::Owned(Decimal::of_fixed(*value, *scale)),
            Number::Big(decimal) => Cow::Borrowed(decimal),
        }
    }
}

/// `negativeScaleInt64`: the value without its last digits, rounded away from zero.
fn round_up_fixed(value: i64, digits: i32) -> i64 {
    let Some(divisor) = u32::try_from(digits)
        .ok()
        .and_then(|n| 10_i64.checked_pow(n))
    else {
        return value.signum();
    };
    let quotient = value / divisor;
    if value % divisor == 0 {
        quotient
    } else {
        quotient + value.signum()
    }
}

/// `int64Amount.Add`: value and scale of the sum, or nothing where Go falls back to big decimals.
fn add_fixed(a: (i64, i32), b: (i64, i32)) -> Option<(i64, i32)> {
    if b.0 == 0 {
        return Some(a);
    }
    if a.0 == 0 {
        return Some(b);
    }
    let (coarse, fine) = if a.1 > b.1 { (a, b) } else { (b, a) };
    let power = u32::try_from(i64::from(coarse.1) - i64::from(fine.1)).ok()?;
    let scaled = coarse.0.checked_mul(10_i64.checked_pow(power)?)?;
    Some((scaled.checked_add(fine.0)?, fine.1))
}
