//! From what was typed to the bytes of files: directories walked, symbolic links followed once.
//!
//! In: the PATH arguments. Out: [`Source`]s in a stable order, one at a time, so that a directory
//! of any size is never in memory whole.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kubehash::diagnostic::Diagnostic;

/// The name of standard input, in arguments and in reports.
pub(super) const STDIN: &str = "-";

/// What a directory is searched for.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// A file that was read, or could not be.
pub(super) struct Source {
    /// As it was named or found.
    pub(super) name: String,
    /// Its content.
    pub(super) bytes: Result<Vec<u8>, Diagnostic>,
}

/// What a PATH argument stands for.
pub(super) enum Argument {
    /// These files, in this order; for a directory it may be none.
    Files(Vec<PathBuf>),
    /// Standard input.
    Stdin,
    /// Nothing that can be read.
    Unusable(Diagnostic),
}

impl Argument {
    /// Finds out.
    pub(super) fn of(path: &Path) -> Argument {
        if path.as_os_str() == STDIN {
            return Argument::Stdin;
        }
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                let mut walk = Walk::default();
                match walk.directory(path) {
                    Ok(()) => Argument::Files(walk.files),
                    Err((place, error)) => Argument::Unusable(unreadable(&place, &error)),
                }
            }
            // Whatever else it is, it was named: pipes and devices are read, too.
            Ok(_) => Argument::Files(vec![path.to_owned()]),
            Err(error) => Argument::Unusable(unreadable(path, &error)),
        }
    }
}

/// Reads a file.
pub(super) fn read_file(path: &Path) -> Source {
    Source {
        name: name(path),
        bytes: fs::read(path).map_err(|error| unreadable(path, &error)),
    }
}

/// Reads standard input to its end.
pub(super) fn read_stdin() -> Source {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    Source {
        name: STDIN.to_owned(),
        bytes: match read {
            Ok(_) => Ok(bytes),
            Err(error) => {
                Err(Diagnostic::error(format!("cannot be read: {error}")).in_source(STDIN))
            }
        },
    }
}

/// How reports name a file.
pub(super) fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    // The operating system's words without Rust's "(os error 2)".
    let words = error.to_string();
    let words = words.split(" (os error").next().unwrap_or_default();
    let diagnostic = Diagnostic::error(format!("cannot be read: {words}")).in_source(name(path));
    match error.kind() {
        io::ErrorKind::NotFound => diagnostic.with_hint("check the path; - stands for stdin"),
        io::ErrorKind::PermissionDenied => diagnostic.with_hint("check the file's permissions"),
        _ => diagnostic,
    }
}

/// A walk through a directory.
#[derive(Default)]
struct Walk {
    files: Vec<PathBuf>,
    /// Real paths of the directories entered so far: each is entered once, whatever links lead
    /// there, so a link to a parent ends the walk instead of keeping it going.
    entered: HashSet<PathBuf>,
}

type Failure = (PathBuf, io::Error);

impl Walk {
    /// Entries in the order of their names. Hidden ones are left out: version control, and the
    /// `..data` links by which mounted ConfigMaps hold every file twice.
    fn directory(&mut self, directory: &Path) -> Result<(), Failure> {
        let failed = |error| (directory.to_owned(), error);
        if !self
            .entered
            .insert(fs::canonicalize(directory).map_err(failed)?)
        {
            return Ok(());
        }
        let mut entries = fs::read_dir(directory)
            .map_err(failed)?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<io::Result<Vec<PathBuf>>>()
            .map_err(failed)?;
        entries.sort();
        for path in entries {
            if path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
            {
                continue;
            }
            let wanted = path
                .extension()
                .and_then(|extension| extension.to_str())
                .is_some_and(|extension| EXTENSIONS.contains(&extension));
            match fs::metadata(&path) {
                // A directory that cannot be listed is told when it is read, like a file.
                Ok(metadata) if metadata.is_dir() => {
                    if let Err((place, _)) = self.directory(&path) {
                        self.files.push(place);
                    }
                }
                Ok(metadata) if metadata.is_file() && wanted => self.files.push(path),
                // Pipes and devices would block; only those that were named are read.
                Ok(_) => {}
                // A dangling link to a manifest is told when it is read; others do not concern us.
                Err(_) if wanted => self.files.push(path),
                Err(_) => {}
            }
        }
        Ok(())
    }
}
