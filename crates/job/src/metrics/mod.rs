//! Metrics: counters by device and operation kind.

pub(crate) mod counters;
pub(crate) mod device_metrics;
mod operation_kind;
mod table;
