//! `HashContainer` and its relatives: the number by which a kubelet knows whether a container's
//! spec is still the one it started.
//!
//! Mirrors, in `pkg/kubelet/container/helpers.go`, `HashContainer` (1.1 on),
//! `HashContainerLegacy` (1.6–1.10) and `HashContainerWithoutResources` (1.27–1.30).

use crate::digest::{Adler32, ByteDump, DumpFnv32a, Fnv32a, Sink};
use crate::print::{json, spew};
use crate::release::{Release, Span};
use crate::schema::{Schema, TypeId};
use crate::value::{Mut, Ref, Value};

/// Which of the three functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// `HashContainer`
    HashContainer,
    /// `HashContainerLegacy`, which dockertools and rkt went on using in 1.6–1.10.
    HashContainerLegacy,
    /// `HashContainerWithoutResources`, for in-place resize in 1.27–1.30.
    HashContainerWithoutResources,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 3] = [
        Function::HashContainer,
        Function::HashContainerLegacy,
        Function::HashContainerWithoutResources,
    ];

    /// The subject by which requests and reports name it.
    pub fn subject(self) -> &'static str {
        match self {
            Function::HashContainer => "container-hash",
            Function::HashContainerLegacy => "container-hash-legacy",
            Function::HashContainerWithoutResources => "container-hash-without-resources",
        }
    }
}

/// What a release writes into which hasher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// adler32 of the dump.
    Adler32OfDump(Form),
    /// FNV-32a of the dump of the versioned container.
    Fnv32aOfDump,
    /// FNV-32a of the dump of the container's JSON bytes.
    Fnv32aOfJsonDump,
    /// The same of `{"image":…,"name":…}` alone.
    Fnv32aOfNameAndImage,
    /// The same of the container's JSON with `resources` emptied.
    Fnv32aOfJsonDumpWithoutResources,
}

/// Which of a release's container types is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `v1.Container`
    Versioned,
    /// `api.Container`
    Internal,
}

const RECIPES: &[(Function, Span, Recipe)] = &[
    (
        Function::HashContainer,
        Span::minors(1, 5),
        Recipe::Adler32OfDump(Form::Internal),
    ),
    (
        Function::HashContainer,
        Span::minors(6, 15),
        Recipe::Fnv32aOfDump,
    ),
    (
        Function::HashContainer,
        Span::minors(16, 30),
        Recipe::Fnv32aOfJsonDump,
    ),
    (
        Function::HashContainer,
        Span::since(31, 0),
        Recipe::Fnv32aOfNameAndImage,
    ),
    (
        Function::HashContainerLegacy,
        Span::minors(6, 10),
        Recipe::Adler32OfDump(Form::Versioned),
    ),
    (
        Function::HashContainerWithoutResources,
        Span::minors(27, 30),
        Recipe::Fnv32aOfJsonDumpWithoutResources,
    ),
];

impl Recipe {
    /// What a release does; `None` where it has no such function.
    pub fn of(function: Function, release: Release) -> Option<Recipe> {
        RECIPES
            .iter()
            .find(|(f, span, _)| *f == function && span.contains(release))
            .map(|(_, _, recipe)| *recipe)
    }

    /// The container type that has to be handed in.
    pub fn form(self) -> Form {
        match self {
            Recipe::Adler32OfDump(form) => form,
            _ => Form::Versioned,
        }
    }

    /// What `kubehash releases` calls it.
    pub fn describe(self) -> &'static str {
        match self {
            Recipe::Adler32OfDump(Form::Internal) => "adler32 of the dump of api.Container",
            Recipe::Adler32OfDump(Form::Versioned) => "adler32 of the dump of v1.Container",
            Recipe::Fnv32aOfDump => "FNV-32a of the dump of v1.Container",
            Recipe::Fnv32aOfJsonDump => "FNV-32a of the dump of the JSON",
            Recipe::Fnv32aOfNameAndImage => "FNV-32a of the dump of name and image",
            Recipe::Fnv32aOfJsonDumpWithoutResources => {
                "FNV-32a of the dump of the JSON without resources"
            }
        }
    }

    /// The hash of a container of the type that [`Recipe::form`] asks for.
    pub fn hash(self, schema: &Schema, ty: TypeId, container: &Value) -> u32 {
        match self {
            Recipe::Adler32OfDump(_) => {
                let mut hasher = Adler32::default();
                spew::write(schema, ty, container, &mut hasher);
                hasher.sum()
            }
            Recipe::Fnv32aOfDump => {
                let mut hasher = Fnv32a::default();
                spew::write(schema, ty, container, &mut hasher);
                hasher.sum()
            }
            _ => {
                let mut hasher = DumpFnv32a::default();
                self.json(schema, ty, container, &mut hasher);
                hasher.finish()
            }
        }
    }

    /// The exact bytes that go into the hasher.
    pub fn preimage(self, schema: &Schema, ty: TypeId, container: &Value) -> Vec<u8> {
        match self {
            Recipe::Adler32OfDump(_) | Recipe::Fnv32aOfDump => spew::to_vec(schema, ty, container),
            _ => {
                let mut dump = ByteDump::new(Vec::new());
                self.json(schema, ty, container, &mut dump);
                dump.finish()
            }
        }
    }

    /// The JSON that the JSON eras dump.
    fn json(self, schema: &Schema, ty: TypeId, container: &Value, sink: &mut impl Sink) {
        match self {
            Recipe::Fnv32aOfNameAndImage => {
                // `pickFieldsToHash` makes a map, so the keys come out sorted.
                let container = Ref::new(schema, ty, container);
                sink.write(b"{\"image\":");
                json::write_string(schema, container.get("Image").str(), sink);
                sink.write(b",\"name\":");
                json::write_string(schema, container.get("Name").str(), sink);
                sink.write(b"}");
            }
            Recipe::Fnv32aOfJsonDumpWithoutResources => {
                let mut copy = container.clone();
                Mut::new(schema, ty, &mut copy).get("Resources").clear();
                json::write(schema, ty, &copy, sink);
            }
            _ => json::write(schema, ty, container, sink),
        }
    }
}
