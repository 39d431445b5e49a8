//! What stands in the way of using a device or a queue: why, and what to type.

use std::path::PathBuf;

use super::attribute::BadFile;
use super::commands;
use super::queue::CharacterDevice;
use crate::sys::OpenError;

/// Processors that have the device, for who has none.
const WHO_HAS_IT: &str =
    "Intel's Xeon has it from the 4th generation (Sapphire Rapids) on, in some models only";

/// Why a device or queue can't be used. Its words say why; [`enable`](Obstacle::enable) what to
/// type.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Obstacle {
    /// Not an x86-64.
    #[error("no Intel IAA: there are no portal instructions on this processor ({0})")]
    OtherProcessor(&'static str),
    /// There is no such device on the PCI bus.
    #[error(
        "no Intel IAA on the PCI bus (8086:0cfe, 1216, b02d, fd2d) of this {} with {processor}; {WHO_HAS_IT}{}",
        if *guest { "virtual machine" } else { "machine" },
        if *guest { ", and its host has to pass a device through" } else { ", and its firmware has to show it" },
    )]
    NoHardware {
        /// The processor's name.
        processor: String,
        /// There is a hypervisor below.
        guest: bool,
    },
    /// The kernel was built without the driver.
    #[error(
        "there is an Intel IAA at {function}, but the kernel ({release}) has no driver for it: it needs \
        CONFIG_INTEL_IDXD and CONFIG_INTEL_IDXD_SVM, and best 5.18 or later"
    )]
    NoDriver {
        /// Where the device is on the PCI bus.
        function: String,
        /// The kernel's version.
        release: String,
    },
    /// The driver is a module that nobody has loaded.
    #[error("there is an Intel IAA at {function}, but the kernel's driver `idxd` is not loaded")]
    DriverNotLoaded {
        /// Where the device is on the PCI bus.
        function: String,
    },
    /// The driver is there, and does not have the device.
    #[error("there is an Intel IAA at {function}, but {} has it, not `idxd`",
        driver.as_ref().map_or("no driver".to_owned(), |driver| format!("the driver `{driver}`")))]
    NotBound {
        /// Where the device is on the PCI bus.
        function: String,
        /// Who has it.
        driver: Option<String>,
    },
    /// The driver has the device and shows none: it could not set it up, or this is a container
    /// that may not see it.
    #[error(
        "there is an Intel IAA at {function}, and `idxd` has it, but shows no device in /sys/bus/dsa/devices"
    )]
    NotShown {
        /// Where the device is on the PCI bus.
        function: String,
    },
    /// A file of sysfs is not as it should be.
    #[error("{0}: this kernel's driver is unknown to Pelton, or damaged")]
    Unreadable(#[from] BadFile),
    /// The device can't use the addresses of processes.
    #[error("it may not use the addresses of processes (pasid_enabled is 0), which queues for processes need: {}",
        if *asked { "the kernel was started with intel_iommu=on,sm_on, so VT-d is off in the firmware, or the kernel \
            has no CONFIG_INTEL_IOMMU_SVM" } else { "the kernel was started without intel_iommu=on,sm_on" })]
    NoProcessAddresses {
        /// The kernel was started with the options that allow it.
        asked: bool,
    },
    /// The device stopped.
    #[error("it has halted after an error; `dmesg` has the error")]
    Halted {
        /// `iax1`.
        device: String,
    },
    /// The device was not enabled.
    #[error("it is disabled")]
    DeviceDisabled {
        /// What to type.
        enable: Vec<String>,
    },
    /// No queue was set up.
    #[error("it is enabled, but none of its queues is set up")]
    NoQueue {
        /// What to type.
        enable: Vec<String>,
    },
    /// Queues are set up, but all have obstacles of their own.
    #[error("it is enabled, but none of its queues can be used by this process")]
    NoUsableQueue,
    /// The queue is the kernel's.
    #[error("it is the kernel's ({}); to have it for processes takes it from the kernel",
        driver.as_deref().map_or("type kernel", |name| if name == "crypto" { "iaa_crypto" } else { name }))]
    KernelQueue {
        /// The kernel's driver that uses it.
        driver: Option<String>,
        /// What to type.
        enable: Vec<String>,
    },
    /// The queue is nobody's.
    #[error("it is for nobody yet (type none)")]
    Untyped {
        /// What to type.
        enable: Vec<String>,
    },
    /// The queue was given to another driver.
    #[error("it is for processes, but {}, not `user`",
        if driver.is_empty() { "has no driver".to_owned() } else { format!("its driver is `{driver}`") })]
    WrongDriver {
        /// That driver.
        driver: String,
        /// What to type.
        enable: Vec<String>,
    },
    /// The queue is set up, and not enabled.
    #[error("it is set up for processes, but disabled")]
    QueueDisabled {
        /// `iax1/wq1.0`.
        queue: String,
    },
    /// No engine works for the queue.
    #[error("no engine serves it ({})", group.map_or("it is in no group".to_owned(),
        |group| format!("its group {group} has none")))]
    NoEngine {
        /// Its group.
        group: Option<u32>,
        /// What to type.
        enable: Vec<String>,
    },
    /// The queue is enabled, and its file is not here.
    #[error("it is enabled, but there is no {}: a container sees only the devices that it is given", path.display())]
    NoFile {
        /// Where it should be.
        path: PathBuf,
        /// `iax1`.
        device: String,
        /// `wq1.0`.
        queue: String,
    },
    /// This process may not open the file.
    #[error("this process may not open {} (mode {:o}, owner {}, group {}): {error}",
        file.path.display(), file.mode, file.owner, file.group)]
    Denied {
        /// The file.
        file: CharacterDevice,
        /// As the system says it.
        error: std::io::Error,
    },
    /// The queue is dedicated to this very process, which has it open: it is in use, and can't be
    /// opened again.
    #[error("dedicated to this process, which has it open")]
    Ours,
    /// The file does not open, or takes no descriptors.
    #[error("{0}")]
    Open(OpenError),
}

impl Obstacle {
    /// Commands that take the obstacle away, one after another; none where typing does not help.
    pub fn enable(&self) -> Vec<String> {
        match self {
            Obstacle::DriverNotLoaded { .. } => vec!["sudo modprobe idxd".to_owned()],
            Obstacle::NotBound { function, driver } => {
                let tee = |file: &str| format!("echo {function} | sudo tee /sys/bus/pci/drivers/{file}");
                let release = driver.iter().map(|driver| tee(&format!("{driver}/unbind")));
                release.chain([tee("idxd/bind")]).collect()
            }
            Obstacle::NotShown { .. } => vec!["sudo dmesg | grep idxd".to_owned()],
            Obstacle::NoProcessAddresses { asked: false } => commands::kernel_options(),
            Obstacle::Halted { device } => vec![
                format!("sudo dmesg | grep -e idxd -e {device}"),
                // The driver has no command of its own to bring a halted device back.
                "sudo modprobe --remove iaa_crypto idxd && sudo modprobe idxd".to_owned(),
            ],
            Obstacle::DeviceDisabled { enable }
            | Obstacle::NoQueue { enable }
            | Obstacle::KernelQueue { enable, .. }
            | Obstacle::Untyped { enable }
            | Obstacle::WrongDriver { enable, .. }
            | Obstacle::NoEngine { enable, .. } => enable.clone(),
            Obstacle::QueueDisabled { queue } => vec![commands::enable_queue(queue)],
            Obstacle::NoFile { path, device, queue } => {
                let (path, folder) = (path.display(), "/sys/bus/dsa/devices");
                let number = |file: &str| format!("$(cat {folder}/{file})");
                let (major, minor) =
                    (number(&format!("{device}/cdev_major")), number(&format!("{queue}/cdev_minor")));
                vec![
                    format!("docker run --device={path} ...  # in a container"),
                    format!("sudo mkdir -p /dev/iax && sudo mknod -m 660 {path} c {major} {minor}"),
                ]
            }
            Obstacle::Denied { file, .. } => commands::permit(file),
            Obstacle::Open(OpenError::Busy(path)) => vec![format!("sudo fuser -v {}", path.display())],
            Obstacle::OtherProcessor(_)
            | Obstacle::NoHardware { .. }
            | Obstacle::NoDriver { .. }
            | Obstacle::Unreadable(_)
            | Obstacle::NoProcessAddresses { asked: true }
            | Obstacle::NoUsableQueue
            | Obstacle::Ours
            | Obstacle::Open(_) => Vec::new(),
        }
    }
}
