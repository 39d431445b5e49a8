//! Embeds the SQL engine: writes a Parquet file, registers it as a table, and prints the rows of
//! queries, one of them prepared.
//!
//! ```text
//! cargo run --release -p pelton-examples --example embed_engine
//! ```
#![allow(missing_docs)]

use std::error::Error;
use std::path::Path;

use pelton::codec::{Format, Window};
use pelton::{Engine, Packing, Parameters, Value, WriteOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("pelton-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = run(&folder);
    std::fs::remove_dir_all(&folder)?;
    result
}

fn run(folder: &Path) -> Result<(), Box<dyn Error>> {
    // One engine for the life of a program: it owns the threads, the devices and the memory limit.
    let engine = Engine::builder().threads(2).memory_limit(1 << 30).build()?;

    // A query's rows as a Parquet file, whose pages the devices compress. The file appears under
    // its name once it is whole.
    let path = folder.join("trips.parquet");
    let rows = engine
        .query("SELECT value % 3 AS city, value * 0.5 AS price FROM generate_series(1, 30000) AS t(value)")?;
    let schema = rows.schema();
    let options =
        WriteOptions::new(Packing::Gzip { window: Window::FULL, level: Format::Gzip.default_level() });
    let written = engine.write_parquet(&path, &schema, rows, options)?;
    println!("wrote {} rows", written.rows);

    // Tables are files, folders and globs. The query reads the columns and pages that it needs.
    engine.register("trips", &path.to_string_lossy())?;
    let sql = "SELECT city, count(*) AS trips FROM trips WHERE price > 100 GROUP BY city ORDER BY city";
    for batch in engine.sql(sql)? {
        let [cities, trips] = [0, 1].map(|column| batch.column(column).to_data());
        let (cities, trips) =
            (cities.buffers()[0].typed_data::<i64>(), trips.buffers()[0].typed_data::<i64>());
        for (city, trips) in cities.iter().zip(trips) {
            println!("city {city}: {trips} trips");
        }
    }

    // Values take the place of constants, so that no text of a value is read as SQL.
    let above = engine.prepare("SELECT * FROM trips WHERE city = $city AND price >= $least")?;
    for city in 0..3i64 {
        let values = Parameters::by_name([("city", Value::from(city)), ("least", Value::from(14_000.0))]);
        let mut trips = 0;
        for batch in engine.execute(&above, &values)? {
            trips += batch?.num_rows();
        }
        println!("city {city}: {trips} expensive trips");
    }

    // Each device's jobs, bytes and failures, with the reason of every fallback.
    println!("{}", engine.router().counters());
    Ok(())
}
