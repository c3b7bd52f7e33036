//! Hashes about the network of Pods.

use super::{
    EndpointsHashes, Engine, EngineError, Hashed, Object, Result, View, Viewed, type_meta,
};
use crate::convert;
use crate::decode;
use crate::gates::Gates;
use crate::operations::{OperationError, StaticSource};
use crate::print::json;
use crate::schema::KindEntry;
use crate::subject::container_hash::{Form, Function, Recipe};
use crate::subject::endpoints::{self, SliceHashes};
use crate::subject::infra_container;
use crate::value::{Mut, Ref, Value};

/// Docker's containers for the network of Pods.
impl Engine {
    /// The hash of the container that the release's manager of Docker makes for a Pod's network,
    /// with this image (`--pod-infra-container-image`).
    ///
    /// # Errors
    /// When the release is not covered, the object is no Pod, or the release would refuse it.
    pub fn infra_container_hash(
        &self,
        object: &Object<'_>,
        view: View,
        image: &str,
        gates: &Gates<'_>,
    ) -> Result<Hashed> {
        let (schema, release) = (&self.schema, self.schema.release());
        let recipe = Recipe::of(Function::HashContainer, release)
            .filter(|_| infra_container::RELEASES.contains(release))
            .ok_or(EngineError::NoSuchFunction { release })?;
        let viewed = self.view(object, view, recipe.form(), gates, StaticSource::default())?;
        let pod = Ref::new(schema, viewed.ty, &viewed.value);
        let (ty, container) = infra_container::container(schema, pod, image)
            .ok_or_else(|| OperationError::new(format!("a {} is no Pod", object.kind.kind)))?;
        Ok(Hashed {
            hash: recipe.hash(schema, ty, &container),
            preimage: recipe.preimage(schema, ty, &container),
        })
    }
}

/// Endpoints, and what is in EndpointSlices.
impl Engine {
    /// The canonical form of v1 Endpoints, which are decoded and nothing else, with the hashes that
    /// put it in order. Without a form, the versioned types are used where there is a function over
    /// them.
    ///
    /// # Errors
    /// When the release has no function over the types of that form, or when the document does not
    /// fit its types.
    pub fn endpoints(&self, text: &str, form: Option<Form>) -> Result<EndpointsHashes> {
        let schema = &self.schema;
        let no_function = || EngineError::NoSuchFunction {
            release: schema.release(),
        };
        let types = schema.endpoints();
        let form = form.unwrap_or(match types.versioned {
            Some(_) => Form::Versioned,
            None => Form::Internal,
        });
        let subset = match form {
            Form::Versioned => types.versioned,
            Form::Internal => types.internal,
        };
        let (Some(ty), Some(kind)) = (subset, schema.endpoints_kind()) else {
            return Err(no_function());
        };
        let object = self.decode_endpoints(kind, text)?;
        let Viewed {
            ty: whole,
            mut value,
            ..
        } = self.in_form(kind, object.value, form)?;
        let subsets = match Ref::new(schema, whole, &value).get("Subsets").parts() {
            Some((_, Value::Slice(subsets))) => endpoints::repack(schema, ty, subsets),
            _ => Vec::new(),
        };
        let hashes = subsets.iter();
        let hashes = hashes
            .map(|subset| endpoints::subset_hashes(schema, ty, subset))
            .collect();
        Mut::new(schema, whole, &mut value)
            .get("Subsets")
            .set(Value::Slice(subsets));
        if form == Form::Internal {
            let gates = Gates::defaults(schema);
            value = convert::from_internal(schema, kind, &value, &gates)
                .map_err(OperationError::from)?;
        }
        let repacked = Ref::new(schema, kind.versioned, &value).get("Subsets");
        let repacked = repacked
            .parts()
            .map(|(ty, it)| json::to_vec(schema, ty, it));
        Ok(EndpointsHashes {
            repacked: String::from_utf8_lossy(&repacked.unwrap_or_default()).into_owned(),
            subsets: hashes,
        })
    }

    fn decode_endpoints<'s>(&'s self, kind: &'s KindEntry, text: &str) -> Result<Object<'s>> {
        let (api_version, name) = type_meta(text)?;
        let (api_version, name) = (api_version.unwrap_or_default(), name.unwrap_or_default());
        if (&*api_version, &*name) != (&*kind.api_version, &*kind.kind) {
            return Err(self.unknown_kind(&api_version, &name));
        }
        self.decode_type(kind, kind.versioned, text)
    }

    /// The hashes of an EndpointSlice in the version that the release's controller works with,
    /// whatever version it says, or of a list of its ports. It is read by `encoding/json`.
    ///
    /// # Errors
    /// When the release has no EndpointSlices, or when the document does not fit their type.
    pub fn endpoint_slice(&self, text: &str) -> Result<SliceHashes> {
        let schema = &self.schema;
        let ty = schema
            .endpoints()
            .slice
            .ok_or(EngineError::NoSuchFunction {
                release: schema.release(),
            })?;
        let mut slice = schema.zero(ty);
        if text.starts_with('[') {
            decode::unmarshal(schema, ty, &mut slice, &format!(r#"{{"ports":{text}}}"#))?;
        } else {
            decode::unmarshal(schema, ty, &mut slice, text)?;
        }
        Ok(endpoints::slice_hashes(schema, ty, &slice))
    }
}
