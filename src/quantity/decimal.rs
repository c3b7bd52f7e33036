//! `inf.Dec` (`gopkg.in/inf.v0`, before 1.3 `speter.net/go/exp/math/dec/inf`; the code is the same):
//! a whole number of any length and a decimal scale, as Go's `math/big` stores it.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::QuantityError;

/// The most decimal digits a number may have when it is written out.
///
/// No manifest comes near, and numbers of this size still take milliseconds.
pub const MAX_DIGITS: u32 = 100_000;

/// An `inf.Dec`: `unscaled × 10^-scale`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    unscaled: BigInt,
    scale: i32,
    /// Whether the zero that this is has an empty slice of words where Go usually has a nil one.
    /// That is what is left when two numbers cancel out.
    hollow: bool,
}

/// Sign and 64-bit words, least significant first, of a `big.Int`: its fields `neg` and `abs`.
/// (`big.Word` has 64 bits on every platform that kubelets run on in earnest.)
pub fn go_words(number: &BigInt) -> (bool, Vec<u64>) {
    (
        number.sign() == Sign::Minus,
        number.iter_u64_digits().collect(),
    )
}

impl Decimal {
    pub(super) fn new(unscaled: BigInt, scale: i32) -> Decimal {
        Decimal {
            unscaled,
            scale,
            hollow: false,
        }
    }

    /// `int64Amount.AsDec`. The scale counts the other way round.
    pub(super) fn of_fixed(value: i64, scale: i32) -> Decimal {
        Decimal::new(value.into(), scale.wrapping_neg())
    }

    /// `unscaled`, a `big.Int`.
    pub fn unscaled(&self) -> &BigInt {
        &self.unscaled
    }

    /// `unscaled.neg`.
    pub fn is_negative(&self) -> bool {
        self.unscaled.sign() == Sign::Minus
    }

    /// `unscaled.abs`: 64-bit words, least significant first. Nothing is the nil slice, which a
    /// zero has unless it is what was left of a sum.
    pub fn words(&self) -> Option<Vec<u64>> {
        (!self.is_zero() || self.hollow).then(|| self.unscaled.iter_u64_digits().collect())
    }

    /// `scale`: the number of digits after the point.
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    pub(super) fn is_zero(&self) -> bool {
        self.unscaled.sign() == Sign::NoSign
    }

    pub(super) fn with_scale(self, scale: i32) -> Decimal {
        Decimal { scale, ..self }
    }

    /// What `Set` into a fresh one does to a copy: an empty slice of words becomes a nil one.
    pub(super) fn forget_storage(&mut self) {
        self.hollow = false;
    }

    /// `Round(x, scale, RoundUp)`: exactly `scale` digits after the point, away from zero.
    ///
    /// Fails if that takes too many digits.
    pub(super) fn rounded_up(&self, scale: i32) -> Result<Decimal, QuantityError> {
        let shift = i64::from(scale) - i64::from(self.scale);
        if self.is_zero() {
            return Ok(Decimal::new(BigInt::ZERO, scale));
        }
        if shift >= 0 {
            return Ok(Decimal::new(self.shifted(shift)?, scale));
        }
        let drop = shift.unsigned_abs();
        if self.digits_at_most() <= drop {
            // Less than one unit of the last place, however small: Go divides by 10^drop to see.
            return Ok(Decimal::new(self.signum(), scale));
        }
        let divisor = power_of_ten(drop)?;
        let mut quotient = &self.unscaled / &divisor;
        if &quotient * &divisor != self.unscaled {
            quotient += self.signum();
        }
        Ok(Decimal::new(quotient, scale))
    }

    /// The number if it has no fractional part, and is short enough to be written out.
    pub(super) fn whole(&self) -> Option<BigInt> {
        if self.scale <= 0 {
            return self.shifted(-i64::from(self.scale)).ok();
        }
        let whole = self.rounded_up(0).ok()?;
        (whole.compare(self) == Ordering::Equal).then_some(whole.unscaled)
    }

    /// `Cmp`. Go brings both to one scale first; that is only done here where the two are close.
    pub(super) fn compare(&self, other: &Decimal) -> Ordering {
        let sign = |d: &Decimal| match d.unscaled.sign() {
            Sign::Minus => -1,
            Sign::NoSign => 0,
            Sign::Plus => 1,
        };
        let signs = sign(self).cmp(&sign(other));
        if signs != Ordering::Equal || self.is_zero() {
            return signs;
        }
        if self.scale == other.scale {
            return self.unscaled.cmp(&other.unscaled);
        }
        let magnitudes = if self.surely_longer_than(other) {
            Ordering::Greater
        } else if other.surely_longer_than(self) {
            Ordering::Less
        } else {
            let scale = self.scale.max(other.scale);
            let at = |d: &Decimal| d.shifted(i64::from(scale) - i64::from(d.scale));
            match (at(self), at(other)) {
                (Ok(a), Ok(b)) => return a.cmp(&b),
                // Out of reach: numbers of about one length differ in scale by less than it.
                _ => Ordering::Equal,
            }
        };
        if self.is_negative() {
            magnitudes.reverse()
        } else {
            magnitudes
        }
    }

    /// `Add` in place: the finer of the two scales.
    pub(super) fn add(&mut self, other: &Decimal) -> Result<(), QuantityError> {
        let scale = self.scale.max(other.scale);
        let at = |d: &Decimal| d.shifted(i64::from(scale) - i64::from(d.scale));
        let sum = at(self)? + at(other)?;
        // `math/big` reuses the storage of what was there before.
        self.hollow = sum.sign() == Sign::NoSign && (self.hollow || !self.is_zero());
        self.unscaled = sum;
        self.scale = scale;
        Ok(())
    }

    fn signum(&self) -> BigInt {
        BigInt::from(if self.is_negative() { -1 } else { 1 })
    }

    /// `unscaled × 10^places`.
    fn shifted(&self, places: i64) -> Result<BigInt, QuantityError> {
        let places = u64::try_from(places).unwrap_or_default();
        if self.is_zero() || places == 0 {
            return Ok(self.unscaled.clone());
        }
        if self.digits_at_most().saturating_add(places) > u64::from(MAX_DIGITS) + 1 {
            return Err(QuantityError::TooLong);
        }
        Ok(&self.unscaled * power_of_ten(places)?)
    }

    /// An upper bound of the number of decimal digits, at most one too high.
    fn digits_at_most(&self) -> u64 {
        // 1234/4096 is a little more than log₁₀ 2; up to MAX_DIGITS·2 digits it never
        // overshoots by more than a fiftieth of a percent.
        self.unscaled.bits() * 1234 / 4096 + 1
    }

    /// Whether the magnitude is greater by so many places that no digit needs looking at.
    fn surely_longer_than(&self, other: &Decimal) -> bool {
        // 1233/4096 is a little less than log₁₀ 2.
        let at_least = self.unscaled.bits().saturating_sub(1) * 1233 / 4096 + 1;
        let place = |digits: u64, scale: i32| i128::from(digits) - i128::from(scale);
        place(at_least, self.scale) > place(other.digits_at_most(), other.scale)
    }
}

fn power_of_ten(exponent: u64) -> Result<BigInt, QuantityError> {
    match u32::try_from(exponent) {
        Ok(exponent) if exponent <= MAX_DIGITS + 1 => Ok(BigInt::from(10_u8).pow(exponent)),
        _ => Err(QuantityError::TooLong),
    }
}
