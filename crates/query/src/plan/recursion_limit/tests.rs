use super::*;

fn depths(sql: &str) -> Depth {
    depth(&Tokenizer::new(&GenericDialect {}, sql).tokenize().expect("tokens"))
}

fn of(sql: &str) -> usize {
    depths(sql).operators
}

fn refusal(sql: &str) -> String {
    check(sql).expect_err("it is too deep").to_string()
}

#[test]
fn chains_count_their_operators_and_what_is_within() {
    assert_eq!(of("SELECT a"), 0);
    assert_eq!(of("SELECT a + b + c, a + b"), 2);
    assert_eq!(of("SELECT (a + b) * (c - d - e)"), 3);
    assert_eq!(of("SELECT f(a + 1, b), x || 'y'"), 1);
    assert_eq!(of("SELECT a FROM t WHERE a = 1 OR a = 2 OR NOT a IS NULL"), 4);
    assert_eq!(depths("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 + 4").sets, 2);
    assert_eq!(of("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 + 4"), 1);
    assert_eq!(of("SELECT a FROM t WHERE a BETWEEN 1 AND 2 OR a BETWEEN 3 AND 4"), 2);
    assert_eq!(of("SELECT - - - a"), 3);
}

#[test]
fn lists_are_not_deep() {
    let list = vec!["-17"; 100_000].join(", ");
    assert!(check(&format!("SELECT * FROM t WHERE a IN ({list})")).is_ok());
    let rows = vec!["(1 + 2, 'x')"; 10_000].join(", ");
    assert!(check(&format!("SELECT * FROM (VALUES {rows})")).is_ok());
    assert!(check(&format!("SELECT '{}'", "+ a".repeat(10_000))).is_ok());
}

#[test]
fn a_chain_beyond_the_limit_is_an_error_that_says_what_to_do() {
    assert!(check(&format!("SELECT a{}", " OR a".repeat(MAX_DEPTH))).is_ok());
    let error = refusal(&format!("SELECT a{}", " OR a".repeat(MAX_DEPTH + 1)));
    assert!(error.contains("4001 operators deep") && error.contains("IN (...)"), "{error}");
    assert!(check(&format!("SELECT a{}", "+a".repeat(MAX_CHAIN))).is_ok());
    let error = refusal(&format!("SELECT a{}", "+a".repeat(MAX_CHAIN + 1)));
    assert!(error.contains("a chain of 1001 operators") && error.contains("aggregate"), "{error}");
    assert!(check(&vec!["SELECT 1"; MAX_SETS].join(" UNION ALL ")).is_ok());
    let error = refusal(&vec!["SELECT 1"; MAX_SETS + 2].join(" UNION ALL "));
    assert!(error.contains("a chain of 10001 set operations"), "{error}");
}

#[test]
fn parts_of_case_are_not_deep() {
    let whens: String = (0..20_000).map(|number| format!(" WHEN a = {number} THEN a + {number}")).collect();
    assert!(check(&format!("SELECT CASE{whens} ELSE 0 END + 1")).is_ok());
    assert_eq!(depths("SELECT CASE WHEN a THEN CASE b WHEN 1 THEN (2) END END, (3)").nesting, 3);
}

#[test]
fn nesting_beyond_the_limit_is_an_error_that_says_what_to_do() {
    for (before, after) in [
        ("(", ")"),
        ("[", "]"),
        ("f(", ")"),
        ("NOT ", ""),
        ("- ", ""),
        ("CAST(", " AS INT)"),
        ("CASE WHEN a THEN ", " END"),
        ("(SELECT ", ")"),
    ] {
        let nested =
            |levels: usize| format!("SELECT {}a{} FROM t", before.repeat(levels), after.repeat(levels));
        assert_eq!(depths(&nested(MAX_NESTING)).nesting, MAX_NESTING, "{before}");
        assert!(check(&nested(MAX_NESTING)).is_ok(), "{before}");
        let error = refusal(&nested(MAX_NESTING + 1));
        assert!(error.contains("nested too deep") && error.contains("100 levels"), "{before}: {error}");
    }
}
