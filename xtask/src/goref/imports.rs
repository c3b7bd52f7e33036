//! What a directory of Go sources imports, as a build for linux/amd64 without cgo sees it.
//!
//! In: Go files. Out: import paths. Mirrors as much of Go's `go/build` (`ImportDir`, releases before
//! `//go:build`) as following imports takes: file names, `// +build` lines, import declarations.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::error::{Error, Result};

/// `GOOS` and `GOARCH` values that a file's name can end in.
const OTHERS: &[&str] = &[
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "js",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "windows",
    "aix",
    "zos",
    "386",
    "amd64p32",
    "arm",
    "arm64",
    "mips",
    "mipsle",
    "mips64",
    "mips64le",
    "ppc64",
    "ppc64le",
    "riscv64",
    "s390x",
    "sparc64",
    "wasm",
];

/// The imports of the package in a directory; nothing if it holds none.
pub(crate) fn of_dir(dir: &Path) -> Result<Option<BTreeSet<String>>> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Ok(None);
    };
    let mut found = None;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if !name_fits(&name) {
            continue;
        }
        let bytes = fs::read(&path).map_err(|e| Error::io(&path, &e))?;
        let source = String::from_utf8_lossy(&bytes);
        if constraints_fit(&source) {
            found
                .get_or_insert_with(BTreeSet::new)
                .extend(of_source(&source));
        }
    }
    Ok(found)
}

/// The imports of one file, whatever its name and its constraints say.
pub(crate) fn of_file(path: &Path) -> Result<Vec<String>> {
    if path.extension().is_none_or(|e| e != "go") {
        return Ok(Vec::new());
    }
    let bytes = fs::read(path).map_err(|e| Error::io(path, &e))?;
    Ok(of_source(&String::from_utf8_lossy(&bytes)))
}

/// Whether a file's name makes it part of the package.
fn name_fits(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".go") else {
        return false;
    };
    if name.starts_with(['.', '_']) || stem.ends_with("_test") {
        return false;
    }
    // Only what follows an underscore is a suffix: `windows.go` is for all.
    let mut parts = stem.rsplit('_');
    let (Some(last), Some(before)) = (parts.next(), parts.next()) else {
        return true;
    };
    let elsewhere = OTHERS.contains(&last) || last == "amd64" && OTHERS.contains(&before);
    !elsewhere
}

/// Whether the `// +build` lines above the package clause are all true.
fn constraints_fit(source: &str) -> bool {
    source
        .lines()
        .take_while(|line| !line.starts_with("package "))
        .filter_map(|line| line.strip_prefix("//").map(str::trim_start))
        .filter_map(|comment| comment.strip_prefix("+build "))
        .all(|line| {
            line.split_whitespace()
                .any(|option| option.split(',').all(tag_is_set))
        })
}

fn tag_is_set(tag: &str) -> bool {
    match tag.strip_prefix('!') {
        Some(tag) => !tag_is_set(tag),
        None => matches!(tag, "linux" | "amd64" | "gc") || tag.starts_with("go1."),
    }
}

/// The import paths of one file.
fn of_source(source: &str) -> Vec<String> {
    let mut imports = Vec::new();
    let mut in_group = false;
    let mut expected = false;
    // `package name`, then import declarations; anything else ends them.
    let mut skip = 2;
    for token in (Tokens { rest: source }) {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        match token {
            "import" if !in_group => expected = true,
            "(" if expected => in_group = true,
            ")" if in_group => (in_group, expected) = (false, false),
            ";" => {}
            _ if !expected => break,
            _ => {
                if let Some(path) = token.strip_prefix(['"', '`']) {
                    imports.push(path.trim_end_matches(['"', '`']).to_owned());
                    expected = in_group;
                } // else the name the import is given
            }
        }
    }
    imports
}

/// Words, strings and signs of Go source, without comments.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.split_once('\n').map_or("", |(_, after)| after);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, after)| after);
            } else {
                break;
            }
        }
        let first = self.rest.chars().next()?;
        let length = match first {
            '"' | '`' => self.rest[1..]
                .find(first)
                .map_or(self.rest.len(), |end| end + 2),
            '(' | ')' | ';' => 1,
            _ => self
                .rest
                .find(|c: char| c.is_whitespace() || "();\"`".contains(c))
                .unwrap_or(self.rest.len())
                .max(first.len_utf8()),
        };
        let (token, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_come_one_by_one_and_in_groups_named_and_commented() {
        let source = "// Package a.\npackage a // import \"k8s.io/a\"\n\nimport \"b/c\"\n\
            import d \"d/e\"\nimport (\n\t\"f\" // \"no\"\n\n\t. \"g\"; _ \"h\"\n\t/* \"i\" */\n)\n\
            var x = \"import\"\nfunc f() { _ = `import \"z\"` }\n";
        assert_eq!(of_source(source), ["b/c", "d/e", "f", "g", "h"]);
    }

    #[test]
    fn a_file_without_imports_has_none() {
        assert_eq!(of_source("package a\n\nconst import_ = \"b\"\n"), [""; 0]);
    }

    #[test]
    fn names_and_constraints_decide_as_for_linux_without_cgo() {
        let names = [
            "a.go",
            "a_linux.go",
            "a_windows.go",
            "a_linux_arm.go",
            "a_test.go",
            "arm.go",
        ];
        assert_eq!(
            names.map(name_fits),
            [true, true, false, false, false, true]
        );
        assert!(constraints_fit(
            "// +build !windows\n// +build linux,!cgo darwin\n\npackage a\n"
        ));
        assert!(!constraints_fit("// +build ignore\n\npackage a\n"));
        assert!(constraints_fit("package a\n// +build ignore\n"));
    }
}
