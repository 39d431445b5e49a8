//! Blocks that go to an accelerator, if the router says so (`crate::device`).

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH};
use pelton_codec::{Pending, part_bound};

use super::Blocks;
use crate::buffer::NoMemory;
use crate::device::{Kind, Turn, Who, ask};

/// The last block of a stream, of the fixed code, with nothing in it: ten bits.
const LAST_EMPTY: (u32, u32) = (0b011, 10);

/// Who has what was gathered.
pub(super) enum Routed {
    /// An accelerator has compressed it, and the end of the stream was packed if that was it.
    There,
    /// The caller is to compress it, and to say when it is done if the router waits for that.
    Here(Option<Turn>),
}

impl Blocks {
    /// Has an accelerator compress what was gathered, at a level of zlib's, if it is its turn.
    pub(super) fn route(&mut self, asked: i32, is_last: bool) -> Result<Routed, NoMemory> {
        if self.strategy != Z_DEFAULT_STRATEGY {
            return Ok(Routed::Here(None));
        }
        let is_whole = is_last && self.start == 0 && self.pending == Pending::default();
        let kind = if is_whole { Kind::Whole } else { Kind::Part };
        let there = match ask(kind, asked, self.window, self.gathered()) {
            Who::There(there) => there,
            Who::Here(turn) => return Ok(Routed::Here(turn)),
        };
        if self.pending != Pending::default() {
            self.mark(Z_SYNC_FLUSH)?;
        }
        let before = self.packed.len();
        self.packed.resize(before + part_bound(self.gathered().len()))?;
        let made = there.run(&self.plain[self.start..], &mut self.packed[before..]);
        self.packed.truncate(before + made.unwrap_or(0));
        if made.is_none() {
            return Ok(Routed::Here(None));
        }
        self.is_by_device = true;
        if is_last && kind == Kind::Part {
            self.write(LAST_EMPTY)?;
        }
        self.end(is_last)?;
        Ok(Routed::There)
    }
}
