//! Random joins in the order of cost and in the order in which they are written: the rows are the
//! same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::support::text;

/// Statements that make the tables: rows with nulls and duplicates of keys, and one table without
/// rows.
const TABLES: [&str; 4] = [
    "CREATE TABLE small AS SELECT value % 5 AS k, value AS j, 'w' || value % 3 AS s, value * 3 AS v FROM generate_series(1, 7)",
    "CREATE TABLE mid AS SELECT CASE WHEN value % 9 > 0 THEN value % 40 END AS k, value % 30 AS j, 'w' || value % 4 AS s, value AS v \
     FROM generate_series(1, 60)",
    "CREATE TABLE large AS SELECT CASE WHEN value % 11 > 0 THEN value % 300 END AS k, value AS j, 'w' || value % 50 AS s, -value AS v \
     FROM generate_series(1, 900)",
    "CREATE TABLE nothing AS SELECT * FROM mid WHERE v < 0",
];

const QUERIES: usize = 200;

/// Divisor of the least number of queries with two plans, so that a rule without effect is noticed.
const LEAST_CHANGED: usize = 5;

fn query(random: &mut Random) -> String {
    let count = 3 + random.below(5);
    let mut from = String::new();
    let mut conditions = Vec::new();
    for index in 0..count {
        let table = match random.below(12) {
            0 => "nothing",
            1..=3 => "small",
            4..=7 => "mid",
            _ => "large",
        };
        if index == 0 {
            from = format!("{table} AS r0");
            continue;
        }
        let other = random.below(index);
        let (a, b) = (random.pick(&["k", "j"]), random.pick(&["k", "j"]));
        let on = match random.below(10) {
            0 => format!("r{index}.{a} IS NOT DISTINCT FROM r{other}.{b} AND r{index}.j = r{other}.j"),
            1 => format!("r{index}.{a} = r{other}.{b} AND r{index}.v < r{}.v", random.below(index)),
            2 => format!("r{index}.{a} = r{other}.{b} AND r{index}.s = r{other}.s"),
            3 => format!("r{index}.{a} = r{other}.{b} + 1"),
            _ => format!("r{index}.{a} = r{other}.{b}"),
        };
        match random.below(8) {
            0 => from.push_str(&format!(" LEFT JOIN {table} AS r{index} ON {on}")),
            1 | 2 => {
                from = format!("({from}) CROSS JOIN {table} AS r{index}");
                conditions.push(on);
            }
            _ => from.push_str(&format!(" JOIN {table} AS r{index} ON {on}")),
        }
    }
    for _ in 0..random.below(3) {
        let index = random.below(count);
        conditions.push(match random.below(4) {
            0 => format!("r{index}.k < {}", random.below(50)),
            1 => format!("r{index}.s = 'w1'"),
            2 => format!("r{index}.k IS NOT NULL"),
            _ => format!("(r{index}.j > 20 OR r{}.j < 10)", random.below(count)),
        });
    }
    let condition = match conditions.is_empty() {
        true => String::new(),
        false => format!(" WHERE {}", conditions.join(" AND ")),
    };
    let sums: Vec<_> = (0..count).map(|index| format!("sum(r{index}.v), min(r{index}.s)")).collect();
    format!("SELECT count(*), {} FROM {from}{condition}", sums.join(", "))
}

#[test]
fn rows_do_not_depend_on_the_order_of_joins() {
    let engine = Engine::builder().threads(2).build().expect("an engine");
    for table in TABLES {
        engine.sql(table).expect("a table");
    }
    let mut random = Random::new(38);
    let (queries, mut changed) = (reduced(QUERIES), 0);
    for _ in 0..queries {
        let sql = query(&mut random);
        let [written, cost] = ["written", "cost"].map(|order| {
            engine.sql(&format!("SET join_order = '{order}'")).expect("a setting");
            let plan = engine.sql(&format!("EXPLAIN {sql}")).unwrap_or_else(|error| panic!("{sql}: {error}"));
            let rows = engine.sql(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
            (text(&plan), text(&rows))
        });
        assert_eq!(written.1, cost.1, "{sql}\n{}\n{}", written.0, cost.0);
        changed += usize::from(written.0 != cost.0);
    }
    assert!(changed * LEAST_CHANGED >= queries, "{changed} of {queries} plans changed");
}

/// Texts have as many values as dictionaries say: half of one table's rows pass a comparison with
/// one of two values, and few of another table's with one of a thousand.
#[test]
fn values_of_texts_decide_the_side_that_is_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let path = |name: &str| format!("'{}/{name}.parquet'", folder.path().display());
    for (name, rows, texts) in [("two", 100_000, 2), ("many", 150_000, 1000)] {
        let rows = format!("SELECT n AS k, 't' || n % {texts} AS s FROM range({rows}) AS t(n)");
        engine.sql(&format!("COPY ({rows}) TO {}", path(name))).expect("a file");
    }
    let sql = format!(
        "EXPLAIN SELECT count(*) FROM {} AS a JOIN {} AS b ON a.k = b.k WHERE a.s = 't1' AND b.s = 't1'",
        path("two"),
        path("many")
    );
    let plan = text(&engine.sql(&sql).expect("a plan"));
    let join = plan.find("HashJoinExec").expect("a join");
    let built = plan[join..].lines().find(|line| line.contains("DataSourceExec")).expect("a scan");
    assert!(built.contains("many.parquet"), "{plan}");
}
