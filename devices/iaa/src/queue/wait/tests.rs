use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use super::*;

fn us(count: u64) -> Duration {
    Duration::from_micros(count)
}

#[test]
fn what_answers_at_once_is_spun_for_and_then_yielded_for() {
    let wait = Wait::default();
    assert_eq!(wait.idle(us(0), us(4)), Idle::Spin);
    assert_eq!(wait.idle(us(3), us(4)), Idle::Yield);
    assert_eq!(wait.idle(us(29), us(0)), Idle::Yield);
    assert!(matches!(wait.idle(us(31), us(0)), Idle::Sleep(_)));
}

#[test]
fn what_takes_long_is_slept_for_half_of_the_time() {
    let wait = Wait::default();
    assert_eq!(wait.idle(us(3), us(1000)), Idle::Sleep(us(500)));
    assert_eq!(wait.idle(us(3), us(100_000)), Idle::Sleep(wait.longest));
}

/// A sleep is never longer than a quarter of the wait so far.
#[test]
fn sleeps_grow_and_are_bounded() {
    let wait = Wait::default();
    let (mut idle, mut sleeps) = (wait.yielding, 0);
    while idle < Duration::from_secs(1) {
        let Idle::Sleep(time) = wait.idle(idle, Duration::ZERO) else { panic!("no sleep after {idle:?}") };
        assert!(
            time >= wait.nap && time <= wait.longest && time <= (idle / 4).max(wait.nap),
            "{time:?} after {idle:?}"
        );
        idle += time;
        sleeps += 1;
    }
    assert!(sleeps < 1200, "{sleeps} looks in a second");
}

#[test]
fn a_processor_that_can_pause_does() {
    struct Never;
    impl Pause for Never {
        fn pause(&self, byte: &AtomicU8, _: Duration) {
            byte.store(1, Relaxed);
        }
    }
    let wait = Wait { pause: Some(Arc::new(Never)), ..Wait::default() };
    assert_eq!(wait.idle(us(10), us(4)), Idle::Pause(us(20)));
}
