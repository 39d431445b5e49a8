//! Counters of the calls that `java.util.zip` makes, by the code that serves them.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one class.
pub struct Counters {
    /// Streams that were opened here.
    streams: AtomicU64,
    calls: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    /// Calls on streams of the JDK.
    passed: AtomicU64,
}

/// Counters of `Deflater`.
pub static DEFLATER: Counters = Counters::new();
/// Counters of `Inflater`.
pub static INFLATER: Counters = Counters::new();

impl Counters {
    const fn new() -> Self {
        let [streams, calls, bytes_in, bytes_out, passed] = [const { AtomicU64::new(0) }; 5];
        Self { streams, calls, bytes_in, bytes_out, passed }
    }

    /// Counts a stream.
    pub fn opened(&self) {
        self.streams.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call with its bytes.
    pub fn served(&self, bytes_in: usize, bytes_out: usize) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bytes_in.fetch_add(bytes_in as u64, Ordering::Relaxed);
        self.bytes_out.fetch_add(bytes_out as u64, Ordering::Relaxed);
    }

    /// Counts a call on a stream that was opened before the takeover.
    pub fn passed(&self) {
        self.passed.fetch_add(1, Ordering::Relaxed);
    }
}

/// Returns the counters as a table.
pub fn report() -> String {
    let mut text = format!(
        "{:9} {:>10} {:>12} {:>16} {:>16} {:>20}\n",
        "class", "streams", "calls", "bytes in", "bytes out", "calls to the JDK"
    );
    for (name, counters) in [("Deflater", &DEFLATER), ("Inflater", &INFLATER)] {
        let [streams, calls, bytes_in, bytes_out, passed] =
            [&counters.streams, &counters.calls, &counters.bytes_in, &counters.bytes_out, &counters.passed]
                .map(|counter| counter.load(Ordering::Relaxed));
        // Writing to a string can't fail.
        let _ =
            writeln!(text, "{name:9} {streams:>10} {calls:>12} {bytes_in:>16} {bytes_out:>16} {passed:>20}");
    }
    text
}
