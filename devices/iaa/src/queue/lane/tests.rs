use std::sync::Mutex;

use super::*;
use crate::hw::Descriptor;
use crate::portal::{Mode, SubmitError};

/// A portal that says how often it was closed.
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
    let lane = Lane::new(portal(5, None), 100);
    assert_eq!((lane.most(), lane.free()), (5, 5));
    assert_eq!(lane.reserve(3), 3);
    assert_eq!(lane.reserve(3), 2);
    assert_eq!((lane.reserve(1), lane.free()), (0, 0));
    lane.release(4);
    assert_eq!((lane.reserve(9), lane.free()), (4, 0));
    assert_eq!(Lane::new(portal(0, None), 0).most(), 1);
}

/// Threads that reserve and release: never is more out than there is room for.
#[test]
fn threads_share_the_room() {
    const MOST: usize = 7;
    let lane = Lane::new(portal(MOST, None), MOST);
    let out = AtomicUsize::new(0);
    thread::scope(|scope| {
        for wanted in 1..=4 {
            let (lane, out) = (&lane, &out);
            scope.spawn(move || {
                for _ in 0..20_000 {
                    let taken = lane.reserve(wanted);
                    assert!(out.fetch_add(taken, SeqCst) + taken <= MOST);
                    out.fetch_sub(taken, SeqCst);
                    lane.release(taken);
                }
            });
        }
    });
    assert_eq!(lane.free(), MOST);
}

#[test]
fn a_portal_is_closed_once_and_all_who_want_that_wait_for_it() {
    let closes = portal(4, None);
    let lane = Lane::new(Arc::clone(&closes) as Arc<dyn Portal>, 4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                lane.set_aside();
                assert!(lane.is_closed() && !lane.is_open());
                assert_eq!(lane.free(), 0);
            });
        }
    });
    assert_eq!(*closes.1.lock().unwrap(), 1);
}

#[test]
fn the_near_lane_with_the_most_room_is_chosen() {
    let lanes =
        [(8, Some(0)), (8, Some(1)), (16, Some(1))].map(|(depth, node)| Lane::new(portal(depth, node), 16));
    let chosen = |node| {
        choose(&lanes, node).map(|lane| lanes.iter().position(|other| Arc::ptr_eq(lane, other)).unwrap())
    };
    assert_eq!(chosen(Some(0)), Some(0));
    lanes[2].reserve(4);
    assert_eq!(chosen(Some(1)), Some(1));
    lanes[1].reserve(4);
    assert_eq!(chosen(Some(1)), Some(2));
    lanes[0].reserve(8);
    assert_eq!(chosen(Some(0)), Some(2), "another node is better than none");
    lanes[2].set_aside();
    assert_eq!(chosen(Some(0)), Some(1));
    lanes[1].reserve(8);
    assert_eq!(chosen(None), None);
}
