//! The table of codes against the kernels' header.

use super::*;

#[test]
fn the_table_is_that_of_the_kernels() {
    let header = include_str!("../../kernels/pelton/codes.cuh");
    let theirs: Vec<(&str, u32)> = header
        .lines()
        .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" = "))
        .map(|(name, code)| (name, code.parse().unwrap()))
        .filter(|(name, _)| *name != "CODE_OK")
        .collect();
    let ours: Vec<(&str, u32)> = CODES.iter().map(|(name, code, _)| (*name, *code)).collect();
    assert_eq!(ours, theirs);
    assert!(ours.windows(2).all(|pair| pair[0].1 < pair[1].1), "codes are in order");
    assert!(ours.iter().all(|(_, code)| *code < 100));
}
