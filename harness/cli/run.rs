//! Running the program, and files to run it on.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Ran {
    /// All of it, for snapshots.
    pub(crate) fn transcript(&self) -> String {
        let Ran {
            stdout,
            stderr,
            code,
        } = self;
        format!(
            "exit code: {}\n--- stdout\n{stdout}--- stderr\n{stderr}",
            code.unwrap_or(-1)
        )
    }

    /// The report on stdout.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}", self.transcript()))
    }
}

/// The program, in the root of the repository, with none of the caller's wishes about colour.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubehash"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

/// Runs it with nothing on stdin.
pub(crate) fn kubehash(arguments: &[&str]) -> Ran {
    kubehash_with(arguments, b"")
}

/// Runs it with something on stdin.
pub(crate) fn kubehash_with(arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut child = command()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    // From a thread, or a long input and a long output would wait for each other; a program that
    // ends without reading it closes the pipe.
    let writer = std::thread::spawn(move || drop(input.write_all(&stdin)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// A directory of a test's own, removed when the test is done.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new(test: &str) -> Directory {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, with the directories above it.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> &Directory {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// Runs `kubehash hash` inside, so that reports name the files as they are named here.
    pub(crate) fn hash(&self, arguments: &[&str]) -> Ran {
        let output = command()
            .arg("hash")
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap();
        Ran {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A manifest of the kind that people have most.
pub(crate) const POD: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
spec:
  containers:
  - name: web
    image: registry.example/web:1.0
";
