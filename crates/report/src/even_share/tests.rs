use super::Even;

#[test]
fn a_share_is_taken_evenly() {
    for share in [0.01, 0.1, 0.5, 0.9] {
        let mut even = Even::new(share);
        let taken: Vec<u64> = (0..10_000).filter(|_| even.choose()).collect();
        let expected = 10_000.0 * share;
        assert!((taken.len() as f64 - expected).abs() <= 3.0, "{} of {expected}", taken.len());
        // No gap is much wider than the average.
        let widest = taken.windows(2).map(|pair| pair[1] - pair[0]).max().expect("pairs");
        assert!(widest as f64 <= 3.0 / share, "{share}: {widest}");
        // Whatever the number of columns, each has its part.
        for columns in [2, 3, 16, 21] {
            let first = taken.iter().filter(|&&index| index % columns == 0).count() as f64;
            let fair = expected / columns as f64;
            assert!(
                (first - fair).abs() <= 0.3 * fair + 3.0,
                "{share}, {columns} columns: {first} of {fair}"
            );
        }
    }
}

#[test]
fn all_is_taken_if_there_is_room() {
    let mut even = Even::new(1.0);
    assert!((0..1000).all(|_| even.choose()));
}
