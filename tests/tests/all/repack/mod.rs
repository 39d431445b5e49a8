//! Repacked files: changes in them, unchanged parts, and bad input.

mod damage;
mod interop;
mod mark;
mod same;

use arrow::array::RecordBatch;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pelton::codec::{Format, Level, Window};
use pelton::{CancelHandle, Engine, Packing};
use pelton_job::conformance::farthest;
use pelton_tests::document::{Document, column, page_header};
use pelton_tests::thrift::Value;

const GZIP_4K: Packing = Packing::Gzip { window: Window::SMALL, level: Level::default_of(Format::Gzip) };
const GZIP: Packing = Packing::Gzip { window: Window::FULL, level: Level::default_of(Format::Gzip) };
const ZSTD: Packing = Packing::Zstd { level: Level::default_of(Format::Zstd) };

/// `CompressionCodec` of parquet.thrift.
const GZIP_CODEC: i64 = 2;

/// Every packing with its codec's number.
const PACKINGS: [(Packing, i64); 6] = [
    (Packing::Uncompressed, 0),
    (Packing::Snappy, 1),
    (GZIP, GZIP_CODEC),
    (GZIP_4K, GZIP_CODEC),
    (ZSTD, 6),
    (Packing::Lz4Raw, 7),
];

fn repack(engine: &Engine, path: &str, packing: Packing) -> Result<Vec<u8>, String> {
    let mut file = Vec::new();
    let done = engine.repack(path, packing, &mut file, &CancelHandle::default(), &mut |_| ());
    let done = done.map_err(|error| error.to_string())?;
    assert_eq!(done.bytes_after, file.len() as u64, "{path}");
    Ok(file)
}

/// Returns all rows, by parquet-rs's own reader.
fn rows(file: &[u8]) -> Vec<RecordBatch> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(file)).expect("a good footer");
    reader.build().expect("a reader").collect::<Result<_, _>>().expect("good pages")
}

/// Returns the largest distance of any match in any gzip page of the file, and the number of such
/// pages.
fn largest_distance(file: &[u8]) -> (u32, usize) {
    let (mut largest, mut pages) = (0, 0);
    for chunk in Document::parse(file).row_groups.iter_mut().flatten() {
        if chunk.meta().int(column::CODEC) != GZIP_CODEC {
            continue;
        }
        for page in &mut chunk.pages {
            let mut levels = 0;
            if page.header.get(page_header::DATA_V2).is_some() {
                let header = page.header.inner(page_header::DATA_V2);
                if header.get(7) == Some(&Value::Bool(false)) {
                    continue;
                }
                levels = (header.int(5) + header.int(6)) as usize;
            }
            largest = largest.max(farthest(Format::Gzip, &page.body[levels..]).expect("a gzip member"));
            pages += 1;
        }
    }
    (largest, pages)
}
