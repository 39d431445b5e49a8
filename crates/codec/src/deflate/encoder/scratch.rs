//! Scratch memory of the encoder: counters, costs and tables that would not fit the stack of a
//! thread with 16 KB, nor that of a coroutine.

use std::collections::TryReserveError;
use std::slice;

use super::block::token_writer::{Codes, Tables};
use super::heuristics::RepeatTables;
use super::levels::reserve;
use super::parser::near_optimal::Costs;
use super::symbols::{Counters, Histogram};

/// Values that one step fills and the next reads.
#[derive(Clone, Copy)]
pub(crate) struct Scratch {
    pub(crate) counters: Counters,
    /// Counts of the block that is being collected.
    pub(crate) block: Histogram,
    /// Counts of the next tokens.
    pub(crate) next: Histogram,
    pub(crate) codes: Codes,
    pub(crate) tables: Tables,
    pub(crate) costs: Costs,
    pub(crate) repeats: RepeatTables,
}

/// The initial value, which is copied to the heap: a value made in place would be on the stack
/// first.
static EMPTY: Scratch = Scratch {
    counters: Counters::EMPTY,
    block: Histogram::EMPTY,
    next: Histogram::EMPTY,
    codes: Codes::EMPTY,
    tables: Tables::EMPTY,
    costs: Costs::EMPTY,
    repeats: RepeatTables::EMPTY,
};

/// One [`Scratch`] on the heap, once it is reserved.
pub(crate) struct ScratchMemory(Vec<Scratch>);

impl ScratchMemory {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Reserves the memory.
    pub(crate) fn reserve(&mut self) -> Result<(), TryReserveError> {
        if self.0.is_empty() {
            reserve(&mut self.0, 1)?;
            self.0.extend_from_slice(slice::from_ref(&EMPTY));
        }
        Ok(())
    }

    /// Returns the scratch memory, which is reserved if need be; `None` without memory.
    pub(crate) fn reserved(&mut self) -> Option<&mut Scratch> {
        self.reserve().ok()?;
        self.0.first_mut()
    }

    /// Returns the scratch memory.
    ///
    /// # Panics
    /// If it was not reserved.
    pub(crate) fn get(&mut self) -> &mut Scratch {
        &mut self.0[0]
    }
}
