//! Fewest bits of a code of limited length, by package-merge (Larmore and Hirschberg, 1990).

/// Returns the sum of count times bits over the symbols that occur, of which there are at least
/// two and at most two to the power of `max`.
///
/// A coin of each symbol for each number of bits, with its count as its value: each level pairs the
/// packages of the level before with the coins, and the cheapest 2n - 2 of the last have the sum.
pub fn min_bits(counts: &[u32], max: u32) -> u64 {
    let mut coins: Vec<u64> = counts.iter().filter(|&&count| count > 0).map(|&count| count.into()).collect();
    coins.sort_unstable();
    let mut level = coins.clone();
    for _ in 1..max {
        let packages = level.chunks_exact(2).map(|pair| pair[0] + pair[1]);
        let mut next: Vec<u64> = packages.chain(coins.iter().copied()).collect();
        next.sort_unstable();
        level = next;
    }
    level.iter().take(2 * coins.len() - 2).sum()
}

#[cfg(test)]
mod tests;
