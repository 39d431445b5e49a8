//! Bloom filters of dictionary-encoded column chunks.
//!
//! If all values of a chunk are in its dictionary, the distinct values are few and known when the
//! chunk ends, so the filter is cheap and has the right size. A chunk that gave up its dictionary
//! gets no filter: it would be large, and every row would have to be hashed. DuckDB's writer
//! decides in the same way.

use parquet::basic::Type;
use parquet::bloom_filter::Sbbf;
use parquet::schema::types::ColumnDescriptor;

/// False positive rate, the same as in DuckDB's writer.
const FALSE_POSITIVES: f64 = 0.01;

/// Uncompressed bytes of a chunk that justify a byte of its filter. Large dictionaries in small row
/// groups have fewer, and their filters exclude little, since most values occur in each row group.
const MIN_BYTES_PER_FILTER_BYTE: usize = 16;

/// Returns a filter of the values of a plain-encoded dictionary; `None` if it would be too large
/// for a chunk of `chunk_bytes`, or if filters do not support the type.
pub(super) fn filter(column: &ColumnDescriptor, dictionary: &[u8], chunk_bytes: usize) -> Option<Sbbf> {
    let values = values(column, dictionary)?;
    let filter = Sbbf::new_with_ndv_fpp(values.len() as u64, FALSE_POSITIVES).ok()?;
    // parquet-format, BloomFilter.md: bytes of a block
    if filter.num_blocks() * 32 > (chunk_bytes / MIN_BYTES_PER_FILTER_BYTE).max(32) {
        return None;
    }
    Some(values.into_iter().fold(filter, |mut filter, value| {
        filter.insert(value);
        filter
    }))
}

/// Returns the values of a plain-encoded dictionary as they are hashed: strings without their
/// length.
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
