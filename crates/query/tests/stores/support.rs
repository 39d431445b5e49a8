//! Sessions, and files for them.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use futures::TryStreamExt;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use pelton_bitpack::Kernels;
use pelton_device_cpu::CpuDevice;
use pelton_job::Router;
use pelton_query::stores::Stores;
use pelton_query::{Result, ScanContext, Session, SessionOptions};
use tokio::runtime::Runtime;

/// A session with the runtime that its plans run on.
pub struct Engine {
    pub runtime: Runtime,
    pub session: Session,
    pub stores: Arc<Stores>,
}

impl Engine {
    pub fn new() -> Self {
        let stores = Arc::<Stores>::default();
        let scan = ScanContext {
            router: Router::builder().device(CpuDevice::builder().threads(1).build()).build(),
            verify_checksums: false,
            window_bytes: 1 << 20,
            kernels: Some(Kernels::detect()),
            any_order: false,
            stores: stores.clone(),
            footers: Arc::default(),
        };
        let options = SessionOptions { threads: 2, memory_limit: None, scan, accelerator: None };
        let session = Session::new(options).expect("a session");
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        Self { runtime: runtime.expect("a runtime"), session, stores }
    }

    /// Returns a session with the same settings and tables.
    pub fn branch(&self) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let session = self.runtime.block_on(self.session.branch()).expect("a branch");
        let stores = session.stores().clone();
        Self { runtime: runtime.expect("a runtime"), session, stores }
    }

    pub fn rows(&self, sql: &str) -> Result<Vec<RecordBatch>> {
        self.runtime.block_on(async {
            let plan = self.session.sql(sql).await?;
            Ok(self.session.run(plan)?.try_collect().await?)
        })
    }

    /// Returns the rows as text, with `|` between columns.
    pub fn text(&self, sql: &str) -> Vec<String> {
        let batches = self.rows(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let mut lines = Vec::new();
        for batch in &batches {
            for row in 0..batch.num_rows() {
                let cells = batch.columns().iter().map(|column| {
                    arrow::util::display::array_value_to_string(column, row).expect("a value has a text")
                });
                lines.push(cells.collect::<Vec<_>>().join("|"));
            }
        }
        lines
    }

    pub fn error(&self, sql: &str) -> String {
        self.rows(sql).map_or_else(|error| error.to_string(), |_| panic!("{sql} succeeds"))
    }

    /// Returns a metric of the scan in the text of `EXPLAIN ANALYZE`.
    pub fn metric(&self, sql: &str, name: &str) -> u64 {
        let text = self.text(&format!("EXPLAIN ANALYZE {sql}")).join("\n");
        let (_, rest) = text.split_once(&format!("{name}=")).unwrap_or_else(|| panic!("no {name}: {text}"));
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or_else(|error| panic!("{name}: {error}: {text}"))
    }
}

/// Returns a Parquet file with the columns `x`, which counts from `start`, and `s`, its text.
pub fn parquet(start: i64, rows: i64) -> Vec<u8> {
    let numbers = Int64Array::from_iter_values(start..start + rows);
    let texts = StringArray::from_iter_values((start..start + rows).map(|x| format!("row {x}")));
    let columns: [(&str, ArrayRef); 2] = [("x", Arc::new(numbers)), ("s", Arc::new(texts))];
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("memory takes it");
    writer.close().expect("memory takes it");
    bytes
}
