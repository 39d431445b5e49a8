use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::empty::EmptyTable;
use datafusion::sql::sqlparser::ast::Statement;
use datafusion::sql::sqlparser::parser::Parser;
use futures::TryStreamExt;
use pelton_job::Router;

use super::Mentions;
use crate::plan::sql::parse::PeltonDialect;
use crate::plan::{Session, SessionOptions};
use crate::scan::ScanContext;

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

#[tokio::test]
async fn plans_begin_with_the_columns_that_are_mentioned() {
    let scan = ScanContext::in_tests(Router::builder().build());
    let options = SessionOptions { threads: 1, memory_limit: None, scan, accelerator: None };
    let session = Session::new(options).expect("a session");
    let columns = ["a", "b", "c"].map(|name| Field::new(name, DataType::Int64, false));
    let table = EmptyTable::new(Arc::new(Schema::new(columns.to_vec())));
    session.context().register_table("t", Arc::new(table)).expect("a table");
    let view = "CREATE VIEW v AS SELECT max(c) AS b FROM t";
    let created = session.run(session.sql(view).await.expect(view)).expect(view);
    created.try_collect::<Vec<_>>().await.expect(view);
    for (sql, expected) in [
        ("SELECT a FROM t WHERE B > 1", vec!["TableScan: t projection=[a, b]"]),
        ("SELECT count(*) FROM t", vec!["TableScan: t projection=[a]"]),
        ("SELECT * FROM t", vec!["TableScan: t"]),
        // a view is planned by its own mentions
        (
            "SELECT t.a FROM t, v WHERE t.b = v.b",
            vec!["TableScan: t projection=[a, b]", "TableScan: t projection=[c]"],
        ),
    ] {
        let plan = session.text(sql).await.expect(sql).display_indent().to_string();
        let scans: Vec<&str> =
            plan.lines().map(str::trim).filter(|line| line.starts_with("TableScan")).collect();
        assert_eq!(scans, expected, "{sql}: {plan}");
    }
}
