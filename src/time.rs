//! `metav1.Time` and `metav1.MicroTime` (`unversioned.Time` up to 1.5), and the `time.Time` inside.
//!
//! In goes the raw JSON token, out comes the instant as Go holds it: seconds since the year 1,
//! nanoseconds, and whether there is a location. [Decoding](crate::decode) makes times,
//! [protobuf](crate::proto) rounds them, the printers show them: JSON in UTC by the second or the
//! microsecond, spew field by field.
//!
//! Mirrors `time.go`, `time_proto.go`, `micro_time.go` and `micro_time_proto.go` of
//! `k8s.io/apimachinery/pkg/apis/meta/v1` (1.1 – 1.5: `pkg/api/unversioned`), and Go's `time.Parse`,
//! whose taste changed with the [toolchain](Toolchain).
//!
//! # The dump of a time depends on the process that makes it
//!
//! A decoded time points to Go's `Local`, and spew prints that struct with all its fields. They
//! are empty until something in the process first asks for the local time zone, and tell that zone
//! from then on. What is shown here is what a process shows that runs in UTC (`TZ=UTC`) and has
//! asked, as every kubelet has that wrote a line of log. So the hash of an object that holds a time,
//! a live Pod's for instance, is no property of the object. Container hashes and hashes of
//! templates are not concerned: there the only time is a `creationTimestamp` that is zero.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

use crate::toolchain::Toolchain;

/// A `time.Time`. The default is Go's zero value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Seconds since 1 January of the year 1, 00:00 UTC: `ext`, or `sec` before Go 1.9.
    seconds: i64,
    /// `wall`, or `nsec` before Go 1.9.
    nanoseconds: u32,
    /// Whether `loc` is `Local`; else it is nil. Only a time that nobody decoded has none.
    local: bool,
}

/// How much of a time protobuf carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Whole seconds: `Time` since 1.8.
    Seconds,
    /// Whole microseconds: `MicroTime` since 1.23.
    Microseconds,
    /// All of it: `Time` before 1.8, `MicroTime` before 1.23.
    Nanoseconds,
}

/// The text is no time, as the release's toolchain reads times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeError(&'static str);

impl fmt::Display for TimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for TimeError {}

/// Reading.
impl Time {
    /// `UnmarshalJSON` of `metav1.Time`: RFC 3339, a little more loosely than the standard has it
    /// (one digit of the hour will do). Escapes in the string are undone; `null` is the zero value.
    ///
    /// # Errors
    ///
    /// When the release's Go would not read it.
    pub fn unmarshal_json(raw: &str, toolchain: Toolchain) -> Result<Time, TimeError> {
        unmarshal(raw, Layout::Rfc3339, toolchain)
    }

    /// `UnmarshalJSON` of `metav1.MicroTime`: the same with exactly six digits of a fraction.
    ///
    /// # Errors
    ///
    /// When the release's Go would not read it.
    pub fn unmarshal_json_micro(raw: &str, toolchain: Toolchain) -> Result<Time, TimeError> {
        unmarshal(raw, Layout::Rfc3339Micro, toolchain)
    }
}

/// Passing on.
impl Time {
    /// `IsZero`. A time that was decoded from `"0001-01-01T00:00:00Z"` is zero and yet not the
    /// zero value: it has a location.
    pub const fn is_zero(&self) -> bool {
        self.seconds == 0 && self.nanoseconds == 0
    }

    /// What comes back from protobuf. A zero comes back as the zero value.
    #[must_use]
    pub fn through_protobuf(&self, precision: Precision) -> Time {
        if self.is_zero() {
            return Time::default();
        }
        Time {
            seconds: self.seconds,
            nanoseconds: match precision {
                Precision::Seconds => 0,
                Precision::Microseconds => self.nanoseconds - self.nanoseconds % 1000,
                Precision::Nanoseconds => self.nanoseconds,
            },
            local: true,
        }
    }

    /// `MarshalJSON` of `metav1.Time`: in UTC, by the second; `null` if zero.
    pub fn write_json(&self, out: &mut String) {
        self.write(out, false);
    }

    /// `MarshalJSON` of `metav1.MicroTime`: in UTC, by the microsecond; `null` if zero.
    pub fn write_json_micro(&self, out: &mut String) {
        self.write(out, true);
    }

    fn write(&self, out: &mut String, micro: bool) {
        if self.is_zero() {
            out.push_str("null");
            return;
        }
        let (year, month, day) = date(self.seconds.div_euclid(SECONDS_PER_DAY));
        let second = self.seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        // Offsets lead out of the four-digit years at both ends, and Go prints what is there.
        let sign = if year < 0 { "-" } else { "" };
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "\"{sign}{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}",
            year.abs()
        );
        if micro {
            let _ = write!(out, ".{:06}", self.nanoseconds / 1000);
        }
        out.push_str("Z\"");
    }

    /// A field of the struct, type and value, as spew prints it: `wall`, `ext` and `loc`, or `sec`,
    /// `nsec` and `loc` before Go 1.9. See the [module](self) for what a location looks like.
    pub fn dump_field(&self, name: &str, toolchain: Toolchain) -> Cow<'static, str> {
        match name {
            "wall" => format!("(uint64){}", self.nanoseconds).into(),
            "nsec" => format!("(int32){}", self.nanoseconds).into(),
            "ext" | "sec" => format!("(int64){}", self.seconds).into(),
            _ if !self.local => "(*time.Location)<nil>".into(),
            _ if toolchain < EXTENDED_LOCATION => concat!(
                "(*time.Location){name:(string)UTC zone:([]time.zone)<nil> ",
                "tx:([]time.zoneTrans)<nil> cacheStart:(int64)0 cacheEnd:(int64)0 ",
                "cacheZone:(*time.zone)<nil>}"
            )
            .into(),
            _ => concat!(
                "(*time.Location){name:(string)UTC zone:([]time.zone)<nil> ",
                "tx:([]time.zoneTrans)<nil> extend:(string) cacheStart:(int64)0 ",
                "cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}"
            )
            .into(),
        }
    }
}

/// The first Go whose `time.Location` has a field `extend`.
const EXTENDED_LOCATION: Toolchain = Toolchain::new(15, 0);

const SECONDS_PER_DAY: i64 = 86_400;

/// What a `time.Parse` lets pass.
#[derive(Clone, Copy)]
struct Taste {
    /// The last day that every month may have; days it does not have count on. `None`: its own.
    longest_month: Option<i64>,
    /// The day before the first, `00`.
    day_zero: bool,
    /// Seconds up to 99, if a fraction follows: reading it forgot that they were out of range.
    late_second: bool,
    /// No seconds at all, if a fraction follows: reading it forgot that they were missing.
    no_second: bool,
    /// A comma before the fraction.
    comma: bool,
    /// More than nine digits of a fraction are cut. (They were read as so many nanoseconds.)
    cut_fraction: bool,
    offset: Offset,
}

/// What the two digits of a time zone offset's hour and minute may be.
#[derive(Clone, Copy, PartialEq)]
enum Offset {
    /// A number of two characters, its sign included: `+-1:+3`.
    Signed,
    /// Two digits: `+99:99`.
    Digits,
    /// Two digits up to `24:60`.
    Range,
}

/// The taste of each span of toolchains, newest first.
const TASTES: &[(Toolchain, Taste)] = {
    const FIRST: Taste = Taste {
        longest_month: Some(31),
        day_zero: true,
        late_second: true,
        no_second: true,
        comma: false,
        cut_fraction: false,
        offset: Offset::Signed,
    };
    const SIX: Taste = Taste {
        longest_month: None,
        ..FIRST
    };
    const EIGHT: Taste = Taste {
        day_zero: false,
        late_second: false,
        ..SIX
    };
    const SEVENTEEN: Taste = Taste {
        comma: true,
        ..EIGHT
    };
    const EIGHTEEN: Taste = Taste {
        cut_fraction: true,
        ..SEVENTEEN
    };
    const TWENTY: Taste = Taste {
        no_second: false,
        offset: Offset::Digits,
        ..EIGHTEEN
    };
    const TWENTY_THREE: Taste = Taste {
        offset: Offset::Range,
        ..TWENTY
    };
    &[
        (Toolchain::new(23, 0), TWENTY_THREE),
        (Toolchain::new(20, 0), TWENTY),
        (Toolchain::new(18, 0), EIGHTEEN),
        (Toolchain::new(17, 0), SEVENTEEN),
        (Toolchain::new(8, 0), EIGHT),
        (Toolchain::new(6, 0), SIX),
        (Toolchain::new(0, 0), FIRST),
    ]
};

#[derive(Clone, Copy, PartialEq)]
enum Layout {
    /// `2006-01-02T15:04:05Z07:00`
    Rfc3339,
    /// `2006-01-02T15:04:05.000000Z07:00`
    Rfc3339Micro,
}

fn unmarshal(raw: &str, layout: Layout, toolchain: Toolchain) -> Result<Time, TimeError> {
    if raw == "null" {
        return Ok(Time::default());
    }
    // What is no string, or a broken one, is an empty one to the releases that do not look (up to
    // 1.10) and an error to the others: no time for either.
    let text: String = serde_json::from_str(raw).map_err(|_| TimeError("it is no string"))?;
    let taste = TASTES
        .iter()
        .find(|(since, _)| *since <= toolchain)
        .map_or(TASTES[0].1, |(_, taste)| *taste);
    Parser {
        rest: text.as_bytes(),
        taste,
    }
    .time(layout)
}

/// `time.parse` along one of the two layouts.
struct Parser<'t> {
    rest: &'t [u8],
    taste: Taste,
}

impl Parser<'_> {
    fn time(mut self, layout: Layout) -> Result<Time, TimeError> {
        let year = self.year()?;
        self.literal(b'-')?;
        let month = self.two_digits()?;
        if !(1..=12).contains(&month) {
            return Err(TimeError("the month is out of range"));
        }
        self.literal(b'-')?;
        let day = self.two_digits()?;
        self.literal(b'T')?;
        let hour = self.one_or_two_digits()?;
        self.literal(b':')?;
        let minute = self.two_digits()?;
        self.literal(b':')?;
        let (second, nanoseconds) = match layout {
            Layout::Rfc3339 => self.second_and_any_fraction()?,
            Layout::Rfc3339Micro => (self.two_digits()?, self.six_digits_of_a_fraction()?),
        };
        let late = layout == Layout::Rfc3339 && self.taste.late_second;
        if hour > 23 || minute > 59 || second > 59 && !late {
            return Err(TimeError("the hour, minute or second is out of range"));
        }
        let offset = self.offset()?;
        if !self.rest.is_empty() {
            return Err(TimeError("text follows the time"));
        }
        let least = if self.taste.day_zero { 0 } else { 1 };
        let most = self
            .taste
            .longest_month
            .unwrap_or_else(|| days_in(year, month));
        if !(least..=most).contains(&day) {
            return Err(TimeError("the month has no such day"));
        }
        // A day that the month does not have counts on from its first.
        let days = days_before(year, month) + day - 1;
        Ok(Time {
            seconds: days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset,
            nanoseconds,
            local: true,
        })
    }

    fn year(&mut self) -> Result<i64, TimeError> {
        let error = TimeError("the year does not have four digits");
        let (digits, rest) = self.rest.split_at_checked(4).ok_or(error)?;
        self.rest = rest;
        decimal(digits).ok_or(error)
    }

    fn literal(&mut self, byte: u8) -> Result<(), TimeError> {
        self.rest = self
            .rest
            .strip_prefix(&[byte])
            .ok_or(TimeError("a separator is missing"))?;
        Ok(())
    }

    /// `getnum`, fixed.
    fn two_digits(&mut self) -> Result<i64, TimeError> {
        let error = TimeError("a number does not have two digits");
        let (digits, rest) = self.rest.split_at_checked(2).ok_or(error)?;
        self.rest = rest;
        decimal(digits).ok_or(error)
    }

    /// `getnum`, not fixed.
    fn one_or_two_digits(&mut self) -> Result<i64, TimeError> {
        let digits = self
            .rest
            .iter()
            .take(2)
            .take_while(|b| b.is_ascii_digit())
            .count();
        let (digits, rest) = self.rest.split_at(digits);
        self.rest = rest;
        decimal(digits).ok_or(TimeError("the hour is missing"))
    }

    fn is_point(&self, byte: u8) -> bool {
        byte == b'.' || byte == b',' && self.taste.comma
    }

    /// A fraction that the layout does not ask for is taken all the same.
    fn second_and_any_fraction(&mut self) -> Result<(i64, u32), TimeError> {
        let second = match self.fraction_length() {
            Some(_) if self.taste.no_second => 0,
            _ => self.two_digits()?,
        };
        match self.fraction_length() {
            Some(length) => Ok((second, self.any_fraction(length)?)),
            None if second > 59 => Err(TimeError("the second is out of range")),
            None => Ok((second, 0)),
        }
    }

    /// How many digits follow the point that comes next, if one does and a digit after it.
    fn fraction_length(&self) -> Option<usize> {
        let [point, rest @ ..] = self.rest else {
            return None;
        };
        let length = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        (self.is_point(*point) && length > 0).then_some(length)
    }

    fn any_fraction(&mut self, length: usize) -> Result<u32, TimeError> {
        let (fraction, rest) = self.rest.split_at(length + 1);
        let mut digits = &fraction[1..];
        self.rest = rest;
        if self.taste.cut_fraction {
            digits = &digits[..length.min(9)];
        }
        let leading_zeros = digits.iter().take_while(|b| **b == b'0').count();
        if digits.len() - leading_zeros > 9 {
            return Err(TimeError("the fraction of a second is out of range"));
        }
        let number = decimal(&digits[leading_zeros..]).unwrap_or(0);
        scaled(number, digits.len())
    }

    fn six_digits_of_a_fraction(&mut self) -> Result<u32, TimeError> {
        let error = TimeError("the fraction of a second does not have six digits");
        let (fraction, rest) = self.rest.split_at_checked(7).ok_or(error)?;
        self.rest = rest;
        let [point, digits @ ..] = fraction else {
            return Err(error);
        };
        if !self.is_point(*point) {
            return Err(error);
        }
        scaled(signed(digits).ok_or(error)?, 6)
    }

    /// `Z` or `±hh:mm`, in seconds east of Greenwich.
    fn offset(&mut self) -> Result<i64, TimeError> {
        if let [b'Z', rest @ ..] = self.rest {
            self.rest = rest;
            return Ok(0);
        }
        let error = TimeError("the time zone is neither Z nor an offset like +07:00");
        let [sign, h, hh, b':', m, mm, rest @ ..] = self.rest else {
            return Err(error);
        };
        self.rest = rest;
        let number = if self.taste.offset == Offset::Signed {
            signed
        } else {
            decimal
        };
        let hour = number(&[*h, *hh]).ok_or(error)?;
        let minute = number(&[*m, *mm]).ok_or(error)?;
        if self.taste.offset == Offset::Range && (hour > 24 || minute > 60) {
            return Err(TimeError("the time zone offset is out of range"));
        }
        let offset = (hour * 60 + minute) * 60;
        match sign {
            b'+' => Ok(offset),
            b'-' => Ok(-offset),
            _ => Err(error),
        }
    }
}

/// So many digits of a fraction as nanoseconds.
fn scaled(number: i64, digits: usize) -> Result<u32, TimeError> {
    let missing = u32::try_from(9_usize.saturating_sub(digits)).unwrap_or(0);
    u32::try_from(number * 10_i64.pow(missing))
        .map_err(|_| TimeError("the fraction of a second is out of range"))
}

/// Digits and nothing else; at most nine of them.
fn decimal(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        digits
            .iter()
            .fold(0, |number, digit| number * 10 + i64::from(digit - b'0')),
    )
}

/// `atoi`: a sign may come first.
fn signed(text: &[u8]) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => decimal(digits).map(|number| -number),
        [b'+', digits @ ..] => decimal(digits),
        digits => decimal(digits),
    }
}

/// Days from 1 January of the year 1 to the first of a month, in the Gregorian calendar.
fn days_before(year: i64, month: i64) -> i64 {
    // Years that begin in March have their leap day last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 - 306
}

fn days_in(year: i64, month: i64) -> i64 {
    let (next_year, next) = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    days_before(next_year, next) - days_before(year, month)
}

/// The date that many days after 1 January of the year 1.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_400_YEARS: i64 = 146_097;
    let cycle = days.div_euclid(DAYS_PER_400_YEARS);
    let within = days.rem_euclid(DAYS_PER_400_YEARS);
    // Never too late: a year has at least 365 days; and at most one too early.
    let mut year = within / 366 + 1;
    while days_before(year + 1, 1) <= within {
        year += 1;
    }
    let mut month = 1;
    while month < 12 && days_before(year, month + 1) <= within {
        month += 1;
    }
    (
        cycle * 400 + year,
        month,
        within - days_before(year, month) + 1,
    )
}

#[cfg(test)]
mod tests {
    //! Every expected value was printed by the real Go of that version, with `TZ=UTC`.

    use super::*;

    const NEW: Toolchain = Toolchain::new(26, 6);

    fn json(time: &Time) -> String {
        let mut out = String::new();
        time.write_json(&mut out);
        out
    }

    fn read(text: &str, toolchain: Toolchain) -> Result<Time, TimeError> {
        Time::unmarshal_json(&format!("{text:?}"), toolchain)
    }

    #[test]
    fn times_are_written_in_utc_by_the_second() {
        for (text, expected) in [
            ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05Z"),
            ("2020-01-02T03:04:05.999999999Z", "2020-01-02T03:04:05Z"),
            ("2020-01-02T03:04:05+02:00", "2020-01-02T01:04:05Z"),
            ("2020-02-29T23:59:59-23:59", "2020-03-01T23:58:59Z"),
            ("2020-01-02T3:04:05Z", "2020-01-02T03:04:05Z"),
            ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("0000-01-01T00:00:00+01:00", "-0001-12-31T23:00:00Z"),
            ("9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"),
        ] {
            let time = read(text, NEW).unwrap();
            assert_eq!(json(&time), format!("\"{expected}\""), "{text}");
        }
    }

    #[test]
    fn a_zero_time_is_null_and_only_a_decoded_one_has_a_location() {
        let null = Time::unmarshal_json("null", NEW).unwrap();
        let zero = read("0001-01-01T00:00:00Z", NEW).unwrap();
        assert_eq!(
            (json(&null), json(&zero)),
            ("null".to_owned(), "null".to_owned())
        );
        assert_eq!(null, Time::default());
        assert_ne!(zero, Time::default());
        assert_eq!(zero.through_protobuf(Precision::Seconds), Time::default());
    }

    #[test]
    fn escapes_are_undone() {
        let escaped = Time::unmarshal_json(r#""2020\u002d01-02T03:04:05Z""#, NEW);
        assert_eq!(escaped, read("2020-01-02T03:04:05Z", NEW));
    }

    #[test]
    fn what_is_no_time_is_an_error() {
        let texts = [
            "",
            "2020-01-02",
            "2020-01-02 03:04:05Z",
            "2020-01-02T03:04:05",
            "2020-01-02t03:04:05z",
            "2020-13-02T03:04:05Z",
            "2020-00-02T03:04:05Z",
            "2020-01-02T24:00:00Z",
            "2020-01-02T03:60:00Z",
            "2020-12-31T23:59:60Z",
            "2020-01-02T03:04:05+0200",
            "2020-01-02T03:04:05Z ",
            "20200102T030405Z",
            "+020-01-02T03:04:05Z",
            "2020-1-2T03:04:05Z",
            "2020-01-32T03:04:05Z",
        ];
        for text in texts {
            for toolchain in [Toolchain::new(4, 3), NEW] {
                assert!(read(text, toolchain).is_err(), "{text}");
            }
        }
        for raw in ["5", "true", "{}", "\"", "\"\\ud800\""] {
            assert!(Time::unmarshal_json(raw, NEW).is_err(), "{raw}");
        }
    }

    #[test]
    fn gos_taste_changed() {
        // (text, then what go1.4.3, 1.6.2, 1.8.3, 1.17.13, 1.18.10, 1.20.7 and 1.26.6 read)
        let toolchains = [(4, 3), (6, 2), (8, 3), (17, 13), (18, 10), (20, 7), (26, 6)];
        let cases: [(&str, [Option<&str>; 7]); 9] = {
            let february = Some("\"2021-03-02T00:00:00Z\"");
            let zero = Some("\"2021-01-31T00:00:00Z\"");
            let first = Some("\"2021-02-01T00:00:00Z\"");
            [
                (
                    "2021-02-30T00:00:00Z",
                    [february, None, None, None, None, None, None],
                ),
                (
                    "2021-02-00T00:00:00Z",
                    [zero, zero, None, None, None, None, None],
                ),
                (
                    "2021-01-31T23:59:60.5Z",
                    [first, first, None, None, None, None, None],
                ),
                (
                    "2021-02-01T00:00:.5Z",
                    [first, first, first, first, first, None, None],
                ),
                (
                    "2021-02-01T00:00:00,5Z",
                    [None, None, None, first, first, first, first],
                ),
                ("2021-02-01T00:00:00.0000000001Z", [first; 7]),
                (
                    "2021-02-01T00:00:00.1234567891Z",
                    [None, None, None, None, first, first, first],
                ),
                (
                    "2021-02-01T00:00:00+-1:+0",
                    [
                        Some("\"2021-02-01T01:00:00Z\""),
                        Some("\"2021-02-01T01:00:00Z\""),
                        Some("\"2021-02-01T01:00:00Z\""),
                        Some("\"2021-02-01T01:00:00Z\""),
                        Some("\"2021-02-01T01:00:00Z\""),
                        None,
                        None,
                    ],
                ),
                (
                    "2021-02-01T00:00:00-99:99",
                    [
                        Some("\"2021-02-05T04:39:00Z\""),
                        Some("\"2021-02-05T04:39:00Z\""),
                        Some("\"2021-02-05T04:39:00Z\""),
                        Some("\"2021-02-05T04:39:00Z\""),
                        Some("\"2021-02-05T04:39:00Z\""),
                        Some("\"2021-02-05T04:39:00Z\""),
                        None,
                    ],
                ),
            ]
        };
        for (text, expected) in cases {
            for ((minor, patch), expected) in toolchains.into_iter().zip(expected) {
                let time = read(text, Toolchain::new(minor, patch)).ok();
                assert_eq!(
                    time.as_ref().map(json).as_deref(),
                    expected,
                    "{text} go1.{minor}"
                );
            }
        }
        // Ten digits were so many nanoseconds.
        let nanoseconds = |minor| {
            let time = read("2021-02-01T00:00:00.0000000001Z", Toolchain::new(minor, 0)).unwrap();
            time.dump_field("wall", NEW)
        };
        assert_eq!(
            (nanoseconds(17), nanoseconds(18)),
            ("(uint64)1".into(), "(uint64)0".into())
        );
    }

    #[test]
    fn micro_times_have_six_digits() {
        let read = |text: &str| Time::unmarshal_json_micro(&format!("{text:?}"), NEW);
        let time = read("2020-01-02T03:04:05.123456+01:00").unwrap();
        let mut out = String::new();
        time.write_json_micro(&mut out);
        assert_eq!(out, "\"2020-01-02T02:04:05.123456Z\"");
        for text in [
            "2020-01-02T03:04:05Z",
            "2020-01-02T03:04:05.123Z",
            "2020-01-02T03:04:05.1234567Z",
            "2020-01-02T03:04:05.-12345Z",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        // Its six characters are read as a number, sign included.
        assert!(read("2020-01-02T03:04:05.+12345Z").is_ok());
    }

    #[test]
    fn protobuf_carries_as_much_as_the_release_lets_it() {
        let time = read("2020-01-02T03:04:05.123456789Z", NEW).unwrap();
        let wall = |precision| time.through_protobuf(precision).dump_field("wall", NEW);
        assert_eq!(wall(Precision::Seconds), "(uint64)0");
        assert_eq!(wall(Precision::Microseconds), "(uint64)123456000");
        assert_eq!(wall(Precision::Nanoseconds), "(uint64)123456789");
    }

    #[test]
    fn dumps() {
        let time = read("2020-01-02T03:04:05.123456789+02:00", NEW).unwrap();
        let dump = |fields: &[&str], toolchain| {
            let fields: Vec<_> = fields
                .iter()
                .map(|name| format!("{name}:{}", time.dump_field(name, toolchain)))
                .collect();
            fields.join(" ")
        };
        assert_eq!(
            dump(&["sec", "nsec", "loc"], Toolchain::new(7, 6)),
            "sec:(int64)63713523845 nsec:(int32)123456789 loc:(*time.Location){name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}"
        );
        assert_eq!(
            dump(&["wall", "ext", "loc"], NEW),
            "wall:(uint64)123456789 ext:(int64)63713523845 loc:(*time.Location){name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}"
        );
        assert_eq!(
            Time::default().dump_field("loc", NEW),
            "(*time.Location)<nil>"
        );
    }
}
