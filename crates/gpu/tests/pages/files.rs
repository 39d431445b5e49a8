//! Files in memory, opened, and compared with the values that parquet-rs reads.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::concat_batches;
use bytes::Bytes;
use object_store::ObjectStoreExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pelton_gpu::window::{DeviceWindow, RawOptions, RawWindow, ReadMemory, supports};
use pelton_pages::{FooterOptions, Location, ParquetFile, RowRanges, ScanCounters};

use super::copy_out::{Bench, Value};
use super::expected;

/// Runs a future that reads files.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

/// Opens a file of these bytes.
pub fn open(bytes: Vec<u8>) -> pelton_pages::Result<Arc<ParquetFile>> {
    block_on(async {
        let (store, path) = (Arc::new(InMemory::new()), Path::from("t.parquet"));
        store.put(&path, bytes.into()).await.expect("memory takes it");
        let meta = store.head(&path).await.expect("it is there");
        let location = Location::new(store, meta, "t.parquet");
        ParquetFile::open(location, &FooterOptions::default()).await
    })
}

pub fn options() -> RawOptions {
    let counters = Arc::new(ScanCounters::default());
    RawOptions { counters, verify_checksums: true, memory: ReadMemory::default() }
}

pub fn read(
    file: &Arc<ParquetFile>,
    row_group: usize,
    wanted: &RowRanges,
    leaves: &[usize],
) -> pelton_pages::Result<RawWindow> {
    block_on(RawWindow::read(file, row_group, wanted, leaves, &options()))
}

/// Reads a row group with parquet-rs.
pub fn reference(bytes: &[u8], row_group: usize) -> Result<RecordBatch, String> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(bytes));
    let builder = builder.map_err(|e| e.to_string())?.with_row_groups(vec![row_group]);
    let schema = builder.schema().clone();
    let reader = builder.build().map_err(|e| e.to_string())?;
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    concat_batches(&schema, &batches).map_err(|e| e.to_string())
}

/// Returns the leaves of a file of flat columns that kernels read.
pub fn supported(file: &ParquetFile) -> Vec<usize> {
    let count = file.metadata().file_metadata().schema_descr().num_columns();
    (0..count).filter(|&leaf| supports(file, leaf).is_ok()).collect()
}

/// Compares a column of a scan range with parquet-rs's, for the wanted rows; returns the number of
/// dictionary indices.
pub fn compare(
    window: &DeviceWindow,
    column: usize,
    array: &ArrayRef,
    wanted: &RowRanges,
    what: &str,
) -> u32 {
    let expected = expected::values(array);
    let (kind, longest) = (expected::kind(array.data_type()), expected::longest(&expected));
    let found = Bench::shared().column(window, column as u32, kind, expected.len(), longest);
    for (row, (found, expected)) in found.values.iter().zip(&expected).enumerate() {
        let is_wanted = wanted.iter().any(|range| range.contains(&row));
        let expected = if is_wanted { expected } else { &Value::Unwanted };
        assert_eq!(found, expected, "{what}: row {row}");
    }
    found.coded
}

/// Compares all columns that kernels read, in every row group, for the rows that `wanted` chooses.
/// Returns the number of dictionary indices.
pub fn check(bytes: &[u8], what: &str, mut wanted: impl FnMut(usize) -> RowRanges) -> u32 {
    let file = open(bytes.to_vec()).unwrap_or_else(|e| panic!("{what}: {e}"));
    let leaves = supported(&file);
    let mut coded = 0;
    for row_group in 0..file.metadata().num_row_groups() {
        let batch = reference(bytes, row_group).unwrap_or_else(|e| panic!("{what}: {e}"));
        let wanted = wanted(batch.num_rows());
        let bench = Bench::shared();
        let raw = read(&file, row_group, &wanted, &leaves).unwrap_or_else(|e| panic!("{what}: {e}"));
        let window = bench.stage(&raw).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(window.rows, wanted.iter().map(|range| range.len() as u64).sum::<u64>(), "{what}");
        window.check(&bench.compute).unwrap_or_else(|e| panic!("{what}: {e}"));
        for (column, &leaf) in leaves.iter().enumerate() {
            let name = batch.schema().field(leaf).name().clone();
            let what = format!("{what}, row group {row_group}, {name}");
            coded += compare(&window, column, batch.column(leaf), &wanted, &what);
        }
        window.check(&bench.compute).unwrap_or_else(|e| panic!("{what}: {e}"));
        check_flat(&file, row_group, &raw, &leaves, &batch, what);
    }
    coded
}

/// Compares columns that were decoded to stay on the GPU.
fn check_flat(
    file: &Arc<ParquetFile>,
    row_group: usize,
    raw: &RawWindow,
    leaves: &[usize],
    batch: &RecordBatch,
    what: &str,
) {
    let bench = Bench::shared();
    let whole =
        read(file, row_group, &all(batch.num_rows()), leaves).unwrap_or_else(|e| panic!("{what}: {e}"));
    let window = bench.stage_flat(raw, whole).unwrap_or_else(|e| panic!("{what}, decoded: {e}"));
    for (column, &leaf) in leaves.iter().enumerate() {
        let name = batch.schema().field(leaf).name().clone();
        let what = format!("{what}, row group {row_group}, {name}, decoded");
        compare(&window, column, batch.column(leaf), raw.wanted(), &what);
    }
    window.check(&bench.compute).unwrap_or_else(|e| panic!("{what}, decoded: {e}"));
}

/// Returns the range of every row.
pub fn all(rows: usize) -> RowRanges {
    vec![0..rows]
}
