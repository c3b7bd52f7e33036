//! From what was typed to the bytes of files: directories walked, symbolic links followed once.
//!
//! In: the PATH arguments. Out: [`Source`]s in a stable order, one at a time, so that a directory
//! of any size is never in memory whole; nor is a stream that has no end.

use std::collections::HashSet;
use std::fs::{self, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kubehash::diagnostic::Diagnostic;

use super::console::words;

/// The name of standard input, in arguments and in reports.
pub(super) const STDIN: &str = "-";

/// What a directory is searched for.
const EXTENSIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The most that is read of one source, in bytes. The Pods of the biggest clusters are less.
pub(super) const LIMIT: u64 = 1 << 30;

/// Where the kubelet looks for manifests, as kubeadm sets it up.
const MANIFESTS: &str = "/etc/kubernetes/manifests";

/// The path under which a kubelet finds a source, in the usual folder; nothing for stdin.
pub(super) fn path_on_node(source: &str) -> Option<String> {
    let name = Path::new(source).file_name()?.to_str()?;
    (name != STDIN).then(|| format!("{MANIFESTS}/{name}"))
}

/// A file that was read, or could not be.
pub(super) struct Source {
    /// As it was named or found.
    pub(super) name: String,
    /// Its content.
    pub(super) bytes: Result<Vec<u8>, Diagnostic>,
}

/// What a PATH argument stands for.
pub(super) enum Argument {
    /// These, in this order; for a directory it may be none.
    Found(Vec<Found>),
    /// Standard input.
    Stdin,
    /// Nothing that can be read.
    Unusable(Diagnostic),
}

/// What stands where a manifest is expected.
pub(super) enum Found {
    /// To be read.
    File(PathBuf),
    /// Found in a directory, and nothing that is read without having been named.
    Special(Diagnostic),
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
                    Ok(()) => Argument::Found(walk.found),
                    Err((place, error)) => Argument::Unusable(unreadable(&place, &error)),
                }
            }
            // Whatever else it is, it was named: pipes and devices are read, too.
            Ok(_) => Argument::Found(vec![Found::File(path.to_owned())]),
            Err(error) => Argument::Unusable(unreadable(path, &error)),
        }
    }
}

/// Reads a file.
pub(super) fn read_file(path: &Path) -> Source {
    let read = || {
        let file = fs::File::open(path)?;
        // A file tells its size; of a pipe or a device nobody knows before it was read.
        if file.metadata()?.len() > LIMIT {
            return Err(too_large());
        }
        read_bounded(file, LIMIT)
    };
    Source {
        name: name(path),
        bytes: read().map_err(|error| unreadable(path, &error)),
    }
}

/// Reads standard input to its end.
pub(super) fn read_stdin() -> Source {
    Source {
        name: STDIN.to_owned(),
        bytes: read_bounded(io::stdin().lock(), LIMIT).map_err(|error| unreadable_stdin(&error)),
    }
}

fn read_bounded(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// More than [`LIMIT`].
pub(super) fn too_large() -> io::Error {
    io::ErrorKind::FileTooLarge.into()
}

/// How reports name a file.
pub(super) fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    if let Some(target) = missing_target(path, error) {
        let target = name(&target);
        let message = format!("is a symbolic link that leads nowhere, to {target}");
        return Diagnostic::error(message)
            .in_source(name(path))
            .with_hint("mend the link, or remove it");
    }
    let diagnostic = cannot_be_read(error).in_source(name(path));
    match error.kind() {
        io::ErrorKind::NotFound => diagnostic.with_hint("check the path; - stands for stdin"),
        io::ErrorKind::PermissionDenied => diagnostic.with_hint("check the file's permissions"),
        _ => diagnostic,
    }
}

/// Why standard input cannot be read.
pub(super) fn unreadable_stdin(error: &io::Error) -> Diagnostic {
    cannot_be_read(error).in_source(STDIN)
}

fn cannot_be_read(error: &io::Error) -> Diagnostic {
    if error.kind() == io::ErrorKind::FileTooLarge {
        let message = format!("is longer than {} GiB, the most that is read", LIMIT >> 30);
        return Diagnostic::error(message).with_hint("split it; a stream has to end");
    }
    Diagnostic::error(format!("cannot be read: {}", words(error)))
}

/// Where a symbolic link leads that leads nowhere.
fn missing_target(path: &Path, error: &io::Error) -> Option<PathBuf> {
    (error.kind() == io::ErrorKind::NotFound)
        .then(|| fs::read_link(path).ok())
        .flatten()
}

/// The one kind of file that cannot be read as one.
const SOCKET: &str = "a socket";

/// What a file is that is neither a regular one nor a directory.
#[cfg(unix)]
fn describe(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        SOCKET
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn describe(_: FileType) -> &'static str {
    "no regular file"
}

fn special(path: &Path, kind: FileType) -> Diagnostic {
    let what = describe(kind);
    let diagnostic =
        Diagnostic::warning(format!("is {what} and was not read")).in_source(name(path));
    match what {
        SOCKET => diagnostic,
        _ => diagnostic.with_hint("name it as a PATH of its own to have it read"),
    }
}

/// A walk through a directory.
#[derive(Default)]
struct Walk {
    found: Vec<Found>,
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
                        self.found.push(Found::File(place));
                    }
                }
                _ if !wanted => {}
                Ok(metadata) if metadata.is_file() => self.found.push(Found::File(path)),
                // It would block, or never end.
                Ok(metadata) => {
                    let diagnostic = special(&path, metadata.file_type());
                    self.found.push(Found::Special(diagnostic));
                }
                // A link that leads nowhere is told when it is read.
                Err(_) => self.found.push(Found::File(path)),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_without_an_end_is_left() {
        let error = read_bounded(io::repeat(b' '), 1000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read_bounded(&[b' '; 1000][..], 1000).unwrap().len(), 1000);
    }
}
