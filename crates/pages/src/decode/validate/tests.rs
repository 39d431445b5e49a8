use parquet::basic::{Encoding, Type};

use crate::decode::validate::*;

/// Returns a nullable list of optional numbers:
/// `optional group list { repeated group { optional int64 } }`.
fn list() -> Leaf {
    Leaf::of_levels(Type::INT64, 3, vec![2])
}

fn flat(physical: Type, max_definition: u32) -> Leaf {
    Leaf::of_levels(physical, max_definition, Vec::new())
}

/// Returns levels of up to three bits as one bit-packed run.
fn packed(levels: &[u32], width: u32) -> Vec<u8> {
    let groups = levels.len().div_ceil(8);
    let mut bytes = vec![(groups << 1 | 1) as u8];
    bytes.resize(1 + groups * width as usize, 0);
    for (number, level) in levels.iter().enumerate() {
        for bit in 0..width as usize {
            let at = number * width as usize + bit;
            bytes[1 + at / 8] |= ((level >> bit & 1) as u8) << (at % 8);
        }
    }
    bytes
}

/// Returns an uncompressed page of version 2 of a list column.
fn page(repetition: &[u32], definition: &[u32], values: &[u8], rows: u32) -> (PageHeader, Vec<u8>) {
    let (repetitions, definitions) = (packed(repetition, 1), packed(definition, 2));
    let kind = PageKind::DataV2 {
        num_nulls: 0,
        num_rows: rows,
        definition_bytes: definitions.len() as u32,
        repetition_bytes: repetitions.len() as u32,
        is_compressed: false,
    };
    let bytes = [repetitions, definitions, values.to_vec()].concat();
    (header(kind, repetition.len() as u32, Encoding::PLAIN, bytes.len()), bytes)
}

fn header(kind: PageKind, num_values: u32, encoding: Encoding, size: usize) -> PageHeader {
    PageHeader { kind, num_values, encoding, uncompressed_size: size, compressed_size: size, crc: None }
}

fn of_list(repetition: &[u32], definition: &[u32], rows: u32) -> Result<u32, String> {
    let (header, bytes) = page(repetition, definition, &[0; 80], rows);
    of_rows(&list(), &header, &bytes, rows as usize)
}

/// Validates the only page of a chunk, with this number of rows.
fn of_rows(leaf: &Leaf, header: &PageHeader, bytes: &[u8], rows: usize) -> Result<u32, String> {
    let place = PagePlace { rows: Some(0..rows), all: 100, is_last: true };
    Levels::default().page(leaf, header, bytes, &place, &Agreement::default())
}

#[test]
fn lists_as_they_should_be() {
    // [1, null], [], null, [2]
    assert_eq!(of_list(&[0, 1, 0, 0, 0], &[3, 2, 1, 0, 3], 4), Ok(3));
}

#[test]
fn lists_that_are_none() {
    let refused = |repetition: &[u32], definition: &[u32], rows: u32, words: &str| {
        let what = of_list(repetition, definition, rows).expect_err(words);
        assert!(what.contains(words), "{what}");
    };
    refused(&[1, 0], &[3, 3], 1, "its first value begins no row: its repetition level is 1");
    refused(&[0, 1], &[1, 3], 1, "value 1 continues a list that is null or empty");
    refused(&[0, 1], &[3, 0], 1, "value 1 continues a list that is null or empty");
    refused(&[0, 0], &[3, 3], 1, "2 rows begin in it, 1 were expected");
    let (header, mut bytes) = page(&[0, 0], &[3, 3], &[0; 80], 2);
    bytes.truncate(4);
    let what = of_rows(&list(), &header, &bytes, 2).expect_err("it is cut");
    assert_eq!(what, "its levels end behind it");
    let (header, bytes) = page(&[0, 0], &[3, 3], &[0; 15], 2);
    let what = of_rows(&list(), &header, &bytes, 2).expect_err("it is cut");
    assert_eq!(what, "it ends before its last value");
}

/// A row may continue in the next page, if pages are of version 1 and have no index.
#[test]
fn rows_across_pages() {
    let of = |levels: &mut Levels, repetition: &[u32], definition: &[u32]| {
        let (header, bytes) = page(repetition, definition, &[0; 80], 0);
        let place = PagePlace { rows: None, all: 2, is_last: false };
        levels.page(&list(), &header, &bytes, &place, &Agreement::default())
    };
    let mut levels = Levels::default();
    assert_eq!(of(&mut levels, &[0, 1], &[3, 3]), Ok(0));
    assert_eq!(of(&mut levels, &[1, 0], &[3, 1]), Ok(1));
    let what = of(&mut levels, &[1], &[3]).expect_err("the last list was empty");
    assert_eq!(what, "value 0 continues a list that is null or empty");
    let what = of(&mut levels, &[0], &[3]).expect_err("a row too many");
    assert_eq!(what, "with it its column has 3 rows, the row group 2");
}

#[test]
fn levels_above_the_greatest() {
    let leaf = flat(Type::INT64, 2);
    let kind = |bytes: &[u8]| PageKind::DataV2 {
        num_nulls: 0,
        num_rows: 4,
        definition_bytes: bytes.len() as u32,
        repetition_bytes: 0,
        is_compressed: false,
    };
    let of = |levels: Vec<u8>| {
        let header = header(kind(&levels), 4, Encoding::PLAIN, levels.len());
        let bytes = [&levels[..], &[0; 32]].concat();
        of_rows(&leaf, &header, &bytes, 4)
    };
    assert_eq!(of(packed(&[2, 1, 0, 2], 2)), Ok(2));
    let above = Err("it has a definition level above its column's greatest, 2".to_owned());
    assert_eq!(of(packed(&[2, 1, 3, 2], 2)), above);
    // a run of four threes
    assert_eq!(of(vec![8, 3]), above);
    assert_eq!(of(vec![4, 2]), Err("definition levels: RLE: the input ends after 2 of 4 values".to_owned()));
}

/// Leaves of one struct with pages and blocks of different sizes.
#[test]
fn neighbours_agree_or_not() {
    let shared = agreement::Shared { left: 0, definition: 1, repetition: 0 };
    let leaf = Leaf { shared: vec![shared], ..flat(Type::INT64, 2) };
    let levels: Vec<u32> = (0..3000).map(|row| row % 7 % 3).collect();
    let read = |levels: &[u32], agreement: &Agreement, size: usize| {
        let (mut walk, mut from) = (Levels::default(), 0);
        for rows in levels.chunks(size) {
            let groups = rows.len().div_ceil(8);
            let mut definition = packed(rows, 2);
            // a header of more than one byte
            definition.splice(..1, [(groups << 1 | 1) as u8 | 0x80, (groups >> 6) as u8]);
            let kind = PageKind::DataV2 {
                num_nulls: 0,
                num_rows: rows.len() as u32,
                definition_bytes: definition.len() as u32,
                repetition_bytes: 0,
                is_compressed: false,
            };
            let bytes = [definition, vec![0; rows.len() * 8]].concat();
            let header = header(kind, rows.len() as u32, Encoding::PLAIN, bytes.len());
            let is_last = from + rows.len() == levels.len();
            let place = PagePlace { rows: Some(from..from + rows.len()), all: levels.len(), is_last };
            walk.page(&leaf, &header, &bytes, &place, agreement)?;
            from += rows.len();
        }
        Ok(())
    };
    // values may be null in rows where the neighbour's are not
    let other: Vec<u32> = levels.iter().map(|&level| if level == 2 { 1 } else { level }).collect();
    for at in [None, Some(0), Some(1023), Some(1024), Some(2999)] {
        let mut changed = other.clone();
        at.into_iter().for_each(|at: usize| changed[at] = 1 - changed[at].min(1));
        let agreement = Agreement::default();
        assert_eq!(read(&levels, &agreement, 700), Ok(()));
        let disagrees = "it has other nulls or lists around its values than the leaf beside it".to_owned();
        let expected = if at.is_some() { Err(disagrees) } else { Ok(()) };
        assert_eq!(read(&changed, &agreement, 1000), expected, "{at:?}");
    }
}

/// Returns one block of DELTA_BINARY_PACKED with four miniblocks. Differences of neighbouring
/// values have to fit a signed byte.
fn delta(values: &[i32]) -> Vec<u8> {
    let mut bytes = vec![0x80, 1, 4, values.len() as u8, (values.first().unwrap_or(&0) << 1) as u8];
    if values.len() > 1 {
        // deltas are at least -128, zigzag 255
        bytes.extend([0xff, 1, 8, 0, 0, 0]);
        bytes.extend(values.windows(2).map(|pair| (pair[1] - pair[0] + 128) as u8));
        bytes.resize(bytes.len() + 33 - values.len(), 0);
    }
    bytes
}

fn front_coded(prefixes: &[i32], suffixes: &[i32], text: &[u8]) -> Result<(), String> {
    let bytes = [&delta(prefixes), &delta(suffixes), text].concat();
    values::check(&flat(Type::BYTE_ARRAY, 0), Encoding::DELTA_BYTE_ARRAY, &bytes, prefixes.len())
}

#[test]
fn prefixes_and_suffixes() {
    assert_eq!(front_coded(&[0, 2, 3], &[2, 1, 0], b"abc"), Ok(()));
    for (prefixes, number) in [(&[1, 2, 3], 0), (&[0, 3, 3], 1), (&[0, 2, 9], 2), (&[0, -1, 3], 1)] {
        let what = front_coded(prefixes, &[2, 1, 0], b"abc").expect_err("it shares too much");
        assert_eq!(
            what,
            format!("DELTA_BYTE_ARRAY: value {number} shares more than there is with the one before it")
        );
    }
    let long = "the length of value 3 is negative, or goes beyond the page".to_owned();
    assert_eq!(front_coded(&[0, 2, 3], &[2, 1, 1], b"abc"), Err(long));
    let negative = "the length of value 1 is negative, or goes beyond the page".to_owned();
    assert_eq!(front_coded(&[0, 2, 1], &[2, -1, 0], b"abc"), Err(negative));
}

#[test]
fn counts_of_deltas() {
    let check = |bytes: &[u8], count| {
        values::check(&flat(Type::BYTE_ARRAY, 0), Encoding::DELTA_LENGTH_BYTE_ARRAY, bytes, count)
    };
    let bytes = [&delta(&[1, 2, 0])[..], b"abc"].concat();
    assert_eq!(check(&bytes, 3), Ok(()));
    for count in [2, 4] {
        let what = format!("DELTA_BINARY_PACKED: its header says 3 values, the page has {count}");
        assert_eq!(check(&bytes, count), Err(what));
    }
    // a header of 2^40 values in a page of three
    let mut claims = vec![0x80, 1, 4];
    claims.extend([0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 2]);
    let what = check(&claims, 3).expect_err("it claims too much");
    assert_eq!(what, "DELTA_BINARY_PACKED: its header says 1099511627776 values, the page has 3");
    // no miniblocks, miniblocks of no values
    for header in [[0x80, 1, 0, 3, 0], [0, 1, 4, 3, 0]] {
        let what = check(&header, 3).expect_err("no header");
        assert_eq!(what, "DELTA_BINARY_PACKED: what is at byte 0 is no header");
    }
}

/// Lengths of several blocks and of all widths, compared with values that the test packs itself.
#[test]
fn lengths_of_many_widths() {
    for width in 0..=31u32 {
        let deltas: Vec<u64> =
            (0..300u64).map(|n| n.wrapping_mul(0x9e37_79b9) & ((1 << width) - 1)).collect();
        // blocks of 128 with one miniblock of 128
        let mut bytes = vec![0x80, 1, 1, 0xad, 2, 0];
        for block in deltas.chunks(128) {
            bytes.extend([0, width as u8]);
            let mut bits = vec![0u8; 16 * width as usize];
            for (number, delta) in block.iter().enumerate() {
                for bit in (0..width as usize).filter(|bit| delta >> bit & 1 == 1) {
                    let at = number * width as usize + bit;
                    bits[at / 8] |= 1 << (at % 8);
                }
            }
            bytes.extend(bits);
        }
        let end = delta::walk(&bytes, 32, 301, true).expect("a sound page");
        assert_eq!(end, bytes.len());
        let sums = deltas.iter().scan(0i32, |sum, &delta| {
            *sum = sum.wrapping_add(delta as i32);
            Some(*sum)
        });
        let expected: Vec<i32> = std::iter::once(0).chain(sums).collect();
        let found: Vec<i32> = delta::Lengths::new(&bytes).expect("a header").take(301).collect();
        assert_eq!(found, expected, "{width}");
        if width > 0 {
            assert!(delta::walk(&bytes[..end - 16 * width as usize], 32, 301, true).is_err());
        }
    }
}

#[test]
fn timestamps_beyond_their_unit() {
    let value = |days: i32, nanoseconds: i64| [&nanoseconds.to_le_bytes()[..], &days.to_le_bytes()].concat();
    let check = |days, unit| moments::check(&value(days, 0), 1, unit);
    use arrow::datatypes::TimeUnit::{Microsecond, Nanosecond};
    // the epoch, the last day in range, and the day after it
    assert_eq!(check(2_440_588, Nanosecond), Ok(()));
    assert_eq!(check(2_440_588 + 106_751, Nanosecond), Ok(()));
    assert!(check(2_440_588 + 106_752, Nanosecond).is_err());
    for (days, year) in [(5_373_484, 9999), (1_721_426, 1), (2_305_448, 1600)] {
        let what = check(days, Nanosecond).expect_err("nanoseconds don't hold it");
        assert!(what.contains(&format!("of the year {year}, ")), "{what}");
        assert_eq!(check(days, Microsecond), Ok(()));
    }
    assert!(check(i32::MAX, Microsecond).is_err());
    assert_eq!(moments::check(&value(2_440_588, i64::MIN), 1, Nanosecond), Ok(()));
}

#[test]
#[allow(deprecated)] // BIT_PACKED
fn bit_packed_levels_become_hybrids() {
    let leaf = list();
    let kind =
        PageKind::DataV1 { definition_levels: Encoding::BIT_PACKED, repetition_levels: Encoding::BIT_PACKED };
    let header = header(kind, 5, Encoding::PLAIN, 0);
    // repetition, then definition levels of `[1, null], [], null, [2]`
    let bytes = [&[0b0100_0000, 0b1110_0100, 0b1100_0000][..], &[7; 16]].concat();
    let page = leaf.with_hybrid_levels(&header, bytes.clone().into()).expect("a sound page");
    let rewritten = PageHeader {
        kind: PageKind::DataV1 { definition_levels: Encoding::RLE, repetition_levels: Encoding::RLE },
        ..header
    };
    assert_eq!(of_rows(&leaf, &rewritten, &page, 4), Ok(3));
    assert!(page.ends_with(&[7; 16]) && page.len() == 4 + 2 + 4 + 3 + 16);
    let what = leaf.with_hybrid_levels(&header, bytes[..2].to_vec().into());
    assert_eq!(what, Err("its levels end behind it".to_owned()));
}
