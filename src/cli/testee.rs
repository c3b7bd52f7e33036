//! `kubehash testee`: the engine behind the conformance protocol.

use std::io::{self, BufRead, Write};

use kubehash::protocol::Testee;

use super::Exit;

/// Answers each line of stdin with one on stdout, until stdin ends.
pub(super) fn run() -> io::Result<Exit> {
    let mut stdin = io::stdin().lock();
    let mut stdout = io::stdout().lock();
    let testee = Testee::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        if stdin.read_until(b'\n', &mut line)? == 0 {
            return Ok(Exit::Done);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match std::str::from_utf8(&line) {
            Ok(line) => testee.answer_line(line.trim_end()),
            // Such a line has no id that could be trusted, but it is owed an answer.
            Err(error) => format!(r#"{{"id":"","error":"the request is not UTF-8: {error}"}}"#),
        };
        // Flushed one by one: the other side waits for the answer before it asks again.
        stdout.write_all(answer.as_bytes())?;
        stdout.write_all(b"\n")?;
        stdout.flush()?;
    }
}
