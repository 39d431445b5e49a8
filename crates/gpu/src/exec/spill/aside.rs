//! Host memory that rows are set aside in, for all queries on a GPU together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// So many bytes, and how many of them are taken.
#[derive(Debug)]
pub(in crate::exec) struct Aside {
    limit: u64,
    taken: AtomicU64,
}

/// Some of them, given back when it is dropped.
#[derive(Debug)]
pub(in crate::exec) struct AsideRoom {
    of: Arc<Aside>,
    pub bytes: u64,
}

impl Aside {
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(Self { limit, taken: AtomicU64::new(0) })
    }

    /// Whether rows may be set aside at all.
    pub fn is_allowed(&self) -> bool {
        self.limit > 0
    }

    /// Takes some bytes; `None`: there are not so many left.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<AsideRoom> {
        let more = |taken: u64| taken.checked_add(bytes).filter(|taken| *taken <= self.limit);
        self.taken.fetch_update(Relaxed, Relaxed, more).ok()?;
        Some(AsideRoom { of: self.clone(), bytes })
    }
}

impl Drop for AsideRoom {
    fn drop(&mut self) {
        self.of.taken.fetch_sub(self.bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back() {
        let aside = Aside::new(100);
        let room = aside.take(60).expect("there are 100");
        assert!(aside.take(41).is_none());
        assert!(aside.take(40).is_some());
        drop(room);
        assert!(aside.take(100).is_some());
        assert!(aside.take(u64::MAX).is_none());
    }
}
