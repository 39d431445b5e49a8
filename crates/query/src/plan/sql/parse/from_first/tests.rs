use datafusion::sql::sqlparser::tokenizer::Tokenizer;

use super::super::dialect::PeltonDialect;
use super::*;

fn completed(sql: &str) -> String {
    let mut tokens = Tokenizer::new(&PeltonDialect, sql).tokenize_with_location().expect("tokens");
    complete(&mut tokens);
    tokens.iter().map(|token| token.token.to_string()).collect()
}

#[test]
fn queries_that_begin_with_from_get_a_select() {
    for (sql, complete_sql) in [
        ("FROM t", "SELECT * FROM t"),
        ("from t WHERE a > 1 ORDER BY b LIMIT 1", "SELECT * from t WHERE a > 1 ORDER BY b LIMIT 1"),
        ("FROM t UNION ALL FROM u;", "SELECT * FROM t UNION ALL SELECT * FROM u;"),
        ("SELECT a FROM (FROM t) s", "SELECT a FROM (SELECT * FROM t) s"),
        ("FROM (FROM t), u", "SELECT * FROM (SELECT * FROM t), u"),
        (
            "WITH c AS (FROM t), d AS (SELECT 1) FROM c",
            "WITH c AS (SELECT * FROM t), d AS (SELECT 1) SELECT * FROM c",
        ),
        ("EXPLAIN ANALYZE FROM t", "EXPLAIN ANALYZE SELECT * FROM t"),
        ("TABLE t ORDER BY a", "SELECT * FROM t ORDER BY a"),
        ("WITH c AS (TABLE t) TABLE c", "WITH c AS (SELECT * FROM t) SELECT * FROM c"),
        ("TABLE t UNION ALL (TABLE u)", "SELECT * FROM t UNION ALL (SELECT * FROM u)"),
        ("CREATE VIEW v AS TABLE t", "CREATE VIEW v AS SELECT * FROM t"),
        ("INSERT INTO t TABLE u", "INSERT INTO t SELECT * FROM u"),
        ("INSERT INTO t (a, b) FROM u", "INSERT INTO t (a, b) SELECT * FROM u"),
        ("DESCRIBE FROM t", "DESCRIBE SELECT * FROM t"),
        ("CREATE VIEW v (a) AS FROM t", "CREATE VIEW v (a) AS SELECT * FROM t"),
        (
            "CREATE TABLE c AS WITH a AS (SELECT 1) FROM a",
            "CREATE TABLE c AS WITH a AS (SELECT 1) SELECT * FROM a",
        ),
        ("FROM t\nWHERE a IN (FROM u SELECT b)", "SELECT * FROM t\nWHERE a IN (FROM u SELECT b)"),
        ("SELECT 'é' -- é\n, EXISTS (FROM t)", "SELECT 'é' -- é\n, EXISTS (SELECT * FROM t)"),
        ("FROM t UNION ALL BY NAME FROM u", "SELECT * FROM t UNION ALL BY NAME SELECT * FROM u"),
        ("FROM t UNION BY NAME (FROM u)", "SELECT * FROM t UNION BY NAME (SELECT * FROM u)"),
        ("SELECT name(FROM t)", "SELECT name(FROM t)"),
        ("DESCRIBE (FROM t)", "DESCRIBE (SELECT * FROM t)"),
        ("INSERT INTO t (TABLE u)", "INSERT INTO t (SELECT * FROM u)"),
        ("FROM t LIMIT (FROM u)", "SELECT * FROM t LIMIT (SELECT * FROM u)"),
        ("PIVOT (FROM t) ON a", "PIVOT (SELECT * FROM t) ON a"),
        ("FROM t UNION BY NAME TABLE u", "SELECT * FROM t UNION BY NAME SELECT * FROM u"),
        ("(FROM t) UNION (FROM u)", "(SELECT * FROM t) UNION (SELECT * FROM u)"),
    ] {
        assert_eq!(completed(sql), complete_sql);
    }
}

#[test]
fn other_froms_stay() {
    for sql in [
        "SELECT a FROM t",
        "FROM t SELECT a WHERE a > 1",
        "SELECT trim(FROM ' a '), extract(year FROM d), substring(s FROM 2) FROM t",
        "SELECT (a IS DISTINCT FROM b), (a) FROM t",
        "WITH c AS (SELECT 1) SELECT a FROM c",
        "SELECT a FROM t WHERE (a, b) IN (SELECT c, d FROM u)",
        "INSERT INTO t SELECT trim(FROM a) FROM u",
        "CREATE VIEW v AS SELECT extract(year FROM d) AS y FROM t",
    ] {
        assert_eq!(completed(sql), sql);
    }
}
