use super::Mentions;
use crate::plan::sql::parse::PeltonDialect;
use datafusion::sql::sqlparser::ast::Statement;
use datafusion::sql::sqlparser::parser::Parser;

/// Returns the columns and the whole tables that a query mentions, in order.
fn mentions(sql: &str) -> Option<(Vec<String>, Vec<String>)> {
    let mut statements = Parser::parse_sql(&PeltonDialect, sql).expect("a statement");
    let Some(Statement::Query(query)) = statements.pop() else { panic!("{sql} is no query") };
    Mentions::of(&query).map(|Mentions { columns, whole }| {
        let mut columns: Vec<String> = columns.iter().cloned().collect();
        let mut whole: Vec<String> = whole.into_iter().collect();
        columns.sort();
        whole.sort();
        (columns, whole)
    })
}

#[test]
fn names_are_found_anywhere() {
    let (columns, whole) = mentions(
        "WITH c AS (SELECT A, count(*) FROM t GROUP BY a) SELECT x.b FROM c JOIN u AS x USING (k) JOIN w ON \
         x.l = \"M\" WHERE EXISTS (SELECT * FROM v WHERE v.n > x.o) ORDER BY sum(p) OVER (PARTITION BY q)",
    )
    .expect("mentions");
    assert_eq!(columns, ["a", "b", "k", "l", "m", "n", "o", "p", "q", "v", "x"]);
    assert!(whole.is_empty(), "{whole:?}");
}

#[test]
fn tables_are_whole_where_columns_are_meant_without_names() {
    for (sql, expected) in [
        ("SELECT * FROM t, u AS x WHERE a IN (SELECT b FROM v)", vec!["t", "u"]),
        ("SELECT x.* FROM (t CROSS JOIN u) AS x", vec!["t", "u"]),
        ("SELECT a FROM t AS x(a, b), u", vec!["t"]),
        ("SELECT a FROM (SELECT * FROM t) UNION ALL SELECT b FROM u", vec!["t"]),
        ("SELECT a FROM t WHERE b IN (SELECT * FROM u)", vec!["u"]),
        ("SELECT a FROM t WHERE EXISTS (SELECT DISTINCT * FROM u OFFSET 1)", vec!["u"]),
        ("SELECT a FROM t WHERE EXISTS (SELECT * FROM u GROUP BY ALL HAVING count(*) > 1)", vec!["u"]),
        ("SELECT a FROM t TABLESAMPLE BERNOULLI (10) REPEATABLE (1)", vec!["t"]),
    ] {
        assert_eq!(
            mentions(sql).map(|(_, whole)| whole),
            Some(expected.into_iter().map(String::from).collect())
        );
    }
}

#[test]
fn some_queries_may_mean_any_column() {
    for sql in [
        "SELECT a FROM t NATURAL JOIN u",
        "SELECT a FROM t UNION TABLE u",
        "SELECT max(t.*) FROM t",
        "SELECT list(*) FROM t",
    ] {
        assert_eq!(mentions(sql), None, "{sql}");
    }
}
