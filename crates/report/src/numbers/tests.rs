use super::{Columns, markdown, median, ms};

#[test]
fn lines_align_under_their_titles() {
    let columns = Columns::new(["query", "ms", "verdict"], 4);
    assert_eq!(columns.header(), "query    ms  verdict");
    assert_eq!(columns.line(&["1".into(), "12.5".into(), "ok".into()]), "    1  12.5  ok");
}

#[test]
fn markdown_has_a_rule_and_a_line_a_row() {
    let table = markdown(&["a".into(), "b".into(), "c".into()], &[vec!["1".into(), "2".into(), "3".into()]]);
    assert_eq!(table, "| a | b | c |\n| --- | ---: | --- |\n| 1 | 2 | 3 |\n");
}

#[test]
fn the_median_is_the_middle() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    assert!(median(&[]).is_nan());
}

#[test]
fn milliseconds_keep_the_digits_that_matter() {
    assert_eq!((ms(9.96), ms(123.4)), ("10.0".to_owned(), "123".to_owned()));
}
