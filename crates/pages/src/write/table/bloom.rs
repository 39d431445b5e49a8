//! Bloom filters of column chunks, from their dictionaries.
//!
//! A chunk whose values are all in its dictionary has few different ones, and they are known when
//! it ends: its filter has the size that they need, and costs next to nothing. A chunk that gave
//! its dictionary up has so many that a filter would be large, and each row would have to be
//! hashed; it has none. DuckDB's writer decides in the same way.

use parquet::basic::Type;
use parquet::bloom_filter::Sbbf;
use parquet::schema::types::ColumnDescriptor;

/// How often a filter may say "perhaps" of a value that is not there: DuckDB's own choice, 11 bits
/// a value.
const FALSE_POSITIVES: f64 = 0.01;

/// A filter takes at most one part in so many of its chunk's bytes before compression. Those of
/// large dictionaries in small row groups take more, and exclude little: most of the values are
/// there.
const LEAST_BYTES_A_FILTER_BYTE: usize = 16;

/// A filter over a dictionary's values, which are `count`, plainly encoded; none if it would be too
/// large for a chunk of `chunk_bytes`, or does not hash as such values do.
pub(super) fn filter(column: &ColumnDescriptor, dictionary: &[u8], chunk_bytes: usize) -> Option<Sbbf> {
    let values = values(column, dictionary)?;
    let filter = Sbbf::new_with_ndv_fpp(values.len() as u64, FALSE_POSITIVES).ok()?;
    // a block of a filter has 32 bytes (parquet-format, BloomFilter.md)
    if filter.num_blocks() * 32 > (chunk_bytes / LEAST_BYTES_A_FILTER_BYTE).max(32) {
        return None;
    }
    Some(values.into_iter().fold(filter, |mut filter, value| {
        filter.insert(value);
        filter
    }))
}

/// The values of a plainly encoded dictionary, as they are hashed: without the length in front of
/// one of a length of its own.
fn values<'a>(column: &ColumnDescriptor, mut plain: &'a [u8]) -> Option<Vec<&'a [u8]>> {
    let physical = column.physical_type();
    let width = match physical {
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(column.type_length()).ok()?,
        Type::BYTE_ARRAY => 0,
        Type::BOOLEAN | Type::INT96 => return None,
    };
    if width > 0 {
        return Some(plain.chunks_exact(width).collect());
    }
    let mut values = Vec::new();
    while let Some((length, rest)) = plain.split_first_chunk() {
        let (value, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        values.push(value);
        plain = rest;
    }
    (physical == Type::BYTE_ARRAY).then_some(values)
}

#[cfg(test)]
mod tests;
