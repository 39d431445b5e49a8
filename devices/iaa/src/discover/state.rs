//! States of a machine, a device or a queue: usable, or the blocker.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::sysfs::{BadFile, CharacterDevice, Device, Queue};
use crate::Capabilities;
use crate::sys::{HardwarePortal, OpenError, QueueLimits, System};

/// Condition of a machine without devices, of a device, or of a queue.
pub(super) enum State<'a> {
    /// The processor is no x86-64.
    OtherProcessor {
        architecture: &'static str,
    },
    /// The PCI bus has no IAA.
    NoHardware {
        processor: String,
        guest: bool,
    },
    /// The kernel was built without the driver.
    NoDriver {
        function: String,
        release: String,
    },
    DriverNotLoaded {
        function: String,
    },
    /// Another driver, or none, has the device.
    NotBound {
        function: String,
        driver: Option<String>,
    },
    /// The driver has the device and does not list it: either the setup failed, or this is a
    /// container that may not see the device.
    NotListed {
        function: String,
    },

    Unreadable(BadFile),

    /// The device can't translate the addresses of processes. `requested` means that the kernel was
    /// started with the options for it.
    NoProcessAddresses {
        requested: bool,
    },
    Halted(&'a Device),
    DeviceDisabled(&'a Device),
    /// No queue of the device is configured.
    NoQueue(&'a Device),
    /// Each queue has a blocker of its own.
    NoUsableQueue,

    KernelQueue(&'a Device, &'a Queue),
    /// The queue is configured for no user.
    Untyped(&'a Device, &'a Queue),
    WrongDriver {
        device: &'a Device,
        queue: &'a Queue,
        driver: String,
    },
    NoEngine(&'a Device, &'a Queue),
    QueueDisabled(&'a Device, &'a Queue),
    NoFile(&'a Device, &'a Queue),
    Denied(&'a CharacterDevice, io::Error),
    /// The queue is dedicated to this process, which has it open already.
    OpenedHere,
    NotOpened(OpenError),
    Usable(Box<UsableQueue>),
}

impl State<'_> {
    pub(super) fn is_usable(&self) -> bool {
        matches!(self, State::Usable(_) | State::OpenedHere)
    }
}

/// A queue that this process can open.
pub(super) struct UsableQueue {
    /// `iax1/wq1.0`.
    pub(super) name: String,
    pub(super) capabilities: Capabilities,
    /// Number of engines that serve it.
    pub(super) engines: usize,
    /// The reason why the portal is not mapped, if it is not.
    pub(super) unmapped: Option<String>,
    /// Whether a capability of the process would let the portal be mapped.
    pub(super) lacks_capability: bool,
    pub(super) path: PathBuf,
    pub(super) limits: QueueLimits,
    pub(super) system: Arc<dyn System>,
}

impl UsableQueue {
    /// Opens the queue, which may fail if its state has changed.
    pub(super) fn open(&self) -> Result<HardwarePortal, OpenError> {
        HardwarePortal::open(&self.path, self.limits.clone(), self.system.as_ref())
    }
}
