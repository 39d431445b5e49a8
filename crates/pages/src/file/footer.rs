//! Reading and validation of a footer.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use parking_lot::Mutex;
use parquet::DecodeResult;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataPushDecoder};
use parquet::schema::types::SchemaDescPtr;
use pelton_job::InputBuffer;

use super::preflight::{Exact, Findings};
use super::{Location, page_index, preflight, writers};
use crate::error::{Cause, Error, Place, Result};
use crate::{panic_guard, types, widths};

/// Bytes of the file's end that are read first. Most footers fit, and a local disk reads this
/// length about as fast as the trailer alone.
const TAIL_BYTES: u64 = 64 * 1024;

/// Bytes behind the footer: its length in four bytes, and the magic (parquet-format, README, "File
/// format").
const TRAILER: usize = 8;

/// Minimum bytes of a data page, which are those of a header with the required fields. A header
/// counts values in 31 bits.
const MIN_PAGE: i64 = 16;

/// Options for reading a footer.
#[derive(Debug, Clone)]
pub struct FooterOptions {
    /// Arrow types to which columns are decoded.
    pub types: ColumnTypes,
    /// The largest footer that is read, in bytes.
    pub footer_limit: u64,
}

/// Arrow types for the columns of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnTypes {
    /// The Arrow types that the writer stored; otherwise those of Parquet's schema.
    Arrow,
    /// As [`ColumnTypes::Arrow`], with strings as `Utf8View` and binary as `BinaryView`, which
    /// share the page's bytes instead of copying them.
    Views,
    /// Types of Parquet's schema alone, as close to the stored form as possible, at every depth.
    /// Strings are dictionaries if all pages have indices, and views otherwise; narrow decimals
    /// stay narrow, INT96 becomes microseconds, and intervals their bytes.
    Stored,
}

impl Default for FooterOptions {
    fn default() -> Self {
        // A footer takes some hundred bytes a column chunk, so this is a million chunks and more.
        Self { types: ColumnTypes::Views, footer_limit: 512 << 20 }
    }
}

/// A validated footer.
#[derive(Debug)]
pub(super) struct Footer {
    pub metadata: Arc<ParquetMetaData>,
    /// Arrow schema to which columns are decoded.
    pub schema: SchemaRef,
    /// Parquet schema that decoders get.
    pub parquet: SchemaDescPtr,
    /// Flags of exact bounds, by row group and leaf column.
    pub exact: Vec<Vec<Exact>>,
    /// Lengths of dictionaries that were asked for, by row group and leaf column.
    pub dictionaries: Mutex<HashMap<(usize, usize), Option<usize>>>,
}

pub(super) async fn read(location: &Location, options: &FooterOptions) -> Result<Footer> {
    let error = |cause| Error::new(Place::file(location.name()), cause);
    let size = location.size();
    // the magic "PAR1" at both ends, and the footer's length: parquet-format, README, "File format"
    if size < 12 {
        return Err(error(Cause::NotParquet(format!(
            "it has {size} bytes; the smallest Parquet file has 12"
        ))));
    }
    let mut start = size.saturating_sub(TAIL_BYTES);
    let mut tail = location.read(&[start..size], InputBuffer::fresh).await?.remove(0);
    let footer_length = check_tail(&tail, size, options).map_err(error)?;
    if footer_length + TRAILER > tail.len() {
        start = size - (footer_length + TRAILER) as u64;
        tail = location.read(&[start..size], InputBuffer::fresh).await?.remove(0);
    }
    let footer_end = tail.len() - TRAILER;
    let footer_start = footer_end - footer_length;
    let Findings { corrections, exact } =
        preflight::check(&tail[footer_start..footer_end], Place::file(location.name()))?;
    if !corrections.is_empty() {
        let mut bytes = tail.to_vec();
        corrections.iter().for_each(|correction| bytes[footer_start + correction.at] = correction.byte);
        tail = bytes.into();
    }
    let metadata = decode(&tail, start..size).map_err(error)?;
    let metadata = page_index::read(location, metadata, (start, &tail)).await?;
    let metadata = writers::correct(metadata, size);
    check_metadata(&metadata, size).map_err(|(row_group, column, cause)| {
        let place = Place::file(location.name()).row_group(row_group);
        Error::new(if column.is_empty() { place } else { place.column(column) }, cause)
    })?;
    arrow_types(metadata, exact, options).map_err(|message| error(Cause::NotParquet(message)))
}

/// Decodes the footer in `tail`, which is `range` of the file, without the page index.
fn decode(tail: &Bytes, range: Range<u64>) -> Result<ParquetMetaData, Cause> {
    let decoder = ParquetMetaDataPushDecoder::try_new(range.end);
    let mut decoder = decoder.map_err(bad)?.with_page_index_policy(PageIndexPolicy::Skip);
    decoder.push_range(range, tail.clone()).map_err(bad)?;
    match panic_guard::catch(|| decoder.try_decode()).map_err(bad)?.map_err(bad)? {
        DecodeResult::Data(metadata) => Ok(metadata),
        _ => Err(bad("the footer is empty")),
    }
}

fn bad(what: impl ToString) -> Cause {
    Cause::NotParquet(what.to_string())
}

/// Checks the trailer, and returns the footer's length.
fn check_tail(tail: &[u8], size: u64, options: &FooterOptions) -> Result<usize, Cause> {
    let (length, magic) = tail[tail.len() - TRAILER..].split_at(4);
    match magic {
        b"PAR1" => {}
        b"PARE" => return Err(Cause::Encrypted),
        _ => {
            let hint = "it does not end in PAR1: another format, or cut short";
            return Err(Cause::NotParquet(hint.to_owned()));
        }
    }
    let length = u64::from(u32::from_le_bytes([length[0], length[1], length[2], length[3]]));
    if length + 12 > size {
        return Err(Cause::Truncated(format!("its footer claims {length} bytes, the whole file has {size}")));
    }
    if length > options.footer_limit {
        return Err(Cause::TooLarge { what: "the footer", size: length, limit: options.footer_limit });
    }
    Ok(length as usize)
}

/// Checks values that parquet-rs does not check and the scan relies on: non-negative sizes, column
/// chunks inside the file, and consistent row counts.
fn check_metadata(metadata: &ParquetMetaData, size: u64) -> Result<(), (usize, String, Cause)> {
    let mut rows = 0i64;
    for (index, row_group) in metadata.row_groups().iter().enumerate() {
        let bad = |column: &str, what: String| (index, column.to_owned(), Cause::NotParquet(what));
        if row_group.num_rows() < 0 {
            return Err(bad("", format!("its row count is {}", row_group.num_rows())));
        }
        rows = rows.saturating_add(row_group.num_rows());
        for chunk in row_group.columns() {
            let name = chunk.column_path().string();
            let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
            let (length, data) = (chunk.compressed_size(), chunk.data_page_offset());
            if let Some(other) = chunk.file_path().filter(|other| !other.is_empty()) {
                return Err(bad(&name, format!("its chunk is in another file, {other}; read that one")));
            }
            if start < 0 || length < 0 || chunk.num_values() < 0 || chunk.uncompressed_size() < 0 {
                return Err(bad(&name, "its chunk has a negative offset or size".to_owned()));
            }
            // a chunk without values may have a dictionary and no data page
            if data < start && chunk.num_values() > 0 {
                return Err(bad(&name, "its data pages start in front of its chunk".to_owned()));
            }
            if (start as u64).saturating_add(length as u64) > size {
                let what =
                    format!("its chunk ends at byte {}, the file at {size}", start.saturating_add(length));
                return Err((index, name, Cause::Truncated(what)));
            }
            if data > start.saturating_add(length) {
                return Err(bad(&name, "its data pages start behind its chunk".to_owned()));
            }
            let leaf = chunk.column_descr();
            if leaf.physical_type() == PhysicalType::FIXED_LEN_BYTE_ARRAY && leaf.type_length() < 0 {
                return Err(bad(&name, "its values have a negative length".to_owned()));
            }
            // a row of lists has a value for each element, and at least one
            let is_flat = leaf.max_rep_level() == 0;
            if chunk.num_values() < row_group.num_rows()
                || (is_flat && chunk.num_values() != row_group.num_rows())
            {
                let (values, rows) = (chunk.num_values(), row_group.num_rows());
                return Err(bad(&name, format!("its chunk has {values} values, the row group {rows} rows")));
            }
            let max_values = (length / MIN_PAGE + 1).saturating_mul(i32::MAX.into());
            if chunk.num_values() > max_values {
                let values = chunk.num_values();
                return Err(bad(
                    &name,
                    format!("its chunk has {values} values, and {length} bytes for them"),
                ));
            }
        }
    }
    if metadata.file_metadata().num_rows() != rows {
        let what =
            format!("the footer says {} rows, its row groups {rows}", metadata.file_metadata().num_rows());
        return Err((0, String::new(), Cause::NotParquet(what)));
    }
    Ok(())
}

/// Chooses Arrow types for the columns.
fn arrow_types(
    metadata: ParquetMetaData,
    exact: Vec<Vec<Exact>>,
    options: &FooterOptions,
) -> Result<Footer, String> {
    let metadata = Arc::new(metadata);
    let parquet = metadata.file_metadata().schema_descr_ptr();
    let reader = |options| {
        let reader = panic_guard::catch(|| ArrowReaderMetadata::try_new(metadata.clone(), options))?;
        reader.map(|reader| reader.schema().clone()).map_err(|e| e.to_string())
    };
    if options.types == ColumnTypes::Stored {
        let plain =
            panic_guard::catch(|| types::with_plain_intervals(&parquet))?.map_err(|e| e.to_string())?;
        let parquet = plain.map_or(parquet, Arc::new);
        let schema =
            panic_guard::catch(|| parquet_to_arrow_schema(&parquet, None))?.map_err(|e| e.to_string())?;
        let schema = Arc::new(types::as_stored(&schema, &parquet, &metadata));
        widths::check(&schema)?;
        return Ok(Footer { metadata, schema, parquet, exact, dictionaries: Mutex::default() });
    }
    let schema = reader(ArrowReaderOptions::new())?;
    let schema = match options.types {
        ColumnTypes::Views => {
            reader(ArrowReaderOptions::new().with_schema(Arc::new(types::with_views(&schema))))?
        }
        _ => schema,
    };
    widths::check(&schema)?;
    Ok(Footer { metadata, schema, parquet, exact, dictionaries: Mutex::default() })
}
