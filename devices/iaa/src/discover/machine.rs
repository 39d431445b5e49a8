//! The machine around the devices: what is on its PCI bus, which processor and kernel it has, how
//! that was started.

use std::fs;
use std::path::Path;

/// Vendor and device numbers of the IAA on the PCI bus, as sysfs writes them: those of the table in
/// the driver (drivers/dma/idxd/init.c): Sapphire Rapids and what followed it with the same block,
/// Diamond Rapids, Panther Lake, Wildcat Lake.
const VENDOR: &str = "0x8086";
const DEVICES: [&str; 4] = ["0x0cfe", "0x1216", "0xb02d", "0xfd2d"];

/// An IAA on the PCI bus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Function {
    /// `0000:6a:02.0`.
    pub address: String,
    /// The kernel's driver that has it.
    pub driver: Option<String>,
}

/// Whether the running kernel has the `idxd` driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Module {
    /// As a module.
    There,
    /// Not.
    Missing,
    /// The folder of modules is not here, as in a container.
    Unknown,
}

/// IAA functions on the PCI bus, in the order of their addresses.
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

/// The processor's name, and whether a hypervisor is below it.
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

/// The version of the running kernel.
pub(super) fn release(root: &Path) -> String {
    fs::read_to_string(root.join("proc/sys/kernel/osrelease")).unwrap_or_default().trim().to_owned()
}

/// Whether the running kernel has the driver.
pub(super) fn module(root: &Path) -> Module {
    let folder = root.join("lib/modules").join(release(root));
    let Ok(modules) = fs::read_to_string(folder.join("modules.dep")) else { return Module::Unknown };
    match modules.lines().any(|line| line.split(':').next().is_some_and(|path| path.contains("/idxd.ko"))) {
        true => Module::There,
        false => Module::Missing,
    }
}

/// Whether the kernel was told to let devices use the addresses of processes:
/// `intel_iommu=on,sm_on`.
pub(super) fn scalable_mode_was_asked_for(root: &Path) -> bool {
    let line = fs::read_to_string(root.join("proc/cmdline")).unwrap_or_default();
    let options: Vec<&str> = line
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("intel_iommu="))
        .flat_map(|options| options.split(','))
        .collect();
    ["on", "sm_on"].iter().all(|wanted| options.contains(wanted))
}
