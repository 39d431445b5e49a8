use super::best::Ranking;

/// Returns the keys that are admitted and, in the end, still held. Keys are single bytes.
fn held(ranking: Ranking, most: usize, keys: &[u8]) -> Vec<u8> {
    let mut best = ranking.partition();
    let admitted: Vec<u8> = keys.iter().copied().filter(|key| best.admit(&[*key], most).is_some()).collect();
    admitted.into_iter().filter(|key| best.holds(&[*key], most)).collect()
}

#[test]
fn row_numbers_leave_out_later_equal_rows() {
    assert_eq!(held(Ranking::RowNumber, 2, &[5, 5, 5, 7]), [5, 5]);
    assert_eq!(held(Ranking::RowNumber, 2, &[9, 8, 7, 6]), [7, 6]);
    assert_eq!(held(Ranking::RowNumber, 3, &[4]), [4]);
}

#[test]
fn ranks_keep_rows_equal_to_the_last() {
    assert_eq!(held(Ranking::Rank, 2, &[5, 4, 5, 6, 5]), [5, 4, 5, 5]);
    assert_eq!(held(Ranking::Rank, 1, &[5, 4, 4, 6]), [4, 4]);
    assert_eq!(held(Ranking::Rank, 2, &[1, 1, 2]), [1, 1]);
}

#[test]
fn dense_ranks_count_different_rows() {
    assert_eq!(held(Ranking::DenseRank, 2, &[3, 3, 1, 2, 1, 3, 2]), [1, 2, 1, 2]);
    assert_eq!(held(Ranking::DenseRank, 2, &[1, 1, 2, 3]), [1, 1, 2]);
}
