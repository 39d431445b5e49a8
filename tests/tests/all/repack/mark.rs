//! Window mark of files with gzip in a small window: its presence, the hints of jobs, and wrong
//! marks.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use arrow::array::RecordBatch;
use parquet::basic::{Compression, GzipLevel};
use parquet::file::metadata::KeyValue;
use pelton_codec::{Decoder, Error, Format};
use pelton_device_cpu::CpuDevice;
use pelton_job::conformance::farthest;
use pelton_job::{
    BorrowedJob, BorrowedOutput, Cost, Device, Failure, Hints, JobView, Operation, OwnedOutput, Router,
    Running, Task, Unsupported,
};
use pelton_pages::listing;
use pelton_pages::{FooterOptions, LoadOptions, LoadedColumns, ParquetFile, Rows};
use pelton_tests::columns::{Shape, flat};
use pelton_tests::compare::assert_same;
use pelton_tests::document::Document;
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::{Struct, Value};

use super::{GZIP, GZIP_4K, ZSTD, largest_distance, repack};
use crate::support::{Scratch, engine, read};

const MARK: &str = "pelton.deflate.window";
const WINDOW: u32 = 4096;

/// `FileMetaData.key_value_metadata`.
const KEY_VALUE_METADATA: i16 = 5;

fn pairs(file: &[u8]) -> Vec<(String, String)> {
    let reader =
        parquet::file::serialized_reader::SerializedFileReader::new(bytes::Bytes::copy_from_slice(file));
    let metadata = parquet::file::reader::FileReader::metadata(&reader.expect("a good file")).clone();
    let pairs = metadata.file_metadata().key_value_metadata().cloned().unwrap_or_default();
    let pairs = pairs.into_iter().filter(|pair| !pair.key.starts_with("ARROW"));
    pairs.map(|pair| (pair.key, pair.value.unwrap_or_default())).collect()
}

/// Makes data with pages far larger than the window, and with repetitions from farther away.
fn batch() -> RecordBatch {
    flat(Shape { rows: 6_000, nulls: 0.0, distinct: 2_500, seed: 61 })
}

fn gzip(batch: &RecordBatch) -> Vec<u8> {
    let properties = small_pages(Compression::GZIP(GzipLevel::default()), 6_000, 6_000);
    parquet(std::slice::from_ref(batch), properties.set_dictionary_enabled(false).build())
}

/// Returns a file that claims a window.
fn marked(file: &[u8], window: &str) -> Vec<u8> {
    let mut document = Document::parse(file);
    let text = |text: &str| Value::Binary(text.as_bytes().to_vec());
    let pair = Value::Struct(Struct(vec![(1, text(MARK)), (2, text(window))]));
    if document.footer.get(KEY_VALUE_METADATA).is_none() {
        const STRUCT: u8 = 12;
        document.footer.set(KEY_VALUE_METADATA, Value::List(STRUCT, Vec::new()));
    }
    document.footer.list(KEY_VALUE_METADATA).push(pair);
    document.write()
}

#[test]
fn a_file_is_marked_when_all_its_gzip_has_the_window() {
    let scratch = Scratch::new();
    let engine = engine();
    let batch = batch();
    let mark = (MARK.to_owned(), WINDOW.to_string());
    let user = ("made by".to_owned(), "a test".to_owned());
    for keys in [None, Some(vec![KeyValue::new(user.0.clone(), user.1.clone())])] {
        let kept: Vec<_> = keys.iter().map(|_| user.clone()).collect();
        let properties = small_pages(Compression::SNAPPY, 1_000, 3_000).set_key_value_metadata(keys);
        let path = scratch.write("in.parquet", &parquet(std::slice::from_ref(&batch), properties.build()));
        let small = repack(&engine, &path, GZIP_4K).expect("a good file");
        assert_eq!(pairs(&small), [kept.clone(), vec![mark.clone()]].concat());
        // once is enough
        let path = scratch.write("small.parquet", &small);
        assert_eq!(pairs(&repack(&engine, &path, GZIP_4K).expect("a good file")), pairs(&small));
        for packing in [GZIP, ZSTD] {
            assert_eq!(pairs(&repack(&engine, &path, packing).expect("a good file")), kept, "{packing:?}");
        }
    }
}

/// A device with a window of 4 KB. It supports gzip with no larger window according to the hints,
/// and notes the hints. It detects a wrong hint as hardware does: by a complaint about the data.
#[derive(Default)]
struct Narrow {
    told: Mutex<Vec<Hints>>,
}

impl Narrow {
    fn run(running: &Running) -> Result<OwnedOutput, Failure> {
        let job = running.job();
        let lie = Error::Corrupt { format: Format::Gzip, what: "a match reaches before the history" };
        if farthest(Format::Gzip, &job.input).is_ok_and(|distance| distance > WINDOW) {
            return Err(Failure::Data(lie));
        }
        let mut output = running.output_buffer();
        let done = Decoder::new()
            .decompress(Format::Gzip, &job.input, output.as_mut_slice())
            .map_err(Failure::Data)?;
        let (output, consumed) = (output.finish(done.produced), done.consumed);
        Ok(OwnedOutput { output, consumed, checksum: None, interleaved: false })
    }
}

impl Device for Narrow {
    fn name(&self) -> &str {
        "narrow"
    }

    fn description(&self) -> String {
        format!("gzip within {WINDOW} bytes")
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        self.told.lock().expect("nobody panics").push(job.hints);
        let is_gzip = matches!(job.operation, Operation::Decompress { format: Format::Gzip });
        let fits = job.hints.window.is_some_and(|window| window <= WINDOW);
        if is_gzip && fits { Ok(()) } else { Err(Unsupported::new("not gzip within the window")) }
    }

    fn prior_cost(&self, _: Operation) -> Cost {
        // so fast that it gets everything that it takes
        Cost { setup: std::time::Duration::from_nanos(1), bytes_per_second: 1e15 }
    }

    fn worker_count(&self) -> usize {
        1 << 20
    }

    fn submit(&self, tasks: Vec<Task>) {
        for running in tasks.into_iter().filter_map(Task::start) {
            let result = Self::run(&running);
            running.finish(result);
        }
    }

    fn run_borrowed(&self, _: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        Err(Failure::Unsupported(Unsupported::new("not here")))
    }
}

/// Reads a file with the narrow device and the CPU as fallback. Also returns the hints of each job,
/// and the numbers of jobs that the device did and gave up.
fn read_narrow(path: &str) -> (Vec<RecordBatch>, Vec<Hints>, u64, u64) {
    let narrow = Arc::new(Narrow::default());
    let cpu = CpuDevice::builder().threads(1).build();
    let router = Router::builder().device(narrow.clone()).device(cpu).build();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let batches = runtime.block_on(async {
        let location = listing::list(path, &listing::LocalFiles).await.expect("the file")[0].location.clone();
        let file = ParquetFile::open(location, &FooterOptions::default()).await.expect("a good footer");
        let options = LoadOptions {
            router: router.clone(),
            counters: Arc::default(),
            verify_checksums: false,
            caller_runs: false,
            dictionaries: None,
        };
        let mut batches = Vec::new();
        for row_group in 0..file.metadata().num_row_groups() {
            let group = file.row_group(row_group).expect("it is there");
            let (rows, leaves) = (group.num_rows() as usize, (0..group.num_columns()).collect());
            let loaded = LoadedColumns::load(file.clone(), row_group, leaves, &(0..rows), &options).await;
            let loaded = Arc::new(loaded.expect("good pages"));
            batches.extend(
                loaded.decode(Rows::All, rows.max(1)).expect("a decoder").map(|b| b.expect("values")),
            );
        }
        batches
    });
    let told = narrow.told.lock().expect("nobody panics").clone();
    let total = router.counters().total("narrow");
    (batches, told, total.done, total.fell_back_total())
}

#[test]
fn jobs_of_a_marked_file_say_so_and_a_lie_makes_no_wrong_answer() {
    let scratch = Scratch::new();
    let engine = engine();
    let batch = batch();
    let far = gzip(&batch);
    assert!(largest_distance(&far).0 > WINDOW, "the data has distant matches");
    let path = scratch.write("far.parquet", &far);
    let expected = read(&engine, &path).expect("a good file");

    let (found, told, done, _) = read_narrow(&path);
    assert_same(&found, &expected, "without a mark");
    assert!(told.iter().all(|hints| hints.window.is_none()) && done == 0, "{told:?}");

    let honest = scratch.write("near.parquet", &repack(&engine, &path, GZIP_4K).expect("a good file"));
    let (found, told, done, fell_back) = read_narrow(&honest);
    assert_same(&found, &expected, "with a mark");
    assert!(told.iter().all(|hints| hints.window == Some(WINDOW)), "{told:?}");
    assert_eq!((done as usize, fell_back), (told.len(), 0));

    let liar = scratch.write("liar.parquet", &marked(&far, "4096"));
    let (found, _, _, fell_back) = read_narrow(&liar);
    assert_same(&found, &expected, "with a mark that lies");
    assert!(fell_back > 0, "the narrow device never met what it can't do");
    assert_same(&read(&engine, &liar).expect("a good file"), &expected, "by the engine");
}

#[test]
fn a_mark_that_is_no_window_is_no_mark() {
    let scratch = Scratch::new();
    let file = gzip(&batch().slice(0, 100));
    for value in ["", "0", "-4096", "4k", "32768", "99999999999999999999"] {
        let path = scratch.write("odd.parquet", &marked(&file, value));
        let (_, told, ..) = read_narrow(&path);
        assert!(!told.is_empty() && told.iter().all(|hints| hints.window.is_none()), "{value:?}: {told:?}");
    }
    // and it says nothing of another codec
    let properties = small_pages(Compression::SNAPPY, 50, 100).build();
    let path =
        scratch.write("snappy.parquet", &marked(&parquet(&[batch().slice(0, 100)], properties), "4096"));
    let (_, told, ..) = read_narrow(&path);
    assert!(!told.is_empty() && told.iter().all(|hints| hints.window.is_none()), "{told:?}");
}

/// Each column chunk has an affinity key of its own, which is the same when the chunk is read
/// again.
#[test]
fn column_chunks_have_affinity_keys() {
    let scratch = Scratch::new();
    let batch = batch().slice(0, 400);
    let properties = small_pages(Compression::GZIP(GzipLevel::default()), 50, 200).build();
    let file = parquet(std::slice::from_ref(&batch), properties);
    let families = |path: &str| -> HashSet<u64> {
        read_narrow(path)
            .1
            .iter()
            .map(|hints| hints.affinity_key.expect("every page is of a chunk"))
            .collect()
    };
    let (one, other) = (scratch.write("one.parquet", &file), scratch.write("other.parquet", &file));
    let chunks = Document::parse(&file).row_groups.iter().flatten().count();
    let pages = read_narrow(&one).1.len();
    assert!(families(&one).len() == chunks && pages > chunks, "{chunks} chunks, {pages} pages");
    assert_eq!(families(&one), families(&one));
    assert!(families(&one).is_disjoint(&families(&other)));
}
