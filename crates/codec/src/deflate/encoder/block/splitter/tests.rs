use super::*;

#[test]
fn logarithms_are_as_near_as_documented() {
    assert_eq!(log2(0), 0.0);
    let mut worst = 0.0_f64;
    // All of three octaves, and every magnitude with numbers between.
    let magnitudes = (0..32).flat_map(|shift| (0..1000_u64).map(move |i| ((1000 + i) << shift) / 1000));
    for count in (1..=1 << 14).chain(magnitudes.filter_map(|count| u32::try_from(count).ok())) {
        worst = worst.max((f64::from(log2(count)) - f64::from(count).log2()).abs());
    }
    assert!(worst < 0.01, "{worst}");
    for shift in 0..32 {
        assert_eq!(log2(1 << shift), shift as f32);
    }
}

/// A cost that goes the wrong way would end blocks where nothing changes.
#[test]
fn logarithms_rise() {
    for count in 1..1 << 16 {
        assert!(log2(count) < log2(count + 1), "{count}");
    }
}

#[test]
fn blocks_end_where_symbols_change() {
    let of = |symbols: std::ops::Range<usize>, count: u32| {
        let mut counts = Histogram::EMPTY;
        counts.literals[symbols].fill(count);
        counts
    };
    assert!(!should_split(&of(0..100, 100), &of(0..100, 100)), "the same symbols");
    assert!(should_split(&of(0..100, 100), &of(100..200, 100)), "other symbols");
    assert!(!should_split(&of(0..100, 100), &of(100..103, 1)), "other symbols, too few of them");
    assert!(!should_split(&Histogram::EMPTY, &Histogram::EMPTY));
}
