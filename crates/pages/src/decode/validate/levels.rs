//! Validation of a page's levels: their number and maximum, lists that continue only if they have
//! elements, and agreement with neighbouring leaves.

use std::ops::Range;

use pelton_bitpack::{Error, Hybrid, Kernels, Position};

use crate::decode::validate::Leaf;
use crate::decode::validate::Parts;
use crate::decode::validate::agreement::Agreement;
use crate::decode::validate::agreement::Block;

/// Levels decoded at a time.
const PIECE: usize = 4096;

/// Maximum number of list elements in a column chunk beyond the first of each row: a fixed part,
/// and a part for each byte of its pages. Equal elements take no bytes, and all elements of a row
/// are in memory together.
const ELEMENTS: usize = 1 << 22;
const ELEMENTS_PER_BYTE: usize = 1 << 12;

/// Position of a page in its column chunk.
#[derive(Debug, Clone)]
pub(crate) struct PagePlace {
    /// Its rows in the row group, if they are known.
    pub rows: Option<Range<usize>>,
    /// Rows of the row group.
    pub all: usize,
    /// Whether it is the last page.
    pub is_last: bool,
}

/// State of the validation of a column chunk's levels.
#[derive(Debug, Default)]
pub(crate) struct LevelState {
    /// The next row.
    row: usize,
    /// Definition level of the last value, if the next page may continue its row.
    last: Option<u32>,
    /// Sums of the levels shared with neighbours, in the order of [`Leaf::shared`].
    blocks: Vec<Block>,
    /// Values and bytes of the pages so far.
    values: usize,
    bytes: usize,
}

impl LevelState {
    /// Validates the levels of the next page, which has `count` values. Returns the number of
    /// values that are not null.
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
            // a page with known rows starts at a row
            (self.row, self.last) = (rows.start, None);
        }
        let repetition = Hybrid::new(parts.repetition, bits(leaf.max_repetition), count);
        let (kernels, mut seen, mut present, first_row) = (Kernels::detect(), 0, 0, self.row);
        let (mut definition_at, mut repetition_at) = (Position::default(), Position::default());
        let (mut definitions, mut repetitions) = (Vec::new(), Vec::new());
        while seen < count {
            let piece = PIECE.min(count - seen);
            for (what, max, hybrid, at, levels) in [
                ("repetition", leaf.max_repetition, &repetition, &mut repetition_at, &mut repetitions),
                ("definition", leaf.max_definition, &definition, &mut definition_at, &mut definitions),
            ] {
                levels.clear();
                match max {
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

    /// Checks the number of list elements against the bytes of the pages.
    fn check_elements(&mut self, parts: &Parts<'_>, count: usize, rows: usize) -> Result<(), String> {
        self.values = self.values.saturating_add(count);
        self.bytes += parts.repetition.len() + parts.definition.len() + parts.values.len();
        let max = ELEMENTS.saturating_add(self.bytes.saturating_mul(ELEMENTS_PER_BYTE));
        if self.values.saturating_sub(rows) <= max {
            return Ok(());
        }
        let (values, bytes) = (self.values, self.bytes);
        Err(format!(
            "with it its column has {values} values of {rows} rows in {bytes} bytes, {max} more than rows are the \
             most that is read of these"
        ))
    }

    /// Validates the levels of value `number` of a page.
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

/// Returns the number of non-null values in a column without lists; `None` if a level exceeds the
/// maximum.
fn present(leaf: &Leaf, levels: &Hybrid<'_>) -> Result<Option<usize>, Error> {
    let (max, count) = (leaf.max_definition, levels.len());
    if max == 0 || count == 0 {
        return Ok(Some(count));
    }
    let (kernels, mut at, mut present) = (Kernels::detect(), Position::default(), 0);
    if let Some(level) = levels.constant(&at)? {
        return Ok((level <= max).then_some(if level == max { count } else { 0 }));
    }
    let mut piece = Vec::with_capacity(PIECE.min(count));
    while at.values() < count {
        piece.clear();
        let size = PIECE.min(count - at.values());
        kernels.read(levels, &mut at, size, &mut piece)?;
        if kernels.greatest(&piece) > max {
            return Ok(None);
        }
        present += piece.iter().filter(|&&level| level == max).count();
    }
    Ok(Some(present))
}

/// Returns the bits of a level (parquet-format, Encodings.md, "RLE").
pub(crate) fn bits(max: u32) -> u32 {
    u32::BITS - max.leading_zeros()
}

fn above(what: &str, max: u32) -> String {
    format!("it has a {what} level above its column's greatest, {max}")
}

fn disagrees() -> String {
    "it has other nulls or lists around its values than the leaf beside it".to_owned()
}
