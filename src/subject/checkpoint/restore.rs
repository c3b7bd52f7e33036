//! What a kubelet that starts does with a checkpoint file: it reads it, moves what older kubelets
//! wrote into its own format, and writes it again.
//!
//! Mirrors, in `pkg/kubelet`, `restoreState` and `storeState` in `state_checkpoint.go` of
//! `cm/cpumanager/state` (1.12 on), `cm/memorymanager/state` (1.21 on), `status/state` (1.27–1.32)
//! and `allocation/state` (1.33 on), with the copies that the states in `state_mem.go` make;
//! `readCheckpoint` in `cm/devicemanager/manager.go` (1.11 on); `GetOrCreate` and `Store` in
//! `cm/dra/state` (1.27 on).

use super::format::copy_fields;
use super::{Container, Form, Kubelet, Struct};
use crate::cpuset::CpuSet;
use crate::decode;
use crate::release::{Release, Span};
use crate::schema::{Kind, TypeId};
use crate::value::{Mut, Ref, Value};

/// What the file is when it is written again (nothing where it never is), or why it is refused.
type Stored = Result<Option<String>, String>;

/// One way to restore a file.
pub(super) type Restore = fn(&Start<'_>) -> Stored;

const RESTORES: &[(Form, Span, Restore)] = &[
    (Form::CpuManager, Span::minors(12, 17), cpu_by_id),
    (Form::CpuManager, Span::minors(18, 35), cpu_oldest_first),
    (Form::CpuManager, Span::minors(36, 36), cpu_newest_first),
    (Form::CpuManager, Span::since(37, 0), cpu_in_text),
    (Form::MemoryManager, Span::minors(21, 35), memory),
    (
        Form::MemoryManager,
        Span::minors(36, 36),
        memory_newest_first,
    ),
    (Form::MemoryManager, Span::since(37, 0), memory_in_text),
    (Form::DeviceManager, Span::since(11, 0), devices),
    (Form::DraManager, Span::minors(27, 30), claims),
    (Form::DraManager, Span::since(31, 0), claims_in_text),
    (Form::PodAllocation, Span::minors(27, 31), allocation),
    (
        Form::PodAllocation,
        Span::minors(32, 32),
        allocation_in_text,
    ),
    (Form::PodAllocation, Span::since(33, 0), pod_resources),
    (Form::Pod, Span::minors(11, 18), only_read),
    (Form::Sandbox, Span::minors(8, 23), only_read),
];

/// How a release restores a file; `None` where it has no such file.
pub(super) fn of(form: Form, release: Release) -> Option<Restore> {
    let mut rows = RESTORES.iter();
    let row = rows.find(|(f, span, _)| *f == form && span.contains(release));
    row.map(|(.., restore)| *restore)
}

const POD_LEVEL: &str = "PodLevelResourceManagers";
const EXCLUSIVE_CPUS: &str = "InPlacePodVerticalScalingExclusiveCPUs";

/// Where the text of a state is kept, in 1.37 on.
const DATA: &str = "CheckpointData";

/// A kubelet that starts with one file.
pub(super) struct Start<'a> {
    kubelet: &'a Kubelet<'a>,
    formats: &'a [Struct<'a>],
    text: &'a str,
}

/// A struct of the release that was read or is to be written.
struct Held<'a> {
    of: Struct<'a>,
    value: Value,
}

impl<'a> Start<'a> {
    pub(super) fn new(
        kubelet: &'a Kubelet<'a>,
        formats: &'a [Struct<'a>],
        text: &'a str,
    ) -> Start<'a> {
        Start {
            kubelet,
            formats,
            text,
        }
    }

    fn enabled(&self, gate: &str) -> bool {
        self.kubelet.gates.enabled(gate)
    }

    /// The format of this name.
    fn format(&self, name: &str) -> Result<Struct<'a>, String> {
        let found = self.formats.iter().find(|of| of.format.name == name);
        found
            .copied()
            .ok_or_else(|| format!("no format {name} in this release"))
    }

    /// The only format.
    fn only(&self) -> Result<Struct<'a>, String> {
        let found = self.formats.first();
        found
            .copied()
            .ok_or_else(|| "no format in this release".to_owned())
    }

    fn fresh(&self, of: Struct<'a>) -> Held<'a> {
        let value = self.kubelet.fresh(of);
        Held { of, value }
    }

    /// `GetCheckpoint` into a fresh struct.
    fn load(&self, of: Struct<'a>) -> (Held<'a>, Result<(), String>) {
        let (value, read) = self.kubelet.load(of, self.text);
        (Held { of, value }, read)
    }

    /// The same, if it is valid.
    fn loaded(&self, of: Struct<'a>) -> Result<Held<'a>, String> {
        let (held, read) = self.load(of);
        read.map(|()| held)
    }

    fn look<'v>(&'v self, held: &'v Held<'_>) -> Ref<'v, 'v> {
        Ref::new(self.kubelet.schema, held.of.ty, &held.value)
    }

    fn edit<'v>(&'v self, held: &'v mut Held<'_>) -> Mut<'v, 'v> {
        Mut::new(self.kubelet.schema, held.of.ty, &mut held.value)
    }

    /// A field's value, by path.
    fn part(&self, held: &Held<'_>, path: &str) -> Value {
        let found = self.look(held).at(path).parts();
        found.map_or(Value::Nil, |(_, value)| value.clone())
    }

    /// Copies the fields of an older struct that are not empty into one that may hold something.
    fn take_over(&self, older: &Held<'_>, to: &mut Held<'_>, to_path: &str, names: &[&str]) {
        let mut edit = self.edit(to);
        for name in names {
            let part = self.part(older, name);
            if !is_empty(&part) {
                edit.at(&format!("{to_path}{name}")).set(part);
            }
        }
    }

    /// `CreateCheckpoint`
    fn store(&self, held: Held<'_>) -> Stored {
        self.kubelet.marshal(held.of, held.value).map(Some)
    }

    /// The policy that the file names, which the kubelet has.
    fn policy(&self) -> String {
        decode::string_member(self.text, "policyName").0
    }

    /// A kubelet of another policy than the state's refuses it.
    fn check_policy(&self, state: &str) -> Result<(), String> {
        let policy = self.policy();
        if policy == state {
            return Ok(());
        }
        Err(format!(
            "configured policy {policy:?} differs from state checkpoint policy {state:?}"
        ))
    }

    /// `cpuset.Parse` and `String` of a text.
    fn cpus(&self, text: &str) -> Result<Value, String> {
        let set = CpuSet::parse(text, self.kubelet.schema.release()).map_err(|e| e.to_string())?;
        Ok(Value::str(&set.to_string()))
    }

    /// The same of all texts in nested maps; maps that are nil become empty.
    fn assignments(&self, sets: Value) -> Result<Value, String> {
        match sets {
            Value::String(text) => self.cpus(&text),
            Value::Map(entries) => {
                let parsed = entries
                    .into_iter()
                    .map(|(key, sets)| Ok((key, self.assignments(sets)?)));
                Ok(Value::Map(parsed.collect::<Result<_, String>>()?))
            }
            _ => Ok(no_entries()),
        }
    }

    /// `restoreState` and `storeState` of the CPU manager once the file is in one format. Where the
    /// contents are and where they go is the path of a field, and of none.
    fn store_cpus(&self, from: &Held<'_>, path: &str, mut to: Held<'_>) -> Stored {
        let part = |name: &str| self.part(from, &format!("{path}{name}"));
        let text = |name: &str| part(name).as_str().unwrap_or_default().to_owned();
        let policy = text("PolicyName");
        self.check_policy(&policy)?;
        let default = self.cpus(&text("DefaultCPUSet"))?;
        let entries = self.assignments(part("Entries"))?;
        let baselines = self.baselines(from, path, &entries)?;
        let mut edit = self.edit(&mut to);
        let mut set = |name: &str, value| edit.at(&format!("{path}{name}")).set(value);
        set("PolicyName", Value::str(&policy));
        set("DefaultCPUSet", default);
        set("Entries", entries);
        if let Some(baselines) = baselines {
            set("Baselines", baselines);
        }
        if self.enabled(POD_LEVEL) {
            set("PodEntries", not_nil(part("PodEntries")));
        }
        self.store(to)
    }

    /// What containers had before they were resized: as the file says, or else what they have.
    fn baselines(
        &self,
        from: &Held<'_>,
        path: &str,
        entries: &Value,
    ) -> Result<Option<Value>, String> {
        if path.is_empty() || !self.enabled(EXCLUSIVE_CPUS) {
            return Ok(None);
        }
        let mut recorded = self.part(from, &format!("{path}Baselines"));
        if is_empty(&recorded) {
            let around = |set: &Value| Value::Struct([set.clone()].into());
            return Ok(Some(with_leaves(entries, &around)));
        }
        for (_, sets) in entries_of(&mut recorded) {
            for (_, set) in entries_of(sets) {
                if let Value::Struct(fields) = set
                    && let Some(field) = fields.first_mut()
                {
                    *field = self.cpus(field.as_str().unwrap_or_default())?;
                }
            }
            *sets = not_nil(std::mem::replace(sets, Value::Nil));
        }
        Ok(Some(recorded))
    }

    /// `migrateV1CheckpointToV2Checkpoint` of the CPU manager: containers that were named by ID.
    fn by_name(&self, oldest: &Held<'_>, mut to: Held<'a>) -> Result<Held<'a>, String> {
        let source = self.look(oldest);
        let entries: Vec<(&str, Ref<'_, '_>)> = source.get("Entries").entries().collect();
        let mut edit = self.edit(&mut to);
        edit.get("PolicyName")
            .set_str(source.get("PolicyName").str());
        edit.get("DefaultCPUSet")
            .set_str(source.get("DefaultCPUSet").str());
        for (id, set) in entries {
            let container = self.container(id)?;
            let pod = edit.get("Entries").insert(&container.pod_uid);
            pod.insert(&container.name).set_str(set.str());
        }
        Ok(to)
    }

    fn container(&self, id: &str) -> Result<&Container, String> {
        let mut known = self.kubelet.containers.iter().rev();
        known
            .find(|container| container.id == id)
            .ok_or_else(|| format!("containerID '{id}' not found in initial containers list"))
    }

    /// Whether a struct that could not be read is of the newest format all the same, which is told
    /// from its text or the text's checksum.
    fn has_text(&self, held: &Held<'_>) -> bool {
        let held = self.look(held);
        !held.get("Data").is_empty() || !held.get("DataChecksum").is_zero()
    }

    /// `NUMANodeMap.Clone`
    fn machine(&self, held: &Held<'_>, path: &str) -> Result<Value, String> {
        let (schema, found) = (self.kubelet.schema, self.look(held).at(path));
        let Some((ty, machine)) = found.parts() else {
            return Ok(no_entries());
        };
        let mut clone = not_nil(machine.clone());
        let Kind::Map(_, node) = schema[ty].kind else {
            return Ok(clone);
        };
        for (_, value) in entries_of(&mut clone) {
            let mut state = Mut::new(schema, node, value);
            let tables = state.look().get("MemoryMap").entries();
            if tables.into_iter().any(|(_, table)| table.is_nil()) {
                return Err("panic: a memory table is nil".to_owned());
            }
            if state.look().get("Cells").is_nil() {
                state.get("Cells").set(Value::Slice(Vec::new()));
            }
        }
        Ok(clone)
    }

    /// Puts a memory manager's state into a struct, as the state's own copies are. Where the
    /// contents are and where they go are paths of fields.
    fn copy_memory(
        &self,
        from: &Held<'_>,
        path: &str,
        to: &mut Held<'_>,
        to_path: &str,
    ) -> Result<(), String> {
        let policy = self.part(from, &format!("{path}PolicyName"));
        let machine = self.machine(from, &format!("{path}MachineState"))?;
        let entries = with_slices(self.part(from, &format!("{path}Entries")), 2);
        let mut edit = self.edit(to);
        let mut set = |name: &str, value| edit.at(&format!("{to_path}{name}")).set(value);
        set("PolicyName", policy);
        set("MachineState", machine);
        set("Entries", entries);
        Ok(())
    }
}

/// 1.12–1.17
fn cpu_by_id(start: &Start<'_>) -> Stored {
    let of = start.only()?;
    let read = start.loaded(of)?;
    start.store_cpus(&read, "", start.fresh(of))
}

/// 1.18–1.35: a file in which containers have no names is looked for first.
fn cpu_oldest_first(start: &Start<'_>) -> Stored {
    let newest = start.format("CPUManagerCheckpoint")?;
    let read = match start.loaded(start.format("CPUManagerCheckpointV1")?) {
        Ok(oldest) => start.by_name(&oldest, start.fresh(newest))?,
        Err(_) => start.loaded(newest)?,
    };
    start.store_cpus(&read, "", start.fresh(newest))
}

/// 1.36: what could not be read as the newest format stays in it where an older one says nothing.
fn cpu_newest_first(start: &Start<'_>) -> Stored {
    let (v2, v3) = (
        start.format("CPUManagerCheckpointV2")?,
        start.format("CPUManagerCheckpoint")?,
    );
    let load_v2 = || match start.loaded(v2) {
        Ok(read) => Ok(read),
        Err(_) => {
            let oldest = start.loaded(start.format("CPUManagerCheckpointV1")?)?;
            start.by_name(&oldest, start.fresh(v2))
        }
    };
    if !start.enabled(POD_LEVEL) {
        return start.store_cpus(&load_v2()?, "", start.fresh(v2));
    }
    let (mut newest, read) = start.load(v3);
    if read.is_err() {
        let older = load_v2()?;
        start.take_over(
            &older,
            &mut newest,
            "",
            &["PolicyName", "DefaultCPUSet", "Entries"],
        );
    }
    start.store_cpus(&newest, "", start.fresh(v3))
}

/// 1.37 on: the state is in a text. A damaged one is not looked at in older formats.
fn cpu_in_text(start: &Start<'_>) -> Stored {
    let path = format!("{DATA}.");
    let newest = start.format("CPUManagerCheckpoint")?;
    let (mut read, result) = start.load(newest);
    if let Err(refused) = result {
        if start.has_text(&read) {
            return Err(refused);
        }
        let v3 = start.loaded(start.format("CPUManagerCheckpointV3")?);
        let older = match v3 {
            Ok(older) => older,
            Err(_) => start.loaded(start.format("CPUManagerCheckpointV2")?)?,
        };
        read = start.fresh(newest);
        let names = ["PolicyName", "DefaultCPUSet", "Entries", "PodEntries"];
        start.take_over(&older, &mut read, &path, &names);
    }
    start.store_cpus(&read, &path, start.fresh(newest))
}

/// 1.21–1.35
fn memory(start: &Start<'_>) -> Stored {
    let of = start.only()?;
    let read = start.loaded(of)?;
    store_memory(start, &read, of)
}

fn store_memory<'a>(start: &Start<'a>, read: &Held<'_>, of: Struct<'a>) -> Stored {
    start.check_policy(start.look(read).get("PolicyName").str())?;
    let mut stored = start.fresh(of);
    start.copy_memory(read, "", &mut stored, "")?;
    let pod_entries = start.part(read, "PodEntries");
    let mut edit = start.edit(&mut stored);
    edit.get("PodEntries").set(not_nil(pod_entries));
    start.store(stored)
}

/// 1.36: as for the CPU manager, what could not be read stays.
fn memory_newest_first(start: &Start<'_>) -> Stored {
    let v1 = start.format("MemoryManagerCheckpointV1")?;
    if !start.enabled(POD_LEVEL) {
        return store_memory(start, &start.loaded(v1)?, v1);
    }
    let v2 = start.format("MemoryManagerCheckpoint")?;
    let (mut newest, read) = start.load(v2);
    if read.is_err() {
        let older = start.loaded(v1)?;
        start.take_over(&older, &mut newest, "", &["PolicyName", "Entries"]);
        let machine = start.machine(&older, "MachineState")?;
        if !start.look(&older).get("MachineState").is_nil() {
            start.edit(&mut newest).get("MachineState").set(machine);
        }
    }
    store_memory(start, &newest, v2)
}

/// 1.37 on
fn memory_in_text(start: &Start<'_>) -> Stored {
    let path = format!("{DATA}.");
    let newest = start.format("MemoryManagerCheckpoint")?;
    let (mut read, result) = start.load(newest);
    if let Err(refused) = result {
        if start.has_text(&read) {
            return Err(refused);
        }
        let v2 = start.loaded(start.format("MemoryManagerCheckpointV2")?);
        let older = match v2 {
            Ok(older) => older,
            Err(_) => start.loaded(start.format("MemoryManagerCheckpointV1")?)?,
        };
        read = start.fresh(newest);
        start.copy_memory(&older, "", &mut read, &path)?;
        let pods = start.part(&older, "PodEntries");
        start
            .edit(&mut read)
            .at(&format!("{path}PodEntries"))
            .set(not_nil(pods));
    }
    start.check_policy(start.look(&read).at(DATA).get("PolicyName").str())?;
    let mut stored = start.fresh(newest);
    start.copy_memory(&read, &path, &mut stored, &path)?;
    if start.enabled(POD_LEVEL) {
        let mut pods = not_nil(start.part(&read, &format!("{path}PodEntries")));
        for (_, entry) in entries_of(&mut pods) {
            if let Value::Struct(fields) = entry {
                fields.iter_mut().for_each(nil_to_slice);
            }
        }
        let mut edit = start.edit(&mut stored);
        edit.at(&format!("{path}PodEntries")).set(pods);
    }
    start.store(stored)
}

/// The formats are tried from the newest on, whose error counts.
fn devices(start: &Start<'_>) -> Stored {
    let newest = start.format("Data")?;
    let (read, result) = start.load(newest);
    let Err(refused) = result else {
        return start.store(read);
    };
    let older = start.format("DataV1").and_then(|of| start.loaded(of));
    let Ok(older) = older else {
        return Err(refused);
    };
    let source = start.look(&older).get("Data");
    let mut stored = start.fresh(newest);
    let mut whole = start.edit(&mut stored);
    let mut data = whole.get("Data");
    data.get("PodDeviceEntries").clear();
    for entry in source.get("PodDeviceEntries").items() {
        let mut copy = data.get("PodDeviceEntries").push();
        copy_fields(entry, copy.by_ref());
        // No NUMA node was recorded: all devices are taken for the first one's.
        let ids = entry.get("DeviceIDs").parts();
        let ids = ids.map_or(Value::Nil, |(_, ids)| ids.clone());
        copy.get("DeviceIDs")
            .set(Value::Map(vec![(Value::Int(0), ids)]));
    }
    let registered = source.get("RegisteredDevices").parts();
    let registered = registered.map_or(Value::Nil, |(_, devices)| devices.clone());
    data.get("RegisteredDevices").set(registered);
    start.store(stored)
}

/// 1.27–1.30
fn claims(start: &Start<'_>) -> Stored {
    let of = start.only()?;
    let read = start.loaded(of)?;
    let mut stored = start.fresh(of);
    let entries = start.part(&read, "Entries");
    start.edit(&mut stored).get("Entries").set(entries);
    start.store(stored)
}

/// 1.31 on: what the file does not say is as in a new one.
fn claims_in_text(start: &Start<'_>) -> Stored {
    let (of, kubelet) = (start.only()?, start.kubelet);
    let ty = held_type(of)?;
    let mut value = kubelet.holding(of, ty, kubelet.schema.zero(ty));
    kubelet.load_over(of, &mut value, start.text)?;
    let (ty, claims) = kubelet.held(of, &value)?;
    let value = kubelet.holding(of, ty, claims);
    start.store(Held { of, value })
}

/// 1.27–1.31
fn allocation(start: &Start<'_>) -> Stored {
    let of = start.only()?;
    let read = start.loaded(of)?;
    let mut stored = start.fresh(of);
    let allocated = with_maps(start.part(&read, "AllocationEntries"), 2);
    let resizes = not_nil(start.part(&read, "ResizeStatusEntries"));
    let mut edit = start.edit(&mut stored);
    edit.get("AllocationEntries").set(allocated);
    edit.get("ResizeStatusEntries").set(resizes);
    start.store(stored)
}

/// 1.32: what the file does not say is as in a new one, whose text is `null`.
fn allocation_in_text(start: &Start<'_>) -> Stored {
    let (of, kubelet) = (start.only()?, start.kubelet);
    let mut value = kubelet.with_text(of, "null");
    kubelet.load_over(of, &mut value, start.text)?;
    let (ty, mut held) = kubelet.held(of, &value)?;
    let mut info = Mut::new(kubelet.schema, ty, &mut held);
    let mut entries = info.get("AllocationEntries");
    let allocated = entries.by_ref().take().unwrap_or(Value::Nil);
    entries.set(with_maps(allocated, 2));
    let value = kubelet.holding(of, ty, held);
    start.store(Held { of, value })
}

/// 1.33 on: the file is written again when a Pod's resources are set and that changes its checksum.
fn pod_resources(start: &Start<'_>) -> Stored {
    let (of, kubelet) = (start.only()?, start.kubelet);
    let read = start.loaded(of)?;
    let (ty, mut held) = kubelet.held(of, &read.value)?;
    let mut info = Mut::new(kubelet.schema, ty, &mut held);
    let mut pods = 0;
    for (_, mut pod) in info.get("Entries").entries() {
        pods += 1;
        let mut containers = pod.get("ContainerResources");
        if containers.look().is_nil() {
            containers.by_ref().set(no_entries());
        }
    }
    let unchanged = |value: &Value| {
        let text = |value| Ref::new(kubelet.schema, of.ty, value).get("Data").str();
        text(value) == text(&read.value)
    };
    let value = kubelet.holding(of, ty, held);
    if pods == 0 || unchanged(&value) {
        return Ok(Some(start.text.to_owned()));
    }
    start.store(Held { of, value })
}

/// A file that is never written again.
fn only_read(start: &Start<'_>) -> Stored {
    let of = start.only()?;
    let mut value = start.kubelet.fresh(of);
    start.kubelet.load_over(of, &mut value, start.text)?;
    Ok(None)
}

fn held_type(of: Struct<'_>) -> Result<TypeId, String> {
    let ty = of.others.first();
    ty.copied().ok_or_else(|| "no type for the text".to_owned())
}

// Maps and slices of values, by whether they are nil.

fn no_entries() -> Value {
    Value::Map(Vec::new())
}

/// A map as it is after its entries were copied into a new one.
fn not_nil(map: Value) -> Value {
    match map {
        Value::Nil => no_entries(),
        map => map,
    }
}

fn nil_to_slice(value: &mut Value) {
    if *value == Value::Nil {
        *value = Value::Slice(Vec::new());
    }
}

/// `len(x) == 0`
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Map(entries) => entries.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => true,
    }
}

fn entries_of(map: &mut Value) -> impl Iterator<Item = &mut (Value, Value)> {
    let entries = match map {
        Value::Map(entries) => entries.as_mut_slice(),
        _ => &mut [],
    };
    entries.iter_mut()
}

/// Maps in maps, none of which is nil down to a depth.
fn with_maps(map: Value, depth: usize) -> Value {
    let mut map = not_nil(map);
    if depth > 1 {
        for (_, inner) in entries_of(&mut map) {
            *inner = with_maps(std::mem::replace(inner, Value::Nil), depth - 1);
        }
    }
    map
}

/// The same of maps with slices in the innermost.
fn with_slices(map: Value, depth: usize) -> Value {
    let mut map = with_maps(map, depth);
    for (_, inner) in entries_of(&mut map) {
        entries_of(inner).for_each(|(_, slice)| nil_to_slice(slice));
    }
    map
}

/// Nested maps with other values in the innermost.
fn with_leaves(map: &Value, leaf: &impl Fn(&Value) -> Value) -> Value {
    match map {
        Value::Map(entries) => {
            let entries = entries.iter();
            Value::Map(
                entries
                    .map(|(key, inner)| (key.clone(), with_leaves(inner, leaf)))
                    .collect(),
            )
        }
        other => leaf(other),
    }
}
