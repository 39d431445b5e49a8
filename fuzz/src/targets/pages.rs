//! Whole Parquet files through the page reader: footer, page index, headers, decompression,
//! decoding; and repacked.
//!
//! Damage has to become an error or rows. The reader catches panics of foreign decoders; our code
//! must not panic, and must not return more or fewer rows than the footer says.

use std::sync::{Arc, OnceLock};

use arrow::array::{Array, ArrayRef, BooleanArray, Int64Array, ListArray, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use pelton_bitpack::Kernels;
use pelton_codec::{Format, Window};
use pelton_device_cpu::CpuDevice;
use pelton_job::{Limits, Router};
use pelton_pages::{
    Condition, Filter, FilterStage, FooterOptions, LoadOptions, Location, Packing, ParquetFile,
    RepackOptions, Result, ScanSpec, WINDOW_BYTES, repack, windows,
};
use tokio::runtime::Runtime;

use crate::allocator::limited;

/// Maximum size of a decompressed page: larger claims are refused, so that a run stays small.
const OUTPUT_PER_JOB: usize = 1 << 20;

/// Maximum memory of an input, whatever it claims: many times that of a sound file of its size.
const MEMORY: usize = 256 << 20;

/// Maximum number of rows read from a row group that claims more.
const MAX_ROWS: usize = 100_000;

/// Returns files of a few hundred rows: every codec, both page versions, with and without
/// dictionary, flat and nested.
pub fn seeds() -> Vec<Vec<u8>> {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
        Compression::BROTLI(Default::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ];
    let versions = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];
    let kinds = codecs.into_iter().flat_map(|codec| versions.map(|version| (codec, version)));
    kinds.enumerate().map(|(index, (codec, version))| file(codec, version, index % 3 != 0)).collect()
}

fn file(codec: Compression, version: WriterVersion, dictionary: bool) -> Vec<u8> {
    let numbers = Int64Array::from_iter((0..300).map(|n| (n % 7 != 0).then_some(n * n)));
    let words = StringArray::from_iter_values((0..300).map(|n| format!("word {}", n % 13)));
    let lists = (0..300).map(|n| (n % 5 != 0).then(|| (0..n % 4).map(Some).collect::<Vec<_>>()));
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
    let columns: [(&str, ArrayRef); 3] =
        [("n", Arc::new(numbers)), ("w", Arc::new(words)), ("l", Arc::new(lists))];
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_writer_version(version)
        .set_dictionary_enabled(dictionary)
        .set_data_page_row_count_limit(64)
        .set_write_batch_size(64)
        .set_statistics_enabled(EnabledStatistics::Page)
        .build();
    let mut writer =
        ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).expect("a schema to write");
    writer.write(&batch).expect("rows to write");
    writer.into_inner().expect("a file")
}

/// Opens `input` as a file, repacks it and reads all rows, then every third stretch of 50.
pub fn run(input: &[u8]) {
    machine();
    limited(MEMORY, || read(input));
}

fn read(input: &[u8]) {
    let (runtime, router) = machine();
    let read: Result<()> = runtime.block_on(async {
        let store = Arc::new(InMemory::new());
        let path = Path::from("input.parquet");
        store.put(&path, input.to_vec().into()).await.expect("memory holds it");
        let meta = store.head(&path).await.expect("it was put there");
        let location = Location::new(store as Arc<dyn ObjectStore>, meta, "input.parquet");
        let file = ParquetFile::open(location, &FooterOptions::default()).await?;
        let packing = Packing::Gzip { window: Window::SMALL, level: Format::Gzip.default_level() };
        let options = RepackOptions { file: file.clone(), packing, router: router.clone() };
        let repacked = repack(&options, &mut std::io::sink(), &mut |_| ()).await.map(drop);
        let read = rows(&file, router, None, |rows| vec![0..rows]).await;
        let direct = rows(&file, router, Some(Kernels::detect()), |rows| vec![0..rows]).await;
        // One of parquet-rs and our decoder may take damage for rows where the other finds it;
        // where both read rows, the rows are equal.
        if let (Ok(read), Ok(direct)) = (&read, &direct) {
            assert_eq!(read, direct, "rows that parquet-rs decodes, and ours");
        }
        repacked.and(read).and(direct)?;
        for kernels in [None, Some(Kernels::detect())] {
            let stretches = |rows: usize| (0..rows).step_by(150).map(|row| row..rows.min(row + 50)).collect();
            rows(&file, router, kernels, stretches).await?;
        }
        let encoded = filtered(&file, router, Some(Kernels::detect())).await?;
        let decoded = filtered(&file, router, None).await?;
        assert_eq!(encoded, decoded, "rows that pass on codes, and decoded");
        Ok(())
    });
    if let Err(error) = read {
        let text = error.to_string();
        assert!(text.starts_with("input.parquet"), "the error does not name the file: {text}");
        assert!(!text.contains('\n'), "the error is not one line: {text:?}");
        assert!(!text.contains("internal error"), "a fault of ours: {text}");
    }
}

/// Returns the rows of each row group that `wanted` names, their number checked.
async fn rows(
    file: &Arc<ParquetFile>,
    router: &Arc<Router>,
    kernels: Option<Kernels>,
    wanted: impl Fn(usize) -> Vec<std::ops::Range<usize>>,
) -> Result<Vec<RecordBatch>> {
    let columns: Vec<usize> = (0..file.schema().fields().len()).collect();
    let spec = spec(router, columns.clone(), Vec::new(), kernels);
    let mut all = Vec::new();
    for row_group in 0..file.metadata().num_row_groups() {
        let rows = file.metadata().row_group(row_group).num_rows() as usize;
        if rows == 0 {
            continue;
        }
        let wanted = wanted(rows.min(MAX_ROWS));
        let mut found = 0;
        for window in windows(file, row_group, &wanted, &columns, WINDOW_BYTES)? {
            if let Some(batches) = window.load(file.clone(), &spec).await?.filter(&spec).await? {
                for batch in batches {
                    let batch = batch?;
                    found += batch.num_rows();
                    all.push(batch);
                }
            }
        }
        let expected: usize = wanted.iter().map(|range| range.len()).sum();
        assert!(columns.is_empty() || found == expected, "{expected} rows were asked for, {found} came");
    }
    Ok(all)
}

fn spec(
    router: &Arc<Router>,
    output: Vec<usize>,
    stages: Vec<FilterStage>,
    kernels: Option<Kernels>,
) -> ScanSpec {
    let load = LoadOptions {
        router: router.clone(),
        counters: Arc::default(),
        verify_checksums: true,
        caller_runs: false,
        dictionaries: None,
    };
    ScanSpec { output, stages, batch_size: 128, kernels, load }
}

/// Returns the number of rows of each row group that pass a condition on the first column.
async fn filtered(
    file: &Arc<ParquetFile>,
    router: &Arc<Router>,
    kernels: Option<Kernels>,
) -> Result<Vec<usize>> {
    if file.schema().fields().is_empty() {
        return Ok(Vec::new());
    }
    let columns = vec![0];
    let condition = Condition { columns: columns.clone(), filter: Arc::new(EvenText) };
    let stage = FilterStage { columns: columns.clone(), conditions: vec![condition] };
    let spec = spec(router, columns.clone(), vec![stage], kernels);
    let mut counts = Vec::new();
    for row_group in 0..file.metadata().num_row_groups() {
        let rows = file.metadata().row_group(row_group).num_rows() as usize;
        if rows == 0 {
            continue;
        }
        let mut found = 0;
        for window in windows(file, row_group, &[0..rows.min(MAX_ROWS)], &columns, WINDOW_BYTES)? {
            for batch in window.load(file.clone(), &spec).await?.filter(&spec).await?.into_iter().flatten() {
                found += batch?.num_rows();
            }
        }
        counts.push(found);
    }
    Ok(counts)
}

/// Passes about half of the values of any type, by an even sum of their text's bytes. Null passes.
#[derive(Debug)]
struct EvenText;

impl Filter for EvenText {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String> {
        let column = batch.column(0);
        let text = ArrayFormatter::try_new(column, &FormatOptions::default()).map_err(|e| e.to_string())?;
        let even = |row: usize| {
            let sum = text.value(row).to_string().bytes().fold(0u8, u8::wrapping_add);
            column.is_null(row) || sum.is_multiple_of(2)
        };
        Ok((0..batch.num_rows()).map(|row| Some(even(row))).collect())
    }

    fn note(&self, _: usize, _: usize) {}
}

fn machine() -> &'static (Runtime, Arc<Router>) {
    static MACHINE: OnceLock<(Runtime, Arc<Router>)> = OnceLock::new();
    MACHINE.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let limits = Limits { output_per_job: OUTPUT_PER_JOB, ..Limits::default() };
        let cpu = CpuDevice::builder().threads(1).build();
        (runtime, Router::builder().device(cpu).limits(limits).build())
    })
}
