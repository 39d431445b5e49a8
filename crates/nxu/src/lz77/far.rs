//! Far history: a set-associative hash table of tokens, whose candidates are read from the history
//! (section IV-C).
//!
//! Left open by the paper, and chosen here:
//! - Hashes: a multiplication of the token by [`Config::hash`]; the highest bits of the product are
//!   the index, the next ones the tag.
//! - Addresses: those of words, as 12 bits are what remains of an entry's 18 beside the tag. The
//!   comparison with the history finds the alignment.
//! - The filter takes the two distances in words that most tokens agree on, half a token more if
//!   the last one does, whose match may go on; the nearer of equals.
//! - An entry of the same tag and word is not written again, so that a run fills no set.

use std::sync::LazyLock;

use super::word::{equal_bytes, load, set_bits};
use crate::config::{Config, NEAR, OnConflict, WINDOW, WORD};

/// Sets of the table.
const SETS: usize = 2048;
/// Entries of a set.
const WAYS: usize = 8;
/// Banks, by the lowest bits of the index.
const BANKS: usize = 16;
/// Bits of a tag.
const TAG_BITS: u32 = 6;
const TAG_MASK: u8 = (1 << TAG_BITS) - 1;
/// Words of the history.
const WORDS: usize = WINDOW / WORD;
/// Candidates that the history's ports read a cycle.
const CANDIDATES: usize = 2;
/// Distances in words that the near history covers.
const NEAR_WORDS: usize = NEAR / WORD;

/// Hashes of a token.
#[derive(Clone, Copy, Default)]
struct Token {
    index: u16,
    tag: u8,
}

/// Entries of a set: tags and word addresses by way, and the next way that is replaced. A set is in
/// one line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(32))]
struct Set {
    tags: [u8; WAYS],
    words: [u16; WAYS],
    next: u8,
}

impl Set {
    /// Returns a bit for each way with a tag.
    fn with_tag(&self, tag: u8) -> u8 {
        equal_bytes(u64::from_le_bytes(self.tags), u64::from_le_bytes([tag; WAYS]))
    }
}

/// Cost of a word's accesses.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Access {
    /// Cycles until the last bank is through.
    pub cycles: u32,
    /// Whether two accesses met in a bank.
    pub has_conflict: bool,
}

/// The hash table.
pub struct Far {
    config: Config,
    sets: Vec<Set>,
    /// Contents for `reset`, made by the first one.
    contents: Option<Vec<Set>>,
    /// Tokens that agree on a distance in words, a bit each.
    agreeing: Vec<u8>,
    /// Distances with a bit in `agreeing`, of which the first `touched_len` count.
    touched: [u16; WORD * WAYS],
    touched_len: usize,
    /// Those of `SCORES`.
    scores: &'static [u8],
    tokens: [Token; WORD],
    /// Tokens of the word that have their bank, a bit each.
    served: u8,
    /// Entries whose tag was compared with that of another token, and those with the same tag.
    pub compared: u64,
    pub falsely_equal: u64,
}

impl Far {
    /// Returns a table with contents of a seed: the engine's has those of the jobs before.
    pub fn new(config: Config, seed: u64) -> Far {
        Far {
            config,
            sets: random_sets(seed),
            contents: None,
            agreeing: vec![0; WORDS + 2],
            touched: [0; WORD * WAYS],
            touched_len: 0,
            scores: &SCORES,
            tokens: [Token::default(); WORD],
            served: 0,
            compared: 0,
            falsely_equal: 0,
        }
    }

    /// Gives the table the contents of a seed, which are those of one table, moved by some sets.
    pub fn reset(&mut self, seed: u64) {
        let contents = self.contents.get_or_insert_with(|| random_sets(0));
        let (first, last) = contents.split_at(seed as usize % SETS);
        let (to_last, to_first) = self.sets.split_at_mut(last.len());
        to_last.copy_from_slice(last);
        to_first.copy_from_slice(first);
    }

    /// Hashes the tokens that begin in the word at `at`, and gives each its bank.
    pub fn access(&mut self, data: &[u8], at: usize) -> Access {
        let mask = u64::MAX >> (64 - 8 * self.config.token);
        let whole = (data.len() - at).saturating_sub(self.config.token - 1).min(WORD);
        let mut accesses = [0_u32; BANKS];
        self.served = 0;
        for i in 0..whole {
            let hash = (load(data, at + i) & mask).wrapping_mul(self.config.hash);
            let index = (hash >> 53) as u16;
            self.tokens[i] = Token { index, tag: (hash >> (53 - TAG_BITS)) as u8 & TAG_MASK };
            // Equal tokens have one access together.
            let is_repeated = self.tokens[..i].iter().any(|before| before.index == index);
            let bank = &mut accesses[usize::from(index) % BANKS];
            *bank += u32::from(!is_repeated);
            if self.config.on_conflict == OnConflict::Stall || *bank <= self.config.ports.count() {
                self.served |= 1 << i;
            }
        }
        let max = accesses.into_iter().max().unwrap_or(0);
        let cycles = match self.config.on_conflict {
            OnConflict::Stall => max.div_ceil(self.config.ports.count()).max(1),
            OnConflict::Drop => 1,
        };
        Access { cycles, has_conflict: max > 1 }
    }

    /// Returns distances in words at which the word's tokens from byte `from` on may have matches.
    /// A match is at the distance in bytes, or at up to seven more.
    pub fn candidates(&mut self, at: usize, from: usize) -> impl Iterator<Item = usize> {
        let word = at / WORD;
        for i in set_bits(self.served, from) {
            let Token { index, tag } = self.tokens[i];
            let set = &self.sets[usize::from(index)];
            for way in set_bits(set.with_tag(tag), 0) {
                // A distance of no words is that of the whole window.
                let distance = (word + WORDS - 1 - usize::from(set.words[way])) % WORDS + 1;
                if distance >= NEAR_WORDS && distance <= word {
                    // Without a branch, which would be mispredicted.
                    let agreeing = &mut self.agreeing[distance];
                    self.touched[self.touched_len] = distance as u16;
                    self.touched_len += usize::from(*agreeing == 0);
                    *agreeing |= 1 << i;
                }
            }
        }
        // The best two by score, then by distance, as one number each: a comparison without a
        // branch, which would be mispredicted.
        let mut best = [0_u32; CANDIDATES];
        let touched = &self.touched[..std::mem::take(&mut self.touched_len)];
        for &distance in touched {
            // Tokens near the start of the word may match in the history's word before.
            for base in [usize::from(distance), usize::from(distance) - 1] {
                let agreeing = u16::from_le_bytes([self.agreeing[base], self.agreeing[base + 1]]);
                let score = if base < NEAR_WORDS { 0 } else { self.scores[usize::from(agreeing)] };
                let ranked = u32::from(score) << 16 | (WORDS - base) as u32;
                let lower = ranked.min(best[0]);
                best[0] = ranked.max(best[0]);
                // A base of two distances counts once.
                best[1] = best[1].max(if lower == best[0] { 0 } else { lower });
            }
        }
        for &distance in touched {
            self.agreeing[usize::from(distance)] = 0;
        }
        let with_score = best.into_iter().filter(|ranked| ranked >> 16 > 0);
        with_score.map(|ranked| WORDS - (ranked & 0xffff) as usize)
    }

    /// Compares tags of entries with those of the word's tokens, where the token is another one:
    /// for the share of false positives. Slow.
    pub fn measure(&mut self, data: &[u8], at: usize) {
        let word = at / WORD;
        for i in set_bits(self.served, 0) {
            let Token { index, tag } = self.tokens[i];
            let token = &data[at + i..at + i + self.config.token];
            let set = self.sets[usize::from(index)];
            for (&its_tag, &its_word) in set.tags.iter().zip(&set.words) {
                let distance = (word + WORDS - usize::from(its_word)) % WORDS;
                let Some(begin) = at.checked_sub(WORD * distance) else { continue };
                let has_token = (0..WORD).any(|j| data[begin + j..].starts_with(token));
                if distance > 0 && !has_token {
                    self.compared += 1;
                    self.falsely_equal += u64::from(its_tag == tag);
                }
            }
        }
    }

    /// Writes the word's tokens.
    pub fn insert(&mut self, at: usize) {
        let word = (at / WORD % WORDS) as u16;
        for i in set_bits(self.served, 0) {
            let Token { index, tag } = self.tokens[i];
            let set = &mut self.sets[usize::from(index)];
            let entries = set.tags.iter().zip(&set.words);
            if entries.fold(false, |any, (&its_tag, &its_word)| any | (its_tag == tag) & (its_word == word)) {
                continue;
            }
            let next = usize::from(set.next);
            (set.tags[next], set.words[next]) = (tag, word);
            set.next = (set.next + 1) % WAYS as u8;
        }
    }
}

/// Returns random sets.
fn random_sets(seed: u64) -> Vec<Set> {
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut random = || {
        // xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators").
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    };
    let set = |_| Set {
        tags: std::array::from_fn(|_| random() as u8 & TAG_MASK),
        words: std::array::from_fn(|_| random() as u16 % WORDS as u16),
        next: 0,
    };
    (0..SETS).map(set).collect()
}

/// Scores of a base, by the tokens whose entries are at its word, a bit each, and in the higher
/// byte by those at the word before it: twice the number of tokens that agree on an alignment, and
/// one more for the last token; the best over all alignments.
static SCORES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let of = |tokens: u8| 2 * tokens.count_ones() as u8 + (tokens >> (WORD - 1));
    let best = |same: u8, before: u8| {
        let of_shift = |shift: usize| of(same & (0xff << shift) as u8 | before & !(0xff << shift) as u8);
        (0..WORD).map(of_shift).max().unwrap_or(0)
    };
    (0..=u16::MAX).map(u16::to_le_bytes).map(|[same, before]| best(same, before)).collect()
});
