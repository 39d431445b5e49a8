//! Passes over tables and groups that are too large for the GPU's memory.
//!
//! A join's table or an aggregate's groups are made for the keys of some hashes at a time, and
//! their readers run for each pass: a row of the probing side with a key of another pass does
//! nothing, so that each row has its turn once. The rows of a pass come from host memory if they
//! were spilled (exec/spill); otherwise they are made anew for each pass. The rows of the probing
//! side are read again: they are compressed at their source, and spilled rows would cross the bus,
//! too.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::host_memory::Piece;
use super::part::{DeferredFill, Part, Pass};
use crate::codegen;
use crate::exec::run::Run;
use crate::exec::{Error, Result};
use crate::ir::{Fill, Into, Operation, Pipeline, Source};

/// Maximum number of passes: beyond it, the memory is needed for something else.
const MAX_PASSES: u64 = 64;

impl Run<'_> {
    /// Returns the part that a target's fill can be deferred as: groups by keys, or tables that are
    /// only looked up by their keys.
    pub(in crate::exec) fn deferrable(&self, into: Into) -> Option<Part> {
        match into {
            Into::Groups(groups) => {
                (!self.query.aggregates[groups].keys.is_empty()).then_some(Part::Groups(groups))
            }
            Into::Table(table) => {
                let spec = &self.query.tables[table];
                (spec.keys.is_some() && !spec.marks).then_some(Part::Table(table))
            }
            Into::TableInOrder(_) | Into::Nowhere => None,
        }
    }

    /// Defers a fill that did not fit, and spills its rows if possible.
    pub(in crate::exec) fn defer(
        &mut self,
        of: Part,
        fill: &Fill,
        first: usize,
        handle: &Handle,
    ) -> Result<()> {
        let spilled = loop {
            self.drop_part(of);
            match self.spill(of, fill, first, handle) {
                Err(Error::Gpu(error)) if error.is_out_of_memory() => {
                    if !self.more_passes(fill) {
                        break None;
                    }
                }
                Err(Error::NoSpillMemory) => break None,
                spill => break spill?.map(Arc::new),
            }
        };
        let parts = self.engine.min_passes.max(2).next_power_of_two().min(MAX_PASSES);
        self.deferred.push(DeferredFill { of, fill: fill.clone(), first, parts, spilled });
        Ok(())
    }

    /// Doubles the passes of the parts that a fill reads. False if it reads none, or all have the
    /// maximum.
    pub(in crate::exec) fn more_passes(&mut self, fill: &Fill) -> bool {
        let parts: Vec<Part> =
            fill.pipelines.iter().flat_map(|pipeline| self.deferred_parts(pipeline)).collect();
        let mut is_more = false;
        for deferred in &mut self.deferred {
            if parts.contains(&deferred.of) && deferred.parts < MAX_PASSES {
                deferred.parts *= 2;
                is_more = true;
            }
        }
        is_more
    }

    /// Returns the maximum number of groups that a pipeline reads, if they were spilled.
    pub(in crate::exec) fn spilled_rows(&self, pipeline: &Pipeline) -> Option<u64> {
        let Source::Groups(groups) = pipeline.source else { return None };
        let deferred = self.deferred.iter().find(|deferred| deferred.of == Part::Groups(groups))?;
        Some(deferred.spilled.as_ref()?.iter().map(Piece::all_rows).sum())
    }

    /// Returns whether a table is made in passes.
    pub(in crate::exec) fn is_deferred(&self, part: Part) -> bool {
        self.deferred.iter().any(|deferred| deferred.of == part)
    }

    /// Returns the deferred parts that a pipeline reads.
    pub(in crate::exec) fn deferred_parts(&self, pipeline: &Pipeline) -> Vec<Part> {
        let source = match pipeline.source {
            Source::Groups(groups) => Some(Part::Groups(groups)),
            _ => None,
        };
        // the table that it fills is being made
        let tables = codegen::tables(self.query, pipeline).into_iter();
        let tables = tables.filter(|&table| pipeline.into != Into::Table(table)).map(Part::Table);
        source.into_iter().chain(tables).filter(|part| self.is_deferred(*part)).collect()
    }

    /// Runs a pipeline for each pass of the first of `parts`, and within it for each of the next.
    pub(in crate::exec) fn in_passes(
        &mut self,
        parts: &[Part],
        number: usize,
        pipeline: &Pipeline,
        handle: &Handle,
    ) -> Result<()> {
        let Some((part, rest)) = parts.split_first() else {
            return self.pipeline(number, pipeline, handle);
        };
        let Some(index) = self.deferred.iter().position(|deferred| deferred.of == *part) else {
            return Err(Error::Plan("internal error: nothing was put off".to_owned()));
        };
        let mut turn = || {
            let passes = self.first_pass(index, handle)?;
            for turn in 0..passes {
                if turn > 0 {
                    self.make(index, Pass { parts: passes, part: turn }, handle)?;
                }
                self.in_passes(rest, number, pipeline, handle)?;
            }
            Ok(())
        };
        let done = turn();
        // a retry in more passes needs the memory
        self.drop_part(*part);
        done
    }

    /// Makes the first pass, with more passes until it fits. Returns their number.
    fn first_pass(&mut self, index: usize, handle: &Handle) -> Result<u64> {
        loop {
            let parts = self.deferred[index].parts;
            match self.make(index, Pass { parts, part: 0 }, handle) {
                Err(Error::Gpu(error)) if error.is_out_of_memory() && parts < MAX_PASSES => {
                    let part = self.deferred[index].of;
                    self.drop_part(part);
                    self.deferred[index].parts = parts * 2;
                }
                Err(error) => return Err(error),
                Ok(()) => return Ok(parts),
            }
        }
    }

    fn make(&mut self, index: usize, pass: Pass, handle: &Handle) -> Result<()> {
        let DeferredFill { of, fill, first, spilled, .. } = self.deferred[index].clone();
        self.drop_part(of);
        match spilled {
            Some(pieces) => self.restore(of, &pieces, pass)?,
            None => self.fill_pass(&fill, first, handle, pass)?,
        }
        self.passes += 1;
        match of {
            Part::Table(table) => self.index(table),
            Part::Groups(_) => Ok(()),
        }
    }

    pub(in crate::exec) fn drop_part(&mut self, part: Part) {
        match part {
            Part::Table(table) => self.tables[table] = None,
            Part::Groups(groups) => self.groups[groups] = None,
        }
    }

    /// Frees tables, groups and orders that no operation from `next` on reads. A fill that is made
    /// anew for each pass may read any of them again.
    pub(in crate::exec) fn release(&mut self, next: usize) {
        if self.deferred.iter().any(|deferred| deferred.spilled.is_none()) {
            return;
        }
        let (mut tables, mut groups, mut orders) = (vec![self.query.output], Vec::new(), Vec::new());
        for operation in &self.query.operations[next..] {
            match operation {
                Operation::Fill(fill) => {
                    for pipeline in &fill.pipelines {
                        tables.extend(codegen::tables(self.query, pipeline));
                        groups.extend(codegen::aggregates(self.query, pipeline));
                        if let Source::Table { order: Some(order), .. } = pipeline.source {
                            orders.push(order);
                        }
                    }
                }
                Operation::Index(table) => tables.push(*table),
                Operation::Sort(order) => {
                    orders.push(*order);
                    tables.push(self.query.orders[*order].table);
                }
            }
        }
        let unread = |used: &[usize], number: usize| !used.contains(&number);
        let clear =
            |used: &[usize], count: usize| (0..count).filter(|&n| unread(used, n)).collect::<Vec<_>>();
        clear(&tables, self.tables.len()).into_iter().for_each(|table| self.tables[table] = None);
        clear(&groups, self.groups.len()).into_iter().for_each(|number| self.groups[number] = None);
        clear(&orders, self.orders.len()).into_iter().for_each(|order| self.orders[order] = None);
        self.deferred.retain(|deferred| match deferred.of {
            Part::Table(table) => tables.contains(&table),
            Part::Groups(number) => groups.contains(&number),
        });
    }
}
