//! The hash functions that Kubernetes feeds, and the sinks that printers write into.
//!
//! In: bytes, piece by piece. Out: a number. A printer does not know whether its text becomes a
//! preimage (`Vec<u8>`), a hash, or the dump of a byte slice that is hashed in its turn: all are
//! [`Sink`]s. FNV-32, 32a and 128a are ours (the `fnv` crate is 64-bit only), and so is CRC-32;
//! adler32 and md5 come from crates.
//!
//! Mirrors `hash/fnv`, `hash/adler32`, `hash/crc32` and `crypto/md5`, which have not changed since Go 1.4.

use std::sync::LazyLock;

/// Takes text as it is printed.
pub trait Sink {
    /// Takes the next bytes.
    fn write(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn write(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

const PRIME_32: u32 = 0x0100_0193;
const OFFSET_32: u32 = 0x811c_9dc5;
const PRIME_128: u128 = (1 << 88) + 0x13b;
const OFFSET_128: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;

/// `fnv.New32a`: xor, then multiply.
#[derive(Clone, Copy, Debug)]
pub struct Fnv32a(u32);

/// `fnv.New32`: multiply, then xor. Not the same as [`Fnv32a`].
#[derive(Clone, Copy, Debug)]
pub struct Fnv32(u32);

/// `fnv.New128a`.
#[derive(Clone, Copy, Debug)]
pub struct Fnv128a(u128);

impl Default for Fnv32a {
    fn default() -> Self {
        Fnv32a(OFFSET_32)
    }
}

impl Default for Fnv32 {
    fn default() -> Self {
        Fnv32(OFFSET_32)
    }
}

impl Default for Fnv128a {
    fn default() -> Self {
        Fnv128a(OFFSET_128)
    }
}

impl Fnv32a {
    /// `Sum32`
    pub fn sum(self) -> u32 {
        self.0
    }
}

impl Fnv32 {
    /// `Sum32`
    pub fn sum(self) -> u32 {
        self.0
    }
}

impl Fnv128a {
    /// `Sum(nil)`: big-endian.
    pub fn sum(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }
}

impl Sink for Fnv32a {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |h, byte| {
            (h ^ u32::from(*byte)).wrapping_mul(PRIME_32)
        });
    }
}

impl Sink for Fnv32 {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |h, byte| {
            h.wrapping_mul(PRIME_32) ^ u32::from(*byte)
        });
    }
}

impl Sink for Fnv128a {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |h, byte| {
            (h ^ u128::from(*byte)).wrapping_mul(PRIME_128)
        });
    }
}

/// `adler32.New`.
#[derive(Clone, Debug, Default)]
pub struct Adler32(adler2::Adler32);

impl Adler32 {
    /// `Sum32`
    pub fn sum(&self) -> u32 {
        self.0.checksum()
    }
}

impl Sink for Adler32 {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write_slice(bytes);
    }
}

/// `crc32.NewIEEE`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Crc32(u32);

/// The remainder of each byte, by the polynomial of IEEE 802.3 with its bits reversed.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 {
                rest >> 1 ^ 0xedb8_8320
            } else {
                rest >> 1
            };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
};

impl Crc32 {
    /// `Sum32`
    pub fn sum(self) -> u32 {
        self.0
    }
}

impl Sink for Crc32 {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = !bytes.iter().fold(!self.0, |rest, byte| {
            rest >> 8 ^ CRC_TABLE[((rest ^ u32::from(*byte)) & 0xff) as usize]
        });
    }
}

/// `md5.New`.
#[derive(Clone, Debug, Default)]
pub struct Md5(md5::Md5);

impl Md5 {
    /// `hex.EncodeToString(Sum(nil))`
    pub fn hex(&self) -> String {
        use md5::Digest as _;
        hex(&self.0.clone().finalize())
    }
}

impl Sink for Md5 {
    fn write(&mut self, bytes: &[u8]) {
        use md5::Digest as _;
        self.0.update(bytes);
    }
}

/// `hex.EncodeToString`
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            // Writing to a String cannot fail.
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// How spew prints a `[]byte`: `([]uint8)[123 34 …]`, written on as the bytes come.
///
/// From 1.16 on `HashContainer` hashes this text of the JSON, not the JSON. [`DumpFnv32a`] does
/// the same in one step per byte; this is the plain path beside it.
#[derive(Debug)]
pub struct ByteDump<S> {
    inner: S,
    first: bool,
}

const DUMP_OPEN: &[u8] = b"([]uint8)[";
const DUMP_CLOSE: &[u8] = b"]";

impl<S: Sink> ByteDump<S> {
    /// Opens the dump.
    pub fn new(mut inner: S) -> ByteDump<S> {
        inner.write(DUMP_OPEN);
        ByteDump { inner, first: true }
    }

    /// Closes the dump and hands the inner sink back.
    pub fn finish(mut self) -> S {
        self.inner.write(DUMP_CLOSE);
        self.inner
    }
}

impl<S: Sink> Sink for ByteDump<S> {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let text = SpacedDecimal::of(*byte);
            self.inner.write(if self.first {
                text.without_space()
            } else {
                text.bytes()
            });
            self.first = false;
        }
    }
}

/// ` 123`: a byte in decimal after a space.
struct SpacedDecimal {
    text: [u8; 4],
    len: usize,
}

impl SpacedDecimal {
    const fn of(byte: u8) -> SpacedDecimal {
        let (a, b, c) = (b'0' + byte / 100, b'0' + byte / 10 % 10, b'0' + byte % 10);
        let (text, len) = match byte {
            0..=9 => ([b' ', c, 0, 0], 2),
            10..=99 => ([b' ', b, c, 0], 3),
            100..=255 => ([b' ', a, b, c], 4),
        };
        SpacedDecimal { text, len }
    }

    fn bytes(&self) -> &[u8] {
        &self.text[..self.len]
    }

    fn without_space(&self) -> &[u8] {
        &self.text[1..self.len]
    }
}

/// FNV-32a of a byte slice's dump, one table step per byte.
///
/// FNV-1a is a polynomial in its state plus an 8-bit automaton: with `l` the low byte of the state
/// `h`, `h ^ c = h + ((l ^ c) - l)`, and the next low byte depends on `l` and `c` alone. So over
/// the constant text ` 123` of a byte one step is `h·Pⁿ + T[l]`, with `T` a table of 256 numbers
/// for each of the 256 bytes.
#[derive(Clone, Copy, Debug)]
pub struct DumpFnv32a {
    state: Fnv32a,
    first: bool,
}

struct DumpTable {
    /// `P` to the length of the byte's text.
    power: [u32; 256],
    /// What the text adds, by byte and low byte of the state.
    add: Box<[[u32; 256]]>,
}

static DUMP_TABLE: LazyLock<DumpTable> = LazyLock::new(|| {
    let mut table = DumpTable {
        power: [0; 256],
        add: vec![[0; 256]; 256].into(),
    };
    for byte in 0..=255u8 {
        let text = SpacedDecimal::of(byte);
        let power = PRIME_32.wrapping_pow(text.len as u32);
        table.power[usize::from(byte)] = power;
        for low in 0..=255u8 {
            let mut state = Fnv32a(u32::from(low));
            state.write(text.bytes());
            table.add[usize::from(byte)][usize::from(low)] =
                state.0.wrapping_sub(u32::from(low).wrapping_mul(power));
        }
    }
    table
});

impl Default for DumpFnv32a {
    fn default() -> Self {
        let mut state = Fnv32a::default();
        state.write(DUMP_OPEN);
        DumpFnv32a { state, first: true }
    }
}

impl DumpFnv32a {
    /// Closes the dump; `Sum32` of its text.
    pub fn finish(mut self) -> u32 {
        self.state.write(DUMP_CLOSE);
        self.state.sum()
    }
}

impl Sink for DumpFnv32a {
    fn write(&mut self, bytes: &[u8]) {
        let bytes = match bytes.split_first() {
            Some((byte, rest)) if self.first => {
                self.first = false;
                self.state.write(SpacedDecimal::of(*byte).without_space());
                rest
            }
            _ => bytes,
        };
        let table = &*DUMP_TABLE;
        self.state.0 = bytes.iter().fold(self.state.0, |h, byte| {
            let byte = usize::from(*byte);
            h.wrapping_mul(table.power[byte])
                .wrapping_add(table.add[byte][(h & 0xff) as usize])
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<S: Sink>(mut sink: S, bytes: &[u8]) -> S {
        sink.write(bytes);
        sink
    }

    #[test]
    fn published_test_vectors() {
        // From Go's hash/fnv, hash/adler32, hash/crc32 and crypto/md5 tests.
        assert_eq!(all(Crc32::default(), b"abc").sum(), 0x3524_41c2);
        assert_eq!(all(Fnv32a::default(), b"abc").sum(), 0x1a47_e90b);
        assert_eq!(all(Fnv32::default(), b"abc").sum(), 0x439c_2f4b);
        assert_eq!(
            hex(&all(Fnv128a::default(), b"abc").sum()),
            "a68d622cec8b5822836dbc7977af7f3b"
        );
        assert_eq!(all(Adler32::default(), b"abc").sum(), 0x024d_0127);
        assert_eq!(
            all(Md5::default(), b"abc").hex(),
            "900150983cd24fb0d6963f7d28e17f72"
        );
    }

    #[test]
    fn the_dump_reads_like_spew() {
        let mut dump = ByteDump::new(Vec::new());
        dump.write(&[0, 9]);
        dump.write(&[10, 99, 100, 255]);
        assert_eq!(dump.finish(), b"([]uint8)[0 9 10 99 100 255]");
    }

    #[test]
    fn table_steps_equal_plain_ones() {
        let bytes: Vec<u8> = (0..70_000u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        for cut in [0, 1, 2, 255, 70_000] {
            let (a, b) = bytes.split_at(cut);
            let mut fast = DumpFnv32a::default();
            let mut plain = ByteDump::new(Fnv32a::default());
            for part in [a, b] {
                fast.write(part);
                plain.write(part);
            }
            assert_eq!(fast.finish(), plain.finish().sum());
        }
    }
}
