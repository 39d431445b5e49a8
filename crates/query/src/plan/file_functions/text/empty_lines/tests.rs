use super::*;

const MARKS: Marks = Marks { delimiter: b',', quote: b'"', escape: None, comment: None };

/// Returns a text with quotes in its empty lines, read in pieces of some bytes.
fn quoted(text: &str, marks: Marks, bytes: usize) -> String {
    let mut lines = EmptyLines::new(marks);
    let pieces = text.as_bytes().chunks(bytes);
    let all: Vec<u8> = pieces.flat_map(|piece| lines.quoted(Bytes::copy_from_slice(piece))).collect();
    String::from_utf8(all).expect("UTF-8")
}

#[test]
fn empty_lines_behind_the_first_row_get_quotes() {
    let escapes = Marks { escape: Some(b'\\'), ..MARKS };
    let comments = Marks { comment: Some(b'#'), ..MARKS };
    for (text, marks, expected) in [
        ("a\n1\n\n2\n", MARKS, "a\n1\n\"\"\n2\n"),
        ("\n\r\na\n\n\n", MARKS, "\n\r\na\n\"\"\n\"\"\n"),
        ("a\r\n\r\nb\r\n", MARKS, "a\r\n\"\"\r\nb\r\n"),
        ("a\r\rb\r", MARKS, "a\r\"\"\rb\r"),
        ("a\n\"x\n\n\"\"\n\ny\"\n\nz", MARKS, "a\n\"x\n\n\"\"\n\ny\"\n\"\"\nz"),
        ("a\n\"x\\\"\n\ny\"\n\n", escapes, "a\n\"x\\\"\n\ny\"\n\"\"\n"),
        ("#\n\na\n#\"\n\n", comments, "#\n\na\n#\"\n\"\"\n"),
        ("a\nx\"y\n\n", MARKS, "a\nx\"y\n\"\"\n"),
        ("a\n,\"\n\n\"\n", MARKS, "a\n,\"\n\n\"\n"),
    ] {
        for bytes in [1, 2, 3, 100] {
            assert_eq!(quoted(text, marks, bytes), expected, "{text:?} by {bytes}");
        }
    }
}
