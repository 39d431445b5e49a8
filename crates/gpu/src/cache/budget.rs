//! How much of the GPU's memory tables may take.

use pelton_query::Error;

use super::file::megabytes;
use crate::exec::Engine;

/// Tables may take so many quarters of the GPU's memory. The rest is for what queries make of them:
/// hash tables, groups, results, and windows of tables that are not kept.
const QUARTERS: u64 = 3;

/// The memory that a table takes while it is brought to the GPU, and what the whole of it will
/// take.
pub(super) struct Budget<'a> {
    engine: &'a Engine,
    name: &'a str,
    /// Bytes that footers say all columns of all files have when they are decompressed, and how
    /// many of these are on the GPU by now: what the whole takes is told from that.
    plain: u64,
    plain_done: u64,
    /// Bytes of GPU memory that these take.
    taken: u64,
}

impl<'a> Budget<'a> {
    pub fn new(engine: &'a Engine, name: &'a str, plain: u64) -> Self {
        Self { engine, name, plain, plain_done: 0, taken: 0 }
    }

    /// Notes what is there: so many bytes, of columns with `plain` decompressed.
    pub fn take(&mut self, plain: u64, bytes: u64) {
        self.plain_done += plain;
        self.taken += bytes;
    }

    /// Bytes that there is room for.
    pub fn left(&self) -> u64 {
        self.for_tables().saturating_sub(self.engine.cache.gpu_bytes() + self.taken)
    }

    /// The error where there is no room for so many bytes more, of columns with `plain`
    /// decompressed.
    pub fn missing(&self, plain: u64, more: u64) -> Error {
        let (done, whole) = (u128::from(self.plain_done + plain), u128::from(self.plain));
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

    /// Bytes that tables may take together.
    fn for_tables(&self) -> u64 {
        self.engine.gpu.memory_limit() as u64 / 4 * QUARTERS
    }
}
