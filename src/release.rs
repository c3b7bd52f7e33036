//! Kubernetes versions: what a person or a cluster writes in, a [`Release`] out.
//!
//! A release is a value at run time, ordered as time ordered the versions of one line
//! (`v1.9.11 < v1.10.0`). Which releases exist is data: see [`crate::catalogue`].

use std::fmt;
use std::str::FromStr;

/// One stable Kubernetes version, `v1.30.14`. The major version has always been 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    minor: u16,
    patch: u16,
}

impl Release {
    /// `v1.<minor>.<patch>`.
    pub const fn new(minor: u16, patch: u16) -> Release {
        Release { minor, patch }
    }

    /// The 30 of `v1.30.14`.
    pub const fn minor(self) -> u16 {
        self.minor
    }

    /// The 14 of `v1.30.14`.
    pub const fn patch(self) -> u16 {
        self.patch
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v1.{}.{}", self.minor, self.patch)
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What somebody wrote where a version was expected.
///
/// ```
/// use kubehash::release::{Release, VersionRequest};
///
/// let gke: VersionRequest = "1.29.1-gke.1589017".parse().unwrap();
/// assert_eq!(gke, VersionRequest::Exact { release: Release::new(29, 1), vendor: true });
/// assert_eq!("1.30".parse(), Ok(VersionRequest::Minor(30)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionRequest {
    /// `1.30`, `v1.30`: the newest known patch of that minor.
    Minor(u16),
    /// `1.30.4`; `vendor` when something followed the upstream version, as clusters print it
    /// (`v1.30.4-eks-a737599`, `v1.31.3+k3s1`).
    Exact {
        /// The upstream release.
        release: Release,
        /// Whether it is a vendor's build of that release.
        vendor: bool,
    },
}

/// The text is not a Kubernetes version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionError {
    text: String,
    reason: &'static str,
}

impl fmt::Display for VersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not a Kubernetes version: {}; write it as v1.30.14, 1.30.14 or 1.30",
            self.text, self.reason
        )
    }
}

impl std::error::Error for VersionError {}

impl FromStr for VersionRequest {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<VersionRequest, VersionError> {
        let error = |reason| VersionError {
            text: text.to_owned(),
            reason,
        };
        let trimmed = text.trim();
        let number = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let (number, suffix) = match number.find(['-', '+']) {
            Some(at) => number.split_at(at),
            None => (number, ""),
        };
        if ["-alpha", "-beta", "-rc"]
            .iter()
            .any(|pre| suffix.starts_with(pre))
        {
            return Err(error("pre-releases are not covered"));
        }
        if matches!(suffix, "-" | "+") {
            return Err(error("nothing follows the sign at its end"));
        }
        let mut parts = number.split('.');
        if parts.next() != Some("1") {
            return Err(error("it does not begin with 1."));
        }
        let mut numeric = || match parts.next() {
            None => Ok(None),
            // `str::parse` would take a sign; a version has digits only.
            Some(part) if part.bytes().all(|b| b.is_ascii_digit()) => part
                .parse::<u16>()
                .map(Some)
                .map_err(|_| error("a part is not a number in range")),
            Some(_) => Err(error("a part is not a number")),
        };
        let minor = numeric()?.ok_or_else(|| error("the minor version is missing"))?;
        let patch = numeric()?;
        if parts.next().is_some() {
            return Err(error("it has more than three parts"));
        }
        match patch {
            Some(patch) => Ok(VersionRequest::Exact {
                release: Release::new(minor, patch),
                vendor: !suffix.is_empty(),
            }),
            None if suffix.is_empty() => Ok(VersionRequest::Minor(minor)),
            None => Err(error(
                "the patch version is missing before the vendor's suffix",
            )),
        }
    }
}

impl FromStr for Release {
    type Err = VersionError;

    /// Reads a full upstream version; a minor alone or a vendor's suffix is an error here.
    fn from_str(text: &str) -> Result<Release, VersionError> {
        match text.parse()? {
            VersionRequest::Exact {
                release,
                vendor: false,
            } => Ok(release),
            VersionRequest::Exact { .. } => Err(VersionError {
                text: text.to_owned(),
                reason: "it carries a vendor's suffix",
            }),
            VersionRequest::Minor(_) => Err(VersionError {
                text: text.to_owned(),
                reason: "the patch version is missing",
            }),
        }
    }
}

/// A span of releases: a row's `since`/`until` in the era tables. Both ends are inclusive.
///
/// Behaviour changes in patch releases of several minors at once (Go 1.22's JSON escapes came
/// with 1.27.16, 1.28.12, 1.29.7 and 1.30.0), so a table may hold one row per minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    since: Release,
    until: Release,
}

impl Span {
    /// Every release.
    pub const ALL: Span = Span::between((0, 0), (u16::MAX, u16::MAX));

    /// From a release (minor, patch) on.
    pub const fn since(minor: u16, patch: u16) -> Span {
        Span::between((minor, patch), (u16::MAX, u16::MAX))
    }

    /// Up to a release (minor, patch), which is included.
    pub const fn until(minor: u16, patch: u16) -> Span {
        Span::between((0, 0), (minor, patch))
    }

    /// All releases of these minors, both included.
    pub const fn minors(first: u16, last: u16) -> Span {
        Span::between((first, 0), (last, u16::MAX))
    }

    /// From one release to another, both included.
    pub const fn between(since: (u16, u16), until: (u16, u16)) -> Span {
        Span {
            since: Release::new(since.0, since.1),
            until: Release::new(until.0, until.1),
        }
    }

    /// Whether the release lies in the span.
    pub fn contains(self, release: Release) -> bool {
        self.since <= release && release <= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(minor: u16, patch: u16, vendor: bool) -> Result<VersionRequest, VersionError> {
        Ok(VersionRequest::Exact {
            release: Release::new(minor, patch),
            vendor,
        })
    }

    #[test]
    fn versions_as_clusters_print_them() {
        assert_eq!("v1.30.4-eks-a737599".parse(), exact(30, 4, true));
        assert_eq!("v1.31.3+k3s1".parse(), exact(31, 3, true));
        assert_eq!(" 1.9.11 ".parse(), exact(9, 11, false));
    }

    #[test]
    fn what_is_not_a_version_is_refused() {
        for text in [
            "",
            "v",
            "2.1.0",
            "1",
            "1.",
            "1.30.",
            "1.+3.1",
            "1.30-eks",
            "1.30.1.2",
            "1.99999999.0",
            "v1.31.0-rc.1",
            "1.30.4-",
            "latest",
        ] {
            assert!(text.parse::<VersionRequest>().is_err(), "{text}");
        }
    }

    #[test]
    fn releases_are_ordered_by_number_not_by_text() {
        assert!(Release::new(9, 11) < Release::new(10, 0));
        assert!(Release::new(10, 2) < Release::new(10, 13));
    }
}
