//! Diagnosis: finds the state of each device and queue by opening each queue that looks usable.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Row;
use super::messages::device_row;
use super::state::{State, UsableQueue};
use super::sysfs::{self, Attributes, BadFile, Device, DeviceState, Queue, QueueType, numbered};
use crate::Portal;
use crate::sys::{HardwarePortal, Kernel, OpenError, QueueLimits, System, Unmapped};

/// The only architecture that has the instructions of portals.
const IAA_ARCHITECTURE: &str = "x86_64";

/// The machine to diagnose.
pub(super) struct Host {
    root: PathBuf,
    system: Arc<dyn System>,
    /// As [`std::env::consts::ARCH`] names it.
    architecture: &'static str,
}

/// The result for a machine.
#[derive(Default)]
pub(super) struct Diagnosis {
    /// A row for each device, followed by its queues; one row if there is no device.
    pub(super) rows: Vec<Row>,
    pub(super) usable: Vec<UsableQueue>,
}

impl Diagnosis {
    /// Opens the usable queues.
    ///
    /// # Errors
    /// None was opened; the error has the reason.
    pub(super) fn into_portals(self) -> io::Result<Vec<Arc<dyn Portal>>> {
        // The row of a queue has a more specific reason than the row of its device.
        let refused = self.rows.into_iter().filter(|row| !row.usable);
        let first = refused.max_by_key(|row| row.name.contains('/'));
        let mut why = first.map(|row| format!("{}: {}", row.name, row.detail));
        let mut portals: Vec<Arc<dyn Portal>> = Vec::new();
        for queue in self.usable {
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
}

impl Host {
    /// Returns this machine.
    pub(super) fn this() -> Host {
        Host::at("/", Arc::new(Kernel), std::env::consts::ARCH)
    }

    /// Returns a machine with files below `root`.
    pub(super) fn at(root: impl Into<PathBuf>, system: Arc<dyn System>, architecture: &'static str) -> Host {
        Host { root: root.into(), system, architecture }
    }

    /// Diagnoses all devices and queues. Each queue that looks usable is opened and closed again,
    /// because permissions alone don't tell.
    pub(super) fn diagnose(&self) -> Diagnosis {
        let bus = self.root.join("sys/bus/dsa/devices");
        let devices = if self.architecture == IAA_ARCHITECTURE { numbered(&bus, "iax") } else { Vec::new() };
        if devices.is_empty() {
            return Diagnosis { rows: vec![Row::new("iaa", &self.absence(&bus))], usable: Vec::new() };
        }
        let mut diagnosis = Diagnosis::default();
        for (number, name) in devices {
            self.diagnose_device(&bus.join(&name), &name, number, &mut diagnosis);
        }
        diagnosis
    }

    /// Returns the reason why the driver lists no device.
    fn absence(&self, bus: &Path) -> State<'static> {
        if self.architecture != IAA_ARCHITECTURE {
            return State::OtherProcessor { architecture: self.architecture };
        }
        let functions = sysfs::functions(&self.root);
        // A function without a driver is easier to use than one with another driver.
        let unbound = functions.iter().find(|function| function.driver.is_none());
        let Some(first) = unbound.or(functions.first()) else {
            let (processor, guest) = sysfs::processor(&self.root);
            return State::NoHardware { processor, guest };
        };
        let (function, driver) = (first.address.clone(), first.driver.clone());
        if !bus.is_dir() {
            return match sysfs::has_module(&self.root) {
                Some(false) => State::NoDriver { function, release: sysfs::release(&self.root) },
                Some(true) | None => State::DriverNotLoaded { function },
            };
        }
        match driver.as_deref() {
            Some("idxd") => State::NotListed { function },
            _ => State::NotBound { function, driver },
        }
    }

    fn diagnose_device(&self, folder: &Path, name: &str, number: u32, to: &mut Diagnosis) {
        let device = match Device::read(folder, name, number, &self.root.join("dev/iax")) {
            Ok(device) => device,
            Err(error) => return to.rows.push(Row::new(name, &State::Unreadable(error))),
        };
        let mut blocker = self.device_blocker(&device);
        let (mut queues, mut usable) = (Vec::new(), 0);
        if blocker.is_none() {
            for (queue_name, queue) in &device.queues {
                let name = format!("{name}/{queue_name}");
                let state = match queue {
                    Ok(queue) if !queue.is_configured() => continue,
                    Ok(queue) => self.queue_state(&device, queue, &name).unwrap_or_else(|blocker| blocker),
                    Err(error) => State::Unreadable(error.clone()),
                };
                queues.push(Row::new(&name, &state));
                usable += usize::from(state.is_usable());
                if let State::Usable(queue) = state {
                    to.usable.push(*queue);
                }
            }
            if queues.is_empty() {
                blocker = Some(State::NoQueue(&device));
            } else if usable == 0 {
                blocker = Some(State::NoUsableQueue);
            }
        }
        to.rows.push(device_row(&device, blocker.as_ref(), usable));
        to.rows.extend(queues);
    }

    /// Returns the blocker of all queues of a device.
    fn device_blocker<'a>(&self, device: &'a Device) -> Option<State<'a>> {
        if device.uses_process_addresses == Some(false) {
            let requested = sysfs::has_scalable_mode_option(&self.root);
            return Some(State::NoProcessAddresses { requested });
        }
        match device.state {
            DeviceState::Enabled => None,
            DeviceState::Halted => Some(State::Halted(device)),
            DeviceState::Disabled => Some(State::DeviceDisabled(device)),
        }
    }

    /// Returns the state of a queue, of a device without a blocker.
    ///
    /// # Errors
    /// The blocker.
    fn queue_state<'a>(
        &self,
        device: &'a Device,
        queue: &'a Queue,
        name: &str,
    ) -> Result<State<'a>, State<'a>> {
        match queue.usage {
            QueueType::Kernel => return Err(State::KernelQueue(device, queue)),
            QueueType::None => return Err(State::Untyped(device, queue)),
            QueueType::User => {}
        }
        if let Some(driver) = queue.driver.clone().filter(|driver| driver != "user") {
            return Err(State::WrongDriver { device, queue, driver });
        }
        let serves = |group| device.engines.iter().any(|engine| engine.group == Some(group));
        if !device.engines.is_empty() && !queue.group.is_some_and(serves) {
            return Err(State::NoEngine(device, queue));
        }
        if !queue.enabled {
            return Err(State::QueueDisabled(device, queue));
        }
        let file = queue.file.as_ref().ok_or(State::NoFile(device, queue))?;
        let limits = self.limits(device, queue).map_err(State::Unreadable)?;
        let opened = HardwarePortal::open(&file.path, limits.clone(), self.system.as_ref());
        let portal = opened.map_err(|error| match error {
            OpenError::Denied { error, .. } => State::Denied(file, error),
            OpenError::Busy(_) if self.is_open_here(device, queue) => State::OpenedHere,
            other => State::NotOpened(other),
        })?;
        portal.close();
        let lacks_capability = |unmapped: &Unmapped| {
            matches!(unmapped,
                Unmapped::Refused(error) if error.kind() == io::ErrorKind::PermissionDenied)
        };
        Ok(State::Usable(Box::new(UsableQueue {
            name: name.to_owned(),
            capabilities: portal.capabilities().clone(),
            engines: device.engines.iter().filter(|engine| engine.group == queue.group).count(),
            unmapped: portal.unmapped().map(ToString::to_string),
            lacks_capability: portal.unmapped().is_some_and(lacks_capability),
            path: file.path.clone(),
            limits,
            system: self.system.clone(),
        })))
    }

    /// Returns whether this process has a queue open. Kernels before 6.4 don't tell.
    fn is_open_here(&self, device: &Device, queue: &Queue) -> bool {
        // The driver lists each open file of a queue with its process.
        let (bus, name) = (self.root.join("sys/bus/dsa/devices"), &queue.name);
        let files = bus.join(&device.name).join(name).join(format!("iax!{name}"));
        let process = std::process::id();
        numbered(&files, "file")
            .into_iter()
            .any(|(_, file)| Attributes::of(files.join(file)).number("pid") == Ok(Some(process)))
    }

    /// Returns the limits in a queue's files.
    fn limits(&self, device: &Device, queue: &Queue) -> Result<QueueLimits, BadFile> {
        let folder = self.root.join("sys/bus/dsa/devices").join(&device.name);
        let missing =
            |file: &str, expected| BadFile { path: folder.join(file), found: "nothing".to_owned(), expected };
        let file = |name: &str| format!("{}/{name}", queue.name);
        let depth = queue.depth();
        if depth == 0 {
            return Err(missing(&file("size"), "a number above 0"));
        }
        let max = queue.max_transfer_bytes.or(device.max_transfer_bytes).filter(|&max| max > 0);
        Ok(QueueLimits {
            kind: queue.kind,
            depth,
            max_transfer_bytes: max.ok_or_else(|| missing(&file("max_transfer_size"), "a number above 0"))?,
            block_on_fault: queue.block_on_fault,
            opcodes: queue
                .opcodes
                .or(device.opcodes)
                .ok_or_else(|| missing("op_cap", "256 bits in hexadecimal"))?,
            node: device.node,
        })
    }
}

#[cfg(test)]
mod tests;
