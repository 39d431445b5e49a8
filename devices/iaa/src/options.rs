//! Settings of a device.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::portal::Portal;
use crate::queue::Wait;
#[cfg(target_os = "linux")]
use crate::sys::current_node;
use crate::windows::Windows;

/// Opens the queues again in a forked process.
pub type Opener = Arc<dyn Fn() -> io::Result<Vec<Arc<dyn Portal>>> + Send + Sync>;

/// The settings of an [`IaaDevice`](crate::IaaDevice).
#[derive(Clone)]
pub struct Options {
    /// The device's name in a router.
    pub name: String,
    /// Origin of the device, for its description.
    pub place: String,
    /// Streams to decompress.
    pub windows: Windows,
    /// Size of the device's sliding window in bytes: 4096, except for a model configured otherwise.
    pub history: usize,
    /// Whether to verify all results in software, including those without a checksum in a
    /// container.
    pub verify: bool,
    /// Maximum time of a descriptor, including its time in the queue. A queue that exceeds it is
    /// closed. A model on a busy machine needs more than hardware.
    pub time_limit: Duration,
    /// Engines of each queue's device.
    pub engines: usize,
    /// Strategy for waiting.
    pub wait: Wait,
    /// Opens the queues again after a fork; without it, a forked process has no device.
    pub opener: Option<Opener>,
    /// The NUMA node that the calling thread runs on, where the system says.
    pub node: fn() -> Option<u32>,
    /// The number of this process.
    pub process: fn() -> u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            name: "iaa".into(),
            place: "Intel In-Memory Analytics Accelerator".into(),
            windows: Windows::default(),
            history: crate::hw::aecs::decompress::HISTORY_BYTES,
            verify: false,
            // A full queue of another process's largest transfers may be ahead of the descriptor.
            time_limit: Duration::from_secs(2),
            // The engine count of every IAA so far.
            engines: 8,
            wait: Wait::default(),
            opener: None,
            node: current_node,
            process: std::process::id,
        }
    }
}

/// Returns none: this system does not report a NUMA node.
#[cfg(not(target_os = "linux"))]
fn current_node() -> Option<u32> {
    None
}
