//! What is wrong with an input, and where: one shape for every module and every output format.
//!
//! In: what a module noticed. Out: a [`Diagnostic`], which prints as a line (and a hint under it)
//! and serializes as an entry of `diagnostics` in the machine output, a documented contract.

use std::fmt;

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The result stands, but somebody should look.
    Warning,
    /// Part of the input could not be used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// One thing to say about an input.
///
/// ```
/// use kubehash::diagnostic::Diagnostic;
///
/// let diagnostic = Diagnostic::error("expected a string, found a number")
///     .in_document("web.yaml", 2)
///     .at("spec.containers[0].image")
///     .with_hint("put the value in quotes");
/// assert_eq!(
///     diagnostic.to_string(),
///     "error: web.yaml: document 2: spec.containers[0].image: expected a string, found a number\n\
///      hint: put the value in quotes",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Diagnostic {
    /// The file as it was named, `-` for the standard input; empty when no input is to blame.
    pub source: String,
    /// Which object of the file, counted from 1 as in the results; absent when the whole file is
    /// meant.
    pub document: Option<usize>,
    /// The field, as manifests write it: `spec.containers[0].image`; empty for the whole document.
    pub path: String,
    /// Whether part of the input was lost.
    pub severity: Severity,
    /// What is wrong, and what was expected.
    pub message: String,
    /// What to do about it; absent where the message says it all.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// Something that kept part of the input from being used.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message)
    }

    /// Something to look at.
    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message)
    }

    fn new(severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            source: String::new(),
            document: None,
            path: String::new(),
            severity,
            message: message.into(),
            hint: None,
        }
    }

    /// Names the file.
    #[must_use]
    pub fn in_source(mut self, source: impl Into<String>) -> Diagnostic {
        self.source = source.into();
        self
    }

    /// Names the file and which of its objects, counted from 1.
    #[must_use]
    pub fn in_document(mut self, source: impl Into<String>, document: usize) -> Diagnostic {
        self.source = source.into();
        self.document = Some(document);
        self
    }

    /// Names the field.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Diagnostic {
        self.path = path.into();
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }

    /// `--strict`: what was a warning is an error.
    #[must_use]
    pub fn strictly(mut self, strict: bool) -> Diagnostic {
        if strict {
            self.severity = Severity::Error;
        }
        self
    }

    /// Whether part of the input was lost.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.severity)?;
        if !self.source.is_empty() {
            write!(f, "{}: ", self.source)?;
        }
        if let Some(document) = self.document {
            write!(f, "document {document}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        // One diagnostic is one line, whatever Go put into its text.
        let mut lines = self
            .message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty());
        f.write_str(lines.next().unwrap_or_default())?;
        lines.try_for_each(|line| write!(f, " {line}"))?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// A field's path under construction: `spec.containers[0].image`.
///
/// Keys are written as they are, as Kubernetes' own messages do it: the annotation `a.b/c` makes
/// `metadata.annotations.a.b/c`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(String);

impl FieldPath {
    /// Steps into a field or a map's entry.
    pub fn key(&mut self, key: &str) {
        if !self.0.is_empty() {
            self.0.push('.');
        }
        self.0.push_str(key);
    }

    /// Steps into an item of a list.
    pub fn index(&mut self, index: usize) {
        self.0.push_str(&format!("[{index}]"));
    }

    /// The path so far.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<FieldPath> for String {
    fn from(path: FieldPath) -> String {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_one_line_and_a_hint() {
        let bare = Diagnostic::warning("a\n  b\n");
        assert_eq!(bare.to_string(), "warning: a b");
        assert_eq!(
            bare.in_source("-").with_hint("c").to_string(),
            "warning: -: a b\nhint: c"
        );
    }

    #[test]
    fn serializes_with_every_field() {
        let diagnostic = Diagnostic::error("m").in_document("f.yaml", 1).at("spec");
        assert_eq!(
            serde_json::to_string(&diagnostic).unwrap(),
            r#"{"source":"f.yaml","document":1,"path":"spec","severity":"error","message":"m","hint":null}"#
        );
    }

    #[test]
    fn strict_turns_warnings_into_errors() {
        assert!(Diagnostic::warning("m").strictly(true).is_error());
        assert!(!Diagnostic::warning("m").strictly(false).is_error());
    }

    #[test]
    fn paths_read_like_kubernetes() {
        let mut path = FieldPath::default();
        path.key("spec");
        path.key("containers");
        path.index(0);
        path.key("image");
        assert_eq!(path.as_str(), "spec.containers[0].image");
    }
}
