//! Bytes over bandwidth: what no query can be faster than.

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
    /// Decompressed bytes of what is left, from the footers: the columns' sizes, less the share
    /// that was pruned.
    pub plain_bytes: u64,
    /// Milliseconds of copying what was read from pinned memory.
    pub copy_ms: f64,
    /// Measured from pinned memory, by that.
    pub of_copy: Option<f64>,
    /// Milliseconds of reading the decompressed bytes once from the GPU's memory.
    pub memory_ms: f64,
    /// Measured from the GPU's memory, by that.
    pub of_memory: Option<f64>,
}

/// The bounds of all queries.
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
mod tests {
    use super::*;
    use pelton_tpch::engine::protocol::Scanned;

    #[test]
    fn bytes_over_bandwidth() {
        let copies = Copies { bytes: 1, pinned: 50.0, pageable: 5.0, memory: 2000.0 };
        let scanned = Scanned {
            bytes_read: 1_000_000_000,
            bytes_of_columns: 4_000_000_000,
            plain_bytes_of_columns: 8_000_000_000,
            ..Scanned::default()
        };
        let figures = QueryFigures { query: 6, ms: Some(40.0), rival_ms: None, fault: None, on_gpu: None };
        let phases = [Phase { place: Place::Host, queries: vec![figures], fault: None }];
        let bounds = bounds(&copies, &[Read { query: 6, scanned }], &phases);
        let [bound] = &bounds[..] else { panic!("one query") };
        assert_eq!((bound.pruned, bound.plain_bytes), (0.75, 2_000_000_000));
        assert_eq!((bound.copy_ms, bound.memory_ms), (20.0, 1.0));
        assert_eq!((bound.of_copy, bound.of_memory), (Some(2.0), None));
    }
}
