use std::sync::Mutex;

use pelton_random::reduced;

use super::*;
use crate::hw::Descriptor;
use crate::portal::{Mode, SubmitError};

/// A portal that counts its closings.
pub(crate) struct Closes(Capabilities, Mutex<usize>);

impl Portal for Closes {
    fn capabilities(&self) -> &Capabilities {
        &self.0
    }

    #[allow(unsafe_code)]
    unsafe fn submit(&self, _: &[Descriptor]) -> Result<usize, SubmitError> {
        Err(SubmitError::Closed)
    }

    fn close(&self) {
        *self.1.lock().unwrap() += 1;
    }
}

fn portal(depth: usize, node: Option<u32>) -> Arc<Closes> {
    let opcodes = [u64::MAX; 4];
    let (mode, max_transfer_bytes, block_on_fault) = (Mode::Shared, 1 << 21, false);
    Arc::new(Closes(
        Capabilities { mode, depth, max_transfer_bytes, block_on_fault, opcodes, node },
        Mutex::default(),
    ))
}

#[test]
fn room_is_never_more_than_the_queue_holds() {
    let work_queue = WorkQueue::new(portal(5, None), 100);
    assert_eq!((work_queue.max_in_flight(), work_queue.free()), (5, 5));
    assert_eq!(work_queue.reserve(3), 3);
    assert_eq!(work_queue.reserve(3), 2);
    assert_eq!((work_queue.reserve(1), work_queue.free()), (0, 0));
    work_queue.release(4);
    assert_eq!((work_queue.reserve(9), work_queue.free()), (4, 0));
    assert_eq!(WorkQueue::new(portal(0, None), 0).max_in_flight(), 1);
}

/// Threads that reserve and release never exceed the limit.
#[test]
fn threads_share_the_room() {
    const MOST: usize = 7;
    let work_queue = WorkQueue::new(portal(MOST, None), MOST);
    let out = AtomicUsize::new(0);
    thread::scope(|scope| {
        for wanted in 1..=4 {
            let (work_queue, out) = (&work_queue, &out);
            scope.spawn(move || {
                for _ in 0..reduced(20_000) {
                    let taken = work_queue.reserve(wanted);
                    assert!(out.fetch_add(taken, SeqCst) + taken <= MOST);
                    out.fetch_sub(taken, SeqCst);
                    work_queue.release(taken);
                }
            });
        }
    });
    assert_eq!(work_queue.free(), MOST);
}

#[test]
fn a_portal_is_closed_once_and_all_who_want_that_wait_for_it() {
    let closes = portal(4, None);
    let work_queue = WorkQueue::new(Arc::clone(&closes) as Arc<dyn Portal>, 4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                work_queue.close();
                assert!(work_queue.is_closed() && !work_queue.is_open());
                assert_eq!(work_queue.free(), 0);
            });
        }
    });
    assert_eq!(*closes.1.lock().unwrap(), 1);
}

#[test]
fn the_near_lane_with_the_most_room_is_chosen() {
    let work_queues = [(8, Some(0)), (8, Some(1)), (16, Some(1))]
        .map(|(depth, node)| WorkQueue::new(portal(depth, node), 16));
    let chosen = |node| {
        choose(&work_queues, node)
            .map(|work_queue| work_queues.iter().position(|other| Arc::ptr_eq(work_queue, other)).unwrap())
    };
    assert_eq!(chosen(Some(0)), Some(0));
    work_queues[2].reserve(4);
    assert_eq!(chosen(Some(1)), Some(1));
    work_queues[1].reserve(4);
    assert_eq!(chosen(Some(1)), Some(2));
    work_queues[0].reserve(8);
    assert_eq!(chosen(Some(0)), Some(2), "another node is better than none");
    work_queues[2].close();
    assert_eq!(chosen(Some(0)), Some(1));
    work_queues[1].reserve(8);
    assert_eq!(chosen(None), None);
}
