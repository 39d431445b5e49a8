//! One job on the thread of a caller who waits for it.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::flight::{Flight, Next};
use super::lane::{Lane, choose};
use super::memory::Buffers;
use super::submit::submit;
use super::wait::{Idle, Wait};
use crate::error::IaaError;
use crate::operations::Output;

/// Runs a flight to its end and returns when the device touches its memory no more.
pub(crate) fn fly<B: Buffers>(
    mut flight: Flight<B>,
    lanes: &[Arc<Lane>],
    node: Option<u32>,
    wait: &Wait,
) -> Result<Output, IaaError> {
    let mut next = flight.begin();
    loop {
        match next {
            Next::Done(result) => return result,
            Next::Again => next = round(&mut flight, lanes, node, wait)?,
        }
    }
}

/// One descriptor, from the lane that takes it to its record.
fn round<B: Buffers>(
    flight: &mut Flight<B>,
    lanes: &[Arc<Lane>],
    node: Option<u32>,
    wait: &Wait,
) -> Result<Next, IaaError> {
    let mut since = Instant::now();
    while flight.lane().is_none() {
        if !lanes.iter().any(|lane| lane.is_open()) {
            return Err(IaaError::Closed);
        }
        let taken = match choose(lanes, node) {
            // A lane that fails is set aside; the others are tried.
            Some(lane) => match submit(lane, std::iter::once(&mut *flight)) {
                Err(error @ IaaError::Invalid(_)) => return Err(error),
                other => other.unwrap_or(0),
            },
            None => 0,
        };
        if taken == 0 {
            let now = Instant::now();
            if now >= flight.deadline {
                return Err(IaaError::QueueFull);
            }
            idle::<B>(wait, None, now - since, Duration::ZERO);
        } else {
            since = Instant::now();
        }
    }
    loop {
        if let Some(next) = flight.land() {
            return Ok(next);
        }
        let now = Instant::now();
        let lane = flight.lane().cloned();
        let is_closed = lane.as_ref().is_some_and(|lane| lane.is_closed());
        if now >= flight.deadline || is_closed {
            if let Some(lane) = lane {
                lane.set_aside();
            }
            return Ok(flight.give_up(if is_closed { IaaError::Closed } else { IaaError::Unanswered }));
        }
        idle(wait, Some(flight), now - since, flight.expected.saturating_sub(now - since));
    }
}

fn idle<B: Buffers>(wait: &Wait, flight: Option<&Flight<B>>, idle: Duration, expected: Duration) {
    match (wait.idle(idle, expected), flight, &wait.pause) {
        (Idle::Spin, ..) => std::hint::spin_loop(),
        (Idle::Pause(most), Some(flight), Some(pause)) => pause.pause(flight.record().status_cell(), most),
        (Idle::Yield | Idle::Pause(_), ..) => thread::yield_now(),
        (Idle::Sleep(time), ..) => thread::sleep(time),
    }
}
