use super::*;

fn of(sql: &str) -> usize {
    depth(&Tokenizer::new(&GenericDialect {}, sql).tokenize().expect("tokens"))
}

#[test]
fn chains_count_their_operators_and_what_is_within() {
    assert_eq!(of("SELECT a"), 0);
    assert_eq!(of("SELECT a + b + c, a + b"), 2);
    assert_eq!(of("SELECT (a + b) * (c - d - e)"), 3);
    assert_eq!(of("SELECT f(a + 1, b), x || 'y'"), 1);
    assert_eq!(of("SELECT a FROM t WHERE a = 1 OR a = 2 OR NOT a IS NULL"), 4);
    assert_eq!(of("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"), 2);
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
    assert!(check(&format!("SELECT a{}", "+a".repeat(MAX_DEPTH))).is_ok());
    let error = check(&format!("SELECT a{}", "+a".repeat(MAX_DEPTH + 1))).expect_err("too deep").to_string();
    assert!(error.contains("4001 operators deep") && error.contains("IN (...)"), "{error}");
}
