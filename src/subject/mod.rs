//! The Go functions under test, one module each: an object in, a number or a name out.

pub mod checkpoint;
pub mod container_hash;
pub mod controller_revision;
pub mod deep_hash;
pub mod endpoints;
pub mod infra_container;
pub mod pod_template_hash;
pub mod static_pod;
