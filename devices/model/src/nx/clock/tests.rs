use super::*;

const COMPRESS: Function = Function::Compress { dynamic: false, count: false, resume: false };
const DECOMPRESS: Function = Function::Decompress { resume: false, one_block: false };

/// The paper, section VIII-D: at the half-peak size, half of the time is setup.
#[test]
fn the_half_peak_size_takes_twice_the_setup() {
    let timing = Timing::of(&Config::P9);
    for (function, size, setup) in
        [(COMPRESS, 16 << 10, timing.compress_latency), (DECOMPRESS, 24 << 10, timing.decompress_latency)]
    {
        let twice = timing.latency(function, size).as_secs_f64() / setup.as_secs_f64();
        assert!((twice - 2.0).abs() < 0.001, "{function:?}: {twice}");
    }
}

#[test]
fn one_engine_is_serial_and_two_are_not() {
    let work =
        Work { function: Some(COMPRESS), source_bytes: 1 << 20, target_bytes: 9, uncompressed: 1 << 20 };
    let span = |engines: usize| {
        let mut clock = Clock::new(Timing::of(&Config::P9), engines);
        let arrival = clock.arrival();
        (0..4).for_each(|index| clock.completed(index % engines, arrival, &work));
        assert_eq!((clock.report().requests, clock.report().bytes_out), (4, 36));
        clock.report().modelled_makespan
    };
    assert_eq!(span(1), 4 * Timing::of(&Config::P9).on_engine(COMPRESS, 1 << 20));
    assert_eq!(span(2), span(1) / 2);
}
