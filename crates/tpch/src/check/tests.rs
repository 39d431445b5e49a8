use super::{Mismatch, check};
use crate::engine::result::{Column, Kind, ResultSet};

const ANSWER: &str = "nation|year|profit\n\
    ALGERIA|1998|27136900.1803\n\
    ALGERIA|1997|48611833.4962\n\
    BRAZIL|1998|26527736.3960\n\
    BRAZIL|1998|45640660.7677\n";
const ORDER_BY: [usize; 2] = [0, 1];

/// Returns the result of an engine with decimals for `text`.
fn found(text: &str) -> ResultSet {
    let mut result = ResultSet::from_answer(text);
    for (column, kind) in result.columns.iter_mut().zip([Kind::Text, Kind::Number, Kind::Number]) {
        column.kind = kind;
    }
    result
}

fn mismatch(text: &str) -> String {
    check(&found(text), &ResultSet::from_answer(ANSWER), &ORDER_BY).unwrap_err().to_string()
}

#[test]
fn the_answer_itself_passes() {
    assert_eq!(check(&found(ANSWER), &ResultSet::from_answer(ANSWER), &ORDER_BY), Ok(()));
}

#[test]
fn one_changed_digit_is_caught() {
    let text = ANSWER.replace("48611833.4962", "48611833.4963");
    assert_eq!(mismatch(&text), "row 2, profit: 48611833.4963, expected 48611833.4962");
    let text = ANSWER.replace("1997", "1996");
    assert_eq!(mismatch(&text), "row 2, year: 1996, expected 1997");
}

#[test]
fn changed_text_is_caught_even_in_its_spaces() {
    assert_eq!(
        mismatch(&ANSWER.replacen("ALGERIA", "ALGERIA ", 1)),
        "row 1, nation: ALGERIA , expected ALGERIA"
    );
}

#[test]
fn a_missing_or_additional_row_is_caught() {
    let all: Vec<&str> = ANSWER.lines().collect();
    assert_eq!(mismatch(&(all[..4].join("\n") + "\n")), "3 rows, expected 4");
    assert_eq!(mismatch(&format!("{ANSWER}CHINA|1998|1.0000\n")), "5 rows, expected 4");
    assert_eq!(mismatch(&format!("{}\n", all[0])), "0 rows, expected 4");
}

#[test]
fn a_missing_column_is_caught() {
    let mut narrow = found(ANSWER);
    narrow.columns.pop();
    let expected = ResultSet::from_answer(ANSWER);
    assert_eq!(check(&narrow, &expected, &ORDER_BY), Err(Mismatch::Columns { expected: 3, found: 2 }));
}

#[test]
fn swapped_rows_are_caught_when_order_by_tells_them_apart() {
    let mut lines: Vec<&str> = ANSWER.lines().collect();
    lines.swap(1, 2);
    assert_eq!(mismatch(&(lines.join("\n") + "\n")), "row 1, year: 1997, expected 1998");
}

#[test]
fn rows_that_order_by_leaves_tied_may_come_in_any_order() {
    let mut lines: Vec<&str> = ANSWER.lines().collect();
    lines.swap(3, 4);
    let text = lines.join("\n") + "\n";
    assert_eq!(check(&found(&text), &ResultSet::from_answer(ANSWER), &ORDER_BY), Ok(()));
    // But a tied row does not stand for two.
    let twice = ANSWER.replace("45640660.7677", "26527736.3960");
    assert_eq!(mismatch(&twice), "row 4, profit: 26527736.3960, expected 45640660.7677");
}

#[test]
fn null_is_not_nought_nor_empty_text() {
    let expected = ResultSet::from_answer("x\n\n");
    let with = |value: Option<&str>, kind| ResultSet {
        columns: vec![Column { name: "x".into(), kind }],
        rows: vec![vec![value.map(str::to_owned)]],
    };
    assert_eq!(check(&with(None, Kind::Number), &expected, &[]), Ok(()));
    let wrong = check(&with(Some("0"), Kind::Number), &expected, &[]).unwrap_err();
    assert_eq!(wrong.to_string(), "row 1, x: 0, expected null");
    assert!(check(&with(Some(""), Kind::Text), &expected, &[]).is_err());
}
