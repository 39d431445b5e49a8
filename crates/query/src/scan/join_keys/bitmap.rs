//! Bitmap of whole numbers or dates, with one bit for each value of their range.

use std::ops::Range;

use arrow::array::{
    Array, ArrowPrimitiveType, AsArray, BooleanArray, PrimitiveArray, downcast_integer_array,
};
use arrow::buffer::{BooleanBuffer, Buffer};
use arrow::datatypes::{ArrowNativeType, DataType, Date32Type};
use datafusion::execution::memory_pool::MemoryReservation;

const WORD_BITS: usize = 64;

/// Shift from a key to its word, and mask of its bit in the word.
const SHIFT: u32 = WORD_BITS.ilog2();
const MASK: i64 = WORD_BITS as i64 - 1;

/// Words that every bitmap may have. They are zero pages of the system until a key is written, so
/// that a few keys in a wide range cost little.
const MIN_WORDS_ALLOWED: usize = 1 << 20;

/// Keys of a column. Each word has 64 of them, word `first` the lowest ones.
#[derive(Debug)]
pub(in crate::scan) struct KeyBitmap {
    /// A key's word is its value divided by 64, less this.
    first: i64,
    words: Vec<u64>,
    keys: usize,
    memory: MemoryReservation,
}

/// The keys take more memory than they may.
#[derive(Debug)]
pub(in crate::scan) struct TooLarge;

impl KeyBitmap {
    /// Returns an empty bitmap. `memory` is an empty reservation.
    pub fn new(memory: MemoryReservation) -> Self {
        Self { first: 0, words: Vec::new(), keys: 0, memory }
    }

    /// Returns whether keys of a type can be put into a bitmap.
    pub fn takes(data_type: &DataType) -> bool {
        data_type.is_integer() || *data_type == DataType::Date32
    }

    /// Adds the values of a column of such a type. `most_words`: words that the bitmap may have.
    ///
    /// # Errors
    /// The bitmap would be larger, or the pool has no memory for it.
    pub fn add(&mut self, keys: &dyn Array, most_words: usize) -> Result<(), TooLarge> {
        downcast_integer_array!(
            keys => self.add_all(keys, most_words),
            DataType::Date32 => self.add_all(keys.as_primitive::<Date32Type>(), most_words),
            _ => Err(TooLarge),
        )
    }

    fn add_all<T: ArrowPrimitiveType>(
        &mut self,
        keys: &PrimitiveArray<T>,
        most_words: usize,
    ) -> Result<(), TooLarge> {
        if keys.null_count() == 0 {
            keys.values().iter().try_for_each(|&key| self.set(number(key), most_words))
        } else {
            keys.iter().flatten().try_for_each(|key| self.set(number(key), most_words))
        }
    }

    fn set(&mut self, key: i64, most_words: usize) -> Result<(), TooLarge> {
        let word = key >> SHIFT;
        if self.place(word) >= self.words.len() {
            self.cover(word, word, most_words)?;
        }
        let place = self.place(word);
        self.words[place] |= 1 << (key & MASK);
        Ok(())
    }

    /// Returns the index of a word; one beyond the end if it has none.
    fn place(&self, word: i64) -> usize {
        usize::try_from(word.wrapping_sub(self.first)).unwrap_or(usize::MAX)
    }

    /// Returns the places of the words from the first one with a key to the last one.
    fn used(&self) -> Range<usize> {
        let start = self.words.iter().position(|&word| word != 0).unwrap_or(self.words.len());
        let end = self.words.iter().rposition(|&word| word != 0).map_or(start, |last| last + 1);
        start..end
    }

    /// Makes room for the words from `low` to `high`, and for as many again as have keys, so that
    /// keys in any order copy the words a few times only. The spare words go to the side that
    /// grows; the other one keeps its own.
    fn cover(&mut self, low: i64, high: i64, most_words: usize) -> Result<(), TooLarge> {
        let (had, used) = (self.words.len(), self.used());
        let (from, to) = match used.is_empty() {
            true => (low, high),
            false => (low.min(self.first + used.start as i64), high.max(self.first + used.end as i64 - 1)),
        };
        let needed = usize::try_from(to - from + 1).unwrap_or(usize::MAX);
        if needed > most_words {
            return Err(TooLarge);
        }
        let grows_down = low < self.first;
        let kept = if grows_down { had - used.end } else { used.start };
        let kept = kept.min(needed).min((most_words - needed) / 2);
        let grown = (2 * used.len()).saturating_sub(needed).min(most_words - needed - kept);
        let length = needed + kept + grown;
        self.memory.try_grow(length * size_of::<u64>()).map_err(|_| TooLarge)?;
        let first = from - if grows_down { grown } else { kept } as i64;
        let mut words = vec![0; length];
        if !used.is_empty() {
            let place = (self.first + used.start as i64 - first) as usize;
            words[place..place + used.len()].copy_from_slice(&self.words[used]);
        }
        (self.first, self.words) = (first, words);
        self.memory.shrink(had * size_of::<u64>());
        Ok(())
    }

    /// Adds the keys of another bitmap.
    ///
    /// # Errors
    /// As for [`KeyBitmap::add`].
    pub fn merge(&mut self, other: &Self, most_words: usize) -> Result<(), TooLarge> {
        let used = other.used();
        if used.is_empty() {
            return Ok(());
        }
        let (low, high) = (other.first + used.start as i64, other.first + used.end as i64 - 1);
        if self.place(low) >= self.words.len() || self.place(high) >= self.words.len() {
            self.cover(low, high, most_words)?;
        }
        let place = self.place(low);
        for (own, other) in self.words[place..].iter_mut().zip(&other.words[used]) {
            *own |= other;
        }
        Ok(())
    }

    /// Returns the bitmap without spare words, its keys counted.
    pub fn finished(mut self) -> Self {
        let used = self.used();
        if used.len() < self.words.len() {
            self.first += used.start as i64;
            self.words = self.words[used].to_vec();
            self.memory.shrink(self.memory.size().saturating_sub(self.bytes()));
        }
        self.keys = self.words.iter().map(|word| word.count_ones() as usize).sum();
        self
    }

    /// Returns the bytes of the words.
    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// Returns the number of different keys, once all are there.
    pub fn keys(&self) -> usize {
        self.keys
    }

    /// Returns the share of the values in the range that are keys.
    pub fn density(&self) -> f64 {
        self.keys as f64 / (self.words.len() * WORD_BITS).max(1) as f64
    }

    /// Returns for each value of a column whether it is a key; null is not. `None` if the column
    /// has another type than the keys may have.
    pub fn contains(&self, values: &dyn Array) -> Option<BooleanArray> {
        let found = downcast_integer_array!(
            values => self.bits(values),
            DataType::Date32 => self.bits(values.as_primitive::<Date32Type>()),
            _ => return None,
        );
        Some(BooleanArray::new(
            match values.nulls() {
                Some(nulls) => &found & nulls.inner(),
                None => found,
            },
            None,
        ))
    }

    fn bits<T: ArrowPrimitiveType>(&self, values: &PrimitiveArray<T>) -> BooleanBuffer {
        let values = values.values();
        let mut packed: Vec<u64> = Vec::with_capacity(values.len().div_ceil(WORD_BITS));
        for chunk in values.chunks(WORD_BITS) {
            let bits = chunk.iter().enumerate();
            packed.push(bits.fold(0, |bits, (at, &value)| bits | (self.bit(number(value)) << at)));
        }
        BooleanBuffer::new(Buffer::from_vec(packed), 0, values.len())
    }

    /// Returns 1 for a key, 0 for another value.
    #[inline]
    fn bit(&self, value: i64) -> u64 {
        let word = (value >> SHIFT).wrapping_sub(self.first) as u64;
        let word = usize::try_from(word).ok().and_then(|word| self.words.get(word));
        word.map_or(0, |word| (word >> (value & MASK)) & 1)
    }
}

/// Returns the words that the bitmap of the keys of some rows may have: not more than half of the
/// memory of a hash table of as many keys, unless they are few.
pub(super) fn words_allowed(rows: usize) -> usize {
    rows.max(MIN_WORDS_ALLOWED)
}

/// Returns a key as a number with a sign. Unsigned ones above the greatest such number become
/// negative, each another one.
#[inline]
pub(super) fn number<T: ArrowNativeType>(key: T) -> i64 {
    key.as_usize() as i64
}

#[cfg(test)]
mod tests;
