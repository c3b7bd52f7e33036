//! `kubehash testee`: the engine behind the conformance protocol.

use std::io::{self, BufRead, Read as _, Write};

use kubehash::protocol::Testee;

use super::Exit;
use super::console::Console;
use super::input::{self, LIMIT};

/// Answers each line of stdin with one on stdout, until stdin ends.
pub(super) fn run(console: &Console) -> io::Result<Exit> {
    let mut stdin = io::stdin().lock();
    let mut stdout = io::stdout().lock();
    let testee = Testee::default();
    let mut line = Vec::new();
    loop {
        match read_line(&mut stdin, &mut line, LIMIT) {
            Ok(true) => {}
            Ok(false) => return Ok(Exit::Done),
            Err(error) => {
                console.diagnostic(&input::unreadable_stdin(&error));
                return Ok(Exit::Error);
            }
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

/// Reads the next line, if there is one that is no longer than `limit`.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>, limit: u64) -> io::Result<bool> {
    line.clear();
    let read = input.take(limit + 1).read_until(b'\n', line)?;
    if read as u64 > limit {
        return Err(input::too_large());
    }
    Ok(read > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_an_end_is_left() {
        let mut line = Vec::new();
        let mut lines = &b"ab\nc"[..];
        assert!(read_line(&mut lines, &mut line, 3).unwrap() && line == b"ab\n");
        assert!(read_line(&mut lines, &mut line, 3).unwrap() && line == b"c");
        assert!(!read_line(&mut lines, &mut line, 3).unwrap());
        let endless = &mut io::BufReader::new(io::repeat(0));
        let error = read_line(endless, &mut line, 1000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
