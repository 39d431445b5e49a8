//! The documents' statements, run by the command as a reader would type them.
//!
//! Each block of SQL runs in a session of its own, in a folder with the files that the documents
//! name. The tables that a block does not create are there before.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::Place;

/// Files that the documents name.
const FILES: &str = "
    CREATE VIEW rides AS
        SELECT i AS id, 2023 + i % 2 AS year, 1 + i % 12 AS month, i * 3 % 200 - 1 AS total,
            CASE i % 3 WHEN 0 THEN 'Rome' WHEN 1 THEN 'Oslo' END AS city, i % 50 / 4 AS price,
            DATE '2024-01-01' + CAST(i % 60 AS INTEGER) AS day
        FROM generate_series(1, 1000) AS s(i);
    COPY rides TO 'trips.parquet';
    COPY rides TO 'trips/' (FORMAT parquet, PER_THREAD_OUTPUT);
    COPY (SELECT 1 AS id, 'a' AS text, TIMESTAMP '2024-02-29 12:30' AS at) TO 'notes.csv';
    COPY (SELECT 1 AS id, 'x' AS name) TO 'data/a.parquet';
    COPY (SELECT 2 AS id, 'y' AS name) TO 'data/b.parquet';
    COPY (SELECT '00501' AS zip, 'Ann' AS name) TO 'data/people.csv.gz';
    COPY (SELECT 1 AS id, 'click' AS kind) TO 'data/events.ndjson';
";

/// Tables that the documents name, and how each is made.
const TABLES: [(&str, &str); 2] = [
    ("trips", "CREATE TABLE trips AS FROM 'trips.parquet';"),
    ("notes", "CREATE TABLE notes (id INT NOT NULL, text VARCHAR, at TIMESTAMP);"),
];

/// Beginnings of places that need a server, whose tests are in `crates/query/tests/stores`.
const STORES: [&str; 5] = ["s3://", "gs://", "az://", "https://", "CREATE SECRET"];

/// Returns the repository's documents about SQL.
fn documents() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let chapters = fs::read_dir(docs.join("sql")).expect("the chapters");
    let mut documents: Vec<_> = chapters.map(|entry| entry.expect("an entry").path()).collect();
    documents.extend([docs.join("sql.md"), docs.join("command.md")]);
    documents.sort();
    documents
}

/// Returns the statements of the lines `pelton sql "…"` of a document, and the texts behind them.
fn commands(document: &str) -> Vec<(&str, &str)> {
    let lines = document.lines().filter_map(|line| line.strip_prefix("pelton sql \""));
    lines.filter_map(|line| line.split_once('"')).collect()
}

/// Returns the blocks of SQL of a document in Markdown.
fn blocks(document: &str) -> Vec<&str> {
    let after = document.split("```sql\n").skip(1);
    after.map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// Returns a folder with the files.
fn with_files() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.path("data")).expect("created");
    place.run(&["sql", FILES]).ok();
    place
}

#[test]
fn commands_of_the_readme_run() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let text = fs::read_to_string(readme).expect("a document");
    let (place, mut run) = (with_files(), 0);
    for (statement, options) in commands(&text) {
        if options.trim().is_empty() || options.trim_start().starts_with('#') {
            if statement.contains('…') {
                eprintln!("skipped: {statement:?} stands for any statement");
                continue;
            }
            place.run(&["sql", statement]).ok();
            run += 1;
        } else {
            eprintln!("skipped: {statement:?} with{options}");
        }
    }
    assert!(run > 0, "README.md has no statement");
}

#[test]
fn statements_of_the_documents_run() {
    let mut run = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document");
        for (number, block) in blocks(&text).into_iter().enumerate() {
            let name = format!("{}, block {}", document.display(), number + 1);
            if let Some(store) = STORES.iter().find(|store| block.contains(**store)) {
                eprintln!("skipped: {name}: {store} needs a server");
                continue;
            }
            let place = with_files();
            let is_created = |name: &str| {
                block.contains(&format!("CREATE TABLE {name} "))
                    || block.contains(&format!("CREATE TABLE IF NOT EXISTS {name} "))
            };
            let tables = TABLES.iter().filter(|(name, _)| !is_created(name)).map(|(_, create)| *create);
            fs::write(place.path("tables.sql"), tables.collect::<String>()).expect("written");
            fs::write(place.path("block.sql"), block).expect("written");
            let outcome = place.run(&["sql", "--init", "tables.sql", "--file", "block.sql"]);
            assert_eq!((outcome.code, outcome.err.as_str()), (Some(0), ""), "{name}:\n{block}");
            run += 1;
        }
    }
    assert!(run >= 10, "only {run} blocks of SQL were found");
}
