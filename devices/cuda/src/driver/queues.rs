//! Hardware queues that the driver gives to this process.
//!
//! Streams that share a queue wait for each other, and the driver's default is eight queues. The
//! variable is read when the driver starts (CUDA C++ Programming Guide, CUDA environment
//! variables), so that it has to be set before.

#![allow(unsafe_code)]

use std::env;
use std::fs;

/// Environment variable with the number of queues.
pub const QUEUES_VARIABLE: &str = "CUDA_DEVICE_MAX_CONNECTIONS";
/// Maximum number of queues.
pub const MAX_QUEUES: usize = 32;
/// Number of queues if the variable is not set.
const DEFAULT: usize = 8;

/// Returns the hardware queues of this process.
pub(crate) fn queues_of_process() -> usize {
    let queues = env::var(QUEUES_VARIABLE).ok();
    queues.and_then(|text| text.parse().ok()).unwrap_or(DEFAULT).clamp(1, MAX_QUEUES)
}

/// Requests all hardware queues for this process, unless the user has set their number. For the
/// start of a program: with more than one thread it does nothing.
pub fn request_all_queues() {
    if env::var_os(QUEUES_VARIABLE).is_some() || !is_only_thread() {
        return;
    }
    // SAFETY: no other thread exists that could read or change the environment.
    unsafe { env::set_var(QUEUES_VARIABLE, MAX_QUEUES.to_string()) }
}

fn is_only_thread() -> bool {
    fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}
