//! What is too large for the GPU's memory, set aside in pinned memory of the host.
//!
//! ```text
//! rows of a scan range ─► a table or groups of their own ─► parts by hash ─► `Piece` in host memory
//!                                                                               │ a pass's part
//!      pipelines that read it, once for each pass ◄── a table, or merged groups ◄┘
//! ```
//!
//! The rows of what is filled cross the bus twice, and what made them runs once. What reads them
//! runs for each pass, as exec/passes.rs says.

mod aside;
mod bring;
mod deal;
mod piece;

use tokio::runtime::Handle;

use super::Result;
use super::compile::Kernels;
use super::parameters::Parameters;
use super::passes::Part;
use super::run::Run;
use super::table::Pass;
use crate::codegen;
use crate::ir::{Fill, Into, Pipeline};

pub(super) use aside::Aside;
pub(super) use piece::Piece;

/// Parts that rows are dealt out to: `SPILL_PARTS` of query/spill.cuh.
pub(super) const PARTS: u64 = 64;

/// Rows of a table or of groups that a pipeline reads at a time when what it makes is set aside: as
/// many as a window of files has, about.
pub(super) const ROWS_AT_A_TIME: u64 = 1 << 20;

/// What is being set aside.
#[derive(Debug)]
pub(super) struct Dealing {
    pub of: Part,
    pub pieces: Vec<Piece>,
}

impl Run<'_> {
    /// Runs the pipelines of a fill, of which the first has the number `first`, and sets its rows
    /// aside. `None`: they can't be.
    pub(super) fn set_aside(
        &mut self,
        of: Part,
        fill: &Fill,
        first: usize,
        handle: &Handle,
    ) -> Result<Option<Vec<Piece>>> {
        let is_taken = match of {
            Part::Table(table) => codegen::takes_table(self.query, table),
            Part::Groups(groups) => codegen::takes_groups(self.query, groups),
        };
        if !is_taken || !self.engine.aside.is_allowed() {
            return Ok(None);
        }
        if !self.can_set_aside {
            self.kernels.add(Kernels::of_spill(&self.engine.gpu, self.query)?);
            self.can_set_aside = true;
        }
        self.dealing = Some(Dealing { of, pieces: Vec::new() });
        let filled = self.pipelines(fill, first, handle);
        let dealt = self.dealing.take();
        self.drop_part(of);
        filled?;
        let pieces = dealt.map(|dealing| dealing.pieces);
        self.spilled += pieces.iter().flatten().map(|piece| piece.room.bytes).sum::<u64>();
        Ok(pieces)
    }

    /// Whether what a pipeline makes is set aside.
    pub(super) fn is_dealt(&self, pipeline: &Pipeline) -> bool {
        let part = match pipeline.into {
            Into::Table(table) => Part::Table(table),
            Into::Groups(groups) => Part::Groups(groups),
            Into::TableInOrder(_) | Into::Nowhere => return false,
        };
        self.dealing.as_ref().is_some_and(|dealing| dealing.of == part)
    }

    /// Runs a pipeline's kernel over `rows` rows of its source, in `pieces` of work; `head` are the
    /// parameters in front of its tables. What it makes is set aside if that is what is being done.
    pub(super) fn run_kernel(
        &mut self,
        (number, pipeline): (usize, &Pipeline),
        head: &Parameters,
        rows: u64,
        pieces: u64,
        bytes: u64,
    ) -> Result<()> {
        let kernel = format!("pipeline_{number}");
        if !self.is_dealt(pipeline) {
            return self.launch(&kernel, pieces, &self.ends(head.clone(), pipeline)?, bytes);
        }
        let mut is_enough = false;
        let mut room = self.first_room(pipeline, rows)?;
        while !is_enough {
            self.make_room(pipeline, room)?;
            self.launch(&kernel, pieces, &self.ends(head.clone(), pipeline)?, bytes)?;
            match self.room_missing(pipeline)? {
                Some(larger) => room = larger,
                None => is_enough = true,
            }
            self.check()?;
        }
        self.deal(pipeline)
    }
}

/// The parts of a pass, as they stand in a piece. There are 2, 4, … or 64 passes.
fn places(pass: Pass) -> std::ops::Range<usize> {
    let each = PARTS / pass.parts;
    let bits = pass.parts.trailing_zeros();
    let backwards = if bits == 0 { 0 } else { pass.part.reverse_bits() >> (u64::BITS - bits) };
    (backwards * each) as usize..((backwards + 1) * each) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `spill_place` and `in_part` of the kernels.
    #[test]
    fn the_places_of_a_pass_have_its_hashes() {
        for parts in [1u64, 2, 4, 8, 16, 32, 64] {
            for hash in 0..PARTS {
                let place = ((hash as u32).reverse_bits() >> 26) as usize;
                let of = (0..parts).filter(|&part| places(Pass { parts, part }).contains(&place));
                assert_eq!(of.collect::<Vec<_>>(), [hash % parts], "hash {hash} of {parts}");
            }
        }
    }
}
