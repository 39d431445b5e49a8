//! Ways to run a query.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use arrow::array::RecordBatch;
use futures::StreamExt;
use pelton::Engine;
use pelton_bitpack::Kernels;
use pelton_device_cpu::CpuDevice;
use pelton_job::Router;
use pelton_query::{ScanContext, Session, SessionOptions};
use tokio::runtime::Runtime;

/// The peculiarity.
#[derive(Debug, Clone, Copy)]
pub enum Configuration {
    OneThread,
    FourThreads,
    /// Little memory, so that sorts of the larger tables have to spill. On one thread, so that
    /// memory is requested in the same order in every run.
    LittleMemory,
    /// Batches of a small number of rows: every operator sees many of them.
    Batches(usize),
    /// Every page's checksum is looked at.
    Checksums,
    /// Every column of a condition is decoded for it.
    DecodeFirst,
}

/// Memory that is too small for the largest table's sort, and enough for one of its row groups.
const LITTLE_MEMORY: usize = 20 << 20;

/// Much longer than any case takes.
const PATIENCE: Duration = Duration::from_secs(100);

pub trait Runner {
    fn register(&self, name: &str, location: &str);

    fn run(&self, sql: &str) -> Result<Vec<RecordBatch>, String>;
}

impl Configuration {
    pub fn runner(self) -> Box<dyn Runner> {
        let builder = Engine::builder();
        let builder = match self {
            Configuration::OneThread => builder.threads(1),
            Configuration::FourThreads => builder.threads(4),
            Configuration::LittleMemory => builder.threads(1).memory_limit(LITTLE_MEMORY),
            Configuration::Batches(rows) => return Box::new(Batched::new(rows)),
            Configuration::Checksums => builder.threads(2).verify_checksums(true),
            Configuration::DecodeFirst => builder.threads(2).encoded_filters(false),
        };
        Box::new(builder.build().expect("an engine"))
    }
}

impl Runner for Engine {
    fn register(&self, name: &str, location: &str) {
        Engine::register(self, name, location).unwrap_or_else(|e| panic!("{e}"));
    }

    fn run(&self, sql: &str) -> Result<Vec<RecordBatch>, String> {
        let query = self.query(sql).map_err(|e| e.to_string())?;
        // a query that waits for itself is a failed case, not a test that never ends
        let (ended, watch) = mpsc::channel::<()>();
        let cancel = query.cancel_handle();
        std::thread::spawn(move || {
            if watch.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                cancel.cancel();
            }
        });
        let rows = query.collect::<Result<_, _>>().map_err(|e| e.to_string());
        drop(ended);
        rows
    }
}

/// A session with a setting for tests that the engine does not offer.
struct Batched {
    session: Session,
    runtime: Runtime,
}

impl Batched {
    fn new(rows: usize) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let router = Router::builder().device(CpuDevice::builder().threads(2).build()).build();
        let kernels = Some(Kernels::detect());
        let scan = ScanContext {
            router,
            verify_checksums: false,
            window_bytes: 1 << 20,
            kernels,
            any_order: false,
            stores: Arc::default(),
            footers: Arc::default(),
        };
        let session =
            Session::new(SessionOptions { threads: 2, memory_limit: None, scan, accelerator: None })
                .expect("a session");
        let setting = format!("SET datafusion.execution.batch_size = {rows}");
        runtime.block_on(session.context().sql(&setting)).expect("DataFusion has the setting");
        Self { session, runtime }
    }
}

impl Runner for Batched {
    fn register(&self, name: &str, location: &str) {
        self.runtime.block_on(self.session.register(name, &[location])).unwrap_or_else(|e| panic!("{e}"));
    }

    fn run(&self, sql: &str) -> Result<Vec<RecordBatch>, String> {
        self.runtime.block_on(async {
            let plan = self.session.sql(sql).await.map_err(|e| e.to_string())?;
            let mut stream = self.session.run(plan).map_err(|e| e.to_string())?;
            let mut batches = Vec::new();
            while let Some(batch) = stream.next().await {
                let batch = batch.map_err(|e| pelton_query::Error::from(e).to_string())?;
                batches.push(batch);
            }
            Ok(batches)
        })
    }
}
