//! Fills of tables and groups, repeated with more capacity until it is enough.
//!
//! Rows that do not fit in the GPU's memory at once are spilled to the host's (exec/spill). They
//! come back in passes when a later pipeline needs them: each pass has the keys of some hashes
//! only, and that pipeline runs once for each of them (exec/spill/passes.rs).

use std::sync::atomic::Ordering::Relaxed;

use tokio::runtime::Handle;

use super::groups::{self, DeviceGroups};
use super::launch::{Parameters, THREADS};
use super::run::Run;
use super::spill::{Part, Pass, ROWS_AT_A_TIME};
use super::table::{DeviceTable, Size};
use super::{Error, Result};
use crate::codegen;
use crate::ir::{Fill, Into, Pipeline, Source};

/// Minimum capacity of a table in rows: less memory would not be worth a second run.
pub(super) const MIN_ROWS: u64 = 1024;

/// Factor between expected and allocated rows, as estimates are rough.
pub(super) const SLACK: f64 = 2.0;

impl Run<'_> {
    /// Runs the pipelines of a fill, numbered from `first`; or defers it.
    pub(super) fn fill(&mut self, fill: &Fill, first: usize, handle: &Handle) -> Result<()> {
        let part = fill.pipelines.first().and_then(|pipeline| self.deferrable(pipeline.into));
        if let Some(part) = part.filter(|_| self.engine.min_passes > 1) {
            return self.defer(part, fill, first, handle);
        }
        loop {
            match (self.fill_pass(fill, first, handle, Pass::WHOLE), part) {
                (Err(Error::Gpu(error)), Some(part)) if error.is_out_of_memory() => {
                    return self.defer(part, fill, first, handle);
                }
                // more passes of its sources may leave it more memory
                (Err(Error::Gpu(error)), None) if error.is_out_of_memory() && self.more_passes(fill) => {}
                (filled, _) => return filled,
            }
        }
    }

    /// Runs one pass of a fill.
    pub(super) fn fill_pass(&mut self, fill: &Fill, first: usize, handle: &Handle, pass: Pass) -> Result<()> {
        let rows =
            fill.pipelines.iter().map(|pipeline| match (&pipeline.source, self.spilled_rows(pipeline)) {
                (_, Some(rows)) => Ok(rows),
                (source, None) => self.source_rows(source),
            });
        let bound = rows.sum::<Result<u64>>();
        match fill.pipelines.first().map(|pipeline| pipeline.into) {
            Some(Into::Table(table) | Into::TableInOrder(table)) => {
                self.fill_table(fill, first, handle, table, bound.unwrap_or(u64::MAX), pass)
            }
            Some(Into::Groups(groups)) => {
                self.fill_groups(fill, first, handle, groups, bound.unwrap_or(u64::MAX), pass)
            }
            Some(Into::Nowhere) => self.pipelines(fill, first, handle),
            None => Err(Error::Plan("internal error: a fill without pipelines".to_owned())),
        }
    }

    fn fill_table(
        &mut self,
        fill: &Fill,
        first: usize,
        handle: &Handle,
        number: usize,
        bound: u64,
        pass: Pass,
    ) -> Result<()> {
        let spec = &self.query.tables[number];
        let expected = (fill.rows * SLACK) as u64;
        let mut size = Size::first(spec, bound.min(expected.max(MIN_ROWS)), pass);
        loop {
            // free the previous table first
            self.tables[number] = None;
            let table = DeviceTable::allocate(&self.engine.gpu, &self.compute, spec, size, pass)?;
            self.tables[number] = Some(table);
            self.pipelines(fill, first, handle)?;
            let (compute, gpu) = (self.compute.clone(), &self.engine.gpu);
            let Some(table) = &mut self.tables[number] else { continue };
            match table.filled(&compute, spec.marks, gpu)? {
                None => return self.check(),
                Some(needed) => {
                    size = Size { rows: needed.rows.max(size.rows), heap: needed.heap.max(size.heap) };
                }
            }
            self.check()?;
        }
    }

    fn fill_groups(
        &mut self,
        fill: &Fill,
        first: usize,
        handle: &Handle,
        number: usize,
        bound: u64,
        pass: Pass,
    ) -> Result<()> {
        let query = self.query;
        let aggregate = &query.aggregates[number];
        // the groups of this pass; and the sets of their values, which have these groups only
        let mut rooms: Vec<(usize, Pass, groups::Size)> = Vec::new();
        for (of, pass) in
            std::iter::once((number, pass)).chain(aggregate.sets().map(|set| (set, Pass::WHOLE)))
        {
            let expected = (query.aggregates[of].groups * SLACK) as u64;
            let least = expected.max(MIN_ROWS).min(bound.max(1));
            rooms.push((of, pass, groups::Size::first(&query.aggregates[of], least, pass)));
        }
        loop {
            for (of, pass, size) in &rooms {
                self.groups[*of] = None;
                let (gpu, compute) = (&self.engine.gpu, &self.compute);
                let made = DeviceGroups::allocate(gpu, compute, &query.aggregates[*of], *size, *pass)?;
                self.groups[*of] = Some(made);
            }
            self.pipelines(fill, first, handle)?;
            self.check()?;
            let compute = self.compute.clone();
            let mut is_full = false;
            for (of, _, size) in &mut rooms {
                if let Some(made) = &mut self.groups[*of]
                    && let Some(needed) = made.filled(&compute)?
                {
                    (*size, is_full) = (needed, true);
                }
            }
            if !is_full {
                aggregate.sets().for_each(|set| self.groups[set] = None);
                return Ok(());
            }
        }
    }

    pub(super) fn pipelines(&mut self, fill: &Fill, first: usize, handle: &Handle) -> Result<()> {
        for (number, pipeline) in (first..).zip(&fill.pipelines) {
            let parts: Vec<Part> = self.deferred_parts(pipeline);
            self.in_passes(&parts, number, pipeline, handle)?;
        }
        Ok(())
    }

    /// Runs a pipeline on its complete sources.
    pub(super) fn pipeline(&mut self, number: usize, pipeline: &Pipeline, handle: &Handle) -> Result<()> {
        if self.cancelled.load(Relaxed) {
            return Err(Error::Cancelled);
        }
        match &pipeline.source {
            Source::Scan(scan) => self.scan(*scan, number, pipeline, handle),
            source => self.rows(source, number, pipeline),
        }
    }

    /// Returns the rows of a source, before any of its pipeline's steps.
    fn source_rows(&self, source: &Source) -> Result<u64> {
        match source {
            Source::Scan(scan) => Ok(self.scan_rows(*scan)),
            Source::Groups(groups) => Ok(self.groups_of(*groups)?.rows),
            Source::Table { table, order, skip, fetch, .. } => {
                let rows = self.table(*table)?.rows;
                let sorted = order.and_then(|order| self.query.orders[order].fetch);
                let rows = sorted.map_or(rows, |most| rows.min(most)).saturating_sub(*skip);
                Ok(fetch.map_or(rows, |most| rows.min(most)))
            }
        }
    }

    /// Runs a pipeline over a table or groups.
    fn rows(&mut self, source: &Source, number: usize, pipeline: &Pipeline) -> Result<()> {
        let all = self.source_rows(source)?;
        let at_a_time = if self.is_spilled(pipeline) { ROWS_AT_A_TIME } else { all.max(1) };
        for start in (0..all.max(1)).step_by(usize::try_from(at_a_time).unwrap_or(usize::MAX)) {
            let rows = at_a_time.min(all - start);
            let skipped = if let Source::Table { skip, .. } = source { *skip } else { 0 };
            let mut head = Parameters::default().word(self.status.address()).word(rows).word(skipped + start);
            if let Source::Table { order: Some(order), .. } = source {
                let sorted = self.orders[*order].as_ref();
                head = head.word(sorted.map_or(0, |buffer| buffer.address()));
            }
            let pieces = rows.div_ceil(THREADS.into());
            self.run_kernel((number, pipeline), &head, rows, pieces, rows * 8)?;
        }
        Ok(())
    }

    /// Appends the tables and groups of a pipeline to its parameters.
    pub(super) fn ends(&self, mut parameters: Parameters, pipeline: &Pipeline) -> Result<Parameters> {
        for table in codegen::tables(self.query, pipeline) {
            parameters = parameters.words(self.table(table)?.words());
        }
        for groups in codegen::aggregates(self.query, pipeline) {
            parameters = parameters.words(self.groups_of(groups)?.words());
        }
        Ok(parameters)
    }
}
