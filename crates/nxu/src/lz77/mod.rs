//! LZ77 stage: eight bytes a cycle against near and far history, and the priority encoder
//! (section IV).
//!
//! The encoder chooses the matches of a word that make the smallest output, by the estimated bits
//! of [`Costs`]. A match that reaches the end of its word is carried on (registers C and COUNT), as
//! far as it goes; the encoder sees some bytes of that ([`Costs::lookahead`]) before it chooses.

mod far;
mod near;
mod word;

use crate::config::{Config, MAX_MATCH, MIN_MATCH, NEAR, SYMBOLS, WINDOW, WORD};
use crate::symbols::{Symbol, distance_symbol};
use far::Far;
use near::{Found, Near, match_length};
use word::{equal_bytes, load, set_bits};

/// Estimated bits of symbols, by which the priority encoder chooses. The paper does not give them;
/// the defaults are the best of a sweep over text, tables and programs, which `make bench-nxu`
/// repeats.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// A literal.
    pub literal: u32,
    /// A length with its extra bits, and a distance without.
    pub match_base: u32,
    /// Bits that each byte behind the word saves.
    pub carried: u32,
    /// Bytes behind the word that the encoder sees of a match that is carried on.
    pub lookahead: usize,
}

impl Costs {
    /// The costs that [`Matcher::new`] takes.
    pub const DEFAULT: Costs = Costs { literal: 8, match_base: 12, carried: 6, lookahead: 2 * WORD };

    fn of_match(self, distance: usize) -> u32 {
        let symbol = distance_symbol(distance as u32);
        self.match_base + (symbol as u32 / 2).saturating_sub(1)
    }
}

/// Cycles of the stage.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Cycles {
    /// Words, a cycle each.
    pub words: u64,
    /// Cycles more for accesses to the hash table.
    pub bank: u64,
    /// Cycles more for words of many symbols.
    pub encoder: u64,
    /// Sum of the cycles of the hash table's accesses, whose mean is the latency.
    pub access: u64,
    /// Words whose accesses met in a bank.
    pub conflicts: u64,
}

impl Cycles {
    /// Returns all cycles.
    pub fn total(&self) -> u64 {
        self.words + self.bank + self.encoder
    }
}

/// Result of the stage.
#[derive(Clone, Default, Debug)]
pub struct Lz77 {
    /// The symbols of the source.
    pub symbols: Vec<Symbol>,
    /// Cycles of the stage.
    pub cycles: Cycles,
}

/// The LZ77 stage. Its hash table keeps the contents of the data before, as the engine's does.
pub struct Matcher {
    near: Near,
    far: Far,
    costs: Costs,
    /// Whether false positives of tags are counted.
    measures_tags: bool,
    /// Zeros up to a word, history and source.
    data: Vec<u8>,
}

/// Choice of the priority encoder at a byte of a word.
#[derive(Clone, Copy)]
enum Choice {
    Literal,
    /// A match within the word.
    Match {
        length: usize,
        distance: usize,
    },
    /// A match that goes on.
    Carried(Found),
}

/// Matches that begin at a byte of a word.
#[derive(Clone, Copy, Default)]
struct Starts {
    near: Option<Found>,
    far: Option<Found>,
}

impl Matcher {
    /// Returns a stage whose hash table has contents of a seed.
    pub fn new(config: Config, seed: u64) -> Matcher {
        Matcher::with_costs(config, seed, Costs::DEFAULT)
    }

    /// The same with other costs.
    pub fn with_costs(config: Config, seed: u64, costs: Costs) -> Matcher {
        let far = Far::new(config, seed);
        Matcher { near: Near::new(), far, costs, measures_tags: false, data: Vec::new() }
    }

    /// Gives the hash table other contents, of a seed. This is quicker than another stage; the
    /// contents differ from those of a new one.
    pub fn reset(&mut self, seed: u64) {
        self.far.reset(seed);
    }

    /// Counts false positives of tags from now on. This takes several times as long.
    pub fn measure_tags(&mut self) {
        self.measures_tags = true;
    }

    /// Returns the comparisons of tags with those of other tokens, and those that found them equal.
    pub fn false_tags(&self) -> (u64, u64) {
        (self.far.compared, self.far.falsely_equal)
    }

    /// Returns the symbols of a source. Matches may refer to the last 32 KB of the history before
    /// it.
    pub fn run(&mut self, history: &[u8], source: &[u8]) -> Lz77 {
        let history = &history[history.len().saturating_sub(WINDOW)..];
        let pad = (WORD - history.len() % WORD) % WORD;
        let start = pad + history.len();
        let mut data = std::mem::take(&mut self.data);
        data.clear();
        data.resize(pad, 0);
        data.extend_from_slice(history);
        data.extend_from_slice(source);
        self.near.clear();
        for at in (0..start).step_by(WORD) {
            self.far.access(&data, at);
            self.far.insert(at);
            if at + NEAR >= start {
                (at.max(pad)..at + WORD).for_each(|at| self.near.insert(&data, at));
            }
        }
        let mut lz77 = Lz77::default();
        let mut covered = start;
        for at in (start..data.len()).step_by(WORD) {
            covered = self.word(&data, pad, at, covered, &mut lz77);
        }
        self.data = data;
        lz77
    }

    /// Takes the word at `at`, of which the bytes before `covered` are a match's. Returns the end
    /// of its last symbol.
    fn word(&mut self, data: &[u8], pad: usize, at: usize, covered: usize, lz77: &mut Lz77) -> usize {
        let access = self.far.access(data, at);
        if self.measures_tags {
            self.far.measure(data, at);
        }
        let len = WORD.min(data.len() - at);
        let free = covered.saturating_sub(at).min(len);
        for byte in 0..free {
            self.near.insert(data, at + byte);
        }
        let before = lz77.symbols.len();
        let mut end = covered;
        if free < len {
            let mut starts = [Starts::default(); WORD];
            for base in self.far.candidates(at, free) {
                far_matches(data, pad, at, free..len, base, &mut starts);
            }
            for (byte, starts) in starts.iter_mut().enumerate().take(len).skip(free) {
                starts.near = self.near.longest(data, at + byte);
                self.near.insert(data, at + byte);
            }
            let choices = self.choose(&starts, free, len);
            end = emit(data, at, free..len, &choices, &mut lz77.symbols);
        }
        self.far.insert(at);
        let symbols = (lz77.symbols.len() - before).div_ceil(SYMBOLS).max(1) as u64;
        let cycles = &mut lz77.cycles;
        cycles.words += 1;
        cycles.access += u64::from(access.cycles);
        cycles.conflicts += u64::from(access.has_conflict);
        cycles.bank += u64::from(access.cycles) - 1;
        // Both wait for the same word, so the longer one counts.
        cycles.encoder += symbols.saturating_sub(u64::from(access.cycles));
        end
    }

    /// Chooses the cheapest symbols from each byte to the end of the word.
    fn choose(&self, starts: &[Starts; WORD], free: usize, len: usize) -> [Choice; WORD] {
        let mut costs = [0_i32; WORD + 1];
        let mut choices = [Choice::Literal; WORD];
        for byte in (free..len).rev() {
            let mut best = self.costs.literal as i32 + costs[byte + 1];
            for found in [starts[byte].near, starts[byte].far].into_iter().flatten() {
                let cost = self.costs.of_match(found.distance) as i32;
                let in_word = found.length.min(len - byte);
                for length in MIN_MATCH..=in_word {
                    let cost = cost + costs[byte + length];
                    if cost < best {
                        best = cost;
                        choices[byte] = Choice::Match { length, distance: found.distance };
                    }
                }
                let is_longer = match choices[byte] {
                    Choice::Carried(other) => found.length > other.length,
                    _ => true,
                };
                let seen = (found.length - in_word).min(self.costs.lookahead) as i32;
                let cost = cost - seen * self.costs.carried as i32;
                if in_word == len - byte && (cost < best || cost == best && is_longer) {
                    best = cost;
                    choices[byte] = Choice::Carried(found);
                }
            }
            costs[byte] = best;
        }
        choices
    }
}

/// Finds matches at the eight distances of a candidate.
fn far_matches(
    data: &[u8],
    pad: usize,
    at: usize,
    bytes: std::ops::Range<usize>,
    base: usize,
    starts: &mut [Starts; WORD],
) {
    let word = load(data, at);
    let of_bytes = ((1_u16 << bytes.end) - (1 << bytes.start)) as u8;
    for distance in WORD * base..WORD * (base + 1) {
        if distance > WINDOW || distance + pad > at {
            return;
        }
        let equal = equal_bytes(word, load(data, at - distance)) & of_bytes;
        // Three bytes in the word, or some at its end.
        let at_end = (equal << (WORD - bytes.end)).leading_ones() as usize;
        let in_word = equal & equal >> 1 & equal >> 2;
        if in_word == 0 && at_end == 0 {
            continue;
        }
        // Beyond the word, the history is read on.
        let beyond = match at_end {
            0 => 0,
            _ => match_length(data, at + bytes.end, distance, MAX_MATCH),
        };
        let tail = bytes.end - at_end;
        for byte in set_bits(in_word | equal & (0xff_u16 << tail) as u8, 0) {
            let length = match byte < tail {
                true => (equal >> byte).trailing_ones() as usize,
                false => MAX_MATCH.min(bytes.end - byte + beyond),
            };
            let best = &mut starts[byte].far;
            if length >= MIN_MATCH && best.is_none_or(|best| length > best.length) {
                *best = Some(Found { length, distance });
            }
        }
    }
}

/// Writes the chosen symbols of a word. Returns their end.
fn emit(
    data: &[u8],
    at: usize,
    bytes: std::ops::Range<usize>,
    choices: &[Choice; WORD],
    symbols: &mut Vec<Symbol>,
) -> usize {
    let mut byte = bytes.start;
    while byte < bytes.end {
        let (symbol, length) = match choices[byte] {
            Choice::Literal => (Symbol::Literal(data[at + byte]), 1),
            Choice::Match { length, distance } => (matched(length, distance), length),
            Choice::Carried(Found { length, distance }) => (matched(length, distance), length),
        };
        symbols.push(symbol);
        byte += length;
    }
    at + byte
}

fn matched(length: usize, distance: usize) -> Symbol {
    Symbol::Match { length: length as u16, distance: distance as u32 }
}
