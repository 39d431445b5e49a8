//! Compressors: Pelton and its rivals, with each level as a contender.

use std::ops::RangeInclusive;

use pelton_codec::{Format, IsaLevel, Level, RawEncoder};
use zlib_rs::{Deflate, DeflateFlush, Status};
use zstd_safe::CCtx;

use crate::sys::{isal, libdeflate, zlib};

/// Compresses a block into an output that is long enough, and returns how many bytes that took.
type Compress = Box<dyn FnMut(&[u8], &mut [u8]) -> usize>;

/// An encoder at a level.
pub struct Encoder {
    /// Its library.
    pub family: Family,
    /// Its level.
    pub level: i32,
    /// It.
    pub compress: Compress,
}

/// A library that compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Pelton.
    Pelton,
    /// Pelton with AVX2 and nothing above, as on processors without AVX-512.
    PeltonAvx2,
    /// libdeflate.
    Libdeflate,
    /// ISA-L's igzip.
    Igzip,
    /// Mark Adler's zlib.
    Zlib,
    /// zlib-ng.
    ZlibNg,
    /// zlib-rs.
    ZlibRs,
    /// Zstandard, for orientation: it is another format.
    Zstd,
}

impl Family {
    /// Every library.
    pub const ALL: [Family; 8] = [
        Family::Pelton,
        Family::PeltonAvx2,
        Family::Libdeflate,
        Family::Igzip,
        Family::Zlib,
        Family::ZlibNg,
        Family::ZlibRs,
        Family::Zstd,
    ];

    /// Returns the name in options and tables; a contender has this name with its level appended.
    pub fn name(self) -> &'static str {
        match self {
            Family::Pelton => "pelton",
            Family::PeltonAvx2 => "avx2-pelton",
            Family::Libdeflate => "libdeflate",
            Family::Igzip => "igzip",
            Family::Zlib => "zlib",
            Family::ZlibNg => "zlib-ng",
            Family::ZlibRs => "zlib-rs",
            Family::Zstd => "zstd",
        }
    }

    /// Returns the default levels.
    pub fn levels(self) -> &'static [i32] {
        match self {
            Family::Pelton => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            Family::PeltonAvx2 if IsaLevel::available().any(|steps| steps == IsaLevel::Avx2) => {
                &[1, 2, 3, 4, 5, 6, 7, 8, 9]
            }
            Family::PeltonAvx2 => &[],
            Family::Libdeflate => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
            Family::Igzip => &[0, 1, 2, 3],
            Family::Zlib => &[1, 3, 6, 9],
            Family::ZlibNg => &[1, 2, 6, 9],
            Family::ZlibRs => &[1, 6, 9],
            Family::Zstd => &[1, 3],
        }
    }

    fn known_levels(self) -> RangeInclusive<i32> {
        match self {
            Family::Pelton => Format::Deflate.levels().unwrap_or(0..=0),
            Family::PeltonAvx2 => 1..=9,
            Family::Libdeflate => 0..=12,
            Family::Igzip => 0..=3,
            Family::Zlib | Family::ZlibNg | Family::ZlibRs => 0..=9,
            Family::Zstd => 1..=22,
        }
    }

    /// Returns a contender by its name, such as `libdeflate6`.
    pub fn named(name: &str) -> Result<Encoder, String> {
        let level = |family: &Family| name.strip_prefix(family.name())?.parse::<u8>().ok();
        match Family::ALL.into_iter().find_map(|family| Some((family, level(&family)?))) {
            Some((family, level)) => family.at(level.into()),
            None => Err(format!("no coder {name}: there are {}, each with a level", Family::names())),
        }
    }

    /// Returns the names of all libraries, for people.
    pub fn names() -> String {
        Family::ALL.map(Family::name).join(", ")
    }

    /// Returns the encoder of a level; the error says that the library has no such level.
    pub fn at(self, level: i32) -> Result<Encoder, String> {
        let known = self.known_levels();
        if !known.contains(&level) {
            return Err(format!("{} has levels {} to {}", self.name(), known.start(), known.end()));
        }
        if self.levels().is_empty() {
            return Err(format!("this processor can't run {}", self.name()));
        }
        let compress: Compress = match self {
            Family::Pelton => ours(level),
            Family::PeltonAvx2 => {
                let mut encoder = RawEncoder::with_isa_level(IsaLevel::Avx2);
                Box::new(move |input, output| {
                    encoder.compress(level, input, output).expect("an output that is long enough")
                })
            }
            Family::Libdeflate => {
                let mut encoder = libdeflate::Deflate::new(level);
                Box::new(move |input, output| encoder.compress(input, output))
            }
            Family::Igzip => {
                let mut encoder = isal::Deflate::new(level);
                Box::new(move |input, output| encoder.compress(input, output))
            }
            Family::Zlib => {
                let mut encoder = zlib::stock::Deflate::new(level);
                Box::new(move |input, output| encoder.compress(input, output))
            }
            Family::ZlibNg => {
                let mut encoder = zlib::next::Deflate::new(level);
                Box::new(move |input, output| encoder.compress(input, output))
            }
            Family::ZlibRs => zlib_rs(level),
            Family::Zstd => zstd(level),
        };
        Ok(Encoder { family: self, level, compress })
    }
}

impl Encoder {
    /// Returns the name, such as `libdeflate6`.
    pub fn name(&self) -> String {
        format!("{}{}", self.family.name(), self.level)
    }
}

/// Pelton's encoder at a level of [`Format::Deflate`].
fn ours(level: i32) -> Compress {
    let level = Level::new(Format::Deflate, level).expect("a known level");
    let mut encoder = pelton_codec::Encoder::new();
    Box::new(move |input, output| {
        encoder
            .compress(Format::Deflate, level, input, output)
            .expect("an output that is long enough")
            .produced
    })
}

fn zlib_rs(level: i32) -> Compress {
    let mut encoder = Deflate::new(level, false, 15);
    Box::new(move |input, output| {
        encoder.reset();
        let status = encoder.compress(input, output, DeflateFlush::Finish);
        assert_eq!(status, Ok(Status::StreamEnd), "zlib-rs: the output is too short");
        encoder.total_out() as usize
    })
}

fn zstd(level: i32) -> Compress {
    let mut encoder = CCtx::create();
    Box::new(move |input, output| {
        encoder.compress(output, input, level).expect("an output that is long enough")
    })
}
