//! Kernels compile with NVRTC for the architectures that are supported, without a GPU.

use std::path::Path;

use pelton_device_cuda::{Error, Nvrtc, Source};

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

/// All that the prelude has, and all of CUDA that the host build has: what is there must mean the same here.
#[test]
fn what_kernels_may_use_compiles() {
    assert_compiles(&nvrtc(), &source("everything.cu", include_str!("everything.cu")));
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
