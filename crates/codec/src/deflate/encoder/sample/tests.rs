use super::*;

/// How many of some bytes are in the first halves of records of `width` bytes, the first of which begins `before` bytes before them.
fn in_first_halves(places: &[usize], width: usize, before: usize) -> usize {
    places.iter().filter(|&&at| 2 * ((at + before) % width) < width).count()
}

#[test]
fn both_halves_of_records_of_any_width_are_seen() {
    for (len, every) in [(64 << 10, 16), (32 << 10, 16), (16 << 10, 12), (8 << 10, 6), (4 << 10, 3)] {
        let uncompressed = vec![0; len];
        let places: Vec<usize> = runs(&uncompressed, every)
            .flat_map(|run| {
                let start = run.as_ptr() as usize - uncompressed.as_ptr() as usize;
                start..start + run.len()
            })
            .collect();
        // Of wider ones, too few are in so few bytes.
        for width in 2..=len / 24 {
            for before in (0..width).step_by(1 + width / 40) {
                let share = in_first_halves(&places, width, before) * 100 / places.len();
                assert!(
                    (15..=85).contains(&share),
                    "{share}% of {len} bytes: records of {width}, the first from -{before} on"
                );
            }
        }
    }
}
