//! Files on a node: what a kubelet makes of those that it keeps itself, and kubeadm of static Pods'
//! manifests.

use super::{Engine, EngineError, Object, Result, type_meta};
use crate::gates::Gates;
use crate::print::{json, spew};
use crate::subject::checkpoint::{self, Checkpoint, Kubelet, Missing};
use crate::subject::static_pod::{self, Compared, Comparison};
use crate::toolchain::Toolchain;
use crate::yaml;

impl Engine {
    /// What a kubelet makes of a checkpoint file, with the release's own feature gates and without
    /// containers that it knows: see [`Engine::checkpoint_with`].
    ///
    /// # Errors
    /// As [`Engine::checkpoint_with`].
    ///
    /// ```
    /// # use kubehash::{engine::Engine, subject::checkpoint::Form};
    /// let engine = Engine::load("v1.30.14".parse()?)?;
    /// let file = r#"{"policyName":"none","defaultCpuSet":"","checksum":1353318690}"#;
    /// if let Ok(checkpoint) = engine.checkpoint(Form::CpuManager, file) {
    ///     assert!(checkpoint.is_accepted());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn checkpoint(&self, form: checkpoint::Form, text: &str) -> Result<Checkpoint> {
        self.checkpoint_with(form, text, &Gates::defaults(&self.schema), &[], false)
    }

    /// What a kubelet that starts with a checkpoint file makes of it, given the containers that it
    /// knows; with the bytes that were hashed, if `preimages`.
    ///
    /// # Errors
    /// When kubelets of the release have no such file, or its types were not recorded.
    pub fn checkpoint_with(
        &self,
        form: checkpoint::Form,
        text: &str,
        gates: &Gates<'_>,
        containers: &[checkpoint::Container],
        preimages: bool,
    ) -> Result<Checkpoint> {
        let release = self.schema.release();
        let kubelet = Kubelet {
            schema: &self.schema,
            gates: *gates,
            containers,
            preimages,
        };
        kubelet
            .checkpoint(form, text)
            .map_err(|missing| match missing {
                Missing::Form => EngineError::NoSuchCheckpoint { release, form },
                Missing::Types => EngineError::NoCheckpointTypes { release, form },
            })
    }

    /// Whether kubeadm takes two manifests of a static Pod for equal.
    ///
    /// # Errors
    /// When kubeadm of the release compares none; where it decodes them, when one is no Pod.
    pub fn manifests_equal(&self, first: &str, second: &str) -> Result<Comparison> {
        let release = self.schema.release();
        let recipe = static_pod::Recipe::of(release).ok_or(EngineError::NoManifests { release })?;
        if recipe.compared == Compared::Bytes {
            return Ok(Comparison {
                equal: first == second,
                difference: None,
                preimages: None,
            });
        }
        let pods = [
            self.static_pod(first, recipe.compared)?,
            self.static_pod(second, recipe.compared)?,
        ];
        let dumps = pods.each_ref().map(|pod| {
            let mut dump = Vec::new();
            spew::write_pointer(&self.schema, pod.ty, &pod.value, &mut dump);
            dump
        });
        let equal = matches!(&dumps, [first, second] if first == second);
        let difference = (recipe.tells_difference && !equal)
            .then(|| self.difference(&pods))
            .flatten();
        Ok(Comparison {
            equal,
            difference,
            preimages: Some(dumps),
        })
    }

    /// A manifest as kubeadm decodes it.
    fn static_pod(&self, text: &str, compared: Compared) -> Result<Object<'_>> {
        if compared == Compared::Dumps && static_pod::looks_like_json(text) {
            return self.decode_pod(text);
        }
        let dialect = yaml::Dialect::of(self.schema.release(), Toolchain::of(&self.schema));
        let json = yaml::yaml_to_json(text.as_bytes(), dialect)
            .map_err(|error| EngineError::Yaml(error.to_string()))?;
        self.decode_pod(&json)
    }

    /// A document that has to be a Pod.
    fn decode_pod(&self, text: &str) -> Result<Object<'_>> {
        let (api_version, kind) = type_meta(text)?;
        match kind.as_deref() {
            Some("Pod") => self.decode_as(&api_version.unwrap_or_default(), "Pod", text),
            kind => {
                Err(self.unknown_kind(&api_version.unwrap_or_default(), kind.unwrap_or_default()))
            }
        }
    }

    /// Two Pods as JSON, a line each, if that differs.
    fn difference(&self, pods: &[Object<'_>; 2]) -> Option<String> {
        let [first, second] = pods.each_ref().map(|pod| {
            let json = json::to_vec(&self.schema, pod.ty, &pod.value);
            String::from_utf8_lossy(&json).into_owned()
        });
        (first != second).then(|| format!("-{first}\n+{second}\n"))
    }
}
