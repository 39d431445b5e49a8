//! Plans of Substrait that other programs write: the queries of TPC-H at scale factor 0.01.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use pelton::Engine;
use pelton_tests::python::{interpreter, repository, run};
use pelton_tpch::check::check;
use pelton_tpch::engine::result::ResultSet;
use pelton_tpch::queries::{QUERIES, Query};

use crate::support::Scratch;
use crate::tpch::{right, tables};

/// Queries of ibis-substrait's own tests whose plans give other rows than their SQL, or none, with
/// the reason. All are faults of the producer: it has no references to columns of an outer query,
/// no expressions in groups, and casts constants to decimals of two digits.
const NOT_OF_IBIS: [(u8, &str); 10] = [
    (2, "an outer column is written as one of the subquery"),
    (4, "an outer column is written as one of the subquery"),
    (7, "the groups have the indexes of columns that are not projected"),
    (8, "DropColumns is not written"),
    (11, "0.0001 is cast to a decimal of two digits"),
    (14, "DropColumns is not written"),
    (17, "an outer column is written as one of the subquery"),
    (20, "an outer column is written as one of the subquery"),
    (21, "an outer column is written as one of the subquery"),
    (22, "an outer column is written as one of the subquery"),
];

/// Returns for each query the failure of a producer's plan, or `None` if its rows are right.
fn outcomes(producer: &str) -> Option<BTreeMap<u8, Option<String>>> {
    let python = interpreter()?;
    let (scratch, plans) = (Scratch::new(), Scratch::new());
    let engine = Engine::builder().threads(2).build().expect("an engine");
    let mut folder = String::new();
    for (table, path) in tables("zstd", &scratch) {
        engine.register(table, &path).expect("a good file");
        folder = Path::new(&path).parent().expect("a folder").to_str().expect("a plain name").to_owned();
    }
    let queries = repository().join("crates/tpch/src/queries");
    let queries = queries.to_str().expect("a plain name");
    let said = run(&python, "substrait_plans.py", &[producer, &folder, queries, &plans.name(".")]);
    let outcome = |number: u8| {
        let query = &QUERIES[usize::from(number) - 1];
        let name = format!("q{number:02}");
        let Ok(plan) = fs::read(plans.path(&format!("{name}.pb"))) else {
            let why = said.lines().find(|line| line.starts_with(&name)).unwrap_or("it is not written");
            return Some(why.to_owned());
        };
        match engine.substrait(&plan).and_then(rows_of) {
            Ok(rows) => compare(&engine, query, &plans.path(&format!("{name}.sql")), &rows),
            Err(error) => Some(error.to_string()),
        }
    };
    Some(QUERIES.iter().map(|query| (query.number, outcome(query.number))).collect())
}

/// Compares rows with those of a producer's SQL, in any order; with the kept answer without it.
fn compare(engine: &Engine, query: &Query, sql: &Path, found: &Rows) -> Option<String> {
    let Ok(sql) = fs::read_to_string(sql) else { return right(query, &found.0, &found.1).err() };
    let expected = match engine.query(&sql).and_then(rows_of) {
        Ok(expected) => expected,
        Err(error) => panic!("query {}: {error}: {sql}", query.number),
    };
    let [found, expected] = [found, &expected]
        .map(|rows| ResultSet::from_batches(&rows.0, &rows.1).expect("every type has a text"));
    check(&found, &expected, &[]).err().map(|mismatch| mismatch.to_string())
}

type Rows = (SchemaRef, Vec<RecordBatch>);

fn rows_of(mut query: pelton::Query) -> Result<Rows, pelton::Error> {
    let rows = query.by_ref().collect::<Result<Vec<_>, _>>()?;
    Ok((query.schema(), rows))
}

#[test]
fn all_queries_from_plans_of_datafusions_python_package() {
    let Some(outcomes) = outcomes("datafusion") else { return };
    let wrong: Vec<_> = outcomes.iter().filter(|(_, outcome)| outcome.is_some()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(outcomes.len(), QUERIES.len());
}

#[test]
fn queries_from_plans_of_ibis_substrait() {
    let Some(outcomes) = outcomes("ibis") else { return };
    for (number, outcome) in &outcomes {
        let known = NOT_OF_IBIS.iter().find(|(query, _)| query == number);
        assert_eq!(outcome.is_some(), known.is_some(), "query {number}: {outcome:?}");
    }
}
