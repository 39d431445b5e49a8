//! Kernels over pages compile with NVRTC for the supported architectures, without a GPU.

use std::path::Path;

use pelton_device_cuda::{Nvrtc, Source};
use pelton_gpu::window::{flat_kernels, page_headers, page_kernels};

/// Ampere, Hopper, Blackwell.
const ARCHITECTURES: [(u32, u32); 3] = [(8, 0), (9, 0), (10, 0)];

#[test]
fn kernels_compile() {
    let environment = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv");
    let nvrtc = Nvrtc::load_with(&environment)
        .unwrap_or_else(|error| panic!("{error}; `make nvrtc` installs it into .venv"));
    let copy_out = Source {
        name: "copy_out.cu".to_owned(),
        text: include_str!("copy_out.cu").to_owned(),
        headers: page_headers().to_vec(),
    };
    for source in [page_kernels(), flat_kernels(), copy_out] {
        for architecture in ARCHITECTURES {
            let cubin = nvrtc.compile(&source, architecture);
            let cubin = cubin.unwrap_or_else(|error| panic!("{} for {architecture:?}: {error}", source.name));
            assert!(cubin.starts_with(b"\x7FELF"), "{}", source.name);
        }
    }
}
