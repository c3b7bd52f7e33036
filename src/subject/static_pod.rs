//! Whether kubeadm takes two manifests of a static Pod for equal, when it upgrades a control plane.
//!
//! Mirrors `ManifestFilesAreEqual` and `ReadStaticPodFromDisk` in
//! `cmd/kubeadm/app/util/staticpod/utils.go` (1.13 on). The codec is that of client-go's scheme,
//! which has no defaults.

use crate::release::{Release, Span};

/// How a release compares two manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    span: Span,
    /// What is compared.
    pub compared: Compared,
    /// Whether the difference is told.
    pub tells_difference: bool,
}

/// What is compared of two manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Their bytes.
    Bytes,
    /// Hashes of dumps of the Pods, which are equal if the dumps are. All text is read as YAML.
    YamlDumps,
    /// The same; text that begins with a brace is read as JSON.
    Dumps,
}

const RECIPES: &[Recipe] = &[
    Recipe {
        span: Span::minors(13, 23),
        compared: Compared::Bytes,
        tells_difference: false,
    },
    Recipe {
        span: Span::minors(24, 28),
        compared: Compared::YamlDumps,
        tells_difference: false,
    },
    Recipe {
        span: Span::since(29, 0),
        compared: Compared::Dumps,
        tells_difference: true,
    },
];

impl Recipe {
    /// What a release does; `None` where kubeadm compares no manifests.
    pub fn of(release: Release) -> Option<Recipe> {
        let mut recipes = RECIPES.iter();
        recipes
            .find(|recipe| recipe.span.contains(release))
            .copied()
    }
}

/// Two manifests, compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Whether kubeadm takes them for equal.
    pub equal: bool,
    /// The two Pods as JSON where they are not and the release tells the difference. Nothing if
    /// only the dumps differ: kubeadm has no words for that.
    pub difference: Option<String>,
    /// The exact bytes that are hashed, in the releases that hash.
    pub preimages: Option<[Vec<u8>; 2]>,
}

/// `IsJSONBuffer` in `k8s.io/apimachinery/pkg/util/yaml/decoder.go`.
pub(crate) fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}
