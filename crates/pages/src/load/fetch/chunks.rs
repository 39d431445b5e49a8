//! Reads the selected pages of several columns of a row group, in few requests.

use std::time::Instant;

use pelton_job::InputBuffer;

use crate::counters::ScanCounters;
use crate::error::Result;
use crate::file::ParquetFile;
use crate::file::traffic;
use crate::load::fetch::ChunkPlan;
use crate::load::fetch::Slot;
use crate::load::fetch::SlotState;
use crate::load::fetch::Wanted;
use crate::load::fetch::locate;

/// Pages to read, checks and counters.
pub(crate) struct Request<'a> {
    pub file: &'a ParquetFile,
    pub row_group: usize,
    /// Leaf columns, ascending.
    pub leaves: &'a [usize],
    pub wanted: &'a dyn Wanted,
    pub verify_checksums: bool,
    pub counters: &'a ScanCounters,
}

/// Reads the pages of each leaf, in the order of the leaves. `memory` allocates buffers for data of
/// local files.
pub(crate) async fn read(
    request: Request<'_>,
    memory: impl Fn(usize) -> InputBuffer + Sync,
) -> Result<Vec<Vec<Slot>>> {
    let Request { file, row_group, leaves, wanted, verify_checksums, counters } = request;
    let plans = leaves
        .iter()
        .map(|&leaf| ChunkPlan::new(file, row_group, leaf, wanted))
        .collect::<Result<Vec<_>>>()?;
    let ranges: Vec<_> = plans.iter().flat_map(|plan| plan.ranges.iter().cloned()).collect();
    let start = Instant::now();
    let (buffers, traffic) = traffic::counted(file.location().read(&ranges, memory)).await;
    counters.traffic(traffic);
    let buffers = buffers?;
    counters.read(row_group, plans.iter().map(ChunkPlan::bytes).sum(), start.elapsed());

    let mut buffers = buffers.as_slice();
    let mut chunks = Vec::with_capacity(plans.len());
    for plan in &plans {
        let (mine, rest) = buffers.split_at(plan.ranges.len());
        buffers = rest;
        let slots = locate(file, row_group, plan, mine, wanted, verify_checksums)?;
        let skipped = slots.iter().filter(|slot| matches!(slot.state, SlotState::Skipped(_))).count();
        counters.pages(slots.len() - skipped, skipped);
        chunks.push(slots);
    }
    Ok(chunks)
}
