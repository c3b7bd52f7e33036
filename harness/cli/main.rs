//! The program as a person meets it: what it prints, where, and how it exits.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_input;
mod documents;
mod output;
mod plan;
mod run;
mod usage;
