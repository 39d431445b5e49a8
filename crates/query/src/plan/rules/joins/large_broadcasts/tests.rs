use super::{MOST_ROWS, pays};

#[test]
fn one_table_pays_for_many_probed_rows() {
    assert!(pays(600_000, 38_000_000, 2));
    assert!(!pays(1_500_000, 6_000_000, 2), "few probed rows");
    assert!(!pays(600_000, 38_000_000, 16), "many threads");
    assert!(!pays(MOST_ROWS + 1, usize::MAX, 1), "a large table");
    assert!(pays(0, 0, 0));
}
