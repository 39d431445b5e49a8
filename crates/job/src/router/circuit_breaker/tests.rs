use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn open(now: Instant) -> CircuitBreaker {
    let breaker = CircuitBreaker::new(SECOND);
    assert!([false, false, true].iter().all(|&opens| breaker.record_failure(now) == opens));
    breaker
}

#[test]
fn three_consecutive_failures_open_the_breaker() {
    let now = Instant::now();
    let breaker = CircuitBreaker::new(SECOND);
    for _ in 0..10 {
        assert!(!breaker.record_failure(now) && !breaker.record_failure(now));
        breaker.record_success();
    }
    assert!(breaker.allows(now));
    assert!(!breaker.record_failure(now) && !breaker.record_failure(now) && breaker.record_failure(now));
    assert!(!breaker.allows(now));
}

#[test]
fn one_job_probes_the_device_later() {
    let now = Instant::now();
    let breaker = open(now);
    assert!(!breaker.allows(now + SECOND / 2));
    assert!(breaker.allows(now + SECOND));
    breaker.record_start();
    assert!(!breaker.allows(now + SECOND), "a second job during the probe");
    breaker.record_success();
    assert!(breaker.allows(now + SECOND));
    assert!(!breaker.record_failure(now), "one failure after a successful probe");
}

#[test]
fn failed_probes_double_the_open_time_up_to_a_limit() {
    let mut now = Instant::now();
    let breaker = open(now);
    let mut waits = Vec::new();
    for _ in 0..8 {
        let mut wait = 0;
        while !breaker.allows(now) {
            now += SECOND;
            wait += 1;
        }
        waits.push(wait);
        breaker.record_start();
        breaker.record_failure(now);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 64]);
}

#[test]
fn failures_of_jobs_in_flight_do_not_delay_the_probe() {
    let now = Instant::now();
    let breaker = open(now);
    for _ in 0..100 {
        assert!(!breaker.record_failure(now + SECOND / 2));
    }
    assert!(breaker.allows(now + SECOND));
}

#[test]
fn a_cancelled_probe_allows_another() {
    let now = Instant::now();
    let breaker = open(now);
    breaker.record_start();
    breaker.release_probe();
    assert!(breaker.allows(now + SECOND));
}
