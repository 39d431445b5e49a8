//! Copy of spilled rows back to the GPU's memory.

use std::sync::Arc;

use pelton_device_cuda::Buffer;

use super::host_memory::Piece;
use super::part::{Part, Pass};
use super::partition::columns_only;
use super::places;
use crate::exec::Result;
use crate::exec::fill::{MIN_ROWS, SLACK};
use crate::exec::groups::{self, DeviceGroups};
use crate::exec::launch::{Parameters, THREADS};
use crate::exec::run::Run;
use crate::exec::table::{Column, DeviceTable, Size, bytes};
use crate::ir::{Field, Scalar};

/// Target of rows: columns and the first row, strings and the first byte.
struct Place<'a> {
    columns: &'a [Column],
    row: u64,
    heap: &'a Buffer,
    byte: u64,
}

impl Run<'_> {
    /// Copies the spilled rows of one pass back to the GPU.
    pub(in crate::exec) fn restore(&mut self, part: Part, pieces: &[Piece], pass: Pass) -> Result<()> {
        match part {
            Part::Table(number) => self.restore_table(number, pieces, pass),
            Part::Groups(number) => self.restore_groups(number, pieces, pass),
        }
    }

    fn restore_table(&mut self, number: usize, pieces: &[Piece], pass: Pass) -> Result<()> {
        let (rows, heap) = total(pieces, pass);
        let (gpu, compute) = (&self.engine.gpu, &self.compute);
        let spec = &self.query.tables[number];
        let mut table = DeviceTable::allocate(gpu, compute, spec, Size { rows: rows.max(1), heap }, pass)?;
        let fields = self.fields(Part::Table(number));
        let mut to = Place { columns: &table.columns, row: 0, heap: &table.heap, byte: 0 };
        for piece in pieces {
            let (rows, strings) = self.upload(&fields, piece, pass, &to)?;
            (to.row, to.byte) = (to.row + rows, to.byte + strings);
        }
        table.set_filled(compute, rows, heap)?;
        self.tables[number] = Some(table);
        self.check()
    }

    fn restore_groups(&mut self, number: usize, pieces: &[Piece], pass: Pass) -> Result<()> {
        let query = self.query;
        let aggregate = &query.aggregates[number];
        let fields = self.fields(Part::Groups(number));
        // the number of rows bounds the groups, as pieces have groups in common
        let (most, _) = total(pieces, pass);
        let expected = pass.of((aggregate.groups * SLACK) as u64).max(MIN_ROWS);
        let mut size = groups::Size::first(aggregate, expected.min(most), Pass::WHOLE);
        loop {
            self.groups[number] = None;
            let (gpu, compute) = (&self.engine.gpu, &self.compute);
            let mut all = DeviceGroups::allocate(gpu, compute, aggregate, size, pass)?;
            for piece in pieces {
                let (rows, strings) = piece.part(&places(pass));
                let (rows, strings) = (rows.end - rows.start, strings.end - strings.start);
                if rows == 0 {
                    continue;
                }
                let columns = fields.iter().map(|field| Column::allocate(gpu, field, rows));
                let columns = columns.collect::<Result<Vec<_>>>()?;
                let heap = Arc::new(gpu.allocate(bytes(strings.max(1), 1)?)?);
                let to = Place { columns: &columns, row: 0, heap: &heap, byte: 0 };
                self.upload(&fields, piece, pass, &to)?;
                let head = Parameters::default().word(rows);
                let parameters = head.words(columns_only(&fields, &columns)).words(all.words());
                let pieces = rows.div_ceil(THREADS.into());
                self.launch(&format!("unite_groups_{number}"), pieces, &parameters, rows * 8)?;
            }
            let missing = all.filled(compute)?;
            self.check()?;
            match missing {
                Some(larger) => size = larger,
                None => {
                    self.groups[number] = Some(all);
                    return Ok(());
                }
            }
        }
    }

    /// Copies a pass's part of a piece, and returns its rows and bytes of strings.
    fn upload(&self, fields: &[Field], piece: &Piece, pass: Pass, to: &Place<'_>) -> Result<(u64, u64)> {
        let (rows, strings) = piece.part(&places(pass));
        let count = rows.end - rows.start;
        let mut copies = Vec::new();
        for ((field, column), (values, valid)) in fields.iter().zip(to.columns).zip(&piece.columns) {
            let width = field.scalar.bytes();
            let (from, end) = (bytes(rows.start, width)?, bytes(rows.end, width)?);
            copies.push((&*column.values, bytes(to.row, width)?, values.slice(from..end)));
            if let (Some(flags), Some(valid)) = (&column.valid, valid) {
                copies.push((
                    &**flags,
                    bytes(to.row, 1)?,
                    valid.slice(bytes(rows.start, 1)?..bytes(rows.end, 1)?),
                ));
            }
        }
        let heap = piece.heap.slice(bytes(strings.start, 1)?..bytes(strings.end, 1)?);
        copies.push((to.heap, bytes(to.byte, 1)?, heap));
        copies.retain(|(.., data)| !data.is_empty());
        self.compute.upload_batch(copies)?;
        let texts = fields.iter().zip(to.columns).filter(|(field, _)| field.scalar == Scalar::Str);
        for (_, column) in texts {
            // a string's address is its offset among the piece's strings
            let distance = (to.heap.address() + to.byte).wrapping_sub(strings.start);
            let from = column.values.address() + bytes(to.row, Scalar::Str.bytes())? as u64;
            let parameters = Parameters::default().word(count).word(from).word(distance);
            self.launch("spill_rebase", count.div_ceil(THREADS.into()), &parameters, count * 8)?;
        }
        Ok((count, strings.end - strings.start))
    }
}

/// Returns the rows and bytes of strings of a pass in all pieces.
fn total(pieces: &[Piece], pass: Pass) -> (u64, u64) {
    let parts = pieces.iter().map(|piece| piece.part(&places(pass)));
    parts.fold((0, 0), |(all, bytes), (rows, strings)| {
        (all + rows.end - rows.start, bytes + strings.end - strings.start)
    })
}
