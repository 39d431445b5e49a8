use super::escaped;

#[test]
fn text_is_not_markup() {
    assert_eq!(escaped("a<b>&\u{7}c.parquet"), "a&lt;b&gt;&amp; c.parquet");
}
