//! Versions of Go. This file is part of `xtask`, too, which cannot link the crate: the crate embeds
//! what `xtask` writes.

/// A Go version, `go1.23.10`; a missing patch counts as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toolchain {
    minor: u16,
    patch: u16,
}

/// The first minor of which all patches give the same results. Before, two patches may dump
/// `time.Time` or `big.Int` differently.
const ALIKE_SINCE: Toolchain = Toolchain::new(9, 0);

impl Toolchain {
    /// `go1.<minor>.<patch>`
    pub const fn new(minor: u16, patch: u16) -> Toolchain {
        Toolchain { minor, patch }
    }

    /// 23 for go1.23.10.
    pub const fn minor(self) -> u16 {
        self.minor
    }

    /// 10 for go1.23.10.
    pub const fn patch(self) -> u16 {
        self.patch
    }

    /// Reads `go1.23.10` or `go1.13`.
    pub fn parse(text: &str) -> Option<Toolchain> {
        let mut parts = text.strip_prefix("go1.")?.split('.');
        let minor = parts.next()?.parse().ok()?;
        let patch = parts.next().map_or(Some(0), |part| part.parse().ok())?;
        Some(Toolchain { minor, patch })
    }
}

/// Whether results do not depend on which of the two a release was built with. What is not a version
/// is like itself only.
pub(crate) fn alike(one: &str, other: &str) -> bool {
    match (Toolchain::parse(one), Toolchain::parse(other)) {
        (Some(a), Some(b)) => a == b || a.minor == b.minor && a >= ALIKE_SINCE,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_alike_since_go_1_9() {
        assert!(alike("go1.8.3", "go1.8.3"));
        assert!(!alike("go1.8.3", "go1.8.1"));
        assert!(alike("go1.9", "go1.9.7"));
        assert!(alike("go1.9.7", "go1.9"));
        assert!(!alike("go1.21.11", "go1.22.5"));
        assert!(alike("devel", "devel"));
        assert!(!alike("devel", "go1.22.5"));
    }

    #[test]
    fn a_version_is_read_whole_or_not_at_all() {
        assert_eq!(Toolchain::parse("go1.23.10"), Some(Toolchain::new(23, 10)));
        assert_eq!(Toolchain::parse("go1.13"), Some(Toolchain::new(13, 0)));
        for bad in ["1.23.10", "go1", "go1.x", "go1.23.rc1", ""] {
            assert_eq!(Toolchain::parse(bad), None, "{bad}");
        }
    }
}
