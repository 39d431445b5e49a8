//! Settings of a session: one table of definitions, and values that are checked against it.
//!
//! [`SETTINGS`] is the table. The options of the command, the arguments of Python's `connect`, the
//! settings of the DuckDB extension, `pelton_settings()` and the documents are made from it, or
//! compared with it by a test.
#![forbid(unsafe_code)]

mod definition;
mod definitions;
mod names;
mod size;
pub mod stores;
mod values;

pub use definition::{Definition, DuckDb, Kind, SettingError};
pub use definitions::{
    ANY_ORDER, CLUSTERED_GROUPS, COMMON_SUBPLANS, DENSE_GROUPS, DEVICE, EAGER_AGGREGATION, ENCODED_FILTERS,
    GROUP_JOINS, JOIN_KEY_BITMAPS, JOIN_ORDER, KEY_RANGES, LARGE_BROADCASTS, MEMORY, MOST_THREADS,
    PACKED_SORTS, PARTITIONED_AGGREGATES, PROFILE, ROLLUPS, RUNNING_WINDOWS, SET_JOINS, SETTINGS, THREADS,
    TIMEZONE, VERIFY_CHECKSUMS, WINDOW_TOP_K, find, may_hold_secret,
};
pub use names::{did_you_mean, nearest};
pub use size::Size;
pub use values::{Settings, Value};
