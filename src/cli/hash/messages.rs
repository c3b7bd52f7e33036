//! What is said about one object: what several releases say alike is said once.

use kubehash::diagnostic::Diagnostic;

use super::Target;

/// The messages of all releases about one object.
#[derive(Default)]
pub(super) struct Messages(Vec<Message>);

/// One of them.
pub(super) struct Message {
    pub(super) diagnostic: Diagnostic,
    /// Positions of the targets that say so.
    targets: Vec<usize>,
    /// Whether it is told at once, or only counted in the last line.
    pub(super) aloud: bool,
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
        match self
            .0
            .iter_mut()
            .find(|message| message.diagnostic == diagnostic)
        {
            Some(message) => message.targets.push(target),
            None => self.0.push(Message {
                diagnostic,
                targets: vec![target],
                aloud,
            }),
        }
    }

    /// The messages, with the releases they hold for where that is not all of them.
    pub(super) fn told(self, all: &[Target]) -> impl Iterator<Item = Message> {
        self.0.into_iter().map(|mut message| {
            if message.targets.len() < all.len() {
                let names: Vec<String> = message
                    .targets
                    .iter()
                    .filter_map(|target| Some(all.get(*target)?.name()))
                    .filter(|name| !message.diagnostic.message.contains(name.as_str()))
                    .collect();
                if !names.is_empty() {
                    let text = &mut message.diagnostic.message;
                    *text = format!("{text} (in {})", names.join(", "));
                }
            }
            message
        })
    }
}
