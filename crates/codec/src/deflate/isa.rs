//! Which processor's level an encoder takes.

use crate::deflate::encoder::dispatch::Isa;

/// A processor's instructions that an encoder takes its level with. Whichever they are, its output is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IsaLevel {
    /// Safe code for any processor: the oracle of the others, and slower than libdeflate.
    Portable,
    /// AVX2 (x86-64, from Haswell and Zen 1).
    Avx2,
    /// AVX-512 (from Ice Lake and Zen 4).
    Avx512,
}

impl IsaLevel {
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

    /// The level of that name, if there are any.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// These, or the fastest below them that this processor can run.
    pub fn or_lower(self) -> Self {
        Isa::with(self).isa_level()
    }

    /// Those that this processor can run, the fastest last.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&level| level.or_lower() == level)
    }
}
