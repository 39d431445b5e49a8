//! Pelton: SQL over data that stays compressed until the last moment.
//!
//! Bindings and the command line import this crate. An [`Engine`] opens the devices of the machine,
//! builds the router over them, and runs queries over data that the router decompresses.
//!
//! ```no_run
//! let engine = pelton::Engine::builder().threads(4).memory_limit(2_000_000_000).build()?;
//! engine.register("lineitem", "data/lineitem/*.parquet")?;
//! for batch in engine.sql("SELECT count(*) FROM lineitem")? {
//!     println!("{} rows", batch.num_rows());
//! }
//! # Ok::<(), pelton::Error>(())
//! ```
#![forbid(unsafe_code)]

mod accelerator;
mod cancel;
mod engine;
mod functions;
mod machine;
mod prepared;
pub mod profile;
mod query;
mod repack;
#[cfg(feature = "substrait")]
mod substrait;
mod tables;
mod threads;
mod write;

pub use cancel::CancelHandle;
pub use engine::{Engine, EngineBuilder};
pub use machine::on_memory_limit;
pub use pelton_device_cuda::{MAX_QUEUES, QUEUES_VARIABLE, request_all_queues};
pub use pelton_pages::{
    Cause, CsvFormat, Decompression, FooterTotals, OutputFile, Packing, RepackProgress, Repacked, RowFormat,
    RowWriter, ScanTotals, TableWriter, TimeFormats, Undecided, WriteOptions, Written, remove_partial_files,
    traffic::Traffic,
};
#[cfg(feature = "substrait")]
pub use pelton_query::plan::SubstraitOptions;
pub use pelton_query::plan::{Accelerated, Clause, SOURCE_COLUMN, type_in_sql};
pub use pelton_query::stores::Output;
pub use pelton_query::{Error, Parameters, Prepared, Result, Value, WritingMemory};
pub use pelton_registry::{
    ChoiceError, CudaHostSettings, CudaSettings, DEVICES_VARIABLE, DeviceChoice, DeviceReport, IaaSettings,
    ModelSettings, Size, Wanted, Windows, figures,
};
pub use query::{Progress, ProgressHandle, Query};

/// The block formats, for direct compression and decompression.
pub use pelton_codec as codec;
/// Jobs, devices and the router.
pub use pelton_job as job;
/// Settings of a session: definitions and values.
pub use pelton_settings as settings;
