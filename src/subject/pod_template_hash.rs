//! The hash of a Pod template: the label `pod-template-hash` of ReplicaSets and their Pods, and the
//! hash of a DaemonSet's revisions.
//!
//! Mirrors `GetPodTemplateSpecHash` in `pkg/util/deployment/deployment.go` (1.1),
//! `pkg/util/pod/pod.go` (1.2–1.5) and `pkg/controller/deployment/util/pod_util.go` (1.6), and
//! `ComputeHash` in `pkg/controller/controller_utils.go` (1.7 on).

use crate::digest::{Adler32, Fnv32a, Sink};
use crate::print::spew;
use crate::release::{Release, Span};
use crate::schema::{Schema, TypeId};
use crate::subject::container_hash::Form;
use crate::value::Value;

/// What a release hashes of a template, and how it writes the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    span: Span,
    hasher: Hasher,
    /// The template type that has to be handed in.
    pub form: Form,
    /// A pointer to the template is hashed, whose dump begins with a star more.
    pointer: bool,
    count: Count,
    label: Label,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hasher {
    Adler32,
    Fnv32a,
}

/// How a collision count gets into the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// There are none.
    Absent,
    /// An `*int64`, in eight bytes.
    Long,
    /// An `*int32`, in the first four of eight bytes.
    Int,
}

/// How the number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Decimal,
    /// Decimal in the label, [`safe_encode`] of it in names.
    DecimalEncodedInNames,
    /// [`safe_encode`] of the decimal.
    SafeEncoded,
}

const RECIPES: &[Recipe] = &[
    Recipe {
        span: Span::minors(1, 1),
        hasher: Hasher::Adler32,
        form: Form::Internal,
        pointer: true,
        count: Count::Absent,
        label: Label::Decimal,
    },
    Recipe {
        span: Span::minors(2, 5),
        hasher: Hasher::Adler32,
        form: Form::Internal,
        pointer: false,
        count: Count::Absent,
        label: Label::Decimal,
    },
    Recipe {
        span: Span::minors(6, 6),
        hasher: Hasher::Adler32,
        form: Form::Versioned,
        pointer: false,
        count: Count::Absent,
        label: Label::Decimal,
    },
    Recipe {
        span: Span::minors(7, 7),
        hasher: Hasher::Fnv32a,
        form: Form::Versioned,
        pointer: false,
        count: Count::Long,
        label: Label::Decimal,
    },
    Recipe {
        span: Span::minors(8, 11),
        hasher: Hasher::Fnv32a,
        form: Form::Versioned,
        pointer: false,
        count: Count::Int,
        label: Label::DecimalEncodedInNames,
    },
    NEWEST,
];

const NEWEST: Recipe = Recipe {
    span: Span::since(12, 0),
    hasher: Hasher::Fnv32a,
    form: Form::Versioned,
    pointer: false,
    count: Count::Int,
    label: Label::SafeEncoded,
};

impl Recipe {
    /// What a release does.
    pub fn of(release: Release) -> Recipe {
        let mut recipes = RECIPES.iter();
        let found = recipes.find(|recipe| recipe.span.contains(release));
        found.copied().unwrap_or(NEWEST)
    }

    /// Whether a collision count is part of the hash.
    pub fn counts_collisions(self) -> bool {
        self.count != Count::Absent
    }

    /// The label of a template of the type that [`Recipe::form`] asks for. A collision count that
    /// is not nil is hashed, too, even 0.
    pub fn label(
        self,
        schema: &Schema,
        ty: TypeId,
        template: &Value,
        collision_count: Option<i64>,
    ) -> String {
        let sum = match self.hasher {
            Hasher::Adler32 => {
                let mut hasher = Adler32::default();
                self.write(schema, ty, template, collision_count, &mut hasher);
                hasher.sum()
            }
            Hasher::Fnv32a => {
                let mut hasher = Fnv32a::default();
                self.write(schema, ty, template, collision_count, &mut hasher);
                hasher.sum()
            }
        };
        match self.label {
            Label::Decimal | Label::DecimalEncodedInNames => sum.to_string(),
            Label::SafeEncoded => safe_encode(&sum.to_string()),
        }
    }

    /// What follows the workload's name and a dash in the name of a ReplicaSet, or of a DaemonSet's
    /// revision, with this label.
    pub fn in_name(self, label: &str) -> String {
        match self.label {
            Label::DecimalEncodedInNames => safe_encode(label),
            Label::Decimal | Label::SafeEncoded => label.to_owned(),
        }
    }

    /// The exact bytes that go into the hasher.
    pub fn preimage(
        self,
        schema: &Schema,
        ty: TypeId,
        template: &Value,
        collision_count: Option<i64>,
    ) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(schema, ty, template, collision_count, &mut out);
        out
    }

    fn write(
        self,
        schema: &Schema,
        ty: TypeId,
        template: &Value,
        collision_count: Option<i64>,
        sink: &mut impl Sink,
    ) {
        if self.pointer {
            spew::write_pointer(schema, ty, template, sink);
        } else {
            spew::write(schema, ty, template, sink);
        }
        match (self.count, collision_count) {
            (Count::Long, Some(count)) => sink.write(&count.to_le_bytes()),
            (Count::Int, Some(count)) => {
                // Go's conversion to int32 keeps the low bits, too.
                sink.write(&(count as i32).to_le_bytes());
                sink.write(&[0; 4]);
            }
            (Count::Absent, _) | (_, None) => {}
        }
    }
}

/// `SafeEncodeString` in `k8s.io/apimachinery/pkg/util/rand`: every byte becomes one of 27
/// characters that make no words. From 1.8 on, the same in all releases.
pub fn safe_encode(text: &str) -> String {
    const ALPHANUMS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let encode = |byte: u8| char::from(ALPHANUMS[usize::from(byte) % ALPHANUMS.len()]);
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Arrival, Engine};
    use crate::gates::Gates;

    /// What the real code of these releases answered.
    #[test]
    fn labels_of_a_deployment() {
        const COUNTS: [Option<i64>; 5] = [None, Some(0), Some(1), Some(7), Some(2_147_483_647)];
        for (release, api_version, labels) in [
            (
                Release::new(7, 5),
                "extensions/v1beta1",
                [
                    "4288569719",
                    "3802970455",
                    "2236308022",
                    "1426268016",
                    "584672051",
                ],
            ),
            (
                Release::new(30, 14),
                "apps/v1",
                [
                    "68dd7ff7b6",
                    "64847b6494",
                    "7b4c4688d7",
                    "68897d6497",
                    "76b9b57d98",
                ],
            ),
        ] {
            let engine = Engine::load(release).unwrap();
            let object = engine
                .decode(&format!(
                    r#"{{"apiVersion":"{api_version}","kind":"Deployment","metadata":{{"name":"web"}},
                        "spec":{{"template":{{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{
                        "containers":[{{"name":"app","image":"nginx:1.25",
                        "ports":[{{"containerPort":80}}]}}]}}}}}}}}"#
                ))
                .unwrap();
            let gates = Gates::defaults(engine.schema());
            let object = engine.arrive(&object, Arrival::Delivered, &gates).unwrap();
            let label = |count| engine.pod_template_hash(&object, count, false).unwrap().0;
            assert_eq!(COUNTS.map(label), labels, "{release}");
        }
    }
}
