//! Counters by device and operation kind.

pub(crate) mod counters;
pub(crate) mod device_metrics;
pub(crate) mod operation_kind;
