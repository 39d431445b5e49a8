//! Which processor's steps an encoder takes.

use crate::deflate::encoder::dispatch::Engine;

/// A processor's instructions that an encoder takes its steps with. Whichever they are, its output is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Steps {
    /// Safe code for any processor: the oracle of the others, and slower than libdeflate.
    Portable,
    /// AVX2 (x86-64, from Haswell and Zen 1).
    Avx2,
    /// AVX-512 (from Ice Lake and Zen 4).
    Avx512,
}

impl Steps {
    /// All of them, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The name that [`Self::named`] takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The steps of that name, if there are any.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|steps| steps.name() == name)
    }

    /// These, or the fastest below them that this processor can run.
    pub fn or_less(self) -> Self {
        Engine::with(self).steps()
    }

    /// Those that this processor can run, the fastest last.
    pub fn here() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&steps| steps.or_less() == steps)
    }
}
