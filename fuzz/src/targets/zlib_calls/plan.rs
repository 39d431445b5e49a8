//! Plan of calls that compress.

use libz_rs_sys::{Z_BLOCK, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH};

use super::script::Script;

/// Values of flush, the common ones more often.
const FLUSHES: [i32; 10] = [
    Z_NO_FLUSH,
    Z_NO_FLUSH,
    Z_NO_FLUSH,
    Z_SYNC_FLUSH,
    Z_SYNC_FLUSH,
    Z_PARTIAL_FLUSH,
    Z_FULL_FLUSH,
    Z_FINISH,
    Z_FINISH,
    Z_BLOCK,
];
/// Windows in all containers, the common ones more often.
const BITS: [i32; 28] = [
    15, 15, 15, 15, 15, -15, -15, -15, 31, 31, 31, 8, 9, 10, 12, 13, 14, -9, -11, -12, -13, -14, 25, 26, 27,
    28, 29, 30,
];
/// Maximum size of the data: more than any library gathers before it writes.
const MAX: usize = 600 << 10;

/// A call, or a few that belong together.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// `deflate` with `more` new bytes; with `insist`, again until a flush is complete.
    Deflate { more: usize, flush: i32, capacity: usize, insist: bool },
    /// `deflateParams`
    Params { level: i32, strategy: i32 },
    /// `deflateTune`
    Tune { good: i32, lazy: i32, nice: i32, chain: i32 },
    /// `deflateReset`, or with `keep`, where a raw stream has ended, `deflateResetKeep`
    Reset { keep: bool },
    /// `deflateCopy`; either the copy or the original goes on, and the other one is finished.
    Copy { keep: bool },
    /// `deflateSetDictionary`, of so much that was there already.
    Dictionary { len: usize },
    /// `deflatePrime` with an empty block, in two calls, or in one that is refused.
    Prime { bad: bool },
    /// `deflatePending`
    Pending,
    /// The rest in one `deflate`, with the capacity that `deflateBound` returns.
    Whole,
}

/// Calls that are made with both libraries.
#[derive(Debug)]
pub struct Plan {
    pub level: i32,
    pub bits: i32,
    pub memory: i32,
    pub strategy: i32,
    /// Every call has the capacity for all output, and the libraries have to agree on its result.
    pub ample: bool,
    /// The stream has an allocator of the caller's.
    pub own_memory: bool,
    /// Room of the calls that finish a stream.
    pub last_capacity: usize,
    pub steps: Vec<Step>,
}

impl Plan {
    /// Reads one.
    pub fn read(script: &mut Script<'_>) -> Self {
        let level = script.pick(&[6, -1, 1, 9, 0, 2, 3, 4, 5, 7, 8]);
        let (bits, ample) = (script.pick(&BITS), script.odds(128));
        let (memory, strategy) = match script.odds(64) {
            true => (script.pick(&[1, 9, 2, 5]), script.pick(&[0, 1, 2, 3, 4])),
            false => (8, 0),
        };
        let last_capacity = script.pick(&[1 << 16, 4096, 100, 7]);
        let own_memory = script.odds(64);
        let mut steps = vec![];
        while script.more() {
            steps.push(Step::read(script));
        }
        Self { level, bits, memory, strategy, ample, own_memory, last_capacity, steps }
    }

    /// Returns whether there is neither header nor checksum.
    pub fn raw(&self) -> bool {
        self.bits < 0
    }
}

impl Step {
    fn read(script: &mut Script<'_>) -> Self {
        match script.byte() % 20 {
            0 => Self::Params {
                level: script.pick(&[6, 1, 9, 0, -1, 3, 4, 10]),
                strategy: script.pick(&[0, 0, 0, 1, 2, 3, 4, 5]),
            },
            1 => Self::Reset { keep: script.odds(64) },
            2 => Self::Copy { keep: script.odds(128) },
            3 => Self::Dictionary { len: script.size() },
            4 => Self::Prime { bad: script.odds(64) },
            5 => Self::Pending,
            6 => Self::Whole,
            7 => {
                let [good, lazy, nice, chain] = [0; 4].map(|_| i32::from(script.byte()) + 3);
                Self::Tune { good, lazy, nice, chain }
            }
            _ => Self::Deflate {
                flush: script.pick(&FLUSHES),
                more: if script.odds(20) { MAX } else { script.size() },
                capacity: script.size(),
                insist: script.odds(200),
            },
        }
    }
}

/// Plain data of an input: its bytes, some repeated so that there is more than a library gathers.
/// Every repetition is a little different.
pub fn uncompressed(script: &mut Script<'_>, bytes: &[u8]) -> Vec<u8> {
    let times = if script.odds(48) { 1 + usize::from(script.byte()) } else { 1 };
    let times = times.min(1 + MAX / bytes.len().max(1));
    let mut uncompressed = bytes.repeat(times);
    for (number, repetition) in uncompressed.chunks_mut(bytes.len().max(1)).enumerate().skip(1) {
        repetition
            .iter_mut()
            .skip(number % 13)
            .step_by(29 + number % 31)
            .for_each(|byte| *byte ^= number as u8);
    }
    uncompressed
}
