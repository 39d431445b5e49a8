//! Pages that no available writer makes: runs of any length, old levels, blocks of any size; and
//! each kind of damage.

use parquet::basic::{Encoding, Type};
use pelton_gpu::window::{Error, RawWindow};
use pelton_pages::raw::RawPage;
use pelton_random::Random;

use super::copy_out::{Bench, Kind, Value};
use super::craft::{Levels, deltas, dictionary, hybrid, page, type_of, window};

/// Returns which of some rows have a value: most, few, none or all.
fn validity(rows: usize, random: &mut Random) -> Vec<bool> {
    let share = *random.pick(&[0.0, 0.02, 0.5, 0.98, 1.0]);
    (0..rows).map(|_| random.chance(share)).collect()
}

/// Returns the values of a column of 8-byte numbers.
fn numbers(raw: &RawWindow, kind: Kind, rows: usize) -> Vec<Value> {
    let bench = Bench::shared();
    let window = bench.stage(raw).unwrap();
    window.check(&bench.compute).unwrap();
    let found = bench.column(&window, 0, kind, rows, 0);
    window.check(&bench.compute).unwrap();
    found.values
}

fn levels_of(valid: &[bool], random: &mut Random) -> Option<Levels> {
    let how = *random.pick(&[Levels::V1, Levels::V2, Levels::Packed]);
    (!valid.is_empty()).then_some(how)
}

/// Returns a number of rows: around the sizes at which something is rounded, or many.
fn rows(random: &mut Random) -> usize {
    let few = 1 + random.below(70);
    *random.pick(&[1, 31, 32, 33, 63, 64, 65, 256, 1025, few])
}

/// Returns values that repeat, so that there are runs of repeated indices.
fn repeating(count: usize, below: u64, random: &mut Random) -> Vec<u32> {
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let value = (random.next() % below) as u32;
        let times = *random.pick(&[1, 1, 2, 9, 100]);
        values.extend(std::iter::repeat_n(value, times.min(count - values.len())));
    }
    values
}

#[test]
fn codes_in_any_runs() {
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let count = *random.pick(&[1usize, 2, 7, 300]);
        let entries: Vec<i64> = (0..count).map(|_| random.next() as i64).collect();
        let bytes = entries.iter().flat_map(|value| value.to_le_bytes()).collect();
        let is_optional = random.chance(0.7);
        let (mut pages, mut expected) = (Vec::new(), Vec::new());
        for number in 1..=3 {
            let rows = rows(random);
            let valid = if is_optional { validity(rows, random) } else { vec![true; rows] };
            let codes = repeating(valid.iter().filter(|valid| **valid).count(), count as u64, random);
            let needed = usize::BITS - (count - 1).leading_zeros();
            let width = needed + random.below(33 - needed as usize) as u32;
            let values = [&[width as u8][..], &hybrid(&codes, width, random)].concat();
            let levels = is_optional.then(|| (&valid[..], levels_of(&valid, random).unwrap()));
            let first = expected.len();
            pages.push(page(number, first, levels, rows, Encoding::RLE_DICTIONARY, &values, random));
            let mut codes = codes.into_iter();
            expected.extend(valid.iter().map(|valid| match valid {
                true => Value::Bits(i128::from(entries[codes.next().unwrap() as usize])),
                false => Value::Null,
            }));
        }
        let raw = window(type_of(Type::INT64, 8, is_optional), Some(dictionary(count, bytes)), pages);
        assert_eq!(numbers(&raw, Kind::I64, expected.len()), expected, "seed {seed}");
    }
}

#[test]
fn deltas_in_any_blocks() {
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let bits = *random.pick(&[32, 64]);
        let spread = random.below(bits as usize);
        let (mut pages, mut expected) = (Vec::new(), Vec::new());
        for number in 0..3 {
            let rows = rows(random);
            let valid = validity(rows, random);
            let count = valid.iter().filter(|valid| **valid).count();
            // differences of 32 and 64 bits are among them, and none at all
            let value = |random: &mut Random| (random.next() as i64 >> (64 - bits)) >> spread;
            let values: Vec<i64> = (0..count).map(|_| value(random)).collect();
            let encoded = deltas(&values, bits, random);
            let levels = Some((&valid[..], levels_of(&valid, random).unwrap()));
            let first = expected.len();
            pages.push(page(number, first, levels, rows, Encoding::DELTA_BINARY_PACKED, &encoded, random));
            let mut values = values.into_iter();
            expected.extend(valid.iter().map(|valid| match valid {
                true => Value::Bits(i128::from(values.next().unwrap())),
                false => Value::Null,
            }));
        }
        let physical = if bits == 32 { Type::INT32 } else { Type::INT64 };
        let raw = window(type_of(physical, bits / 8, true), None, pages);
        assert_eq!(numbers(&raw, Kind::I64, expected.len()), expected, "seed {seed}");
    }
}

#[test]
fn booleans_in_any_runs() {
    for seed in 0..30 {
        let random = &mut Random::new(seed);
        let rows = rows(random);
        let bits = repeating(rows, 2, random);
        let runs = hybrid(&bits, 1, random);
        let values = [&(runs.len() as u32).to_le_bytes()[..], &runs].concat();
        let pages = vec![page(0, 0, None, rows, Encoding::RLE, &values, random)];
        let expected: Vec<_> = bits.iter().map(|bit| Value::Bits(i128::from(*bit))).collect();
        let raw = window(type_of(Type::BOOLEAN, 0, false), None, pages);
        assert_eq!(numbers(&raw, Kind::Bool, rows), expected, "seed {seed}");
    }
}

/// Makes a page of `rows` rows without nulls.
fn plain(encoding: Encoding, rows: usize, values: &[u8]) -> RawPage {
    page(1, 0, None, rows, encoding, values, &mut Random::new(0))
}

/// Returns the error of a column of one damaged page.
fn fault(of: Type, is_optional: bool, page: RawPage, expected: &str) -> String {
    let rows = page.rows.len();
    let (width, kind) = match of {
        Type::BOOLEAN => (0, Kind::Bool),
        Type::INT32 => (4, Kind::I64),
        Type::FIXED_LEN_BYTE_ARRAY => (3, Kind::Bytes),
        Type::BYTE_ARRAY => (0, Kind::Bytes),
        _ => (8, Kind::I64),
    };
    let entries = page.is_coded().then(|| dictionary(2, [[1; 8], [2; 8]].concat()));
    let bench = Bench::shared();
    let window = bench.stage(&window(type_of(of, width, is_optional), entries, vec![page])).unwrap();
    bench.column(&window, 0, kind, rows, 100);
    match window.check(&bench.compute) {
        Err(Error::Pages(error)) => {
            let text = error.to_string();
            let what = text.strip_prefix("made up: row group 0, column c, page 1: cannot decode: ");
            what.unwrap_or_else(|| panic!("{text}")).to_owned()
        }
        other => panic!("{other:?}, and not {expected}"),
    }
}

/// Errors of the CPU's path for the same bytes, where it has texts of its own (pelton-bitpack's,
/// and `pages/src/read/flat.rs`).
#[test]
fn damage_has_its_name() {
    use Encoding as E;
    let random = &mut Random::new(0);
    let valid = [true, false, true, true];
    let mut too_long = page(1, 0, Some((&valid, Levels::V1)), 4, E::PLAIN, &[0; 24], random);
    too_long.bytes = [&[200, 0, 0, 0], &too_long.bytes[4..]].concat().into();
    let mut miscounted = page(1, 0, Some((&valid, Levels::V2)), 4, E::PLAIN, &[0; 24], random);
    if let pelton_pages::header::PageKind::DataV2 { num_nulls, .. } = &mut miscounted.header.kind {
        *num_nulls = 2;
    }
    let codes = |values: &[u8]| plain(E::RLE_DICTIONARY, 10, values);
    let delta = |values: &[u8]| plain(E::DELTA_BINARY_PACKED, 10, values);
    let cases: Vec<(Type, bool, RawPage, &str)> = vec![
        (Type::INT64, true, too_long, "its levels end behind it"),
        (Type::INT64, true, miscounted, "3 of its 4 values are not null, its header says that 2 are null"),
        (Type::INT64, false, codes(&[1, 8, 1]), "RLE: the input ends after 4 of 10 values"),
        (Type::INT64, false, codes(&[1]), "RLE: the input ends after 0 of 10 values"),
        (Type::INT64, false, codes(&[1, 20]), "RLE: the input ends within the run at byte 0"),
        (Type::INT64, false, codes(&[2, 8, 1, 5, 7]), "RLE: the input ends within the run at byte 2"),
        (
            Type::INT64,
            false,
            codes(&[1, 0xff, 0xff, 0xff, 0xff, 0x1f]),
            "RLE: the header at byte 0 is of more than 32 bits",
        ),
        (Type::INT64, false, codes(&[1, 8, 1, 1, 9]), "RLE: the run at byte 2 has no values"),
        (Type::INT64, false, codes(&[1, 20, 2]), "RLE: the value of the run at byte 0 has too many bits"),
        (Type::INT64, false, codes(&[33, 20, 0, 0, 0, 0, 0]), "its codes have 33 bits, the most are 32"),
        (Type::INT64, false, codes(&[2, 20, 3]), "3 is not a code of the dictionary"),
        (Type::INT64, false, plain(E::PLAIN, 2, &[0; 15]), "it ends before its last value"),
        (Type::BOOLEAN, false, plain(E::PLAIN, 9, &[0]), "it ends before its last value"),
        (Type::BOOLEAN, false, plain(E::RLE, 9, &[9, 0, 0, 0, 18, 1]), "it ends before its last value"),
        (Type::BYTE_ARRAY, false, plain(E::PLAIN, 2, &[0; 7]), "it ends before its last value"),
        (
            Type::BYTE_ARRAY,
            false,
            plain(E::PLAIN, 2, &[0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 2]),
            "the length of value 1 is negative, or goes beyond the page",
        ),
        (Type::INT64, false, delta(&[0x80]), "DELTA_BINARY_PACKED: what is at byte 0 is no header"),
        (
            Type::INT64,
            false,
            delta(&[0x80, 1, 0, 10, 0]),
            "DELTA_BINARY_PACKED: what is at byte 0 is no header",
        ),
        (Type::INT64, false, delta(&[0x80, 1, 4, 9, 0]), "DELTA_BINARY_PACKED: it ends before value 10"),
        (
            Type::INT64,
            false,
            delta(&[0x80, 1, 4, 10, 0]),
            "DELTA_BINARY_PACKED: what is at byte 5 is no header",
        ),
        (
            Type::INT64,
            false,
            delta(&[0x80, 1, 4, 10, 0, 0, 8, 0, 0, 0, 1]),
            "DELTA_BINARY_PACKED: it ends before value 1",
        ),
        (
            Type::INT32,
            false,
            delta(&[&[0x80, 1, 4, 10, 0, 0, 33, 0, 0, 0][..], &[0; 200]].concat()),
            "DELTA_BINARY_PACKED: deltas of 33 bits are wider than the values",
        ),
        (
            Type::BYTE_ARRAY,
            false,
            // the first of two lengths is negative
            plain(E::DELTA_LENGTH_BYTE_ARRAY, 2, &[0x80, 1, 4, 2, 1, 2, 0, 0, 0, 0]),
            "the length of value 0 is negative, or goes beyond the page",
        ),
        (
            Type::BYTE_ARRAY,
            false,
            // two prefixes and two suffixes
            plain(
                E::DELTA_BYTE_ARRAY,
                2,
                &[0x80, 1, 4, 2, 0, 2, 0, 0, 0, 0, 0x80, 1, 4, 2, 0, 2, 0, 0, 0, 0, 7],
            ),
            "DELTA_BYTE_ARRAY: value 1 shares more than there is with the one before it",
        ),
        (
            Type::FIXED_LEN_BYTE_ARRAY,
            false,
            // an empty prefix, and a suffix of another length than the type
            plain(E::DELTA_BYTE_ARRAY, 1, &[0x80, 1, 4, 1, 0, 0x80, 1, 4, 1, 4, 7, 7]),
            "value 0 has another length than its column's values",
        ),
    ];
    for (of, is_optional, page, expected) in cases {
        let what = format!("{of} in {}", page.header.encoding);
        assert_eq!(fault(of, is_optional, page, expected), expected, "{what}");
    }
}
