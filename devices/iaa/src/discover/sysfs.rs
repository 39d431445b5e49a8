//! Devices, work queues and the machine, as Linux describes them in sysfs, procfs and `/dev`.
//!
//! No file is trusted: unexpected contents are a [`BadFile`].

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::sys::QueueKind;

/// Maximum size of a file of sysfs: the kernel gives each file a page.
const MAX_BYTES: u64 = 4096;

/// Maximum length of quoted file contents.
const MAX_QUOTE_CHARS: usize = 60;

/// A file with unexpected contents.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} contains {found}, not {expected}", path.display())]
pub(super) struct BadFile {
    pub(super) path: PathBuf,
    /// The contents, shortened, or the error on reading them.
    pub(super) found: String,
    pub(super) expected: &'static str,
}

/// A folder of attributes.
pub(super) struct Attributes {
    folder: PathBuf,
}

impl Attributes {
    pub(super) fn of(folder: PathBuf) -> Attributes {
        Attributes { folder }
    }

    /// Returns the text of a file without the line end; none if the file is missing or the driver
    /// has no value for it. Both depend on the versions of kernel and device.
    fn text(&self, name: &str) -> Result<Option<String>, BadFile> {
        let path = self.folder.join(name);
        match read(&path) {
            Ok(Some(text)) => Ok(Some(text.trim().to_owned())),
            Ok(None) => Err(BadFile { path, found: "other bytes".to_owned(), expected: "text" }),
            Err(error)
                if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENXIO)) =>
            {
                Ok(None)
            }
            Err(error) => Err(BadFile { path, found: format!("nothing ({error})"), expected: "text" }),
        }
    }

    /// Returns the text of a file that every version has.
    fn required(&self, name: &str, expected: &'static str) -> Result<String, BadFile> {
        self.text(name)?.ok_or_else(|| BadFile {
            path: self.folder.join(name),
            found: "nothing (there is no such file)".to_owned(),
            expected,
        })
    }

    /// Returns the one of `choices` that a file names.
    fn choice<T: Copy>(
        &self,
        name: &str,
        expected: &'static str,
        choices: &[(&str, T)],
    ) -> Result<T, BadFile> {
        let text = self.required(name, expected)?;
        let found = choices.iter().find(|(choice, _)| *choice == text);
        found.map(|(_, value)| *value).ok_or_else(|| self.bad(name, &text, expected))
    }

    /// Returns a whole number.
    pub(super) fn number<T: TryFrom<i64>>(&self, name: &str) -> Result<Option<T>, BadFile> {
        let number = |text: &str| text.parse::<i64>().ok().and_then(|number| T::try_from(number).ok());
        self.parsed(name, "a number", number)
    }

    /// Returns a number; none for -1.
    fn number_or_none(&self, name: &str) -> Result<Option<u32>, BadFile> {
        self.number::<i64>(name)?
            .filter(|&number| number != -1)
            .map(|number| {
                u32::try_from(number).map_err(|_| self.bad(name, &number.to_string(), "a number or -1"))
            })
            .transpose()
    }

    /// Returns a flag, 0 or 1.
    fn flag(&self, name: &str) -> Result<Option<bool>, BadFile> {
        self.parsed(name, "0 or 1", |text| match text {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        })
    }

    /// Returns a register, written as `0x` and hexadecimal digits.
    fn register(&self, name: &str) -> Result<Option<u64>, BadFile> {
        self.parsed(name, "a hexadecimal number", hexadecimal)
    }

    /// Returns a bitmap of 256 bits, least significant word first. The kernel writes halves of
    /// words, the most significant first, with commas (`%*pb`); before Linux 6.0 it wrote words
    /// with `0x`, the least significant first.
    fn bits(&self, name: &str) -> Result<Option<[u64; 4]>, BadFile> {
        self.parsed(name, "256 bits in hexadecimal", |text| match text.contains("0x") {
            true => {
                let words: Option<Vec<u64>> = text.split_whitespace().map(hexadecimal).collect();
                words?.try_into().ok()
            }
            false => bitmap(text),
        })
    }

    fn bad(&self, name: &str, found: &str, expected: &'static str) -> BadFile {
        let shown: String = found.chars().take(MAX_QUOTE_CHARS).collect();
        BadFile { path: self.folder.join(name), found: format!("{shown:?}"), expected }
    }

    fn parsed<T>(
        &self,
        name: &str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, BadFile> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        parse(&text).map(Some).ok_or_else(|| self.bad(name, &text, expected))
    }
}

/// Returns the text of a file; none if it is not UTF-8.
fn read(path: &Path) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).ok())
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

fn bitmap(text: &str) -> Option<[u64; 4]> {
    let mut words = [0; 4];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 2 * words.len() {
        return None;
    }
    for (index, part) in parts.iter().rev().enumerate() {
        let half = u32::from_str_radix(part, 16).ok()?;
        words[index / 2] |= u64::from(half) << (index % 2 * 32);
    }
    Some(words)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeviceState {
    Enabled,
    Disabled,
    /// Stopped after an error.
    Halted,
}

/// A processing unit of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Engine {
    /// `engine1.0`: engine 0 of device 1.
    pub(super) name: String,
    /// The group of queues that it serves.
    pub(super) group: Option<u32>,
}

/// An IAA with its engines and queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Device {
    /// `iax1`.
    pub(super) name: String,
    /// The number in the names of the device, its queues and its engines.
    pub(super) number: u32,
    pub(super) state: DeviceState,
    pub(super) node: Option<u32>,
    pub(super) max_engines: Option<u32>,
    pub(super) engines: Vec<Engine>,
    /// Descriptors that all queues together can hold.
    pub(super) max_work_queues_size: Option<usize>,
    /// Maximum length of one source or destination.
    pub(super) max_transfer_bytes: Option<usize>,
    /// GENCAP, the register of general capabilities.
    general_capabilities: Option<u64>,
    /// A bit for each opcode.
    pub(super) opcodes: Option<[u64; 4]>,
    /// Whether the device can translate the addresses of processes (PASID).
    pub(super) uses_process_addresses: Option<bool>,
    /// Number of open files of its queues.
    pub(super) clients: Option<u32>,
    /// SWERROR, the register for an error without a completion record.
    errors: Option<[u64; 4]>,
    pub(super) queues: Vec<(String, Result<Queue, BadFile>)>,
}

impl Device {
    /// Reads the folder of a device, with its engines and queues.
    pub(super) fn read(folder: &Path, name: &str, number: u32, dev: &Path) -> Result<Device, BadFile> {
        let from = Attributes::of(folder.to_owned());
        let states = [
            ("enabled", DeviceState::Enabled),
            ("disabled", DeviceState::Disabled),
            ("halted", DeviceState::Halted),
        ];
        let state = from.choice("state", "enabled, disabled or halted", &states)?;
        let mut engines = Vec::new();
        for (_, engine) in numbered(folder, &format!("engine{number}.")) {
            let group = Attributes::of(folder.join(&engine)).number_or_none("group_id")?;
            engines.push(Engine { name: engine, group });
        }
        let queues = numbered(folder, &format!("wq{number}.")).into_iter().map(|(index, name)| {
            let queue = Queue::read(folder.join(&name), &name, index, dev);
            (name, queue)
        });
        Ok(Device {
            name: name.to_owned(),
            number,
            state,
            node: from.number_or_none("numa_node")?,
            max_engines: from.number("max_engines")?,
            engines,
            max_work_queues_size: from.number("max_work_queues_size")?,
            max_transfer_bytes: from.number("max_transfer_size")?,
            general_capabilities: from.register("gen_cap")?,
            opcodes: from.bits("op_cap")?,
            uses_process_addresses: from.flag("pasid_enabled")?,
            clients: from.number("clients")?,
            errors: from.bits("errors")?,
            queues: queues.collect(),
        })
    }

    /// Returns whether the device can wait for missing pages (GENCAP bit 0).
    pub(super) fn can_block_on_fault(&self) -> bool {
        self.general_capabilities.is_some_and(|bits| bits & 1 != 0)
    }

    /// Returns whether SWERROR is valid (bit 0).
    pub(super) fn has_error(&self) -> bool {
        self.errors.is_some_and(|words| words[0] & 1 != 0)
    }

    /// Returns the queues without a bad file.
    pub(super) fn readable_queues(&self) -> impl Iterator<Item = &Queue> {
        self.queues.iter().filter_map(|(_, queue)| queue.as_ref().ok())
    }
}

/// The users that a queue is configured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueType {
    /// Not configured.
    None,
    /// The kernel, for compression of swapped pages by `iaa_crypto`.
    Kernel,
    /// Processes.
    User,
}

/// The file in `/dev` that gives processes access to a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CharacterDevice {
    /// `/dev/iax/wq1.0`.
    pub(super) path: PathBuf,
    /// Permission bits.
    pub(super) mode: u32,
    pub(super) owner: u32,
    pub(super) group: u32,
}

/// A work queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Queue {
    /// `wq1.0`: queue 0 of device 1.
    pub(super) name: String,
    /// The queue's number in the device.
    pub(super) index: u32,
    pub(super) enabled: bool,
    pub(super) kind: QueueKind,
    pub(super) usage: QueueType,
    /// The kernel driver of the queue: `user` for processes, or empty. None before Linux 6.7.
    pub(super) driver: Option<String>,
    /// Depth in descriptors.
    pub(super) size: usize,
    /// The part of the depth that processes may fill, if the queue is shared.
    threshold: Option<usize>,
    /// Maximum length of one source or destination.
    pub(super) max_transfer_bytes: Option<usize>,
    /// Whether the device waits for missing pages.
    pub(super) block_on_fault: bool,
    /// A bit for each allowed opcode, if the queue can be restricted.
    pub(super) opcodes: Option<[u64; 4]>,
    /// The group of the engines that serve the queue.
    pub(super) group: Option<u32>,
    pub(super) file: Option<CharacterDevice>,
}

impl Queue {
    /// Reads the folder of a queue, and looks for its file in `dev`.
    fn read(folder: PathBuf, name: &str, index: u32, dev: &Path) -> Result<Queue, BadFile> {
        let from = Attributes::of(folder);
        let kinds = [("shared", QueueKind::Shared), ("dedicated", QueueKind::Dedicated)];
        let usages = [("none", QueueType::None), ("kernel", QueueType::Kernel), ("user", QueueType::User)];
        Ok(Queue {
            name: name.to_owned(),
            index,
            enabled: from.required("state", "enabled or disabled")? == "enabled",
            kind: from.choice("mode", "shared or dedicated", &kinds)?,
            usage: from.choice("type", "none, kernel or user", &usages)?,
            driver: from.text("driver_name")?,
            size: from.number("size")?.ok_or_else(|| from.bad("size", "", "a number"))?,
            threshold: from.number("threshold")?,
            max_transfer_bytes: from.number("max_transfer_size")?,
            block_on_fault: from.flag("block_on_fault")?.unwrap_or(false),
            opcodes: from.bits("op_config")?,
            group: from.number_or_none("group_id")?,
            file: character_device(dev.join(name)),
        })
    }

    /// Returns whether the queue's setup has begun.
    pub(super) fn is_configured(&self) -> bool {
        self.enabled || self.size > 0 || self.usage != QueueType::None
    }

    /// Returns the depth for processes, which the threshold of a shared queue limits.
    pub(super) fn depth(&self) -> usize {
        match (self.kind, self.threshold) {
            (QueueKind::Shared, Some(threshold)) if threshold > 0 => threshold.min(self.size),
            _ => self.size,
        }
    }
}

fn character_device(path: PathBuf) -> Option<CharacterDevice> {
    let found = fs::metadata(&path).ok()?;
    Some(CharacterDevice { path, mode: found.mode() & 0o7777, owner: found.uid(), group: found.gid() })
}

/// Returns the entries of a folder named by `prefix` and a number, by number; none if the folder
/// can't be read.
pub(super) fn numbered(folder: &Path, prefix: &str) -> Vec<(u32, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let number = |name: String| Some((name.strip_prefix(prefix)?.parse().ok()?, name));
    let mut found: Vec<(u32, String)> = names.filter_map(number).collect();
    found.sort();
    found
}

/// PCI vendor and device numbers of the IAA, from the driver's table (drivers/dma/idxd/init.c):
/// Sapphire Rapids and its successors with the same block, Diamond Rapids, Panther Lake, Wildcat
/// Lake.
const VENDOR: &str = "0x8086";
const DEVICES: [&str; 4] = ["0x0cfe", "0x1216", "0xb02d", "0xfd2d"];

/// An IAA on the PCI bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// `0000:6a:02.0`.
    pub(super) address: String,
    /// The kernel driver bound to it.
    pub(super) driver: Option<String>,
}

/// Returns the IAA functions on the PCI bus, by address.
pub(super) fn functions(root: &Path) -> Vec<Function> {
    let entries = fs::read_dir(root.join("sys/bus/pci/devices")).into_iter().flatten().flatten();
    let mut found: Vec<Function> = entries
        .filter_map(|entry| {
            let folder = entry.path();
            let is = |file: &str, wanted: &[&str]| {
                let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
                wanted.iter().any(|id| id.eq_ignore_ascii_case(text.trim()))
            };
            (is("vendor", &[VENDOR]) && is("device", &DEVICES)).then_some(())?;
            let driver = fs::read_link(folder.join("driver")).ok();
            let driver = driver.and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
            Some(Function { address: entry.file_name().into_string().ok()?, driver })
        })
        .collect();
    found.sort_by(|a, b| a.address.cmp(&b.address));
    found
}

/// Returns the processor's name, and whether it is a virtual one.
pub(super) fn processor(root: &Path) -> (String, bool) {
    let text = fs::read_to_string(root.join("proc/cpuinfo")).unwrap_or_default();
    let value = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = value("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let guest = value("flags").is_some_and(|flags| flags.split(' ').any(|flag| flag == "hypervisor"));
    (name, guest)
}

/// Returns the version of the running kernel.
pub(super) fn release(root: &Path) -> String {
    fs::read_to_string(root.join("proc/sys/kernel/osrelease")).unwrap_or_default().trim().to_owned()
}

/// Returns whether the running kernel has the module `idxd`; none if the folder of modules is not
/// visible, as in a container.
pub(super) fn has_module(root: &Path) -> Option<bool> {
    let folder = root.join("lib/modules").join(release(root));
    let modules = fs::read_to_string(folder.join("modules.dep")).ok()?;
    let is_driver = |line: &str| line.split(':').next().is_some_and(|path| path.contains("/idxd.ko"));
    Some(modules.lines().any(is_driver))
}

/// Returns whether the kernel was started with `intel_iommu=on,sm_on`, which lets devices use the
/// addresses of processes.
pub(super) fn has_scalable_mode_option(root: &Path) -> bool {
    let line = fs::read_to_string(root.join("proc/cmdline")).unwrap_or_default();
    let options: Vec<&str> = line
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("intel_iommu="))
        .flat_map(|options| options.split(','))
        .collect();
    ["on", "sm_on"].iter().all(|wanted| options.contains(wanted))
}

#[cfg(test)]
mod tests;
