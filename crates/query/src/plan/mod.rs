//! Sessions: SQL and Substrait to running plans.

mod accelerator;
mod decimals;
mod files;
mod joins;
mod session;
#[cfg(feature = "substrait")]
mod substrait;
mod titles;
mod totals;
mod yields;
mod zeros;

pub use accelerator::{
    AcceleratedNode, AcceleratedPlan, Accelerator, CachePlace, DeviceFailure, NodeReport, Reason, Rewritten,
};
pub use session::{Plan, RowStream, Session, SessionOptions};
pub use totals::scan_counters;
