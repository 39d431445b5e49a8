//! One device, as sysfs describes it.

use std::path::Path;

use super::attribute::{Attributes, BadFile};
use super::queue::Queue;

/// Whether a device works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// It does.
    Enabled,
    /// Nobody has enabled it.
    Disabled,
    /// It stopped after an error.
    Halted,
}

/// One of the parts of a device that work at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Engine {
    /// `engine1.0`: engine 0 of device 1.
    pub name: String,
    /// The group of queues that it serves.
    pub group: Option<u32>,
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// `iax1`.
    pub name: String,
    /// The number in its name, which its queues and engines bear too.
    pub number: u32,
    /// Whether it works.
    pub state: DeviceState,
    /// The NUMA node that it is near to, where the system says one.
    pub node: Option<u32>,
    /// Engines that it has.
    pub max_engines: Option<u32>,
    /// Those that sysfs lists.
    pub engines: Vec<Engine>,
    /// Queues that it has.
    pub max_work_queues: Option<u32>,
    /// Descriptors that all its queues hold together.
    pub max_work_queues_size: Option<usize>,
    /// Most bytes of one source or destination.
    pub max_transfer_bytes: Option<usize>,
    /// GENCAP, the register of general capabilities.
    pub general_capabilities: Option<u64>,
    /// IAACAP, the register of a later device's capabilities.
    pub iaa_capabilities: Option<u64>,
    /// A bit for each opcode that it has.
    pub opcodes: Option<[u64; 4]>,
    /// It can use the addresses of processes (PASID).
    pub uses_process_addresses: Option<bool>,
    /// How many have a queue of it open.
    pub clients: Option<u32>,
    /// SWERROR, the register of an error that had no completion record to go to; bit 0 says that
    /// there is one.
    pub errors: Option<[u64; 4]>,
    /// Its queues, each as far as it could be read, with its name.
    pub queues: Vec<(String, Result<Queue, BadFile>)>,
}

/// GENCAP bit 0: it can wait for missing pages.
const BLOCK_ON_FAULT: u64 = 1;

impl Device {
    /// Reads the folder of a device with what is in it.
    pub(super) fn read(folder: &Path, name: &str, number: u32, dev: &Path) -> Result<Device, BadFile> {
        let from = Attributes::of(folder.to_owned());
        let state = from.required("state", "enabled, disabled or halted")?;
        let mut engines = Vec::new();
        for (_, engine) in members(folder, "engine", number) {
            let group = Attributes::of(folder.join(&engine)).number_or_none("group_id")?;
            engines.push(Engine { name: engine, group });
        }
        let queues = members(folder, "wq", number)
            .into_iter()
            .map(|(index, name)| {
                let queue = Queue::read(folder.join(&name), &name, index, dev);
                (name, queue)
            })
            .collect();
        Ok(Device {
            name: name.to_owned(),
            number,
            state: match state.as_str() {
                "enabled" => DeviceState::Enabled,
                "disabled" => DeviceState::Disabled,
                "halted" => DeviceState::Halted,
                _ => return Err(from.bad("state", &state, "enabled, disabled or halted")),
            },
            node: from.number_or_none("numa_node")?,
            max_engines: from.number("max_engines")?,
            engines,
            max_work_queues: from.number("max_work_queues")?,
            max_work_queues_size: from.number("max_work_queues_size")?,
            max_transfer_bytes: from.number("max_transfer_size")?,
            general_capabilities: from.register("gen_cap")?,
            iaa_capabilities: from.register("iaa_cap")?,
            opcodes: from.bits("op_cap")?,
            uses_process_addresses: from.flag("pasid_enabled")?,
            clients: from.number("clients")?,
            errors: from.bits("errors")?,
            queues,
        })
    }

    /// It can wait for missing pages.
    pub fn can_block_on_fault(&self) -> bool {
        self.general_capabilities.is_some_and(|bits| bits & BLOCK_ON_FAULT != 0)
    }

    /// An error is in its register.
    pub fn has_error(&self) -> bool {
        self.errors.is_some_and(|words| words[0] & 1 != 0)
    }

    /// The queues that could be read.
    pub fn readable_queues(&self) -> impl Iterator<Item = &Queue> {
        self.queues.iter().filter_map(|(_, queue)| queue.as_ref().ok())
    }
}

/// Folders `<kind><device>.<index>` in a device's folder, in the order of their indices.
fn members(folder: &Path, kind: &str, device: u32) -> Vec<(u32, String)> {
    let prefix = format!("{kind}{device}.");
    let mut found = numbered(folder, &prefix);
    found.sort();
    found
}

/// Entries of a folder that are a prefix and a number. A folder that can't be read has none.
pub(super) fn numbered(folder: &Path, prefix: &str) -> Vec<(u32, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| Some((name.strip_prefix(prefix)?.parse().ok()?, name))).collect()
}
