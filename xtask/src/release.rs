//! A release's number: `v1.30.14`.

use std::fmt;

use crate::error::{Error, Result};

/// Ordered as released within a minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Release {
    pub(crate) minor: u32,
    pub(crate) patch: u32,
}

impl Release {
    /// Reads `v1.30.14`, with or without the `v`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let numbers = text.strip_prefix('v').unwrap_or(text).strip_prefix("1.");
        let release = numbers.and_then(|numbers| {
            let (minor, patch) = numbers.split_once('.')?;
            Some(Release {
                minor: minor.parse().ok()?,
                patch: patch.parse().ok()?,
            })
        });
        release.ok_or_else(|| Error::Failed(format!("{text}: not a release, such as v1.30.14")))
    }

    /// The tag under which its staging modules are published.
    pub(crate) fn staging(self) -> String {
        format!("v0.{}.{}", self.minor, self.patch)
    }

    /// How far two are apart: minors first.
    pub(crate) fn distance(self, other: Release) -> (u32, u32) {
        (
            self.minor.abs_diff(other.minor),
            self.patch.abs_diff(other.patch),
        )
    }

    /// `1.30`
    pub(crate) fn minor_name(self) -> String {
        format!("1.{}", self.minor)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v1.{}.{}", self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_by_number() {
        let parse = |text| Release::parse(text).unwrap();
        assert!(parse("v1.9.11") < parse("1.10.0"));
        assert!(parse("v1.30.2") < parse("v1.30.14"));
        assert_eq!(parse("1.30.2").to_string(), "v1.30.2");
        for bad in ["1.30", "v1.30.x", "v2.0.0", ""] {
            assert!(Release::parse(bad).is_err(), "{bad}");
        }
    }
}
