//! The 99 queries derived from TPC-DS at scale factor 0.01: the rows are DuckDB's.

use std::path::Path;
use std::process::Command;

use pelton::{Engine, EngineBuilder};
use pelton_tests::python::{interpreter, repository};
use pelton_tpch::check::check_within;
use pelton_tpch::engine::result::ResultSet;
use pelton_tpch::engine::rival::{Contender, Rival};
use pelton_tpch::engine::system::System;

/// Folder in which `make rivals` puts the generator of TPC-DS, below the virtual environment.
const GENERATOR: &str = ".venv/tpcds";

/// Memory in which the queries' operators have to spill.
const LITTLE_MEMORY: usize = 48 << 20;

/// Share by which products of quotients may differ: those of decimals have a few digits in Pelton,
/// and are doubles in DuckDB.
const QUOTIENTS: f64 = 1e-5;

/// Settings that take away what plans have beyond DataFusion's.
const PLAIN: [&str; 14] = [
    "SET join_order = 'written'",
    "SET common_subplans = false",
    "SET rollups = 'direct'",
    "SET eager_aggregation = false",
    "SET window_top_k = false",
    "SET running_windows = false",
    "SET join_key_bitmaps = false",
    "SET dense_groups = false",
    "SET clustered_groups = false",
    "SET key_ranges = false",
    "SET large_broadcasts = false",
    "SET group_joins = false",
    "SET set_joins = false",
    "SET packed_sorts = false",
];

/// Makes the tables and the texts in a folder that exists and is empty. `None`: there is no Python.
pub fn generate(folder: &Path) -> Option<()> {
    let interpreter = interpreter()?;
    let generator = repository().join(GENERATOR);
    assert!(generator.exists(), "{} is missing; `make rivals` makes it", generator.display());
    let script = repository().join("bench/tpcds/generate.py");
    let mut command = Command::new(interpreter);
    command.arg("-B").arg(script).args(["0.01", "zstd"]).arg(folder).env("PYTHONPATH", generator);
    let done = command.output().expect("Python can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(())
}

/// Texts of the queries in the order of their numbers.
fn texts(folder: &Path) -> Vec<String> {
    let text = |number| {
        let path = folder.join(format!("queries/{number:02}.sql"));
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    (1..=99).map(text).collect()
}

fn expected(folder: &Path, texts: &[String]) -> Vec<ResultSet> {
    let mut duckdb = Rival::open(&Contender::DuckDb, folder, 2).expect("DuckDB is installed");
    let answer = |(index, sql): (usize, &String)| {
        let answered = duckdb.query(sql, true).unwrap_or_else(|e| panic!("Q{}: {e}", index + 1));
        answered.result.expect("rows were asked for")
    };
    texts.iter().enumerate().map(answer).collect()
}

fn engine(builder: EngineBuilder, folder: &Path) -> Engine {
    let engine = builder.build().expect("an engine");
    for entry in std::fs::read_dir(folder).expect("it was made") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|extension| extension == "parquet") {
            let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            engine.register(&name, &path.to_string_lossy()).expect("a good file");
        }
    }
    engine
}

/// Returns the difference of a query's rows from the expected ones.
fn difference(engine: &Engine, sql: &str, expected: &ResultSet) -> Result<(), String> {
    let mut query = engine.query(sql).map_err(|e| e.to_string())?;
    let batches = query.by_ref().collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    let found = ResultSet::from_batches(&query.schema(), &batches).map_err(|e| e.to_string())?;
    check_within(&found, expected, &[], QUOTIENTS).map_err(|mismatch| mismatch.to_string())
}

#[test]
fn the_rows_are_duckdbs_in_every_configuration() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    if generate(folder.path()).is_none() {
        return;
    }
    let texts = texts(folder.path());
    let expected = expected(folder.path(), &texts);
    let plain = engine(Engine::builder().threads(2), folder.path());
    PLAIN.iter().for_each(|setting| drop(plain.sql(setting).expect("a setting")));
    let engines = [
        ("one thread", engine(Engine::builder().threads(1), folder.path())),
        ("four threads", engine(Engine::builder().threads(4), folder.path())),
        ("little memory", engine(Engine::builder().threads(2).memory_limit(LITTLE_MEMORY), folder.path())),
        ("plain plans", plain),
    ];
    let mut faults = Vec::new();
    for (configuration, engine) in &engines {
        for (index, (sql, expected)) in texts.iter().zip(&expected).enumerate() {
            if let Err(fault) = difference(engine, sql, expected) {
                faults.push(format!("Q{}, {configuration}: {fault}", index + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
