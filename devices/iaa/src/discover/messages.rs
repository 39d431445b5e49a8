//! Messages and commands for each state, as rows of a report.
//!
//! Options of `accel-config` are those of its manual pages, config-wq(1) and config-engine(1).

use std::path::Path;

use super::Row;
use super::state::{State, UsableQueue};
use super::sysfs::{CharacterDevice, Device, DeviceState, Queue, QueueType};
use crate::Mode;
use crate::sys::OpenError;

impl Row {
    pub(super) fn new(name: &str, state: &State<'_>) -> Row {
        let (detail, enable) = message(state);
        Row { name: name.to_owned(), usable: state.is_usable(), detail, enable }
    }
}

/// Returns the row of a device: its blocker, if any, and its description.
pub(super) fn device_row(device: &Device, blocker: Option<&State<'_>>, usable: usize) -> Row {
    let (message, enable) = blocker.map(message).unzip();
    let detail: Vec<String> = message.into_iter().chain([describe_device(device, usable)]).collect();
    Row {
        name: device.name.clone(),
        usable: blocker.is_none(),
        detail: detail.join("; "),
        enable: enable.unwrap_or_default(),
    }
}

/// Returns the message of a state, and the commands that make the device or queue usable.
fn message(state: &State<'_>) -> (String, Vec<String>) {
    let none = Vec::new;
    match state {
        State::OtherProcessor { architecture } => {
            let detail = "no Intel IAA: there are no portal instructions on this processor";
            (format!("{detail} ({architecture})"), none())
        }
        State::NoHardware { processor, guest } => {
            let (machine, then) = match guest {
                true => ("virtual machine", "its host has to pass a device through"),
                false => ("machine", "its firmware has to show it"),
            };
            let message = format!(
                "no Intel IAA on the PCI bus (8086:0cfe, 1216, b02d, fd2d) of this {machine} with {processor}; \
                Intel's Xeon has it from the 4th generation (Sapphire Rapids) on, in some models only, and {then}"
            );
            (message, none())
        }
        State::NoDriver { function, release } => {
            let message = format!(
                "there is an Intel IAA at {function}, but the kernel ({release}) has no driver for it: it needs \
                CONFIG_INTEL_IDXD and CONFIG_INTEL_IDXD_SVM, and best 5.18 or later"
            );
            (message, none())
        }
        State::DriverNotLoaded { function } => (
            format!("there is an Intel IAA at {function}, but the kernel's driver `idxd` is not loaded"),
            vec!["sudo modprobe idxd".to_owned()],
        ),
        State::NotBound { function, driver } => {
            let owner = driver.as_ref().map_or("no driver".to_owned(), |name| format!("the driver `{name}`"));
            let tee = |file: &str| format!("echo {function} | sudo tee /sys/bus/pci/drivers/{file}");
            let unbind = driver.iter().map(|driver| tee(&format!("{driver}/unbind")));
            (
                format!("there is an Intel IAA at {function}, but {owner} has it, not `idxd`"),
                unbind.chain([tee("idxd/bind")]).collect(),
            )
        }
        State::NotListed { function } => {
            let message = format!(
                "there is an Intel IAA at {function}, and `idxd` has it, but shows no device in \
                /sys/bus/dsa/devices"
            );
            (message, vec!["sudo dmesg | grep idxd".to_owned()])
        }
        State::Unreadable(error) => {
            (format!("{error}: this kernel's driver is unknown to Pelton, or damaged"), none())
        }
        State::NoProcessAddresses { requested } => {
            let (cause, commands) = match requested {
                true => (
                    "the kernel was started with intel_iommu=on,sm_on, so VT-d is off in the firmware, or the \
                    kernel has no CONFIG_INTEL_IOMMU_SVM",
                    none(),
                ),
                false => ("the kernel was started without intel_iommu=on,sm_on", kernel_options()),
            };
            let message = format!(
                "it may not use the addresses of processes (pasid_enabled is 0), which queues for processes \
                need: {cause}"
            );
            (message, commands)
        }
        State::Halted(device) => {
            let commands = vec![
                format!("sudo dmesg | grep -e idxd -e {}", device.name),
                // Only a reload of the driver restarts a halted device.
                "sudo modprobe --remove iaa_crypto idxd && sudo modprobe idxd".to_owned(),
            ];
            ("it has halted after an error; `dmesg` has the error".to_owned(), commands)
        }
        State::DeviceDisabled(device) => ("it is disabled".to_owned(), enable_all(device)),
        State::NoQueue(device) => {
            ("it is enabled, but none of its queues is set up".to_owned(), set_up(device, 0))
        }
        State::NoUsableQueue => {
            ("it is enabled, but none of its queues can be used by this process".to_owned(), none())
        }
        State::KernelQueue(device, queue) => {
            let owner = queue.driver.as_deref();
            let owner =
                owner.map_or("type kernel", |name| if name == "crypto" { "iaa_crypto" } else { name });
            let message = format!("it is the kernel's ({owner}); the commands take it from the kernel");
            (message, set_up(device, queue.index))
        }
        State::Untyped(device, queue) => {
            ("it is set up for no user yet (type none)".to_owned(), set_up(device, queue.index))
        }
        State::WrongDriver { device, queue, driver } => {
            let found = match driver.as_str() {
                "" => "has no driver".to_owned(),
                driver => format!("its driver is `{driver}`"),
            };
            (format!("it is for processes, but {found}, not `user`"), rebind(device, queue))
        }
        State::NoEngine(device, queue) => {
            let cause = queue
                .group
                .map_or("it is in no group".to_owned(), |group| format!("its group {group} has none"));
            (format!("no engine serves it ({cause})"), set_up(device, queue.index))
        }
        State::QueueDisabled(device, queue) => {
            ("it is set up for processes, but disabled".to_owned(), vec![enable_queue(device, queue)])
        }
        State::NoFile(device, queue) => {
            // The user's path, wherever the files of the machine are.
            let path = Path::new("/dev/iax").join(&queue.name);
            let path = path.display();
            let number = |file: String| format!("$(cat /sys/bus/dsa/devices/{file})");
            let major = number(format!("{}/cdev_major", device.name));
            let minor = number(format!("{}/cdev_minor", queue.name));
            let commands = vec![
                format!("docker run --device={path} ...  # in a container"),
                format!("sudo mkdir -p /dev/iax && sudo mknod -m 660 {path} c {major} {minor}"),
            ];
            let message = format!(
                "it is enabled, but there is no {path}: a container sees only the devices that it is given"
            );
            (message, commands)
        }
        State::Denied(file, error) => {
            let CharacterDevice { path, mode, owner, group } = file;
            let path = path.display();
            let message = format!(
                "this process may not open {path} (mode {mode:o}, owner {owner}, group {group}): {error}"
            );
            (message, permit(file))
        }
        State::OpenedHere => ("dedicated to this process, which has it open".to_owned(), none()),
        State::NotOpened(error @ OpenError::Busy(path)) => {
            (error.to_string(), vec![format!("sudo fuser -v {}", path.display())])
        }
        State::NotOpened(error) => (error.to_string(), none()),
        State::Usable(queue) => {
            (describe_queue(queue), if queue.lacks_capability { allow_mapping() } else { none() })
        }
    }
}

/// Returns a number with its noun: `1 queue`, `2 queues`.
fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Returns a size in the largest unit that divides it.
fn bytes(number: usize) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| number >= *unit && number.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", number / unit),
        None => format!("{number} B"),
    }
}

fn describe_device(device: &Device, usable: usize) -> String {
    let place = device.node.map_or(String::new(), |node| format!(" on NUMA node {node}"));
    let serving = device.engines.iter().filter(|engine| engine.group.is_some()).count();
    let engines = count(device.max_engines.map_or(device.engines.len(), |max| max as usize), "engine");
    let queues = count(device.queues.len(), "queue");
    let mut text = format!("Intel IAA{place}: {serving} of {engines} in use, {usable} of {queues} usable");
    if let Some(clients) = device.clients.filter(|&clients| clients > 0) {
        text += &format!(", {} now", count(clients as usize, "user"));
    }
    if device.has_error() {
        text += "; it has reported an error, see `dmesg`";
    }
    text
}

fn describe_queue(queue: &UsableQueue) -> String {
    let limits = &queue.capabilities;
    let mode = match limits.mode {
        Mode::Shared => "shared, by ENQCMD".to_owned(),
        Mode::Dedicated => "dedicated, by MOVDIR64B".to_owned(),
        Mode::Write => {
            let why = queue.unmapped.as_deref().unwrap_or("its portal is not mapped");
            format!("by write(), several descriptors a call, as its portal can't be mapped ({why})")
        }
    };
    let faults = if limits.block_on_fault { "waits for missing pages" } else { "reports missing pages" };
    let (depth, max) = (limits.depth, bytes(limits.max_transfer_bytes));
    format!("{mode}; {}, up to {max} each; {faults}", count(depth, "descriptor"))
}

/// Returns the commands that configure one queue of a device, as a shared one for processes with
/// all engines. They disable the device, and all of its queues, for that.
fn set_up(device: &Device, index: u32) -> Vec<String> {
    /// Maximum transfer of Intel's sample configurations.
    const TRANSFER_BYTES: usize = 2 << 20;
    /// Depth of the queue if the device does not tell its total.
    const DEPTH: usize = 16;

    let (name, number) = (&device.name, device.number);
    let queue = format!("{name}/wq{number}.{index}");
    let taken: usize =
        device.readable_queues().filter(|other| other.index != index).map(|other| other.size).sum();
    let free = device.max_work_queues_size.map_or(DEPTH, |max| max.saturating_sub(taken));
    let depth = if free == 0 { DEPTH } else { free };
    let transfer = device.max_transfer_bytes.map_or(TRANSFER_BYTES, |max| max.min(TRANSFER_BYTES));
    let this = device.readable_queues().find(|queue| queue.index == index);
    // Kernels before 6.7 have no such setting.
    let driver = this.is_none_or(|queue| queue.driver.is_some());
    let options = [
        "--group-id=0 --mode=shared --type=user --name=pelton --priority=10".to_owned(),
        if driver { " --driver-name=user".to_owned() } else { String::new() },
        format!(" --wq-size={depth} --threshold={depth} --max-transfer-size={transfer}"),
        if device.can_block_on_fault() { " --block-on-fault=1".to_owned() } else { String::new() },
    ];
    let mut commands = Vec::new();
    if device.state != DeviceState::Disabled {
        commands.push(format!("sudo accel-config disable-device {name}"));
    }
    let idle = device.engines.iter().filter(|engine| engine.group != Some(0));
    commands.extend(
        idle.map(|engine| format!("sudo accel-config config-engine {name}/{} --group-id=0", engine.name)),
    );
    commands.push(format!("sudo accel-config config-wq {queue} {}", options.concat()));
    commands.push(enable_device(device));
    commands.push(format!("sudo accel-config enable-wq {queue}"));
    commands
}

/// Returns the commands that enable a device and its queues for processes; without such queues,
/// the commands that configure one.
fn enable_all(device: &Device) -> Vec<String> {
    let ready = |queue: &&Queue| queue.usage == QueueType::User && queue.size > 0;
    let queues: Vec<String> =
        device.readable_queues().filter(ready).map(|queue| enable_queue(device, queue)).collect();
    match queues.is_empty() {
        true => set_up(device, 0),
        false => [enable_device(device)].into_iter().chain(queues).collect(),
    }
}

/// Returns the commands that bind a queue to the driver for processes.
fn rebind(device: &Device, queue: &Queue) -> Vec<String> {
    let path = format!("{}/{}", device.name, queue.name);
    let disable = queue.enabled.then(|| format!("sudo accel-config disable-wq {path}"));
    let bind = format!("sudo accel-config config-wq {path} --driver-name=user");
    disable.into_iter().chain([bind, enable_queue(device, queue)]).collect()
}

fn enable_device(device: &Device) -> String {
    format!("sudo accel-config enable-device {}", device.name)
}

fn enable_queue(device: &Device, queue: &Queue) -> String {
    format!("sudo accel-config enable-wq {}/{}", device.name, queue.name)
}

/// Returns the commands that give a group access to the character devices, now and after a restart.
/// In the rule, `?` stands for udev's replacement of the `!` in the kernel's name of the file.
fn permit(file: &CharacterDevice) -> Vec<String> {
    let path = file.path.display();
    let rule = r#"SUBSYSTEM=="dsa", KERNEL=="iax?wq*", GROUP="pelton", MODE="0660""#;
    vec![
        "sudo groupadd --force pelton && sudo usermod --append --groups pelton \"$USER\"  # and log in again"
            .to_owned(),
        format!("echo '{rule}' | sudo tee /etc/udev/rules.d/90-pelton-iaa.rules"),
        format!("sudo chgrp pelton {path} && sudo chmod 660 {path}"),
    ]
}

/// Returns the commands that let devices use the addresses of processes.
fn kernel_options() -> Vec<String> {
    vec![
        r#"sudo sed -i 's/^GRUB_CMDLINE_LINUX="/&intel_iommu=on,sm_on /' /etc/default/grub"#.to_owned(),
        "sudo update-grub && sudo reboot".to_owned(),
    ]
}

/// Returns the command that lets the program map portals.
fn allow_mapping() -> Vec<String> {
    vec![r#"sudo setcap cap_sys_rawio+ep "$(command -v pelton)""#.to_owned()]
}

#[cfg(test)]
mod tests;
