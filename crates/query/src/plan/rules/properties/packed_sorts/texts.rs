//! Texts of a sort key, by their rank if few texts differ, or by the first bytes in which they do.

use std::cmp::Ordering;
use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::hash_utils::RandomState;
use datafusion::error::Result;

/// Bytes of a text in its place. The last byte of a place is the length.
const PREFIX: usize = 7;

/// Most different texts that have ranks.
const MOST_RANKS: usize = 1 << 12;

/// Few different texts, numbered as they came.
#[derive(Default)]
struct Numbered {
    numbers: HashMap<Box<[u8]>, u32, RandomState>,
    /// The number of each row's text; `None` for NULL.
    rows: Vec<Option<u32>>,
}

impl Numbered {
    /// Adds texts. Returns whether there are few.
    fn push(&mut self, texts: &BinaryViewArray) -> bool {
        for text in texts {
            let number = match text {
                None => None,
                Some(text) => match self.numbers.get(text) {
                    Some(number) => Some(*number),
                    None if self.numbers.len() == MOST_RANKS => return false,
                    None => {
                        let number = self.numbers.len() as u32;
                        self.numbers.insert(text.into(), number);
                        Some(number)
                    }
                },
            };
            self.rows.push(number);
        }
        true
    }

    /// Returns the rank of each number's text.
    fn ranks(&self) -> Vec<u64> {
        let mut texts: Vec<(&[u8], u32)> =
            self.numbers.iter().map(|(text, number)| (text.as_ref(), *number)).collect();
        texts.sort_unstable();
        let mut ranks = vec![0; texts.len()];
        for (rank, (_, number)) in texts.iter().enumerate() {
            ranks[*number as usize] = rank as u64;
        }
        ranks
    }
}

/// The texts of one sort key, row after row.
pub(super) struct Texts {
    /// `None` if there are many.
    numbered: Option<Numbered>,
    arrays: Vec<BinaryViewArray>,
    /// First rows of the arrays.
    firsts: Vec<usize>,
    rows: usize,
    /// Bytes with which all texts begin; `None` before the first.
    common: Option<Vec<u8>>,
    /// Bytes of the longest text.
    longest: usize,
}

impl Default for Texts {
    fn default() -> Self {
        let numbered = Some(Numbered::default());
        Self { numbered, arrays: Vec::new(), firsts: Vec::new(), rows: 0, common: None, longest: 0 }
    }
}

impl Texts {
    /// Returns whether values of a type are texts or bytes.
    pub fn are_of(data_type: &DataType) -> bool {
        matches!(
            data_type,
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
                | DataType::BinaryView
        )
    }

    /// Adds texts.
    ///
    /// # Errors
    /// A fault of Arrow's.
    pub fn push(&mut self, values: &ArrayRef) -> Result<()> {
        let texts = cast(values, &DataType::BinaryView)?.as_binary_view().clone();
        if self.numbered.as_mut().is_some_and(|numbered| !numbered.push(&texts)) {
            self.numbered = None;
        }
        for text in texts.iter().flatten() {
            self.longest = self.longest.max(text.len());
            let common = self.common.get_or_insert_with(|| text.to_vec());
            if !text.starts_with(common) {
                let equal = common.iter().zip(text).take_while(|(one, other)| one == other).count();
                common.truncate(equal);
            }
        }
        self.firsts.push(self.rows);
        self.rows += texts.len();
        self.arrays.push(texts);
        Ok(())
    }

    fn skipped(&self) -> usize {
        self.common.as_ref().map_or(0, Vec::len)
    }

    /// Returns whether equal places are those of equal texts.
    pub fn are_exact(&self) -> bool {
        self.numbered.is_some() || self.longest <= self.skipped() + PREFIX
    }

    /// Calls `add` with the place of each text, in the order of the texts; `None` for NULL.
    pub fn places(&self, mut add: impl FnMut(Option<u64>)) {
        if let Some(numbered) = &self.numbered {
            let ranks = numbered.ranks();
            let rank = |number: &Option<u32>| number.map(|number| ranks[number as usize]);
            return numbered.rows.iter().map(rank).for_each(add);
        }
        let skipped = self.skipped();
        let place = |text: &[u8]| {
            let rest = &text[skipped..];
            let mut bytes = [0; PREFIX + 1];
            let len = rest.len().min(PREFIX);
            bytes[..len].copy_from_slice(&rest[..len]);
            bytes[PREFIX] = rest.len().min(PREFIX + 1) as u8;
            u64::from_be_bytes(bytes)
        };
        self.arrays.iter().flat_map(BinaryViewArray::iter).for_each(|text| add(text.map(place)));
    }

    fn row(&self, row: usize) -> Option<&[u8]> {
        let array = self.firsts.partition_point(|first| *first <= row) - 1;
        let (texts, row) = (&self.arrays[array], row - self.firsts[array]);
        texts.is_valid(row).then(|| texts.value(row))
    }

    /// Returns whether a row is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        self.row(row).is_none()
    }

    /// Compares the texts of two rows.
    pub fn compare(&self, one: usize, other: usize) -> Ordering {
        self.row(one).cmp(&self.row(other))
    }
}
