//! Settings of a device.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::window::Window;

/// Opens a window of the engine with this number, from zero: at the start, after a window was
/// suspended, and in a forked process.
pub type Opener = Arc<dyn Fn(usize) -> io::Result<Arc<dyn Window>> + Send + Sync>;

/// The settings of an [`NxDevice`](crate::NxDevice).
#[derive(Clone, Debug)]
pub struct Options {
    /// The device's name in a router.
    pub name: String,
    /// Origin of the device, for its description.
    pub place: String,
    /// Number of engines, one a chip.
    pub engines: usize,
    /// Maximum number of requests in flight in a window. A window may have fewer credits.
    pub in_flight: usize,
    /// Whether to decompress all compressed output on the CPU, and to compute all checksums there
    /// too.
    pub verify: bool,
    /// Maximum time until a request has an answer, including its time in the queue.
    pub time_limit: Duration,
    /// The number of this process.
    pub process: fn() -> u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: "nx".into(),
            place: "IBM NX-GZIP".into(),
            engines: 1,
            // Enough that the engine has the next request while software ends the last one.
            in_flight: 16,
            verify: false,
            // Other processes' requests may be ahead, each up to the engine's byte limit.
            time_limit: Duration::from_secs(10),
            process: std::process::id,
        }
    }
}
