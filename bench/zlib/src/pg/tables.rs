//! TPC-H's tables, as dbgen writes them.

use std::fmt::Display;
use std::io::{BufWriter, Write};
use std::process::{Child, Stdio};

use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

use super::cluster::Cluster;

/// The columns of the tables.
const SCHEMA: &str = include_str!("schema.sql");

/// Makes the database `tpch`.
pub fn load(cluster: &Cluster, sf: f64) -> Result<(), String> {
    cluster.sql("postgres", "CREATE DATABASE tpch")?;
    cluster.sql("tpch", SCHEMA)?;
    copy(cluster, "region", RegionGenerator::new(sf, 1, 1).iter())?;
    copy(cluster, "nation", NationGenerator::new(sf, 1, 1).iter())?;
    copy(cluster, "supplier", SupplierGenerator::new(sf, 1, 1).iter())?;
    copy(cluster, "customer", CustomerGenerator::new(sf, 1, 1).iter())?;
    copy(cluster, "part", PartGenerator::new(sf, 1, 1).iter())?;
    copy(cluster, "partsupp", PartSuppGenerator::new(sf, 1, 1).iter())?;
    copy(cluster, "orders", OrderGenerator::new(sf, 1, 1).iter())?;
    copy(cluster, "lineitem", LineItemGenerator::new(sf, 1, 1).iter())
}

fn copy(cluster: &Cluster, table: &str, rows: impl Iterator<Item = impl Display>) -> Result<(), String> {
    eprintln!("loading {table}");
    let statement = format!("COPY {table} FROM STDIN (DELIMITER '|')");
    let mut command = cluster.client("psql");
    command.args(["-q", "-v", "ON_ERROR_STOP=1", "-d", "tpch", "-c", &statement]).stdin(Stdio::piped());
    let mut psql = command.spawn().map_err(|error| format!("psql: {error}"))?;
    let sent = send(&mut psql, rows);
    let status = psql.wait().map_err(|error| format!("psql: {error}"))?;
    sent.map_err(|error| format!("{table}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{table}: psql failed: {status}")) }
}

/// Rows without the bar that dbgen ends each with.
fn send(psql: &mut Child, rows: impl Iterator<Item = impl Display>) -> std::io::Result<()> {
    let mut input = BufWriter::new(psql.stdin.take().expect("stdin is a pipe"));
    for row in rows {
        let row = row.to_string();
        writeln!(input, "{}", row.trim_end_matches('|'))?;
    }
    input.flush()
}
