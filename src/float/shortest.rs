//! The shortest digits of a number as Go chose them until 1.12.
//!
//! Mirrors `ShortestDecimal` (Grisu3) in `strconv/extfloat.go` and, where that is not sure of its
//! result, `roundShortest` in `strconv/ftoa.go`. The latter then rounds down where rounding up would
//! be closer (golang/go #29491, mended in Go 1.13), so that one digit in some thousand numbers is not
//! the one that everybody else writes.

use num_bigint::BigUint;

/// A decimal number `0.d₁d₂… · 10^point`, without its sign.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

/// Bits of an `f64`'s mantissa after the first.
const MANTISSA_BITS: i32 = 52;
const BIAS: i32 = -1023;

/// The number as `{:e}` writes it, with the digits of Go until 1.12; nothing where these are the
/// closest ones anyway.
pub(super) fn scientific(number: f64) -> Option<String> {
    let bits = number.to_bits();
    let mut exponent = i32::try_from((bits >> MANTISSA_BITS) & 0x7ff).ok()?;
    let mut mantissa = bits & ((1 << MANTISSA_BITS) - 1);
    match exponent {
        0 => exponent += 1,
        0x7ff => return None,
        _ => mantissa |= 1 << MANTISSA_BITS,
    }
    exponent += BIAS;
    if mantissa == 0 || is_sure(mantissa, exponent) {
        return None;
    }
    let rounded = round_shortest(mantissa, exponent);
    let (first, rest) = rounded.digits.split_first()?;
    let digit = |digit: &u8| char::from(b'0' + digit);
    let fraction: String = rest.iter().map(digit).collect();
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let dot = if fraction.is_empty() { "" } else { "." };
    Some(format!(
        "{sign}{}{dot}{fraction}e{}",
        digit(first),
        rounded.point - 1
    ))
}

// ---- Grisu3 -------------------------------------------------------------------------------

/// `extFloat`, without the sign: `mantissa · 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extended {
    mantissa: u64,
    exponent: i32,
}

impl Extended {
    fn normalized(self) -> Extended {
        let shift = self.mantissa.leading_zeros();
        Extended {
            mantissa: self.mantissa << shift,
            exponent: self.exponent - shift as i32,
        }
    }

    /// `Multiply`: the upper half of the product, rounded.
    fn times(self, (mantissa, exponent): (u64, i32)) -> Extended {
        let product = u128::from(self.mantissa) * u128::from(mantissa);
        Extended {
            mantissa: ((product + (1 << 63)) >> 64) as u64,
            exponent: self.exponent + exponent + 64,
        }
    }

    /// `frexp10`: the place of the power of ten that brings the exponent between -60 and -32.
    fn power(self) -> Option<usize> {
        let mut place = ((-92 / 2 - self.exponent) * 28 / 93 - FIRST_POWER) / STEP;
        loop {
            let index = usize::try_from(place).ok()?;
            let (_, exponent) = POWERS_OF_TEN.get(index)?;
            match self.exponent + exponent + 64 {
                ..-60 => place += 1,
                -31.. => place -= 1,
                _ => return Some(index),
            }
        }
    }
}

/// Whether Grisu3 is sure of its digits, which then are the closest ones.
fn is_sure(mantissa: u64, exponent: i32) -> bool {
    let shifted = exponent - MANTISSA_BITS;
    let is_integer = shifted <= 0 && shifted > -64 && mantissa.trailing_zeros() as i32 >= -shifted;
    if is_integer {
        return true;
    }
    let extended = |mantissa, exponent| Extended { mantissa, exponent };
    let upper = extended(2 * mantissa + 1, shifted - 1).normalized();
    let lower = if mantissa != 1 << MANTISSA_BITS || exponent - BIAS == 1 {
        extended(2 * mantissa - 1, shifted - 1)
    } else {
        extended(4 * mantissa - 1, shifted - 2)
    };
    let Some(power) = upper.power().and_then(|power| POWERS_OF_TEN.get(power)) else {
        return false;
    };
    let aligned = |value: Extended| {
        extended(
            value.mantissa << (value.exponent - upper.exponent),
            upper.exponent,
        )
    };
    let number = aligned(extended(mantissa, shifted)).times(*power);
    let lower = aligned(lower).times(*power).mantissa - 1;
    let upper = upper.times(*power);
    let shift = -upper.exponent;
    let upper = upper.mantissa + 1;

    let allowance = upper - lower;
    let target = upper - number.mantissa;
    let mut integer = upper >> shift;
    let mut fraction = upper - (integer << shift);
    let mut digits = Vec::new();
    let integer_digits = integer.checked_ilog10().map_or(0, |log| log + 1);
    for place in (0..integer_digits).rev() {
        let power = 10_u64.pow(place);
        digits.push(integer / power);
        integer %= power;
        let difference = (integer << shift) + fraction;
        if difference < allowance {
            return last_digit_is_sure(&digits, [difference, target, allowance], power << shift, 2);
        }
    }
    let mut multiplier: u64 = 1;
    loop {
        fraction = fraction.wrapping_mul(10);
        multiplier = multiplier.wrapping_mul(10);
        digits.push(fraction >> shift);
        fraction &= (1 << shift) - 1;
        if fraction < allowance.wrapping_mul(multiplier) {
            let differences = [
                fraction,
                target.wrapping_mul(multiplier),
                allowance.wrapping_mul(multiplier),
            ];
            return last_digit_is_sure(
                &digits,
                differences,
                1 << shift,
                multiplier.wrapping_mul(2),
            );
        }
    }
}

/// `adjustLastDigit`
fn last_digit_is_sure(
    digits: &[u64],
    [mut current, target, most]: [u64; 3],
    decimal: u64,
    binary: u64,
) -> bool {
    if decimal < binary.wrapping_mul(2) {
        return false;
    }
    let mut last = digits.last().copied().unwrap_or_default();
    while current.wrapping_add(decimal / 2).wrapping_add(binary) < target {
        last = last.wrapping_sub(1);
        current = current.wrapping_add(decimal);
    }
    let two_choices =
        current.wrapping_add(decimal) <= target.wrapping_add(decimal / 2).wrapping_add(binary);
    let too_far = current < binary || current > most.wrapping_sub(binary);
    !two_choices && !too_far
}

// ---- the slow way -------------------------------------------------------------------------

/// `mantissa · 2^exponent`, exactly.
fn exactly(mantissa: u64, exponent: i32) -> Decimal {
    let number = BigUint::from(mantissa);
    let (number, scale) = if exponent >= 0 {
        (number << exponent as u32, 0)
    } else {
        let places = exponent.unsigned_abs();
        (number * BigUint::from(5_u32).pow(places), i64::from(places))
    };
    let mut digits = number.to_radix_be(10);
    let point = digits.len() as i64 - scale;
    while digits.last() == Some(&0) {
        digits.pop();
    }
    Decimal { digits, point }
}

/// `roundShortest`
fn round_shortest(mantissa: u64, exponent: i32) -> Decimal {
    let shifted = exponent - MANTISSA_BITS;
    let mut number = exactly(mantissa, shifted);
    let smallest = BIAS + 1;
    let spare = number.point - number.digits.len() as i64;
    if exponent > smallest && 332 * spare >= 100 * i64::from(shifted) {
        return number;
    }
    let upper = exactly(mantissa * 2 + 1, shifted - 1);
    let lower = if mantissa > 1 << MANTISSA_BITS || exponent == smallest {
        exactly((mantissa - 1) * 2 + 1, shifted - 1)
    } else {
        exactly((mantissa * 2 - 1) * 2 + 1, shifted - 2)
    };
    let inclusive = mantissa.is_multiple_of(2);
    let digit = |of: &Decimal, place: usize| of.digits.get(place).copied().unwrap_or(0);
    for place in 0..number.digits.len() {
        let (low, here, high) = (
            digit(&lower, place),
            digit(&number, place),
            digit(&upper, place),
        );
        let (ends_lower, ends_upper) = (
            place + 1 == lower.digits.len(),
            place + 1 >= upper.digits.len(),
        );
        let down = low != here || inclusive && ends_lower;
        let up = here != high && (inclusive || here + 1 < high || !ends_upper);
        let round_up = match (down, up) {
            (true, true) => number.rounds_up(place + 1),
            (true, false) => false,
            (false, true) => true,
            (false, false) => continue,
        };
        number.cut(place + 1, round_up);
        return number;
    }
    number
}

impl Decimal {
    /// `shouldRoundUp`: to the nearest, halves to even.
    fn rounds_up(&self, length: usize) -> bool {
        match self.digits.get(length) {
            Some(5) if length + 1 == self.digits.len() => {
                length > 0
                    && self
                        .digits
                        .get(length - 1)
                        .is_some_and(|digit| digit % 2 != 0)
            }
            Some(digit) => *digit >= 5,
            None => false,
        }
    }

    /// `RoundDown` and `RoundUp`
    fn cut(&mut self, length: usize, up: bool) {
        if length >= self.digits.len() {
            return;
        }
        self.digits.truncate(length);
        if up {
            while self.digits.last() == Some(&9) {
                self.digits.pop();
            }
            match self.digits.last_mut() {
                Some(last) => *last += 1,
                None => {
                    self.digits.push(1);
                    self.point += 1;
                }
            }
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }
}

const FIRST_POWER: i32 = -348;
const STEP: i32 = 8;

/// Every eighth power of ten from 10^-348 on: mantissa and binary exponent.
const POWERS_OF_TEN: &[(u64, i32)] = &[
    (0xfa8f_d5a0_081c_0288, -1220),
    (0xbaae_e17f_a23e_bf76, -1193),
    (0x8b16_fb20_3055_ac76, -1166),
    (0xcf42_894a_5dce_35ea, -1140),
    (0x9a6b_b0aa_5565_3b2d, -1113),
    (0xe61a_cf03_3d1a_45df, -1087),
    (0xab70_fe17_c79a_c6ca, -1060),
    (0xff77_b1fc_bebc_dc4f, -1034),
    (0xbe56_91ef_416b_d60c, -1007),
    (0x8dd0_1fad_907f_fc3c, -980),
    (0xd351_5c28_3155_9a83, -954),
    (0x9d71_ac8f_ada6_c9b5, -927),
    (0xea9c_2277_23ee_8bcb, -901),
    (0xaecc_4991_4078_536d, -874),
    (0x823c_1279_5db6_ce57, -847),
    (0xc210_9436_4dfb_5637, -821),
    (0x9096_ea6f_3848_984f, -794),
    (0xd774_85cb_2582_3ac7, -768),
    (0xa086_cfcd_97bf_97f4, -741),
    (0xef34_0a98_172a_ace5, -715),
    (0xb238_67fb_2a35_b28e, -688),
    (0x84c8_d4df_d2c6_3f3b, -661),
    (0xc5dd_4427_1ad3_cdba, -635),
    (0x936b_9fce_bb25_c996, -608),
    (0xdbac_6c24_7d62_a584, -582),
    (0xa3ab_6658_0d5f_daf6, -555),
    (0xf3e2_f893_dec3_f126, -529),
    (0xb5b5_ada8_aaff_80b8, -502),
    (0x8762_5f05_6c7c_4a8b, -475),
    (0xc9bc_ff60_34c1_3053, -449),
    (0x964e_858c_91ba_2655, -422),
    (0xdff9_7724_7029_7ebd, -396),
    (0xa6df_bd9f_b8e5_b88f, -369),
    (0xf8a9_5fcf_8874_7d94, -343),
    (0xb944_7093_8fa8_9bcf, -316),
    (0x8a08_f0f8_bf0f_156b, -289),
    (0xcdb0_2555_6531_31b6, -263),
    (0x993f_e2c6_d07b_7fac, -236),
    (0xe45c_10c4_2a2b_3b06, -210),
    (0xaa24_2499_6973_92d3, -183),
    (0xfd87_b5f2_8300_ca0e, -157),
    (0xbce5_0864_9211_1aeb, -130),
    (0x8cbc_cc09_6f50_88cc, -103),
    (0xd1b7_1758_e219_652c, -77),
    (0x9c40_0000_0000_0000, -50),
    (0xe8d4_a510_0000_0000, -24),
    (0xad78_ebc5_ac62_0000, 3),
    (0x813f_3978_f894_0984, 30),
    (0xc097_ce7b_c907_15b3, 56),
    (0x8f7e_32ce_7bea_5c70, 83),
    (0xd5d2_38a4_abe9_8068, 109),
    (0x9f4f_2726_179a_2245, 136),
    (0xed63_a231_d4c4_fb27, 162),
    (0xb0de_6538_8cc8_ada8, 189),
    (0x83c7_088e_1aab_65db, 216),
    (0xc45d_1df9_4271_1d9a, 242),
    (0x924d_692c_a61b_e758, 269),
    (0xda01_ee64_1a70_8dea, 295),
    (0xa26d_a399_9aef_774a, 322),
    (0xf209_787b_b47d_6b85, 348),
    (0xb454_e4a1_79dd_1877, 375),
    (0x865b_8692_5b9b_c5c2, 402),
    (0xc835_53c5_c896_5d3d, 428),
    (0x952a_b45c_fa97_a0b3, 455),
    (0xde46_9fbd_99a0_5fe3, 481),
    (0xa59b_c234_db39_8c25, 508),
    (0xf6c6_9a72_a398_9f5c, 534),
    (0xb7dc_bf53_54e9_bece, 561),
    (0x88fc_f317_f222_41e2, 588),
    (0xcc20_ce9b_d35c_78a5, 614),
    (0x9816_5af3_7b21_53df, 641),
    (0xe2a0_b5dc_971f_303a, 667),
    (0xa8d9_d153_5ce3_b396, 694),
    (0xfb9b_7cd9_a4a7_443c, 720),
    (0xbb76_4c4c_a7a4_4410, 747),
    (0x8bab_8eef_b640_9c1a, 774),
    (0xd01f_ef10_a657_842c, 800),
    (0x9b10_a4e5_e991_3129, 827),
    (0xe710_9bfb_a19c_0c9d, 853),
    (0xac28_20d9_623b_f429, 880),
    (0x8044_4b5e_7aa7_cf85, 907),
    (0xbf21_e440_03ac_dd2d, 933),
    (0x8e67_9c2f_5e44_ff8f, 960),
    (0xd433_179d_9c8c_b841, 986),
    (0x9e19_db92_b4e3_1ba9, 1013),
    (0xeb96_bf6e_badf_77d9, 1039),
    (0xaf87_023b_9bf0_ee6b, 1066),
];

#[cfg(test)]
mod tests {
    use super::scientific;

    /// What Go 1.9 writes.
    #[test]
    fn where_go_was_not_sure_it_may_round_the_wrong_way() {
        assert_eq!(
            scientific(1_602_358_785_465_647_872.0).as_deref(),
            Some("1.6023587854656478e18")
        );
        for sure in [
            0.0,
            1.0,
            0.1,
            1.5e300,
            5e-324,
            123_456_789.0,
            1e21,
            f64::MAX,
            f64::NAN,
        ] {
            let told = scientific(sure);
            assert!(
                told.is_none() || told == Some(format!("{sure:e}")),
                "{sure}"
            );
        }
    }
}
