//! The 22 queries of TPC-H at scale factor 0.01 against their kept answers: on every codec, and
//! from Substrait plans.

use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use pelton::Engine;
use pelton_tpch::check::check;
use pelton_tpch::data::cache::{self, TableFile};
use pelton_tpch::data::codec::Codec;
use pelton_tpch::engine::result::ResultSet;
use pelton_tpch::queries::{QUERIES, Query};

use crate::support::Scratch;

const SCALE_FACTOR: f64 = 0.01;

/// Returns an engine with the tables, and the folder that they are in.
fn engine(codec: &str) -> (Engine, Scratch) {
    with_tables(codec, crate::support::engine())
}

fn with_tables(codec: &str, engine: Engine) -> (Engine, Scratch) {
    let scratch = Scratch::new();
    for (table, path) in tables(codec, &scratch) {
        engine.register(table, &path).expect("a good file");
    }
    (engine, scratch)
}

/// Makes the tables: their names and their files.
pub fn tables(codec: &str, scratch: &Scratch) -> Vec<(&'static str, String)> {
    let codec: Codec = codec.parse().expect("a codec");
    let folder = scratch.path("");
    let dataset =
        cache::ensure(Path::new(&folder), SCALE_FACTOR, codec, 2, &|_| ()).expect("the data can be made");
    let file = |file: &TableFile| {
        let path = file.path.to_str().expect("temporary folders have plain names");
        (file.table.name(), path.to_owned())
    };
    dataset.files.iter().map(file).collect()
}

/// Holds a query's rows against its kept answer.
pub fn right(query: &Query, schema: &SchemaRef, batches: &[RecordBatch]) -> Result<(), String> {
    let found = ResultSet::from_batches(schema, batches).map_err(|e| e.to_string())?;
    let answer = query.answer(SCALE_FACTOR).expect("answers of this scale factor are kept");
    check(&found, &answer, query.order_by).map_err(|mismatch| mismatch.to_string())
}

fn run(query: Result<pelton::Query, pelton::Error>) -> Result<(SchemaRef, Vec<RecordBatch>), String> {
    let mut query = query.map_err(|e| e.to_string())?;
    let batches = query.by_ref().collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    Ok((query.schema(), batches))
}

/// Panics at the first answer that is not right.
fn run_all(engine: &Engine, codec: &str) {
    for query in &QUERIES {
        let outcome =
            run(engine.query(query.sql)).and_then(|(schema, batches)| right(query, &schema, &batches));
        if let Err(what) = outcome {
            panic!("query {} on {codec}: {what}", query.number);
        }
    }
}

fn all_queries(codec: &str) {
    let (engine, _scratch) = engine(codec);
    run_all(&engine, codec);
    let counters = engine.router().counters();
    let total = counters.total("cpu");
    assert_eq!((total.failed, total.refused_total(), total.fell_back_total()), (0, 0, 0), "{counters}");
    assert_eq!(total.tried == 0, codec == "none", "{counters}");
}

macro_rules! codecs {
    ($($name:ident: $codec:literal;)*) => { $(#[test] fn $name() { all_queries($codec); })* };
}

codecs! {
    all_queries_without_compression: "none";
    all_queries_on_gzip: "gzip";
    all_queries_on_gzip_of_4_kb: "gzip-4k";
    all_queries_on_snappy: "snappy";
    all_queries_on_zstd: "zstd";
    all_queries_on_raw_lz4: "lz4_raw";
    all_queries_on_lz4: "lz4";
    all_queries_on_brotli: "brotli";
}

/// Runs all queries on the model of a device, set up like this, on pages of a codec.
fn on_model(settings: &str, codec: &str) -> Engine {
    let devices = settings.parse().expect("a choice of devices");
    let engine = Engine::builder().threads(2).devices(devices).build().expect("an engine");
    let (engine, _scratch) = with_tables(codec, engine);
    run_all(&engine, settings);
    engine
}

#[test]
fn the_model_of_an_iaa_decompresses_every_page() {
    let counters = on_model("iaa-model", "gzip-4k").router().counters();
    let (model, cpu) = (counters.total("iaa-model"), counters.total("cpu"));
    assert!(model.done > 500, "{counters}");
    assert_eq!((model.tried, model.refused_total()), (model.done, 0), "{counters}");
    assert_eq!(cpu.tried, 0, "{counters}");
}

/// Pages with an unknown farthest match.
#[test]
fn the_model_tries_pages_only_if_told_to() {
    let refused = on_model("iaa-model", "gzip").router().counters().total("iaa-model");
    let counters = on_model("iaa-model:windows=try", "gzip").router().counters();
    let tried = counters.total("iaa-model");
    assert!(refused.refused_total() > 0 && refused.fell_back_total() == 0, "{counters}");
    assert!(tried.tried > refused.tried && tried.fell_back_total() > 0, "{counters}");
    // A column is not tried again after one page needed a larger window.
    assert!((1..refused.refused_total()).contains(&tried.refused_total()), "{counters}");
}

#[test]
fn faults_of_the_model_change_no_answer() {
    // Coprime to one another, so that each meets other pages of other queries; every descriptor has
    // one in the last.
    for every in [7, 3, 2, 1] {
        let engine = on_model(&format!("iaa-model:devices=2:fault-every={every}"), "gzip-4k");
        let counters = engine.router().counters();
        let (model, cpu) = (counters.total("iaa-model"), counters.total("cpu"));
        assert!(model.fell_back_total() > 0, "{counters}");
        // A query with a limit may cancel unneeded jobs.
        assert_eq!(model.tried, model.done + model.fell_back_total() + model.cancelled, "{counters}");
        assert_eq!((cpu.done + cpu.cancelled, model.failed), (cpu.tried, 0), "{counters}");
        assert!(every < 7 || model.done > cpu.done, "{counters}");
    }
}

/// IBM's accelerators have DEFLATE's window, so that they decompress any page.
#[test]
fn the_models_of_ibm_decompress_every_page() {
    for (name, settings) in [("nx-model", "engines=2"), ("dfltcc-model", "cc3-every=3")] {
        let counters = on_model(&format!("{name}:{settings}"), "gzip").router().counters();
        let (model, cpu) = (counters.total(name), counters.total("cpu"));
        assert!(model.done > 500, "{counters}");
        assert_eq!((model.tried, model.refused_total()), (model.done, 0), "{counters}");
        assert_eq!(cpu.tried, 0, "{counters}");

        let counters = on_model(&format!("{name}:fault-every=7"), "gzip").router().counters();
        let (model, cpu) = (counters.total(name), counters.total("cpu"));
        // Three faults in a row, of calls of several threads, open the circuit breaker for a while;
        // until then, one call in seven fails, and a page takes one or more.
        assert!(model.done > 0 && model.fell_back_total() > model.tried / 14, "{counters}");
        assert!(model.fell_back_total() > 10, "{counters}");
        // A query with a limit may cancel unneeded jobs.
        assert!(cpu.done + cpu.cancelled >= model.fell_back_total(), "{counters}");
        assert_eq!(model.tried, model.done + model.fell_back_total() + model.cancelled, "{counters}");
    }
}

/// Queries that fail through Substrait, with DataFusion's message.
const NOT_IN_SUBSTRAIT: [(u8, &str); 0] = [];

#[test]
fn all_queries_from_substrait_plans() {
    let (engine, _scratch) = engine("zstd");
    let mut wrong = Vec::new();
    for query in &QUERIES {
        let plan = engine.to_substrait(query.sql).map_err(|e| e.to_string());
        let outcome = plan.and_then(|plan| run(engine.substrait(&plan)));
        let outcome = outcome.and_then(|(schema, batches)| right(query, &schema, &batches));
        let known = NOT_IN_SUBSTRAIT.iter().find(|(number, _)| *number == query.number);
        match (outcome, known) {
            (Ok(()), None) => {}
            (Err(what), None) => wrong.push(format!("query {}: {what}", query.number)),
            (Err(what), Some((_, why))) if what.contains(why) => {}
            (Err(what), Some((_, why))) => wrong.push(format!("query {}: {what}, not {why}", query.number)),
            (Ok(()), Some(_)) => {
                wrong.push(format!("query {} works now: take it off the list", query.number))
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bytes_that_are_no_substrait_plan_are_refused() {
    let engine = crate::support::engine();
    for bytes in [&b""[..], b"\xff\xff\xff", b"SELECT 1"] {
        if let Err(error) = run(engine.substrait(bytes)) {
            crate::support::check_message(&error);
        } else {
            panic!("{bytes:?} was run");
        }
    }
    // a plan over a table that is not there
    let (other, _scratch) = self::engine("none");
    let plan = other.to_substrait("SELECT count(*) FROM lineitem").expect("a plan");
    let message = run(engine.substrait(&plan)).expect_err("there is no table");
    crate::support::check_message(&message);
    assert!(message.contains("lineitem"), "{message}");
}
