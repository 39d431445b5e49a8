//! Huffman tables for the engine, made of symbol counts, and the cache of those of earlier jobs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pelton_codec::BlockCodes;

use crate::hw::{Cpb, SymbolCounts};

/// A table as the parameter block has it: the header of a dynamic block without its first three
/// bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(super) bytes: Vec<u8>,
    pub(super) bits: usize,
}

/// BFINAL and BTYPE, which the engine writes itself.
const BLOCK_BITS: usize = 3;

/// Symbols that get a code although they were not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uncounted {
    /// Lengths and distances: the engine finds other matches in a second pass, because its hash
    /// table starts with other contents.
    Matches,
    /// All symbols, for other data than the counted.
    All,
}

/// The first symbol of a length.
const FIRST_LENGTH: usize = 257;

impl Table {
    /// Returns the table that is best for these counts; none if the engine could not take it.
    pub(super) fn of(mut counts: SymbolCounts, uncounted: Uncounted) -> Option<Table> {
        let first = if uncounted == Uncounted::All { 0 } else { FIRST_LENGTH };
        for count in counts.literals[first..].iter_mut().chain(&mut counts.distances) {
            *count = (*count).max(1);
        }
        let codes = BlockCodes::best(&counts.literals, &counts.distances);
        let mut header = [0; 512];
        let bits = codes.write_header(false, &mut header)?.checked_sub(BLOCK_BITS)?;
        Cpb::TABLE_BITS.contains(&bits).then_some(())?;
        let shifted = header.windows(2).map(|pair| pair[0] >> BLOCK_BITS | pair[1] << (8 - BLOCK_BITS));
        Some(Table { bytes: shifted.take(bits.div_ceil(8)).collect(), bits })
    }
}

/// Maximum number of tables in a cache; about as many columns are written at the same time.
const MAX_TABLES: usize = 128;

/// The tables of the last compressions, one for each affinity key.
#[derive(Debug, Default)]
pub(crate) struct TableCache(Mutex<HashMap<Option<u64>, Arc<Table>>>);

impl TableCache {
    /// Returns the table of the last compression with a key.
    pub(super) fn get(&self, key: Option<u64>) -> Option<Arc<Table>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    /// Keeps a table, in place of any other if the cache is full.
    pub(super) fn put(&self, key: Option<u64>, table: Arc<Table>) {
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if tables.len() >= MAX_TABLES
            && !tables.contains_key(&key)
            && let Some(other) = tables.keys().next().copied()
        {
            tables.remove(&other);
        }
        tables.insert(key, table);
    }

    /// Forgets the table of a key.
    pub(super) fn forget(&self, key: Option<u64>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }
}

#[cfg(test)]
mod tests;
