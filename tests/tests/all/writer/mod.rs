//! Tables written as Parquet files: read by other readers and by Pelton's own, and the state after
//! a failure.

mod copy;
mod failing;
mod indexes;
mod interop;
mod random;
mod same;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pelton::codec::{Format, Level, Window};
use pelton::{Engine, Packing, WriteOptions};
use pelton_pages::TableWriter;

const fn gzip(window: Window) -> Packing {
    Packing::Gzip { window, level: Level::default_of(Format::Gzip) }
}

/// Every codec.
const PACKINGS: [Packing; 7] = [
    Packing::Uncompressed,
    Packing::Snappy,
    gzip(Window::FULL),
    gzip(Window::SMALL),
    Packing::Zstd { level: Level::default_of(Format::Zstd) },
    Packing::Lz4Raw,
    Packing::Brotli { level: Level::default_of(Format::Brotli) },
];

fn options(packing: Packing, row_group_rows: usize, threads: usize) -> WriteOptions {
    WriteOptions { row_group_rows, threads, ..WriteOptions::new(packing) }
}

fn write(engine: &Engine, schema: &SchemaRef, batches: &[RecordBatch], options: WriteOptions) -> Vec<u8> {
    let writer = TableWriter::new(Vec::new(), &Arc::from("table"), schema, options, &engine.router());
    let mut writer = writer.expect("types that Parquet has");
    batches.iter().for_each(|batch| writer.write(batch).expect("values that can be written"));
    let (file, written) = writer.finish().expect("a vector can be written to");
    assert_eq!(written.bytes, file.len() as u64);
    assert_eq!(written.rows as usize, batches.iter().map(RecordBatch::num_rows).sum::<usize>());
    file
}

/// Returns all rows, by parquet-rs's own reader.
fn rows(file: &[u8]) -> Vec<RecordBatch> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(file)).expect("a good footer");
    reader.build().expect("a reader").collect::<Result<_, _>>().expect("good pages")
}
