//! Bloom filters of column chunks.

use std::collections::HashMap;

use parquet::bloom_filter::Sbbf;
use parquet::data_type::AsBytes;
use parquet::file::metadata::ColumnChunkMetaData;
use pelton_job::InputBuffer;

use super::ParquetFile;
use crate::error::{Cause, Error, Result};
use crate::guard;

/// Filters without a length in the footer (writers before format 2.10) are not read: their size stands in a header of
/// its own, and one more round trip costs more than they save.
const LARGEST_FILTER: u64 = 128 << 20; // the format's own bound: parquet-format, BloomFilter.md, "Sizing an SBBF"

/// A value in the form in which a filter has it hashed: its plain encoding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BloomValue<'a> {
    /// INT32, and what is stored as such.
    I32(i32),
    /// INT64, and what is stored as such.
    I64(i64),
    /// BYTE_ARRAY.
    Bytes(&'a [u8]),
}

/// The filter of one column chunk.
#[derive(Debug)]
pub struct BloomFilter {
    filter: Sbbf,
    physical: parquet::basic::Type,
}

impl BloomFilter {
    /// False only if the chunk certainly holds no such value.
    pub fn may_contain(&self, value: BloomValue<'_>) -> bool {
        use parquet::basic::Type;
        match (value, self.physical) {
            (BloomValue::I32(value), Type::INT32) => self.filter.check(&value),
            (BloomValue::I64(value), Type::INT64) => self.filter.check(&value),
            (BloomValue::Bytes(value), Type::BYTE_ARRAY) => self.filter.check(value.as_bytes()),
            // the value has another form in the file than in the query
            _ => true,
        }
    }
}

/// The filters of some columns of a row group.
#[derive(Debug, Default)]
pub struct BloomFilters(HashMap<String, BloomFilter>);

impl BloomFilters {
    /// Reads the filters of those of the top-level `columns` that have one.
    ///
    /// # Errors
    /// The file can't be read, or a filter does not parse.
    pub async fn read(file: &ParquetFile, row_group: usize, columns: &[String]) -> Result<Self> {
        let metadata = file.row_group(row_group)?;
        let mut found = HashMap::new();
        // a field of a struct has a path of several parts, whatever their names are
        let wanted = |chunk: &&ColumnChunkMetaData| matches!(chunk.column_path().parts(), [name] if columns.contains(name));
        for chunk in metadata.columns().iter().filter(wanted) {
            let (Some(offset), Some(length)) = (chunk.bloom_filter_offset(), chunk.bloom_filter_length())
            else {
                continue;
            };
            let (Ok(offset), Ok(length)) = (u64::try_from(offset), u64::try_from(length)) else { continue };
            if length > LARGEST_FILTER {
                continue;
            }
            let name = chunk.column_path().string();
            let bytes = file
                .location()
                .read(&[offset..offset.saturating_add(length)], InputBuffer::fresh)
                .await?
                .remove(0);
            let filter = guard::catch(|| Sbbf::from_bytes(&bytes))
                .and_then(|parsed| parsed.map_err(|e| e.to_string()));
            let filter = filter.map_err(|what| {
                let place = file.place().row_group(row_group).column(name.clone());
                Error::new(place, Cause::NotParquet(format!("its bloom filter does not parse: {what}")))
            })?;
            found.insert(name, BloomFilter { filter, physical: chunk.column_type() });
        }
        Ok(Self(found))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The filter of a column.
    pub fn get(&self, column: &str) -> Option<&BloomFilter> {
        self.0.get(column)
    }
}
