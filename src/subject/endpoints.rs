//! The hashes that put Endpoints in order, and by which controllers know the ports and endpoints of
//! EndpointSlices.
//!
//! Mirrors `RepackSubsets`, `SortSubsets`, `hashAddresses` and `hashObject` in
//! `pkg/api/endpoints/util.go` (1.1–1.19, over internal types) and `pkg/api/v1/endpoints/util.go`
//! (1.6 on); `newPortMapKey` in `pkg/controller/endpointslice/utils.go` (1.16), `NewPortMapKey` in
//! `pkg/controller/util/endpoint/controller_utils.go` (1.17–1.27) and in
//! `k8s.io/endpointslice/util/controller_utils.go` (1.28 on); `hashEndpoint` in `endpointset.go` of
//! `pkg/controller/endpointslice` (1.16–1.21), `pkg/controller/util/endpointslice` (1.22–1.27) and
//! `k8s.io/endpointslice/util` (1.28 on).

use std::collections::BTreeMap;

use crate::digest::{self, Fnv128a, Md5, Sink};
use crate::print::spew;
use crate::release::{Release, Span};
use crate::schema::{Schema, TypeId};
use crate::value::{Mut, Ref, Value};

/// Before, it is MD5.
const FNV_128A: Span = Span::since(35, 0);

/// Before, addresses without ports are dropped.
const ADDRESSES_NEED_NO_PORTS: Span = Span::since(11, 0);

/// Since then an endpoint is told by the object behind it, too.
const TARGETS_COUNT: Span = Span::since(26, 3);

/// Since then no list of ports is hashed as an empty one.
const NO_PORTS_ARE_NONE: Span = Span::since(36, 0);

/// The package that `endpointHashObj` is in.
const HASHED_ENDPOINT: &[(Span, &str)] = &[
    (Span::minors(16, 27), "endpointslice.endpointHashObj"),
    (Span::since(28, 0), "util.endpointHashObj"),
];

/// The port under which addresses without ports are kept.
const NO_PORT: i64 = -1;

/// The lists of a subset's addresses, and whether those in it are ready.
const LISTS: [(&str, bool); 2] = [("Addresses", true), ("NotReadyAddresses", false)];

/// The hashes of a subset of Endpoints, as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubsetHashes {
    /// What puts subsets in order.
    pub hash: String,
    /// `hashAddresses`: what decides which ports share a subset.
    pub addresses: String,
    /// What puts its ports in order.
    pub ports: Vec<String>,
    /// The exact bytes that `hash` is of.
    pub preimage: Vec<u8>,
    /// Those that `ports` are of.
    pub port_preimages: Vec<Vec<u8>>,
}

/// The hashes of an EndpointSlice, or of a list of its ports, as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SliceHashes {
    /// `NewPortMapKey`
    pub ports: String,
    /// The exact bytes that it is a hash of.
    pub preimage: Vec<u8>,
    /// `hashEndpoint` of each endpoint.
    pub endpoints: Vec<String>,
}

/// `RepackSubsets`: Endpoints' subsets in their canonical form. `ty` is the type of a subset.
pub fn repack(schema: &Schema, ty: TypeId, subsets: &[Value]) -> Vec<Value> {
    let mut offers = Offers {
        schema,
        subset: ty,
        list: Vec::new(),
        addresses: BTreeMap::new(),
    };
    for subset in subsets {
        offers.add(Ref::new(schema, ty, subset));
    }
    let shared = offers.by_addresses();
    let subsets = shared.iter().map(|shared| offers.subset(shared));
    // `SortSubsets`
    sorted_by_hash(schema, ty, subsets.collect())
}

/// The hashes of a subset in its canonical form.
pub fn subset_hashes(schema: &Schema, ty: TypeId, subset: &Value) -> SubsetHashes {
    let release = schema.release();
    let subset = Ref::new(schema, ty, subset);
    let preimage = dump(subset);
    let port_preimages: Vec<Vec<u8>> = subset.get("Ports").items().map(dump).collect();
    let addresses = LISTS.into_iter().flat_map(|(list, ready)| {
        let items = subset.get(list).items();
        items.map(move |address| (address, ready))
    });
    SubsetHashes {
        hash: hex(release, &preimage),
        addresses: hash_addresses(release, addresses.collect()),
        ports: port_preimages.iter().map(|p| hex(release, p)).collect(),
        preimage,
        port_preimages,
    }
}

/// The hashes of an EndpointSlice of that type, of which only the ports and endpoints count.
pub fn slice_hashes(schema: &Schema, ty: TypeId, slice: &Value) -> SliceHashes {
    let slice = Ref::new(schema, ty, slice);
    let preimage = dump_ports(slice.get("Ports"));
    let endpoints = slice.get("Endpoints").items();
    SliceHashes {
        ports: hex(schema.release(), &preimage),
        preimage,
        endpoints: endpoints.map(hash_endpoint).collect(),
    }
}

/// What tells addresses apart: IP and UID (`addressKey`).
type AddressKey<'a> = (&'a str, &'a str);

/// Which addresses offer which ports (`allAddrs` and `portToAddrReadyMap`).
struct Offers<'a> {
    schema: &'a Schema,
    subset: TypeId,
    list: Vec<Offer<'a>>,
    /// The first one of each kind stands for all.
    addresses: BTreeMap<AddressKey<'a>, Ref<'a, 'a>>,
}

/// A port, and whether the addresses that offer it are ready.
struct Offer<'a> {
    port: Value,
    ready: BTreeMap<AddressKey<'a>, bool>,
}

/// Ports that the same addresses offer.
#[derive(Default)]
struct Shared<'a> {
    ports: Vec<Value>,
    addresses: Vec<(Ref<'a, 'a>, bool)>,
}

impl<'a> Offers<'a> {
    fn add(&mut self, subset: Ref<'a, 'a>) {
        let ports = subset.get("Ports");
        if ports.is_empty()
            && ADDRESSES_NEED_NO_PORTS.contains(self.schema.release())
            && let Some(port) = no_port(ports)
        {
            self.add_port(&port, subset);
        }
        for (_, port) in ports.items().filter_map(Ref::parts) {
            self.add_port(port, subset);
        }
    }

    /// `mapAddressesByPort`. A port without addresses is none.
    fn add_port(&mut self, port: &Value, subset: Ref<'a, 'a>) {
        let mut ready = BTreeMap::new();
        for (list, is_ready) in LISTS {
            for address in subset.get(list).items() {
                let key = (address.get("IP").str(), address.at("TargetRef.UID").str());
                self.addresses.entry(key).or_insert(address);
                // What is not ready once is not ready.
                *ready.entry(key).or_insert(is_ready) &= is_ready;
            }
        }
        let known = self
            .list
            .iter_mut()
            .find(|offer| is_same_key(&offer.port, port));
        match known {
            Some(offer) => {
                for (key, is_ready) in ready {
                    *offer.ready.entry(key).or_insert(is_ready) &= is_ready;
                }
            }
            None if ready.is_empty() => {}
            None => self.list.push(Offer {
                port: port.clone(),
                ready,
            }),
        }
    }

    /// The ports whose addresses have one hash share a subset.
    fn by_addresses(&self) -> Vec<Shared<'a>> {
        let release = self.schema.release();
        let mut shared: BTreeMap<String, Shared<'a>> = BTreeMap::new();
        for offer in &self.list {
            let ready = offer.ready.iter();
            let addresses =
                ready.filter_map(|(key, ready)| Some((*self.addresses.get(key)?, *ready)));
            let addresses = in_order(addresses.collect());
            let subset = shared
                .entry(hash_addresses(release, addresses.clone()))
                .or_default();
            subset.addresses = addresses;
            if self.is_port(&offer.port) {
                subset.ports.push(offer.port.clone());
            }
        }
        shared.into_values().collect()
    }

    /// Where addresses need no ports, a port that is not positive is none.
    fn is_port(&self, port: &Value) -> bool {
        let number = self
            .port_type()
            .map(|ty| Ref::new(self.schema, ty, port).get("Port").int());
        !ADDRESSES_NEED_NO_PORTS.contains(self.schema.release()) || number > Some(0)
    }

    fn port_type(&self) -> Option<TypeId> {
        let (_, field) = self.schema.field(self.subset, "Ports")?;
        self.schema.elem(field.ty)
    }

    fn subset(&self, shared: &Shared<'_>) -> Value {
        let mut value = self.schema.zero(self.subset);
        let mut subset = Mut::new(self.schema, self.subset, &mut value);
        for (list, is_ready) in LISTS {
            let addresses = shared
                .addresses
                .iter()
                .filter(|(_, ready)| *ready == is_ready);
            let addresses = addresses.filter_map(|(address, _)| Some(address.parts()?.1.clone()));
            set_list(subset.get(list), addresses.collect());
        }
        if let Some(ty) = self.port_type() {
            let ports = sorted_by_hash(self.schema, ty, shared.ports.clone());
            set_list(subset.get("Ports"), ports);
        }
        value
    }
}

/// The port of addresses without ports.
fn no_port(ports: Ref<'_, '_>) -> Option<Value> {
    let schema = ports.schema();
    let ty = schema.elem(ports.parts()?.0)?;
    let mut port = schema.zero(ty);
    Mut::new(schema, ty, &mut port).get("Port").set_int(NO_PORT);
    Some(port)
}

/// Whether two ports are one key of a Go map: pointers to what is equal are not.
fn is_same_key(a: &Value, b: &Value) -> bool {
    let points = |value: &Value| match value {
        Value::Struct(fields) => fields.iter().any(|f| matches!(f, Value::Pointer(_))),
        _ => false,
    };
    a == b && !points(a)
}

/// Nothing appended to nil is nil.
fn set_list(list: Mut<'_, '_>, items: Vec<Value>) {
    if !items.is_empty() {
        list.set(Value::Slice(items));
    }
}

/// `LessEndpointAddress`: by IP, then by UID; what has no target comes first.
fn in_order<'a>(mut addresses: Vec<(Ref<'a, 'a>, bool)>) -> Vec<(Ref<'a, 'a>, bool)> {
    let key = |address: Ref<'a, 'a>| {
        let target = address.get("TargetRef").deref();
        (
            address.get("IP").str(),
            target.exists().then(|| target.get("UID").str()),
        )
    };
    addresses.sort_by_key(|(address, _)| key(*address));
    addresses
}

/// `hashAddresses`: of a list of
///
/// ```go
/// type addrReady struct {
///     addr  *v1.EndpointAddress
///     ready bool
/// }
/// ```
fn hash_addresses(release: Release, addresses: Vec<(Ref<'_, '_>, bool)>) -> String {
    let mut dump = b"([]endpoints.addrReady)[".to_vec();
    for (index, (address, ready)) in in_order(addresses).into_iter().enumerate() {
        let Some((ty, value)) = address.parts() else {
            continue;
        };
        dump.write(if index > 0 { b" {addr:" } else { b"{addr:" });
        spew::write_pointer(address.schema(), ty, value, &mut dump);
        dump.write(if ready {
            b" ready:(bool)true}"
        } else {
            b" ready:(bool)false}"
        });
    }
    dump.write(b"]");
    hex(release, &dump)
}

/// What `NewPortMapKey` hashes: the ports in the order of their own hashes.
fn dump_ports(ports: Ref<'_, '_>) -> Vec<u8> {
    let schema = ports.schema();
    let Some((ty, value)) = ports.parts() else {
        return Vec::new();
    };
    let sorted = match (value, schema.elem(ty)) {
        (Value::Slice(items), Some(elem)) => {
            Value::Slice(sorted_by_hash(schema, elem, items.clone()))
        }
        (Value::Nil, _) if NO_PORTS_ARE_NONE.contains(schema.release()) => Value::Slice(Vec::new()),
        (value, _) => value.clone(),
    };
    spew::to_vec(schema, ty, &sorted)
}

/// `hashEndpoint`: of
///
/// ```go
/// type endpointHashObj struct {
///     Addresses []string
///     Hostname  string
///     Namespace string // from 1.26.3 on
///     Name      string
/// }
/// ```
fn hash_endpoint(endpoint: Ref<'_, '_>) -> String {
    let (schema, release) = (endpoint.schema(), endpoint.schema().release());
    let mut names = HASHED_ENDPOINT.iter();
    let name = names
        .find(|(span, _)| span.contains(release))
        .map_or("", |(_, name)| name);
    let mut dump = format!("({name}){{Addresses:").into_bytes();
    if let Some((ty, addresses)) = endpoint.get("Addresses").parts() {
        let mut addresses = addresses.clone();
        if let Value::Slice(items) = &mut addresses {
            items.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        }
        spew::write(schema, ty, &addresses, &mut dump);
    }
    let mut field =
        |name: &str, text: &str| dump.write(format!(" {name}:(string){text}").as_bytes());
    field("Hostname", endpoint.get("Hostname").str());
    if TARGETS_COUNT.contains(release) {
        field("Namespace", endpoint.at("TargetRef.Namespace").str());
        field("Name", endpoint.at("TargetRef.Name").str());
    }
    dump.write(b"}");
    hex(release, &dump)
}

/// `subsetsByHash`, `portsByHash`, `portsInOrder`
fn sorted_by_hash(schema: &Schema, ty: TypeId, mut values: Vec<Value>) -> Vec<Value> {
    values.sort_by_cached_key(|value| hex(schema.release(), &spew::to_vec(schema, ty, value)));
    values
}

fn dump(value: Ref<'_, '_>) -> Vec<u8> {
    let parts = value.parts();
    parts.map_or_else(Vec::new, |(ty, it)| spew::to_vec(value.schema(), ty, it))
}

/// The digest of a dump.
fn hex(release: Release, dump: &[u8]) -> String {
    if FNV_128A.contains(release) {
        let mut hasher = Fnv128a::default();
        hasher.write(dump);
        digest::hex(&hasher.sum())
    } else {
        let mut hasher = Md5::default();
        hasher.write(dump);
        hasher.hex()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    const LINE: &str = r#"{"toolchain":"go1.23.10","kinds":[],"endpoints":{
        "versioned":"core.EndpointSubset","slice":"discovery.EndpointSlice"}}"#;

    /// As 1.30.14 has them, without what does not count.
    const TYPES: &str = r#"[
        {"id":"core.Protocol","name":"v1.Protocol","kind":"string"},
        {"id":"core.ObjectReference","name":"v1.ObjectReference","kind":"struct","fields":[
            {"n":"Kind","t":"string","tag":"kind"},{"n":"Namespace","t":"string","tag":"namespace"},
            {"n":"Name","t":"string","tag":"name"},{"n":"UID","t":"string","tag":"uid"},
            {"n":"APIVersion","t":"string","tag":"apiVersion"},
            {"n":"ResourceVersion","t":"string","tag":"resourceVersion"},
            {"n":"FieldPath","t":"string","tag":"fieldPath"}]},
        {"id":"core.EndpointAddress","name":"v1.EndpointAddress","kind":"struct","fields":[
            {"n":"IP","t":"string","tag":"ip"},{"n":"Hostname","t":"string","tag":"hostname"},
            {"n":"NodeName","t":"*string","tag":"nodeName"},
            {"n":"TargetRef","t":"*core.ObjectReference","tag":"targetRef"}]},
        {"id":"core.EndpointPort","name":"v1.EndpointPort","kind":"struct","fields":[
            {"n":"Name","t":"string","tag":"name"},{"n":"Port","t":"int32","tag":"port"},
            {"n":"Protocol","t":"core.Protocol","tag":"protocol"},
            {"n":"AppProtocol","t":"*string","tag":"appProtocol"}]},
        {"id":"core.EndpointSubset","name":"v1.EndpointSubset","kind":"struct","fields":[
            {"n":"Addresses","t":"[]core.EndpointAddress","tag":"addresses"},
            {"n":"NotReadyAddresses","t":"[]core.EndpointAddress","tag":"notReadyAddresses"},
            {"n":"Ports","t":"[]core.EndpointPort","tag":"ports"}]},
        {"id":"discovery.EndpointPort","name":"v1.EndpointPort","kind":"struct","fields":[
            {"n":"Name","t":"*string","tag":"name"},{"n":"Protocol","t":"*core.Protocol","tag":"protocol"},
            {"n":"Port","t":"*int32","tag":"port"},{"n":"AppProtocol","t":"*string","tag":"appProtocol"}]},
        {"id":"discovery.Endpoint","name":"v1.Endpoint","kind":"struct","fields":[
            {"n":"Addresses","t":"[]string","tag":"addresses"},{"n":"Hostname","t":"*string","tag":"hostname"},
            {"n":"TargetRef","t":"*core.ObjectReference","tag":"targetRef"}]},
        {"id":"discovery.EndpointSlice","name":"v1.EndpointSlice","kind":"struct","fields":[
            {"n":"Endpoints","t":"[]discovery.Endpoint","tag":"endpoints"},
            {"n":"Ports","t":"[]discovery.EndpointPort","tag":"ports"}]}]"#;

    /// The canonical form, with its type.
    fn repacked(schema: &Schema, subsets: &str) -> (TypeId, Vec<Value>) {
        let ty = schema.endpoints().versioned.unwrap();
        let subsets: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(subsets).unwrap();
        let decoded = subsets
            .iter()
            .map(|subset| decode::decode(schema, ty, subset.get()).unwrap().value);
        (ty, repack(schema, ty, &decoded.collect::<Vec<_>>()))
    }

    fn ips(schema: &Schema, ty: TypeId, subset: &Value) -> Vec<String> {
        let subset = Ref::new(schema, ty, subset);
        let all = LISTS.iter().flat_map(|(list, ready)| {
            let addresses = subset.get(list).items();
            addresses
                .map(move |a| format!("{}{}", if *ready { "" } else { "!" }, a.get("IP").str()))
        });
        all.collect()
    }

    /// What the real code answered.
    #[test]
    fn subsets_with_one_port_become_one() {
        let schema = Schema::of("v1.30.14", LINE, TYPES);
        let port = r#""ports":[{"name":"http","port":80,"protocol":"TCP"}]"#;
        let (ty, subsets) = repacked(
            &schema,
            &format!(
                r#"[{{"addresses":[{{"ip":"10.0.0.2"}}],{port}}},{{"addresses":[{{"ip":"10.0.0.1"}}],{port}}}]"#
            ),
        );
        let [subset] = subsets.as_slice() else {
            panic!("{subsets:?}");
        };
        assert_eq!(ips(&schema, ty, subset), ["10.0.0.1", "10.0.0.2"]);
        let hashes = subset_hashes(&schema, ty, subset);
        assert_eq!(hashes.hash, "856ad803d28fd23da9896164bd6131f8");
        assert_eq!(hashes.addresses, "36fa51857c2f440332159ebad3438231");
        assert_eq!(hashes.ports, ["a0afc9289a5b862f31961966cd661a6e"]);
    }

    /// What the real code answered.
    #[test]
    fn ports_and_endpoints_of_a_slice() {
        let schema = Schema::of("v1.30.14", LINE, TYPES);
        let ty = schema.endpoints().slice.unwrap();
        let slice = r#"{"ports":[{"name":"http","port":80}],"endpoints":[{"addresses":
            ["10.0.0.2","10.0.0.1"],"targetRef":{"namespace":"default","name":"web-0"}}]}"#;
        let slice = decode::decode(&schema, ty, slice).unwrap().value;
        let hashes = slice_hashes(&schema, ty, &slice);
        assert_eq!(hashes.ports, "e2283bcc4e9169c9bc1da63a0bc0524d");
        assert_eq!(hashes.endpoints, ["26ec7bf375ea1332c44c313a1ef910e3"]);
    }

    #[test]
    fn what_is_not_ready_once_is_not_ready() {
        let schema = Schema::of("v1.30.14", LINE, TYPES);
        let (ty, subsets) = repacked(
            &schema,
            r#"[{"addresses":[{"ip":"a"}],"notReadyAddresses":[{"ip":"a"}],"ports":[{"port":1}]}]"#,
        );
        let found: Vec<_> = subsets.iter().map(|s| ips(&schema, ty, s)).collect();
        assert_eq!(found, [["!a"]]);
    }

    #[test]
    fn pointers_to_what_is_equal_are_two_keys() {
        let schema = Schema::of("v1.30.14", LINE, TYPES);
        let ports = |port: &str| {
            let text = format!(r#"[{{"addresses":[{{"ip":"a"}}],"ports":[{port},{port}]}}]"#);
            let (ty, subsets) = repacked(&schema, &text);
            let lens = subsets
                .iter()
                .map(|s| Ref::new(&schema, ty, s).get("Ports").len());
            lens.collect::<Vec<_>>()
        };
        assert_eq!(ports(r#"{"port":1}"#), [1]);
        assert_eq!(ports(r#"{"port":1,"appProtocol":"http"}"#), [2]);
    }

    #[test]
    fn addresses_without_ports_are_dropped_before_1_11() {
        for (release, count) in [("v1.10.13", 0), ("v1.11.10", 1)] {
            let schema = Schema::of(release, LINE, TYPES);
            let (_, subsets) = repacked(&schema, r#"[{"addresses":[{"ip":"a"}]}]"#);
            assert_eq!(subsets.len(), count, "{release}");
        }
    }
}
