//! ISA levels: the vector instructions of the processor, their detection, and their names.

use std::str::FromStr;

/// ISA level of an encoder. The output is the same at every level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IsaLevel {
    /// Safe code for any processor: the reference for the others, and slower than libdeflate.
    Portable,
    /// AVX2 (x86-64, from Haswell and Zen 1).
    Avx2,
    /// AVX-512 (from Ice Lake and Zen 4).
    Avx512,
}

impl IsaLevel {
    /// All levels, the fastest last.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// Returns the name that [`Self::named`] takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Returns the level of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Returns this level, or the fastest one below that this processor can run.
    pub fn or_lower(self) -> Self {
        let available = |&level: &Self| level <= self && level.is_available();
        Self::ALL.into_iter().rev().find(available).unwrap_or(Self::Portable)
    }

    /// Returns the levels that this processor can run, the fastest last.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }

    fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Avx2 => has_avx2(),
            Self::Avx512 => has_avx512_for_encoding(),
        }
    }
}

/// ISA level of a batch decoder, or its absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchIsaLevel {
    /// One stream after the other, by [`crate::Decoder`].
    OneByOne,
    /// Interleaved streams in safe code: the reference for the others, and slow.
    Portable,
    /// Interleaved streams with BMI2; their tokens are partitioned and copied with AVX2 (x86-64,
    /// from Haswell and Zen 1).
    Avx2,
    /// The same, with tokens partitioned and near matches copied with AVX-512 (from Ice Lake and
    /// Zen 4).
    Avx512,
}

impl BatchIsaLevel {
    /// All levels, the fastest last.
    pub const ALL: [Self; 4] = [Self::OneByOne, Self::Portable, Self::Avx2, Self::Avx512];

    /// Returns the level of [`BatchInflater::new`](crate::BatchInflater::new): the fastest that
    /// this processor can run.
    pub fn best() -> Self {
        if has_avx512_for_decoding() {
            Self::Avx512
        } else if has_avx2() {
            Self::Avx2
        } else {
            Self::OneByOne
        }
    }

    /// Returns the name that [`BatchIsaLevel::from_str`] takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneByOne => "one-by-one",
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

impl FromStr for BatchIsaLevel {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|of| of.name() == name)
            .ok_or_else(|| format!("no implementation of batch inflate is called '{name}'"))
    }
}

/// Returns whether the processor has AVX2, and the bit instructions that come with it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
    is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("avx2")
}

/// Returns whether the processor has the AVX-512 extensions that the batch decoder needs, and AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512_for_decoding() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
}

/// Returns whether the processor has the AVX-512 extensions that the encoder needs, and AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512_for_encoding() -> bool {
    has_avx2()
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vpopcntdq")
}

#[cfg(not(target_arch = "x86_64"))]
const fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) const fn has_avx512_for_decoding() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
const fn has_avx512_for_encoding() -> bool {
    false
}

/// Evaluates an expression for portable code, or one with the token of vector code, by the variant
/// of an `Isa`. With three expressions, the last two are for AVX2 and for AVX-512.
macro_rules! by_isa {
    ($isa:expr, portable => $portable:expr, $simd:ident => $vector:expr) => {
        by_isa!($isa, portable => $portable, $simd => $vector, $simd => $vector)
    };
    ($isa:expr, portable => $portable:expr, $avx2:ident => $first:expr, $avx512:ident => $second:expr) => {
        match $isa {
            Self::Portable => $portable,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2($avx2) => $first,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512($avx512) => $second,
        }
    };
}
pub(crate) use by_isa;
