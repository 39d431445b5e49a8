use super::*;

/// Row selections: no row, all rows, the first and last row, and every third row.
fn masks(rows: usize) -> Vec<Bitmap> {
    let by = |keep: &dyn Fn(usize) -> bool| (0..rows).map(keep).collect::<Bitmap>();
    vec![by(&|_| false), by(&|_| true), by(&|row| row == 0 || row + 1 == rows), by(&|row| row % 3 == 1)]
}

#[test]
fn values_of_one_width() {
    for width in [1, 4, 8, 12, 16] {
        let values: Vec<u8> = (0..200 * width).map(|at| (at * 7 % 251) as u8).collect();
        for kept in masks(200) {
            let expected: Vec<u8> =
                kept.ones().flat_map(|row| values[row * width..(row + 1) * width].to_vec()).collect();
            assert_eq!(fixed(&values, width, &kept), Some(expected), "{width}");
            // one byte too few fails only if the last value is selected
            let found = fixed(&values[..values.len() - 1], width, &kept);
            assert_eq!(found.is_none(), kept.get(199), "{width}");
        }
    }
}

#[test]
fn values_with_their_lengths() {
    let each: Vec<Vec<u8>> = (0..90u32)
        .map(|row| {
            let length = row * 5 % 17;
            [&length.to_le_bytes()[..], &vec![row as u8; length as usize]].concat()
        })
        .collect();
    let values = each.concat();
    for kept in masks(90) {
        let expected: Vec<u8> = kept.ones().flat_map(|row| each[row].clone()).collect();
        assert_eq!(with_lengths(&values, &kept), Some(expected));
        assert_eq!(with_lengths(&values[..values.len() - 1], &kept).is_none(), kept.get(89));
    }
    assert_eq!(with_lengths(&[0xff; 8], &Bitmap::with_len(1, true)), None);
}
