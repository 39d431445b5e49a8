//! What GPUs would be given: NVRTC compiles it, without a GPU.

use std::path::Path;

use arrow::array::AsArray;
use pelton_bench::tpch::queries::QUERIES;
use pelton_device_cuda::{Nvrtc, Source};
use pelton_gpu::{codegen, window};
use pelton_query::plan::SOURCE_COLUMN;
use pelton_tests::python::repository;

use super::host::Sql;
use super::tpch::engine;

/// Ampere, Hopper, Blackwell.
const ARCHITECTURES: [(u32, u32); 3] = [(8, 0), (9, 0), (10, 0)];

fn nvrtc() -> Nvrtc {
    let environment = repository().join(".venv");
    Nvrtc::load_with(Path::new(&environment))
        .unwrap_or_else(|error| panic!("{error}; `make nvrtc` installs it into .venv"))
}

fn compile(nvrtc: &Nvrtc, source: &Source, architectures: &[(u32, u32)]) {
    for architecture in architectures {
        match nvrtc.compile(source, *architecture) {
            Ok(cubin) => assert!(cubin.starts_with(b"\x7FELF"), "{} for {architecture:?}", source.name),
            Err(error) => panic!("{} for {architecture:?}: {error}", source.name),
        }
    }
}

/// The source that EXPLAIN CUDA prints, with the headers that go with it.
pub fn source(engine: &dyn Sql, name: &str, sql: &str) -> Source {
    let answer = engine.answer(&format!("EXPLAIN CUDA {sql}")).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut text = String::new();
    for batch in &answer.batches {
        let lines = batch.column_by_name(SOURCE_COLUMN).expect("the column of lines");
        for line in lines.as_string::<i32>() {
            text += line.expect("a line");
            text += "\n";
        }
    }
    let headers = window::page_headers().iter().chain(codegen::HEADERS).copied().collect();
    Source { name: name.to_owned(), text, headers }
}

#[test]
fn every_pipeline_of_tpch_compiles_for_gpus() {
    let nvrtc = nvrtc();
    let (engine, _scratch) = engine("cuda-host", "snappy");
    for query in &QUERIES {
        let name = format!("q{:02}.cu", query.number);
        let source = source(&engine, &name, query.sql);
        assert!(source.text.contains("PELTON_KERNEL(pipeline_0"), "{}", source.text);
        compile(&nvrtc, &source, &ARCHITECTURES);
    }
}

#[test]
fn the_kernels_before_pipelines_compile_for_gpus() {
    compile(&nvrtc(), &window::page_kernels(), &ARCHITECTURES);
}
