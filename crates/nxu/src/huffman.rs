//! Code lengths by the Huffman algorithm, limited by making small counts larger (section V-B).

/// Code lengths, and how often the algorithm ran.
pub struct Lengths {
    pub lengths: Vec<u8>,
    pub rounds: u32,
}

/// Returns code lengths of at most `max` bits for symbols with these counts; symbols that do not
/// occur have none. A single symbol has a code of one bit.
///
/// Before a round, counts become `(count + 1) / 2` until the rarest symbol's probability predicts a
/// code of at most `max` bits; after a round whose longest code is longer, once more.
pub fn code_lengths(counts: &[u32], max: u32) -> Lengths {
    let mut counts: Vec<u64> = counts.iter().map(|&count| count.into()).collect();
    let used = counts.iter().filter(|&&count| count > 0).count();
    if used < 2 {
        let lengths = counts.iter().map(|&count| u8::from(count > 0)).collect();
        return Lengths { lengths, rounds: 1 };
    }
    for rounds in 1.. {
        while !is_flat(&counts, max) {
            halve(&mut counts);
        }
        let lengths = unlimited(&counts);
        if lengths.iter().all(|&length| u32::from(length) <= max) {
            return Lengths { lengths, rounds };
        }
        halve(&mut counts);
    }
    unreachable!("equal counts of 286 symbols have codes of 9 bits")
}

fn halve(counts: &mut [u64]) {
    for count in counts.iter_mut().filter(|count| **count > 0) {
        *count = count.div_ceil(2);
    }
}

/// Returns whether the total is at most `1 << max` times the smallest count.
fn is_flat(counts: &[u64], max: u32) -> bool {
    let total: u64 = counts.iter().sum();
    let min = counts.iter().filter(|&&count| count > 0).min();
    min.is_none_or(|&min| total <= min << max)
}

/// Returns the code lengths of the Huffman algorithm, with two queues as the counts are sorted.
fn unlimited(counts: &[u64]) -> Vec<u8> {
    let mut sorted: Vec<usize> = (0..counts.len()).filter(|&symbol| counts[symbol] > 0).collect();
    sorted.sort_by_key(|&symbol| counts[symbol]);
    let leaves = sorted.len();
    // Leaves first, then inner nodes in the order of their making, which is that of their counts.
    let mut weights: Vec<u64> = sorted.iter().map(|&symbol| counts[symbol]).collect();
    let mut parents = vec![0; 2 * leaves - 1];
    let (mut leaf, mut inner) = (0, leaves);
    for node in leaves..2 * leaves - 1 {
        let mut weight = 0;
        for _ in 0..2 {
            let is_leaf = leaf < leaves && (inner == node || weights[leaf] <= weights[inner]);
            let next = if is_leaf { &mut leaf } else { &mut inner };
            weight += weights[*next];
            parents[*next] = node;
            *next += 1;
        }
        weights.push(weight);
    }
    let mut depths = vec![0_u8; 2 * leaves - 1];
    for node in (0..2 * leaves - 2).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    let mut lengths = vec![0; counts.len()];
    for (&symbol, &depth) in sorted.iter().zip(&depths) {
        lengths[symbol] = depth;
    }
    lengths
}
