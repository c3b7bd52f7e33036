//! What becomes of an object that travels as protobuf.
//!
//! In: a versioned object. Out: the object that is decoded from its encoding, without the encoding
//! ever being written: [`round_trip`] changes the value the way the bytes would. In the data's way
//! this stands after the conversion from the internal form (API server to etcd, etcd to API server,
//! API server to clients) and before [`subject`](crate::subject).
//!
//! Mirrors the generated `Marshal` and `Unmarshal` (`generated.pb.go`) and the ones that are
//! written by hand (`time_proto.go`, `quantity_proto.go` beside the types), with the envelope of
//! `pkg/runtime/serializer/protobuf`, which carries `apiVersion` and `kind`.
//!
//! - A field without a protobuf tag is not written.
//! - A list or map without elements is not written, so an empty one comes back nil. A pointer to
//!   an empty struct is written. So are empty strings and zero numbers.
//! - A `[]byte` is written unless it is nil.
//! - A quantity is written as its string and parsed again: `0.15` comes back as `150m`.
//! - A time is written as seconds, until 1.7 with nanoseconds.
//!
//! Releases before 1.3 have no protobuf; there the object travels as JSON.

use std::fmt;

use crate::decode::{self, DecodeError};
use crate::print::json;
use crate::quantity::{Flavour, QuantityError};
use crate::release::Span;
use crate::schema::{Kind, Schema, Special, TypeId};
use crate::time::Precision;
use crate::value::Value;

/// The releases that send JSON.
const JSON: Span = Span::minors(1, 2);

/// How much of a `Time` and of a `MicroTime` is written; elsewhere whole seconds and microseconds.
const NANOSECONDS: Span = Span::minors(3, 7);
const MICRO_TIME_NANOSECONDS: Span = Span::minors(7, 22);

/// An object does not survive the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireError {
    /// A quantity whose string cannot be parsed again.
    Quantity(QuantityError),
    /// JSON that was just written cannot be read.
    Json(DecodeError),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Quantity(error) => error.fmt(f),
            WireError::Json(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WireError {}

/// Sends a versioned object and receives it again.
///
/// # Errors
/// When a quantity or the JSON cannot be read again.
pub fn round_trip(schema: &Schema, ty: TypeId, value: &mut Value) -> Result<(), WireError> {
    if JSON.contains(schema.release()) {
        let text = json::to_vec(schema, ty, value);
        let text = String::from_utf8_lossy(&text);
        *value = decode::decode(schema, ty, &text)
            .map_err(WireError::Json)?
            .value;
        return Ok(());
    }
    let wire = Wire {
        schema,
        flavour: Flavour::of(schema.release()),
        time: match NANOSECONDS.contains(schema.release()) {
            true => Precision::Nanoseconds,
            false => Precision::Seconds,
        },
        micro_time: match MICRO_TIME_NANOSECONDS.contains(schema.release()) {
            true => Precision::Nanoseconds,
            false => Precision::Microseconds,
        },
    };
    // The object's own TypeMeta has no tag and travels in the envelope.
    let type_meta = match (schema.field(ty, "TypeMeta"), &*value) {
        (Some((index, _)), Value::Struct(values)) => {
            values.get(index).cloned().map(|meta| (index, meta))
        }
        _ => None,
    };
    wire.value(ty, value)?;
    if let (Some((index, meta)), Value::Struct(values)) = (type_meta, value)
        && let Some(slot) = values.get_mut(index)
    {
        *slot = meta;
    }
    Ok(())
}

struct Wire<'a> {
    schema: &'a Schema,
    flavour: Flavour,
    time: Precision,
    micro_time: Precision,
}

impl Wire<'_> {
    fn value(&self, ty: TypeId, value: &mut Value) -> Result<(), WireError> {
        let schema = self.schema;
        match schema[ty].special {
            Some(Special::Quantity) => {
                if let Value::Quantity(quantity) = value {
                    **quantity = quantity
                        .protobuf_round_trip(self.flavour)
                        .map_err(WireError::Quantity)?;
                }
                return Ok(());
            }
            Some(special @ (Special::Time | Special::MicroTime)) => {
                let precision = if special == Special::Time {
                    self.time
                } else {
                    self.micro_time
                };
                if let Value::Struct(values) = value {
                    for value in values {
                        if let Value::Time(time) = value {
                            **time = time.through_protobuf(precision);
                        }
                    }
                }
                return Ok(());
            }
            // Every field of theirs is written, the one that is not in use too.
            Some(Special::IntOrString | Special::RawJson) => return Ok(()),
            Some(Special::GoTime | Special::Duration | Special::Fields | Special::CpuEntry)
            | None => {}
        }
        let is_empty = match &*value {
            Value::Slice(items) => items.is_empty(),
            Value::Map(entries) => entries.is_empty(),
            _ => false,
        };
        if is_empty {
            *value = Value::Nil;
            return Ok(());
        }
        match (&schema[ty].kind, value) {
            (Kind::Pointer(elem), Value::Pointer(inner)) => self.value(*elem, inner)?,
            (Kind::Slice(elem), Value::Slice(items)) => {
                for item in items {
                    self.value(*elem, item)?;
                }
            }
            (Kind::Map(_, elem), Value::Map(entries)) => {
                for (_, item) in entries {
                    self.value(*elem, item)?;
                }
            }
            (Kind::Struct(fields), Value::Struct(values)) => {
                for (field, value) in fields.iter().zip(values) {
                    if field.protobuf {
                        self.value(field.ty, value)?;
                    } else {
                        *value = schema.zero(field.ty);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}
