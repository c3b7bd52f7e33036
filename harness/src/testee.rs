//! Whoever answers conformance requests.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Answers one request, a JSON line, with one JSON line.
pub trait Testee {
    /// The answer; an error where none came.
    ///
    /// # Errors
    /// When the testee crashed, hung or ended.
    fn answer(&self, request: &str) -> Result<String, Broken>;
}

/// No answer came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It panicked, with these words.
    Panicked(String),
}

/// This project's engine, in this process.
#[derive(Debug, Default)]
pub struct Engine(kubehash::protocol::Testee);

impl Testee for Engine {
    fn answer(&self, request: &str) -> Result<String, Broken> {
        catch_unwind(AssertUnwindSafe(|| self.0.answer_line(request))).map_err(|payload| {
            let words = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied());
            Broken::Panicked(words.unwrap_or("no message").to_owned())
        })
    }
}
