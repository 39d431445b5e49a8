//! Pages written by hand, with contents that Arrow's writer never writes.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use pelton_gpu::window::{ColumnType, RawColumn, RawWindow};
use pelton_pages::Place;
use pelton_pages::header::{PageHeader, PageKind};
use pelton_pages::raw::{RawChunk, RawPage};
use pelton_random::Random;

/// Appends a number as ULEB128.
pub fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

fn zigzag(to: &mut Vec<u8>, value: i64) {
    varint(to, (value << 1 ^ value >> 63) as u64);
}

/// Appends values of `width` bits one after the other, the lowest bit first.
fn pack(to: &mut Vec<u8>, values: &[u64], width: u32) {
    let (mut bits, mut count) = (0u128, 0);
    for &value in values {
        bits |= u128::from(value) << count;
        count += width;
        while count >= 8 {
            to.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    }
    if count > 0 {
        to.push(bits as u8);
    }
}

/// Returns a hybrid of these values in runs of any length: repeated ones down to a single value,
/// packed ones of any number of groups. Bytes behind the last value of the last group may be left
/// out.
pub fn hybrid(values: &[u32], width: u32, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut at = 0;
    while at < values.len() {
        let equal = values[at..].iter().take_while(|value| **value == values[at]).count();
        if random.chance(0.5) {
            let count = 1 + random.below(equal);
            varint(&mut bytes, (count as u64) << 1);
            bytes.extend(&values[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            at += count;
            continue;
        }
        let groups = 1 + random.below(*random.clone().pick(&[1, 3, 70]));
        varint(&mut bytes, (groups as u64) << 1 | 1);
        let there = (groups * 8).min(values.len() - at);
        let mut packed: Vec<u64> = values[at..at + there].iter().map(|value| u64::from(*value)).collect();
        if random.chance(0.5) {
            packed.resize(groups * 8, 0);
        }
        pack(&mut bytes, &packed, width);
        at += there;
    }
    bytes
}

/// Encodes `DELTA_BINARY_PACKED` with blocks and miniblocks of any size, and deltas in more bits
/// than they need.
pub fn deltas(values: &[i64], bits: u32, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    let miniblocks = *random.pick(&[1, 2, 4]);
    let size = 128 / miniblocks * (1 + random.below(2));
    varint(&mut bytes, (size * miniblocks) as u64);
    varint(&mut bytes, miniblocks as u64);
    varint(&mut bytes, values.len() as u64);
    zigzag(&mut bytes, values.first().copied().unwrap_or(0));
    let wrap = |value: i64| if bits == 32 { i64::from(value as i32) } else { value };
    let differences: Vec<i64> = values.windows(2).map(|pair| wrap(pair[1].wrapping_sub(pair[0]))).collect();
    for block in differences.chunks(size * miniblocks) {
        let least = block.iter().copied().min().unwrap_or(0);
        zigzag(&mut bytes, least);
        let minis: Vec<Vec<u64>> = block
            .chunks(size)
            .map(|mini| {
                let above = mini.iter().map(|delta| delta.wrapping_sub(least) as u64);
                above.map(|delta| if bits == 32 { u64::from(delta as u32) } else { delta }).collect()
            })
            .collect();
        let widths: Vec<u32> = minis
            .iter()
            .map(|mini| {
                let needed = 64 - mini.iter().max().map_or(64, |most| most.leading_zeros());
                if random.chance(0.2) {
                    needed + random.below((bits - needed) as usize + 1) as u32
                } else {
                    needed
                }
            })
            .collect();
        bytes.extend(widths.iter().map(|width| *width as u8));
        // miniblocks without values may have any width, and have no bytes
        bytes.extend((widths.len()..miniblocks).map(|_| random.next() as u8));
        for (mini, width) in minis.into_iter().zip(widths) {
            let mut mini = mini;
            mini.resize(size, 0);
            pack(&mut bytes, &mini, width);
        }
    }
    bytes
}

/// Form of a page's definition levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Levels {
    /// Version 1, in runs.
    V1,
    /// Version 1, packed from the high bit.
    Packed,
    V2,
}

/// Makes a page of encoded `values` and levels; without levels all rows have values.
pub fn page(
    number: usize,
    first_row: usize,
    levels: Option<(&[bool], Levels)>,
    rows: usize,
    encoding: Encoding,
    values: &[u8],
    random: &mut Random,
) -> RawPage {
    #[allow(deprecated)] // old files have such levels
    let packed = Encoding::BIT_PACKED;
    let mut bytes = Vec::new();
    let v1 = |definition_levels| PageKind::DataV1 { definition_levels, repetition_levels: Encoding::RLE };
    let kind = match levels {
        None => v1(Encoding::RLE),
        Some((valid, how)) => {
            let bits: Vec<u32> = valid.iter().map(|valid| u32::from(*valid)).collect();
            let runs = hybrid(&bits, 1, random);
            match how {
                Levels::V1 => {
                    bytes.extend((runs.len() as u32).to_le_bytes());
                    bytes.extend(runs);
                    v1(Encoding::RLE)
                }
                Levels::Packed => {
                    for bits in valid.chunks(8) {
                        let byte = bits.iter().zip(0..).map(|(bit, at)| u8::from(*bit) << (7 - at));
                        bytes.push(byte.sum());
                    }
                    v1(packed)
                }
                Levels::V2 => {
                    let definition_bytes = runs.len() as u32;
                    bytes.extend(runs);
                    PageKind::DataV2 {
                        num_nulls: bits.iter().filter(|bit| **bit == 0).count() as u32,
                        num_rows: rows as u32,
                        definition_bytes,
                        repetition_bytes: 0,
                        is_compressed: false,
                    }
                }
            }
        }
    };
    bytes.extend(values);
    let header = PageHeader {
        kind,
        num_values: rows as u32,
        encoding,
        uncompressed_size: bytes.len(),
        compressed_size: bytes.len(),
        crc: None,
    };
    RawPage { page: number, rows: first_row..first_row + rows, header, bytes: Bytes::from(bytes) }
}

/// Makes a dictionary of plain values.
pub fn dictionary(values: usize, bytes: Vec<u8>) -> RawPage {
    let header = PageHeader {
        kind: PageKind::Dictionary { is_sorted: false },
        num_values: values as u32,
        encoding: Encoding::PLAIN,
        uncompressed_size: bytes.len(),
        compressed_size: bytes.len(),
        crc: None,
    };
    RawPage { page: 0, rows: 0..0, header, bytes: Bytes::from(bytes) }
}

/// Returns a type with values of `width` bytes.
pub fn type_of(physical: Type, width: u32, is_optional: bool) -> ColumnType {
    ColumnType { physical, width, bits: if width == 4 { 32 } else { 64 }, is_signed: true, is_optional }
}

/// Makes a scan range of all rows of one column.
pub fn window(of: ColumnType, dictionary: Option<RawPage>, pages: Vec<RawPage>) -> RawWindow {
    let rows = pages.last().map_or(0, |page| page.rows.end);
    let place = Place { file: "made up".into(), ..Place::default() };
    let place = place.row_group(0).column("c");
    let chunk = RawChunk { leaf: 0, place, codec: Compression::UNCOMPRESSED, dictionary, pages };
    let mut window = RawWindow::new(vec![0..rows]);
    window.insert(0, RawColumn::Pages(chunk, of));
    window
}
