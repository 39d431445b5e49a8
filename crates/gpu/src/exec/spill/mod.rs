//! Tables and groups that are too large for the GPU's memory, spilled to pinned host memory.
//!
//! ```text
//! a scan range's rows ─► a table or groups of their own ─► parts by hash ─► `Piece` on the host
//!                                                                                │ a pass's part
//!       pipelines that read it, once for each pass ◄── a table, or merged groups ◄┘
//! ```
//!
//! The spilled rows cross the bus twice, and the pipelines that make them run once. Pipelines that
//! read them run for each pass (exec/spill/passes.rs).

mod host_memory;
mod part;
mod partition;
mod passes;
mod restore;

use tokio::runtime::Handle;

use super::Result;
use super::compile::Kernels;
use super::launch::Parameters;
use super::run::Run;
use crate::codegen;
use crate::ir::{Fill, Into, Pipeline};

use host_memory::{PARTS, Piece};

pub(super) use host_memory::HostBudget;
pub(super) use part::{DeferredFill, Part, Pass, Spilling};

/// Rows of a table or of groups that a pipeline reads at a time when its output is spilled: about
/// the rows of a scan range of files.
pub(super) const ROWS_AT_A_TIME: u64 = 1 << 20;

impl Run<'_> {
    /// Runs the pipelines of a fill, numbered from `first`, and spills its rows. `None` if they
    /// can't be spilled.
    pub(super) fn spill(
        &mut self,
        of: Part,
        fill: &Fill,
        first: usize,
        handle: &Handle,
    ) -> Result<Option<Vec<Piece>>> {
        let is_taken = match of {
            Part::Table(table) => codegen::can_spill_table(self.query, table),
            Part::Groups(groups) => codegen::can_spill_groups(self.query, groups),
        };
        if !is_taken || !self.engine.host_budget.is_allowed() {
            return Ok(None);
        }
        if !self.has_spill_kernels {
            self.kernels.add(Kernels::of_spill(&self.engine.gpu, self.query)?);
            self.has_spill_kernels = true;
        }
        self.spilling = Some(Spilling { of, pieces: Vec::new() });
        let filled = self.pipelines(fill, first, handle);
        let dealt = self.spilling.take();
        self.drop_part(of);
        filled?;
        let pieces = dealt.map(|spilling| spilling.pieces);
        let bytes = pieces.iter().flatten().map(|piece| piece.room.bytes).sum::<u64>();
        log::info!("{of:?} spilled to host memory, as GPU memory is full: {bytes} bytes");
        self.spilled += bytes;
        Ok(pieces)
    }

    /// Returns whether the output of a pipeline is spilled.
    pub(super) fn is_spilled(&self, pipeline: &Pipeline) -> bool {
        let part = match pipeline.into {
            Into::Table(table) => Part::Table(table),
            Into::Groups(groups) => Part::Groups(groups),
            Into::TableInOrder(_) | Into::Nowhere => return false,
        };
        self.spilling.as_ref().is_some_and(|spilling| spilling.of == part)
    }

    /// Runs a pipeline's kernel over `rows` rows of its source, in `pieces` of work; `head` are the
    /// parameters in front of its tables. Spills the output if it is that of `spilling`.
    pub(super) fn run_kernel(
        &mut self,
        (number, pipeline): (usize, &Pipeline),
        head: &Parameters,
        rows: u64,
        pieces: u64,
        bytes: u64,
    ) -> Result<()> {
        let kernel = format!("pipeline_{number}");
        if !self.is_spilled(pipeline) {
            return self.launch(&kernel, pieces, &self.ends(head.clone(), pipeline)?, bytes);
        }
        let mut is_enough = false;
        let mut room = self.first_capacity(pipeline, rows)?;
        while !is_enough {
            self.allocate_target(pipeline, room)?;
            self.launch(&kernel, pieces, &self.ends(head.clone(), pipeline)?, bytes)?;
            match self.missing_capacity(pipeline)? {
                Some(larger) => room = larger,
                None => is_enough = true,
            }
            self.check()?;
        }
        self.partition(pipeline)
    }
}

/// Returns the parts of a pass, as they stand in a piece. The number of passes is a power of two.
fn places(pass: Pass) -> std::ops::Range<usize> {
    let each = PARTS / pass.parts;
    let bits = pass.parts.trailing_zeros();
    let backwards = if bits == 0 { 0 } else { pass.part.reverse_bits() >> (u64::BITS - bits) };
    (backwards * each) as usize..((backwards + 1) * each) as usize
}

#[cfg(test)]
mod tests;
