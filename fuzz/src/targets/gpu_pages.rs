//! Pages of any bytes to the GPU's kernels, in their host build: decoded, or an error, and nothing
//! outside of buffers.
//!
//! The kernels are watched by AddressSanitizer and UndefinedBehaviorSanitizer where the process has
//! them loaded: start it with
//! `LD_PRELOAD=$(g++ -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0`.

// Tools of the tests of page windows.
#[path = "../../../crates/gpu/tests/pages/copy_out.rs"]
mod copy_out;
#[path = "../../../crates/gpu/tests/pages/craft.rs"]
mod craft;

use copy_out::{Bench, Kind, Value};
use craft::{Levels, deltas, dictionary, hybrid, page, type_of, window};
use parquet::basic::{Encoding, Type};
use pelton_gpu::window::Error;
use pelton_pages::header::PageKind;
use pelton_pages::raw::RawPage;
use pelton_random::Random;

/// Rows of a page at most, so that a run stays short.
const MAX_ROWS: usize = 600;

/// Bytes of an input in front of the dictionary's and the page's.
const HEAD: usize = 8;

const TYPES: [(Type, u32, Kind); 9] = [
    (Type::INT64, 8, Kind::I64),
    (Type::INT32, 4, Kind::I64),
    (Type::BYTE_ARRAY, 0, Kind::Bytes),
    (Type::BYTE_ARRAY, 0, Kind::I128),
    (Type::FIXED_LEN_BYTE_ARRAY, 5, Kind::Bytes),
    (Type::FIXED_LEN_BYTE_ARRAY, 16, Kind::I128),
    (Type::DOUBLE, 8, Kind::F64),
    (Type::BOOLEAN, 0, Kind::Bool),
    (Type::FLOAT, 4, Kind::F32),
];

const ENCODINGS: [Encoding; 7] = [
    Encoding::RLE_DICTIONARY,
    Encoding::PLAIN,
    Encoding::DELTA_BINARY_PACKED,
    Encoding::DELTA_LENGTH_BYTE_ARRAY,
    Encoding::DELTA_BYTE_ARRAY,
    Encoding::BYTE_STREAM_SPLIT,
    Encoding::RLE,
];

const LEVELS: [Option<Levels>; 4] = [None, Some(Levels::V1), Some(Levels::Packed), Some(Levels::V2)];

/// Type, encoding, levels, rows, values and bytes of the dictionary, and bytes of levels that lie
/// apart: one or two bytes each. Then the dictionary, the levels, the values.
struct Input<'a> {
    of: usize,
    encoding: Encoding,
    levels: Option<Levels>,
    rows: usize,
    entries: usize,
    dictionary: &'a [u8],
    /// Bytes of version 2's levels.
    apart: usize,
    body: &'a [u8],
}

impl<'a> Input<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let (dictionary, body) = rest.split_at(usize::from(head[6]).min(rest.len()));
        Some(Self {
            of: usize::from(head[0]) % TYPES.len(),
            encoding: ENCODINGS[usize::from(head[1]) % ENCODINGS.len()],
            levels: LEVELS[usize::from(head[2]) % LEVELS.len()],
            rows: 1 + usize::from(u16::from_le_bytes([head[3], head[4]])) % MAX_ROWS,
            entries: usize::from(head[5]),
            dictionary,
            apart: usize::from(head[7]).min(body.len()),
            body,
        })
    }

    /// Returns a page of the body's bytes.
    fn page(&self) -> RawPage {
        // as in the seeds, one row in five is null
        let valid: Vec<bool> = (0..self.rows).map(|row| row % 5 != 1).collect();
        let levels = self.levels.map(|how| (&valid[..], how));
        let mut page = page(1, 0, levels, self.rows, self.encoding, &[], &mut Random::new(0));
        page.bytes = self.body.to_vec().into();
        page.header.uncompressed_size = self.body.len();
        page.header.compressed_size = self.body.len();
        if let PageKind::DataV2 { definition_bytes, .. } = &mut page.header.kind {
            *definition_bytes = self.apart as u32;
        }
        page
    }
}

/// Bytes that make a page, and its dictionary.
fn seed(of: u8, encoding: u8, levels: u8, entries: &[u8], random: &mut Random, values: &[u8]) -> Vec<u8> {
    let rows = 200;
    let valid: Vec<bool> = (0..rows).map(|row| row % 5 != 1).collect();
    let how = LEVELS[usize::from(levels)].map(|how| (&valid[..], how));
    let page = page(1, 0, how, rows, ENCODINGS[usize::from(encoding)], values, random);
    let apart = match page.header.kind {
        PageKind::DataV2 { definition_bytes, .. } => definition_bytes as u8,
        _ => 0,
    };
    let rows = (rows as u16 - 1).to_le_bytes();
    let count = (entries.len() / 8) as u8;
    let head = [of, encoding, levels, rows[0], rows[1], count, entries.len() as u8, apart];
    [&head[..], entries, &page.bytes].concat()
}

/// Returns a page of each encoding, with each kind of levels.
pub fn seeds() -> Vec<Vec<u8>> {
    let random = &mut Random::new(1);
    let mut seeds = Vec::new();
    for levels in 0..LEVELS.len() as u8 {
        let count = if levels == 0 { 200 } else { 160 };
        let codes: Vec<u32> = (0..count).map(|row| row / 9 % 7).collect();
        let coded = [&[3][..], &hybrid(&codes, 3, random)].concat();
        seeds.push(seed(0, 0, levels, &[9; 56], random, &coded));
        let strings: Vec<u8> = (0..count)
            .flat_map(|row| {
                [1 + row as u8 % 2, 0, 0, 0]
                    .into_iter()
                    .chain([row as u8; 3].into_iter().take(1 + row as usize % 2))
            })
            .collect();
        seeds.push(seed(2, 1, levels, &[], random, &strings));
        seeds.push(seed(4, 1, levels, &[], random, &[7; 1000]));
        seeds.push(seed(5, 5, levels, &[], random, &[7; 3200]));
        let numbers: Vec<i64> = (0..i64::from(count)).map(|row| row * row - 50 * row).collect();
        for (of, bits) in [(0, 64), (1, 32)] {
            let packed = deltas(&numbers, bits, random);
            seeds.push(seed(of, 2, levels, &[], random, &packed));
        }
        let lengths: Vec<i64> = (0..i64::from(count)).map(|row| row % 4).collect();
        let ended = [deltas(&lengths, 32, random), vec![b'x'; 2 * count as usize]].concat();
        seeds.push(seed(2, 3, levels, &[], random, &ended));
        let prefixes: Vec<i64> = (0..i64::from(count)).map(|row| i64::from(row % 8 > 1)).collect();
        let fronts = [deltas(&prefixes, 32, random), ended].concat();
        seeds.push(seed(2, 4, levels, &[], random, &fronts));
        let bits: Vec<u32> = (0..count).map(|row| row / 20 % 2).collect();
        let runs = hybrid(&bits, 1, random);
        let booleans = [&(runs.len() as u32).to_le_bytes()[..], &runs].concat();
        seeds.push(seed(7, 6, levels, &[], random, &booleans));
    }
    seeds
}

/// Decodes the page, and reads every row; `None`: the input is too short to be one.
fn decode(bytes: &[u8]) -> Option<Result<(), Error>> {
    let input = Input::parse(bytes)?;
    let (physical, width, kind) = TYPES[input.of];
    let page = input.page();
    let entries = page.is_coded().then(|| dictionary(input.entries, input.dictionary.to_vec()));
    let raw = window(type_of(physical, width, input.levels.is_some()), entries, vec![page]);
    let bench = Bench::shared();
    Some(bench.stage(&raw).and_then(|window| {
        // no value is longer than its encoded bytes, or than a value of fixed length
        let found = bench.column(&window, 0, kind, input.rows, bytes.len() + 16);
        let values = found.values.iter().filter(|value| !matches!(value, Value::Null | Value::Unwanted));
        assert!(found.coded as usize <= values.count(), "codes of rows without a value");
        window.check(&bench.compute)?;
        // a sound page has the same values when it is decoded to stay on the GPU
        let flat = bench.stage_flat(&raw, raw.clone())?;
        let decoded = bench.column(&flat, 0, kind, input.rows, bytes.len() + 16);
        assert!(decoded.values == found.values, "decoded to other values");
        flat.check(&bench.compute)
    }))
}

/// Anything may be wrong with the page, and nothing with the kernels.
pub fn run(bytes: &[u8]) {
    if let Some(Err(Error::Gpu(error))) = decode(bytes) {
        panic!("{error}");
    }
}

#[cfg(test)]
mod tests;
