//! From DataFusion's optimised logical plan to pipelines.
//!
//! Logical plans are free of what threads need (repartitioning, partial aggregates), and of the
//! sides that joins build on, which are chosen here by the rows that are expected. What can't be
//! done has a reason.

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
