//! `DeepHashObject`: the dump of any object, hashed.
//!
//! Mirrors `DeepHashObject` (`pkg/util/deep_copy.go`… 1.1, `pkg/util/hash/hash.go` 1.2 on; through
//! `dump.ForHash` from 1.28 on, which prints the same text).

use crate::digest::{Fnv32a, Sink};
use crate::print::spew;
use crate::schema::{Schema, TypeId};
use crate::value::Value;

/// FNV-32a of the dump of a struct value (not of a pointer to it).
pub fn fnv32a(schema: &Schema, ty: TypeId, value: &Value) -> u32 {
    let mut hash = Fnv32a::default();
    write(schema, ty, value, &mut hash);
    hash.sum()
}

/// Feeds the dump of an object to a hasher.
pub fn write(schema: &Schema, ty: TypeId, value: &Value, hasher: &mut impl Sink) {
    spew::write(schema, ty, value, hasher);
}
