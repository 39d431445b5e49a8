//! Edge to the hardware and to Linux. With `queue`, it has all unsafe code of this crate.
//!
//! - [`Enqcmd`], [`Movdir64b`]: the instructions that store a descriptor in a mapped portal. A
//!   value of the type proves that the processor has the instruction.
//! - [`HardwarePortal`]: a work queue, opened through its character device.
//! - [`WaitPkg`]: the driver's [`Pause`], for processors that have UMWAIT.
//! - [`current_node`]: the NUMA node of the calling thread.
//!
//! Processors other than x86-64 have no portal instructions; systems other than Linux have no
//! [`HardwarePortal`].
#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
mod file;
#[cfg(target_os = "linux")]
mod fork;
mod instructions;
#[cfg(target_os = "linux")]
mod open;
#[cfg(target_os = "linux")]
mod page;
#[cfg(target_os = "linux")]
mod portal;

pub use instructions::{Enqcmd, Movdir64b, Pause, WaitPkg};
#[cfg(target_os = "linux")]
pub use open::{Kernel, OpenError, QueueKind, QueueLimits, System, Unmapped};
#[cfg(target_os = "linux")]
pub use page::Page;
#[cfg(target_os = "linux")]
pub use portal::HardwarePortal;

#[cfg(all(test, target_os = "linux"))]
mod stand_in;

/// Returns the NUMA node of the processor that the calling thread runs on at this moment; none if
/// the system does not report one.
#[cfg(target_os = "linux")]
pub fn current_node() -> Option<u32> {
    let mut node = 0_u32;
    // SAFETY: getcpu() writes the node, and accepts null for values that are not wanted.
    let result = unsafe {
        libc::syscall(
            libc::SYS_getcpu,
            std::ptr::null_mut::<u32>(),
            &raw mut node,
            std::ptr::null_mut::<u8>(),
        )
    };
    (result == 0).then_some(node)
}
