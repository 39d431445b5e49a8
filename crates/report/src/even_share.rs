//! A share of many things, chosen evenly.

/// Says yes to a share of what passes, spread evenly and in step with nothing.
///
/// Multiples of the golden ratio, less their whole part, fill the range from 0 to 1 as evenly as
/// any sequence does (Knuth, volume 3, section 6.4); those below the share are a yes. Counting to
/// every n-th instead would meet the same column of a Parquet file again and again. The first is
/// always a yes.
pub struct Even {
    share: f64,
    seen: u64,
}

impl Even {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;

    /// Says yes to this share, 0 to 1 and more.
    pub fn new(share: f64) -> Self {
        Even { share, seen: 0 }
    }

    /// Whether it says yes to all.
    pub fn is_all(&self) -> bool {
        self.share >= 1.0
    }

    /// Whether the next one is chosen.
    pub fn choose(&mut self) -> bool {
        let place = (self.seen as f64 * Self::GOLDEN).fract();
        self.seen += 1;
        place < self.share
    }
}

#[cfg(test)]
mod tests;
