//! The tag of an image reference, as far as the default pull policy needs it.
//!
//! Kubernetes defaults `imagePullPolicy` to `Always` where the tag is `latest`, said or implied,
//! and to `IfNotPresent` otherwise, also where the reference cannot be parsed. So what counts as a
//! valid reference decides a hash. Four grammars followed one another ([`Grammar`]).

use crate::release::{Release, Span};
use crate::value::Mut;

/// `if obj.Policy == "" { … }` of `SetDefaults_Container` and, for image volumes, of
/// `SetDefaults_Volume`.
pub(super) fn default_pull_policy(object: &mut Mut<'_, '_>, image: &str, policy: &str) {
    if !object.look().get(policy).str().is_empty() {
        return;
    }
    let grammar = Grammar::of(object.schema().release());
    let latest = grammar.is_latest(object.look().get(image).str());
    object
        .get(policy)
        .set_str(if latest { "Always" } else { "IfNotPresent" });
}

/// Which code reads image references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grammar {
    /// `strings.Split(image, ":")` in `SetDefaults_Container` itself: an absent tag is not
    /// `latest`.
    Split,
    /// `docker/pkg/parsers.ParseRepositoryTag` behind `pkg/util/parsers.ParseImageName`.
    RepositoryTag,
    /// `ParseNamed` of `docker/distribution/reference`.
    Named(Pattern),
    /// `ParseNormalizedNamed` of `(docker/)distribution/reference`: a name is first completed
    /// with `docker.io/` and `library/`.
    NormalizedNamed(Pattern),
}

/// What a version of the reference library takes for a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pattern {
    /// A host name may be an IPv6 address, and a first part in upper case is one.
    wide_domains: bool,
    /// The host name counts in the length of 255 bytes.
    limit_domain: bool,
    /// A digest may be in upper case (`go-digest` before v1.0.0-rc1).
    upper_digests: bool,
}

const DISTRIBUTION_2_4: Pattern = Pattern {
    wide_domains: false,
    limit_domain: true,
    upper_digests: true,
};
const DISTRIBUTION_2_7: Pattern = Pattern {
    upper_digests: false,
    ..DISTRIBUTION_2_4
};
const REFERENCE_0_5: Pattern = Pattern {
    wide_domains: true,
    ..DISTRIBUTION_2_7
};
const REFERENCE_0_6: Pattern = Pattern {
    limit_domain: false,
    ..REFERENCE_0_5
};

const GRAMMARS: &[(Span, Grammar)] = &[
    (Span::minors(0, 1), Grammar::Split),
    (Span::minors(2, 2), Grammar::RepositoryTag),
    (Span::minors(3, 7), Grammar::Named(DISTRIBUTION_2_4)),
    (
        Span::minors(8, 15),
        Grammar::NormalizedNamed(DISTRIBUTION_2_4),
    ),
    (
        Span::minors(16, 28),
        Grammar::NormalizedNamed(DISTRIBUTION_2_7),
    ),
    (
        Span::minors(29, 31),
        Grammar::NormalizedNamed(REFERENCE_0_5),
    ),
    (Span::since(32, 0), Grammar::NormalizedNamed(REFERENCE_0_6)),
];

impl Grammar {
    fn of(release: Release) -> Grammar {
        GRAMMARS
            .iter()
            .find(|(span, _)| span.contains(release))
            .map_or(Grammar::NormalizedNamed(REFERENCE_0_6), |(_, grammar)| {
                *grammar
            })
    }

    /// Whether the image's tag is `latest`. A reference with a digest and no tag has no tag; one
    /// with neither has `latest`; one that cannot be parsed has none.
    fn is_latest(self, image: &str) -> bool {
        match self {
            Grammar::Split => image.rsplit(':').next() == Some("latest"),
            Grammar::RepositoryTag => parse_repository_tag(image) == "latest",
            Grammar::Named(pattern) => parse(image, pattern).is_some_and(Reference::is_latest),
            Grammar::NormalizedNamed(pattern) => {
                parse_normalized_named(image, pattern, |reference| reference.is_latest())
            }
        }
    }
}

/// `ParseRepositoryTag` followed by `ParseImageName`'s default: what follows the first `@`, up to
/// a second one, counts as the tag.
fn parse_repository_tag(image: &str) -> &str {
    let tag = match (image.split('@').nth(1), image.rsplit_once(':')) {
        (Some(digest), _) => digest,
        (None, Some((_, tag))) if !tag.contains('/') => tag,
        _ => "",
    };
    if tag.is_empty() { "latest" } else { tag }
}

/// `ParseNormalizedNamed`, reduced to a question about the reference; `false` where Go has an
/// error.
fn parse_normalized_named(
    image: &str,
    pattern: Pattern,
    question: impl Fn(Reference<'_>) -> bool,
) -> bool {
    // A bare image id is refused: 64 lower-case hexadecimal digits.
    if image.len() == 64 && image.bytes().all(is_lower_hex) {
        return false;
    }
    let (domain, remainder) = split_docker_domain(image, pattern);
    let name = remainder.split(':').next().unwrap_or_default();
    // Go compares with the name in lower case. Whatever is not ASCII is refused later anyway.
    if has_upper(name) {
        return false;
    }
    let library = domain == DEFAULT_DOMAIN && !remainder.contains('/');
    let whole = format!(
        "{domain}/{}{remainder}",
        if library { "library/" } else { "" }
    );
    parse(&whole, pattern).is_some_and(question)
}

const DEFAULT_DOMAIN: &str = "docker.io";

/// `splitDockerDomain`: the first part is a host name when it looks like one.
fn split_docker_domain(name: &str, pattern: Pattern) -> (&str, &str) {
    match name.split_once('/') {
        Some(("index.docker.io", remainder)) => (DEFAULT_DOMAIN, remainder),
        Some((domain, remainder))
            if domain == "localhost"
                || domain.contains(['.', ':'])
                || pattern.wide_domains && has_upper(domain) =>
        {
            (domain, remainder)
        }
        _ => (DEFAULT_DOMAIN, name),
    }
}

/// `name [":" tag] ["@" digest]`; empty where a part is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reference<'a> {
    tag: &'a str,
    digest: &'a str,
}

impl Reference<'_> {
    fn is_latest(self) -> bool {
        self.tag == "latest" || self.tag.is_empty() && self.digest.is_empty()
    }
}

/// `reference.Parse`: `None` where Go has an error.
///
/// Go matches one anchored pattern. Its parts cannot be confused: neither name nor tag has an `@`,
/// and a tag has neither `/` nor `:`, so no backtracking is needed.
fn parse(text: &str, pattern: Pattern) -> Option<Reference<'_>> {
    let (rest, digest) = match text.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (text, None),
    };
    let (name, tag) = match rest.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name, Some(tag)),
        _ => (rest, None),
    };
    let path = match name.split_once('/') {
        Some((domain, path)) if is_domain(domain, pattern) && is_path(path) => path,
        _ if is_path(name) => name,
        _ => return None,
    };
    let limited = if pattern.limit_domain { name } else { path };
    let valid = limited.len() <= 255
        && tag.is_none_or(is_tag)
        && digest.is_none_or(|digest| is_digest(digest, pattern));
    valid.then(|| Reference {
        tag: tag.unwrap_or_default(),
        digest: digest.unwrap_or_default(),
    })
}

/// `domainAndPort`
fn is_domain(text: &str, pattern: Pattern) -> bool {
    if let Some(rest) = text.strip_prefix('[') {
        let is_address = |address: &str| {
            !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit() || b == b':')
        };
        return pattern.wide_domains
            && rest.split_once(']').is_some_and(|(address, port)| {
                is_address(address)
                    && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
            });
    }
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    port.is_none_or(is_port)
        && host.split('.').all(|label| {
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'-')
        })
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `remoteName`
fn is_path(text: &str) -> bool {
    text.split('/').all(is_path_component)
}

/// `pathComponent`: runs of lower-case letters and digits with one `.`, one or two `_` or any
/// number of `-` between them.
fn is_path_component(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.starts_with(is_word)
        && text.ends_with(is_word)
        && text.split(is_word).all(|separator| {
            matches!(separator, "" | "." | "_" | "__") || separator.bytes().all(|b| b == b'-')
        })
}

/// `[\w][\w.-]{0,127}`
fn is_tag(text: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    (1..=128).contains(&text.len())
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().all(|b| is_word(b) || matches!(b, b'.' | b'-'))
}

/// The pattern for digests and then `digest.Parse`, which knows three algorithms and their sizes.
fn is_digest(text: &str, pattern: Pattern) -> bool {
    let Some((algorithm, hex)) = text.split_once(':') else {
        return false;
    };
    let size = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == size
        && hex
            .bytes()
            .all(|b| is_lower_hex(b) || pattern.upper_digests && b.is_ascii_hexdigit())
}

fn is_lower_hex(b: u8) -> bool {
    matches!(b, b'0'..=b'9' | b'a'..=b'f')
}

fn has_upper(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:e6693c20186f837fc393390135d8a598a96a833917917789d63766cab6c59582";

    fn is_latest(minor: u16, image: &str) -> bool {
        Grammar::of(Release::new(minor, 0)).is_latest(image)
    }

    #[test]
    fn an_absent_tag_is_latest_only_from_1_2_on() {
        assert!(!is_latest(1, "nginx"));
        assert!(is_latest(1, "nginx:latest"));
        for minor in [2, 3, 7, 8, 28, 29, 37] {
            assert!(is_latest(minor, "nginx"), "1.{minor}");
            assert!(is_latest(minor, "localhost:5000/nginx"), "1.{minor}");
            assert!(!is_latest(minor, "nginx:1.27"), "1.{minor}");
        }
    }

    #[test]
    fn a_digest_replaces_the_implied_tag_and_not_the_one_that_is_said() {
        for minor in [2, 3, 8, 37] {
            assert!(!is_latest(minor, &format!("nginx@{DIGEST}")), "1.{minor}");
        }
        for minor in [3, 8, 37] {
            assert!(
                is_latest(minor, &format!("nginx:latest@{DIGEST}")),
                "1.{minor}"
            );
            assert!(!is_latest(minor, "nginx:latest@sha256:abc"), "1.{minor}");
        }
        assert!(!is_latest(2, &format!("nginx:latest@{DIGEST}")));
    }

    #[test]
    fn what_is_no_reference_has_no_tag() {
        let id = "e6693c20186f837fc393390135d8a598a96a833917917789d63766cab6c59582";
        for minor in [3, 8, 37] {
            for image in [
                "", "Nginx", "a b", "a//b", "a:", "a@", ":latest", "-a", "a..b", "a___b",
            ] {
                assert!(!is_latest(minor, image), "1.{minor} {image:?}");
            }
        }
        // An image id was an ordinary name until names were normalized.
        assert!(is_latest(7, id));
        assert!(!is_latest(8, id));
    }

    #[test]
    fn a_first_part_in_upper_case_is_a_host_from_1_29_on() {
        assert!(!is_latest(28, "Registry/nginx"));
        assert!(is_latest(29, "Registry/nginx"));
        assert!(is_latest(7, "Registry/nginx"));
        assert!(!is_latest(28, "[2001:db8::1]:5000/nginx"));
        assert!(is_latest(29, "[2001:db8::1]:5000/nginx"));
    }

    #[test]
    fn the_host_no_longer_counts_in_the_length_from_1_32_on() {
        let image = format!("registry.example.com/{}", "a".repeat(250));
        assert!(!is_latest(31, &image));
        assert!(is_latest(32, &image));
    }

    #[test]
    fn a_digest_in_upper_case_is_valid_until_1_15() {
        let image = format!("nginx:latest@sha256:{}", "A".repeat(64));
        assert!(is_latest(15, &image));
        assert!(!is_latest(16, &image));
    }
}
