//! Operator that runs a plan once for several readers.
//!
//! A [`SharedPlan`] has a [`Channel`](channel::Channel) for each partition. A reader that finds no
//! batch there asks the plan for the next one, so that readers may run in any order, and one of
//! them to its end before the next starts. Batches are kept in a [`Spool`](spool::Spool), in memory
//! or on disk, until the last reader has passed them.

mod channel;
mod exec;
mod plan;
mod reader;
mod rule;
mod spool;
#[cfg(test)]
mod tests;

pub(in crate::plan) use exec::SharedExec;
pub(in crate::plan) use plan::SharedPlan;
pub(in crate::plan) use rule::ShowSharedPlans;
