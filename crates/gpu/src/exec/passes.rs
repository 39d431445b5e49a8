//! What is too large for the GPU's memory, in passes.
//!
//! A join's table or an aggregate's groups are made for some hashes of the keys at a time, and what
//! reads them runs for each pass: a row of the probing side whose key is in another pass does
//! nothing, so that each row has its turn once. What a pass needs comes from where its rows were
//! set aside (exec/spill). Where they could not be, they are made anew for each pass. The rows of
//! the probing side are read again: they are compressed where they come from, and their way to the
//! GPU is what rows set aside would have to take, too.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::run::Run;
use super::spill::Piece;
use super::table::Pass;
use super::{Error, Result};
use crate::codegen;
use crate::ir::{Fill, Into, Operation, Pipeline, Source};

/// Passes at most: what does not fit in a sixty-fourth is not what takes the memory.
const MOST_PASSES: u64 = 64;

/// What is made in passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A table, by number.
    Table(usize),
    /// Groups, by number.
    Groups(usize),
}

/// A fill that is put off.
#[derive(Debug, Clone)]
pub(super) struct PutOff {
    of: Part,
    fill: Fill,
    first: usize,
    /// Passes that were enough the last time.
    parts: u64,
    /// Its rows, if they were set aside.
    pub(super) aside: Option<Arc<Vec<Piece>>>,
}

impl Run<'_> {
    /// What can be done in passes of what ends there: groups by keys; tables that are only looked
    /// up by theirs.
    pub(super) fn can_be_put_off(&self, into: Into) -> Option<Part> {
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

    /// Takes note of a fill that did not fit, and sets its rows aside if that is possible.
    pub(super) fn put_off(&mut self, of: Part, fill: &Fill, first: usize, handle: &Handle) -> Result<()> {
        let aside = loop {
            self.drop_part(of);
            match self.set_aside(of, fill, first, handle) {
                Err(Error::Gpu(error)) if error.is_out_of_memory() => {
                    if !self.more_passes(fill) {
                        break None;
                    }
                }
                Err(Error::NoRoomAside) => break None,
                set_aside => break set_aside?.map(Arc::new),
            }
        };
        let parts = self.engine.least_passes.max(2).next_power_of_two().min(MOST_PASSES);
        self.put_off.push(PutOff { of, fill: fill.clone(), first, parts, aside });
        Ok(())
    }

    /// Has what a fill reads come in twice as many passes. False: nothing of it comes in passes, or
    /// all in as many as there are.
    pub(super) fn more_passes(&mut self, fill: &Fill) -> bool {
        let parts: Vec<Part> =
            fill.pipelines.iter().flat_map(|pipeline| self.put_off_parts(pipeline)).collect();
        let mut is_more = false;
        for put_off in &mut self.put_off {
            if parts.contains(&put_off.of) && put_off.parts < MOST_PASSES {
                put_off.parts *= 2;
                is_more = true;
            }
        }
        is_more
    }

    /// Rows at most of the groups that a pipeline reads, if these were set aside.
    pub(super) fn rows_aside(&self, pipeline: &Pipeline) -> Option<u64> {
        let Source::Groups(groups) = pipeline.source else { return None };
        let put_off = self.put_off.iter().find(|put_off| put_off.of == Part::Groups(groups))?;
        Some(put_off.aside.as_ref()?.iter().map(Piece::all_rows).sum())
    }

    /// Whether a table is made in passes.
    pub(super) fn is_put_off(&self, part: Part) -> bool {
        self.put_off.iter().any(|put_off| put_off.of == part)
    }

    /// What a pipeline reads that is made in passes.
    pub(super) fn put_off_parts(&self, pipeline: &Pipeline) -> Vec<Part> {
        let source = match pipeline.source {
            Source::Groups(groups) => Some(Part::Groups(groups)),
            _ => None,
        };
        // what it fills is being made
        let tables = codegen::tables(self.query, pipeline).into_iter();
        let tables = tables.filter(|&table| pipeline.into != Into::Table(table)).map(Part::Table);
        source.into_iter().chain(tables).filter(|part| self.is_put_off(*part)).collect()
    }

    /// Runs a pipeline for each pass of the first of `parts`, and within it for each of the next.
    pub(super) fn in_passes(
        &mut self,
        parts: &[Part],
        number: usize,
        pipeline: &Pipeline,
        handle: &Handle,
    ) -> Result<()> {
        let Some((part, rest)) = parts.split_first() else {
            return self.pipeline(number, pipeline, handle);
        };
        let Some(index) = self.put_off.iter().position(|put_off| put_off.of == *part) else {
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
        // who tries again in more passes needs the room
        self.drop_part(*part);
        done
    }

    /// Makes the first of as many passes as it takes for one to fit.
    fn first_pass(&mut self, index: usize, handle: &Handle) -> Result<u64> {
        loop {
            let parts = self.put_off[index].parts;
            match self.make(index, Pass { parts, part: 0 }, handle) {
                Err(Error::Gpu(error)) if error.is_out_of_memory() && parts < MOST_PASSES => {
                    let part = self.put_off[index].of;
                    self.drop_part(part);
                    self.put_off[index].parts = parts * 2;
                }
                Err(error) => return Err(error),
                Ok(()) => return Ok(parts),
            }
        }
    }

    fn make(&mut self, index: usize, pass: Pass, handle: &Handle) -> Result<()> {
        let PutOff { of, fill, first, aside, .. } = self.put_off[index].clone();
        self.drop_part(of);
        match aside {
            Some(pieces) => self.bring(of, &pieces, pass)?,
            None => self.fill_pass(&fill, first, handle, pass)?,
        }
        self.passes += 1;
        match of {
            Part::Table(table) => self.index(table),
            Part::Groups(_) => Ok(()),
        }
    }

    pub(super) fn drop_part(&mut self, part: Part) {
        match part {
            Part::Table(table) => self.tables[table] = None,
            Part::Groups(groups) => self.groups[groups] = None,
        }
    }

    /// Gives back what no operation from `next` on reads. What is made anew for each pass may read
    /// anything again.
    pub(super) fn release(&mut self, next: usize) {
        if self.put_off.iter().any(|put_off| put_off.aside.is_none()) {
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
        self.put_off.retain(|put_off| match put_off.of {
            Part::Table(table) => tables.contains(&table),
            Part::Groups(number) => groups.contains(&number),
        });
    }
}
