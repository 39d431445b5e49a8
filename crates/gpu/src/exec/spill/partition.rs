//! Partitioning of rows, and their copy to host memory.

use bytes::Bytes;
use pelton_device_cuda::{Buffer, bytes_of_slice, from_bytes};

use super::host_memory::{PARTS, Piece, starts};
use super::part::{Part, Pass};
use crate::codegen::HEADER_WORDS;
use crate::exec::groups::{self, DeviceGroups};
use crate::exec::launch::{Parameters, THREADS};
use crate::exec::run::Run;
use crate::exec::table::{self, Column, DeviceTable, bytes};
use crate::exec::{Error, Result};
use crate::ir::{Field, Into, Pipeline};

/// Alignment of columns in a piece: the smallest unit of a copy.
const ALIGNMENT: usize = 32;

/// Capacity for the output of a launch: rows or groups, and bytes of strings.
pub(super) type Capacity = (u64, u64);

impl Run<'_> {
    /// Returns the first capacity: one output row for each of `rows`. A join can make more.
    pub(super) fn first_capacity(&self, pipeline: &Pipeline, rows: u64) -> Result<Capacity> {
        Ok(match self.part_of(pipeline)? {
            Part::Table(number) => {
                let size = table::Size::first(&self.query.tables[number], rows, Pass::WHOLE);
                (size.rows, size.heap)
            }
            Part::Groups(number) => {
                let size = groups::Size::first(&self.query.aggregates[number], rows, Pass::WHOLE);
                (size.groups, size.heap)
            }
        })
    }

    /// Allocates an empty table, or groups, for a launch.
    pub(super) fn allocate_target(&mut self, pipeline: &Pipeline, (rows, heap): Capacity) -> Result<()> {
        let part = self.part_of(pipeline)?;
        // free the previous table or groups first
        self.drop_part(part);
        let (gpu, compute) = (&self.engine.gpu, &self.compute);
        match part {
            Part::Table(number) => {
                let size = table::Size { rows, heap };
                let table = &self.query.tables[number];
                self.tables[number] = Some(DeviceTable::allocate(gpu, compute, table, size, Pass::WHOLE)?);
            }
            Part::Groups(number) => {
                let size = groups::Size { groups: rows, heap };
                let aggregate = &self.query.aggregates[number];
                self.groups[number] =
                    Some(DeviceGroups::allocate(gpu, compute, aggregate, size, Pass::WHOLE)?);
            }
        }
        Ok(())
    }

    /// Waits for the launch. Returns the capacity that it needs if there was too little.
    pub(super) fn missing_capacity(&mut self, pipeline: &Pipeline) -> Result<Option<Capacity>> {
        let compute = self.compute.clone();
        match self.part_of(pipeline)? {
            Part::Table(number) => {
                let Some(table) = &mut self.tables[number] else { return Ok(None) };
                let (rows, heap) = (table.capacity, table.heap.len() as u64);
                let needed = table.filled(&compute, false, &self.engine.gpu)?;
                Ok(needed.map(|needed| (needed.rows.max(rows), needed.heap.max(heap))))
            }
            Part::Groups(number) => {
                let Some(groups) = &mut self.groups[number] else { return Ok(None) };
                Ok(groups.filled(&compute)?.map(|needed| (needed.groups, needed.heap)))
            }
        }
    }

    /// Partitions the rows of the launch, and copies them to the host.
    pub(super) fn partition(&mut self, pipeline: &Pipeline) -> Result<()> {
        let part = self.part_of(pipeline)?;
        let fields = self.fields(part);
        let (name, rows, from) = match part {
            Part::Table(number) => {
                (format!("table_{number}"), self.table(number)?.rows, self.table(number)?.words())
            }
            Part::Groups(number) => {
                let groups = self.groups_of(number)?;
                (format!("groups_{number}"), groups.rows, groups.words())
            }
        };
        if rows == 0 {
            return Ok(());
        }
        let pieces = rows.div_ceil(THREADS.into());
        let launch = |run: &Self, kernel: &str, counters: &Buffer, strings: u64, to: &[Column]| {
            let head = Parameters::default().word(rows).word(counters.address()).word(strings);
            let parameters = head.words(from.clone()).words(columns_only(&fields, to));
            run.launch(&format!("{kernel}_{name}"), pieces, &parameters, rows * 8)
        };
        let counters = self.engine.gpu.allocate(PARTS as usize * 2 * 8)?;
        self.compute.fill(&counters, 0..counters.len(), 0)?;
        launch(self, "count", &counters, 0, &[])?;
        let counts = self.compute.download(&counters, 0..counters.len())?;
        let counts = from_bytes::<u64>(&counts).unwrap_or_default();
        let (row_starts, string_starts) =
            (starts(&counts[..PARTS as usize]), starts(&counts[PARTS as usize..]));

        let first: Vec<u64> = [&row_starts, &string_starts]
            .iter()
            .flat_map(|starts| &starts[..PARTS as usize])
            .copied()
            .collect();
        self.compute.upload(&counters, 0, Bytes::copy_from_slice(bytes_of_slice(&first)))?;
        let strings = string_starts[PARTS as usize];
        let heap = self.engine.gpu.allocate(bytes(strings.max(1), 1)?)?;
        let to = fields.iter().map(|field| Column::allocate(&self.engine.gpu, field, rows));
        let to = to.collect::<Result<Vec<_>>>()?;
        launch(self, "deal", &counters, heap.address(), &to)?;
        // only one copy of the rows is on the GPU while they are copied to the host
        self.drop_part(part);
        let piece = self.copy_to_host(&fields, &to, &heap, (row_starts, string_starts))?;
        if let Some(spilling) = &mut self.spilling {
            spilling.pieces.push(piece);
        }
        Ok(())
    }

    /// Copies rows to pinned memory.
    fn copy_to_host(
        &mut self,
        fields: &[Field],
        columns: &[Column],
        heap: &Buffer,
        (rows, strings): (Vec<u64>, Vec<u64>),
    ) -> Result<Piece> {
        let count = rows[PARTS as usize];
        let heap_bytes = bytes(strings[PARTS as usize], 1)?;
        let lengths = fields.iter().map(|field| Ok((bytes(count, field.scalar.bytes())?, bytes(count, 1)?)));
        let lengths = lengths.collect::<Result<Vec<_>>>()?;
        let buffers = columns.iter().zip(&lengths).flat_map(|(column, &(values, valid))| {
            [Some((&*column.values, values)), column.valid.as_deref().map(|flags| (flags, valid))]
        });
        let buffers: Vec<_> = buffers.flatten().chain([(heap, heap_bytes)]).collect();
        let total: usize = buffers.iter().map(|(_, len)| len.next_multiple_of(ALIGNMENT)).sum();
        let room = self.engine.host_budget.take(total as u64).ok_or(Error::NoSpillMemory)?;
        let mut memory = self.engine.gpu.pinned(total).map_err(|_| Error::NoSpillMemory)?;
        let mut places = Vec::with_capacity(buffers.len());
        let mut at = 0;
        for (buffer, len) in buffers {
            self.compute.download_to(buffer, 0, &mut memory[at..at + len])?;
            places.push(at..at + len);
            at += len.next_multiple_of(ALIGNMENT);
        }
        let memory = Bytes::from_owner(memory);
        let mut places = places.into_iter().map(|place| memory.slice(place));
        let mut next = || places.next().unwrap_or_default();
        let columns = columns.iter().map(|column| (next(), column.valid.as_ref().map(|_| next()))).collect();
        let heap = next();
        Ok(Piece { rows, strings, columns, heap, room })
    }

    fn part_of(&self, pipeline: &Pipeline) -> Result<Part> {
        match pipeline.into {
            Into::Table(table) => Ok(Part::Table(table)),
            Into::Groups(groups) => Ok(Part::Groups(groups)),
            Into::TableInOrder(_) | Into::Nowhere => {
                Err(Error::Plan("internal error: a pipeline that can't be spilled".to_owned()))
            }
        }
    }

    /// Returns the columns of a table or of groups.
    pub(super) fn fields(&self, part: Part) -> Vec<Field> {
        match part {
            Part::Table(table) => self.query.tables[table].fields.clone(),
            Part::Groups(groups) => self.query.aggregates[groups].fields().cloned().collect(),
        }
    }
}

/// Returns a struct of the generated source with only its columns set; without columns it has no
/// addresses at all.
pub(super) fn columns_only(fields: &[Field], columns: &[Column]) -> Vec<u64> {
    let words = fields.iter().map(|field| 1 + usize::from(field.nullable)).sum::<usize>();
    let mut all = vec![0; HEADER_WORDS];
    all.extend(columns.iter().flat_map(Column::words));
    all.resize(HEADER_WORDS + words, 0);
    all
}
