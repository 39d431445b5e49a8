//! Rows of `parquet_metadata`: the column chunks of a file.

use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use pelton_pages::ParquetFile;

use super::bounds;
use super::columns::{Column, Get};

/// A column chunk.
pub(super) struct Chunk<'a> {
    file: &'a ParquetFile,
    row_group: usize,
    leaf: usize,
}

/// Returns the chunks of a row group.
pub(super) fn of_row_group(file: &ParquetFile, row_group: usize) -> Vec<Chunk<'_>> {
    let leaves = 0..file.metadata().row_group(row_group).num_columns();
    leaves.map(|leaf| Chunk { file, row_group, leaf }).collect()
}

impl Chunk<'_> {
    fn group(&self) -> &RowGroupMetaData {
        self.file.metadata().row_group(self.row_group)
    }

    fn chunk(&self) -> &ColumnChunkMetaData {
        self.group().column(self.leaf)
    }

    fn statistics(&self) -> Option<&Statistics> {
        self.chunk().statistics()
    }

    /// Returns the statistics, if their bounds are in the fields from before format 2.4 (`old`), or
    /// in those since then.
    fn bounds(&self, old: bool) -> Option<&Statistics> {
        self.statistics().filter(|statistics| statistics.is_min_max_deprecated() == old)
    }

    fn text(&self, statistics: Option<&Statistics>, maximum: bool) -> Option<String> {
        bounds::text(self.chunk().column_descr(), statistics?, maximum)
    }
}

/// Returns the name of a codec in Parquet's format.
fn codec(compression: Compression) -> &'static str {
    match compression {
        Compression::UNCOMPRESSED => "UNCOMPRESSED",
        Compression::SNAPPY => "SNAPPY",
        Compression::GZIP(_) => "GZIP",
        Compression::LZO => "LZO",
        Compression::BROTLI(_) => "BROTLI",
        Compression::LZ4 => "LZ4",
        Compression::ZSTD(_) => "ZSTD",
        Compression::LZ4_RAW => "LZ4_RAW",
    }
}

/// The columns. Their names, types and values are DuckDB's; those of its columns that parquet-rs
/// does not read are left out.
pub(super) fn columns<'a>() -> [Column<Chunk<'a>>; 27] {
    [
        Column { name: "file_name", get: Get::Text(|c| Some(c.file.location().name().to_string())) },
        Column { name: "row_group_id", get: Get::Integer(|c| Some(c.row_group as i64)) },
        Column { name: "row_group_num_rows", get: Get::Integer(|c| Some(c.group().num_rows())) },
        Column { name: "row_group_num_columns", get: Get::Integer(|c| Some(c.group().num_columns() as i64)) },
        Column { name: "row_group_bytes", get: Get::Integer(|c| Some(c.group().total_byte_size())) },
        Column { name: "column_id", get: Get::Integer(|c| Some(c.leaf as i64)) },
        Column { name: "file_offset", get: Get::Integer(|c| Some(c.chunk().file_offset())) },
        Column { name: "num_values", get: Get::Integer(|c| Some(c.chunk().num_values())) },
        Column {
            name: "path_in_schema",
            get: Get::Text(|c| Some(c.chunk().column_path().parts().join(", "))),
        },
        Column { name: "type", get: Get::Text(|c| Some(c.chunk().column_type().to_string())) },
        Column { name: "stats_min", get: Get::Text(|c| c.text(c.bounds(true), false)) },
        Column { name: "stats_max", get: Get::Text(|c| c.text(c.bounds(true), true)) },
        Column {
            name: "stats_null_count",
            get: Get::Integer(|c| c.statistics()?.null_count_opt()?.try_into().ok()),
        },
        Column {
            name: "stats_distinct_count",
            get: Get::Integer(|c| c.statistics()?.distinct_count_opt()?.try_into().ok()),
        },
        Column { name: "stats_min_value", get: Get::Text(|c| c.text(c.bounds(false), false)) },
        Column { name: "stats_max_value", get: Get::Text(|c| c.text(c.bounds(false), true)) },
        Column { name: "compression", get: Get::Text(|c| Some(codec(c.chunk().compression()).to_owned())) },
        Column {
            name: "encodings",
            get: Get::Text(|c| {
                let names: Vec<String> = c.chunk().encodings().map(|of: Encoding| of.to_string()).collect();
                Some(names.join(", "))
            }),
        },
        Column { name: "index_page_offset", get: Get::Integer(|c| c.chunk().index_page_offset()) },
        Column { name: "dictionary_page_offset", get: Get::Integer(|c| c.chunk().dictionary_page_offset()) },
        Column { name: "data_page_offset", get: Get::Integer(|c| Some(c.chunk().data_page_offset())) },
        Column { name: "total_compressed_size", get: Get::Integer(|c| Some(c.chunk().compressed_size())) },
        Column {
            name: "total_uncompressed_size",
            get: Get::Integer(|c| Some(c.chunk().uncompressed_size())),
        },
        Column { name: "bloom_filter_offset", get: Get::Integer(|c| c.chunk().bloom_filter_offset()) },
        Column {
            name: "bloom_filter_length",
            get: Get::Integer(|c| c.chunk().bloom_filter_length().map(i64::from)),
        },
        Column {
            name: "row_group_compressed_bytes",
            get: Get::Integer(|c| Some(c.group().compressed_size())),
        },
        Column {
            name: "has_page_index",
            get: Get::Flag(|c| Some(c.chunk().offset_index_offset().is_some())),
        },
    ]
}
