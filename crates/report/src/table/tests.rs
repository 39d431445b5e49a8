use unicode_width::UnicodeWidthStr;

use super::{Align, Columns, TextTable, markdown};

fn table(columns: &[(&str, Align)], rows: &[&[&str]]) -> TextTable {
    let mut table = TextTable::new(columns.iter().map(|(title, align)| (title.to_string(), *align)));
    for row in rows {
        table.row(*row);
    }
    table
}

#[test]
fn cells_line_up() {
    let table = table(&[("name", Align::Left), ("n", Align::Right)], &[&["a", "1"], &["日本語", "1000"]]);
    let expected = "name   │    n\n───────┼─────\na      │    1\n日本語 │ 1000\n";
    assert_eq!(table.draw(None).text, expected);
}

#[test]
fn words_are_cut_to_fit_and_numbers_are_not() {
    let words = "x".repeat(200);
    let table = table(
        &[("long", Align::Left), ("short", Align::Left), ("number", Align::Right)],
        &[&[&words, "abc", "123456789012345"]],
    );
    let drawn = table.draw(Some(60));
    assert_eq!(drawn.hidden_columns, 0);
    assert!(drawn.text.lines().all(|line| line.width() <= 60), "{}", drawn.text);
    let last = drawn.text.lines().last().expect("a line");
    assert_eq!(last.width(), 60, "the room is used: {last}");
    assert!(last.contains("x… │ abc   │ 123456789012345"), "{last}");
}

#[test]
fn columns_that_do_not_fit_are_left_out_of_the_middle() {
    let titles: Vec<String> = (0..30).map(|i| format!("column_{i}")).collect();
    let table = TextTable::new(titles.iter().map(|title| (title.clone(), Align::Right)));
    let drawn = table.draw(Some(60));
    let header = drawn.text.lines().next().expect("a line");
    assert!(header.starts_with("column_0 │") && header.ends_with("column_29"), "{header}");
    assert!(header.contains(" │ … │ ") && header.width() <= 60, "{header}");
    assert_eq!(drawn.hidden_columns, 30 - header.matches("column_").count());
}

#[test]
fn one_column_is_shown_however_narrow_the_terminal() {
    let table = table(&[("a", Align::Right), ("b", Align::Right)], &[&["12345678", "1"]]);
    let drawn = table.draw(Some(4));
    assert!(drawn.text.contains("12345678"), "{}", drawn.text);
}

#[test]
fn values_cannot_drive_the_terminal() {
    let table = table(&[("a", Align::Left)], &[&["one\ntwo\u{1b}[31m"]]);
    assert!(table.draw(None).text.ends_with("one\\ntwo\\u{1b}[31m\n"));
}

#[test]
fn a_table_without_columns_is_empty() {
    assert_eq!(table(&[], &[]).draw(Some(80)).text, "");
}

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
fn one_table_has_two_forms() {
    let mut table = TextTable::of_numbers(["name", "MB/s"]);
    table.row(["zlib-ng1", "5"]);
    assert_eq!(table.plain(), "name      MB/s\nzlib-ng1     5\n");
    assert_eq!(table.markdown(), "| name | MB/s |\n| --- | ---: |\n| zlib-ng1 | 5 |\n");
}

#[test]
fn a_box_has_a_frame_of_equal_width() {
    let mut table = TextTable::of_numbers(["name", "n"]);
    table.row(["größer", "5"]);
    table.row(["", "1234"]);
    let boxed = table.boxed(None);
    assert_eq!(
        boxed.text,
        "┌────────┬──────┐\n│ name   │    n │\n├────────┼──────┤\n│ größer │    5 │\n│        │ 1234 │\n\
         └────────┴──────┘\n"
    );
    let narrow = table.boxed(Some(15));
    assert!(narrow.text.lines().all(|line| line.width() <= 15), "{}", narrow.text);
}
