//! Each operation as its documentation says it, on vectors: slow, and easy to see to be right.

use pelton_device_iaa::hw::flags::filter as flags;

use super::software::pack;

/// Elements that an operation gives, before they are written.
pub(super) fn scan(values: &[u32], low: u32, high: u32) -> Vec<u32> {
    values.iter().map(|value| u32::from(low <= *value && *value <= high)).collect()
}

pub(super) fn extract(values: &[u32], low: u32, high: u32) -> Vec<u32> {
    let positions = values.iter().enumerate().filter(|(n, _)| low as usize <= *n && *n <= high as usize);
    positions.map(|(_, value)| *value).collect()
}

pub(super) fn select(values: &[u32], mask: &[u32]) -> Vec<u32> {
    values.iter().zip(mask).filter(|(_, bit)| **bit == 1).map(|(value, _)| *value).collect()
}

pub(super) fn expand(values: &[u32], mask: &[u32]) -> Vec<u32> {
    let mut values = values.iter();
    mask.iter().map(|bit| if *bit == 1 { *values.next().unwrap() } else { 0 }).collect()
}

/// What an element is in a set.
pub(super) fn place(value: u32, width: u32, low: u32, high: u32) -> usize {
    ((u64::from(value) % (1 << (width - high))) >> low) as usize
}

pub(super) fn burst(counts: &[u32], symbols: &[u32]) -> Vec<u32> {
    counts.iter().zip(symbols).flat_map(|(count, symbol)| vec![*symbol; *count as usize]).collect()
}

/// What is written of elements, and the three figures.
pub(super) fn written(elements: &[u32], width: u32, filter_flags: u32, modifier: u32) -> (Vec<u8>, [u32; 3]) {
    let invert = width == 1 && filter_flags & flags::INVERT_OUTPUT != 0;
    let elements: Vec<u32> = elements.iter().map(|value| if invert { 1 - value } else { *value }).collect();
    let big_endian = filter_flags & flags::OUTPUT_BIG_ENDIAN != 0;
    let output_width = [width, 8, 16, 32][(filter_flags >> flags::OUTPUT_WIDTH_SHIFT) as usize & 3];
    let ones: Vec<u32> = (0..elements.len() as u32).filter(|n| elements[*n as usize] == 1).collect();
    let of =
        |all: &[u32]| (all.iter().min().copied().unwrap_or(u32::MAX), all.iter().max().copied().unwrap_or(0));
    if width > 1 {
        let sum = elements.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
        return (pack(&elements, output_width, big_endian), [of(&elements).0, of(&elements).1, sum]);
    }
    let figures = [of(&ones).0, of(&ones).1, ones.len() as u32];
    if output_width == 1 {
        return (pack(&elements, 1, big_endian), figures);
    }
    let indexes: Vec<u32> = ones.iter().map(|n| n + modifier).collect();
    (pack(&indexes, output_width, big_endian), figures)
}
