//! Which releases there are, and which of them answers for a version that somebody wrote.
//!
//! In: a [`VersionRequest`]. Out: a [`Resolution`]: the release that was meant, the release whose
//! schema answers for it, and the [`Evidence`] that the two behave alike. Three files are the data:
//! `catalogue/releases.txt`, every stable release known; `golden/schemas`, the releases whose
//! real code was built and run; `golden/classes.jsonl`, which releases consist of the same code.
//! Adding a release touches those, not this module.
//!
//! Patch releases do change defaults, strategies and toolchains, so no release is taken to be like
//! its neighbour: one that was not built is answered for by a built one of its class. One that
//! cannot be fetched is answered for by its neighbours if they are one class, and else by both.

use std::fmt;
use std::sync::LazyLock;

use crate::release::{Release, VersionRequest};
use crate::schema;
use crate::subject::container_hash::{Function, Recipe};

mod classes;
mod difference;
mod served;

pub use difference::{Change, Difference, FieldChange, GateChange, TypeChange, TypeChangeKind};
pub use served::serves;

const KNOWN: &str = include_str!("catalogue/releases.txt");

/// The first minor whose sources can be fetched.
const OLDEST_MINOR: u16 = 1;

/// Which release answers for a version, and how well that is founded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// The upstream release that was asked for.
    pub release: Release,
    /// The release whose schema and vectors answer: the same one where it was built.
    pub answers_for: Release,
    /// Where the evidence is [`Evidence::Unknown`]: the release that answers from the other side,
    /// if there is one.
    pub or_else: Option<Release>,
    /// How we know that the one may answer for the other.
    pub evidence: Evidence,
    /// Whether a vendor's build was asked for; what the vendor patched, nobody here knows.
    pub vendor: bool,
}

impl Resolution {
    /// The resolution itself, and where a second release may answer as well, the one that it makes.
    pub fn answers(self) -> impl Iterator<Item = Resolution> {
        let other = self.or_else.map(|other| Resolution {
            answers_for: other,
            or_else: Some(self.answers_for),
            ..self
        });
        std::iter::once(self).chain(other)
    }

    /// What reports show: the grade of evidence, or `vendor build`, which is weaker than all.
    pub fn evidence_label(&self) -> &'static str {
        if self.vendor {
            "vendor build"
        } else {
            self.evidence.label()
        }
    }

    /// The words of warning that belong to every answer given for this version; `None` where the
    /// very release, or the same code, was built and run.
    pub fn caveat(&self) -> Option<String> {
        let Resolution {
            release,
            answers_for,
            ..
        } = self;
        let upstream = match (self.evidence, self.or_else) {
            (Evidence::Unknown, Some(other)) => Some(format!(
                "{release} cannot be fetched, and its neighbours {} and {} differ: both answer for \
                 it (evidence: unknown)",
                answers_for.min(&other),
                answers_for.max(&other)
            )),
            (Evidence::Unknown, None) => Some(format!(
                "{release} was not built and run itself: {answers_for}, the nearest release of its \
                 minor that was, answers for it (evidence: unknown)"
            )),
            (Evidence::ByNeighbours, _) => Some(format!(
                "{release} cannot be fetched: {answers_for} answers for it, because the releases \
                 before and after it are one class (evidence: by neighbours)"
            )),
            (Evidence::Built | Evidence::BySource, _) => None,
        };
        match (self.vendor, upstream) {
            (false, upstream) => upstream,
            (true, None) => Some(format!(
                "a vendor's build is taken for upstream {release}: what the vendor changed is not \
                 known (evidence: vendor build)"
            )),
            (true, Some(upstream)) => Some(format!(
                "a vendor's build is taken for upstream {release}: what the vendor changed is not \
                 known (evidence: vendor build); and {upstream}"
            )),
        }
    }
}

/// How we know which sources and which toolchain a release consists of, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// This very release was built and run.
    Built,
    /// All sources that matter are identical to those of a release that was built.
    BySource,
    /// It could not be fetched, but the releases before and after it in its minor are one class.
    ByNeighbours,
    /// None of these: built releases near it answer.
    Unknown,
}

impl Evidence {
    /// As reports write it.
    pub fn label(self) -> &'static str {
        match self {
            Evidence::Built => "built",
            Evidence::BySource => "by source",
            Evidence::ByNeighbours => "by neighbours",
            Evidence::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// No release answers for the version that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogueError {
    asked: VersionRequest,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// 1.0: nobody serves its sources any more.
    BeforeTheFirst { oldest: Release },
    /// Newer than everything known.
    TooNew { newest: Release },
    /// Newer than every known patch of its minor.
    PatchTooNew { newest: Release },
    /// Inside the known span, but no release of that number is known.
    NoSuchRelease { nearest: Vec<Release> },
    /// The minor is known, but none of its releases was built.
    NothingBuilt { nearest: Vec<Release> },
}

impl CatalogueError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match &self.reason {
            Reason::BeforeTheFirst { oldest } => {
                format!("the oldest release that can be answered for is {oldest}")
            }
            Reason::TooNew { newest } => {
                format!("ask for {newest}, or look for a newer kubehash")
            }
            Reason::PatchTooNew { newest } => {
                format!(
                    "ask for {newest} (or just 1.{}), or look for a newer kubehash",
                    newest.minor()
                )
            }
            Reason::NoSuchRelease { nearest } | Reason::NothingBuilt { nearest } => {
                format!("nearest: {}", list(nearest))
            }
        }
    }
}

impl fmt::Display for CatalogueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asked = match self.asked {
            VersionRequest::Minor(minor) => format!("1.{minor}"),
            VersionRequest::Exact { release, .. } => release.to_string(),
        };
        match &self.reason {
            Reason::BeforeTheFirst { .. } => write!(
                f,
                "{asked} is not covered: the sources of Kubernetes 1.0 are not published as a \
                 module, so its code cannot be run (DIFFERENCES.md)"
            ),
            Reason::TooNew { newest } => {
                write!(
                    f,
                    "{asked} is newer than the newest release known here, {newest}"
                )
            }
            Reason::PatchTooNew { newest } => write!(
                f,
                "{asked} is newer than the newest release of its minor known here, {newest}"
            ),
            Reason::NoSuchRelease { .. } => write!(f, "no release {asked} is known"),
            Reason::NothingBuilt { .. } => {
                write!(f, "no release of the minor of {asked} was built and run")
            }
        }
    }
}

impl std::error::Error for CatalogueError {}

fn list(releases: &[Release]) -> String {
    let names: Vec<String> = releases.iter().map(Release::to_string).collect();
    names.join(", ")
}

/// Every stable release known, oldest first.
pub fn known() -> &'static [Release] {
    static RELEASES: LazyLock<Vec<Release>> = LazyLock::new(|| {
        let mut all: Vec<Release> = KNOWN.lines().flat_map(patches_of_line).collect();
        all.extend(built());
        all.sort_unstable();
        all.dedup();
        all
    });
    &RELEASES
}

/// The releases whose real code was built and run, oldest first.
pub fn built() -> &'static [Release] {
    static RELEASES: LazyLock<Vec<Release>> = LazyLock::new(|| {
        let mut all: Vec<Release> = schema::releases().collect();
        all.sort_unstable();
        all
    });
    &RELEASES
}

/// `1.17 0-9 11-17`: the minor, then patches and spans of patches. Comments yield nothing; that
/// nothing else does is for a test to see.
fn patches_of_line(line: &str) -> Vec<Release> {
    let mut words = line.split_whitespace();
    let minor = words
        .next()
        .and_then(|word| word.strip_prefix("1."))
        .and_then(|minor| minor.parse::<u16>().ok());
    let Some(minor) = minor else {
        return Vec::new();
    };
    words
        .filter_map(|word| {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            Some(first.parse::<u16>().ok()?..=last.parse().ok()?)
        })
        .flatten()
        .map(|patch| Release::new(minor, patch))
        .collect()
}

/// Which release answers for a version, whatever is asked of it.
///
/// A minor alone means the newest release known of it. A vendor's build counts as the upstream
/// release that its version begins with.
///
/// # Errors
/// When no such release is known: the error names the nearest ones.
pub fn resolve(asked: VersionRequest) -> Result<Resolution, CatalogueError> {
    resolve_question(asked, None)
}

/// Which release answers one question for a version: `container-hash.delivered`, or another key of
/// `golden/classes.jsonl`. Releases that differ elsewhere may still be one class for it.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_for(asked: VersionRequest, question: &str) -> Result<Resolution, CatalogueError> {
    resolve_question(asked, Some(question))
}

fn resolve_question(
    asked: VersionRequest,
    question: Option<&str>,
) -> Result<Resolution, CatalogueError> {
    let error = |reason| CatalogueError { asked, reason };
    let (minor, exact, vendor) = match asked {
        VersionRequest::Minor(minor) => (minor, None, false),
        VersionRequest::Exact { release, vendor } => (release.minor(), Some(release), vendor),
    };
    let (Some(oldest), Some(newest)) = (known().first().copied(), known().last().copied()) else {
        return Err(error(Reason::NoSuchRelease {
            nearest: Vec::new(),
        }));
    };
    if minor < OLDEST_MINOR {
        return Err(error(Reason::BeforeTheFirst { oldest }));
    }
    if minor > newest.minor() {
        return Err(error(Reason::TooNew { newest }));
    }
    let Some(newest_patch) = known().iter().copied().rfind(|r| r.minor() == minor) else {
        let nearest = neighbours(Release::new(minor, 0), known());
        return Err(error(Reason::NoSuchRelease { nearest }));
    };
    let release = exact.unwrap_or(newest_patch);
    if known().binary_search(&release).is_err() {
        return Err(error(if release > newest_patch {
            Reason::PatchTooNew {
                newest: newest_patch,
            }
        } else {
            Reason::NoSuchRelease {
                nearest: neighbours(release, known()),
            }
        }));
    }
    let Some(answer) = answer(release, question) else {
        return Err(error(Reason::NothingBuilt {
            nearest: neighbours(release, built()),
        }));
    };
    Ok(Resolution {
        release,
        answers_for: answer.by,
        or_else: answer.or_else,
        evidence: answer.evidence,
        vendor,
    })
}

/// Who answers for a release.
struct Answer {
    by: Release,
    or_else: Option<Release>,
    evidence: Evidence,
}

/// Who answers a question for a known release; `None` where no release of its minor was built.
fn answer(release: Release, question: Option<&str>) -> Option<Answer> {
    let sure = |by, evidence| Answer {
        by,
        or_else: None,
        evidence,
    };
    if built().contains(&release) {
        return Some(sure(release, Evidence::Built));
    }
    let refused = classes::of(release).is_none();
    if !refused && let Some(by) = built_alike(release, question) {
        return Some(sure(by, Evidence::BySource));
    }
    let minor = || classes::classified().filter(|other| other.minor() == release.minor());
    let before = minor().rfind(|other| *other < release);
    let after = minor().find(|other| *other > release);
    if let (true, Some(before), Some(after)) = (refused, before, after)
        && alike(before, after, question)
        && let Some(by) = built_alike(before, question)
    {
        return Some(sure(by, Evidence::ByNeighbours));
    }
    let nearest = |neighbour: Option<Release>| {
        let neighbour = neighbour?;
        built_alike(neighbour, question).or_else(|| nearest_built(neighbour))
    };
    let by = nearest(before)
        .or(nearest(after))
        .or(nearest_built(release))?;
    Some(Answer {
        by,
        or_else: nearest(after).filter(|other| *other != by),
        evidence: Evidence::Unknown,
    })
}

/// Whether two classified releases are one class for a question.
fn alike(one: Release, other: Release, question: Option<&str>) -> bool {
    match (classes::of(one), classes::of(other)) {
        (Some(one), Some(other)) => one.answers_like(other, question),
        _ => false,
    }
}

/// The release nearest to this one, itself first, that was built and is of its class.
fn built_alike(release: Release, question: Option<&str>) -> Option<Release> {
    built()
        .iter()
        .copied()
        .filter(|other| *other == release || alike(*other, release, question))
        .min_by_key(|other| distance(*other, release))
}

/// The nearest release of the minor that was built.
fn nearest_built(release: Release) -> Option<Release> {
    built()
        .iter()
        .copied()
        .filter(|other| other.minor() == release.minor())
        .min_by_key(|other| distance(*other, release))
}

/// How far two releases are apart: minors first.
fn distance(one: Release, other: Release) -> (u16, u16) {
    (
        one.minor().abs_diff(other.minor()),
        one.patch().abs_diff(other.patch()),
    )
}

/// The ones right before and right after, within an ordered list.
fn neighbours(release: Release, all: &[Release]) -> Vec<Release> {
    let at = all.partition_point(|other| *other < release);
    let before = at.checked_sub(1).and_then(|at| all.get(at));
    before.into_iter().chain(all.get(at)).copied().collect()
}

/// What is known of one release: a row of `kubehash releases`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The release.
    pub release: Release,
    /// Who answers for it, whatever is asked; `None` where no release of its minor was built.
    pub resolution: Option<Resolution>,
    /// The Go toolchain that it was shipped with, or the nearest that can be had; `None` where the
    /// release cannot be fetched.
    pub toolchain: Option<&'static str>,
    /// Modules that could not be had as the release wants them, and that matter: their nearest
    /// version stood in.
    pub substituted: &'static [&'static str],
    /// The recipe that each subject follows in this release; subjects it does not have are absent.
    pub eras: Vec<(&'static str, &'static str)>,
    /// Who answers each question; questions it has no answer to are absent.
    pub questions: Vec<QuestionEntry>,
}

/// Who answers one question for one release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionEntry {
    /// `container-hash.delivered`: the subject, the form if it has one, and the view.
    pub question: &'static str,
    /// The oldest release of the same class, which names it; `None` where the release's own class
    /// is not known.
    pub class: Option<Release>,
    /// Who answers.
    pub resolution: Resolution,
}

/// Every release known, oldest first.
pub fn entries() -> impl Iterator<Item = Entry> {
    known().iter().map(|release| {
        let release = *release;
        let asked = VersionRequest::Exact {
            release,
            vendor: false,
        };
        let resolution = resolve(asked).ok();
        let class = classes::of(release);
        let answered = class.or_else(|| classes::of(resolution?.answers_for));
        let questions = answered
            .into_iter()
            .flat_map(classes::Class::questions)
            .filter_map(|question| {
                Some(QuestionEntry {
                    question,
                    class: class.and_then(|_| oldest_alike(release, question)),
                    resolution: resolve_for(asked, question).ok()?,
                })
            })
            .collect();
        Entry {
            release,
            resolution,
            toolchain: class
                .map(|class| class.toolchain)
                .or_else(|| schema::toolchain_of(release)),
            substituted: class.map_or(&[], |class| &class.substituted),
            eras: eras(release),
            questions,
        }
    })
}

/// The oldest release that is of the same class for a question.
fn oldest_alike(release: Release, question: &str) -> Option<Release> {
    classes::classified().find(|other| alike(*other, release, Some(question)))
}

/// Subjects whose recipe changed between releases, by the era tables of their modules.
fn eras(release: Release) -> Vec<(&'static str, &'static str)> {
    Function::ALL
        .into_iter()
        .filter_map(|function| {
            Some((
                function.subject(),
                Recipe::of(function, release)?.describe(),
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> Result<Resolution, CatalogueError> {
        resolve(text.parse().unwrap())
    }

    fn words(text: &str) -> String {
        let error = ask(text).unwrap_err();
        format!("{error}; {}", error.hint())
    }

    #[test]
    fn the_list_is_read_whole() {
        let counted: usize = KNOWN.lines().map(|line| patches_of_line(line).len()).sum();
        assert_eq!(counted, known().len());
        for line in KNOWN.lines() {
            assert_eq!(
                line.starts_with('#'),
                patches_of_line(line).is_empty(),
                "{line}"
            );
        }
        assert!(known().is_sorted());
        assert_eq!(known().first(), Some(&Release::new(1, 0)));
        assert!(known().contains(&Release::new(18, 20)));
        assert!(!known().contains(&Release::new(17, 10)), "never released");
    }

    #[test]
    fn every_minor_was_built() {
        for known in known() {
            let mut minors = built().iter().map(|release| release.minor());
            assert!(minors.any(|minor| minor == known.minor()), "{known}");
        }
        assert_eq!(
            entries().filter(|entry| entry.resolution.is_none()).count(),
            0
        );
    }

    #[test]
    fn a_built_release_answers_for_itself() {
        let exact = ask("v1.30.14").unwrap();
        assert_eq!(
            (exact.release, exact.answers_for),
            (Release::new(30, 14), Release::new(30, 14))
        );
        assert_eq!((exact.evidence_label(), exact.caveat()), ("built", None));
        assert_eq!(ask("1.30"), Ok(exact), "the newest of the minor");
    }

    #[test]
    fn every_answer_is_founded_as_it_says() {
        let mut questions = vec![None];
        questions.extend(
            classes::of(Release::new(30, 14))
                .into_iter()
                .flat_map(classes::Class::questions)
                .map(Some),
        );
        for (release, question) in known()
            .iter()
            .flat_map(|release| questions.iter().map(move |question| (*release, *question)))
        {
            let answer = answer(release, question).unwrap();
            let case = format!("{release} {question:?} by {}", answer.by);
            assert!(built().contains(&answer.by), "{case}");
            match answer.evidence {
                Evidence::Built => assert_eq!(answer.by, release, "{case}"),
                Evidence::BySource => assert!(alike(release, answer.by, question), "{case}"),
                Evidence::ByNeighbours => {
                    assert!(classes::of(release).is_none(), "{case}");
                    let around = neighbours(release, &classes::classified().collect::<Vec<_>>());
                    assert_eq!(around.len(), 2, "{case}");
                    for neighbour in around {
                        assert_eq!(neighbour.minor(), release.minor(), "{case}");
                        assert!(alike(neighbour, answer.by, question), "{case}");
                    }
                }
                Evidence::Unknown => assert!(!built().contains(&release), "{case}"),
            }
            if answer.evidence != Evidence::Unknown {
                assert_eq!(answer.or_else, None, "{case}");
            }
        }
    }

    #[test]
    fn who_is_not_sure_says_so() {
        let unsure = Resolution {
            release: Release::new(7, 3),
            answers_for: Release::new(7, 5),
            or_else: Some(Release::new(7, 2)),
            evidence: Evidence::Unknown,
            vendor: false,
        };
        assert_eq!(
            unsure.caveat().unwrap(),
            "v1.7.3 cannot be fetched, and its neighbours v1.7.2 and v1.7.5 differ: both answer \
             for it (evidence: unknown)"
        );
        let answers: Vec<Release> = unsure.answers().map(|one| one.answers_for).collect();
        assert_eq!(answers, [Release::new(7, 5), Release::new(7, 2)]);
        let alone = Resolution {
            or_else: None,
            ..unsure
        };
        assert!(
            alone
                .caveat()
                .unwrap()
                .starts_with("v1.7.3 was not built and run itself: v1.7.5")
        );
        assert_eq!(alone.answers().count(), 1);
    }

    #[test]
    fn a_vendor_build_says_so() {
        let vendor = ask("v1.30.14-eks-a737599").unwrap();
        assert_eq!(
            (vendor.release, vendor.evidence_label()),
            (Release::new(30, 14), "vendor build")
        );
        assert!(
            vendor
                .caveat()
                .unwrap()
                .contains("taken for upstream v1.30.14")
        );
        let both = Resolution {
            evidence: Evidence::ByNeighbours,
            ..vendor
        };
        let words = both.caveat().unwrap();
        assert!(words.contains("vendor build"), "{words}");
        assert!(words.contains("by neighbours"), "{words}");
    }

    #[test]
    fn what_is_not_known_is_told_with_its_neighbours() {
        assert_eq!(
            words("1.18.7"),
            "no release v1.18.7 is known; nearest: v1.18.6, v1.18.8"
        );
        assert_eq!(
            words("1.30.99"),
            "v1.30.99 is newer than the newest release of its minor known here, v1.30.14; \
             ask for v1.30.14 (or just 1.30), or look for a newer kubehash"
        );
        assert_eq!(
            words("1.99"),
            format!(
                "1.99 is newer than the newest release known here, {newest}; ask for {newest}, or \
                 look for a newer kubehash",
                newest = known().last().unwrap()
            )
        );
        assert!(
            words("1.0.6").contains("DIFFERENCES.md"),
            "{}",
            words("1.0.6")
        );
    }
}
