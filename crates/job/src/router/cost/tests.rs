use std::sync::LazyLock;
use std::time::{Duration, Instant};

use pelton_codec::{Format, Level};

use super::*;

const MICRO: Duration = Duration::from_micros(1);
const PRIOR: Cost = Cost { setup: Duration::from_micros(10), bytes_per_second: 1e9 };
const OPERATION: Operation = Operation::Decompress { format: Format::Gzip };

/// Returns the same moment at every call, so that no estimate fades in between.
fn now() -> Instant {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    *START
}

fn near(value: f64, expected: f64, tolerance: f64) -> bool {
    (value / expected - 1.0).abs() < tolerance
}

/// Returns the time of a job on a device with this true cost.
fn true_time(cost: Cost, bytes: usize) -> Duration {
    cost.setup + Duration::from_secs_f64(bytes as f64 / cost.bytes_per_second)
}

#[test]
fn time_is_setup_and_bytes_over_bandwidth() {
    assert_eq!(PRIOR.time(0), 10 * MICRO);
    assert_eq!(PRIOR.time(5000), 15 * MICRO);
    let model = CostModel::default();
    assert_eq!(model.predict(OPERATION, 5000, now(), || PRIOR), 15 * MICRO);
}

#[test]
fn the_prior_is_asked_for_once() {
    let model = CostModel::default();
    model.predict(OPERATION, 1, now(), || PRIOR);
    model.predict(OPERATION, 1, now(), || panic!("asked for again"));
}

#[test]
fn nonsense_priors_are_made_finite() {
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let time = Cost { setup: Duration::ZERO, bytes_per_second: rate }.time(1000);
        assert!(time > Duration::ZERO && time <= Duration::from_secs(1001), "{rate}: {time:?}");
    }
    assert_eq!(Cost { setup: Duration::MAX, bytes_per_second: 1.0 }.time(1), Duration::MAX);
}

#[test]
fn one_observation_moves_the_prediction_an_eighth_of_the_way() {
    let model = CostModel::default();
    let bytes = 10_000;
    assert_eq!(model.predict(OPERATION, bytes, now(), || PRIOR), 20 * MICRO);
    model.observe(OPERATION, bytes, 36 * MICRO, now());
    let predicted = model.predict(OPERATION, bytes, now(), || PRIOR).as_secs_f64();
    assert!(near(predicted, 22e-6, 1e-3), "{predicted}");
}

#[test]
fn an_outlier_moves_the_prediction_by_three_eighths_at_most() {
    let model = CostModel::default();
    model.predict(OPERATION, 10_000, now(), || PRIOR);
    model.observe(OPERATION, 10_000, Duration::from_secs(10), now());
    let predicted = model.predict(OPERATION, 10_000, now(), || PRIOR).as_secs_f64();
    assert!(near(predicted, 27.5e-6, 1e-3), "{predicted}");
    model.observe(OPERATION, 10_000, Duration::ZERO, now());
    assert!(model.predict(OPERATION, 10_000, now(), || PRIOR) > 20 * MICRO);
}

#[test]
fn setup_and_bandwidth_are_learned_apart() {
    // The prior's bandwidth with ten times its setup, then the other way round.
    let truths = [
        Cost { setup: 100 * MICRO, bytes_per_second: 1e9 },
        Cost { setup: 10 * MICRO, bytes_per_second: 1e8 },
    ];
    for truth in truths {
        let model = CostModel::default();
        for round in 0..300 {
            let bytes = [100, 1 << 20, 1000, 200_000][round % 4];
            model.predict(OPERATION, bytes, now(), || PRIOR);
            model.observe(OPERATION, bytes, true_time(truth, bytes), now());
        }
        // Sizes without an observation, so that only the right linear cost predicts them.
        for bytes in [0, 10_000, 5 << 20] {
            let predicted = model.predict(OPERATION, bytes, now(), || PRIOR).as_secs_f64();
            let expected = true_time(truth, bytes).as_secs_f64();
            assert!(near(predicted, expected, 0.05), "{truth:?}, {bytes}: {predicted}, not {expected}");
        }
    }
}

#[test]
fn a_prior_that_is_wrong_a_thousand_times_is_corrected() {
    for factor in [1e-3, 1e3] {
        let truth = Cost { bytes_per_second: PRIOR.bytes_per_second * factor, ..PRIOR };
        let model = CostModel::default();
        for _ in 0..100 {
            model.predict(OPERATION, 1 << 24, now(), || PRIOR);
            model.observe(OPERATION, 1 << 24, true_time(truth, 1 << 24), now());
        }
        let predicted = model.predict(OPERATION, 1 << 24, now(), || PRIOR).as_secs_f64();
        assert!(near(predicted, true_time(truth, 1 << 24).as_secs_f64(), 0.05), "{factor}: {predicted}");
    }
}

#[test]
fn operations_and_levels_are_learned_apart() {
    let level = |n| Level::new(Format::Gzip, n).expect("a level of gzip");
    let operation = |n| Operation::Compress { format: Format::Gzip, level: level(n) };
    let model = CostModel::default();
    for n in [1, 9] {
        model.predict(operation(n), 1000, now(), || PRIOR);
    }
    for _ in 0..100 {
        model.observe(operation(9), 1000, Duration::from_millis(1), now());
    }
    assert_eq!(model.predict(operation(1), 1000, now(), || PRIOR), 11 * MICRO);
    assert!(model.predict(operation(9), 1000, now(), || PRIOR) > 900 * MICRO);
}

#[test]
fn an_idle_worker_starts_at_once_and_a_full_device_shares_its_work() {
    let queue = |jobs| Queue { jobs, work: 100 * MICRO, workers: 4 };
    assert_eq!(queue(3).finish(10 * MICRO), 10 * MICRO);
    assert_eq!(queue(4).finish(10 * MICRO), 35 * MICRO);
    let no_workers = Queue { jobs: 0, work: Duration::ZERO, workers: 0 };
    assert_eq!(no_workers.finish(MICRO), MICRO);
}

#[test]
fn estimates_without_observations_fade_to_the_prior() {
    let model = CostModel::default();
    model.predict(OPERATION, 1 << 20, now(), || PRIOR);
    let prior = PRIOR.time(1 << 20).as_secs_f64();
    for _ in 0..100 {
        model.observe(OPERATION, 1 << 20, Duration::from_secs_f64(prior * 16.0), now());
    }
    for (half_lives, factor) in [(0, 16.0), (1, 4.0), (2, 2.0), (12, 1.0)] {
        let later = now() + half_lives * HALF_LIFE;
        let predicted = model.predict(OPERATION, 1 << 20, later, || PRIOR).as_secs_f64();
        assert!(near(predicted, prior * factor, 0.02), "{half_lives}: {} times the prior", predicted / prior);
    }
}
