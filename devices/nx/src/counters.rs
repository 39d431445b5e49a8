//! Counters of the driver's own events. The router's counters have the jobs.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts since the device was opened.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        /// Live counters.
        #[derive(Debug, Default)]
        pub(crate) struct LiveCounters {
            $(pub(crate) $name: AtomicU64,)*
        }

        impl LiveCounters {
            pub(crate) fn read(&self) -> Counters {
                Counters { $($name: self.$name.load(Relaxed),)* }
            }
        }
    };
}

counters! {
    /// Requests that a window accepted.
    requests,
    /// Attempts that found no credit or a full queue.
    busy,
    /// Address faults that were answered by touching the page and replaying the request.
    faults,
    /// Requests that were made smaller after repeated faults.
    halved,
    /// Requests that the engine suspended and the driver resumed.
    resumed,
    /// Requests that were replayed in another window.
    replayed,
    /// Windows that were closed because they were suspended.
    suspended,
    /// Windows that were closed because a request had no answer in time.
    unanswered,
    /// Windows that were opened in place of closed ones.
    reopened,
    /// Compressions with the table of an earlier job.
    table_reused,
    /// Tables that were made of symbol counts.
    table_made,
    /// Pieces that were written as stored blocks because compression would not shorten them.
    stored,
}

/// Adds one to a counter.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}
