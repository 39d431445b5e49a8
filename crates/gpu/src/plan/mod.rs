//! From DataFusion's optimised logical plan to pipelines.
//!
//! Logical plans are free of what threads need (repartitioning, partial aggregates), and of the
//! sides that joins build on, which are chosen here by the rows that are expected. What can't be
//! done has a reason.

mod aggregate;
mod casts;
mod estimate;
mod expression;
mod function;
mod join;
mod literal;
mod lower;
mod order;
mod row_order;
mod rows;
mod scan;

pub(crate) use literal::literal;
pub use lower::lower;
