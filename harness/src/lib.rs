//! The conformance harness: golden vectors on one side, a testee on the other, a verdict between.
//!
//! * [`golden`] reads what stands in `golden/`: the corpus, the vectors that the Go references
//!   wrote, and the manifest that says where they came from.
//! * [`question`] is what is asked about a case; shared with what asks the references.
//! * [`testee`] is whoever answers: this engine in-process, or any program that speaks the protocol.
//! * [`run`] asks a question about every case and holds the answers against vectors.
//! * [`suite`] is all of it: every release, every question, every case.
//! * [`known_failures`] is the list of cases that may differ; ours is empty, and it is strict both
//!   ways.
//! * [`coverage`] measures which fields of Kubernetes' types the corpus holds, and in which states.
//! * [`lint`] checks the golden files themselves.
//!
//! Architecture Invariant: nothing here computes a vector. A file that is missing, empty, or
//! shorter than the manifest says is a failure, never a pass.

pub mod coverage;
pub mod golden;
pub mod known_failures;
pub mod lint;
pub mod question;
pub mod run;
pub mod suite;
pub mod testee;
