//! Even share of a long sequence.

/// Selects a share of a sequence of items, spread evenly and without a period.
///
/// The fractional parts of multiples of the golden ratio fill the unit interval as evenly as any
/// sequence does (Knuth, volume 3, section 6.4); an item is selected if its part is below the
/// share. Selecting every n-th item instead would meet the same column of a Parquet file again and
/// again. The first item is always selected.
pub struct Even {
    share: f64,
    seen: u64,
}

impl Even {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;

    /// Makes a selection of this share; from 1 on, all items are selected.
    pub fn new(share: f64) -> Self {
        Even { share, seen: 0 }
    }

    /// Returns whether all items are selected.
    pub fn is_all(&self) -> bool {
        self.share >= 1.0
    }

    /// Returns whether the next item is selected.
    pub fn choose(&mut self) -> bool {
        let place = (self.seen as f64 * Self::GOLDEN).fract();
        self.seen += 1;
        place < self.share
    }
}

#[cfg(test)]
mod tests;
