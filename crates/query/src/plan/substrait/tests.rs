use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use futures::TryStreamExt;
use pelton_device_cpu::CpuDevice;
use pelton_job::Router;

use super::SubstraitOptions;
use crate::error::Error;
use crate::plan::{Plan, Session, SessionOptions};
use crate::scan::ScanContext;

const TABLES: [&str; 2] = [
    "CREATE TABLE t AS SELECT * FROM (VALUES
        (1, 0.0::DOUBLE, 'a', DATE '2024-01-01', true, [1, 2]),
        (2, -0.0::DOUBLE, 'b', DATE '2024-01-02', false, [3]),
        (3, 'NaN'::DOUBLE, 'a', DATE '2024-01-03', NULL, NULL),
        (4, 1.5::DOUBLE, NULL, DATE '2024-01-04', true, [4]),
        (NULL, NULL, 'b', DATE '2024-01-05', false, [5])) v(id, x, g, d, b, l)",
    "CREATE TABLE u AS SELECT * FROM (VALUES
        (2, 0.0::DOUBLE, 'a'), (3, 2.0::DOUBLE, 'z'), (NULL, NULL, NULL), (7, 4.0::DOUBLE, 'b')) v(id, y, g)",
];

async fn session() -> Session {
    let router = Router::builder().device(CpuDevice::builder().threads(2).build()).build();
    let scan = ScanContext::in_tests(router);
    let options = SessionOptions { threads: 2, memory_limit: None, scan, accelerator: None };
    let session = Session::new(options).expect("a session");
    for table in TABLES {
        let plan = session.sql(table).await.expect("a statement");
        rows(&session, plan).await;
    }
    session
}

/// Returns the names of the columns, and the rows in the order of their texts.
async fn rows(session: &Session, plan: Plan) -> (Vec<String>, Vec<String>) {
    let names = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
    let batches = session.run(plan).expect("a running plan").try_collect::<Vec<RecordBatch>>().await;
    let mut rows = Vec::new();
    for batch in batches.expect("rows") {
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| array_value_to_string(column, row));
            rows.push(values.collect::<Result<Vec<_>, _>>().expect("values with texts").join(","));
        }
    }
    rows.sort();
    (names, rows)
}

async fn read(session: &Session, plan: &str) -> Result<(Vec<String>, Vec<String>), Error> {
    let plan = session.substrait(plan.as_bytes(), SubstraitOptions::default()).await?;
    Ok(rows(session, plan).await)
}

#[tokio::test]
async fn plans_of_sql_are_read_again() {
    let session = session().await;
    for query in [
        // conditions of joins
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u)",
        "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE id > 100)",
        "SELECT EXISTS (SELECT 1 FROM u) FROM t",
        "SELECT t.id, u.id FROM t LEFT JOIN u ON true",
        "SELECT t.id, u.id FROM t FULL JOIN u ON true",
        "SELECT id, y FROM t LEFT JOIN u USING (id)",
        "SELECT id, y FROM t FULL JOIN u USING (id)",
        // subqueries
        "SELECT id, (SELECT y FROM u WHERE u.id = t.id) FROM t",
        "SELECT id, (SELECT max(y) FROM u) FROM t",
        "SELECT id FROM t WHERE id NOT IN (SELECT id FROM u)",
        "SELECT id FROM t WHERE id NOT IN (SELECT id FROM u WHERE id IS NOT NULL)",
        "SELECT id FROM t WHERE x NOT IN (SELECT y FROM u WHERE y IS NOT NULL) AND g = 'a'",
        "SELECT id FROM t WHERE (id, g) NOT IN (SELECT id, g FROM u)",
        "SELECT id, id IN (SELECT id FROM u), g IN (SELECT g FROM u) FROM t",
        // floats
        "SELECT count(DISTINCT x) FROM t",
        "SELECT DISTINCT x = 0 FROM t",
        "SELECT id, sum(id) OVER (ORDER BY x) FROM t",
        "SELECT id, rank() OVER (PARTITION BY x ORDER BY x DESC, g) FROM t",
        "SELECT CASE x WHEN 0 THEN 'zero' ELSE g END, x / 0, nullif(x, 0) FROM t",
        "SELECT x FROM t EXCEPT ALL SELECT y FROM u",
        "SELECT t.id, u.y FROM t JOIN u ON x = y",
        // columns of equal names
        "SELECT id / 2, id // 2 FROM t",
        "SELECT id, id, g, x AS g FROM t",
        "SELECT 1, 1",
        "SELECT a.id, b.id FROM t a JOIN t b ON a.id = b.id",
        // structs
        "SELECT {'a': 1, 'b': 'x'} AS k",
        "SELECT k['a'], count(*) FROM (SELECT {'a': 1, 'b': {'c': 2}} AS k FROM t) GROUP BY k['a']",
        "SELECT k.b.c FROM (SELECT {'a': 1, 'b': {'c': 2}} AS k FROM t)",
        "SELECT [{'a': id, 'b': g}] AS k FROM t",
        "SELECT {'a': 1} AS k UNION ALL SELECT {'a': 2}",
        "SELECT k.a FROM (VALUES ({'a': 1}), ({'a': 2})) v(k)",
        // windows and aggregates
        "SELECT id, sum(id) OVER (ORDER BY d ROWS BETWEEN 0 PRECEDING AND 1 FOLLOWING) FROM t",
        "SELECT g, sum(count(*)) OVER () FROM t GROUP BY g",
        "SELECT DISTINCT ON (g) g, id FROM t ORDER BY g, id",
        "SELECT id FROM t WHERE g LIKE 'a\\%' OR g LIKE 'a' ESCAPE '\\'",
    ] {
        let plan = session.sql(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        let expected = rows(&session, plan).await;
        let json = session.to_substrait_json(query).await;
        let json = json.unwrap_or_else(|error| panic!("{query}: {error}"));
        let found = read(&session, &json).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(found, expected, "{query}");
        assert!(!json.contains("canonical_"), "{query}");
    }
}

/// Statements without a plan, and words of the errors: all have one cause, and say what to write.
#[tokio::test]
async fn statements_without_a_plan_say_why_in_a_line() {
    let session = session().await;
    let mut wrong = Vec::new();
    for (statement, words) in [
        ("SELECT unnest(l) FROM t", "unnest has no form"),
        ("SELECT * FROM t, unnest(t.l) AS k(e)", "unnest has no form"),
        (
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r",
            "WITH RECURSIVE r has no form",
        ),
        ("SELECT * FROM range(5)", "range() in FROM has no form"),
        ("SELECT (SELECT sum(value) FROM generate_series(1, 3)) FROM t", "generate_series() in FROM"),
        ("SELECT count(*) FILTER (WHERE id > 2) OVER () FROM t", "count(CASE WHEN"),
        ("SELECT count(DISTINCT g) OVER () FROM t", "join with a GROUP BY"),
        ("SELECT lag(id) IGNORE NULLS OVER (ORDER BY d) FROM t", "lag IGNORE NULLS"),
        ("SELECT first_value(id ORDER BY d) IGNORE NULLS FROM t", "FILTER (WHERE"),
        ("SELECT sum(id) OVER (ORDER BY id GROUPS 1 PRECEDING) FROM t", "write ROWS or RANGE"),
        ("SELECT sum(id) OVER (ORDER BY id RANGE 1 PRECEDING) FROM t", "RANGE with an offset"),
        ("SELECT sum(id) OVER (ORDER BY d RANGE INTERVAL '1' DAY PRECEDING) FROM t", "RANGE with an offset"),
        ("SELECT sum(id) OVER (ORDER BY d RANGE INTERVAL 1 DAY PRECEDING) FROM t", "RANGE with an offset"),
        ("SELECT sum(id) OVER (ORDER BY id RANGE id PRECEDING) FROM t", "write 3 PRECEDING"),
        ("SELECT id FROM t WHERE g LIKE 'a!' ESCAPE '!'", "LIKE with ESCAPE '!'"),
        ("SELECT CAST({'a': id} AS STRUCT<a DOUBLE>) FROM t", "a cast to STRUCT"),
        ("SELECT {'a': id} < {'a': 2} FROM t", "nested_order"),
        ("SELECT id FROM t WHERE id = $1", "give the value of $1"),
        ("SELECT id FROM t LIMIT (SELECT 2)", "LIMIT takes a number"),
        ("SELECT id FROM t OFFSET (SELECT 2)", "OFFSET takes a number"),
        ("SELECT sum(count(*) OVER ()) FROM t", "window"),
        ("SELECT sum(sum(id)) FROM t", "sum"),
        ("SELECT id FROM t WHERE sum(id) > 1", "HAVING"),
        ("SELECT id FROM t WHERE row_number() OVER () = 1", "QUALIFY"),
        ("SELECT nothing FROM t", "nothing"),
        ("SELECT no_function(id) FROM t", "no_function"),
        ("SELECT id + g FROM t WHERE b + 1", ""),
        ("SELECT upper(1, 2, 3)", "upper"),
        ("SELECT (SELECT id, g FROM t)", "column"),
        ("SELECT grouping(id) FROM t", "grouping"),
        ("SELECT * FROM nowhere", "nowhere"),
        ("SELECT 1; SELECT 2", "one at a time"),
        ("EXPLAIN SELECT 1", "give a SELECT"),
        ("DROP TABLE t", "give a SELECT"),
        ("SELEC", "parse"),
        ("", "the query is empty"),
    ] {
        let error = session.to_substrait(statement).await.expect_err(statement).to_string();
        // a brace belongs to a struct that the error advises
        let plain = error.replace("{'a': ", "");
        let is_dump =
            ["Some(", "None", "Expr::", "Column(", "Value(", "DFSchema", "{", "\n", "internal error"]
                .into_iter()
                .any(|mark| plain.contains(mark));
        if !error.contains(words) || is_dump || error.len() > 300 {
            wrong.push(format!("{statement}: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn forms_that_the_consumer_misreads_are_refused() {
    let session = session().await;
    let window = |bounds: &str, function: &str| {
        format!("SELECT {function} OVER (ORDER BY d ROWS BETWEEN {bounds}) AS s FROM t")
    };
    let both = "1 PRECEDING AND CURRENT ROW";
    let (ascending, rows_of) = ("SORT_DIRECTION_ASC_NULLS_LAST", "BOUNDS_TYPE_ROWS");
    for (query, from, to, words) in [
        (
            "SELECT id FROM t ORDER BY id",
            ascending,
            "SORT_DIRECTION_CLUSTERED",
            "sorts with direction CLUSTERED",
        ),
        (
            "SELECT id FROM t ORDER BY id",
            ascending,
            "SORT_DIRECTION_UNSPECIFIED",
            "a SortField has no direction",
        ),
        ("SELECT id FROM t ORDER BY id", &format!("\"{ascending}\""), "9", "sorts with direction 9"),
        (
            "SELECT id FROM t ORDER BY id",
            &format!("\"direction\": \"{ascending}\""),
            "\"comparisonFunctionReference\": 1",
            "sorts by a comparison function",
        ),
        ("SELECT string_agg(g, ',' ORDER BY id) FROM t", ascending, "SORT_DIRECTION_CLUSTERED", "CLUSTERED"),
        (&window(both, "sum(id)"), ascending, "SORT_DIRECTION_UNSPECIFIED", "a SortField has no direction"),
        (&window(both, "sum(id)"), rows_of, "BOUNDS_TYPE_RANGE", "sum over a RANGE with an offset"),
        (
            &window(both, "sum(id)"),
            rows_of,
            "BOUNDS_TYPE_UNSPECIFIED",
            "sum over a window without a bounds_type",
        ),
        (&window(both, "sum(id)"), &format!("\"{rows_of}\""), "7", "bounds_type 7"),
        (&window(both, "sum(id)"), "\"offset\": \"1\"", "\"offset\": \"-1\"", "is -1 rows preceding"),
        (&window(both, "sum(id)"), "\"currentRow\": {}", "", "the upper_bound of sum has no kind"),
    ] {
        let json = session.to_substrait_json(query).await.expect(query);
        assert!(json.contains(from), "{query}: {json}");
        let error = read(&session, &json.replace(from, to)).await.expect_err(query);
        assert!(matches!(error, Error::Query(_)), "{query}: {error}");
        assert!(error.to_string().contains(words), "{query}: {error}");
    }
    // both have one meaning
    let whole = window("UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", "sum(id)");
    for (query, first) in [(whole.as_str(), "10"), (&window(both, "row_number()"), "1")] {
        let json = session.to_substrait_json(query).await.expect(query);
        let found = read(&session, &json.replace(rows_of, "BOUNDS_TYPE_UNSPECIFIED")).await.expect(query);
        assert_eq!(found.1.first().map(String::as_str), Some(first), "{query}");
    }
}

#[tokio::test]
async fn calls_without_their_arguments_are_refused() {
    let session = session().await;
    for query in [
        "SELECT first_value(g) OVER (ORDER BY d) FROM t",
        "SELECT lag(g) OVER (ORDER BY d) FROM t",
        "SELECT upper(g) FROM t",
        "SELECT abs(id) FROM t",
        "SELECT max(id) FROM t",
        "SELECT round(x) FROM t",
    ] {
        let json = session.to_substrait_json(query).await.expect(query);
        let mut plan: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let removed = without(&mut plan, "arguments");
        assert_eq!(removed, 1, "{query}: {json}");
        let error = read(&session, &plan.to_string()).await.expect_err(query);
        assert!(matches!(error, Error::Query(_)), "{query}: {error}");
    }
}

/// Removes a field wherever it is, and returns how often that was.
fn without(json: &mut serde_json::Value, field: &str) -> usize {
    match json {
        serde_json::Value::Object(fields) => {
            let own = usize::from(fields.remove(field).is_some());
            own + fields.values_mut().map(|value| without(value, field)).sum::<usize>()
        }
        serde_json::Value::Array(values) => values.iter_mut().map(|value| without(value, field)).sum(),
        _ => 0,
    }
}

#[tokio::test]
async fn sorts_without_keys_are_refused() {
    let session = session().await;
    for query in ["SELECT id FROM t ORDER BY id", "SELECT id FROM t ORDER BY id LIMIT 2"] {
        let json = session.to_substrait_json(query).await.expect(query);
        let mut plan: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(without(&mut plan, "sorts"), 1, "{json}");
        let error = read(&session, &plan.to_string()).await.expect_err(query).to_string();
        assert!(error.contains("a SortRel has no sorts"), "{query}: {error}");
    }
}
