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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Engine;

    const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n";

    fn compared(minor: u16, patch: u16, other: &str) -> Option<Comparison> {
        let engine = Engine::load(Release::new(minor, patch)).unwrap();
        engine.manifests_equal(POD, other).ok()
    }

    #[test]
    fn bytes_are_compared_until_dumps_are() {
        let commented = format!("# more\n{POD}");
        assert!(!compared(23, 17, &commented).unwrap().equal);
        assert!(compared(24, 17, &commented).unwrap().equal);
        assert!(compared(23, 17, POD).unwrap().equal);
        assert_eq!(compared(12, 10, POD), None);
    }

    #[test]
    fn an_empty_map_is_another_dump_and_no_difference() {
        let empty = format!("{POD}  labels: {{}}\n");
        let with_label = format!("{POD}  labels: {{a: b}}\n");
        for (minor, patch, told) in [(28, 15, false), (29, 15, true)] {
            let empty = compared(minor, patch, &empty).unwrap();
            assert_eq!((empty.equal, empty.difference), (false, None));
            let other = compared(minor, patch, &with_label).unwrap();
            assert_eq!((other.equal, other.difference.is_some()), (false, told));
        }
    }

    #[test]
    fn only_pods_are_compared_once_they_are_decoded() {
        for other in [
            "",
            "[]",
            "kind: Pod",
            "{",
            "apiVersion: v1\nkind: Service\n",
            "image: i",
        ] {
            assert_eq!(compared(30, 14, other), None, "{other}");
            assert!(!compared(23, 17, other).unwrap().equal);
        }
    }
}
