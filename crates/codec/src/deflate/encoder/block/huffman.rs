//! Optimal prefix codes with a limited length of code codewords.

use std::hint::select_unpredictable;

/// Maximum codeword length of a literal, length or distance (RFC 1951, section 3.2.7).
pub(crate) const MAX_LEN: u32 = 15;

/// Mask of the bits of a codeword length.
const LENGTH_MASK: u8 = MAX_LEN as u8;

/// Lanes of the symbols that are numbered side by side.
const PARTS: usize = 4;

/// A canonical prefix code (RFC 1951, section 3.2.2).
#[derive(Clone, Copy)]
pub(crate) struct Code<const N: usize> {
    /// Codeword length of each symbol; 0 for a symbol without one.
    pub(crate) lengths: [u8; N],
    /// Codeword of each symbol, its first bit the least significant.
    pub(crate) codewords: [u16; N],
}

impl<const N: usize> Code<N> {
    pub(crate) const EMPTY: Self = Self { lengths: [0; N], codewords: [0; N] };

    /// The code that takes the fewest bits for `counts`, with codewords of at most `limit` bits.
    ///
    /// It has at least two codewords, as decoders older than RFC 1951's second edition expect; both
    /// belong to symbols that occur if two do.
    pub(crate) fn best(counts: &[u32; N], limit: u32) -> Self {
        let mut code = Self::EMPTY;
        code.assign(counts, limit);
        code
    }

    /// As [`Self::best`], in place.
    pub(crate) fn assign(&mut self, counts: &[u32; N], limit: u32) {
        self.lengths.fill(0);
        assign_lengths(counts, limit, &mut self.lengths);
        self.number();
    }

    /// The code with codewords of these lengths, which must not be over-subscribed.
    pub(crate) fn of(lengths: [u8; N]) -> Self {
        let mut code = Self { lengths, codewords: [0; N] };
        code.number();
        code
    }

    /// Sets the codewords by their lengths.
    fn number(&mut self) {
        let Self { lengths, codewords } = self;
        // Parts of the symbols are counted and numbered in turn, since each increment waits for the
        // last one of the same length.
        let part = N.div_ceil(PARTS);
        let mut of_len = [[0_u16; MAX_LEN as usize + 1]; PARTS];
        for at in 0..part {
            for (number, of_len) in of_len.iter_mut().enumerate() {
                let len = lengths.get(number * part + at).copied().unwrap_or(0);
                of_len[usize::from(len & LENGTH_MASK)] += 1;
            }
        }
        let mut next = [[0_u16; MAX_LEN as usize + 1]; PARTS];
        let mut first = 0;
        for len in 1..=MAX_LEN as usize {
            first <<= 1;
            for (next, of_len) in next.iter_mut().zip(&of_len) {
                next[len] = first;
                first += of_len[len];
            }
        }
        for at in 0..part {
            for (number, next) in next.iter_mut().enumerate() {
                let symbol = number * part + at;
                if symbol < N {
                    let len = lengths[symbol] & LENGTH_MASK;
                    let next = &mut next[usize::from(len)];
                    // A symbol without a word leaves none of 16 bits.
                    codewords[symbol] = (u32::from(next.reverse_bits()) >> (16 - len)) as u16;
                    *next += u16::from(len > 0);
                }
            }
        }
    }

    /// Bits that `counts` take in this code.
    pub(crate) fn cost(&self, counts: &[u32; N]) -> u64 {
        counts.iter().zip(&self.lengths).map(|(&count, &len)| u64::from(count) * u64::from(len)).sum()
    }
}

/// Sets the codeword lengths. Symbols that don't occur get none, apart from those that make up two.
fn assign_lengths<const N: usize>(counts: &[u32; N], limit: u32, lengths: &mut [u8; N]) {
    // A key sorts by count, then by symbol, which takes the low nine bits. Counts of a block fit
    // the others.
    const { assert!(N <= MAX_SYMBOLS) };
    let mut keys = [0_u32; MAX_SYMBOLS + 2];
    let mut used = 0;
    for (symbol, &count) in counts.iter().enumerate() {
        keys[used] = count << 9 | symbol as u32;
        used += usize::from(count > 0);
    }
    if used < 2 {
        // The only one that occurs, and the first that does not.
        let first = if used == 1 { (keys[0] & 511) as usize } else { 0 };
        lengths[first] = 1;
        lengths[usize::from(first == 0)] = 1;
        return;
    }
    let mut sorted = [0; N];
    sort(&keys[..used], &mut sorted[..used]);
    let sorted = &sorted[..used];
    let mut of_len = [0_u32; 33];
    leaves(sorted, &mut keys, &mut of_len);
    limit_lengths(&mut of_len, limit);
    // The rarest symbols get the longest codewords.
    let mut rarest = sorted.iter().map(|key| (key & 511) as usize);
    for len in (1..=limit).rev() {
        for symbol in rarest.by_ref().take(of_len[len as usize] as usize) {
            lengths[symbol] = len as u8;
        }
    }
}

/// Sorts keys. Most have small counts and go to their places at once; only the others are compared.
fn sort(keys: &[u32], to: &mut [u32]) {
    if keys.len() <= SOFT {
        to.copy_from_slice(keys);
        return to.sort_unstable();
    }
    let place = |key: u32| (key >> 9).min(SMALL as u32 - 1) as usize;
    let mut ends = [0_u16; SMALL];
    keys.iter().for_each(|&key| ends[place(key)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        (*end, sum) = (sum, sum + *end);
    }
    // Symbols are in their order already.
    for &key in keys {
        let end = &mut ends[place(key)];
        to[usize::from(*end)] = key;
        *end += 1;
    }
    to[usize::from(ends[SMALL - 2])..].sort_unstable();
}

/// Counts from here on, less one, are compared.
const SMALL: usize = 256;
/// So few keys are sorted as fast by comparing them.
const SOFT: usize = 32;

/// Counts the leaves at each depth of a Huffman tree for keys in ascending order; those deeper than
/// 32 count at 32. `light` is scratch memory.
///
/// The tree is built as by Moffat and Katajainen ("In-place calculation of minimum-redundancy
/// codes", 1995): inner nodes are made in ascending order, so the two lightest nodes are among the
/// next two leaves and the next two inner nodes. The choice depends on the data, so it is no
/// branch.
fn leaves(sorted: &[u32], light: &mut [u32; MAX_SYMBOLS + 2], at_depth: &mut [u32; 33]) {
    let n = sorted.len();
    light.fill(u32::MAX);
    light.iter_mut().zip(sorted).for_each(|(weight, key)| *weight = key >> 9);
    let mut inner = [u32::MAX; MAX_SYMBOLS + 2];
    let mut parents = [0_u16; MAX_SYMBOLS + 2];
    let (mut leaf, mut root) = (0, 0);
    for next in 0..n - 1 {
        let ([a, b], [c, d]) = ([light[leaf], light[leaf + 1]], [inner[root], inner[root + 1]]);
        // Among equal nodes, leaves come first. A missing node is the heaviest, and its sums are
        // not taken.
        let (two_leaves, two_inner) = (b <= c, d < a);
        let mixed = select_unpredictable(two_leaves, a.wrapping_add(b), a.wrapping_add(c));
        inner[next] = select_unpredictable(two_inner, c.wrapping_add(d), mixed);
        // Nodes that are not taken yet get their parent again when they are.
        (parents[root], parents[root + 1]) = (next as u16, next as u16);
        let taken = 1 + usize::from(two_inner) - usize::from(two_leaves);
        root += taken;
        leaf += 2 - taken;
    }
    // The inner nodes of a depth are neighbours; the next depth has twice their number of nodes.
    let (mut start, mut end, mut depth) = (n - 2, n - 1, 0);
    while start < end {
        let first = parents[..start].partition_point(|&parent| usize::from(parent) < start);
        depth = 32.min(depth + 1);
        at_depth[depth] += (2 * (end - start) - (start - first)) as u32;
        (start, end) = (first, start);
    }
}

/// The most symbols that a code has.
const MAX_SYMBOLS: usize = 288;

/// Shortens codewords that are too long to `limit` bits, and regains the code space by making
/// others longer: each time the longest below the limit, which costs least (the heuristic of JPEG,
/// ITU-T T.81, section K.2).
fn limit_lengths(of_len: &mut [u32; 33], limit: u32) {
    let limit = limit as usize;
    for len in limit + 1..33 {
        of_len[limit] += of_len[len];
        of_len[len] = 0;
    }
    // Code space in codewords of `limit` bits.
    let mut space: u32 = (1..=limit).map(|len| of_len[len] << (limit - len)).sum();
    while space > 1 << limit {
        let len =
            (1..limit).rev().find(|&len| of_len[len] > 0).expect("fewer symbols than codewords of the limit");
        // A codeword becomes one bit longer, and one of the limit its sibling, which saves the
        // space of one.
        of_len[len] -= 1;
        of_len[len + 1] += 2;
        of_len[limit] -= 1;
        space -= 1;
    }
}

#[cfg(test)]
mod tests;
