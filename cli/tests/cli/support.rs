//! Runs the command in a folder of its own, and makes files for it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use arrow::array::{ArrayRef, Date32Array, Decimal128Array, Int64Array, ListArray, RecordBatch, StringArray};
use arrow::datatypes::Int64Type;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel};
use parquet::file::properties::WriterProperties;
use tempfile::TempDir;

/// A folder with the files of a test; removed at its end.
pub struct Place {
    folder: TempDir,
}

/// A process that a test which fails does not leave behind.
pub struct EndsWithTest(pub Child);

impl Drop for EndsWithTest {
    fn drop(&mut self) {
        // It has ended, if all went well.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Outcome of a run.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        Place { folder: tempfile::tempdir().expect("a folder for temporary files") }
    }

    /// Returns the path of a file here.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns names of everything here, in order.
    pub fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder is there");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries.map(name).map(|n| n.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// `pelton` with arguments, to run in the folder, without the user's home.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pelton"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HOME", self.path("home"))
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_STATE_HOME")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        self.command(arguments).output().expect("it starts").into()
    }

    /// Runs with a text as standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Run {
        fs::write(self.path(".input"), input).expect("written");
        let mut command = self.command(arguments);
        command.stdin(File::open(self.path(".input")).expect("opened"));
        let run = command.output().expect("it starts").into();
        fs::remove_file(self.path(".input")).expect("removed");
        run
    }

    /// Writes a gzip Parquet file of `rows` rows: `id` from 0, `name` (null for each third),
    /// `price` a hundredth of the id, `day` since 1970, `parts` a list.
    pub fn parquet(&self, name: &str, rows: usize) {
        let properties = WriterProperties::builder()
            .set_compression(Compression::GZIP(GzipLevel::default()))
            .set_max_row_group_row_count(Some(1000))
            .set_data_page_row_count_limit(100)
            .build();
        let batch = batch(rows);
        let file = File::create(self.path(name)).expect("created");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
        writer.write(&batch).expect("written");
        writer.close().expect("closed");
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Run {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    /// Returns its output, if it succeeded without a word on standard error.
    pub fn ok(&self) -> &str {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        &self.out
    }

    /// Returns the error message, which must be one line, without a panic, and with nothing on
    /// standard output.
    pub fn error(&self, code: i32) -> &str {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{}", self.err);
        let line = self.err.strip_suffix('\n').unwrap_or(&self.err);
        assert!(line.starts_with("error: ") && !line.contains('\n'), "{:?}", self.err);
        assert!(!line.contains("panicked") && !line.contains("internal error"), "{line}");
        line
    }
}

fn batch(rows: usize) -> RecordBatch {
    let ids = || 0..rows as i64;
    let name = |id: i64| (id % 3 != 0).then(|| format!("name {id}"));
    let price = Decimal128Array::from_iter_values(ids().map(i128::from)).with_precision_and_scale(15, 2);
    let parts = ids().map(|id| Some((0..id % 3).map(Some).collect::<Vec<_>>()));
    let columns: [(&str, ArrayRef); 5] = [
        ("id", Arc::new(Int64Array::from_iter_values(ids()))),
        ("name", Arc::new(ids().map(name).collect::<StringArray>())),
        ("price", Arc::new(price.expect("a decimal"))),
        ("day", Arc::new(Date32Array::from_iter_values(ids().map(|id| id as i32)))),
        ("parts", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(parts))),
    ];
    RecordBatch::try_from_iter(columns).expect("a batch")
}

/// Returns the rows of a Parquet file, in one batch.
pub fn read_parquet(path: &Path) -> RecordBatch {
    let file = File::open(path).expect("opened");
    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let schema = reader.schema().clone();
    let batches: Vec<RecordBatch> =
        reader.build().expect("a reader").map(|batch| batch.expect("rows")).collect();
    arrow::compute::concat_batches(&schema, &batches).expect("one batch")
}
