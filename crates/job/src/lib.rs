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

#[cfg(feature = "conformance")]
pub mod conformance;
mod device;
mod job;
mod memory;
mod metrics;
mod queue;
mod router;
mod util;

pub use device::interleaved::InterleavedJobs;
pub use device::membership;
pub use device::task::{Running, Task};
pub use device::{BorrowedOutput, Device, Failure, OwnedOutput, Unsupported};
pub use job::batch::{Batch, BatchId};
pub use job::borrowed::{BorrowedJob, BorrowedJobOutput};
pub use job::{Hints, Job, JobView, MembershipTest, Operation, OutputSize};
pub use memory::buffer::{HostMemory, InputBuffer, OutputBuffer};
pub use metrics::counters::{Counters, Counts, DeviceCounters};
pub use queue::admission::Limits;
pub use queue::result::{JobError, JobOutput, JobResult, UnsupportedReasons};
pub use queue::ticket::Ticket;
pub use router::cost::Cost;
pub use router::inline_run::InlineRun;
pub use router::{Router, RouterBuilder};
pub use util::panic_message;
