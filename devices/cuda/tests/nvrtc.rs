//! Kernels compile with NVRTC for the supported architectures, without a GPU.

use std::path::{Path, PathBuf};

use pelton_device_cuda::{Error, Nvrtc, Source, source_headers};

/// Ampere, Hopper, Blackwell.
const ARCHITECTURES: [(u32, u32); 3] = [(8, 0), (9, 0), (10, 0)];

fn nvrtc() -> Nvrtc {
    let environment = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv");
    Nvrtc::load_with(&environment)
        .unwrap_or_else(|error| panic!("{error}; `make nvrtc` installs it into .venv"))
}

fn source(name: &str, text: &str) -> Source {
    Source { name: name.into(), text: format!("#include \"pelton/prelude.cuh\"\n{text}"), headers: vec![] }
}

#[track_caller]
fn assert_compiles(nvrtc: &Nvrtc, source: &Source) {
    for architecture in ARCHITECTURES {
        match nvrtc.compile(source, architecture) {
            Ok(cubin) => assert!(cubin.starts_with(b"\x7FELF"), "{} for {architecture:?}", source.name),
            Err(error) => panic!("for {architecture:?}: {error}"),
        }
    }
}

/// The prelude, and all of CUDA that the host build has, must mean the same here.
#[test]
fn what_kernels_may_use_compiles() {
    assert_compiles(&nvrtc(), &source("everything.cu", include_str!("everything.cu")));
}

/// Every `.cu` in `kernels`, with every `.cuh` there by its path in that folder, as `#include`
/// names it.
#[test]
fn every_kernel_of_this_crate_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut files = Vec::new();
    list(&folder, &mut files);
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    let name = |path: &Path| path.strip_prefix(&folder).unwrap().to_str().unwrap().to_string();
    let ends = |path: &&PathBuf, extension: &str| path.extension().is_some_and(|other| other == extension);
    let built_in: Vec<_> = source_headers().iter().map(|(name, _)| *name).collect();
    // headers are constants of a program; here they are leaked
    let headers: Vec<(&'static str, &'static str)> = files
        .iter()
        .filter(|path| ends(path, "cuh") && !built_in.contains(&name(path).as_str()))
        .map(|path| (&*name(path).leak(), &*text(path).leak()))
        .collect();
    let nvrtc = nvrtc();
    for path in files.iter().filter(|path| ends(path, "cu")) {
        assert_compiles(&nvrtc, &Source { name: name(path), text: text(path), headers: headers.clone() });
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { list(&path, files) } else { files.push(path) }
    }
}

#[test]
fn errors_have_the_compilers_log() {
    let wrong = source("wrong.cu", "PELTON_KERNEL(k, Absent, p) {}");
    let Err(Error::Compile { compiler, name, log }) = nvrtc().compile(&wrong, (9, 0)) else {
        panic!("it compiles")
    };
    assert_eq!((compiler, name.as_str()), ("NVRTC", "wrong.cu"));
    assert!(log.contains("wrong.cu(2)") && log.contains("Absent"), "{log}");
}

#[test]
fn an_architecture_that_nobody_makes_is_refused() {
    let refused = nvrtc().compile(&source("k.cu", ""), (99, 9)).unwrap_err();
    assert!(matches!(refused, Error::OldNvrtc { architecture: (99, 9), .. }), "{refused}");
}
