use super::*;

fn refused(clause: Clause, text: &str) -> String {
    clause.check(text).expect_err(text).to_string()
}

#[test]
fn one_expression_and_nothing_else() {
    for good in [
        "a > 5",
        "a = 1 AND (b OR c) -- why",
        "x IN (SELECT y FROM t)",
        "/* all */ true",
        "a ** 2 = 1_000",
        "len(list_filter(a, x -> x > 1)) > 0",
        "'; -- \"' = a",
    ] {
        assert!(Clause::Where.check(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "a > 5) OR (true",
        "a > 5 ORDER BY a",
        "a > 5; DROP TABLE t",
        "a > 5 UNION SELECT 9 --",
        "a >",
        "a, b",
        "(a",
        "'",
        "a /*",
    ] {
        let error = refused(Clause::Where, bad);
        assert!(error.starts_with("the condition is not one expression: "), "{error}");
    }
}

#[test]
fn items_of_select_and_nothing_else() {
    for good in [
        "a",
        "a, b + 1 AS c -- two",
        "*",
        "* EXCLUDE (a), t.*",
        "c: a + 1, [x + 1 FOR x IN b]",
        "count(*) FILTER (WHERE a > 1) AS n, sum(b) OVER (ORDER BY a)",
        "(SELECT 1 UNION SELECT 2 LIMIT 1), a,",
    ] {
        assert!(Clause::Select.check(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "a FROM t",
        "a FROM t UNION SELECT 9 --",
        "a UNION SELECT 9",
        "a INTO u",
        "DISTINCT a",
        "DISTINCT ON (a) b",
        "TOP (5) a",
        "a WHERE b",
        "a GROUP BY b",
        "a LIMIT 1",
        "FROM t",
        "a; SELECT 2",
        "a, (b",
        "a b c",
        "'a",
    ] {
        let error = refused(Clause::Select, bad);
        assert!(error.starts_with("this is not a list of expressions of SELECT: "), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn groups_and_orders_and_nothing_else() {
    for good in ["a", "a % 2, b -- two", "ROLLUP (a, b)", "GROUPING SETS ((a), ())", "ALL", "()"] {
        assert!(Clause::GroupBy.check(good).is_ok(), "{good}");
    }
    for bad in ["", "a HAVING false", "a ORDER BY a", "a UNION SELECT 1", "a DESC", "a; SELECT 1", "a)"] {
        let error = refused(Clause::GroupBy, bad);
        assert!(error.starts_with("this is not a list of expressions of GROUP BY: "), "{error}");
    }
    for good in ["a", "a DESC NULLS LAST, b -- two", "ALL DESC", "(SELECT 1 LIMIT 1)"] {
        assert!(Clause::OrderBy.check(good).is_ok(), "{good}");
    }
    for bad in ["", "a LIMIT 1 --", "a OFFSET 5", "a DESC DESC", "a FOR UPDATE", "a; SELECT 1", "a)"] {
        let error = refused(Clause::OrderBy, bad);
        assert!(error.starts_with("this is not a list of expressions of ORDER BY: "), "{error}");
    }
}

#[test]
fn errors_have_the_places_of_the_text() {
    let error = refused(Clause::Select, "a, b +");
    assert!(error.ends_with("it ends behind +, and needs an expression there"), "{error}");
    let error = refused(Clause::OrderBy, "a ? b");
    assert!(error.ends_with("at Line: 1, Column: 3"), "{error}");
}
