//! The kept answers against the published ones, which the tpchgen crate carries from the TPC's own
//! tools. Those are printed with two digits after the point and padded with spaces.

use tpchgen::q_and_a::answers_sf1;

use super::{QUERIES, choose};
use crate::engine::number::Number;

/// Q17's published answer lies within the percent that clause 2.1.3.5 of the specification allows
/// an average; exact arithmetic, and with it every engine here, gives 348406.054286.
const Q17_PUBLISHED: &str = "348406.02";
const Q17_EXACT: &str = "348406.05";

#[test]
fn kept_answers_round_to_the_published_ones() {
    for query in &QUERIES {
        let name = format!("Q{}", query.number);
        let kept = query.answer(1.0).unwrap();
        let published = answers_sf1::answer(i32::from(query.number)).unwrap();
        let mut lines = published.lines().filter(|line| !line.trim().is_empty());
        assert_eq!(lines.next().unwrap().split('|').count(), kept.columns.len(), "{name}: columns");
        let mut rows = 0;
        for (row, line) in lines.enumerate() {
            rows += 1;
            for (column, published) in line.split('|').enumerate() {
                let kept = kept.rows[row][column].as_deref().unwrap();
                assert!(
                    same(query.number, column, kept, published.trim()),
                    "{name} row {row}, column {column}: kept {kept}, published {published}"
                );
            }
        }
        assert_eq!(rows, kept.rows.len(), "{name}: rows");
    }
}

fn same(query: u8, column: usize, kept: &str, published: &str) -> bool {
    if (query, published) == (17, Q17_PUBLISHED) {
        return same(query, column, kept, Q17_EXACT);
    }
    if (query, column) == (11, 0) {
        // The crate's copy of this column is cut off on the right.
        return kept.starts_with(published);
    }
    match (Number::parse(kept), Number::parse(published)) {
        (Some(kept), Some(published)) => kept.rounds_to(published),
        _ => kept.trim() == published,
    }
}

#[test]
fn every_query_has_an_answer_that_fits_its_order() {
    for (index, query) in QUERIES.iter().enumerate() {
        assert_eq!(usize::from(query.number), index + 1);
        assert!(query.sql.starts_with(&format!("-- Q{}:", query.number)), "Q{}", query.number);
        for scale_factor in [1.0, 0.01] {
            let answer = query.answer(scale_factor).unwrap();
            assert!(query.order_by.iter().all(|&column| column < answer.columns.len()), "Q{}", query.number);
            assert!(!query.order_by.is_empty() || answer.rows.len() == 1, "Q{}", query.number);
            assert!(answer.rows.iter().all(|row| row.len() == answer.columns.len()), "Q{}", query.number);
        }
        assert!(query.answer(10.0).is_none());
    }
}

#[test]
fn queries_are_chosen_by_number_and_range() {
    let numbers = |text| choose(text).map(|c| c.iter().map(|q| q.number).collect::<Vec<_>>());
    assert_eq!(numbers("1,6,12-14").unwrap(), [1, 6, 12, 13, 14]);
    assert_eq!(numbers(" 22 ").unwrap(), [22]);
    for bad in ["", "0", "23", "3-1", "1,,2", "x", "1-30"] {
        assert!(numbers(bad).unwrap_err().to_string().contains("1 to 22"), "{bad:?}");
    }
}
