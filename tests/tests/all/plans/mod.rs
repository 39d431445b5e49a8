//! Rules over plans with a setting each: the rows are the same with the rule and without it.

mod aggregate_partitions;
mod clustered_groups;
mod common_subplans;
mod dense_groups;
mod eager_aggregation;
mod joins;
mod key_ranges;
mod packed_sorts;
mod rollups;
mod running_windows;
mod window_top_k;

use pelton::Engine;

use crate::support::{rows_in_any_order, text};

/// Returns an engine with tables, made by statements.
fn engine_with(threads: usize, tables: &[&str]) -> Engine {
    let engine = Engine::builder().threads(threads).build().expect("an engine");
    for table in tables {
        engine.sql(table).expect("a table");
    }
    engine
}

/// Returns the plan and the rows of a query with a setting, such as `rollups = 'direct'`.
fn plan_and_rows(engine: &Engine, setting: &str, sql: &str) -> (String, Vec<String>) {
    engine.sql(&format!("SET {setting}")).expect("a setting");
    let plan = engine.sql(&format!("EXPLAIN {sql}")).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let rows = engine.sql(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    (text(&plan), rows_in_any_order(&rows))
}
