//! What to type so that a device or queue can be used.
//!
//! Options of `accel-config` are those of its manual pages, config-wq(1) and config-engine(1).

use super::device::{Device, DeviceState};
use super::queue::{CharacterDevice, Queue};

/// Largest transfer that is asked for: what Intel's sample configurations have.
const TRANSFER_BYTES: usize = 2 << 20;

/// Descriptors of a queue, where the device does not say how many there are to give away.
const DEPTH: usize = 16;

/// Sets one queue of a device up, as a shared one for processes, with all engines. The device has
/// to be disabled for that, and its other queues with it.
pub(super) fn set_up(device: &Device, index: u32) -> Vec<String> {
    let (name, number) = (&device.name, device.number);
    let queue = format!("{name}/wq{number}.{index}");
    let taken: usize =
        device.readable_queues().filter(|other| other.index != index).map(|other| other.size).sum();
    let left = device.max_work_queues_size.map_or(DEPTH, |most| most.saturating_sub(taken));
    let depth = if left == 0 { DEPTH } else { left };
    let transfer = device.max_transfer_bytes.map_or(TRANSFER_BYTES, |most| most.min(TRANSFER_BYTES));
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
    commands.push(enable_device(name));
    commands.push(enable_queue(&queue));
    commands
}

/// Binds a queue to the driver for processes.
pub(super) fn rebind(device: &str, queue: &Queue) -> Vec<String> {
    let path = format!("{device}/{}", queue.name);
    let disable = queue.enabled.then(|| format!("sudo accel-config disable-wq {path}"));
    let bind = format!("sudo accel-config config-wq {path} --driver-name=user");
    disable.into_iter().chain([bind, enable_queue(&path)]).collect()
}

pub(super) fn enable_device(device: &str) -> String {
    format!("sudo accel-config enable-device {device}")
}

/// `queue` is `iax1/wq1.0`.
pub(super) fn enable_queue(queue: &str) -> String {
    format!("sudo accel-config enable-wq {queue}")
}

/// Lets a group have the character devices of the IAA: now, and whenever they are made again. `?`
/// stands for the character that udev shows for the `!` of the system's own name of the file.
pub(super) fn permit(file: &CharacterDevice) -> Vec<String> {
    let path = file.path.display();
    let rule = r#"SUBSYSTEM=="dsa", KERNEL=="iax?wq*", GROUP="pelton", MODE="0660""#;
    vec![
        "sudo groupadd --force pelton && sudo usermod --append --groups pelton \"$USER\"  # and log in again"
            .to_owned(),
        format!("echo '{rule}' | sudo tee /etc/udev/rules.d/90-pelton-iaa.rules"),
        format!("sudo chgrp pelton {path} && sudo chmod 660 {path}"),
    ]
}

/// Starts the kernel so that devices may use the addresses of processes.
pub(super) fn kernel_options() -> Vec<String> {
    vec![
        r#"sudo sed -i 's/^GRUB_CMDLINE_LINUX="/&intel_iommu=on,sm_on /' /etc/default/grub"#.to_owned(),
        "sudo update-grub && sudo reboot".to_owned(),
    ]
}

/// Lets the program map portals.
pub(super) fn allow_mapping() -> Vec<String> {
    vec![r#"sudo setcap cap_sys_rawio+ep "$(command -v pelton)""#.to_owned()]
}
