//! Dictionary pages that were decompressed before.
//!
//! Whoever reads a column needs its dictionary, however few the rows: a seventh of what TPC-H's
//! queries have decompressed of Snappy are dictionaries, which several scans of a query and one
//! query after the other need again. They are small beside what they stand for, so that those of
//! many files can be kept.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use bytes::Bytes;

/// What an entry takes beside its bytes, about.
const ENTRY_BYTES: usize = 256;

/// A page may have this part of the room at most.
const LARGEST: usize = 8;

/// An entry makes room for others when nobody has looked for it while so many were looked for: a
/// scan of files with more dictionaries than there is room for then leaves most of them where they
/// are, instead of pushing each out before it is needed again.
const UNUSED_FOR: u64 = 8192;

/// Pages that are kept, up to so many bytes. Those of files that are closed, and those that nobody
/// has looked for in long, make room.
#[derive(Debug)]
pub struct Dictionaries {
    limit: usize,
    kept: Mutex<Kept>,
}

/// The open file that a dictionary is of: one version of it, as scans look whether it has changed.
type File = Weak<dyn Any + Send + Sync>;

/// A file's address, a row group and a leaf column. An entry's weak reference keeps the address
/// from being another file's.
type Key = (usize, usize, usize);

#[derive(Debug, Default)]
struct Kept {
    pages: HashMap<Key, Entry>,
    bytes: usize,
    /// How many were looked for, and at which number those that nobody needs were let go.
    now: u64,
    swept: u64,
}

#[derive(Debug)]
struct Entry {
    file: File,
    plain: Bytes,
    used: u64,
}

impl Entry {
    fn size(&self) -> usize {
        self.plain.len() + ENTRY_BYTES
    }
}

impl Dictionaries {
    /// Room for so many bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, kept: Mutex::default() })
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Makes room for `size` bytes, if entries that nobody needs have it. Returns them, to be
    /// dropped without the lock.
    fn make_room(&mut self, size: usize, limit: usize) -> Vec<Entry> {
        if self.bytes + size <= limit || self.now - self.swept < UNUSED_FOR / 8 {
            return Vec::new();
        }
        self.swept = self.now;
        let now = self.now;
        let unused = self
            .pages
            .extract_if(|_, entry| entry.file.strong_count() == 0 || now - entry.used > UNUSED_FOR)
            .map(|(_, entry)| entry);
        let unused: Vec<_> = unused.collect();
        self.bytes -= unused.iter().map(Entry::size).sum::<usize>();
        unused
    }
}

/// The place of one column chunk's dictionary among those that are kept.
#[derive(Debug, Clone)]
pub(crate) struct Shelf {
    dictionaries: Arc<Dictionaries>,
    file: File,
    row_group: usize,
    leaf: usize,
}

impl Shelf {
    pub fn new<F: Any + Send + Sync>(
        dictionaries: &Arc<Dictionaries>,
        file: &Arc<F>,
        row_group: usize,
        leaf: usize,
    ) -> Self {
        let file: Weak<F> = Arc::downgrade(file);
        Self { dictionaries: dictionaries.clone(), file, row_group, leaf }
    }

    fn key(&self) -> Key {
        (self.file.as_ptr().cast::<()>() as usize, self.row_group, self.leaf)
    }

    /// The plain bytes of the page, if they are kept.
    pub fn find(&self) -> Option<Bytes> {
        let mut kept = self.dictionaries.kept();
        kept.now += 1;
        let now = kept.now;
        let entry = kept.pages.get_mut(&self.key())?;
        entry.used = now;
        Some(entry.plain.clone())
    }

    /// Keeps the plain bytes of the page, if there is room.
    pub fn keep(&self, plain: &Bytes) {
        let (limit, size) = (self.dictionaries.limit, plain.len() + ENTRY_BYTES);
        if size > limit / LARGEST {
            return;
        }
        if self.dictionaries.kept().pages.contains_key(&self.key()) {
            return;
        }
        // in memory of their own, as what they are in has room for more; and without the lock,
        // which all readers want
        let entry = Entry { file: self.file.clone(), plain: Bytes::copy_from_slice(plain), used: 0 };
        let mut kept = self.dictionaries.kept();
        let unused = kept.make_room(size, limit);
        if kept.bytes + size <= limit && !kept.pages.contains_key(&self.key()) {
            let used = kept.now;
            kept.bytes += size;
            kept.pages.insert(self.key(), Entry { used, ..entry });
        }
        drop(kept);
        drop(unused);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: usize = 8 * (1000 + ENTRY_BYTES);

    fn page(number: u8) -> Bytes {
        Bytes::from(vec![number; 1000])
    }

    #[test]
    fn a_page_is_found_for_its_file_row_group_and_column() {
        let dictionaries = Dictionaries::new(ROOM);
        let (one, other) = (Arc::new(1), Arc::new(1));
        let shelf = |file: &Arc<i32>, row_group, leaf| Shelf::new(&dictionaries, file, row_group, leaf);
        assert_eq!(shelf(&one, 2, 3).find(), None);
        shelf(&one, 2, 3).keep(&page(7));
        assert_eq!(shelf(&one, 2, 3).find(), Some(page(7)));
        let others = [shelf(&other, 2, 3), shelf(&one, 1, 3), shelf(&one, 2, 2)];
        assert!(others.iter().all(|shelf| shelf.find().is_none()));
    }

    /// Memory of a file that is closed may become another's, which must not get its dictionaries.
    #[test]
    fn a_file_opened_anew_has_none() {
        let dictionaries = Dictionaries::new(ROOM);
        for number in 0..100u8 {
            let file = Arc::new(number);
            let shelf = Shelf::new(&dictionaries, &file, 0, 0);
            assert_eq!(shelf.find(), None);
            shelf.keep(&page(number));
        }
    }

    #[test]
    fn what_is_in_use_stays_and_what_is_not_makes_room() {
        let (dictionaries, file) = (Dictionaries::new(ROOM), Arc::new(0));
        let shelf = |leaf| Shelf::new(&dictionaries, &file, 0, leaf);
        (0..20).for_each(|leaf| shelf(leaf).keep(&page(leaf as u8)));
        let found = |leaf: usize| shelf(leaf).find() == Some(page(leaf as u8));
        // as many as there is room for, and these for as long as they are looked for
        assert!((0..8).all(found) && !(8..20).any(found));
        for _ in 0..=UNUSED_FOR {
            assert!(found(0));
        }
        shelf(20).keep(&page(20));
        assert!(found(20) && found(0) && !(1..20).any(found));
        // one that would take most of the room
        shelf(21).keep(&Bytes::from(vec![0; ROOM / 2]));
        assert_eq!(shelf(21).find(), None);
        assert!(dictionaries.kept().bytes <= ROOM);
    }
}
