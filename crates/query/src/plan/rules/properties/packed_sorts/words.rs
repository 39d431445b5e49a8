//! Rows as words with their keys and their number, in order.

use std::cmp::Ordering;

use super::keys::Key;

/// A number with the keys of a row, and the row's number in its lowest bits.
pub(super) trait Word: Copy + Ord + Default + Send {
    /// Bits of a word.
    const BITS: u32;

    /// Puts the number of a further key behind those before.
    fn append(&mut self, bits: u32, number: u128);

    /// Returns the lowest 32 bits.
    fn low(self) -> u32;

    /// Returns the bits from a position on, at most 16.
    fn high(self, shift: u32) -> usize;

    /// Returns the word with 128 bits.
    fn wide(self) -> u128;
}

impl Word for u64 {
    const BITS: u32 = u64::BITS;

    fn append(&mut self, bits: u32, number: u128) {
        *self = self.checked_shl(bits).unwrap_or_default() | number as u64;
    }

    fn low(self) -> u32 {
        self as u32
    }

    fn high(self, shift: u32) -> usize {
        (self >> shift) as usize
    }

    fn wide(self) -> u128 {
        self.into()
    }
}

impl Word for u128 {
    const BITS: u32 = u128::BITS;

    fn append(&mut self, bits: u32, number: u128) {
        *self = self.checked_shl(bits).unwrap_or_default() | number;
    }

    fn low(self) -> u32 {
        self as u32
    }

    fn high(self, shift: u32) -> usize {
        (self >> shift) as usize
    }

    fn wide(self) -> u128 {
        self
    }
}

/// Rows up to which a sort does not yield to other tasks.
const FEW_ROWS: usize = 1 << 16;
/// Parts of more rows, as bits of their words.
const PART_BITS: u32 = 8;

/// The bytes that a row takes while rows are sorted: a wide word, and its number.
pub(super) const ROW_BYTES: usize = size_of::<u128>() + size_of::<u32>();

/// Returns the bits of a word of each of some rows.
pub(super) fn bits(keys: &[Key], rows: usize) -> u32 {
    row_bits(rows) + keys.iter().map(Key::bits).sum::<u32>()
}

/// Leaves out the lowest bits of texts, if the keys have more bits than a word.
pub(super) fn shorten(keys: &mut [Key], rows: usize) {
    let beyond = bits(keys, rows).saturating_sub(u128::BITS);
    let texts = keys.iter().filter(|key| key.is_text()).count() as u32;
    if beyond > 0 && texts > 0 {
        keys.iter_mut().for_each(|key| key.drop_bits(beyond.div_ceil(texts)));
    }
}

fn row_bits(rows: usize) -> u32 {
    usize::BITS - rows.saturating_sub(1).leading_zeros()
}

/// Returns the numbers of rows in the order of their keys; rows with equal keys stay in theirs.
/// The words have no more bits than [`bits`], and there are fewer than 2^32 rows.
pub(super) async fn sorted<W: Word>(mut keys: Vec<Key>, rows: usize) -> Vec<u32> {
    let (bits, row_bits) = (bits(&keys, rows), row_bits(rows));
    let mut words = vec![W::default(); rows];
    for key in &mut keys {
        let bits = key.bits();
        key.numbers(|row, number| words[row].append(bits, number));
        key.forget_places();
    }
    for (row, word) in words.iter_mut().enumerate() {
        word.append(row_bits, row as u128);
    }
    let is_sorted = words.is_sorted();
    if rows <= FEW_ROWS || is_sorted {
        words.sort_unstable();
    } else {
        in_parts(&mut words, bits.saturating_sub(PART_BITS)).await;
    }
    resolve(&mut words, &keys, row_bits).await;
    let mask = u32::MAX.checked_shr(u32::BITS - row_bits).unwrap_or_default();
    words.into_iter().map(|word| word.low() & mask).collect()
}

/// Sorts rows with equal numbers of texts that differ behind their first bytes.
async fn resolve<W: Word>(words: &mut [W], keys: &[Key], row_bits: u32) {
    let Some(first) = keys.iter().position(|key| !key.is_exact()) else { return };
    let row = |word: &W| (word.wide() & !(u128::MAX << row_bits)) as usize;
    // the position and the bits of each key from the first of such texts on
    let mut shift = row_bits;
    let mut places = Vec::with_capacity(keys.len() - first);
    for key in keys[first..].iter().rev() {
        places.push((shift, key));
        shift += key.bits();
    }
    places.reverse();
    let bits = |word: &W, shift: u32| word.wide().checked_shr(shift).unwrap_or_default();
    let compare = |one: &W, other: &W| {
        for (shift, key) in &places {
            // keys before this one are equal
            let order = bits(one, *shift).cmp(&bits(other, *shift));
            let order =
                if key.is_exact() { order } else { order.then_with(|| key.compare(row(one), row(other))) };
            if order != Ordering::Equal {
                return order;
            }
        }
        one.cmp(other)
    };
    let run = places.first().map_or(0, |(shift, _)| *shift);
    let mut start = 0;
    while start < words.len() {
        let number = bits(&words[start], run);
        let len = words[start..].partition_point(|word| bits(word, run) == number);
        if len > 1 {
            words[start..start + len].sort_unstable_by(compare);
        }
        if len > FEW_ROWS / 4 {
            tokio::task::yield_now().await;
        }
        start += len;
    }
}

/// Sorts words by parts with the same bits from a position on, and yields to other tasks between
/// them. Words move to their parts in place (McIlroy, Bostic and McIlroy, Engineering Radix Sort,
/// 1993).
async fn in_parts<W: Word>(words: &mut [W], shift: u32) {
    let mut counts = [0; 1 << PART_BITS];
    words.iter().for_each(|word| counts[word.high(shift)] += 1);
    let mut next = [0; 1 << PART_BITS];
    let mut total = 0;
    for (next, count) in next.iter_mut().zip(counts) {
        *next = total;
        total += count;
    }
    let mut end = 0;
    for part in 0..counts.len() {
        let first = end;
        end += counts[part];
        while next[part] < end {
            let mut word = words[next[part]];
            while word.high(shift) != part {
                let place = &mut next[word.high(shift)];
                std::mem::swap(&mut word, &mut words[*place]);
                *place += 1;
            }
            words[next[part]] = word;
            next[part] += 1;
        }
        // later words do not move into this part
        words[first..end].sort_unstable();
        if end - first > FEW_ROWS / 4 {
            tokio::task::yield_now().await;
        }
    }
}
