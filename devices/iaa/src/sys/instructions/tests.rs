//! Pause of a waiting driver, and its NUMA node.

use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use crate::hw::{CompletionRecord, RecordView, Status};
use crate::sys::{Pause, WaitPkg, current_node};

/// Returns the instruction, or prints that it is missing.
fn umwait() -> Option<WaitPkg> {
    let found = WaitPkg::new();
    if found.is_none() {
        eprintln!("not tested: this processor has no UMWAIT");
    }
    found
}

#[test]
fn the_default_wait_pauses_where_the_processor_can() {
    assert_eq!(crate::Wait::default().pause.is_some(), WaitPkg::new().is_some());
}

#[test]
fn a_pause_ends_by_itself_and_at_once_if_there_is_no_need_for_it() {
    let Some(pause) = umwait() else { return };
    for most in [Duration::ZERO, Duration::from_micros(30), Duration::MAX] {
        pause.pause(&AtomicU8::new(0), most);
        pause.pause(&AtomicU8::new(1), most);
    }
}

#[test]
fn a_record_written_by_another_thread_ends_the_pauses() {
    let Some(pause) = umwait() else { return };
    for delay in [Duration::ZERO, Duration::from_micros(20), Duration::from_millis(2)] {
        let record = CompletionRecord::new();
        // Only a wait that never ends reaches this deadline.
        let deadline = Instant::now() + Duration::from_secs(60);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(delay);
                record.write(&RecordView::new(Status::Success).with_produced(77));
            });
            while record.status_cell().load(Ordering::Acquire) == 0 && Instant::now() < deadline {
                pause.pause(record.status_cell(), Duration::from_micros(30));
            }
        });
        assert_eq!(record.view().map(|record| record.produced()), Some(77));
    }
}

#[test]
fn the_node_is_one_that_the_system_lists() {
    let node = current_node().expect("Linux says it");
    let nodes = Path::new("/sys/devices/system/node");
    if nodes.is_dir() {
        assert!(nodes.join(format!("node{node}")).is_dir(), "node {node}");
    } else {
        assert_eq!(node, 0, "a kernel without NUMA has one node");
    }
}
