//! Bytes over bandwidth: lower bounds of a query's time.

use serde::Serialize;

use super::copies::Copies;
use super::queries::{Phase, Place, QueryFigures, Read};

/// One query's bytes and the times that follow from them.
#[derive(Clone, Debug, Serialize)]
pub struct Bound {
    /// 1 to 22.
    pub query: u8,
    /// Compressed bytes that it read from files, pruned ones left out.
    pub bytes_read: u64,
    /// The share of its columns' compressed bytes that pruning left out.
    pub pruned: f64,
    /// Decompressed bytes after pruning, from the footers: the columns' sizes in proportion.
    pub plain_bytes: u64,
    /// Milliseconds of copying the read bytes from pinned memory.
    pub copy_ms: f64,
    /// Measured from pinned memory, by that.
    pub of_copy: Option<f64>,
    /// Milliseconds of reading the decompressed bytes once from the GPU's memory.
    pub memory_ms: f64,
    /// Measured from the GPU's memory, by that.
    pub of_memory: Option<f64>,
}

/// Returns the bounds of all queries.
pub fn bounds(copies: &Copies, read: &[Read], phases: &[Phase]) -> Vec<Bound> {
    let measured = |place: Place, query: u8| {
        let phase = phases.iter().find(|phase| phase.place == place)?;
        let of_query = |figures: &&QueryFigures| figures.query == query;
        phase.queries.iter().find(of_query)?.ms
    };
    let bound = |&Read { query, scanned }: &Read| {
        let share = scanned.bytes_read as f64 / scanned.bytes_of_columns.max(1) as f64;
        // footers and page indexes are read too, and pages that two windows share are read twice
        let share = share.min(1.0);
        let plain_bytes = (scanned.plain_bytes_of_columns as f64 * share) as u64;
        let copy_ms = milliseconds(scanned.bytes_read, copies.pinned);
        let memory_ms = milliseconds(plain_bytes, copies.memory);
        Bound {
            query,
            bytes_read: scanned.bytes_read,
            pruned: 1.0 - share,
            plain_bytes,
            copy_ms,
            of_copy: measured(Place::Host, query).map(|ms| ms / copy_ms),
            memory_ms,
            of_memory: measured(Place::Gpu, query).map(|ms| ms / memory_ms),
        }
    };
    read.iter().map(bound).collect()
}

/// `rate` is in 10⁹ bytes a second.
fn milliseconds(bytes: u64, rate: f64) -> f64 {
    bytes as f64 / rate / 1e6
}

#[cfg(test)]
mod tests;
