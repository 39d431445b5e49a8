//! Budget of GPU memory for cached tables.

use pelton_query::Error;

use super::file::megabytes;
use crate::exec::Engine;

/// Quarters of the GPU's memory that tables may take. Queries need the rest: for hash tables,
/// groups, results, and scan ranges of tables that are not cached.
const QUARTERS: u64 = 3;

/// GPU memory of a table while it is loaded, and an estimate for the whole table.
pub(super) struct Budget<'a> {
    engine: &'a Engine,
    name: &'a str,
    /// Decompressed bytes of all columns of all files, as the footers have it, and the part that is
    /// on the GPU by now. The estimate for the whole table scales by them.
    uncompressed: u64,
    uncompressed_done: u64,
    /// Bytes of GPU memory of the loaded part.
    taken: u64,
}

impl<'a> Budget<'a> {
    pub fn new(engine: &'a Engine, name: &'a str, uncompressed: u64) -> Self {
        Self { engine, name, uncompressed, uncompressed_done: 0, taken: 0 }
    }

    /// Counts `bytes` more of GPU memory, for columns of `uncompressed` bytes.
    pub fn take(&mut self, uncompressed: u64, bytes: u64) {
        self.uncompressed_done += uncompressed;
        self.taken += bytes;
    }

    /// Returns the bytes that are left in the budget.
    pub fn left(&self) -> u64 {
        self.for_tables().saturating_sub(self.engine.cache.gpu_bytes() + self.taken)
    }

    /// Returns the error for `more` bytes without budget, for columns of `uncompressed`
    /// bytes.
    pub fn missing(&self, uncompressed: u64, more: u64) -> Error {
        let (done, whole) =
            (u128::from(self.uncompressed_done + uncompressed), u128::from(self.uncompressed));
        let known = u128::from(self.taken + more);
        let needed = (known * whole.max(done) / done.max(1)) as u64;
        let gpu = &self.engine.gpu;
        let in_use = (gpu.memory_used() as u64).saturating_sub(self.taken);
        Error::Execution(format!(
            "{name} needs about {} of GPU memory; tables may take {} of the {} there, and {} are in use; CACHE TABLE {name} \
             IN host keeps its compressed pages in host memory",
            megabytes(needed),
            megabytes(self.for_tables()),
            megabytes(gpu.memory_limit() as u64),
            megabytes(in_use),
            name = self.name,
        ))
    }

    /// Returns the bytes that tables may take together.
    fn for_tables(&self) -> u64 {
        self.engine.gpu.memory_limit() as u64 / 4 * QUARTERS
    }
}
