use super::*;

#[test]
fn every_row_of_the_paper_is_beside_one_of_ours() {
    let ours = ["Snappy", "LZ4", "zstd-1", "zstd-3", "zstd-9", "Deflate-1 CPU", "Deflate IAA (model)"];
    for (ours, theirs) in ours.iter().zip(&TABLE_1) {
        assert_eq!(beside("lineitem", ours).map(|row| row.codec), Some(theirs.codec));
        assert!(beside("orders", ours).is_none());
    }
}
