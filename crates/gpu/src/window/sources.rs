//! The kernels' sources.

use pelton_device_cuda::Source;

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("pages/", $name), include_str!(concat!("../../kernels/pages/", $name)))),*]
    };
}

/// What `#include "pages/cursor.cuh"` takes: headers for a source that reads columns of a window.
pub fn page_headers() -> &'static [(&'static str, &'static str)] {
    headers![
        "codes.cuh",
        "cursor.cuh",
        "delta.cuh",
        "directory.cuh",
        "hybrid.cuh",
        "layout.cuh",
        "load.cuh",
        "nulls.cuh",
        "strings.cuh",
        "value.cuh",
    ]
}

/// The passes that come before a query's kernels: for who compiles them without running them.
pub fn page_kernels() -> Source {
    source("directory.cu", include_str!("../../kernels/pages/directory.cu"))
}

/// What decodes columns that stay on the GPU.
pub fn flat_kernels() -> Source {
    source("flat.cu", include_str!("../../kernels/pages/flat.cu"))
}

fn source(name: &str, text: &str) -> Source {
    Source { name: name.to_owned(), text: text.to_owned(), headers: page_headers().to_vec() }
}
