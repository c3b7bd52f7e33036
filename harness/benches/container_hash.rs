//! `HashContainer` of the JSON era on a container already decoded: the plain engine, plain
//! FNV-32a over the same JSON as a limit, and the real Go code in the same run.
//!
//! The Go side times its own loop over an object in memory (subject `container-hash-timing`), so
//! that neither its start nor the pipe is measured. Build the reference first, optimised as
//! Kubernetes itself is (the ones that make golden files are not):
//! `cargo xtask build-reference v1.30.14 --optimised`, then `cargo bench -p harness`. Without it the
//! Go row is left out, and a line on stderr says so.

#![allow(missing_docs, reason = "criterion_group! makes a public function")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a bench that cannot run has to stop"
)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kubehash::digest::{Fnv32a, Sink};
use kubehash::engine::Engine;
use kubehash::print::json;
use kubehash::schema::Kind;
use kubehash::subject::container_hash::{Function, Recipe};
use kubehash::value::Ref;

const RELEASE: &str = "v1.30.14";

/// A typical container, our own: about 1.5 kB of JSON.
const POD: &str = include_str!("typical-pod.json");

fn container_hash(c: &mut Criterion) {
    let engine = Engine::load(RELEASE.parse().unwrap()).unwrap();
    let schema = engine.schema();
    let object = engine.decode(POD).unwrap();
    let pod = Ref::new(schema, object.kind.versioned, &object.value);
    let containers = pod.at("Spec.Containers");
    let Kind::Slice(ty) = schema[containers.parts().unwrap().0].kind else {
        panic!("containers are a slice");
    };
    let (_, container) = containers.items().next().unwrap().parts().unwrap();
    let recipe = Recipe::of(Function::HashContainer, schema.release()).unwrap();
    let text = json::to_vec(schema, ty, container);

    let mut group = c.benchmark_group("container-hash/json-era");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("engine", |b| {
        b.iter(|| recipe.hash(schema, ty, black_box(container)));
    });
    group.bench_function("plain FNV-32a over the JSON bytes", |b| {
        b.iter(|| {
            let mut hash = Fnv32a::default();
            hash.write(black_box(&text));
            hash.sum()
        });
    });
    match Reference::start() {
        Ok(mut go) => {
            let expected = u64::from(recipe.hash(schema, ty, container));
            group.bench_function("real Go", |b| {
                b.iter_custom(|count| go.time(count, expected));
            });
        }
        Err(why) => eprintln!("real Go is left out: {why}"),
    }
    group.finish();
}

struct Reference {
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Reference {
    fn start() -> Result<Reference, String> {
        let path = match std::env::var_os("KUBEHASH_REFERENCE") {
            Some(path) => PathBuf::from(path),
            None => Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../target/go-ref")
                .join(format!("{RELEASE}-optimised"))
                .join("reference"),
        };
        let mut child = Command::new(&path)
            .env("TZ", "UTC")
            .env("GOMAXPROCS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", path.display()))?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes".into());
        };
        Ok(Reference {
            requests,
            answers: BufReader::new(answers),
        })
    }

    /// The time for `count` hashes, as Go measured it. Go and engine must agree on the hash.
    fn time(&mut self, count: u64, expected: u64) -> Duration {
        let pod: serde_json::Value = serde_json::from_str(POD).unwrap();
        let request = serde_json::json!({
            "id": "bench", "subject": "container-hash-timing", "release": RELEASE,
            "view": "decoded", "object": pod, "count": count,
        });
        writeln!(self.requests, "{request}").unwrap();
        self.requests.flush().unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            answer["sum"].as_u64(),
            Some(expected.wrapping_mul(count)),
            "{line}"
        );
        Duration::from_nanos(answer["nanoseconds"].as_u64().unwrap())
    }
}

criterion_group!(benches, container_hash);
criterion_main!(benches);
