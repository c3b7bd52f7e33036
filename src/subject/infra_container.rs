//! The hash of the container that holds a Pod's network, by which the manager of Docker knows
//! whether it has to replace it, and with it the whole Pod.
//!
//! Mirrors `createPodInfraContainer` and `podInfraContainerChanged` in
//! `pkg/kubelet/dockertools/manager.go`, without a network plugin. The container is made of the Pod
//! whose containers the release hashes, and hashed as they are.

use crate::release::Span;
use crate::schema::{Schema, TypeId};
use crate::value::{Mut, Ref, Value};

/// The releases that are covered: 1.3 to 1.6 have the function, too.
pub const RELEASES: Span = Span::minors(1, 2);

/// The image that a kubelet of 1.3 uses unless it is told another.
pub const DEFAULT_IMAGE: &str = "gcr.io/google_containers/pause-amd64:3.0";

/// `PodInfraContainerName`
const NAME: &str = "POD";

/// Where a Pod says that it is on the host's network: in 1.1, and since.
const HOST_NETWORK: [&str; 2] = ["HostNetwork", "SecurityContext.HostNetwork"];

/// The container and its type; nothing for what is no Pod, and for a Pod without containers, for
/// which `SyncPod` starts none. From a Pod on the host's network no ports are exported.
pub fn container(schema: &Schema, pod: Ref<'_, '_>, image: &str) -> Option<(TypeId, Value)> {
    let spec = pod.get("Spec");
    let containers = spec.get("Containers");
    let ty = schema.elem(containers.parts()?.0)?;
    if containers.is_empty() {
        return None;
    }
    let mut value = schema.zero(ty);
    let mut container = Mut::new(schema, ty, &mut value);
    container.get("Name").set_str(NAME);
    container.get("Image").set_str(image);
    container.get("ImagePullPolicy").set_str("IfNotPresent");
    let mut places = HOST_NETWORK.iter().map(|path| spec.at(path));
    if !places.any(Ref::is_true) {
        let ports: Vec<Value> = containers
            .items()
            .flat_map(|container| container.get("Ports").items())
            .filter_map(|port| Some(port.parts()?.1.clone()))
            .collect();
        if !ports.is_empty() {
            container.get("Ports").set(Value::Slice(ports));
        }
    }
    Some((ty, value))
}

#[cfg(test)]
mod tests {
    use crate::engine::{Engine, View};
    use crate::gates::Gates;
    use crate::release::Release;

    fn hash(spec: &str) -> Option<u32> {
        let engine = Engine::load(Release::new(2, 7)).unwrap();
        let pod = format!(
            r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p"}},"spec":{{{spec}}}}}"#
        );
        let object = engine.decode(&pod).unwrap();
        let gates = Gates::defaults(engine.schema());
        let image = super::DEFAULT_IMAGE;
        let hashed = engine.infra_container_hash(&object, View::Delivered, image, &gates);
        hashed.ok().map(|hashed| hashed.hash)
    }

    /// What the real code answered.
    #[test]
    fn ports_count_unless_they_are_the_hosts() {
        const CONTAINERS: &str =
            r#""containers":[{"name":"a","image":"i","ports":[{"containerPort":80}]}]"#;
        assert_eq!(hash(CONTAINERS), Some(3_997_893_175));
        let host = format!(r#"{CONTAINERS},"hostNetwork":true"#);
        assert_eq!(hash(&host), Some(3_638_288_748));
    }

    #[test]
    fn a_pod_without_containers_has_none() {
        assert_eq!(hash(r#""containers":[]"#), None);
    }
}
