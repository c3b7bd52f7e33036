//! What is said about one object: what several releases say alike is said once.

use std::collections::HashMap;

use kubehash::diagnostic::Diagnostic;
use kubehash::release::Release;

/// The messages of all releases about one object.
#[derive(Default)]
pub(super) struct Messages {
    all: Vec<Message>,
    places: HashMap<Diagnostic, usize>,
}

struct Message {
    diagnostic: Diagnostic,
    /// Positions of the releases that say so.
    targets: Vec<usize>,
    /// Whether it is told at once, or only counted in the last line.
    aloud: bool,
}

impl Messages {
    /// Something to be told at once.
    pub(super) fn add(&mut self, target: usize, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            self.push(target, diagnostic, true);
        }
    }

    /// Why a release does not look at the object.
    pub(super) fn skip(&mut self, target: usize, diagnostic: Diagnostic) {
        self.push(target, diagnostic, false);
    }

    fn push(&mut self, target: usize, diagnostic: Diagnostic, aloud: bool) {
        match self.places.get(&diagnostic) {
            Some(place) => self.all[*place].targets.push(target),
            None => {
                self.places.insert(diagnostic.clone(), self.all.len());
                self.all.push(Message {
                    diagnostic,
                    targets: vec![target],
                    aloud,
                });
            }
        }
    }

    /// For the report: every message, with the releases it holds for where that is not all of them.
    pub(super) fn reported(&self, all: &[Release]) -> impl Iterator<Item = Diagnostic> {
        self.all.iter().map(|message| {
            let mut diagnostic = message.diagnostic.clone();
            if message.targets.len() < all.len() {
                let names: Vec<String> = message
                    .releases(all)
                    .map(|release| release.to_string())
                    .filter(|name| !diagnostic.message.contains(name.as_str()))
                    .collect();
                if !names.is_empty() {
                    append(&mut diagnostic, &names.join(", "));
                }
            }
            diagnostic
        })
    }

    /// For people: what is to be told at once. Messages that differ by the release's name alone are
    /// one.
    pub(super) fn aloud(&self, all: &[Release]) -> Vec<Diagnostic> {
        let mut grouped = ByRelease::default();
        for message in self.all.iter().filter(|message| message.aloud) {
            for release in message.releases(all) {
                grouped.add(Some(release), message.diagnostic.clone());
            }
        }
        grouped.told(all)
    }
}

impl Message {
    fn releases(&self, all: &[Release]) -> impl Iterator<Item = Release> {
        self.targets
            .iter()
            .filter_map(|target| all.get(*target).copied())
    }
}

/// Diagnostics for people, of which those that differ by the name of their release alone are one.
#[derive(Default)]
pub(in crate::cli) struct ByRelease {
    all: Vec<Group>,
    /// By their nameless form.
    places: HashMap<Diagnostic, usize>,
}

struct Group {
    /// The first of them.
    diagnostic: Diagnostic,
    /// The same with `the release` for the name of its release.
    nameless: Diagnostic,
    /// Whose they are; none where it is nobody's own.
    releases: Vec<Release>,
}

impl ByRelease {
    /// Adds what holds for a release, or for all of them.
    pub(in crate::cli) fn add(&mut self, release: Option<Release>, diagnostic: Diagnostic) {
        let nameless = match release {
            Some(release) => nameless(&diagnostic, release),
            None => diagnostic.clone(),
        };
        match self.places.get(&nameless) {
            Some(place) => self.all[*place].releases.extend(release),
            None => {
                self.places.insert(nameless.clone(), self.all.len());
                self.all.push(Group {
                    diagnostic,
                    nameless,
                    releases: release.into_iter().collect(),
                });
            }
        }
    }

    /// One diagnostic for each group, in the order in which they came. `asked` is every release
    /// that might have said something.
    pub(in crate::cli) fn told(self, asked: &[Release]) -> Vec<Diagnostic> {
        let mut asked = asked.to_vec();
        asked.sort_unstable();
        asked.dedup();
        self.all
            .into_iter()
            .map(|group| group.told(&asked))
            .collect()
    }
}

impl Group {
    fn told(mut self, asked: &[Release]) -> Diagnostic {
        let named = self.diagnostic != self.nameless;
        match self.releases.as_slice() {
            [] => self.diagnostic,
            [_] if named => self.diagnostic,
            releases if !named && asked.iter().all(|asked| releases.contains(asked)) => {
                self.diagnostic
            }
            releases => {
                let releases = compact(releases, asked);
                append(&mut self.nameless, &releases);
                self.nameless
            }
        }
    }
}

fn append(diagnostic: &mut Diagnostic, releases: &str) {
    let message = diagnostic.message.trim_end();
    diagnostic.message = format!("{message} (in {releases})");
}

fn nameless(diagnostic: &Diagnostic, release: Release) -> Diagnostic {
    let name = release.to_string();
    let mut nameless = diagnostic.clone();
    nameless.message = without_name(&diagnostic.message, &name);
    nameless.hint = diagnostic
        .hint
        .as_deref()
        .map(|hint| without_name(hint, &name));
    nameless
}

/// `the release` for each `v1.30.1`, but not for the beginning of `v1.30.14`.
fn without_name(text: &str, name: &str) -> String {
    let mut pieces = text.split(name);
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let longer = piece.starts_with(|c: char| c.is_ascii_digit());
        out.push_str(if longer { name } else { "the release" });
        out.push_str(piece);
    }
    out
}

/// Some of the releases asked for, in order; three and more of which none is left out are a span:
/// `v1.28.15, v1.30.0–v1.30.4`.
fn compact(releases: &[Release], asked: &[Release]) -> String {
    let runs = asked.chunk_by(|a, b| releases.contains(a) == releases.contains(b));
    let spans: Vec<String> = runs
        .filter(|run| run.first().is_some_and(|first| releases.contains(first)))
        .map(|run| match run {
            [first, _, .., last] => format!("{first}–{last}"),
            run => list(run),
        })
        .collect();
    spans.join(", ")
}

fn list(releases: &[Release]) -> String {
    let names: Vec<String> = releases.iter().map(Release::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[(u16, u16, &str)], asked: &[(u16, u16)]) -> Vec<String> {
        let mut grouped = ByRelease::default();
        for (minor, patch, word) in words {
            let diagnostic = Diagnostic::warning(*word);
            grouped.add(Some(Release::new(*minor, *patch)), diagnostic);
        }
        let asked: Vec<Release> = asked.iter().map(|(m, p)| Release::new(*m, *p)).collect();
        let told = grouped.told(&asked).into_iter();
        told.map(|diagnostic| diagnostic.message).collect()
    }

    #[test]
    fn what_many_releases_say_alike_is_said_once() {
        let asked = [(31, 0), (30, 1), (30, 14), (28, 15), (29, 15), (1, 8)];
        let words = [
            (30, 1, "v1.30.1 lacks it: v1.30.14 answers"),
            (1, 8, "unknown field"),
            (28, 15, "v1.28.15 lacks it: v1.30.14 answers"),
            (29, 15, "v1.29.15 lacks it: v1.30.14 answers"),
            (31, 0, "v1.31.0 lacks it: v1.30.14 answers"),
            (31, 0, "v1.31.0 is alone"),
        ];
        assert_eq!(
            told(&words, &asked),
            [
                "the release lacks it: v1.30.14 answers (in v1.28.15–v1.30.1, v1.31.0)",
                "unknown field (in v1.1.8)",
                "v1.31.0 is alone",
            ]
        );
        let everyone = [(1, 8, "unknown field"), (2, 7, "unknown field")];
        assert_eq!(told(&everyone, &[(1, 8), (2, 7)]), ["unknown field"]);
    }

    #[test]
    fn the_report_names_every_release_unless_it_is_all_of_them() {
        let all: Vec<Release> = (1..=4).map(|minor| Release::new(minor, 0)).collect();
        let mut messages = Messages::default();
        for target in 0..4 {
            messages.add(target, vec![Diagnostic::warning("always")]);
        }
        for target in 0..3 {
            messages.add(target, vec![Diagnostic::warning("often")]);
            messages.skip(target, Diagnostic::warning("quietly"));
        }
        let words = |diagnostics: Vec<Diagnostic>| -> Vec<String> {
            diagnostics.into_iter().map(|d| d.message).collect()
        };
        assert_eq!(
            words(messages.reported(&all).collect()),
            [
                "always",
                "often (in v1.1.0, v1.2.0, v1.3.0)",
                "quietly (in v1.1.0, v1.2.0, v1.3.0)",
            ]
        );
        assert_eq!(
            words(messages.aloud(&all)),
            ["always", "often (in v1.1.0–v1.3.0)"]
        );
    }
}
