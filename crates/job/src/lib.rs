//! Jobs and where they run.
//!
//! A [`Job`] is some bytes and an operation: a Parquet page to decompress, a block to compress, a checksum. A
//! [`Device`] runs jobs. A [`Router`] takes a [`Batch`], chooses a device for each job by the time it expects
//! ([`Cost`]), falls back to another device when one fails, and counts what happened and why ([`Counters`]).
//! The [`Ticket`] for a batch can be waited for, polled or awaited.
//!
//! Everything above this crate only makes jobs; everything below it (`devices/*`) only runs them. It knows no
//! format's details, which are `pelton-codec`'s, no Arrow and no vendor's library.
#![forbid(unsafe_code)]

mod batch;
mod borrowed;
mod buffer;
mod claim;
mod class;
#[cfg(feature = "conformance")]
pub mod conformance;
mod cost;
mod counters;
mod device;
mod dispatch;
mod entry;
mod flow;
mod group;
mod health;
mod job;
pub mod members;
mod outcome;
pub mod panics;
mod prospect;
mod recycle;
mod route;
mod router;
mod run;
mod slots;
mod sync;
mod tally;
mod task;
mod ticket;
mod turn;
mod verify;

pub use batch::{Batch, BatchId};
pub use borrowed::{BorrowedDone, BorrowedJob};
pub use buffer::{HostMemory, InputBuffer, OutputBuffer};
pub use cost::Cost;
pub use counters::{Counters, Counts, DeviceCounters};
pub use device::{Device, Failure, Finished, Produced, Refusal};
pub use flow::Limits;
pub use group::Group;
pub use job::{Codes, Hints, Job, JobView, Operation, OutputSize};
pub use outcome::{Done, JobError, Outcome, Refusals};
pub use router::{Router, RouterBuilder};
pub use task::{Running, Task};
pub use ticket::Ticket;
pub use turn::Turn;
