//! Kubernetes' Go hashes, bit for bit, for every release, without Go.
//!
//! Kubernetes restarts a container, rolls a StatefulSet or renames a ReplicaSet when the hash of a
//! *Go object* changes. This crate computes those hashes as the real code of each release does.
//!
//! The way of the data, a module each; it moves forward only:
//!
//! bytes → [`documents`] → [`decode`] against a release's [`schema`] into a [`value`] →
//! [`defaults`] → [`operations`] ([`convert`], [`strategy`], [`proto`]) → [`print`](mod@print) straight into a
//! [`digest`] → [`subject`].
//!
//! The library does no I/O, spawns nothing and does not panic on input.

pub mod admission;
pub mod catalogue;
pub mod controller;
pub mod convert;
pub mod cpuset;
pub mod decode;
pub mod defaults;
pub mod diagnostic;
pub mod digest;
pub mod documents;
pub mod engine;
pub mod float;
pub mod gates;
pub mod json;
pub mod operations;
pub mod plan;
pub mod print;
pub mod proto;
pub mod protocol;
pub mod quantity;
pub mod release;
pub mod report;
pub mod rollout;
pub mod schema;
pub mod strategy;
pub mod subject;
pub mod time;
pub mod toolchain;
#[cfg(feature = "k8s-openapi")]
pub mod typed;
pub mod value;
pub mod yaml;
