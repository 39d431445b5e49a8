//! Protocol between the driver and a process that hosts an engine: a line of JSON each way.
//!
//! `bench/rivals/worker.py` speaks it for engines that come from Python, [`crate::engine::worker`]
//! for Pelton, so all are driven and timed alike.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::engine::result::ResultSet;

/// A request to the process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// Open a data set; comes first.
    Open {
        /// Name of the engine; a process may offer several.
        engine: String,
        /// A folder with one Parquet file a table.
        folder: PathBuf,
        /// Number of threads that the engine may use.
        threads: usize,
    },
    /// Run a query.
    Query {
        /// Its text.
        sql: String,
        /// Whether the reply is to have the result and not just its number of rows.
        rows: bool,
    },
    /// Say how much memory was used at most so far.
    Memory,
}

/// The reply to a request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// To [`Request::Open`].
    Opened(Identity),
    /// To [`Request::Query`].
    Answered(Answered),
    /// To [`Request::Memory`].
    Memory {
        /// Peak resident memory of the process in bytes.
        peak_bytes: u64,
    },
    /// To a request that failed.
    Error(String),
}

/// Identity of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its usual name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// Result of a query with its measurements.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// Milliseconds from handing over the query's text to having every row as Arrow.
    pub ms: f64,
    /// Milliseconds of these until the query was planned; only Pelton reports them.
    #[serde(default)]
    pub planned_ms: Option<f64>,
    /// Rows in the result.
    pub row_count: u64,
    /// The result, if it was requested.
    pub result: Option<ResultSet>,
    /// Read and decompressed bytes; only Pelton reports them.
    #[serde(default)]
    pub scanned: Option<Scanned>,
}

/// Bytes that a query's scans went through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scanned {
    /// Bytes read from files.
    pub bytes_read: u64,
    /// Bytes that decompression produced.
    pub bytes_decompressed: u64,
    /// Compressed bytes of the columns that the scans name, including pruned ones.
    #[serde(default)]
    pub bytes_of_columns: u64,
    /// The same, decompressed.
    #[serde(default)]
    pub plain_bytes_of_columns: u64,
    /// Part of the query that a GPU ran, where there is one.
    #[serde(default)]
    pub on_gpu: Option<OnGpu>,
}

/// Part of a query that a GPU ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnGpu {
    /// All of it.
    All,
    /// Some of it.
    Part,
    /// Nothing.
    Nothing,
    /// The CPU ran the assigned part, since the GPU failed.
    Failed,
}

impl fmt::Display for OnGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnGpu::All => "all",
            OnGpu::Part => "part",
            OnGpu::Nothing => "nothing",
            OnGpu::Failed => "FAILED",
        })
    }
}
