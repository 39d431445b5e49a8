//! Codeword lengths, sound and not, and the codewords that follow from them.

use pelton_random::Random;

/// Maximum length of a block's codewords.
const MAX_LEN: u8 = 15;

/// Kinds of code that [`lens`] makes.
pub(super) const KINDS: usize = 9;

/// Returns codeword lengths for `symbols` symbols, of a code of some kind: complete ones of various
/// depths, then such as are not.
pub(super) fn lens(kind: usize, symbols: usize, random: &mut Random) -> Vec<u8> {
    let used = 2 + random.below(symbols - 1);
    let leaves = match kind % KINDS {
        // Random depths.
        0 | 1 => split(used, |_, random| random.next() as usize, random),
        // As deep as can be: one word of each length, two of the longest.
        2 => split(used.min(usize::from(MAX_LEN) + 1), |leaves, _| leaves - 1, random),
        // Nearly all words as long as can be.
        3 => split(used.max(symbols * 3 / 4), |leaves, _| leaves - 1, random),
        // All words of about the same length.
        4 => split(used, |_, _| 0, random),
        5 => vec![1],
        6 => vec![],
        7 => {
            let mut over = split(used, |_, random| random.next() as usize, random);
            let at = random.below(over.len());
            over[at] = (over[at] - 1).max(1);
            over
        }
        _ => {
            let mut incomplete = split(used, |_, random| random.next() as usize, random);
            incomplete.swap_remove(random.below(used));
            incomplete
        }
    };
    let mut lens = vec![0; symbols];
    for len in leaves {
        let mut at = random.below(symbols);
        while lens[at] != 0 {
            at = (at + 1) % symbols;
        }
        lens[at] = len;
    }
    lens
}

/// Returns lengths of a complete code: codewords are split into two until there are enough. `which`
/// chooses the codeword to split.
fn split(count: usize, which: impl Fn(usize, &mut Random) -> usize, random: &mut Random) -> Vec<u8> {
    let mut done = Vec::new();
    let mut open = std::collections::VecDeque::from([0_u8]);
    while done.len() + open.len() < count && !open.is_empty() {
        let at = which(open.len(), random) % open.len();
        let Some(len) = open.remove(at) else { break };
        for _ in 0..2 {
            if len + 1 < MAX_LEN { open.push_back(len + 1) } else { done.push(MAX_LEN) }
        }
    }
    done.extend(open);
    done
}

/// Returns the codewords of a code (RFC 1951, section 3.2.2), whether it is sound or not.
pub(super) fn words(lens: &[u8]) -> Vec<(u32, u8)> {
    let mut next = [0_u32; MAX_LEN as usize + 2];
    for len in 1..=usize::from(MAX_LEN) {
        let count = lens.iter().filter(|&&other| usize::from(other) == len).count() as u32;
        next[len + 1] = (next[len] + count) << 1;
    }
    let word = |&len: &u8| {
        let word = next[usize::from(len)];
        next[usize::from(len)] += u32::from(len > 0);
        (word, len)
    };
    lens.iter().map(word).collect()
}
