use arrow::array::Int64Array;

use super::*;

#[test]
fn files_have_equal_shares_of_each_split() {
    let keys: ArrayRef = Arc::new(Int64Array::from_iter_values(0..64_000));
    let first = by_hash(std::slice::from_ref(&keys), 0, 16).expect("hashes");
    assert_eq!(first.iter().map(Vec::len).sum::<usize>(), 64_000);
    assert!(first.iter().all(|groups| (3_500..4_500).contains(&groups.len())), "{first:?}");
    // another split of one share
    let share = take_arrays(&[keys], &UInt32Array::from(first[3].clone()), None).expect("keys");
    let second = by_hash(&share, 1, 16).expect("hashes");
    assert!(second.iter().all(|groups| (150..350).contains(&groups.len())), "{second:?}");
    // the same one is none
    let again = by_hash(&share, 0, 16).expect("hashes");
    assert_eq!(again[3].len(), first[3].len());
}

#[test]
fn many_threads_have_fewer_files_each() {
    assert_eq!([1, 2, 4, 8, 64].map(files), [16, 16, 8, 4, 4]);
}
