//! The structs of checkpoint files: how each is made, read, sealed with a checksum and verified.
//!
//! Mirrors `UnmarshalCheckpoint`, `VerifyChecksum` and `MarshalCheckpoint` of the structs in
//! `pkg/kubelet`: `cm/cpumanager/state/checkpoint.go` (1.12 on),
//! `cm/memorymanager/state/checkpoint.go` (1.21 on), `cm/devicemanager/checkpoint` (1.11 on),
//! `cm/dra/state/checkpoint.go` (1.27 on), `status/state/checkpoint.go` (1.27–1.32),
//! `allocation/state/checkpoint.go` (1.33 on), `checkpoint/checkpoint.go` (1.11–1.18) and
//! `dockershim/docker_checkpoint.go` (1.8–1.23).

use super::{Checksum, Form, Kubelet, Reading, Struct};
use crate::decode;
use crate::digest::{Crc32, Fnv32a, Sink};
use crate::print::{json, spew};
use crate::release::{Release, Span};
use crate::schema::{Kind, Schema, TypeId};
use crate::value::{Mut, Ref, Value};

/// How a release treats one struct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    form: Form,
    /// The Go struct's name, without its package.
    pub(super) name: &'static str,
    span: Span,
    /// What is set in one that the kubelet makes to read into.
    fresh: &'static [(&'static str, Fresh)],
    contents: Contents,
    /// The field with the checksum. It is 0 in a dump.
    checksum: &'static str,
    dumped: Dumped,
    /// Names in the dump that are replaced by older ones.
    renames: &'static [Rename],
    /// The checksum that is written is that of the dump without renames.
    writes_own_name: bool,
    /// A file without a checksum is valid.
    zero_is_valid: bool,
    /// What else has a valid checksum.
    also: Also,
    /// Without this feature gate the struct is neither written nor read by the kubelet.
    pub(super) gate: Option<&'static str>,
}

/// A value in a fresh struct.
#[derive(Clone, Copy, Debug)]
enum Fresh {
    Map,
    Slice,
    Text(&'static str),
    Pointer,
}

/// Where in the struct the contents are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    /// In its fields.
    Fields,
    /// In its fields; on its own it is verified as it is read again after it was written.
    Rewritten,
    /// In a text, whose type is the first of the others.
    Text,
    /// The same; text with a wrong checksum cannot even be read.
    CheckedText,
    /// In a text that is read into `CheckpointData`, and in this embedded struct for older
    /// kubelets.
    Embedded(&'static str),
}

/// What is dumped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dumped {
    /// The pointer to the struct.
    Pointer,
    /// The struct.
    Struct,
    /// The value of a field, or what it points to.
    Field(&'static str),
    /// No dump: the bytes of a text, of which CRC-32 is taken.
    Bytes(&'static str),
}

/// What is valid besides the checksum that the format wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Also {
    Nothing,
    /// The one without renames.
    OwnName,
    /// The same, without this feature gate only.
    OwnNameWithout(&'static str),
    /// The one of the first of the others, which has no resource handles.
    Other,
}

/// Text in a dump in the place of which other text is hashed (`strings.Replace`).
type Rename = (&'static str, &'static str, Times);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Once,
    Always,
}

const POD_LEVEL: &str = "PodLevelResourceManagers";

/// A struct without habits.
const PLAIN: Format = Format {
    form: Form::CpuManager,
    name: "",
    span: Span::ALL,
    fresh: &[],
    contents: Contents::Fields,
    checksum: "Checksum",
    dumped: Dumped::Pointer,
    renames: &[],
    writes_own_name: false,
    zero_is_valid: false,
    also: Also::Nothing,
    gate: None,
};

const CPU: Format = Format {
    form: Form::CpuManager,
    name: "CPUManagerCheckpoint",
    fresh: &[("Entries", Fresh::Map)],
    zero_is_valid: true,
    ..PLAIN
};

const CPU_V2: Format = Format {
    name: "CPUManagerCheckpointV2",
    renames: &[(
        "CPUManagerCheckpointV2",
        "CPUManagerCheckpoint",
        Times::Once,
    )],
    also: Also::OwnNameWithout(POD_LEVEL),
    ..CPU
};

const CPU_POD_ENTRIES: Format = Format {
    fresh: &[("Entries", Fresh::Map), ("PodEntries", Fresh::Map)],
    zero_is_valid: false,
    ..CPU
};

const MEMORY: Format = Format {
    form: Form::MemoryManager,
    name: "MemoryManagerCheckpoint",
    fresh: &[("Entries", Fresh::Map), ("MachineState", Fresh::Map)],
    ..PLAIN
};

const MEMORY_V1: Format = Format {
    name: "MemoryManagerCheckpointV1",
    renames: &[(
        "MemoryManagerCheckpointV1",
        "MemoryManagerCheckpoint",
        Times::Once,
    )],
    zero_is_valid: true,
    ..MEMORY
};

const MEMORY_POD_ENTRIES: Format = Format {
    fresh: &[
        ("Entries", Fresh::Map),
        ("PodEntries", Fresh::Map),
        ("MachineState", Fresh::Map),
    ],
    ..MEMORY
};

const DEVICES: Format = Format {
    form: Form::DeviceManager,
    name: "Data",
    fresh: &[
        ("Data.PodDeviceEntries", Fresh::Slice),
        ("Data.RegisteredDevices", Fresh::Map),
    ],
    dumped: Dumped::Field("Data"),
    ..PLAIN
};

const DRA: Format = Format {
    form: Form::DraManager,
    name: "DRAManagerCheckpoint",
    fresh: &[("Version", Fresh::Text("v1")), ("Entries", Fresh::Slice)],
    ..PLAIN
};

const ALLOCATION_TEXT: Format = Format {
    form: Form::PodAllocation,
    name: "Checkpoint",
    contents: Contents::Text,
    dumped: Dumped::Field("Data"),
    ..PLAIN
};

const SANDBOX: Format = Format {
    form: Form::Sandbox,
    name: "PodSandboxCheckpoint",
    ..PLAIN
};

const FORMATS: &[Format] = &[
    Format {
        span: Span::minors(12, 35),
        ..CPU
    },
    Format {
        name: "CPUManagerCheckpointV1",
        span: Span::minors(18, 36),
        renames: &[(
            "CPUManagerCheckpointV1",
            "CPUManagerCheckpoint",
            Times::Once,
        )],
        writes_own_name: true,
        ..CPU
    },
    Format {
        span: Span::since(36, 0),
        ..CPU_V2
    },
    Format {
        span: Span::minors(36, 36),
        gate: Some(POD_LEVEL),
        ..CPU_POD_ENTRIES
    },
    Format {
        name: "CPUManagerCheckpointV3",
        span: Span::since(37, 0),
        renames: &[(
            "CPUManagerCheckpointV3",
            "CPUManagerCheckpoint",
            Times::Once,
        )],
        also: Also::OwnName,
        ..CPU_POD_ENTRIES
    },
    Format {
        span: Span::since(37, 0),
        fresh: &[
            ("CPUManagerCheckpointV2.Entries", Fresh::Map),
            ("CheckpointData.Entries", Fresh::Map),
            ("CheckpointData.PodEntries", Fresh::Map),
            ("CheckpointData.Baselines", Fresh::Map),
        ],
        contents: Contents::Embedded("CPUManagerCheckpointV2"),
        renames: CPU_V2.renames,
        ..CPU
    },
    Format {
        span: Span::minors(21, 35),
        ..MEMORY
    },
    Format {
        span: Span::minors(36, 36),
        also: Also::OwnNameWithout(POD_LEVEL),
        ..MEMORY_V1
    },
    Format {
        span: Span::since(37, 0),
        ..MEMORY_V1
    },
    Format {
        span: Span::minors(36, 36),
        gate: Some(POD_LEVEL),
        ..MEMORY_POD_ENTRIES
    },
    Format {
        name: "MemoryManagerCheckpointV2",
        span: Span::since(37, 0),
        renames: &[(
            "MemoryManagerCheckpointV2",
            "MemoryManagerCheckpoint",
            Times::Once,
        )],
        ..MEMORY_POD_ENTRIES
    },
    Format {
        span: Span::since(37, 0),
        fresh: &[
            ("MemoryManagerCheckpointV1.Entries", Fresh::Map),
            ("MemoryManagerCheckpointV1.MachineState", Fresh::Map),
            ("CheckpointData.Entries", Fresh::Map),
            ("CheckpointData.PodEntries", Fresh::Map),
            ("CheckpointData.MachineState", Fresh::Map),
        ],
        contents: Contents::Embedded("MemoryManagerCheckpointV1"),
        renames: MEMORY_V1.renames,
        ..MEMORY
    },
    Format {
        span: Span::since(11, 0),
        ..DEVICES
    },
    Format {
        name: "DataV1",
        span: Span::minors(20, 30),
        renames: &[
            ("checkpointDataV1", "checkpointData", Times::Once),
            ("PodDevicesEntryV1", "PodDevicesEntry", Times::Always),
        ],
        ..DEVICES
    },
    Format {
        span: Span::minors(27, 27),
        ..DRA
    },
    Format {
        span: Span::minors(28, 30),
        also: Also::Other,
        ..DRA
    },
    Format {
        form: Form::DraManager,
        name: "Checkpoint",
        span: Span::since(31, 0),
        contents: Contents::CheckedText,
        dumped: Dumped::Bytes("Data"),
        ..PLAIN
    },
    Format {
        form: Form::PodAllocation,
        name: "PodResourceAllocationCheckpoint",
        span: Span::minors(27, 31),
        fresh: &[
            ("AllocationEntries", Fresh::Map),
            ("ResizeStatusEntries", Fresh::Map),
        ],
        ..PLAIN
    },
    Format {
        span: Span::since(32, 0),
        ..ALLOCATION_TEXT
    },
    Format {
        form: Form::Pod,
        name: "Data",
        span: Span::minors(11, 18),
        dumped: Dumped::Field("Pod"),
        ..PLAIN
    },
    Format {
        span: Span::minors(8, 10),
        contents: Contents::Rewritten,
        checksum: "CheckSum",
        dumped: Dumped::Struct,
        ..SANDBOX
    },
    Format {
        span: Span::minors(11, 23),
        fresh: &[("Version", Fresh::Text("v1")), ("Data", Fresh::Pointer)],
        dumped: Dumped::Field("Data"),
        ..SANDBOX
    },
];

/// The types that `verifyChecksumWithoutResourceHandles` dumps under older names
/// (`cm/dra/state/checkpoint.go`, 1.28–1.30).
const WITHOUT_HANDLES: &[Rename] = &[
    (
        "DRAManagerCheckpointWithoutResourceHandles",
        "DRAManagerCheckpoint",
        Times::Once,
    ),
    (
        "ClaimInfoStateListWithoutResourceHandles",
        "ClaimInfoStateList",
        Times::Once,
    ),
];

/// What Go's run time says where a nil pointer is followed.
const NIL: &str = "panic: runtime error: invalid memory address or nil pointer dereference";

/// `ErrCorruptCheckpoint`, `CorruptCheckpointError`
const CORRUPT: &str = "checkpoint is corrupted";

impl Format {
    /// How a release treats a struct; `None` where it is not known to have it.
    pub(super) fn of(form: Form, name: &str, release: Release) -> Option<&'static Format> {
        FORMATS.iter().find(|format| {
            format.form == form && format.name == name && format.span.contains(release)
        })
    }
}

/// A struct with the right checksums, and these.
struct Sealed {
    value: Value,
    checksums: Vec<Checksum>,
}

impl<'a> Kubelet<'a> {
    /// A struct as the kubelet makes it to read into.
    pub(super) fn fresh(&self, of: Struct<'_>) -> Value {
        let mut value = self.schema.zero(of.ty);
        for (path, what) in of.format.fresh {
            let mut whole = Mut::new(self.schema, of.ty, &mut value);
            let field = whole.at(path);
            match what {
                Fresh::Map => field.set(Value::Map(Vec::new())),
                Fresh::Slice => field.set(Value::Slice(Vec::new())),
                Fresh::Text(text) => field.set_str(text),
                Fresh::Pointer => drop(field.make()),
            }
        }
        value
    }

    /// `GetCheckpoint` into a fresh struct. What was read stands, even after an error.
    pub(super) fn load(&self, of: Struct<'_>, text: &str) -> (Value, Result<(), String>) {
        let mut value = self.fresh(of);
        let read = self.load_over(of, &mut value, text);
        (value, read)
    }

    /// `GetCheckpoint`
    pub(super) fn load_over(
        &self,
        of: Struct<'_>,
        value: &mut Value,
        text: &str,
    ) -> Result<(), String> {
        self.unmarshal(of, value, text)?;
        self.verify(of, value)
    }

    /// The file as one format, alone.
    pub(super) fn read(&self, of: Struct<'_>, text: &str) -> Reading {
        let mut value = self.fresh(of);
        let unmarshalled = self.unmarshal(of, &mut value, text);
        let mut readable = unmarshalled.is_ok();
        if !readable && of.format.contents == Contents::CheckedText {
            value = self.fresh(of);
            readable = decode::unmarshal(self.schema, of.ty, &mut value, text).is_ok();
        }
        let refused = unmarshalled
            .and_then(|()| self.verify_alone(of, &value))
            .err();
        let sealed = readable
            .then(|| self.repacked(of, value).and_then(|v| self.seal(of, v)).ok())
            .flatten();
        Reading {
            ty: self.schema[of.ty].name.to_string(),
            refused,
            written: sealed.as_ref().map(|s| self.json(of.ty, &s.value)),
            checksums: sealed.map(|s| s.checksums).unwrap_or_default(),
        }
    }

    /// `MarshalCheckpoint`
    pub(super) fn marshal(&self, of: Struct<'_>, value: Value) -> Result<String, String> {
        Ok(self.json(of.ty, &self.seal(of, value)?.value))
    }

    /// A text and its checksum, of a struct that holds a text.
    pub(super) fn with_text(&self, of: Struct<'_>, text: &str) -> Value {
        let mut value = self.fresh(of);
        let mut whole = Mut::new(self.schema, of.ty, &mut value);
        whole.get("Data").set_str(text);
        if let Ok(sealed) = self.seal(of, value.clone()) {
            value = sealed.value;
        }
        value
    }

    /// What a struct's text holds, in the first of the other types.
    pub(super) fn held(&self, of: Struct<'_>, value: &Value) -> Result<(TypeId, Value), String> {
        let ty = *of.others.first().ok_or("no type for the text")?;
        let text = Ref::new(self.schema, of.ty, value).get("Data").str();
        let mut held = self.schema.zero(ty);
        decode::unmarshal(self.schema, ty, &mut held, text).map_err(|e| e.to_string())?;
        Ok((ty, held))
    }

    /// `NewCheckpoint` of the DRA manager and of the resources of Pods.
    pub(super) fn holding(&self, of: Struct<'_>, ty: TypeId, mut held: Value) -> Value {
        let mut data = Mut::new(self.schema, ty, &mut held);
        data.at("TypeMeta.Kind").set_str("DRACheckpoint");
        data.at("TypeMeta.APIVersion")
            .set_str("checkpoint.dra.kubelet.k8s.io/v1");
        self.with_text(of, &self.json(ty, &held))
    }

    pub(super) fn json(&self, ty: TypeId, value: &Value) -> String {
        String::from_utf8_lossy(&json::to_vec(self.schema, ty, value)).into_owned()
    }

    /// `UnmarshalCheckpoint`
    fn unmarshal(&self, of: Struct<'_>, value: &mut Value, text: &str) -> Result<(), String> {
        let schema = self.schema;
        decode::unmarshal(schema, of.ty, value, text).map_err(|e| e.to_string())?;
        match of.format.contents {
            Contents::CheckedText => self.verify(of, value),
            Contents::Embedded(_) => {
                let data = Ref::new(schema, of.ty, value).get("Data").str().to_owned();
                let mut whole = Mut::new(schema, of.ty, value);
                match whole.get("CheckpointData").into_parts() {
                    Some((ty, data_value)) => {
                        decode::unmarshal(schema, ty, data_value, &data).map_err(|e| e.to_string())
                    }
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Verifies a struct on its own. The one of 1.8 to 1.10 has no method for that: it is written, and
    /// what is read then is verified.
    fn verify_alone(&self, of: Struct<'_>, value: &Value) -> Result<(), String> {
        if of.format.contents != Contents::Rewritten {
            return self.verify(of, value);
        }
        self.load(of, &self.json(of.ty, value)).1
    }

    /// `VerifyChecksum`
    fn verify(&self, of: Struct<'_>, value: &Value) -> Result<(), String> {
        let format = of.format;
        if let Contents::Embedded(_) = format.contents {
            let whole = Ref::new(self.schema, of.ty, value);
            let found = checksum_in(whole, "DataChecksum");
            return matching(found, self.hash(&self.dump_field(of, value, "Data")?));
        }
        self.verify_fields(of, value)
    }

    fn verify_fields(&self, of: Struct<'_>, value: &Value) -> Result<(), String> {
        let format = of.format;
        let found = checksum_in(Ref::new(self.schema, of.ty, value), format.checksum);
        if found == 0 && format.zero_is_valid {
            return Ok(());
        }
        let dump = self.dump(of, value)?;
        let wanted = matching(found, self.sum(of, &renamed(&dump, format.renames)));
        let own_name = || matching(found, self.sum(of, &dump));
        match format.also {
            Also::OwnName => wanted.or_else(|_| own_name()),
            Also::OwnNameWithout(gate) if !self.gates.enabled(gate) => {
                wanted.or_else(|_| own_name())
            }
            Also::Other => wanted.or_else(|_| {
                let dump = self.dump_without_handles(of, value)?;
                matching(found, self.hash(&renamed(&dump, WITHOUT_HANDLES)))
            }),
            Also::Nothing | Also::OwnNameWithout(_) => wanted,
        }
    }

    /// Contents that are held in a text, written anew; others as they are.
    fn repacked(&self, of: Struct<'_>, value: Value) -> Result<Value, String> {
        match of.format.contents {
            Contents::Text | Contents::CheckedText => {
                let (ty, held) = self.held(of, &value)?;
                Ok(self.holding(of, ty, held))
            }
            _ => Ok(value),
        }
    }

    /// The struct with the right checksums.
    fn seal(&self, of: Struct<'_>, mut value: Value) -> Result<Sealed, String> {
        let mut checksums = Vec::new();
        if let Contents::Embedded(older) = of.format.contents {
            self.fill_embedded(of, &mut value, older);
            let dump = self.dump_field(of, &value, "Data")?;
            checksums.push(self.checksum("DataChecksum", self.hash(&dump), dump));
        }
        let dump = self.dump(of, &value)?;
        let hashed = renamed(&dump, of.format.renames);
        let hash = self.sum(of, &hashed);
        checksums.insert(0, self.checksum(of.format.checksum, hash, hashed));
        let mut whole = Mut::new(self.schema, of.ty, &mut value);
        for checksum in &checksums {
            let own_name = of.format.writes_own_name;
            let written = if own_name {
                self.sum(of, &dump)
            } else {
                checksum.hash
            };
            promoted(&mut whole, checksum.field).set_int(i64::from(written));
        }
        Ok(Sealed { value, checksums })
    }

    fn checksum(&self, field: &'static str, hash: u32, hashed: Vec<u8>) -> Checksum {
        Checksum {
            field,
            hash,
            preimage: self.preimages.then_some(hashed),
        }
    }

    /// Puts the contents into the text and into the struct for older kubelets.
    fn fill_embedded(&self, of: Struct<'_>, value: &mut Value, older: &str) {
        let schema = self.schema;
        let data = Ref::new(schema, of.ty, value).get("CheckpointData");
        let Some((ty, contents)) = data.parts() else {
            return;
        };
        let (text, contents) = (self.json(ty, contents), contents.clone());
        let mut whole = Mut::new(schema, of.ty, value);
        whole.get("Data").set_str(&text);
        for field in schema.fields(ty) {
            let source = Ref::new(schema, ty, &contents).get(&field.name);
            if let Some((_, source)) = source.parts() {
                whole.get(older).get(&field.name).set(source.clone());
            }
        }
    }

    /// What is dumped of the struct, with a checksum of 0.
    fn dump(&self, of: Struct<'_>, value: &Value) -> Result<Vec<u8>, String> {
        let (schema, mut dump) = (self.schema, Vec::new());
        let (ty, mut value) = match of.format.contents {
            Contents::Embedded(older) => {
                let inner = Ref::new(schema, of.ty, value).get(older).parts();
                inner.map_or((of.ty, value.clone()), |(ty, value)| (ty, value.clone()))
            }
            _ => (of.ty, value.clone()),
        };
        let mut whole = Mut::new(schema, ty, &mut value);
        whole.get(of.format.checksum).clear();
        match of.format.dumped {
            Dumped::Pointer => spew::write_pointer(schema, ty, &value, &mut dump),
            Dumped::Struct => spew::write(schema, ty, &value, &mut dump),
            Dumped::Field(name) => return self.dump_field(of, &value, name),
            Dumped::Bytes(name) => {
                let text = Ref::new(schema, ty, &value).get(name).str();
                dump.extend_from_slice(text.as_bytes());
            }
        }
        Ok(dump)
    }

    /// The dump of a field, or of what it points to.
    fn dump_field(&self, of: Struct<'_>, value: &Value, name: &str) -> Result<Vec<u8>, String> {
        let field = Ref::new(self.schema, of.ty, value).get(name).deref();
        let (ty, value) = field.parts().ok_or(NIL)?;
        Ok(spew::to_vec(self.schema, ty, value))
    }

    /// What `verifyChecksumWithoutResourceHandles` dumps.
    fn dump_without_handles(&self, of: Struct<'_>, value: &Value) -> Result<Vec<u8>, String> {
        let (schema, mut dump) = (self.schema, Vec::new());
        let ty = *of.others.first().ok_or(CORRUPT)?;
        let mut older = schema.zero(ty);
        let mut whole = Mut::new(schema, ty, &mut older);
        whole.get("Version").set_str("v1");
        whole.get("Entries").set(Value::Slice(Vec::new()));
        for entry in Ref::new(schema, of.ty, value).get("Entries").items() {
            copy_fields(entry, whole.get("Entries").push());
        }
        spew::write_pointer(schema, ty, &older, &mut dump);
        Ok(dump)
    }

    fn hash(&self, bytes: &[u8]) -> u32 {
        let mut hash = Fnv32a::default();
        hash.write(bytes);
        hash.sum()
    }

    fn sum(&self, of: Struct<'_>, bytes: &[u8]) -> u32 {
        match of.format.dumped {
            Dumped::Bytes(_) => {
                let mut digest = Crc32::default();
                digest.write(bytes);
                digest.sum()
            }
            _ => self.hash(bytes),
        }
    }
}

/// A checksum in a struct, as the file has it.
fn checksum_in(whole: Ref<'_, '_>, field: &str) -> u64 {
    match whole.get(field).parts() {
        Some((_, Value::Uint(number))) => *number,
        _ => 0,
    }
}

fn matching(found: u64, wanted: u32) -> Result<(), String> {
    match found == u64::from(wanted) {
        true => Ok(()),
        false => Err(CORRUPT.to_owned()),
    }
}

/// Copies the fields that two structs have both.
pub(super) fn copy_fields(from: Ref<'_, '_>, mut to: Mut<'_, '_>) {
    let (schema, Some(ty)) = (from.schema(), to.ty()) else {
        return;
    };
    for field in schema.fields(ty) {
        if let Some((_, value)) = from.get(&field.name).parts() {
            to.get(&field.name).set(value.clone());
        }
    }
}

/// A field of the struct or of one that is embedded in it.
fn promoted<'s, 'v>(whole: &'v mut Mut<'s, '_>, name: &str) -> Mut<'s, 'v> {
    let schema: &Schema = whole.schema();
    let fields = whole.ty().map(|ty| schema.fields(ty)).unwrap_or_default();
    let holder = match fields.iter().find(|field| *field.name == *name) {
        Some(_) => None,
        None => fields.iter().find(|field| {
            field.embedded
                && matches!(schema[field.ty].kind, Kind::Struct(_))
                && schema.field(field.ty, name).is_some()
        }),
    };
    match holder {
        Some(holder) => whole.at(&format!("{}.{name}", holder.name)),
        None => whole.get(name),
    }
}

fn renamed(dump: &[u8], renames: &[Rename]) -> Vec<u8> {
    if renames.is_empty() {
        return dump.to_vec();
    }
    let mut text = String::from_utf8_lossy(dump).into_owned();
    for (from, to, times) in renames {
        text = match times {
            Times::Once => text.replacen(from, to, 1),
            Times::Always => text.replace(from, to),
        };
    }
    text.into_bytes()
}
