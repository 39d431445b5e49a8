//! Numbers that a seed determines: SplitMix64.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A value of so many bits; often one of few, so that equality holds sometimes, and one with
    /// all bits at times.
    pub fn value(&mut self, width: u32) -> u32 {
        let most = ((1u64 << width) - 1) as u32;
        match self.below(8) {
            0 => most,
            1 | 2 => (self.next() as u32 & 3).min(most),
            _ => self.next() as u32 & most,
        }
    }
}
