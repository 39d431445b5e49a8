//! Levels of a page: as many as it has values, none above its column's greatest, lists that go on
//! only where they are, and the same lists and structs as a neighbour's.

use std::ops::Range;

use pelton_bitpack::{Error, Hybrid, Kernels, Position};

use crate::decode::validate::Leaf;
use crate::decode::validate::Parts;
use crate::decode::validate::agreement::Agreement;
use crate::decode::validate::agreement::Block;

/// Levels that are decoded at a time.
const PIECE: usize = 4096;

/// Elements of lists beyond the first of each row that a column chunk has at most: some in any
/// chunk, and more for each byte of its pages. Equal elements take no bytes, and those of a row are
/// in memory together.
const ELEMENTS: usize = 1 << 22;
const ELEMENTS_PER_BYTE: usize = 1 << 12;

/// Where a page is in its column chunk.
#[derive(Debug, Clone)]
pub(crate) struct PagePlace {
    /// The rows of the row group that it holds, where that is known.
    pub rows: Option<Range<usize>>,
    /// Rows of the row group.
    pub all: usize,
    /// Whether no other page follows.
    pub is_last: bool,
}

/// How far the levels of a column chunk were looked at.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// The row that begins next.
    row: usize,
    /// The definition level of the last value, if the next page may continue its row.
    last: Option<u32>,
    /// Sums of what neighbours share with the leaf, in the order of [`Leaf::shared`].
    blocks: Vec<Block>,
    /// Values of the pages so far, and their bytes.
    values: usize,
    bytes: usize,
}

impl Walk {
    /// Goes over the levels of the next page, of `count` values. Returns how many of these are not
    /// null.
    pub fn page(
        &mut self,
        leaf: &Leaf,
        parts: &Parts<'_>,
        count: usize,
        place: &PagePlace,
        agreement: &Agreement,
    ) -> Result<usize, String> {
        let failed = |what: &str, error: Error| format!("{what} levels: {error}");
        let definition = Hybrid::new(parts.definition, bits(leaf.max_definition), count);
        if leaf.max_repetition == 0 && leaf.shared.is_empty() {
            let present = present(leaf, &definition).map_err(|e| failed("definition", e))?;
            return present.ok_or_else(|| above("definition", leaf.max_definition));
        }
        self.check_elements(parts, count, place.all)?;
        if self.blocks.len() != leaf.shared.len() {
            self.blocks = leaf.shared.iter().map(|&shared| Block::new(shared)).collect();
        }
        if let Some(rows) = &place.rows {
            // a page whose rows are known starts with one
            (self.row, self.last) = (rows.start, None);
        }
        let repetition = Hybrid::new(parts.repetition, bits(leaf.max_repetition), count);
        let (kernels, mut seen, mut present, first_row) = (Kernels::detect(), 0, 0, self.row);
        let (mut definition_at, mut repetition_at) = (Position::default(), Position::default());
        let (mut definitions, mut repetitions) = (Vec::new(), Vec::new());
        while seen < count {
            let piece = PIECE.min(count - seen);
            for (what, most, hybrid, at, levels) in [
                ("repetition", leaf.max_repetition, &repetition, &mut repetition_at, &mut repetitions),
                ("definition", leaf.max_definition, &definition, &mut definition_at, &mut definitions),
            ] {
                levels.clear();
                match most {
                    0 => levels.resize(piece, 0),
                    _ => kernels.read(hybrid, at, piece, levels).map_err(|e| failed(what, e))?,
                }
            }
            for (&repetition, &definition) in repetitions.iter().zip(&definitions) {
                self.value(leaf, (repetition, definition), seen, place.all, agreement)?;
                present += usize::from(definition == leaf.max_definition);
                seen += 1;
            }
        }
        let found = self.row - first_row;
        if let Some(rows) = place.rows.as_ref().filter(|rows| rows.len() != found) {
            return Err(format!("{found} rows begin in it, {} were expected", rows.len()));
        }
        if place.is_last && !self.blocks.iter().all(|block| block.finish(place.all, agreement)) {
            return Err(disagrees());
        }
        Ok(present)
    }

    /// Checks that the lists of the next page are no longer than its bytes are worth.
    fn check_elements(&mut self, parts: &Parts<'_>, count: usize, rows: usize) -> Result<(), String> {
        self.values = self.values.saturating_add(count);
        self.bytes += parts.repetition.len() + parts.definition.len() + parts.values.len();
        let most = ELEMENTS.saturating_add(self.bytes.saturating_mul(ELEMENTS_PER_BYTE));
        if self.values.saturating_sub(rows) <= most {
            return Ok(());
        }
        let (values, bytes) = (self.values, self.bytes);
        Err(format!(
            "with it its column has {values} values of {rows} rows in {bytes} bytes, {most} more than rows are the \
             most that is read of these"
        ))
    }

    /// Takes the levels of value `number` of a page.
    fn value(
        &mut self,
        leaf: &Leaf,
        (repetition, definition): (u32, u32),
        number: usize,
        all: usize,
        agreement: &Agreement,
    ) -> Result<(), String> {
        if definition > leaf.max_definition {
            return Err(above("definition", leaf.max_definition));
        }
        let mut row = None;
        if repetition == 0 {
            row = Some(self.row);
            self.row += 1;
            if self.row > all {
                return Err(format!("with it its column has {} rows, the row group {all}", self.row));
            }
        } else {
            let element = leaf.elements.get(repetition as usize - 1);
            let &element = element.ok_or_else(|| above("repetition", leaf.max_repetition))?;
            let Some(last) = self.last else {
                return Err(format!("its first value begins no row: its repetition level is {repetition}"));
            };
            if last < element || definition < element {
                return Err(format!("value {number} continues a list that is null or empty"));
            }
        }
        self.last = Some(definition);
        for block in &mut self.blocks {
            if !block.value((repetition, definition), row, all, agreement) {
                return Err(disagrees());
            }
        }
        Ok(())
    }
}

/// Values that are not null, of a column without lists; `None`: a level is above the greatest.
fn present(leaf: &Leaf, levels: &Hybrid<'_>) -> Result<Option<usize>, Error> {
    let (most, count) = (leaf.max_definition, levels.len());
    if most == 0 || count == 0 {
        return Ok(Some(count));
    }
    let (kernels, mut at, mut present) = (Kernels::detect(), Position::default(), 0);
    if let Some(level) = levels.constant(&at)? {
        return Ok((level <= most).then_some(if level == most { count } else { 0 }));
    }
    let mut piece = Vec::with_capacity(PIECE.min(count));
    while at.values() < count {
        piece.clear();
        let size = PIECE.min(count - at.values());
        kernels.read(levels, &mut at, size, &mut piece)?;
        if kernels.greatest(&piece) > most {
            return Ok(None);
        }
        present += piece.iter().filter(|&&level| level == most).count();
    }
    Ok(Some(present))
}

/// Bits of a level (parquet-format, Encodings.md, "RLE").
pub(crate) fn bits(most: u32) -> u32 {
    u32::BITS - most.leading_zeros()
}

fn above(what: &str, most: u32) -> String {
    format!("it has a {what} level above its column's greatest, {most}")
}

fn disagrees() -> String {
    "it has other nulls or lists around its values than the leaf beside it".to_owned()
}
