//! Facts about this machine, for records. They come from Linux; elsewhere most are "unknown".

use std::fs;

use serde::Serialize;

/// Facts about this machine.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The processor's model name.
    pub cpu: String,
    /// Logical processors that this process may use.
    pub cores: usize,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// The kernel's release.
    pub kernel: String,
    /// The operating system's name and version.
    pub system: String,
}

impl Machine {
    /// Reads the facts about this machine.
    pub fn here() -> Self {
        let unknown = || "unknown".to_owned();
        Machine {
            cpu: value_in("/proc/cpuinfo", "model name", ':').unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: kib_in("/proc/meminfo", "MemTotal").unwrap_or(0),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease")
                .map_or_else(|_| unknown(), |text| text.trim().to_owned()),
            system: value_in("/etc/os-release", "PRETTY_NAME", '=').unwrap_or_else(unknown),
        }
    }

    /// Returns the processor's name as part of a folder's name: `amd-epyc-9755`.
    pub fn slug(&self) -> String {
        let words = self.cpu.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
    }
}

/// Returns the most memory that this process has had resident so far, in bytes; `None` where the
/// operating system does not count it.
pub fn peak_memory() -> Option<u64> {
    kib_in("/proc/self/status", "VmHWM")
}

/// Returns the number of threads that wanted to run in the last minute, on average.
pub fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().filter(|load| !load.is_empty()).unwrap_or("unknown").to_owned()
}

/// Returns the first `key<separator>value` in a file, without quotes.
fn value_in(path: &str, key: &str, separator: char) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(separator)?;
        (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// Returns a `key: 123 kB` in a file, in bytes.
fn kib_in(path: &str, key: &str) -> Option<u64> {
    let value = value_in(path, key, ':')?;
    value.strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
