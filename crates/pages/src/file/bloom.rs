//! Bloom filters of column chunks.

use std::collections::HashMap;

use parquet::bloom_filter::Sbbf;
use parquet::data_type::AsBytes;
use parquet::file::metadata::ColumnChunkMetaData;
use pelton_job::InputBuffer;

use super::ParquetFile;
use crate::error::Result;
use crate::header::thrift::{Reader, ThriftError, kind};

/// Largest filter that is read. Filters without a length in the footer (writers before format 2.10)
/// are skipped: their size is in a header of their own, and reading it costs a round trip, which is
/// more than the filter saves.
const LARGEST_FILTER: u64 = 128 << 20; // the format's own bound: parquet-format, BloomFilter.md, "Sizing an SBBF"

/// Bytes of a block and of a word. Each value sets one bit in each word of one block
/// (BloomFilter.md, "Technical Approach").
const BLOCK: usize = 32;
const WORD: usize = 4;

/// A value in its plain encoding, which filters hash.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BloomValue<'a> {
    /// INT32, and types stored as such.
    I32(i32),
    /// INT64, and types stored as such.
    I64(i64),
    /// BYTE_ARRAY.
    Bytes(&'a [u8]),
}

/// Bloom filter of one column chunk.
#[derive(Debug)]
pub struct BloomFilter {
    filter: Sbbf,
    physical: parquet::basic::Type,
}

impl BloomFilter {
    /// Returns false only if the chunk does not contain the value.
    pub fn may_contain(&self, value: BloomValue<'_>) -> bool {
        use parquet::basic::Type;
        match (value, self.physical) {
            (BloomValue::I32(value), Type::INT32) => self.filter.check(&value),
            (BloomValue::I64(value), Type::INT64) => self.filter.check(&value),
            (BloomValue::Bytes(value), Type::BYTE_ARRAY) => self.filter.check(value.as_bytes()),
            // the file stores the value in another form than the query
            _ => true,
        }
    }
}

impl BloomFilter {
    /// Parses a filter; `None` if it is damaged or of an unknown kind. Pages are then read without
    /// it.
    fn new(bytes: &[u8], physical: parquet::basic::Type) -> Option<Self> {
        let bitset = bitset(bytes)?;
        let is_sound = |block: &[u8; BLOCK]| {
            let words = block.as_chunks::<WORD>().0;
            words.iter().all(|word| *word == [0; WORD]) || words.iter().all(|word| *word != [0; WORD])
        };
        let (blocks, rest) = bitset.as_chunks::<BLOCK>();
        let is_whole = rest.is_empty() && !blocks.is_empty() && blocks.iter().all(is_sound);
        is_whole.then(|| Self { filter: Sbbf::new(bitset), physical })
    }
}

/// Returns the bits of a filter, which follow its header to the end of the bytes.
fn bitset(bytes: &[u8]) -> Option<&[u8]> {
    let mut reader = Reader::new(bytes);
    let (length, has_known_kinds) = header(&mut reader).ok()?;
    let bitset = bytes.get(reader.position()..)?;
    (has_known_kinds && usize::try_from(length).is_ok_and(|length| length == bitset.len())).then_some(bitset)
}

/// Returns the size of the bits that a `BloomFilterHeader` states, and whether its algorithm, hash
/// and compression are those of the format: split blocks, XXH64 and none (parquet.thrift). Each of
/// the three is a union, in which that choice is the first and only field.
fn header(reader: &mut Reader<'_>) -> Result<(i32, bool), ThriftError> {
    let (mut length, mut known, mut last) = (0, 0, 0);
    while let Some((id, kind)) = reader.field(&mut last)? {
        match (id, kind) {
            (1, kind) => length = reader.i32(kind)?,
            (2..=4, kind::STRUCT) => {
                let mut of_union = 0;
                while let Some((id, kind)) = reader.field(&mut of_union)? {
                    known += u32::from(id == 1 && kind == kind::STRUCT);
                    reader.skip(kind)?;
                }
            }
            (_, kind) => reader.skip(kind)?,
        }
    }
    Ok((length, known == 3))
}

/// Bloom filters of some columns of a row group.
#[derive(Debug, Default)]
pub struct BloomFilters(HashMap<String, BloomFilter>);

impl BloomFilters {
    /// Reads the filters of the top-level `columns`. Columns without a sound filter are omitted.
    ///
    /// # Errors
    /// The file can't be read.
    pub async fn read(file: &ParquetFile, row_group: usize, columns: &[String]) -> Result<Self> {
        let metadata = file.row_group(row_group)?;
        let mut found = HashMap::new();
        // fields of structs have paths of several parts
        let wanted = |chunk: &&ColumnChunkMetaData| matches!(chunk.column_path().parts(), [name] if columns.contains(name));
        for chunk in metadata.columns().iter().filter(wanted) {
            let (Some(offset), Some(length)) = (chunk.bloom_filter_offset(), chunk.bloom_filter_length())
            else {
                continue;
            };
            let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else { continue };
            let end = offset.saturating_add(length);
            if length > LARGEST_FILTER || end > file.location().size() {
                continue;
            }
            let bytes = file.location().read(&[offset..end], InputBuffer::fresh).await?.remove(0);
            if let Some(filter) = BloomFilter::new(&bytes, chunk.column_type()) {
                found.insert(chunk.column_path().string(), filter);
            }
        }
        Ok(Self(found))
    }

    /// Returns whether there are no filters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the filter of a column.
    pub fn get(&self, column: &str) -> Option<&BloomFilter> {
        self.0.get(column)
    }
}

#[cfg(test)]
mod tests;
