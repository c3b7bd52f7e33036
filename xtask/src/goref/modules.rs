//! Modules, fetched into Go's module cache.

use std::path::PathBuf;

use serde::Deserialize;
use xshell::{Cmd, Shell, cmd};

use super::unavailable;
use crate::error::{Error, Result};

/// A module in the module cache, or the reason why it is not there.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Module {
    pub(crate) path: String,
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) dir: PathBuf,
    /// As in a `go.sum`.
    #[serde(default)]
    pub(crate) sum: String,
    pub(crate) error: Option<String>,
}

impl Module {
    /// `k8s.io/api@v0.30.14`
    pub(crate) fn spec(&self) -> String {
        format!("{}@{}", self.path, self.version)
    }
}

/// Fetches modules, each named `path@version`; all of them or an error.
pub(crate) fn download(sh: &Shell, specs: &[String]) -> Result<Vec<Module>> {
    let (modules, words) = try_download(sh, specs)?;
    if let Some((module, error)) = modules
        .iter()
        .find_map(|m| m.error.as_ref().map(|e| (m, e)))
    {
        return Err(unavailable(&module.spec(), error));
    }
    if modules.len() != specs.len() {
        return Err(unavailable(
            &format!("one of {} modules", specs.len()),
            &words,
        ));
    }
    Ok(modules)
}

/// Fetches what can be had, and returns what Go said on stderr.
pub(crate) fn try_download(sh: &Shell, specs: &[String]) -> Result<(Vec<Module>, String)> {
    if specs.is_empty() {
        return Ok((Vec::new(), String::new()));
    }
    let output = asking(cmd!(sh, "go mod download -json {specs...}")).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let modules = serde_json::Deserializer::from_str(&text)
        .into_iter()
        .collect::<std::result::Result<_, _>>()?;
    Ok((
        modules,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}

/// A `go` command that asks the module proxy, whatever the caller's environment says. The checksum
/// database lacks some old tags; sums are in recipes and in the manifest.
pub(crate) fn asking(command: Cmd<'_>) -> Cmd<'_> {
    command
        .env("GOFLAGS", "-mod=mod")
        .env("GO111MODULE", "on")
        .env("GOWORK", "off")
        .env("GONOSUMDB", "*")
        .quiet()
        .ignore_status()
}

/// What the proxy said, without the addresses in it; an error if it did not answer at all.
pub(crate) fn refusal(words: &str) -> Result<String> {
    let status = ["403 Forbidden", "404 Not Found", "410 Gone"]
        .into_iter()
        .find(|status| words.contains(status))
        .ok_or_else(|| Error::Unavailable(words.to_owned()))?;
    Ok(format!("the module proxy answers {status}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_no_host_and_silence_is_none() {
        let words = "reading https://proxy.invalid/x: 403 Forbidden\n\tnot available";
        assert_eq!(
            refusal(words).unwrap(),
            "the module proxy answers 403 Forbidden"
        );
        assert!(refusal("dial tcp: lookup: no such host").is_err());
    }
}
