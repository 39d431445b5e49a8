//! What is too large for the GPU's memory, in passes.
//!
//! A join's table or an aggregate's groups are made for some hashes of the keys at a time, and what reads them runs for
//! each pass: a row of the probing side whose key is in another pass does nothing, so that each row has its turn once.
//! Rows are read again for each pass, in place of being set aside: they are compressed where they come from, and their way
//! to the GPU is what a pass of rows set aside would have to take, too.

use tokio::runtime::Handle;

use super::run::Run;
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
}

impl Run<'_> {
    /// Whether what ends there can be done in passes: groups by keys; tables that are only looked up by theirs.
    pub(super) fn can_be_put_off(&self, into: Into) -> bool {
        match into {
            Into::Groups(groups) => !self.query.aggregates[groups].keys.is_empty(),
            Into::Table(table) => {
                let spec = &self.query.tables[table];
                spec.keys.is_some() && !spec.marks
            }
            Into::TableInOrder(_) | Into::Nowhere => false,
        }
    }

    /// Takes note of a fill that did not fit.
    pub(super) fn put_off(&mut self, into: Into, fill: &Fill, first: usize) {
        let of = match into {
            Into::Groups(groups) => {
                self.groups[groups] = None;
                Part::Groups(groups)
            }
            Into::Table(table) | Into::TableInOrder(table) => {
                self.tables[table] = None;
                Part::Table(table)
            }
            Into::Nowhere => return,
        };
        self.put_off.push(PutOff { of, fill: fill.clone(), first, parts: self.engine.least_passes.max(2) });
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
        let passes = self.first_pass(index, handle)?;
        for turn in 0..passes {
            if turn > 0 {
                self.make(index, Pass { parts: passes, part: turn }, handle)?;
            }
            self.in_passes(rest, number, pipeline, handle)?;
        }
        self.drop_part(*part);
        Ok(())
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
        let PutOff { of, fill, first, .. } = self.put_off[index].clone();
        self.drop_part(of);
        self.fill_pass(&fill, first, handle, pass)?;
        self.passes += 1;
        match of {
            Part::Table(table) => self.index(table),
            Part::Groups(_) => Ok(()),
        }
    }

    fn drop_part(&mut self, part: Part) {
        match part {
            Part::Table(table) => self.tables[table] = None,
            Part::Groups(groups) => self.groups[groups] = None,
        }
    }

    /// Gives back what no operation from `next` on reads. What is put off may read anything again.
    pub(super) fn release(&mut self, next: usize) {
        if !self.put_off.is_empty() {
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
    }
}
