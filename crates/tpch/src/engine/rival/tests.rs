use std::process::Command;

use super::{Contender, Rival, python};
use crate::check::check;
use crate::data::cache::ensure;
use crate::engine::system::System;
use crate::queries::QUERIES;

fn open_error(command: Command) -> String {
    match Rival::start(&Contender::DuckDb, command, std::path::Path::new("."), 1) {
        Ok(_) => panic!("it should not start"),
        Err(error) => error.to_string(),
    }
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn a_process_that_misbehaves_is_an_error_that_says_how() {
    let error = open_error(Command::new("/no/such/python"));
    assert!(error.starts_with("duckdb: /no/such/python did not start"), "{error}");
    let error = open_error(shell("exit 3"));
    assert!(error.contains("ended early") && error.contains('3'), "{error}");
    let error = open_error(shell("read line; echo nonsense"));
    assert!(error.starts_with("duckdb: expected"), "{error}");
    let error = open_error(shell(r#"read line; echo '{"memory": {"peak_bytes": 1}}'"#));
    assert!(error.contains("out of turn"), "{error}");
}

#[test]
fn a_missing_module_names_what_installs_it() {
    let error = open_error(shell(r#"read line; echo '{"error": "No module named duckdb"}'"#));
    assert!(error.contains("make rivals") && error.contains("PELTON_PYTHON"), "{error}");
}

/// The rivals answer every query of a small data set as the kept answers have it.
#[test]
fn rivals_return_the_kept_answers() {
    if python().is_none() {
        println!("skipped: no Python environment with the rivals (make rivals installs one)");
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let dataset = ensure(cache.path(), 0.01, "snappy".parse().unwrap(), 2, &|_| {}).unwrap();
    for contender in [Contender::DuckDb, Contender::DataFusion] {
        let mut rival = Rival::open(&contender, &dataset.folder, 2).unwrap();
        for query in &QUERIES {
            let answered = rival.query(query.sql, true).unwrap();
            let result = answered.result.unwrap();
            assert_eq!(answered.row_count, result.rows.len() as u64);
            let verdict = check(&result, &query.answer(0.01).unwrap(), query.order_by);
            assert_eq!(verdict, Ok(()), "{contender}, Q{}", query.number);
        }
        let error = rival.query("selec", false).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.starts_with(&contender.to_string()), "{error}");
        assert!(rival.peak_memory().unwrap() > 10_000_000, "a Python process alone takes more");
    }
}
