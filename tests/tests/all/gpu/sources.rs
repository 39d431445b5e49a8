//! Sources for GPUs: NVRTC compiles them, without a GPU.

use std::path::Path;

use arrow::array::AsArray;
use pelton_device_cuda::{Nvrtc, Source};
use pelton_gpu::{codegen, window};
use pelton_query::plan::SOURCE_COLUMN;
use pelton_tests::python::repository;
use pelton_tpch::queries::QUERIES;

use super::host::Sql;
use super::tpch::engine;

fn nvrtc() -> Nvrtc {
    let environment = repository().join(".venv");
    Nvrtc::load_with(Path::new(&environment))
        .unwrap_or_else(|error| panic!("{error}; `make nvrtc` installs it into .venv"))
}

fn compile(nvrtc: &Nvrtc, source: &Source, architecture: (u32, u32)) {
    match nvrtc.compile(source, architecture) {
        Ok(cubin) => assert!(cubin.starts_with(b"\x7FELF"), "{} for {architecture:?}", source.name),
        Err(error) => panic!("{} for {architecture:?}: {error}", source.name),
    }
}

/// Returns the source that EXPLAIN CUDA prints, with its headers.
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

/// The kernels that come before pipelines, and every pipeline of TPC-H.
fn all_compile(architecture: (u32, u32)) {
    let nvrtc = nvrtc();
    compile(&nvrtc, &window::page_kernels(), architecture);
    let (engine, _scratch) = engine("cuda-host", "snappy");
    for query in &QUERIES {
        let name = format!("q{:02}.cu", query.number);
        let source = source(&engine, &name, query.sql);
        assert!(source.text.contains("PELTON_KERNEL(pipeline_0"), "{}", source.text);
        compile(&nvrtc, &source, architecture);
    }
}

#[test]
fn all_compile_for_ampere() {
    all_compile((8, 0));
}

#[test]
fn all_compile_for_hopper() {
    all_compile((9, 0));
}

#[test]
fn all_compile_for_blackwell() {
    all_compile((10, 0));
}
