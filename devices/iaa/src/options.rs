//! How a device is set up.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::portal::Portal;
use crate::queue::Wait;
#[cfg(target_os = "linux")]
use crate::sys::current_node;
use crate::windows::Windows;

/// Opens the queues again, in a process that is a fork of the one that opened them.
pub type Opener = Arc<dyn Fn() -> io::Result<Vec<Arc<dyn Portal>>> + Send + Sync>;

/// The settings of an [`IaaDevice`](crate::IaaDevice).
#[derive(Clone)]
pub struct Options {
    /// The device's name in a router.
    pub name: String,
    /// Where it is, for its description.
    pub place: String,
    /// Which streams to decompress.
    pub windows: Windows,
    /// Bytes that the device remembers while it decompresses: 4096, but for a model that is told
    /// otherwise.
    pub history: usize,
    /// Check in software whatever can be, and not only what the container of a stream has a
    /// checksum for.
    pub verify: bool,
    /// How long a descriptor may take, with its time in the queue. After that the queue is closed
    /// and set aside. A model on a machine that has much else to do needs more than hardware.
    pub time_limit: Duration,
    /// Engines of each queue's device.
    pub engines: usize,
    /// How to wait.
    pub wait: Wait,
    /// Opens the queues again after a fork; without it, a fork has no device.
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
            // The largest transfer takes 4 ms on an engine; another process's may be in front of
            // it, a queue's worth of them.
            time_limit: Duration::from_secs(2),
            // The count of every IAA so far.
            engines: 8,
            wait: Wait::default(),
            opener: None,
            node: current_node,
            process: std::process::id,
        }
    }
}

/// Systems that don't say where a thread runs.
#[cfg(not(target_os = "linux"))]
fn current_node() -> Option<u32> {
    None
}
