//! Sessions: planning and execution of SQL and Substrait.

mod accelerator;
mod catalog;
mod clause;
mod executable;
mod file_functions;
mod file_tables;
mod fresh;
mod memory;
mod metrics;
mod recursion_limit;
mod relations;
mod rows;
mod rules;
mod session;
mod settings;
mod shared;
mod sql;
mod statement;
mod streamed;
#[cfg(feature = "substrait")]
mod substrait;
mod table_functions;
mod tables;

pub use accelerator::{
    AcceleratedNode, AcceleratedPlan, Accelerator, CachePlace, DeviceFailure, NodeReport, Notes, Reason,
    Rewritten,
};
pub use catalog::Prepared;
pub use clause::Clause;
pub use executable::{Plan, RowStream};
pub use metrics::{Accelerated, Scans, accelerated, describe, notes, scans};
pub use pelton_pages::type_in_sql;
pub use rows::takes_effect;
pub use session::{Session, SessionOptions};
pub use settings::{Devices, Host, MakeScan, SCAN_SHARE, scan_context};
pub use statement::{Parameters, SOURCE_COLUMN};
#[cfg(feature = "substrait")]
pub use substrait::SubstraitOptions;
