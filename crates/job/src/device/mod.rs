//! The `Device` trait: an implementation of jobs, with its limits and costs.

use crate::job::batch::BatchId;
use crate::job::borrowed::BorrowedJob;
use crate::job::{JobView, Operation};
use crate::router::cost::Cost;

mod failure;
pub(crate) mod interleaved;
pub mod membership;
pub(crate) mod output;
pub(crate) mod task;

pub use failure::{Failure, Unsupported};
pub use output::{BorrowedOutput, OwnedOutput};
use task::Task;

/// Runs jobs. A device is constructed only if it is present, so every device here is available.
///
/// `docs/add-a-device.md` is the guide; `conformance` is the suite that a device has to pass.
pub trait Device: Send + Sync {
    /// Returns a short name, unique in its router: `cpu`, `iaa`.
    fn name(&self) -> &str;

    /// Returns one line about this instance, such as its size, version or location.
    fn description(&self) -> String;

    /// Returns whether this device can run the job, or the reason against it. A cheap and pure
    /// function of the job and the device's configuration: it may read the input's header, not all
    /// of it. For jobs with an [affinity key](crate::Hints::affinity_key), the answer may also
    /// depend on observations of earlier jobs with the same key.
    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported>;

    /// Returns the prior: the expected cost of an operation before any job was measured. Only
    /// called for operations that the device supports.
    fn prior_cost(&self, operation: Operation) -> Cost;

    /// Returns the number of jobs that the device runs at the same time.
    fn worker_count(&self) -> usize;

    /// Returns whether the device's complaints about bad data are final. True for the CPU. A
    /// complaint of another device is checked by running the job on an authoritative one, so that a
    /// limit or a fault of a device never passes for corrupt data.
    fn is_authoritative(&self) -> bool {
        false
    }

    /// Returns whether the device fuses decompression and filter: it tests dictionary indices while
    /// it decompresses them, so [`Operation::TestMembership`] takes no longer than
    /// [`Operation::Decompress`] and the indices never reach memory. A device that takes two steps
    /// returns false.
    fn fuses_filter(&self) -> bool {
        false
    }

    /// Accepts tasks and returns at once. The device finishes each task later, from any thread and
    /// in any order.
    ///
    /// Finishing or dropping a task may call `submit` of this or another device. Do neither while
    /// holding a lock that `submit` takes.
    fn submit(&self, tasks: Vec<Task>);

    /// Runs some submitted [caller-runs](Task::is_caller_runs) tasks of a batch on this thread, and
    /// returns whether there were any. A device with threads or hardware of its own for all tasks
    /// keeps the default.
    fn run_on_caller(&self, batch: BatchId) -> bool {
        let _ = batch;
        false
    }

    /// Runs one job over the caller's memory and returns when the device no longer touches that
    /// memory.
    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure>;
}
