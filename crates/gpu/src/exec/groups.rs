//! Groups of an aggregate on the GPU.

use std::sync::Arc;

use bytes::Bytes;
use pelton_device_cuda::{Buffer, Gpu, Stream, bytes_of_slice, from_bytes};

use super::Result;
use super::spill::Pass;
use super::table::{Column, bytes};
use crate::codegen::HEADER_WORDS;
use crate::ir::{Aggregate, Scalar};

/// Slots for each group of the capacity: at most half full, a search looks at one or two.
const SLOTS_PER_GROUP: u64 = 2;

/// Bytes of the heap for each string of a group, in the first capacity.
const HEAP_PER_STRING: u64 = 24;

/// Factor for the next capacity after an overflow.
const GROWTH: u64 = 4;

/// Three counters of 64 bits.
const COUNTER_BYTES: usize = 24;

/// An aggregate's groups.
#[derive(Debug, Clone)]
pub(super) struct DeviceGroups {
    columns: Vec<Column>,
    capacity: u64,
    /// Number of groups, when it has been filled.
    pub rows: u64,
    heap: Arc<Buffer>,
    counters: Arc<Buffer>,
    slots: Arc<Buffer>,
    hashes: Arc<Buffer>,
    locks: Arc<Buffer>,
    pass: Pass,
}

/// Capacity in groups and bytes of strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub groups: u64,
    pub heap: u64,
}

impl Size {
    /// Returns the first capacity.
    pub fn first(aggregate: &Aggregate, groups: u64, pass: Pass) -> Self {
        let groups = pass.of(groups);
        let strings = aggregate.fields().filter(|field| field.scalar == Scalar::Str).count() as u64;
        Self { groups, heap: groups.saturating_mul(strings * HEAP_PER_STRING) }
    }
}

impl DeviceGroups {
    /// Allocates no groups yet; without keys, the only one.
    pub fn allocate(
        gpu: &Gpu,
        stream: &Stream,
        aggregate: &Aggregate,
        size: Size,
        pass: Pass,
    ) -> Result<Self> {
        let one = aggregate.keys.is_empty();
        let groups = if one { 1 } else { size.groups.max(1) };
        let slots = (groups * SLOTS_PER_GROUP).next_power_of_two();
        let columns = aggregate.fields().map(|field| Column::allocate(gpu, field, groups));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let buffer = |bytes: usize| Ok::<_, super::Error>(Arc::new(gpu.allocate(bytes)?));
        let made = Self {
            columns,
            capacity: groups,
            rows: 0,
            heap: buffer(bytes(size.heap.max(1), 1)?)?,
            counters: buffer(COUNTER_BYTES)?,
            slots: buffer(bytes(slots, 4)?)?,
            hashes: buffer(bytes(groups, 8)?)?,
            locks: buffer(bytes(groups, 4)?)?,
            pass,
        };
        // sums and counts begin at zero, and valid flags as null
        let columns = made.columns.iter().flat_map(|column| [Some(&column.values), column.valid.as_ref()]);
        for buffer in columns.flatten().chain([&made.slots, &made.locks]) {
            stream.fill(buffer, 0..buffer.len(), 0)?;
        }
        let counters = [u64::from(one), 0, 0];
        stream.upload(&made.counters, 0, Bytes::copy_from_slice(bytes_of_slice(&counters)))?;
        Ok(made)
    }

    /// Waits for the pipelines that fill it. Returns the capacity to try next if it was too small.
    pub fn filled(&mut self, stream: &Stream) -> Result<Option<Size>> {
        let counters = stream.download(&self.counters, 0..COUNTER_BYTES)?;
        let counters = from_bytes::<u64>(&counters).unwrap_or_default();
        let (groups, heap, overflow) = (counters[0], counters[1], counters[2] != 0);
        let heap_missing = heap > self.heap.len() as u64;
        if overflow || heap_missing {
            // groups without a place have not counted their strings: the heap grows with the groups
            let heap = if overflow { heap.max(self.heap.len() as u64).saturating_mul(GROWTH) } else { heap };
            let groups = if overflow { self.capacity.saturating_mul(GROWTH) } else { self.capacity };
            return Ok(Some(Size { groups, heap }));
        }
        self.rows = groups;
        Ok(None)
    }

    /// Returns `struct A` of the generated source.
    pub fn words(&self) -> Vec<u64> {
        let slots = self.slots.len() as u64 / 4;
        let mut words = vec![
            self.capacity,
            self.counters.address(),
            self.heap.address(),
            self.heap.len() as u64,
            self.slots.address(),
            slots - 1,
            self.hashes.address(),
            self.locks.address(),
            self.pass.parts,
            self.pass.part,
        ];
        debug_assert_eq!(words.len(), HEADER_WORDS);
        words.extend(self.columns.iter().flat_map(Column::words));
        words
    }
}
