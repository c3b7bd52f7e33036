//! The typed front door: objects of the `k8s-openapi` crate instead of JSON text.
//!
//! In: a container or a workload as `k8s-openapi` types it. Out: the JSON document that the rest
//! of the way starts from. Which version of Kubernetes' types that crate has is the caller's
//! choice (its `v1_…` features); this crate picks none. Fields that a release does not know are
//! dropped by that release's decoder, as they are for a manifest.
//!
//! Only with the feature `k8s-openapi`.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{Container, Pod, PodTemplate, ReplicationController};

use crate::decode::DecodeError;
use crate::engine::{Engine, EngineError, ObjectHashes, Options};

/// A type whose containers can be hashed: a container alone, a Pod, or a workload with a template.
///
/// A container alone is taken for the only one of an otherwise empty Pod.
pub trait Hashable: serde::Serialize + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! hashable {
    ($($ty:ty),* $(,)?) => {
        $(
            impl sealed::Sealed for $ty {}
            impl Hashable for $ty {}
        )*
    };
}

hashable!(
    Container,
    CronJob,
    DaemonSet,
    Deployment,
    Job,
    Pod,
    PodTemplate,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
);

impl Engine {
    /// [`Engine::container_hashes`] of a typed object.
    ///
    /// # Errors
    /// As there. `apps/v1` types are refused by releases that served Deployments in other API
    /// versions only: give those the manifest's text.
    pub fn container_hashes_of<T: Hashable>(
        &self,
        object: &T,
        options: &Options,
    ) -> Result<ObjectHashes, EngineError> {
        let text = serde_json::to_string(object).map_err(|error| {
            EngineError::Decode(DecodeError {
                path: String::new(),
                message: format!("the typed object cannot be written as JSON: {error}"),
            })
        })?;
        self.container_hashes(&text, options)
    }
}
