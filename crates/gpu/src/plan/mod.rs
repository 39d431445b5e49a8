//! Conversion of DataFusion's optimised logical plan to pipelines.
//!
//! Logical plans have no operators for the CPU's threads (repartitioning, partial aggregates), and
//! no build sides for joins, which are chosen here by the rows that are expected. An unsupported
//! part has a reason.

mod aggregate;
mod expression;
mod function;
mod join;
mod lower;
mod order;
mod rows;
mod scan;
mod types;

pub use lower::lower;
pub(crate) use types::literal;
