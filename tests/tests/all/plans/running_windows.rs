//! Random window functions, computed batch by batch and row by row: the results are the same.

use pelton::Engine;
use pelton_random::{Random, reduced};

use crate::plans::plan_and_rows;
use crate::sql::{Configuration, Runner};
use crate::support::{lines, text};

/// Statements that make the tables: `u` is unique, the others have nulls, equal values, and one
/// key of a third of the rows. Doubles are exact in any order of addition.
const TABLES: [&str; 3] = [
    "CREATE TABLE many AS SELECT CASE WHEN value % 3 = 0 THEN 0 WHEN value % 7 > 0 THEN value % 900 END AS p, \
     CASE value % 6 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'w' || value % 40 END AS q, \
     value * 7919 % 30011 AS u, CASE WHEN value % 13 > 0 THEN value * 31 % 500 END AS o, \
     CASE value % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN'::DOUBLE WHEN 2 THEN -0.0 WHEN 3 THEN 0.0 \
     WHEN 4 THEN 'Infinity'::DOUBLE ELSE value % 64 - 30 END AS f, \
     CASE WHEN value % 19 > 0 THEN CAST(value % 300 AS DECIMAL(9, 2)) / 4 END AS d, \
     CASE WHEN value % 23 > 0 THEN CAST(value % 100 - 50 AS TINYINT) END AS i, \
     CASE WHEN value % 29 > 0 THEN CAST(value AS UBIGINT) END AS n, \
     CASE WHEN value % 5 > 0 THEN DATE '2024-01-01' + CAST(value % 90 AS INTEGER) END AS c, \
     TIMESTAMP '2024-01-01 00:00:00' + to_days(CAST(value % 90 AS INTEGER)) AS t FROM generate_series(1, 30000)",
    "CREATE TABLE few AS SELECT * FROM many WHERE u < 30",
    "CREATE TABLE nothing AS SELECT * FROM many WHERE u < 0",
];

const QUERIES: usize = 480;

/// Divisor of the least number of replaced operators, so that a rule without effect is noticed.
const LEAST_REPLACED: usize = 2;

/// Aggregates that are computed in vectors.
const AGGREGATES: [&str; 22] = [
    "count(*)",
    "count(q)",
    "count(f)",
    "sum(u)",
    "sum(i)",
    "sum(n)",
    "sum(d)",
    "sum(f)",
    "avg(u)",
    "avg(d)",
    "avg(f)",
    "avg(i)",
    "min(q)",
    "max(q)",
    "min(f)",
    "max(f)",
    "min(d)",
    "max(i)",
    "min(c)",
    "max(t)",
    "max(n)",
    "min(u + i)",
];

/// Functions that DataFusion computes, and with it the others of their operator.
const OTHERS: [&str; 4] = ["sum(i) FILTER (WHERE o > 100)", "bit_xor(u)", "bool_and(o > 3)", "max(o > 3)"];

/// Functions of other rows. The order of the rows decides their values.
const VALUES: [&str; 14] = [
    "first_value(u)",
    "first_value(q)",
    "last_value(i)",
    "last_value(d)",
    "nth_value(q, 3)",
    "nth_value(u, 1)",
    "lag(u)",
    "lag(q, 2)",
    "lag(i, 3, 7)",
    "lead(d)",
    "lead(c, 5)",
    "lead(q, 1, 'none')",
    "lag(u, -2)",
    "lead(i, 0)",
];

/// Calls of such functions that DataFusion computes.
const OTHER_VALUES: [&str; 4] =
    ["lag(q IGNORE NULLS)", "last_value(q IGNORE NULLS)", "lag(u, i)", "first_value(d IGNORE NULLS)"];

/// Order keys of RANGE frames, with ascending distances.
const RANGES: [(&str, [&str; 3]); 7] = [
    ("u", ["0", "40", "3000"]),
    ("o", ["0", "7", "250"]),
    ("d", ["0.25", "1.5", "20"]),
    ("i", ["1", "3", "200"]),
    ("n", ["2", "10", "40000"]),
    ("c", ["INTERVAL 0 DAY", "INTERVAL 3 DAY", "INTERVAL 1 MONTH"]),
    ("t", ["INTERVAL 36 HOUR", "INTERVAL 5 DAY", "INTERVAL 60 DAY"]),
];

/// Returns the order and the frame of a window. The order is unique if the rows of a frame are to
/// be told apart.
fn frame(random: &mut Random, order: &str, is_unique: bool) -> String {
    let units = *random.pick(&["ROWS", "ROWS", "GROUPS", "RANGE"]);
    let steps = *random.pick(&[["0", "1", "3"], ["2", "10", "70"], ["1", "5", "9000"]]);
    let (order, distances) = match units {
        "RANGE" => {
            let (key, distances) = if is_unique { &RANGES[0] } else { random.pick(&RANGES) };
            let options = random.pick(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"]);
            (format!("{key}{options}"), *distances)
        }
        "GROUPS" if !is_unique => (order.to_owned(), steps),
        _ => (format!("{order}, u"), steps),
    };
    // from the partition's start to its end
    let mut bounds = vec!["UNBOUNDED PRECEDING".to_owned()];
    bounds.extend(distances.iter().rev().map(|distance| format!("{distance} PRECEDING")));
    bounds.push("CURRENT ROW".to_owned());
    bounds.extend(distances.iter().map(|distance| format!("{distance} FOLLOWING")));
    bounds.push("UNBOUNDED FOLLOWING".to_owned());
    let start = random.below(bounds.len() - 1);
    let end = start.max(1) + random.below(bounds.len() - start.max(1));
    format!("ORDER BY {order} {units} BETWEEN {} AND {}", bounds[start], bounds[end])
}

fn query(random: &mut Random) -> String {
    let count = random.below(3);
    let keys: Vec<&str> =
        (0..count).map(|_| *random.pick(&["p", "q", "f", "p % 3", "o", "d", "c"])).collect();
    let partition = match keys.is_empty() {
        true => String::new(),
        false => format!("PARTITION BY {} ", keys.join(", ")),
    };
    let mut order: Vec<String> = Vec::new();
    for _ in 0..1 + random.below(2) {
        let key = random.pick(&["o", "f", "q", "d", "t", "-o", "c", "i"]);
        order.push(format!("{key}{}", random.pick(&["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])));
    }
    let order = order.join(", ");
    let mut functions = Vec::new();
    for _ in 0..1 + random.below(5) {
        let aggregate = match random.below(24) {
            0 => random.pick(&OTHERS),
            _ => random.pick(&AGGREGATES),
        };
        let value = match random.below(24) {
            0 => random.pick(&OTHER_VALUES),
            _ => random.pick(&VALUES),
        };
        functions.push(match random.below(16) {
            9 | 10 => format!("{aggregate} OVER ({partition}{})", frame(random, &order, false)),
            11 => format!("{value} OVER ({partition}{})", frame(random, &order, true)),
            12 => format!("{value} OVER ({partition}ORDER BY {order}, u)"),
            13 => format!("ntile({}) OVER ({partition}ORDER BY {order}, u)", 1 + random.below(9)),
            14 => format!("percent_rank() OVER ({partition}ORDER BY {order})"),
            15 => format!("cume_dist() OVER ({partition}ORDER BY {order})"),
            0 => format!("row_number() OVER ({partition}ORDER BY {order}, u)"),
            1 => format!("rank() OVER ({partition}ORDER BY {order})"),
            2 => format!("dense_rank() OVER ({partition}ORDER BY {order})"),
            3 => format!("{aggregate} OVER ({partition}ORDER BY {order}, u ROWS UNBOUNDED PRECEDING)"),
            4 => format!("{aggregate} OVER ({partition}ORDER BY {order})"),
            5 => format!("{aggregate} OVER ({partition}ORDER BY {order} GROUPS UNBOUNDED PRECEDING)"),
            6 => format!("{aggregate} OVER ({partition}ORDER BY {order} RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"),
            7 => format!("{aggregate} OVER ({partition}ORDER BY {order}, u ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"),
            _ => format!("{aggregate} OVER ({partition})"),
        });
    }
    let from = match random.below(8) {
        0 => "nothing",
        1 => "few",
        2 => "many WHERE u % 3 = 0",
        3 => "(SELECT * FROM many ORDER BY p, o) AS many",
        _ => "many",
    };
    let limit = *random.pick(&["", "", "", "", " ORDER BY u LIMIT 50"]);
    let values: Vec<_> =
        functions.iter().enumerate().map(|(at, value)| format!("{value} AS v{at}")).collect();
    format!("SELECT u, q, {} FROM {from}{limit}", values.join(", "))
}

fn engine(threads: usize) -> Engine {
    let engine = Engine::builder().threads(threads).build().expect("an engine");
    for table in TABLES {
        engine.sql(table).expect("a table");
    }
    engine
}

/// Returns the plan and the rows with a value of the setting.
fn answer(engine: &Engine, is_on: bool, sql: &str) -> (String, Vec<String>) {
    plan_and_rows(engine, &format!("running_windows = {is_on}"), sql)
}

#[test]
fn values_do_not_depend_on_the_operator() {
    let mut random = Random::new(41);
    let (queries, mut replaced) = (reduced(QUERIES), 0);
    for threads in [1, 2, 3, 8] {
        let engine = engine(threads);
        for _ in 0..queries.div_ceil(4) {
            let sql = query(&mut random);
            let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
            assert_eq!(off.1, on.1, "{sql}\n{}\n{}", off.0, on.0);
            assert!(!off.0.contains("RunningWindowExec"), "{}", off.0);
            replaced += usize::from(on.0.contains("RunningWindowExec"));
        }
    }
    assert!(replaced * LEAST_REPLACED >= queries, "{replaced} of {queries} plans changed");
}

/// Lists of functions over windows `w` up to the row, `r` up to its peers, `a` over all, and with
/// frames of rows `s`, of groups `g` and of near keys `v`.
const FUNCTIONS: [&str; 11] = [
    "sum(i) OVER s, avg(d) OVER s, max(q) OVER s, count(q) OVER s, min(f) OVER s, sum(f) OVER s",
    "sum(u) OVER g, avg(i) OVER g, min(q) OVER g, count(f) OVER g, max(d) OVER g, rank() OVER r",
    "sum(u) OVER v, avg(d) OVER v, max(q) OVER v, count(*) OVER v, first_value(q) OVER v, last_value(u) OVER v",
    "lag(u) OVER w, lead(q, 2, 'none') OVER w, nth_value(u, 2) OVER s, last_value(d) OVER s, sum(i) OVER a",
    "ntile(3) OVER w, percent_rank() OVER r, cume_dist() OVER r, count(*) OVER a, row_number() OVER w",
    "row_number() OVER w, rank() OVER r, dense_rank() OVER r",
    "sum(i) OVER w, count(*) OVER w, avg(d) OVER w, max(q) OVER w, min(f) OVER w",
    "sum(d) OVER r, max(f) OVER r, count(q) OVER r, avg(f) OVER r, min(q) OVER r, rank() OVER r",
    "sum(d) OVER a, avg(i) OVER a, count(i) OVER a, max(q) OVER a, sum(f) OVER a, sum(n) OVER r",
    "sum(i) OVER a, sum(i) OVER w, sum(i) OVER r, rank() OVER r, max(u) OVER r, min(t) OVER a",
    "count(*) OVER a",
];

const WINDOWS: [(&str, &str); 5] = [
    ("PARTITION BY p", "ORDER BY o % 4"),
    ("PARTITION BY p % 5, f", "ORDER BY q DESC, o"),
    ("", "ORDER BY o NULLS FIRST"),
    ("PARTITION BY u", "ORDER BY o"),
    ("PARTITION BY i", "ORDER BY c DESC"),
];

/// Borders of batches are borders of peers and of partitions, or inside them.
#[test]
fn values_do_not_depend_on_the_size_of_batches() {
    let runners = [1, 2, 3, 7, 64].map(|rows| Configuration::Batches(rows).runner());
    let run =
        |runner: &dyn Runner, sql: &str| runner.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    for runner in &runners {
        run(runner.as_ref(), &TABLES[0].replace("30000", "400"));
    }
    for (partition, order) in WINDOWS {
        for functions in FUNCTIONS {
            let sql = format!(
                "SELECT u, {functions} FROM many WINDOW w AS ({partition} {order}, u ROWS UNBOUNDED PRECEDING), \
                 r AS ({partition} {order}), \
                 a AS ({partition} {order} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), \
                 s AS ({partition} {order}, u ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING), \
                 g AS ({partition} {order} GROUPS BETWEEN 2 PRECEDING AND 1 FOLLOWING), \
                 v AS ({partition} ORDER BY u RANGE BETWEEN 40 PRECEDING AND 15 FOLLOWING) ORDER BY u"
            );
            let last = runners[4].as_ref();
            run(last, "SET running_windows = false");
            let expected = lines(&run(last, &sql));
            run(last, "SET running_windows = true");
            for runner in &runners {
                assert_eq!(lines(&run(runner.as_ref(), &sql)), expected, "{sql}");
            }
            let plan = text(&run(last, &format!("EXPLAIN {sql}")));
            assert!(plan.contains("RunningWindowExec") && !plan.contains("WindowAggExec"), "{plan}");
        }
    }
}

/// Windows of opposite orders share a sort, so that the functions of one see their rows in reverse.
#[test]
fn functions_of_other_rows_are_reversed() {
    let functions = [
        "first_value(q) OVER a, last_value(i) OVER b, lag(u) OVER b",
        "nth_value(u, 2) OVER a, nth_value(u, 2) OVER b, nth_value(q, -1) OVER b",
        "lag(u, 2) OVER a, lag(u, 2) OVER b, lead(q, 3, 'none') OVER b, lead(d, -1) OVER b",
        "sum(i) OVER a, last_value(u) OVER b, first_value(d) OVER b, max(q) OVER b",
    ];
    let frames =
        ["ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING", "RANGE BETWEEN 40 PRECEDING AND 700 FOLLOWING", ""];
    for threads in [1, 4] {
        let engine = engine(threads);
        for functions in functions {
            for frame in frames {
                let sql = format!(
                    "SELECT u, {functions} FROM many WINDOW a AS (PARTITION BY p ORDER BY u {frame}), \
                     b AS (PARTITION BY p ORDER BY u DESC {frame})"
                );
                let [off, on] = [false, true].map(|is_on| answer(&engine, is_on, &sql));
                assert_eq!(off.1, on.1, "{sql}\n{}", on.0);
                assert!(!on.0.contains("WindowAggExec"), "{sql}\n{}", on.0);
            }
        }
    }
}

/// The last days of a month have the same day a month before, so that a frame may start before
/// that of the row before it. A join finds the rows of each frame.
#[test]
fn months_before_times_reach_back_at_ends_of_months() {
    let table = "CREATE TABLE times AS SELECT value AS u, value % 3 AS p, 'w' || value * 7 % 50 AS q, \
         CASE WHEN value % 11 > 0 THEN value * 7919 % 1009 END AS i, \
         TIMESTAMP '2023-01-27 00:30:00' + to_hours(value * 7) AS t FROM generate_series(1, 700)";
    // first and last key, with the bounds that have them
    let ascending = [
        ("a.t - INTERVAL 1 MONTH", "1 MONTH PRECEDING", "a.t", "CURRENT ROW"),
        ("a.t - INTERVAL 3 MONTH", "3 MONTH PRECEDING", "a.t - INTERVAL 1 MONTH", "1 MONTH PRECEDING"),
        ("a.t", "CURRENT ROW", "a.t + INTERVAL 1 MONTH", "1 MONTH FOLLOWING"),
        ("a.t + INTERVAL 1 MONTH", "1 MONTH FOLLOWING", "a.t + INTERVAL 2 MONTH", "2 MONTH FOLLOWING"),
        ("a.t - INTERVAL 9 YEAR", "UNBOUNDED PRECEDING", "a.t - INTERVAL 1 MONTH", "1 MONTH PRECEDING"),
        ("a.t + INTERVAL 1 MONTH", "1 MONTH FOLLOWING", "a.t + INTERVAL 9 YEAR", "UNBOUNDED FOLLOWING"),
        ("a.t - INTERVAL 1 MONTH", "1 MONTH PRECEDING", "a.t + INTERVAL 1 MONTH", "1 MONTH FOLLOWING"),
    ];
    let runners = [
        Configuration::Batches(1).runner(),
        Configuration::Batches(7).runner(),
        Configuration::OneThread.runner(),
        Configuration::FourThreads.runner(),
    ];
    let run =
        |runner: &dyn Runner, sql: &str| runner.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    for runner in &runners {
        run(runner.as_ref(), table);
    }
    for (first, start, last, end) in ascending {
        let expected = format!(
            "SELECT a.u, count(b.u), sum(b.i), avg(b.i), min(b.i), max(b.q), min(b.u), max(b.u) \
             FROM times a LEFT JOIN times b ON a.p = b.p AND b.t >= {first} AND b.t <= {last} \
             GROUP BY a.u ORDER BY a.u"
        );
        let expected = lines(&run(runners[3].as_ref(), &expected));
        let bound = |bound: &str| match bound.contains("MONTH") {
            true => format!("INTERVAL {bound}"),
            false => bound.to_owned(),
        };
        let opposite = |bound: &str| match bound.contains("PRECEDING") {
            true => bound.replace("PRECEDING", "FOLLOWING"),
            false => bound.replace("FOLLOWING", "PRECEDING"),
        };
        let (start, end) = (bound(start), bound(end));
        let windows = [
            (format!("t RANGE BETWEEN {start} AND {end}"), "first", "last"),
            (format!("t DESC RANGE BETWEEN {} AND {}", opposite(&end), opposite(&start)), "last", "first"),
        ];
        for (window, least, greatest) in windows {
            let sql = format!(
                "SELECT u, count(*) OVER w, sum(i) OVER w, avg(i) OVER w, min(i) OVER w, max(q) OVER w, \
                 {least}_value(u) OVER w, {greatest}_value(u) OVER w FROM times \
                 WINDOW w AS (PARTITION BY p ORDER BY {window}) ORDER BY u"
            );
            for runner in &runners {
                assert_eq!(lines(&run(runner.as_ref(), &sql)), expected, "{sql}");
            }
        }
    }
}

/// A total out of range ends the query with the line that row by row has.
#[test]
fn totals_out_of_range_are_errors() {
    let engine = engine(2);
    let large = "(SELECT 9223372036854775807 AS v, u, p FROM few)";
    let digits =
        "(SELECT CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0)) AS v, u, p FROM few)";
    for from in [large, digits] {
        for window in [
            "PARTITION BY p % 2",
            "ORDER BY u",
            "ORDER BY p % 2",
            "ORDER BY u ROWS UNBOUNDED PRECEDING",
            "ORDER BY u ROWS 1 PRECEDING",
            "ORDER BY u RANGE BETWEEN CURRENT ROW AND 9 FOLLOWING",
        ] {
            let sql = format!("SELECT sum(v) OVER ({window}) FROM {from}");
            let errors = [false, true].map(|is_on| {
                engine.sql(&format!("SET running_windows = {is_on}")).expect("a setting");
                engine.sql(&sql).expect_err(&sql).to_string()
            });
            assert_eq!(errors[0], errors[1], "{sql}");
        }
    }
}

/// Rows of one partition that do not fit go to disk.
#[test]
fn little_memory_changes_no_rows() {
    let table = "CREATE TABLE wide AS SELECT value % 2 AS p, value * 7919 % 120011 AS o, 'a text that is long enough to fill the memory ' || value % 30000 AS w \
                 FROM generate_series(1, 120000)";
    // with the least limit, in megabytes, under which one thread has memory for the frames
    let frames = [
        (
            12,
            "sum(o) OVER (PARTITION BY p) AS a, max(w) OVER (PARTITION BY p) AS b, \
         rank() OVER (PARTITION BY p ORDER BY o % 10) AS c, count(*) OVER () AS d",
        ),
        // rows that wait for their peers, among rows that wait for the partition
        (
            12,
            "sum(o) OVER (PARTITION BY p ORDER BY o - o % 40000) AS a, max(w) OVER (PARTITION BY p ORDER BY o - o % 40000 \
         ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS b, rank() OVER (PARTITION BY p ORDER BY o - o % 40000) AS c, \
         ntile(9) OVER (PARTITION BY p ORDER BY o - o % 40000) AS d",
        ),
        (
            16,
            "sum(o) OVER (PARTITION BY p ORDER BY o ROWS BETWEEN 5 PRECEDING AND 9000 FOLLOWING) AS a, \
         lead(w, 3000) OVER (PARTITION BY p ORDER BY o) AS b, row_number() OVER (PARTITION BY p ORDER BY o) AS c, \
         count(w) OVER (PARTITION BY p ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS d",
        ),
    ];
    let queries = frames.map(|(least, functions)| {
        let sql = format!(
            "SELECT count(*), sum(o), min(w), max(w), sum(a), sum(a * (o % 7)), max(b), sum(c), sum(c * (o % 11)), sum(d) \
             FROM (SELECT w, o, {functions} FROM wide)"
        );
        (least, sql)
    });
    let whole = Engine::builder().threads(2).build().expect("an engine");
    whole.sql(table).expect("a table");
    let expected = queries.each_ref().map(|(_, sql)| answer(&whole, false, sql).1);
    // with two threads, the sort has too little below 24 MB, also under DataFusion's operators
    for (threads, limits) in [(1, [12, 16, 24, 48]), (2, [32, 48, 64, 80])] {
        for megabytes in limits {
            let engine = Engine::builder().threads(threads).build().expect("an engine");
            engine.sql(table).expect("a table");
            engine.sql(&format!("SET memory = '{megabytes}MB'")).expect("a setting");
            let sufficient = queries.iter().zip(&expected).filter(|((least, _), _)| *least <= megabytes);
            for ((least, sql), expected) in sufficient {
                let (plan, rows) = answer(&engine, true, sql);
                assert!(plan.contains("RunningWindowExec") && !plan.contains("WindowAggExec"), "{plan}");
                assert_eq!(&rows, expected, "{threads} threads, {megabytes} MB: {sql}");
                if (threads, megabytes) == (1, *least) {
                    let report = text(&engine.sql(&format!("EXPLAIN ANALYZE {sql}")).expect("a report"));
                    let mut windows = report.lines().filter(|line| line.contains("RunningWindowExec"));
                    assert!(windows.any(|line| !line.contains("spill_count=0")), "{report}");
                }
            }
        }
    }
}
