//! Codes of string views that were seen before.

use crate::NONE;

/// Entries of the smallest table.
const MIN_ENTRIES: usize = 256;

/// Entries of the largest table, which is about as large as a level-2 cache.
const MAX_ENTRIES: usize = 1 << 15;

/// Least entries for each view, so that most views are found at once.
const ENTRIES_PER_VIEW: usize = 3;

/// Most entries that are looked at for a view.
const MAX_PROBES: usize = 8;

/// Longest value that is in its view (Arrow columnar format, "Variable-size binary view").
const MAX_INLINE: u128 = 12;

/// View of an empty entry: no value is as long as its first half says.
const NO_VIEW: u128 = u128::MAX;

/// Multiplier that spreads bits over the upper half of a product: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hash table of views with their codes, which may forget views.
///
/// Equal views have equal values if they are short, or if they point into the same buffers. The
/// values of one dictionary have one view each, so that a string of any length is found by the 128
/// bits of its view, without a look at its bytes.
#[derive(Debug)]
pub struct ViewCodes {
    entries: Vec<(u128, u32)>,
    /// Bits to drop from a hash for the index of an entry.
    shift: u32,
    /// Entries with a view.
    used: usize,
    /// True if an entry has a view that points into buffers.
    has_pointers: bool,
}

impl Default for ViewCodes {
    fn default() -> Self {
        let mut table = Self { entries: Vec::new(), shift: 0, used: 0, has_pointers: false };
        table.clear(MIN_ENTRIES);
        table
    }
}

impl ViewCodes {
    /// Appends the code of each view to `codes`. `find` returns the codes of views that are not in
    /// the table, and `null` that of the rows that `is_null` names. Stops at a row without a code.
    ///
    /// # Errors
    /// `find` returned no code.
    pub fn append<E>(
        &mut self,
        views: &[u128],
        is_null: Option<&dyn Fn(usize) -> bool>,
        codes: &mut Vec<u32>,
        mut find: impl FnMut(usize) -> Result<u32, E>,
        null: impl FnOnce() -> Result<u32, E>,
    ) -> Result<(), E> {
        codes.reserve(views.len());
        match is_null {
            None => {
                let start = codes.len();
                loop {
                    self.append_known(&views[codes.len() - start..], codes);
                    let row = codes.len() - start;
                    let Some(&view) = views.get(row) else { break };
                    codes.push(self.code(view, row, &mut find)?);
                }
            }
            Some(is_null) => {
                let null = null()?;
                for (row, &view) in views.iter().enumerate() {
                    codes.push(if is_null(row) { null } else { self.code(view, row, &mut find)? });
                }
            }
        }
        Ok(())
    }

    /// Appends the codes of views up to the first one that is not in the table. It has no type
    /// parameters, so that it is compiled with this crate, and as fast as this crate is.
    fn append_known(&self, views: &[u128], codes: &mut Vec<u32>) {
        let start = codes.len();
        codes.resize(start + views.len(), NONE);
        let mut known = 0;
        for (&view, place) in views.iter().zip(&mut codes[start..]) {
            // the first entry has most views
            let first = self.entries.get((hash(view) >> self.shift) as usize);
            *place = match first {
                Some(&(found, code)) if found == view => code,
                _ => match self.known(view) {
                    Some(code) => code,
                    None => break,
                },
            };
            known += 1;
        }
        codes.truncate(start + known);
    }

    #[inline]
    fn code<E>(
        &mut self,
        view: u128,
        row: usize,
        find: &mut impl FnMut(usize) -> Result<u32, E>,
    ) -> Result<u32, E> {
        if let Some(code) = self.known(view) {
            return Ok(code);
        }
        let code = find(row)?;
        self.has_pointers |= view & 0xffff_ffff > MAX_INLINE;
        if self.used * ENTRIES_PER_VIEW >= self.entries.len() && self.entries.len() < MAX_ENTRIES {
            self.grow();
        }
        self.put(view, code);
        Ok(code)
    }

    /// Returns the indexes of the entries that may have a view.
    #[inline]
    fn probes(&self, view: u128) -> impl Iterator<Item = usize> + use<> {
        let (first, mask) = ((hash(view) >> self.shift) as usize, self.entries.len() - 1);
        (first..first + MAX_PROBES).map(move |at| at & mask)
    }

    #[inline]
    fn known(&self, view: u128) -> Option<u32> {
        for at in self.probes(view) {
            match self.entries.get(at) {
                Some(&(known, code)) if known == view => return Some(code),
                Some(&(NO_VIEW, _)) | None => return None,
                Some(_) => {}
            }
        }
        None
    }

    /// Adds a view; with no free entry, in place of another one.
    fn put(&mut self, view: u128, code: u32) {
        let free = self.probes(view).find(|&at| self.entries[at].0 == NO_VIEW);
        self.used += usize::from(free.is_some());
        if let Some(at) = free.or_else(|| self.probes(view).next()) {
            self.entries[at] = (view, code);
        }
    }

    /// Forgets views that point into buffers: the next ones point into others.
    pub fn change_buffers(&mut self) {
        if self.has_pointers {
            self.clear(self.entries.len());
        }
    }

    fn clear(&mut self, entries: usize) {
        self.entries.clear();
        self.entries.resize(entries, (NO_VIEW, NONE));
        self.shift = u64::BITS - entries.trailing_zeros();
        (self.used, self.has_pointers) = (0, false);
    }

    fn grow(&mut self) {
        let (has_pointers, old) = (self.has_pointers, std::mem::take(&mut self.entries));
        self.clear(old.len() * 2);
        self.has_pointers = has_pointers;
        for (view, code) in old.into_iter().filter(|(view, _)| *view != NO_VIEW) {
            self.put(view, code);
        }
    }

    /// Returns the bytes of the table.
    pub fn size(&self) -> usize {
        self.entries.capacity() * size_of::<(u128, u32)>()
    }
}

#[inline]
fn hash(view: u128) -> u64 {
    let (low, high) = (view as u64, (view >> 64) as u64);
    (low ^ high.wrapping_mul(SPREAD).rotate_left(32)).wrapping_mul(SPREAD)
}
