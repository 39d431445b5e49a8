//! One work queue, as sysfs describes it.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::attribute::{Attributes, BadFile};
use crate::sys::QueueKind;

/// Who a queue is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueType {
    /// Nobody yet.
    None,
    /// The kernel, which has `iaa_crypto` compress swapped pages.
    Kernel,
    /// Processes.
    User,
}

/// A file by which processes reach a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterDevice {
    /// `/dev/iax/wq1.0`.
    pub path: PathBuf,
    /// Permission bits.
    pub mode: u32,
    /// Number of its owner.
    pub owner: u32,
    /// Number of its group.
    pub group: u32,
}

/// A work queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// `wq1.0`: queue 0 of device 1.
    pub name: String,
    /// Its number in the device.
    pub index: u32,
    /// It takes descriptors.
    pub enabled: bool,
    /// Shared or dedicated.
    pub kind: QueueKind,
    /// Who it is for.
    pub usage: QueueType,
    /// The kernel's driver that it is for: `user` for processes, empty if nobody has said. None
    /// before kernel 6.7.
    pub driver: Option<String>,
    /// The name that somebody gave it.
    pub label: String,
    /// 1 to 15; among queues of a group, the larger is served more often.
    pub priority: Option<u32>,
    /// Descriptors that it holds.
    pub size: usize,
    /// Of those, how many processes may fill, if it is shared.
    pub threshold: Option<usize>,
    /// Most bytes of one source or destination.
    pub max_transfer_bytes: Option<usize>,
    /// It waits for missing pages.
    pub block_on_fault: bool,
    /// A bit for each opcode that it allows, where it can be restricted.
    pub opcodes: Option<[u64; 4]>,
    /// The group whose engines serve it.
    pub group: Option<u32>,
    /// How many have it open.
    pub clients: Option<u32>,
    /// The file in `/dev`, if it is there.
    pub file: Option<CharacterDevice>,
}

impl Queue {
    /// Reads the folder of a queue, and looks for its file in `/dev/iax`.
    pub(super) fn read(folder: PathBuf, name: &str, index: u32, dev: &Path) -> Result<Queue, BadFile> {
        let from = Attributes::of(folder);
        let state = from.required("state", "enabled or disabled")?;
        let mode = from.required("mode", "shared or dedicated")?;
        let usage = from.required("type", "none, kernel or user")?;
        let size = from.number("size")?;
        Ok(Queue {
            name: name.to_owned(),
            index,
            enabled: match state.as_str() {
                "enabled" => true,
                "disabled" => false,
                _ => return Err(from.bad("state", &state, "enabled or disabled")),
            },
            kind: match mode.as_str() {
                "shared" => QueueKind::Shared,
                "dedicated" => QueueKind::Dedicated,
                _ => return Err(from.bad("mode", &mode, "shared or dedicated")),
            },
            usage: match usage.as_str() {
                "none" => QueueType::None,
                "kernel" => QueueType::Kernel,
                "user" => QueueType::User,
                _ => return Err(from.bad("type", &usage, "none, kernel or user")),
            },
            driver: from.text("driver_name")?,
            label: from.text("name")?.unwrap_or_default(),
            priority: from.number("priority")?,
            size: size.ok_or_else(|| from.bad("size", "", "a number"))?,
            threshold: from.number("threshold")?,
            max_transfer_bytes: from.number("max_transfer_size")?,
            block_on_fault: from.flag("block_on_fault")?.unwrap_or(false),
            opcodes: from.bits("op_config")?,
            group: from.number_or_none("group_id")?,
            clients: from.number("clients")?,
            file: character_device(dev.join(name)),
        })
    }

    /// Somebody has begun to set it up.
    pub fn is_configured(&self) -> bool {
        self.enabled || self.size > 0 || self.usage != QueueType::None
    }

    /// Descriptors that processes may have in it: they enter by the portal that the threshold
    /// limits.
    pub fn depth(&self) -> usize {
        match (self.kind, self.threshold) {
            (QueueKind::Shared, Some(threshold)) if threshold > 0 => threshold.min(self.size),
            _ => self.size,
        }
    }
}

fn character_device(path: PathBuf) -> Option<CharacterDevice> {
    let found = std::fs::metadata(&path).ok()?;
    Some(CharacterDevice { path, mode: found.mode() & 0o7777, owner: found.uid(), group: found.gid() })
}
