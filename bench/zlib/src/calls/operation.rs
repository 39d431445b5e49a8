//! The calls: in one function, in a new stream, or in one that is reset, as RocksDB and the JDK do.

use std::cell::RefCell;

use crate::sys::zlib::{Stream, Way, Zlib, compress, uncompress};

/// Operation on each block.
pub enum Operation {
    /// `compress2`
    Compress { level: i32 },
    /// `uncompress`
    Uncompress,
    /// A stream for each block
    New { way: Way, bits: i32 },
    /// One stream, reset for each block
    Reset { way: Way, bits: i32 },
}

/// Blocks to work on.
pub struct Work {
    /// Input blocks.
    pub blocks: Vec<Vec<u8>>,
    /// Output buffer.
    capacity: RefCell<Vec<u8>>,
}

impl Operation {
    /// Everything that is measured.
    pub fn all() -> impl Iterator<Item = Self> {
        let compress = [1, 6, 9].map(|level| Self::Compress { level });
        let new = [15, -15, 31].map(|bits| Self::New { way: Way::Deflate { level: 6 }, bits });
        let reset = [(1, -15), (6, -15), (9, -15), (6, 31)];
        let reset = reset.map(|(level, bits)| Self::Reset { way: Way::Deflate { level }, bits });
        let inflate = [15, -15, 31].map(|bits| Self::New { way: Way::Inflate, bits });
        let again = [-15, 31].map(|bits| Self::Reset { way: Way::Inflate, bits });
        let all = compress.into_iter().chain(new).chain(reset).chain([Self::Uncompress]);
        all.chain(inflate).chain(again)
    }

    /// Returns the name.
    pub fn name(&self) -> String {
        let way = |way: &Way| match way {
            Way::Deflate { level } => format!("deflate -{level}"),
            Way::Inflate => "inflate".to_owned(),
        };
        match self {
            Self::Compress { level } => format!("compress2 -{level}"),
            Self::Uncompress => "uncompress".into(),
            Self::New { way: which, bits } => format!("{} bits {bits} new", way(which)),
            Self::Reset { way: which, bits } => format!("{} bits {bits} reset", way(which)),
        }
    }

    /// Cuts data into blocks, and compresses them if this decompresses.
    pub fn prepare(&self, zlib: &Zlib, uncompressed: &[u8], size: usize) -> Work {
        let mut capacity = vec![0; size * 2 + 1024];
        let bits = match self {
            Self::Uncompress => Some(15),
            Self::New { way: Way::Inflate, bits } | Self::Reset { way: Way::Inflate, bits } => Some(*bits),
            _ => None,
        };
        let block = |uncompressed: &[u8]| match bits {
            None => uncompressed.to_vec(),
            Some(bits) => {
                let len =
                    Stream::begin(zlib, Way::Deflate { level: 6 }, bits).whole(uncompressed, &mut capacity);
                capacity[..len].to_vec()
            }
        };
        Work {
            blocks: uncompressed.chunks_exact(size).map(block).collect(),
            capacity: capacity.clone().into(),
        }
    }

    /// Does it `times`, going round the blocks; the bytes that were written.
    pub fn run(&self, zlib: &Zlib, work: &Work, times: usize) -> usize {
        let mut capacity = work.capacity.borrow_mut();
        let blocks = work.blocks.iter().cycle().take(times);
        match *self {
            Self::Compress { level } => blocks.map(|block| compress(zlib, level, block, &mut capacity)).sum(),
            Self::Uncompress => blocks.map(|block| uncompress(zlib, block, &mut capacity)).sum(),
            Self::New { way, bits } => {
                blocks.map(|block| Stream::begin(zlib, way, bits).whole(block, &mut capacity)).sum()
            }
            Self::Reset { way, bits } => {
                let mut stream = Stream::begin(zlib, way, bits);
                let whole = |block: &Vec<u8>| {
                    stream.reset();
                    stream.whole(block, &mut capacity)
                };
                blocks.map(whole).sum()
            }
        }
    }
}
