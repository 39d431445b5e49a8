use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use datafusion::common::ScalarValue;
use futures::{FutureExt, TryStreamExt};
use pelton_device_cpu::CpuDevice;
use pelton_job::Router;

use crate::plan::{Parameters, Session, SessionOptions};
use crate::scan::ScanContext;

fn session_of(memory_limit: Option<usize>) -> Session {
    let router = Router::builder().device(CpuDevice::builder().threads(2).build()).build();
    let scan = ScanContext::in_tests(router);
    Session::new(SessionOptions { threads: 2, memory_limit, scan, accelerator: None }).expect("a session")
}

fn session() -> Session {
    session_of(None)
}

/// Returns the values of a result, rows by `;` and columns by `,`.
fn text(batches: &[RecordBatch]) -> String {
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| array_value_to_string(column, row));
            rows.push(values.collect::<Result<Vec<_>, _>>().expect("values can be shown").join(","));
        }
    }
    rows.join(";")
}

async fn run_with(session: &Session, sql: &str, parameters: &Parameters) -> Result<String, String> {
    let plan = session.sql_with(sql, parameters).await.map_err(|e| e.to_string())?;
    rows(session, plan).await
}

async fn rows(session: &Session, plan: crate::plan::Plan) -> Result<String, String> {
    let rows = session.run(plan).map_err(|e| e.to_string())?;
    let batches: Vec<RecordBatch> =
        rows.try_collect().await.map_err(|e| crate::error::Error::from(e).to_string())?;
    Ok(text(&batches))
}

async fn run(session: &Session, sql: &str) -> Result<String, String> {
    run_with(session, sql, &Parameters::none()).await
}

async fn ok(session: &Session, sql: &str) -> String {
    run(session, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

async fn fails(session: &Session, sql: &str, part: &str) {
    let error = run(session, sql).await.expect_err(sql);
    assert!(error.contains(part), "{sql}: {error}");
    assert!(!error.contains('\n'), "{sql}: {error}");
}

#[tokio::test]
async fn a_table_has_the_rows_that_were_inserted() {
    let session = session();
    assert_eq!(ok(&session, "CREATE TABLE t (a INT NOT NULL, b VARCHAR)").await, "");
    assert_eq!(ok(&session, "SELECT count(*) FROM t").await, "0");
    assert_eq!(ok(&session, "INSERT INTO t VALUES (1, 'x'), (2, NULL)").await, "2");
    assert_eq!(ok(&session, "INSERT INTO t (b, a) SELECT 'y', 3").await, "1");
    assert_eq!(ok(&session, "SELECT a, b FROM t ORDER BY a").await, "1,x;2,;3,y");
    fails(&session, "INSERT INTO t VALUES (NULL, 'z')", "NOT NULL").await;
    fails(&session, "INSERT INTO t VALUES (4, 'z'), (1 / 0, 'z')", "zero").await;
    fails(&session, "INSERT INTO t VALUES (4)", "2 columns are to be filled").await;
    assert_eq!(ok(&session, "SELECT count(*), max(a) FROM t").await, "3,3");
}

#[tokio::test]
async fn effects_come_with_the_execution() {
    let session = session();
    let plan = session.sql("CREATE TABLE t AS SELECT 1 AS a").await.expect("a plan");
    assert!(session.tables().is_empty());
    assert!(ok(&session, "EXPLAIN CREATE TABLE t AS SELECT 1 AS a").await.contains("CREATE TABLE t"));
    assert!(session.tables().is_empty());
    assert_eq!(rows(&session, plan).await, Ok("1".to_owned()));
    ok(&session, "EXPLAIN INSERT INTO t VALUES (2)").await;
    ok(&session, "EXPLAIN DROP TABLE t").await;
    assert_eq!(ok(&session, "SELECT * FROM t").await, "1");
    ok(&session, "EXPLAIN ANALYZE INSERT INTO t VALUES (2)").await;
    assert_eq!(ok(&session, "SELECT sum(a) FROM t").await, "3");
}

#[tokio::test]
async fn a_running_query_keeps_its_rows() {
    let session = session();
    ok(&session, "CREATE TABLE t AS SELECT 1 AS a").await;
    let plan = session.sql("SELECT sum(a) FROM t").await.expect("a plan");
    ok(&session, "INSERT INTO t VALUES (10)").await;
    let started = session.run(plan).expect("it starts");
    ok(&session, "DROP TABLE t").await;
    let batches: Vec<RecordBatch> = started.try_collect().await.expect("rows");
    assert_eq!(text(&batches), "1");
}

#[tokio::test]
async fn views_see_the_tables_of_their_readers() {
    let session = session();
    ok(&session, "CREATE TABLE t AS SELECT 1 AS a").await;
    ok(&session, "CREATE VIEW v(x) AS SELECT a + 1 FROM t").await;
    ok(&session, "CREATE VIEW w AS SELECT x AS y FROM v, t").await;
    ok(&session, "INSERT INTO t VALUES (10)").await;
    assert_eq!(ok(&session, "SELECT sum(y) FROM w").await, "26");
    assert_eq!(ok(&session, "WITH t AS (SELECT 0 AS a) SELECT sum(x) FROM v, t").await, "13");
    fails(&session, "CREATE OR REPLACE VIEW v AS SELECT * FROM w", "reads itself").await;
    ok(&session, "DROP TABLE t").await;
    fails(&session, "SELECT * FROM w", "in the view w: in the view v").await;
    assert_eq!(ok(&session, "SHOW TABLES").await, "v;w");
}

#[tokio::test]
async fn views_nest_to_a_limit() {
    let session = session();
    ok(&session, "CREATE VIEW v0 AS SELECT 1 AS a").await;
    for depth in 1..32 {
        ok(&session, &format!("CREATE VIEW v{depth} AS SELECT a FROM v{}", depth - 1)).await;
    }
    assert_eq!(ok(&session, "SELECT a FROM v31 JOIN v30 USING (a)").await, "1");
    fails(&session, "CREATE VIEW v32 AS SELECT * FROM v31", "which is the limit").await;
}

#[tokio::test]
async fn a_branch_has_all_names_of_then() {
    let first = session();
    ok(&first, "CREATE TABLE t AS SELECT 1 AS a").await;
    ok(&first, "CREATE VIEW v AS SELECT * FROM t").await;
    ok(&first, "PREPARE p AS SELECT a + $1 FROM v").await;
    let second = first.branch().await.expect("a branch");
    ok(&first, "INSERT INTO t VALUES (5)").await;
    ok(&second, "INSERT INTO t VALUES (7)").await;
    ok(&first, "DEALLOCATE p").await;
    assert_eq!(ok(&second, "EXECUTE p(100)").await, "101;107");
    assert_eq!(ok(&first, "SELECT a FROM v").await, "1;5");
    fails(&first, "EXECUTE p(1)", "no prepared statement p").await;
}

#[tokio::test]
async fn parameters_have_values_of_each_type() {
    let session = session();
    let list = ScalarValue::List(ScalarValue::new_list_nullable(
        &[ScalarValue::Int64(Some(1)), ScalarValue::Int64(None)],
        &arrow::datatypes::DataType::Int64,
    ));
    for (value, shown) in [
        (ScalarValue::from(7i64), "Int64,7"),
        (ScalarValue::from(i64::MIN), "Int64,-9223372036854775808"),
        (ScalarValue::from(u64::MAX), "UInt64,18446744073709551615"),
        (ScalarValue::from(-3i32), "Int32,-3"),
        (ScalarValue::from(0.1f64), "Float64,0.1"),
        (ScalarValue::from(f64::NEG_INFINITY), "Float64,-inf"),
        (ScalarValue::from(true), "Boolean,true"),
        (ScalarValue::from("it's"), "Utf8,it's"),
        (ScalarValue::Decimal128(Some(-5), 9, 2), "Decimal128(9, 2),-0.05"),
        (ScalarValue::Date32(Some(19_782)), "Date32,2024-02-29"),
        (ScalarValue::TimestampMicrosecond(Some(1), None), "Timestamp(µs),1970-01-01T00:00:00.000001"),
        (
            ScalarValue::TimestampSecond(Some(0), Some("+02:00".into())),
            "Timestamp(µs, \"UTC\"),1970-01-01T00:00:00Z",
        ),
        (ScalarValue::Binary(Some(vec![0, 255])), "Binary,00ff"),
        (list, "List(Int64),[1, ]"),
    ] {
        let parameters = Parameters::by_position([value]);
        let found = run_with(&session, "SELECT arrow_typeof($1), $1", &parameters).await;
        assert_eq!(found.as_deref(), Ok(shown));
    }
}

#[tokio::test]
async fn parameters_are_given_by_position_or_name() {
    let session = session();
    let two = Parameters::by_position([ScalarValue::from(1i64), ScalarValue::from(20i64)]);
    // a list in front of FROM is read after it
    for sql in ["SELECT ? - ?", "SELECT $1 - $2", "SELECT a - ? FROM (SELECT ? AS a)"] {
        let expected = if sql.contains("FROM") { "19" } else { "-19" };
        assert_eq!(run_with(&session, sql, &two).await.as_deref(), Ok(expected), "{sql}");
    }
    let named = Parameters::by_name([("x", ScalarValue::from(2i64))]);
    assert_eq!(run_with(&session, "SELECT $x * $x LIMIT $x", &named).await.as_deref(), Ok("4"));
    for (sql, parameters, part) in [
        ("SELECT $1 + $3", &two, "the parameter $3 has no value"),
        ("SELECT ?", &two, "2 values for 1 parameters"),
        ("SELECT 1", &two, "2 values for 0 parameters"),
        ("SELECT $y", &named, "the parameter $y has no value"),
        ("SELECT $1 + ?", &two, "write all in one way"),
        ("SELECT '$1', 1", &named, "a value for $x, and no such parameter"),
    ] {
        let error = run_with(&session, sql, parameters).await.expect_err(sql);
        assert!(error.contains(part), "{sql}: {error}");
    }
    let prepared = session.prepare("SELECT $b + $a").expect("it parses");
    assert_eq!(prepared.parameters(), ["a", "b"]);
    let plan =
        session.execute(&prepared, &Parameters::by_name([("a", 1i64.into()), ("b", 2i64.into())])).await;
    assert_eq!(rows(&session, plan.expect("a plan")).await.as_deref(), Ok("3"));
}

#[tokio::test]
async fn copies_are_prepared_and_secrets_are_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let place = dir.path().join("x.csv").to_str().expect("UTF-8").to_owned();
    let session = session();
    let prepared = session.prepare(&format!("COPY (SELECT $x AS x, 'a' AS y) TO '{place}' (HEADER false)"));
    let prepared = prepared.expect("it parses");
    assert_eq!(prepared.parameters(), ["x"]);
    for x in [1i64, 2] {
        let plan = session.execute(&prepared, &Parameters::by_name([("x", x.into())])).await.expect("a plan");
        assert_eq!(rows(&session, plan).await.as_deref(), Ok("1"));
        assert_eq!(std::fs::read_to_string(&place).expect("a file"), format!("{x},a\n"));
    }
    ok(&session, "CREATE TABLE t (x BIGINT, y VARCHAR)").await;
    let filling = session.prepare(&format!("COPY t FROM '{place}' (HEADER false)")).expect("it parses");
    let plan = session.execute(&filling, &Parameters::none()).await.expect("a plan");
    assert_eq!(rows(&session, plan).await.as_deref(), Ok("1"));
    assert_eq!(ok(&session, "SELECT * FROM t").await, "2,a");
    for sql in ["CREATE SECRET (TYPE s3, KEY_ID 'hush')", "CREATE SECRET (hush", "DROP SECRET hush"] {
        let error = session.prepare(sql).expect_err(sql).to_string();
        assert!(error.contains("neither explained nor prepared") && !error.contains("hush"), "{error}");
    }
}

#[tokio::test]
async fn tables_count_towards_the_memory_limit() {
    let session = session_of(Some(4 << 20));
    let pool = session.context().runtime_env().memory_pool.clone();
    ok(
        &session,
        "CREATE TABLE t AS SELECT value AS a, value * 31 % 1009 AS b FROM generate_series(1, 20000)",
    )
    .await;
    let held = pool.reserved();
    assert!(held > 20_000, "{held}");
    let statement = "CREATE TABLE u AS SELECT CAST(random() AS VARCHAR) AS a FROM generate_series(1, 400000)";
    fails(&session, statement, "out of memory within the limit that was set").await;
    assert_eq!((session.tables(), pool.reserved()), (vec!["t".to_owned()], held));
    assert_eq!(ok(&session, "SELECT count(*), min(a) FROM t").await, "20000,1");
    ok(&session, "DROP TABLE t").await;
    assert_eq!(pool.reserved(), 0);
}

#[tokio::test]
async fn insertions_at_one_time_are_all_there() {
    let session = Arc::new(session());
    ok(&session, "CREATE TABLE t (a BIGINT)").await;
    let inserts = (0..20).map(|n| {
        let session = session.clone();
        tokio::spawn(async move { ok(&session, &format!("INSERT INTO t VALUES ({n})")).await })
    });
    for insert in inserts.collect::<Vec<_>>() {
        assert_eq!(insert.await.expect("no panic"), "1");
    }
    assert_eq!(ok(&session, "SELECT count(*), sum(a) FROM t").await, "20,190");
}

#[tokio::test]
async fn small_insertions_are_merged_in_order() {
    let session = session();
    ok(&session, "CREATE TABLE t (a BIGINT, b VARCHAR NOT NULL)").await;
    for n in 0..60 {
        ok(&session, &format!("INSERT INTO t VALUES ({n}, 'text {n}')")).await;
    }
    let shown = ok(&session, "EXPLAIN SELECT a FROM t").await;
    // a file for each binary digit of the number of rows
    assert!(shown.contains("pelton t (4 files)"), "{shown}");
    let all: Vec<String> = (0..60).map(|n| format!("{n},text {n}")).collect();
    assert_eq!(ok(&session, "SELECT * FROM t").await, all.join(";"));
    assert_eq!(ok(&session, "DESCRIBE t").await, "a,BIGINT,YES;b,VARCHAR,NO");
    ok(&session, "ALTER TABLE t RENAME b TO c").await;
    assert_eq!(ok(&session, "DESCRIBE t").await, "a,BIGINT,YES;c,VARCHAR,NO");
}

#[tokio::test]
async fn row_groups_in_memory_are_pruned() {
    let session = session();
    ok(&session, "CREATE TABLE t AS SELECT value AS a FROM generate_series(1, 5000)").await;
    ok(&session, "INSERT INTO t SELECT value FROM generate_series(5001, 7000)").await;
    ok(&session, "INSERT INTO t SELECT value FROM generate_series(7001, 8000)").await;
    let plan = session.sql("SELECT count(*) FROM t WHERE a BETWEEN 6000 AND 6001").await.expect("a plan");
    let scans = crate::plan::scans(&plan);
    assert_eq!(rows(&session, plan).await.as_deref(), Ok("2"));
    let totals = scans.counters[0].totals();
    assert_eq!((totals.row_groups_read, totals.row_groups_pruned), (1, 2));
    assert!(totals.decompression.keys().any(|(format, _)| *format == "lz4"), "{:?}", totals.decompression);
}

#[tokio::test]
async fn a_stopped_statement_has_no_effect() {
    let session = session();
    let sql =
        "CREATE TABLE t AS SELECT a.value FROM generate_series(1, 100000) a, generate_series(1, 100000) b";
    let plan = session.sql(sql).await.expect("a plan");
    let mut started = session.run(plan).expect("it starts");
    for _ in 0..100 {
        assert!(started.try_next().now_or_never().is_none());
        tokio::task::yield_now().await;
    }
    drop(started);
    assert!(session.tables().is_empty());
}

#[tokio::test]
async fn settings_take_the_values_of_parameters() {
    let session = session();
    let value = |value: ScalarValue| Parameters::by_position([value]);
    for (sql, parameters, expected) in [
        ("SET threads = ?", value(ScalarValue::from(3_i64)), "3"),
        ("SET threads TO $1", value(ScalarValue::from("2")), "2"),
        ("PRAGMA threads = $1", value(ScalarValue::Int16(Some(4))), "4"),
        ("SET threads = $n", Parameters::by_name([("n", ScalarValue::from(5_i64))]), "5"),
    ] {
        run_with(&session, sql, &parameters).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(ok(&session, "SHOW threads").await, expected, "{sql}");
        let prepared = session.prepare(sql).expect(sql);
        let plan = session.execute(&prepared, &parameters).await.expect(sql);
        rows(&session, plan).await.expect(sql);
    }
    ok(&session, "PREPARE s(INTEGER) AS SET threads = $1").await;
    ok(&session, "EXECUTE s('6')").await;
    assert_eq!(ok(&session, "SHOW threads").await, "6");
    for (sql, parameters, part) in [
        ("SET threads = $1", Parameters::none(), "the parameter $1 has no value"),
        ("SET threads = ?", value(ScalarValue::Null), "the value of ? is none that this statement takes"),
        ("SET threads = ?", value(ScalarValue::from("x")), "threads is a whole number"),
        ("SET threads = 2", value(ScalarValue::from(2_i64)), "there are 1 values for 0 parameters"),
        ("RESET threads", value(ScalarValue::from(2_i64)), "there are 1 values for 0 parameters"),
        ("SET s3_secret_access_key = $2", value(ScalarValue::from("s")), "the parameter $2 has no value"),
    ] {
        let error = run_with(&session, sql, &parameters).await.expect_err(sql);
        assert!(error.contains(part), "{sql}: {error}");
    }
    assert_eq!(ok(&session, "SHOW threads").await, "6");
}

#[tokio::test]
async fn secrets_take_the_values_of_parameters() {
    let session = session();
    let parameters = Parameters::by_position(["key", "hidden words"].map(ScalarValue::from));
    let sql = "CREATE SECRET mine (TYPE s3, KEY_ID $1, SECRET $2)";
    assert_eq!(run_with(&session, sql, &parameters).await.as_deref(), Ok("mine"));
    let error = run(&session, sql).await.expect_err("no values");
    assert!(error.contains("the parameter $1 has no value") && !error.contains("hidden"), "{error}");
    assert_eq!(ok(&session, "DROP SECRET IF EXISTS mine").await, "mine");
    assert_eq!(ok(&session, "DROP SECRET IF EXISTS mine").await, "");
}
