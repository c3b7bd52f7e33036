//! Sets of CPUs as Linux and the CPU manager write them: `0-3,8`.
//!
//! Mirrors `Parse` and `String` in `pkg/kubelet/cm/cpuset/cpuset.go` (1.8–1.27) and
//! `k8s.io/utils/cpuset/cpuset.go` (1.28 on).

use std::fmt;

use crate::release::{Release, Span};
use crate::value::{Ref, Value};

/// A set of CPUs: ranges in order, none of which touches the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuSet(Vec<(i64, i64)>);

/// Why a text is no set of CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSetError(String);

impl fmt::Display for CpuSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CpuSetError {}

/// Where `5-3` is an error and `1-2-3` is one, too; before, both are no CPUs.
const MINDS_RANGES: Span = Span::since(22, 0);

/// More CPUs than any machine has: more are not listed one by one.
const MOST_LISTED: i64 = 1 << 16;

impl CpuSet {
    /// `Parse`
    ///
    /// # Errors
    /// When a part of the list is no number or range.
    pub fn parse(text: &str, release: Release) -> Result<CpuSet, CpuSetError> {
        let mut ranges = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            ranges.extend(range(part, MINDS_RANGES.contains(release))?);
        }
        Ok(CpuSet::new(ranges))
    }

    /// The union of ranges.
    fn new(mut ranges: Vec<(i64, i64)>) -> CpuSet {
        ranges.sort_unstable();
        let mut merged: Vec<(i64, i64)> = Vec::with_capacity(ranges.len());
        for (start, end) in ranges {
            match merged.last_mut() {
                Some(last) if start <= last.1.saturating_add(1) => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        CpuSet(merged)
    }

    /// The set whose members are the keys of a map: Go's `map[int]struct{}`.
    pub(crate) fn of_map(map: Ref<'_, '_>) -> CpuSet {
        let keys = match map.parts() {
            Some((_, Value::Map(entries))) => entries.as_slice(),
            _ => &[],
        };
        let members = keys.iter().filter_map(|(key, _)| match key {
            Value::Int(cpu) => Some((*cpu, *cpu)),
            _ => None,
        });
        CpuSet::new(members.collect())
    }

    /// That map.
    ///
    /// # Errors
    /// When the set has more members than there can be CPUs.
    pub(crate) fn to_map(&self) -> Result<Value, CpuSetError> {
        let size = |(start, end): &(i64, i64)| end.saturating_sub(*start).saturating_add(1);
        let total = self.0.iter().map(size).fold(0, i64::saturating_add);
        if total > MOST_LISTED {
            return Err(CpuSetError(format!("{total} CPUs are too many")));
        }
        let members = self.0.iter().flat_map(|(start, end)| *start..=*end);
        let entries = members.map(|cpu| (Value::Int(cpu), Value::Struct(Box::default())));
        Ok(Value::Map(entries.collect()))
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (start, end)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{start}")?;
            if start != end {
                write!(f, "-{end}")?;
            }
        }
        Ok(())
    }
}

/// A number or a range; nothing where the release passes a range over.
fn range(part: &str, minds_ranges: bool) -> Result<Option<(i64, i64)>, CpuSetError> {
    let number = |text: &str| {
        text.parse::<i64>()
            .map_err(|_| CpuSetError(format!("{text:?} is no CPU")))
    };
    let Some((start, end)) = part.split_once('-') else {
        let cpu = number(part)?;
        return Ok(Some((cpu, cpu)));
    };
    if !minds_ranges && end.contains('-') {
        return Ok(None);
    }
    let (start, end) = (number(start)?, number(end)?);
    if start > end && minds_ranges {
        return Err(CpuSetError(format!("{part:?} ends before it begins")));
    }
    Ok(Some((start, end)).filter(|_| start <= end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, minor: u16) -> Option<String> {
        let set = CpuSet::parse(text, Release::new(minor, 0));
        set.ok().map(|set| set.to_string())
    }

    #[test]
    fn lists_come_back_in_order() {
        for (text, set) in [
            ("", Some("")),
            ("3,1,2,9", Some("1-3,9")),
            ("0-2,1-5,7", Some("0-5,7")),
            ("+4,04", Some("4")),
            ("1-1", Some("1")),
            ("0, 1", None),
            ("0,", None),
            ("a", None),
            ("-1", None),
            ("0-9223372036854775807", Some("0-9223372036854775807")),
        ] {
            assert_eq!(parsed(text, 30).as_deref(), set, "{text}");
            assert_eq!(parsed(text, 21).as_deref(), set, "{text}");
        }
    }

    #[test]
    fn ranges_are_minded_from_some_release_on() {
        for (text, before) in [("5-3,1", "1"), ("1-2-3,7", "7")] {
            assert_eq!(parsed(text, 21).as_deref(), Some(before));
            assert_eq!(parsed(text, 22), None);
        }
    }

    #[test]
    fn no_more_members_are_listed_than_there_are_cpus() {
        let set = |text| CpuSet::parse(text, Release::new(36, 0)).unwrap();
        assert!(set("0-9223372036854775807").to_map().is_err());
        assert!(matches!(set("0-3").to_map(), Ok(Value::Map(entries)) if entries.len() == 4));
    }
}
