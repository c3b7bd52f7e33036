//! Which API versions of workloads a release's API server takes.

use crate::release::Release;

/// API versions of workloads that no release from this minor on serves (by default, for the first
/// two minors), though its code still knows the types: the schemas cannot tell.
const RETIRED: &[(&str, u16)] = &[
    ("apps/v1beta1", 16),
    ("apps/v1beta2", 16),
    ("extensions/v1beta1", 16),
    ("batch/v2alpha1", 21),
    ("batch/v1beta1", 25),
];

/// Whether a release's API server takes objects of a group and version of which it knows the types.
pub fn serves(release: Release, api_version: &str) -> bool {
    !RETIRED
        .iter()
        .any(|(retired, minor)| *retired == api_version && *minor <= release.minor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retired_versions_are_not_served_though_their_types_live_on() {
        assert!(serves(Release::new(15, 12), "extensions/v1beta1"));
        assert!(!serves(Release::new(16, 0), "extensions/v1beta1"));
        assert!(serves(Release::new(24, 17), "batch/v1beta1"));
        assert!(!serves(Release::new(25, 0), "batch/v1beta1"));
        assert!(serves(Release::new(25, 0), "batch/v1"));
    }
}
