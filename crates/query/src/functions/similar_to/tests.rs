use super::*;

#[test]
fn patterns_become_anchored_expressions() {
    for (pattern, inner) in [
        ("foo|a", "foo|a"),
        ("a%b_", "a.*b."),
        ("a.c^$", r"a\.c\^\$"),
        (r"100\%\d", r"100\%\d"),
        ("(ab)*c+d?", "(?:ab)*c+d?"),
        ("a{2}b{1,}c{0,3}", "a{2}b{1,}c{0,3}"),
        ("[^]a-c&]", r"[^\]a-c\&]"),
        (r"[[:alpha:]\]-]", r"[[:alpha:]\]\-]"),
    ] {
        let expected = format!(r"(?s)\A(?:{inner})\z");
        assert_eq!(regex(pattern, None).expect(pattern), expected, "{pattern}");
    }
    assert_eq!(regex("a#%#d", Some('#')).expect("escape"), r"(?s)\A(?:a\%d)\z");
}

#[test]
fn wrong_patterns_say_what_is_wrong() {
    for (pattern, part) in [
        ("(a", "not closed"),
        ("a)", "none opens"),
        ("*a", "nothing in front"),
        ("a**", "nothing in front"),
        ("a{", "braces hold"),
        ("a{3,2}", "braces hold"),
        ("a{256}", "braces hold"),
        ("[a", "bracket is not closed"),
        ("[b-a]", "ends before"),
        ("[[:letters:]]", "does not exist"),
        ("a\\", "ends with its escape"),
    ] {
        let error = regex(pattern, None).expect_err(pattern).to_string();
        assert!(error.contains(part), "{pattern}: {error}");
    }
}
