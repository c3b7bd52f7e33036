//! What can go wrong, by what a caller does about it.

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An error that is shown to whoever called the task.
#[derive(Debug)]
pub(crate) enum Error {
    /// Go, a toolchain or a module cannot be had here and now. CI reports this and goes on.
    Unavailable(String),
    /// Anything else, a difference found by `--check` included.
    Failed(String),
}

impl Error {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Error::Failed(_) => ExitCode::from(1),
            Error::Unavailable(_) => ExitCode::from(3),
        }
    }

    /// An I/O error with the file it is about.
    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Error::Failed(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unavailable(message) | Error::Failed(message) => f.write_str(message),
        }
    }
}

impl From<xshell::Error> for Error {
    fn from(error: xshell::Error) -> Self {
        Error::Failed(error.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error::Failed(format!("JSON: {error}"))
    }
}
