use super::Script;

fn statements(text: &str) -> Vec<&str> {
    Script::cut(text).expect(text).statements().collect()
}

#[test]
fn semicolons_end_statements() {
    assert_eq!(statements("SELECT 1; SELECT 2;\nSELECT 3"), ["SELECT 1", "SELECT 2", "SELECT 3"]);
    assert_eq!(statements(";;  ;\n"), [""; 0]);
    assert_eq!(statements(""), [""; 0]);
}

#[test]
fn semicolons_in_strings_names_and_comments_do_not() {
    for text in [
        "SELECT ';'",
        "SELECT 'it''s; fine'",
        "SELECT \"a;b\" FROM t",
        "SELECT \"a\"\";b\" FROM t",
        "SELECT `a;b` FROM t",
        "SELECT 1 -- one; two\n+ 1",
        "SELECT /* ; /* ; */ ; */ 1",
        "SELECT E'it\\'s; fine'",
        "SELECT $$a;b$$",
        "SELECT $tag$a;$$;b$tag$",
        "SELECT 'a\n;\nb'",
    ] {
        assert_eq!(statements(text), [text]);
        let twice = format!("{text}; {text};");
        assert_eq!(statements(&twice), [text, text]);
    }
}

#[test]
fn offsets_count_bytes_whatever_the_characters() {
    let text = "SELECT 'äöü😀;'\r\n, '日本'; SELECT 'é';";
    assert_eq!(statements(text), ["SELECT 'äöü😀;'\r\n, '日本'", "SELECT 'é'"]);
}

#[test]
fn comments_alone_are_no_statement() {
    assert_eq!(statements("-- nothing\n; /* nor here; */ ; SELECT 1; -- the end"), ["SELECT 1"]);
}

#[test]
fn a_comment_stays_with_its_statement() {
    assert_eq!(statements("-- first\nSELECT 1;"), ["-- first\nSELECT 1"]);
}

#[test]
fn what_has_not_ended_is_told_apart() {
    let script = Script::cut("SELECT 1; SELECT").expect("cut");
    assert_eq!((script.ended, script.rest), (vec!["SELECT 1"], Some("SELECT")));
    assert_eq!(Script::cut("SELECT 1; -- done").expect("cut").rest, None);
}

#[test]
fn strings_and_comments_without_an_end_are_errors() {
    for text in ["SELECT 'abc;", "SELECT \"abc;", "SELECT /* abc;", "SELECT $$abc;"] {
        assert!(Script::cut(text).is_err(), "{text}");
    }
}
