//! Check of a footer for columns that kernels can read.

use parquet::basic::{Compression, Encoding, Type};
use pelton_device_cuda::Format;
use pelton_pages::ParquetFile;

use super::column::ColumnType;

/// Checks that the GPU reads a leaf column of a file, in all its row groups.
///
/// # Errors
/// It does not, with the reason.
pub fn supports(file: &ParquetFile, leaf: usize) -> Result<(), String> {
    let of = ColumnType::new(file, leaf)?;
    for row_group in file.metadata().row_groups() {
        let Some(chunk) = row_group.columns().get(leaf) else {
            return Err(format!("a row group has no column {leaf}"));
        };
        let name = chunk.column_path().string();
        if format(chunk.compression()).is_none() {
            return Err(format!("{name} is compressed with {}", chunk.compression()));
        }
        for encoding in chunk.encodings() {
            if !decodes(encoding, of.physical) {
                return Err(format!("{name} has {} values in {encoding}", of.physical));
            }
        }
    }
    Ok(())
}

/// Returns the leaf of a top-level column.
///
/// # Errors
/// It has none or several: it is nested.
pub fn leaf_of(file: &ParquetFile, column: usize) -> Result<usize, String> {
    let schema = file.metadata().file_metadata().schema_descr();
    let mut leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == column);
    match (leaves.next(), leaves.next()) {
        (Some(leaf), None) => Ok(leaf),
        _ => Err("nested columns are not read".to_owned()),
    }
}

/// Returns the GPU's format for a codec, if it decompresses it. The deprecated LZ4 has two
/// framings, which only its bytes tell apart.
pub(super) fn format(codec: Compression) -> Option<Format> {
    match codec {
        Compression::UNCOMPRESSED => Some(Format::Uncompressed),
        Compression::SNAPPY => Some(Format::Snappy),
        Compression::GZIP(_) => Some(Format::Gzip),
        Compression::LZ4_RAW => Some(Format::Lz4Raw),
        Compression::ZSTD(_) => Some(Format::Zstd),
        Compression::BROTLI(_) | Compression::LZ4 | Compression::LZO => None,
    }
}

/// Returns whether values of a type can be in an encoding. A footer also lists the encodings of
/// levels.
pub(super) fn decodes(encoding: Encoding, physical: Type) -> bool {
    #[allow(deprecated)] // old files name it for their levels
    match encoding {
        Encoding::PLAIN | Encoding::RLE | Encoding::BIT_PACKED => true,
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => physical != Type::BOOLEAN,
        Encoding::DELTA_BINARY_PACKED => matches!(physical, Type::INT32 | Type::INT64),
        Encoding::DELTA_LENGTH_BYTE_ARRAY => physical == Type::BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY => matches!(physical, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY),
        Encoding::BYTE_STREAM_SPLIT => matches!(
            physical,
            Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE | Type::FIXED_LEN_BYTE_ARRAY
        ),
    }
}
