//! Sessions: planning and execution of SQL and Substrait.

mod accelerator;
mod condition;
mod executable;
mod file_tables;
mod memory;
mod metrics;
mod recursion_limit;
mod relations;
mod rules;
mod series;
mod session;
mod sql;
mod statement;
#[cfg(feature = "substrait")]
mod substrait;
mod tables;

pub use accelerator::{
    AcceleratedNode, AcceleratedPlan, Accelerator, CachePlace, DeviceFailure, NodeReport, Notes, Reason,
    Rewritten,
};
pub use condition::check_condition;
pub use executable::{Plan, RowStream};
pub use metrics::{Accelerated, Scans, accelerated, describe, notes, scans};
pub use session::{SOURCE_COLUMN, Session, SessionOptions};
