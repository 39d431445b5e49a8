//! Blocks that go to an accelerator, if the router says so (`crate::offload`).

use libz_rs_sys::{Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH};
use pelton_codec::{PendingBits, part_bound};

use super::block_encoder::Blocks;
use super::compress::LAST_EMPTY;
use crate::buffer::NoMemory;
use crate::offload::{InlineRun, Kind, Who, ask};

/// Who has what was gathered.
pub(super) enum Routed {
    /// An accelerator has compressed it, and the end of the stream was packed if that was it.
    There,
    /// The caller is to compress it, and to say when it is done if the router waits for that.
    Here(Option<InlineRun>),
}

impl Blocks {
    /// Has an accelerator compress what was gathered, at a level of zlib's, if it is its turn.
    pub(super) fn route(&mut self, asked: i32, is_last: bool) -> Result<Routed, NoMemory> {
        if self.strategy != Z_DEFAULT_STRATEGY {
            return Ok(Routed::Here(None));
        }
        let is_whole = is_last && self.start == 0 && self.pending == PendingBits::default();
        let kind = if is_whole { Kind::Whole } else { Kind::Part };
        let there = match ask(kind, asked, self.window, self.gathered()) {
            Who::There(there) => there,
            Who::Here(run) => return Ok(Routed::Here(run)),
        };
        if self.pending != PendingBits::default() {
            self.mark(Z_SYNC_FLUSH)?;
        }
        let before = self.packed.len();
        self.packed.resize(before + part_bound(self.gathered().len()))?;
        let len = match there.run(&self.plain[self.start..], &mut self.packed[before..]) {
            Ok(len) => len,
            Err(run) => {
                self.packed.truncate(before);
                return Ok(Routed::Here(run));
            }
        };
        self.packed.truncate(before + len);
        self.is_by_device = true;
        if is_last && kind == Kind::Part {
            self.write(LAST_EMPTY)?;
        }
        self.end(is_last)?;
        Ok(Routed::There)
    }
}
