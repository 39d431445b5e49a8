use super::number_runs;

/// Returns bits, lowest first.
fn packed(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8).map(|bits| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit))).collect()
}

#[test]
fn rows_have_the_numbers_of_their_runs() {
    let (mut numbers, mut starts) = (Vec::new(), Vec::new());
    number_runs(&packed(&[false, true, true, false]), 5, 7, &mut numbers, &mut starts);
    assert_eq!(numbers, [7, 7, 8, 9, 9]);
    assert_eq!(starts, [0, 2, 3]);
    number_runs(&[], 1, 10, &mut numbers, &mut starts);
    assert_eq!((numbers.last(), starts.last()), (Some(&10), Some(&0)));
    number_runs(&[], 0, 11, &mut numbers, &mut starts);
    assert_eq!((numbers.len(), starts.len()), (6, 4));
}

#[test]
fn runs_begin_where_keys_change() {
    for rows in 1..200usize {
        let keys: Vec<usize> = (0..rows).map(|row| row * rows * 7 / 11 % (rows % 9 + 1)).collect();
        let changes: Vec<bool> = keys.windows(2).map(|pair| pair[0] != pair[1]).collect();
        let (mut numbers, mut starts) = (Vec::new(), Vec::new());
        number_runs(&packed(&changes), rows, 0, &mut numbers, &mut starts);
        let begins = |row: &usize| *row == 0 || keys[*row] != keys[*row - 1];
        let expected: Vec<u32> = (0..rows).filter(begins).map(|row| row as u32).collect();
        assert_eq!(starts, expected, "{keys:?}");
        for (row, &number) in numbers.iter().enumerate() {
            let run = expected.iter().rposition(|&start| start as usize <= row);
            assert_eq!(run, Some(number as usize), "{keys:?}");
        }
    }
}
