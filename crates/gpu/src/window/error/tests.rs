//! The table of codes against the kernels' header.

use super::*;

/// The kernels' table has these codes and no others.
#[test]
fn codes_are_those_of_the_kernels() {
    let header = include_str!("../../../kernels/pages/codes.cuh");
    let entries = header.lines().filter_map(|line| {
        let (name, value) = line.trim().strip_suffix(',')?.split_once(" = ")?;
        Some((name.strip_prefix("PAGE_")?, value.parse::<u32>().ok()?))
    });
    let entries: Vec<_> = entries.collect();
    let ours = include_str!("../error.rs");
    let consts = ours.lines().filter_map(|line| {
        let (name, value) =
            line.trim().strip_prefix("pub const ")?.strip_suffix(';')?.split_once(": u32 = ")?;
        Some((name, value.parse::<u32>().ok()?))
    });
    assert_eq!(entries, consts.collect::<Vec<_>>());
    for (name, code) in entries {
        let text = code_text(code, 1, 2, None);
        assert!(!text.starts_with("internal"), "{name}: {text}");
    }
}
