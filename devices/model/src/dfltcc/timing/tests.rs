use super::*;

#[test]
fn peaks_and_half_peaks_are_the_papers() {
    let Config { compress, decompress, .. } = Config::Z15;
    for (setup, gb_per_s) in
        [(compress.shared, 15.8), (decompress.shared, 9.5), (compress.alone, 12.6), (decompress.alone, 8.6)]
    {
        let bandwidth = setup.bandwidth();
        assert!((bandwidth / 1e9 - gb_per_s).abs() < 0.06, "{gb_per_s}: {bandwidth}");
    }
    // At the half-peak size, half of the time is setup.
    let mut time = ModelledTime::default();
    time.add(Function::Compress, true, 0, 12 << 10);
    assert_eq!(time.modelled_engine, Duration::from_nanos(1560));
    let mut time = ModelledTime::default();
    time.add(Function::Expand, true, 16 << 10, 0);
    assert_eq!((time.modelled_thread, time.streams), (Duration::from_nanos(3800), 1));
}
