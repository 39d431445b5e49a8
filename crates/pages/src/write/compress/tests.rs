use super::*;

#[test]
fn an_extra_field_is_left_out() {
    let field = [b'P', b'W', 1, 0, 12];
    let page = [&[9, 9][..], &[0x1f, 0x8b, 8, 4, 1, 2, 3, 4, 5, 255, 5, 0], &field, b"stream"].concat();
    let expected = [&[9, 9][..], &[0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 255], b"stream"].concat();
    assert_eq!(bare(page.clone().into(), 2), expected);
    assert_eq!(bare(expected.clone().into(), 2), expected);
    let cut = Bytes::from(page[..14].to_vec());
    assert_eq!(bare(cut.clone(), 2), cut, "a field that is longer than the page");
    assert_eq!(bare(Bytes::new(), 0), Bytes::new());
}
