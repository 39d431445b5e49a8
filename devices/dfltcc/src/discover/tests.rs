use super::*;

#[test]
fn another_architecture_is_the_reason() {
    let row = report();
    assert!(!row.usable && row.name == "dfltcc" && row.detail.contains("another architecture"), "{row:?}");
    let why = open().err().expect("an error");
    assert!(why.starts_with("dfltcc: ") && why.ends_with(&row.detail), "{why}");
}
