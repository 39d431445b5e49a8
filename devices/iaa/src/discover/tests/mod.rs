//! Discovery on made-up machines.

mod absent;
mod damaged;
mod device;
mod queue;
mod tree;

use super::{Host, Report, Row};
use tree::{Answers, Tree};

/// What is said of a machine whose queues answer so.
fn report(tree: &Tree, answers: Answers) -> Report {
    Host::at(tree.path(), answers.system()).survey().report()
}

/// The row of this name.
fn row<'a>(report: &'a Report, name: &str) -> &'a Row {
    let found = report.rows.iter().find(|row| row.name == name);
    found.unwrap_or_else(|| panic!("no row {name}: {report:#?}"))
}

/// Checks that something can't be used, for a reason with these words, and what is to be typed.
#[track_caller]
fn refused(report: &Report, name: &str, words: &[&str], enable: &[&str]) {
    let row = row(report, name);
    assert!(!row.usable, "{row:#?}");
    for word in words {
        assert!(row.detail.contains(word), "{word:?} is not in {row:#?}");
    }
    assert_eq!(row.enable, enable, "{row:#?}");
}
