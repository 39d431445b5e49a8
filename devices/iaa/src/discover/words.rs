//! A device and a queue that can be used, in words.

use super::device::Device;
use super::survey::UsableQueue;
use crate::Mode;

/// `1 queue`, `2 queues`.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// `2 MiB`, or in the largest unit that leaves no rest.
pub(super) fn bytes(number: usize) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| number >= *unit && number.is_multiple_of(*unit)) {
        Some((unit, name)) => format!("{} {name}", number / unit),
        None => format!("{number} B"),
    }
}

/// What a device has.
pub(super) fn device(device: &Device, usable: usize) -> String {
    let place = device.node.map_or(String::new(), |node| format!(" on NUMA node {node}"));
    let serving = device.engines.iter().filter(|engine| engine.group.is_some()).count();
    let most = device.max_engines.map_or(device.engines.len(), |most| most as usize);
    let queues = count(device.queues.len(), "queue");
    let mut words = format!(
        "Intel IAA{place}: {serving} of {} in use, {usable} of {queues} usable",
        count(most, "engine")
    );
    if let Some(clients) = device.clients.filter(|&clients| clients > 0) {
        words += &format!(", {} now", count(clients as usize, "user"));
    }
    if device.has_error() {
        words += "; it has reported an error, see `dmesg`";
    }
    words
}

/// What a queue takes, and how.
pub(super) fn queue(queue: &UsableQueue, unmapped: Option<&str>) -> String {
    let limits = &queue.capabilities;
    let way = match limits.mode {
        Mode::Shared => "shared, by ENQCMD".to_owned(),
        Mode::Dedicated => "dedicated, by MOVDIR64B".to_owned(),
        Mode::Write => {
            let why = unmapped.unwrap_or("its portal is not mapped");
            format!("by write(), several descriptors a call, as its portal can't be mapped ({why})")
        }
    };
    let faults = if limits.block_on_fault { "waits for missing pages" } else { "reports missing pages" };
    let (depth, most) = (limits.depth, bytes(limits.max_transfer_bytes));
    format!("{way}; {}, up to {most} each; {faults}", count(depth, "descriptor"))
}
