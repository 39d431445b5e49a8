//! A session on the host build with settings that the engine does not offer, or on the CPU alone.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::StreamExt;
use pelton::{Engine, ScanTotals};
use pelton_bitpack::Kernels;
use pelton_device_cpu::CpuDevice;
use pelton_device_cuda::{Gpu, HostOptions};
use pelton_gpu::{GpuAccelerator, Limits};
use pelton_job::Router;
use pelton_query::plan::{Accelerator, Notes, notes, scans};
use pelton_query::{ScanContext, Session, SessionOptions};
use tokio::runtime::Runtime;

/// Outcome of a query.
pub struct Answer {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    /// Notes that accompany the rows: the CPU had to run a part, and the reason.
    pub notes: Vec<String>,
    pub totals: ScanTotals,
}

/// Whatever answers queries.
pub trait Sql {
    fn answer(&self, sql: &str) -> Result<Answer, String>;
}

impl Sql for Engine {
    fn answer(&self, sql: &str) -> Result<Answer, String> {
        let mut query = self.query(sql).map_err(|e| e.to_string())?;
        let batches = query.by_ref().collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
        Ok(Answer { schema: query.schema(), batches, notes: query.notes(), totals: query.totals() })
    }
}

/// Memory for spilled rows.
const SPILL: u64 = 1 << 30;

/// A session of two threads.
pub struct Host {
    session: Session,
    runtime: Runtime,
}

impl Host {
    /// On the host build; `None`: on the CPU alone.
    pub fn new(options: Option<HostOptions>) -> Self {
        Self::with(options, Limits { passes: 1, spill: SPILL })
    }

    /// Returns the same with groups and join tables spilled, and processed in a number of passes.
    pub fn in_passes(options: HostOptions, passes: u64) -> Self {
        Self::with(Some(options), Limits { passes, spill: SPILL })
    }

    fn with(options: Option<HostOptions>, limits: Limits) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let router = Router::builder().device(CpuDevice::builder().threads(2).build()).build();
        let kernels = Some(Kernels::detect());
        let scan = ScanContext {
            router,
            verify_checksums: false,
            window_bytes: 1 << 20,
            kernels,
            any_order: true,
            stores: Arc::default(),
            footers: Arc::default(),
        };
        let accelerator = options.map(|options| {
            let gpu = Gpu::host(options).unwrap_or_else(|e| panic!("{e}"));
            let accelerator =
                GpuAccelerator::new(gpu, scan.clone(), limits).unwrap_or_else(|e| panic!("{e}"));
            Arc::new(accelerator) as Arc<dyn Accelerator>
        });
        let session = Session::new(SessionOptions { threads: 2, memory_limit: None, scan, accelerator })
            .expect("a session");
        Self { session, runtime }
    }

    pub fn register(&self, name: &str, location: &str) {
        self.try_register(name, location).unwrap_or_else(|e| panic!("{e}"));
    }

    pub fn try_register(&self, name: &str, location: &str) -> Result<(), String> {
        self.runtime.block_on(self.session.register(name, &[location])).map_err(|e| e.to_string())
    }
}

impl Sql for Host {
    fn answer(&self, sql: &str) -> Result<Answer, String> {
        self.runtime.block_on(async {
            let plan = self.session.sql(sql).await.map_err(|e| e.to_string())?;
            let (found, said) = (scans(&plan), notes(&plan));
            let mut stream = self.session.run(plan).map_err(|e| e.to_string())?;
            let mut batches = Vec::new();
            while let Some(batch) = stream.next().await {
                batches.push(batch.map_err(|e| pelton_query::Error::from(e).to_string())?);
            }
            let mut totals = ScanTotals::default();
            found.counters.iter().for_each(|scan| totals.add(&scan.totals()));
            Ok(Answer { schema: stream.schema(), batches, notes: Notes::united(&said), totals })
        })
    }
}
