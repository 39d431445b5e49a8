//! Reason why no window can be opened, with the commands that mend it.

use std::io;

use super::{CREDITS_VARIABLE, Row};
use crate::window::{Credits, DEVICE};

/// Facts about the system that decide which command helps.
#[derive(Clone, Copy, Debug)]
pub(super) struct System {
    /// Whether the kernel has VAS, the part that opens windows for programs.
    pub(super) has_framework: bool,
    /// Whether this is a partition of PowerVM.
    pub(super) is_powervm: bool,
    /// The credits that were asked for.
    pub(super) credits: Credits,
}

/// Returns the row for the error of an attempt to open a window.
pub(super) fn blocker(error: &io::Error, system: System) -> Row {
    match error.raw_os_error() {
        Some(libc::ENOENT) if !system.has_framework => Row::blocked(
            format!(
                "no {DEVICE}: this kernel has no CONFIG_PPC_VAS. Kernels of distributions have it, from Linux 5.8 \
                 on, and for partitions of PowerVM, which need POWER10 and its radix MMU, from 5.14 on. For a \
                 kernel of your own, in its source tree"
            ),
            vec![
                "scripts/config -e PPC_VAS -e CRYPTO_DEV_NX -m CRYPTO_DEV_NX_COMPRESS -m \
                 CRYPTO_DEV_NX_COMPRESS_POWERNV -m CRYPTO_DEV_NX_COMPRESS_PSERIES"
                    .to_owned(),
                "make olddefconfig && make && sudo make modules_install install && sudo reboot".to_owned(),
            ],
        ),
        Some(libc::ENOENT) => Row::blocked(
            format!("no {DEVICE}: the driver is not loaded"),
            vec!["sudo modprobe nx-compress-powernv || sudo modprobe nx-compress-pseries".to_owned()],
        ),
        Some(libc::EACCES | libc::EPERM) => Row::blocked(
            format!("this process may not open {DEVICE}: {error}"),
            vec![format!("sudo chmod a+rw {DEVICE}")],
        ),
        // Kernels differ in which of these they report in a partition without credits.
        Some(libc::ENOSPC) => without_credits(system),
        Some(libc::EINVAL) if system.is_powervm => without_credits(system),
        _ => Row::blocked(format!("{DEVICE} can't be used: {error}"), Vec::new()),
    }
}

fn without_credits(system: System) -> Row {
    // Asks before it ends a process.
    let end_others = format!("sudo fuser --kill --interactive --verbose {DEVICE}");
    let (reason, command) = match (system.is_powervm, system.credits) {
        (false, _) => ("other processes have all windows; end one of them", end_others),
        (true, Credits::Shared) => (
            "other processes have all of the partition's credits; end one of them, or add a core on the HMC, which \
             brings 20 more",
            end_others,
        ),
        (true, Credits::Guaranteed) => (
            "the partition has no free guaranteed credit, which the HMC assigns; take shared ones",
            format!("unset {CREDITS_VARIABLE}"),
        ),
    };
    let core = (system.is_powervm && system.credits == Credits::Shared)
        .then(|| "chhwres -m SYSTEM -r proc -o a -p PARTITION --procs 1".to_owned());
    Row::blocked(
        format!("{DEVICE} has no free window or credit: {reason}"),
        [command].into_iter().chain(core).collect(),
    )
}

#[cfg(test)]
mod tests;
