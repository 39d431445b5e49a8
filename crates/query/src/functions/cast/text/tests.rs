use super::*;

#[test]
fn fractions_and_exponents_are_rounded() {
    for (text, expected) in [
        ("1.5", "2"),
        ("2.5", "3"),
        ("-2.5", "-3"),
        ("2.49", "2"),
        ("+.5", "1"),
        ("0.05", "0"),
        ("1e3", "1000"),
        ("12.5e-1", "1"),
        ("5e-1", "1"),
        ("5e-2", "0"),
        ("0.0015e4", "15"),
        ("7.", "7"),
    ] {
        assert_eq!(rounded(text, 0).as_deref(), Some(expected), "{text}");
    }
    for (text, expected) in [("1e3", "1000.00"), ("-15e-1", "-1.50"), ("1.005e0", "1.01"), ("4e-3", "0.00")] {
        assert_eq!(rounded(text, 2).as_deref(), Some(expected), "{text}");
    }
    for bad in ["", ".", "-", "1e", "1.5x", "1e99", "--1", "1.2.3", "0x10", "1 2"] {
        assert_eq!(rounded(bad, 0), None, "{bad}");
    }
}
