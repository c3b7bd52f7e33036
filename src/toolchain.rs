//! Go toolchains: the standard library that a release was linked with decides, too, what its
//! JSON and its dumps look like.

use crate::schema::Schema;

mod version;

pub use version::Toolchain;
pub(crate) use version::alike;

impl Toolchain {
    /// The toolchain that a schema was recorded with.
    pub fn of(schema: &Schema) -> Toolchain {
        Toolchain::parse(schema.toolchain()).unwrap_or(Toolchain::new(0, 0))
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
