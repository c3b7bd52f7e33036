//! Go toolchains: the standard library that a release was linked with decides, too, what its
//! JSON and its dumps look like.

use crate::schema::Schema;

/// A Go version, `go1.23.10`; a missing patch counts as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Toolchain {
    minor: u16,
    patch: u16,
}

impl Toolchain {
    /// `go1.<minor>.<patch>`
    pub const fn new(minor: u16, patch: u16) -> Toolchain {
        Toolchain { minor, patch }
    }

    /// 23 for go1.23.10.
    pub const fn minor(self) -> u16 {
        self.minor
    }

    /// The toolchain that a schema was recorded with.
    pub fn of(schema: &Schema) -> Toolchain {
        Toolchain::parse(schema.toolchain()).unwrap_or(Toolchain::new(0, 0))
    }

    /// Reads `go1.23.10` or `go1.13`.
    pub fn parse(text: &str) -> Option<Toolchain> {
        let mut parts = text.strip_prefix("go1.")?.split('.');
        let minor = parts.next()?.parse().ok()?;
        let patch = parts.next().map_or(Some(0), |part| part.parse().ok())?;
        Some(Toolchain { minor, patch })
    }
}

/// `encoding/json`'s choices that changed with Go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonStyle {
    /// `\b` and `\f` instead of `\u0008` and `\u000c`.
    pub short_escapes: bool,
    /// `\t` instead of `\u0009`.
    pub short_tab: bool,
    /// The tag option `omitzero` is acted on.
    pub omit_zero: bool,
}

const STYLES: &[(Toolchain, JsonStyle)] = &[
    (
        Toolchain::new(24, 0),
        JsonStyle {
            short_escapes: true,
            short_tab: true,
            omit_zero: true,
        },
    ),
    (
        Toolchain::new(22, 0),
        JsonStyle {
            short_escapes: true,
            short_tab: true,
            omit_zero: false,
        },
    ),
    (
        Toolchain::new(0, 0),
        JsonStyle {
            short_escapes: false,
            short_tab: true,
            omit_zero: false,
        },
    ),
];

impl JsonStyle {
    /// What `encoding/json` of this toolchain does.
    pub fn of(toolchain: Toolchain) -> JsonStyle {
        STYLES
            .iter()
            .find(|(since, _)| *since <= toolchain)
            .map_or(STYLES[STYLES.len() - 1].1, |(_, style)| *style)
    }
}
