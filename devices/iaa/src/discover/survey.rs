//! Going through a machine's devices and queues, and judging each.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::commands;
use super::device::{Device, numbered};
use super::machine::{self, Module};
use super::obstacle::Obstacle;
use super::report::Report;
use crate::sys::{HardwarePortal, Kernel, OpenError, QueueLimits, System};
use crate::{Capabilities, Portal};

/// Where to look.
pub struct Host {
    pub(super) root: PathBuf,
    pub(super) system: Arc<dyn System>,
}

/// A queue that this process can use.
#[derive(Clone)]
pub struct UsableQueue {
    /// `iax1/wq1.0`.
    pub name: String,
    /// What it can do, by the way in that it was tried with.
    pub capabilities: Capabilities,
    /// Engines that serve it.
    pub engines: usize,
    pub(super) path: PathBuf,
    pub(super) limits: QueueLimits,
    pub(super) system: Arc<dyn System>,
}

impl UsableQueue {
    /// Opens it.
    ///
    /// # Errors
    /// See [`OpenError`]: it was there a moment ago.
    pub fn open(&self) -> Result<HardwarePortal, OpenError> {
        HardwarePortal::open(&self.path, self.limits.clone(), self.system.as_ref())
    }
}

/// What there is.
pub struct Survey {
    /// Every device, in the order of their numbers.
    pub devices: Vec<SurveyedDevice>,
    /// Why there is none.
    pub absent: Option<Obstacle>,
}

/// A device and its queues.
pub struct SurveyedDevice {
    /// `iax1`.
    pub name: String,
    /// What it is, if it could be read.
    pub device: Option<Device>,
    /// Why none of its queues can be used.
    pub obstacle: Option<Obstacle>,
    /// Its queues, but for those that nobody has set up.
    pub queues: Vec<SurveyedQueue>,
}

/// A queue, and whether it can be used; where it is unmapped, why.
pub struct SurveyedQueue {
    /// `iax1/wq1.0`.
    pub name: String,
    /// The queue, and why its portal is not mapped if it is not; or what stands in the way.
    pub outcome: Result<(UsableQueue, Option<Refusal>), Obstacle>,
}

/// Why a portal is not mapped.
pub struct Refusal {
    /// In words.
    pub why: String,
    /// A capability would help.
    pub for_lack_of_rights: bool,
}

impl Host {
    /// This machine.
    pub fn this() -> Host {
        Host::at("/", Arc::new(Kernel))
    }

    /// A machine whose files are below this folder.
    pub fn at(root: impl Into<PathBuf>, system: Arc<dyn System>) -> Host {
        Host { root: root.into(), system }
    }

    /// Looks at everything. Each queue that looks usable is opened and closed again: permissions
    /// alone don't tell.
    pub fn survey(&self) -> Survey {
        if !cfg!(target_arch = "x86_64") {
            let absent = Obstacle::OtherProcessor(std::env::consts::ARCH);
            return Survey { devices: Vec::new(), absent: Some(absent) };
        }
        let bus = self.root.join("sys/bus/dsa/devices");
        let mut found = numbered(&bus, "iax");
        found.sort();
        let devices: Vec<SurveyedDevice> =
            found.into_iter().map(|(number, name)| self.device(&bus.join(&name), name, number)).collect();
        let absent = devices.is_empty().then(|| self.why_none(&bus));
        Survey { devices, absent }
    }

    /// Why the driver shows no device.
    fn why_none(&self, bus: &Path) -> Obstacle {
        let functions = machine::functions(&self.root);
        // One that only lacks its driver is nearer to use than one that another driver has.
        let Some(first) = functions.iter().find(|function| function.driver.is_none()).or(functions.first())
        else {
            let (processor, guest) = machine::processor(&self.root);
            return Obstacle::NoHardware { processor, guest };
        };
        let (function, driver) = (first.address.clone(), first.driver.clone());
        if !bus.is_dir() {
            let release = machine::release(&self.root);
            return match machine::module(&self.root) {
                Module::Missing => Obstacle::NoDriver { function, release },
                Module::There | Module::Unknown => Obstacle::DriverNotLoaded { function },
            };
        }
        match driver.as_deref() {
            Some("idxd") => Obstacle::NotShown { function },
            _ => Obstacle::NotBound { function, driver },
        }
    }

    fn device(&self, folder: &Path, name: String, number: u32) -> SurveyedDevice {
        let device = match Device::read(folder, &name, number, &self.root.join("dev/iax")) {
            Ok(device) => device,
            Err(error) => {
                return SurveyedDevice {
                    name,
                    device: None,
                    obstacle: Some(error.into()),
                    queues: Vec::new(),
                };
            }
        };
        let mut obstacle = self.device_obstacle(&device);
        let mut queues = Vec::new();
        if obstacle.is_none() {
            for (queue_name, queue) in &device.queues {
                let name = format!("{name}/{queue_name}");
                let outcome = match queue {
                    Ok(queue) if !queue.is_configured() => continue,
                    Ok(queue) => self.queue(&device, queue, &name),
                    Err(error) => Err(error.clone().into()),
                };
                queues.push(SurveyedQueue { name, outcome });
            }
            if queues.is_empty() {
                obstacle = Some(Obstacle::NoQueue { enable: commands::set_up(&device, 0) });
            } else if !queues.iter().any(SurveyedQueue::is_usable) {
                obstacle = Some(Obstacle::NoUsableQueue);
            }
        }
        SurveyedDevice { name, device: Some(device), obstacle, queues }
    }
}

impl SurveyedQueue {
    /// This process can use it, or does.
    pub fn is_usable(&self) -> bool {
        matches!(self.outcome, Ok(_) | Err(Obstacle::Ours))
    }
}

impl Survey {
    /// The queues that can be used.
    pub fn into_usable(self) -> Vec<UsableQueue> {
        let queues = self.devices.into_iter().flat_map(|device| device.queues);
        queues.filter_map(|queue| Some(queue.outcome.ok()?.0)).collect()
    }

    /// Opens the queues that can be used.
    ///
    /// # Errors
    /// There is none, or none that opened could be opened again. The error says why in words.
    pub fn into_portals(self) -> io::Result<Vec<Arc<dyn Portal>>> {
        // A queue's own reason says more than that its device has no queue to use.
        let refused = self.report().rows.into_iter().filter(|row| !row.usable);
        let first = refused.max_by_key(|row| row.name.contains('/'));
        let mut why = first.map(|row| format!("{}: {}", row.name, row.detail));
        let mut portals: Vec<Arc<dyn Portal>> = Vec::new();
        for queue in self.into_usable() {
            match queue.open() {
                Ok(portal) => portals.push(Arc::new(portal)),
                Err(error) => why = Some(format!("{}: {error}", queue.name)),
            }
        }
        match portals.is_empty() {
            true => Err(io::Error::new(io::ErrorKind::NotFound, why.unwrap_or_default())),
            false => Ok(portals),
        }
    }

    /// In words.
    pub fn report(&self) -> Report {
        if let Some(obstacle) = &self.absent {
            return Report::absent(obstacle.to_string(), obstacle.enable());
        }
        Report { rows: self.devices.iter().flat_map(SurveyedDevice::rows).collect() }
    }
}
