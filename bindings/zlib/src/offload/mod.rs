//! Devices that the settings name, beside the caller's own thread: who compresses a stream, a part
//! of one, or decompresses one that is given whole.
//!
//! Each is a job, and a router says whose: an accelerator's, or the caller's own. Without such a
//! setting nobody is asked, and a call pays for a look at the settings. What an accelerator fails,
//! the caller's thread does.
//!
//! | file | what |
//! |---|---|
//! | `registry.rs` | the devices of this process, opened when a call first has a job for them |
//! | `caller.rs` | the caller's thread, as the router sees it |
//! | `compress.rs`, `decompress.rs` | jobs, and what becomes of them |
//! | `patience.rs` | what was tried in vain is tried less often |

mod caller;
mod compress;
mod decompress;
mod registry;

pub use compress::{Assignment, InlineRun, JobKind, assign};
pub use decompress::{Body, decompress};
pub use registry::{has_device, report};

/// Uncompressed bytes of a job that is worth asking anybody about: the time of an IAA's smallest
/// job (0.8 µs and more, `devices/iaa/src/seeds.rs`) is that of a kilobyte on the caller's thread.
const MIN_LEN: usize = 1 << 10;
