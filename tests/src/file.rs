//! Writer of Parquet files for tests.

use arrow::array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesBuilder, WriterVersion,
};

/// Returns every codec that parquet-rs writes, by the name that Parquet gives it.
pub fn codecs() -> [(&'static str, Compression); 7] {
    [
        ("uncompressed", Compression::UNCOMPRESSED),
        ("snappy", Compression::SNAPPY),
        ("gzip", Compression::GZIP(GzipLevel::default())),
        ("brotli", Compression::BROTLI(BrotliLevel::default())),
        ("zstd", Compression::ZSTD(ZstdLevel::default())),
        ("lz4", Compression::LZ4),
        ("lz4_raw", Compression::LZ4_RAW),
    ]
}

/// Properties for many small pages: `page_rows` rows in each, `group_rows` in a row group.
pub fn small_pages(codec: Compression, page_rows: usize, group_rows: usize) -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(codec)
        .set_data_page_row_count_limit(page_rows)
        // the writer looks at limits after each of these
        .set_write_batch_size(page_rows)
        .set_max_row_group_row_count(Some(group_rows))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_writer_version(WriterVersion::PARQUET_1_0)
}

/// Returns a Parquet file with the batches' rows.
pub fn parquet(batches: &[RecordBatch], properties: WriterProperties) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer =
        ArrowWriter::try_new(&mut file, batches[0].schema(), Some(properties)).expect("valid properties");
    for batch in batches {
        writer.write(batch).expect("the types can be written");
    }
    writer.close().expect("a vector can be written to");
    file
}
