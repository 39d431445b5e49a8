//! Counters of the calls that `java.util.zip` makes, by the code that serves them.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::handles::{Owner, totals};

/// Number of calls on streams of the JDK.
pub struct Passed(AtomicU64);

/// Calls of `Deflater` on streams of the JDK.
pub static DEFLATER: Passed = Passed(AtomicU64::new(0));
/// Calls of `Inflater` on streams of the JDK.
pub static INFLATER: Passed = Passed(AtomicU64::new(0));

impl Passed {
    /// Counts a call on a stream that was opened before the takeover.
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the counters as a table.
pub fn report() -> String {
    let mut text = format!(
        "{:9} {:>10} {:>12} {:>16} {:>16} {:>20}\n",
        "class", "streams", "calls", "bytes in", "bytes out", "calls to the JDK"
    );
    for (name, owner, passed) in
        [("Deflater", Owner::Deflater, &DEFLATER), ("Inflater", Owner::Inflater, &INFLATER)]
    {
        let (totals, passed) = (totals(owner), passed.0.load(Ordering::Relaxed));
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "{name:9} {:>10} {:>12} {:>16} {:>16} {passed:>20}",
            totals.streams, totals.calls, totals.bytes_in, totals.bytes_out
        );
    }
    text
}
