//! Feature gates: switches of a cluster that decide which defaults and strategies act.
//!
//! In: the defaults that a release's `DefaultFeatureGate` was built with (part of its [`Schema`])
//! and what a request overrides. Out: [`Gates::enabled`], which mirrors
//! `utilfeature.DefaultFeatureGate.Enabled` (from 1.4, when gates came into being, on).

use std::collections::BTreeMap;

use crate::schema::Schema;

/// The feature gates of one request.
#[derive(Clone, Copy, Debug)]
pub struct Gates<'a> {
    schema: &'a Schema,
    overrides: Option<&'a BTreeMap<String, bool>>,
}

impl<'a> Gates<'a> {
    /// The release's own defaults.
    pub fn defaults(schema: &'a Schema) -> Gates<'a> {
        Gates {
            schema,
            overrides: None,
        }
    }

    /// The release's defaults, except for what `overrides` names.
    pub fn with_overrides(schema: &'a Schema, overrides: &'a BTreeMap<String, bool>) -> Gates<'a> {
        Gates {
            schema,
            overrides: Some(overrides),
        }
    }

    /// Whether the gate is on.
    ///
    /// A gate that the release does not have is off, unless the request names it. Go panics there,
    /// so it is never asked: a table row that mentions a gate covers only releases that have it,
    /// and what holds before the gate came and after it went is for the row's neighbours to say.
    pub fn enabled(&self, name: &str) -> bool {
        self.overrides
            .and_then(|overrides| overrides.get(name).copied())
            .or_else(|| self.schema.feature_gate(name))
            .unwrap_or(false)
    }
}

/// Whether setting the gate sets others: all alpha or all beta gates that are not set themselves
/// (`specialFeatures`, `k8s.io/component-base/featuregate/feature_gate.go`).
pub fn stands_for_many(name: &str) -> bool {
    matches!(name, "AllAlpha" | "AllBeta")
}
