//! The memory of the machine.

use std::fs;

/// Bytes that can be had without paging, as Linux reckons it (proc(5), `MemAvailable`); `None`: the
/// system does not say.
pub(crate) fn available() -> Option<u64> {
    in_text(&fs::read_to_string("/proc/meminfo").ok()?)
}

fn in_text(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_says() {
        let text = "MemTotal:       24 kB\nMemFree:        1 kB\nMemAvailable:   18 kB\nBuffers: 2 kB\n";
        assert_eq!(in_text(text), Some(18 << 10));
        assert_eq!(in_text("MemTotal: 24 kB\n"), None);
        assert_eq!(in_text("MemAvailable: many kB\n"), None);
    }
}
