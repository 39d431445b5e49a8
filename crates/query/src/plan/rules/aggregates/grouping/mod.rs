//! Grouping of rows in place of DataFusion's aggregates: the operator, which has a method of its
//! own to find groups, the stream of these, the partial results of numbered groups, and the rows
//! for DataFusion's operator.

mod exec;
mod limited;
mod partitions;
mod passed_on;
mod pool;
mod results;
mod stream;

pub(super) use exec::{GroupingExec, Method, Running};
pub(in crate::plan) use limited::LimitedAggregates;
pub(super) use passed_on::{hash_rows, remaining, with_parts};
pub(super) use results::Results;
pub(super) use stream::{Added, GroupStream, Groups};
