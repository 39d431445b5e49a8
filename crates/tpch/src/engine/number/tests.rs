use super::Number;

fn number(text: &str) -> Number {
    Number::parse(text).unwrap_or_else(|| panic!("{text} should parse"))
}

fn agree(a: &str, b: &str) -> bool {
    let (one, two) = (number(a).agrees(number(b), false), number(b).agrees(number(a), false));
    assert_eq!(one, two, "{a} and {b}: the order must not matter");
    one
}

#[test]
fn only_plain_decimals_parse() {
    for text in ["0", "-1", "12.50", "-0.05", "99999999999999999999999999999999999999"] {
        assert!(Number::parse(text).is_some(), "{text}");
    }
    for text in ["", "-", ".5", "+1", "1e5", "1.2.3", "abc", "1 ", "999999999999999999999999999999999999999"]
    {
        assert!(Number::parse(text).is_none(), "{text}");
    }
}

#[test]
fn whole_numbers_are_exact() {
    assert!(agree("37734107", "37734107.00"));
    assert!(!agree("37734107", "37734108"));
    assert!(!agree("3", "3.4"));
    assert!(!agree("37734107", "37734107.01"));
}

#[test]
fn with_the_same_digits_only_equal_will_do() {
    assert!(agree("55502041.1697", "55502041.1697"));
    assert!(!agree("55502041.1697", "55502041.1698"));
    assert!(!agree("-1.25", "1.25"));
}

#[test]
fn fewer_digits_may_be_rounded_or_cut_off() {
    assert!(agree("25.522006", "25.5220058532573"), "rounded");
    assert!(agree("25.522005", "25.5220058532573"), "cut off");
    assert!(!agree("25.522004", "25.5220058532573"));
    assert!(!agree("25.522007", "25.5220058532573"));
    assert!(!agree("0.0", "0.0344"), "one digit is too few to tell");
}

#[test]
fn floats_may_differ_in_their_last_digits() {
    let (a, b) = (number("35785.70930693735"), number("35785.709306937344"));
    assert!(a.agrees(b, true) && b.agrees(a, true));
    let (a, b) = (number("35785.70930693735"), number("35785.70930603735"));
    assert!(!a.agrees(b, true));
    assert!(!number("0.0").agrees(number("0.1"), true));
}

#[test]
fn numbers_too_far_apart_in_scale_do_not_overflow() {
    let tiny = format!("0.{}1", "0".repeat(36));
    assert!(!number("99999999999999999999").agrees(number(&tiny), true));
}

#[test]
fn rounding_to_printed_digits() {
    assert!(number("0.034435890406").rounds_to(number("0.03")));
    assert!(number("42698382.8550").rounds_to(number("42698382.85")));
    assert!(number("42698382.8550").rounds_to(number("42698382.86")));
    assert!(!number("42698382.8551").rounds_to(number("42698382.85")));
}
