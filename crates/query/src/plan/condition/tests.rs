use super::*;

#[test]
fn one_expression_and_nothing_else() {
    for good in ["a > 5", "a = 1 AND (b OR c) -- why", "x IN (SELECT y FROM t)", "/* all */ true"] {
        assert!(check_condition(good).is_ok(), "{good}");
    }
    for bad in ["", "a > 5) OR (true", "a > 5 ORDER BY a", "a > 5; DROP TABLE t", "a >", "a, b", "(a", "'"] {
        let error = check_condition(bad).expect_err(bad).to_string();
        assert!(error.starts_with("the condition is not one expression: "), "{error}");
    }
}
