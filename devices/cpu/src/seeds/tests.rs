use pelton_codec::Level;

use super::*;

fn bandwidth(format: Format, level: i32) -> f64 {
    let level = Level::new(format, level).expect("a level of the format");
    seed(Operation::Compress { format, level }).bytes_per_second
}

#[test]
fn a_higher_level_is_never_faster() {
    for format in Format::ALL {
        let levels: Vec<i32> = format.levels().map_or(vec![], Iterator::collect);
        for pair in levels.windows(2) {
            assert!(bandwidth(format, pair[0]) >= bandwidth(format, pair[1]), "{format} {pair:?}");
        }
    }
}

#[test]
fn a_level_between_rows_has_the_lower_ones_bandwidth() {
    assert_eq!(bandwidth(Format::Zstd, 4), 370e6);
    assert_eq!(bandwidth(Format::Gzip, 12), 4e6);
    assert_eq!(bandwidth(Format::Brotli, 6), 36e6);
}
