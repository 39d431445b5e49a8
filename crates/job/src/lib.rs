//! Jobs, devices that run them, and the router between the two.
//!
//! A [`Job`] is an input and an operation: a Parquet page to decompress, a block to compress, a
//! checksum. A [`Device`] runs jobs. A [`Router`] takes a [`Batch`], selects a device for each job
//! by the expected finishing time ([`Cost`]), retries a failed job on another device, and counts
//! each result with its reason ([`Counters`]). The [`Ticket`] of a batch can be waited for, polled
//! or awaited.
//!
//! Code above this crate only makes jobs; code below it (`devices/*`) only runs them. The crate
//! depends on neither Arrow nor a vendor's library; the formats themselves are in `pelton-codec`.
#![forbid(unsafe_code)]

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
