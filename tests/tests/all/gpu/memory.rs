//! A GPU with too little memory, or one that fails: the query still answers.

use pelton_tpch::queries::QUERIES;

use super::host::Sql;
use super::tpch::engine;
use crate::tpch::right;

/// Runs all queries, and returns how many the CPU had to run.
fn fallen_back(device: &str) -> usize {
    let (engine, _scratch) = engine(device, "snappy");
    let mut count = 0;
    for query in &QUERIES {
        let context = format!("query {} on {device}", query.number);
        let answer = engine.answer(query.sql).unwrap_or_else(|e| panic!("{context}: {e}"));
        right(query, &answer.schema, &answer.batches).unwrap_or_else(|e| panic!("{context}: {e}"));
        for note in &answer.notes {
            crate::support::check_message(note);
            assert!(note.starts_with("cuda-host failed, and the CPU ran its part: "), "{context}: {note}");
        }
        count += usize::from(!answer.notes.is_empty());
    }
    count
}

#[test]
fn the_cpu_answers_where_the_memory_is_too_small() {
    // too small for the first page of any query, for some queries, and for none
    assert_eq!(fallen_back("cuda-host:memory=4kB"), QUERIES.len());
    let some = fallen_back("cuda-host:memory=2MB");
    println!("{some} queries do not fit in 2 MB");
    assert!((1..QUERIES.len()).contains(&some), "{some}");
    assert_eq!(fallen_back("cuda-host:memory=1GB"), 0);
}

#[test]
fn the_cpu_answers_where_the_device_is_gone() {
    assert_eq!(fallen_back("cuda-host:fault-every=1"), QUERIES.len());
    assert_eq!(fallen_back("cuda-host:fault-every=3"), QUERIES.len() / 3);
}
