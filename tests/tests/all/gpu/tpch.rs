//! The 22 queries of TPC-H at scale factor 0.01, each one wholly on the GPU.

use pelton::Engine;
use pelton_device_cuda::under_test;
use pelton_tpch::queries::{QUERIES, Query};

use super::host::Sql;
use super::place::{Place, place};
use crate::support::Scratch;
use crate::tpch::{right, tables};

/// Returns an engine of two threads with a device, and the tables.
pub fn engine(device: &str, codec: &str) -> (Engine, Scratch) {
    let devices = device.parse().expect("a choice of devices");
    let engine = Engine::builder().threads(2).devices(devices).build().expect("an engine");
    assert!(engine.notes().is_empty(), "{:?}", engine.notes());
    let scratch = Scratch::new();
    for (table, path) in tables(codec, &scratch) {
        engine.register(table, &path).expect("a good file");
    }
    (engine, scratch)
}

/// Checks that a query is right and runs on the GPU alone.
pub fn wholly(engine: &dyn Sql, query: &Query) -> Result<(), String> {
    let (place, plan) = place(engine, query.sql).ok_or("no plan")?;
    if place != Place::Whole {
        return Err(format!("not wholly on the GPU:\n{plan}"));
    }
    let answer = engine.answer(query.sql)?;
    right(query, &answer.schema, &answer.batches)?;
    if !answer.notes.is_empty() {
        return Err(answer.notes.join("; "));
    }
    match answer.totals.pages_read {
        0 => Err("the GPU has read no page".to_owned()),
        _ => Ok(()),
    }
}

/// Panics with all that is wrong with any of the queries.
pub fn all_wholly(engine: &dyn Sql, context: &str) {
    let wrong = QUERIES.iter().filter_map(|query| {
        wholly(engine, query).err().map(|what| format!("query {} on {context}: {what}", query.number))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn all_queries(codec: &str) {
    let (engine, _scratch) = engine(under_test::name(), codec);
    all_wholly(&engine, codec);
}

macro_rules! codecs {
    ($($name:ident: $codec:literal;)*) => { $(#[test] fn $name() { all_queries($codec); })* };
}

codecs! {
    all_queries_without_compression: "none";
    all_queries_on_gzip: "gzip";
    all_queries_on_snappy: "snappy";
    all_queries_on_zstd: "zstd";
    all_queries_on_raw_lz4: "lz4_raw";
}

/// A codec that the kernels have not: the CPU answers, and EXPLAIN says why.
#[test]
fn brotli_is_for_the_cpu() {
    let (engine, _scratch) = engine(under_test::name(), "brotli");
    for query in &QUERIES {
        let (place, plan) = place(&engine, query.sql).expect("a plan");
        assert_eq!(place, Place::Nothing, "query {}:\n{plan}", query.number);
        assert!(plan.to_lowercase().contains("brotli"), "query {}:\n{plan}", query.number);
        let answer = engine.answer(query.sql).expect("the CPU can");
        right(query, &answer.schema, &answer.batches)
            .unwrap_or_else(|e| panic!("query {}: {e}", query.number));
    }
}

/// Several threads run the blocks of a launch at once.
#[test]
fn all_queries_on_several_threads() {
    let (engine, _scratch) = engine("cuda-host:threads=3", "snappy");
    all_wholly(&engine, "three threads");
}

/// Queries of few joins, as passes of several tables under one pipeline multiply, and of each kind
/// of join.
const IN_PASSES: [u8; 9] = [1, 3, 4, 13, 15, 16, 20, 21, 22];

/// Runs queries, and returns the number that EXPLAIN ANALYZE has for Q13 as `name`.
fn in_passes(device: &str, name: &str) -> u64 {
    let (engine, _scratch) = engine(device, "snappy");
    for query in QUERIES.iter().filter(|query| IN_PASSES.contains(&query.number)) {
        wholly(&engine, query).unwrap_or_else(|what| panic!("query {} on {device}: {what}", query.number));
    }
    let analyzed = engine.answer(&format!("EXPLAIN ANALYZE {}", QUERIES[12].sql)).expect("a plan");
    let text = format!("{:?}", analyzed.batches);
    let (_, number) = text.split_once(&format!("{name}=")).unwrap_or_else(|| panic!("no {name}: {text}"));
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("{name}: {text}"))
}

/// Groups and join tables as if they did not fit: spilled to the host's memory, and back in two
/// or more passes each.
#[test]
fn queries_in_passes_of_what_was_set_aside() {
    assert!(in_passes("cuda-host:passes=2", "passes") >= 2);
    assert!(in_passes("cuda-host:passes=7:threads=2", "bytes_spilled") > 0);
}

/// The same without spilling: made anew for each pass.
#[test]
fn queries_in_passes_of_what_is_made_anew() {
    assert!(in_passes("cuda-host:passes=2:spill=none", "passes") >= 2);
    // room for some pieces, and then for no more
    assert!(in_passes("cuda-host:passes=2:spill=1kB", "bytes_spilled") <= 1000);
}
