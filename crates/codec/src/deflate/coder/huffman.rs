//! Optimal prefix codes with a limited length of code words.

use std::array;

/// The longest code word of a literal, length or distance (RFC 1951, section 3.2.7: lengths are 0 to 15).
pub(super) const MAX_LEN: u32 = 15;

/// A canonical prefix code (RFC 1951, section 3.2.2).
#[derive(Clone)]
pub(super) struct Code<const N: usize> {
    /// Bits of each symbol's code word; 0 for a symbol that has none.
    pub(super) lens: [u8; N],
    /// Each symbol's code word, its first bit the least significant.
    pub(super) words: [u16; N],
}

impl<const N: usize> Code<N> {
    /// The code that takes the fewest bits for `counts`, with words of at most `limit` bits.
    ///
    /// It has at least two words, as decoders older than RFC 1951's second edition expect; both are of symbols that occur
    /// if two do.
    pub(super) fn best(counts: &[u32; N], limit: u32) -> Self {
        let mut lens = [0; N];
        lengths(counts, limit, &mut lens);
        Self::of(lens)
    }

    /// The code with words of these lengths, which must not be over-subscribed.
    pub(super) fn of(lens: [u8; N]) -> Self {
        let mut of_len = [0_u16; MAX_LEN as usize + 1];
        lens.iter().for_each(|&len| of_len[usize::from(len)] += 1);
        of_len[0] = 0;
        let mut next = [0_u16; MAX_LEN as usize + 1];
        for len in 1..next.len() {
            next[len] = (next[len - 1] + of_len[len - 1]) << 1;
        }
        let words = array::from_fn(|symbol| {
            let len = usize::from(lens[symbol]);
            let word = next[len];
            next[len] += u16::from(len > 0);
            word.reverse_bits().checked_shr(16 - len as u32).unwrap_or(0)
        });
        Self { lens, words }
    }

    /// Bits that `counts` take in this code.
    pub(super) fn cost(&self, counts: &[u32; N]) -> u64 {
        counts.iter().zip(&self.lens).map(|(&count, &len)| u64::from(count) * u64::from(len)).sum()
    }
}

/// Sets the lengths of code words. Symbols that don't occur get none, apart from those that make up two.
fn lengths<const N: usize>(counts: &[u32; N], limit: u32, lens: &mut [u8; N]) {
    // A key sorts by count, then by symbol: symbols are below 2^9 and a block has fewer than 2^23 tokens.
    let mut keys = [0_u32; N];
    let mut used = 0;
    for (symbol, &count) in counts.iter().enumerate() {
        keys[used] = count << 9 | symbol as u32;
        used += usize::from(count > 0);
    }
    if used < 2 {
        // The only one that occurs, and the first that does not.
        let first = if used == 1 { (keys[0] & 511) as usize } else { 0 };
        lens[first] = 1;
        lens[usize::from(first == 0)] = 1;
        return;
    }
    let keys = &mut keys[..used];
    keys.sort_unstable();
    let mut depths = [0_u32; N];
    for (depth, key) in depths.iter_mut().zip(keys.iter()) {
        *depth = key >> 9;
    }
    minimum_redundancy(&mut depths[..used]);
    let mut of_len = [0_u32; 33];
    for &depth in &depths[..used] {
        of_len[depth.min(32) as usize] += 1;
    }
    limit_lengths(&mut of_len, limit);
    // The rarest symbols get the longest words.
    let mut rarest = keys.iter().map(|key| (key & 511) as usize);
    for len in (1..=limit).rev() {
        for symbol in rarest.by_ref().take(of_len[len as usize] as usize) {
            lens[symbol] = len as u8;
        }
    }
}

/// Turns ascending counts into the depths of their leaves in a Huffman tree, in place (Moffat and Katajainen, "In-place
/// calculation of minimum-redundancy codes", 1995).
fn minimum_redundancy(counts: &mut [u32]) {
    let n = counts.len();
    // Phase 1: combine the two lightest of leaves and inner nodes, n - 1 times. counts[next] holds the weight of an
    // inner node until that is combined, and then the index of its parent.
    let (mut root, mut leaf) = (0, 0);
    for next in 0..n - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            if leaf >= n || (root < next && counts[root] < counts[leaf]) {
                weight += counts[root];
                counts[root] = next as u32;
                root += 1;
            } else {
                weight += counts[leaf];
                leaf += 1;
            }
        }
        counts[next] = weight;
    }
    // Phase 2: depths of inner nodes, from the root down.
    counts[n - 2] = 0;
    for next in (0..n - 2).rev() {
        counts[next] = counts[counts[next] as usize] + 1;
    }
    // Phase 3: what is not an inner node at a depth is a leaf; the deepest leaves come first.
    let (mut available, mut inner, mut depth) = (1, n - 1, 0);
    let mut at = n;
    while available > 0 {
        let mut used = 0;
        while inner > 0 && counts[inner - 1] == depth {
            used += 1;
            inner -= 1;
        }
        for _ in used..available {
            at -= 1;
            counts[at] = depth;
        }
        available = 2 * used;
        depth += 1;
    }
}

/// Makes words that are too long `limit` bits, and pays for the code space that this takes by making others longer: each
/// time the longest that is shorter than the limit, which costs least (the heuristic of JPEG, ITU-T T.81, section K.2).
fn limit_lengths(of_len: &mut [u32; 33], limit: u32) {
    let limit = limit as usize;
    for len in limit + 1..33 {
        of_len[limit] += of_len[len];
        of_len[len] = 0;
    }
    // Code space in words of `limit` bits.
    let mut space: u32 = (1..=limit).map(|len| of_len[len] << (limit - len)).sum();
    while space > 1 << limit {
        let len =
            (1..limit).rev().find(|&len| of_len[len] > 0).expect("fewer symbols than words of the limit");
        // A word becomes one bit longer, and one of the limit becomes its sibling: the space of one word is saved.
        of_len[len] -= 1;
        of_len[len + 1] += 2;
        of_len[limit] -= 1;
        space -= 1;
    }
}

#[cfg(test)]
mod tests;
