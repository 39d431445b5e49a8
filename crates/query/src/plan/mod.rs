//! Sessions: SQL and Substrait to running plans.

mod accelerate;
mod accelerator;
mod condition;
mod depth;
mod executable;
mod files;
mod joins;
mod memory;
mod ordered;
mod rows;
mod rules;
mod series;
mod session;
mod sql;
mod statement;
#[cfg(feature = "substrait")]
mod substrait;
mod tables;
mod titles;
mod totals;
mod yields;
mod zeros;

pub use accelerate::{Notes, notes};
pub use accelerator::{
    AcceleratedNode, AcceleratedPlan, Accelerator, CachePlace, DeviceFailure, NodeReport, Reason, Rewritten,
};
pub use condition::check_condition;
pub use session::{Plan, RowStream, SOURCE_COLUMN, Session, SessionOptions};
pub use totals::{Accelerated, Scans, accelerated, describe, scans};
