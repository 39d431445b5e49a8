//! Running scans: interrupted, with vanishing files, in parallel; and the devices' shares.

use super::readers::tables;
use super::{name, run};
use crate::support::Scratch;

#[test]
fn interrupts_and_files_that_vanish() {
    run("running.py", |folder| vec![name(folder)]);
}

/// On pages that an IAA takes.
#[test]
fn counters_say_which_device() {
    let scratch = Scratch::new();
    let data = tables("gzip-4k", &scratch);
    run("counters.py", |_| vec![format!("{data}/lineitem.parquet")]);
}
