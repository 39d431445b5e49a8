//! Conditions of WHERE that reach the scan, and how far it is.

use super::{name, run};

/// Seed of the random queries.
const SEED: u64 = 20_261_125;

#[test]
fn conditions_lose_no_row() {
    run("narrowing.py", |folder| vec![name(folder), SEED.to_string(), "300".to_owned()]);
}

#[test]
fn a_scan_says_how_far_it_is() {
    run("progress.py", |folder| vec![name(folder)]);
}
