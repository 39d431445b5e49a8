//! Choices of calls that decompress.

use libz_rs_sys::{Z_BLOCK, Z_FINISH, Z_FULL_FLUSH, Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_SYNC_FLUSH};

use super::script::Script;

/// Values of flush that do not stop between blocks. Z_TREES is left out: zlib-rs loses the place in
/// a stored block with it.
const FLUSHES: [i32; 6] = [Z_NO_FLUSH, Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH, Z_PARTIAL_FLUSH, Z_FULL_FLUSH];

/// A call, or a few that belong together.
#[derive(Clone, Copy, Debug)]
pub enum Pull {
    /// `inflate` with `more` new bytes
    Inflate { more: usize, flush: i32, capacity: usize },
    /// `inflateReset`
    Reset,
    /// `inflateReset2`
    Reset2 { bits: i32 },
    /// `inflateCopy`; the copy goes on, or the original.
    Copy { keep: bool },
    /// `inflateSync`
    Sync { more: usize },
    /// `inflateSyncPoint` and `inflateMark`
    Ask,
    /// `inflatePrime`
    Prime { bits: i32, value: i32 },
    /// `inflateSetDictionary`, with the right one or not
    Dictionary { right: bool },
    /// `inflateGetDictionary`
    GetDictionary,
    /// `inflateValidate`
    Validate { check: bool },
    /// `inflateGetHeader`, with this capacity in each field
    Header { capacity: u8 },
}

impl Pull {
    /// Reads one; with `stopping`, one that stops between blocks.
    pub fn read(script: &mut Script<'_>, stopping: bool, max: usize) -> Self {
        match script.byte() % 48 {
            0 => Self::Reset,
            1 => Self::Reset2 { bits: script.pick(&[15, -15, 31, 47, 48, 7]) },
            3 | 4 => Self::Copy { keep: script.odds(128) },
            5 | 6 => Self::Sync { more: script.size() },
            7 | 8 => Self::Ask,
            9 => Self::Prime { bits: script.pick(&[0, 1, 3, 7, 8, 16, 17, -1]), value: script.byte().into() },
            10 => Self::Dictionary { right: script.odds(128) },
            11 => Self::GetDictionary,
            12 => Self::Validate { check: script.odds(128) },
            13 | 14 => Self::Header { capacity: script.pick(&[255, 0, 1, 20]) },
            _ => Self::Inflate {
                flush: if stopping { Z_BLOCK } else { script.pick(&FLUSHES) },
                more: script.size().min(max),
                capacity: script.size().min(max),
            },
        }
    }
}
