//! Codes of integers of a small range.

use crate::NONE;

/// Table of codes for a range of integers, in the order of their first occurrence.
#[derive(Debug, Default)]
pub struct IntegerCodes {
    /// Integer of the first entry.
    first: i64,
    /// The greatest integer so far.
    last: i64,
    /// A code for each integer of the range.
    entries: Vec<u32>,
    /// Integers by their codes; `None` is the code of nulls.
    values: Vec<Option<i64>>,
    null: Option<u32>,
}

impl IntegerCodes {
    /// Appends the codes of `rows` integers to `codes`. Returns false, and appends none, if the
    /// range of all integers becomes larger than `max_range`.
    pub fn append(
        &mut self,
        rows: usize,
        value: impl Fn(usize) -> i64,
        is_null: Option<&dyn Fn(usize) -> bool>,
        max_range: usize,
        codes: &mut Vec<u32>,
    ) -> bool {
        let is_null = |row| is_null.is_some_and(|is_null| is_null(row));
        let (mut min, mut max) = (i64::MAX, i64::MIN);
        for row in (0..rows).filter(|&row| !is_null(row)) {
            let value = value(row);
            (min, max) = (min.min(value), max.max(value));
        }
        if min <= max && !self.extend(min, max, max_range) {
            return false;
        }
        codes.reserve(rows);
        for row in 0..rows {
            codes.push(match is_null(row) {
                true => self.null(),
                false => self.code(value(row)),
            });
        }
        true
    }

    #[inline]
    fn code(&mut self, value: i64) -> u32 {
        let at = value.wrapping_sub(self.first) as usize;
        match self.entries.get_mut(at) {
            Some(code) if *code != NONE => *code,
            Some(code) => {
                *code = self.values.len() as u32;
                self.values.push(Some(value));
                *code
            }
            None => NONE,
        }
    }

    fn null(&mut self) -> u32 {
        *self.null.get_or_insert_with(|| {
            self.values.push(None);
            self.values.len() as u32 - 1
        })
    }

    /// Extends the range. Its end is moved further than needed, so that a sorted column does not
    /// move it with every batch.
    fn extend(&mut self, min: i64, max: i64, max_range: usize) -> bool {
        let is_empty = self.entries.is_empty();
        let (first, last) = match is_empty {
            true => (min, max),
            false => (min.min(self.first), max.max(self.last)),
        };
        let range = last.abs_diff(first);
        if range >= max_range as u64 {
            return false;
        }
        let range = range as usize + 1;
        self.last = last;
        let from = if is_empty { 0 } else { self.first.abs_diff(first) as usize };
        if !is_empty && from == 0 && range <= self.entries.len() {
            return true;
        }
        let kept = self.entries.len().min(range - from);
        let mut entries = vec![NONE; range.next_power_of_two()];
        entries[from..from + kept].copy_from_slice(&self.entries[..kept]);
        (self.first, self.entries) = (first, entries);
        true
    }

    /// Returns the integers by their codes, with `None` for nulls.
    pub fn values(&self) -> &[Option<i64>] {
        &self.values
    }

    /// Returns the bytes of the table.
    pub fn size(&self) -> usize {
        self.entries.capacity() * size_of::<u32>() + self.values.capacity() * size_of::<Option<i64>>()
    }
}
