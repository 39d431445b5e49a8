//! Kernel sources: CUDA C++ as text, with the headers that they include.

use xxhash_rust::xxh64::Xxh64;

/// A source to compile. Compiler options are the runtime's, the same for every source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// A name for messages, such as `decompress.cu`.
    pub name: String,
    /// CUDA C++. It begins with `#include "pelton/prelude.cuh"`.
    pub text: String,
    /// Headers beyond [`source_headers`]: the name that `#include` has, and the text.
    pub headers: Vec<(&'static str, &'static str)>,
}

/// Returns the headers that every source can include: the prelude and the headers in it.
pub fn source_headers() -> &'static [(&'static str, &'static str)] {
    &[
        ("pelton/prelude.cuh", include_str!("../../kernels/pelton/prelude.cuh")),
        ("pelton/codes.cuh", include_str!("../../kernels/pelton/codes.cuh")),
    ]
}

/// Returns the headers that the prelude includes only under the host's compiler.
pub(crate) fn host_headers() -> &'static [(&'static str, &'static str)] {
    &[
        ("pelton/sim/context.h", include_str!("../../sim/context.h")),
        ("pelton/sim/block.h", include_str!("../../sim/block.h")),
        ("pelton/sim/report.h", include_str!("../../sim/report.h")),
        ("pelton/sim/barrier.h", include_str!("../../sim/barrier.h")),
        ("pelton/sim/warp.h", include_str!("../../sim/warp.h")),
        ("pelton/sim/lanes.h", include_str!("../../sim/lanes.h")),
        ("pelton/sim/launch.h", include_str!("../../sim/launch.h")),
        ("pelton/sim/cuda.h", include_str!("../../sim/cuda.h")),
        ("pelton/sim/atomics.h", include_str!("../../sim/atomics.h")),
    ]
}

/// 128-bit hash of all inputs of a compilation. Sources are our own, so no hash against attackers
/// is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64, u64);

impl Key {
    /// Hashes a source. `parts` are the compiler with its version, its options and the
    /// architecture.
    pub fn new(source: &Source, built_in: &[(&str, &str)], parts: &[&str]) -> Key {
        let half = |seed| {
            let mut hash = Xxh64::new(seed);
            let mut add = |text: &str| {
                hash.update(&(text.len() as u64).to_le_bytes());
                hash.update(text.as_bytes());
            };
            parts.iter().for_each(|part| add(part));
            add(&source.name);
            add(&source.text);
            for (name, text) in built_in.iter().chain(&source.headers) {
                add(name);
                add(text);
            }
            hash.digest()
        };
        Key(half(0), half(1))
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}{:016x}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests;
