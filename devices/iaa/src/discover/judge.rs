//! Whether a device or queue can be used.

use std::path::Path;

use super::attribute::{Attributes, BadFile};
use super::device::{Device, DeviceState, numbered};
use super::obstacle::Obstacle;
use super::queue::{Queue, QueueType};
use super::survey::{Host, Refusal, UsableQueue};
use super::{commands, machine};
use crate::Portal;
use crate::sys::{HardwarePortal, OpenError, QueueLimits, Unmapped};

impl Host {
    /// What keeps all queues of a device from use.
    pub(super) fn device_obstacle(&self, device: &Device) -> Option<Obstacle> {
        if device.uses_process_addresses == Some(false) {
            let asked = machine::scalable_mode_was_asked_for(&self.root);
            return Some(Obstacle::NoProcessAddresses { asked });
        }
        match device.state {
            DeviceState::Enabled => None,
            DeviceState::Halted => Some(Obstacle::Halted { device: device.name.clone() }),
            DeviceState::Disabled => {
                let ready = |queue: &&Queue| queue.usage == QueueType::User && queue.size > 0;
                let queues: Vec<String> = device
                    .readable_queues()
                    .filter(ready)
                    .map(|queue| commands::enable_queue(&format!("{}/{}", device.name, queue.name)))
                    .collect();
                let enable = match queues.is_empty() {
                    true => commands::set_up(device, 0),
                    false => [commands::enable_device(&device.name)].into_iter().chain(queues).collect(),
                };
                Some(Obstacle::DeviceDisabled { enable })
            }
        }
    }

    /// Judges a queue of a device that works.
    pub(super) fn queue(
        &self,
        device: &Device,
        queue: &Queue,
        name: &str,
    ) -> Result<(UsableQueue, Option<Refusal>), Obstacle> {
        let set_up = || commands::set_up(device, queue.index);
        match queue.usage {
            QueueType::Kernel => {
                return Err(Obstacle::KernelQueue { driver: queue.driver.clone(), enable: set_up() });
            }
            QueueType::None => return Err(Obstacle::Untyped { enable: set_up() }),
            QueueType::User => {}
        }
        if let Some(driver) = queue.driver.clone().filter(|driver| driver != "user") {
            let enable = commands::rebind(&device.name, queue);
            return Err(Obstacle::WrongDriver { driver, enable });
        }
        let serves = |group| device.engines.iter().any(|engine| engine.group == Some(group));
        if !device.engines.is_empty() && !queue.group.is_some_and(serves) {
            return Err(Obstacle::NoEngine { group: queue.group, enable: set_up() });
        }
        if !queue.enabled {
            return Err(Obstacle::QueueDisabled { queue: name.to_owned() });
        }
        let Some(file) = &queue.file else {
            // As the person has to type it, wherever the files of this machine are.
            let path = Path::new("/dev/iax").join(&queue.name);
            let (device, queue) = (device.name.clone(), queue.name.clone());
            return Err(Obstacle::NoFile { path, device, queue });
        };
        let limits = self.limits(device, queue)?;
        let portal =
            HardwarePortal::open(&file.path, limits.clone(), self.system.as_ref()).map_err(|error| {
                match error {
                    OpenError::Denied { error, .. } => Obstacle::Denied { file: file.clone(), error },
                    OpenError::Busy(_) if self.is_open_here(device, queue) => Obstacle::Ours,
                    other => Obstacle::Open(other),
                }
            })?;
        portal.close();
        let refusal = portal.unmapped().map(|unmapped| Refusal {
            why: unmapped.to_string(),
            for_lack_of_rights: matches!(unmapped,
                Unmapped::Refused(error) if error.kind() == std::io::ErrorKind::PermissionDenied),
        });
        let usable = UsableQueue {
            name: name.to_owned(),
            capabilities: portal.capabilities().clone(),
            engines: device.engines.iter().filter(|engine| engine.group == queue.group).count(),
            path: file.path.clone(),
            limits,
            system: self.system.clone(),
        };
        Ok((usable, refusal))
    }

    /// Whether this process has a queue open. Kernels before 6.4 don't say.
    fn is_open_here(&self, device: &Device, queue: &Queue) -> bool {
        // The driver lists each open file of a queue, with the process that opened it.
        let (bus, name) = (self.root.join("sys/bus/dsa/devices"), &queue.name);
        let files = bus.join(&device.name).join(name).join(format!("iax!{name}"));
        let process = std::process::id();
        numbered(&files, "file")
            .into_iter()
            .any(|(_, file)| Attributes::of(files.join(file)).number("pid") == Ok(Some(process)))
    }

    /// The limits that a queue's files state.
    fn limits(&self, device: &Device, queue: &Queue) -> Result<QueueLimits, BadFile> {
        let folder = self.root.join("sys/bus/dsa/devices").join(&device.name);
        let missing =
            |file: &str, expected| BadFile { path: folder.join(file), found: "nothing".to_owned(), expected };
        let file = |name: &str| format!("{}/{name}", queue.name);
        let depth = queue.depth();
        if depth == 0 {
            return Err(missing(&file("size"), "a number above 0"));
        }
        let most = queue.max_transfer_bytes.or(device.max_transfer_bytes).filter(|&most| most > 0);
        Ok(QueueLimits {
            kind: queue.kind,
            depth,
            max_transfer_bytes: most
                .ok_or_else(|| missing(&file("max_transfer_size"), "a number above 0"))?,
            block_on_fault: queue.block_on_fault,
            opcodes: queue
                .opcodes
                .or(device.opcodes)
                .ok_or_else(|| missing("op_cap", "256 bits in hexadecimal"))?,
            node: device.node,
        })
    }
}
