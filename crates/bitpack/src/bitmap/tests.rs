use super::Bitmap;

fn bits(of: &Bitmap) -> Vec<bool> {
    (0..of.len()).map(|i| of.get(i)).collect()
}

#[test]
fn runs_and_bitmaps_are_appended_at_any_bit() {
    let tail: Bitmap = (0..131).map(|i| i % 3 == 0).collect();
    for start in 0..140 {
        for run in [0, 1, 5, 63, 64, 65, 128, 200] {
            let mut found = Bitmap::with_len(start, start % 2 == 0);
            found.extend_run(start % 2 == 1, run);
            found.extend(&tail);
            let mut expected = vec![start % 2 == 0; start];
            expected.resize(start + run, start % 2 == 1);
            expected.extend(bits(&tail));
            assert_eq!(bits(&found), expected, "{start} {run}");
            assert_eq!(found, expected.iter().copied().collect());
            assert_eq!(found.count_ones(), expected.iter().filter(|bit| **bit).count());
            assert_eq!(found.first_one(), expected.iter().position(|bit| *bit));
            assert_eq!(found.last_one(), expected.iter().rposition(|bit| *bit));
            let ones: Vec<usize> = (0..expected.len()).filter(|&i| expected[i]).collect();
            assert_eq!(found.ones().collect::<Vec<_>>(), ones);
            let counted = expected[start..].iter().filter(|bit| **bit).count();
            assert_eq!(found.count_ones_in(start, expected.len() - start), counted);
        }
    }
}

#[test]
fn what_was_there_before_is_gone() {
    let mut used = Bitmap::with_len(300, true);
    used.clear();
    assert_eq!(used, Bitmap::new());
    used.extend_run(false, 70);
    assert_eq!(used, Bitmap::with_len(70, false));
    used.not();
    used.truncate(65);
    used.truncate(300);
    assert_eq!(used, Bitmap::with_len(65, true));
    used.extend_run(false, 64);
    assert_eq!(used.count_ones(), 65);
}

#[test]
fn words_and_bytes() {
    let found = Bitmap::from_words(vec![u64::MAX; 3], 67);
    assert_eq!(found, Bitmap::with_len(67, true));
    assert_eq!(found.bytes().collect::<Vec<_>>(), [[0xff; 8].as_slice(), &[7]].concat());
    assert_eq!(Bitmap::from_bytes(&[0xff; 9], 67), found);
    assert_eq!(Bitmap::from_words(vec![], 9), Bitmap::with_len(9, false));
    assert!(!found.get(67) && !found.get(1000));
}

#[test]
fn logic() {
    let thirds: Bitmap = (0..100).map(|i| i % 3 == 0).collect();
    let halves: Bitmap = (0..70).map(|i| i % 2 == 0).collect();
    let mut both = thirds.clone();
    both.and(&halves);
    assert_eq!(both.len(), 100);
    assert_eq!(both.ones().collect::<Vec<_>>(), (0..70).step_by(6).collect::<Vec<_>>());
    let mut any = halves.clone();
    any.or(&thirds);
    assert_eq!(any, (0..70).map(|i| i % 2 == 0 || i % 3 == 0).collect());
    any.not();
    assert_eq!(any, (0..70).map(|i| i % 2 != 0 && i % 3 != 0).collect());
}
