//! DEFLATE blocks, compressed faster than by libdeflate at the same size.
#[cfg(target_arch = "x86_64")]
mod arch;
mod bits;
mod emit;
mod engine;
mod finder;
mod header;
mod huffman;
mod parse;
mod split;
mod symbols;

pub use bits::{BitWriter, Pending};
use finder::Finder;
use symbols::{END, Histogram, Token, WINDOW};

/// Positions that are searched and parsed at a time: finds are 4 bytes each and stay in the second-level cache.
const CHUNK: usize = 16 << 10;

pub struct BlockEncoder {
    finder: Finder,
    finds: Vec<Token>,
    tokens: Vec<Token>,
    joined: Vec<u8>,
}

impl BlockEncoder {
    pub fn new() -> Self {
        Self { finder: Finder::new(), finds: vec![0; CHUNK + 1], tokens: Vec::new(), joined: Vec::new() }
    }

    pub fn deflate_block(&mut self, input: &[u8], history: &[u8], level: i32, is_last: bool, to: &mut BitWriter<'_>) -> Option<()> {
        let history = &history[history.len().saturating_sub(WINDOW)..];
        if history.is_empty() {
            return self.encode(input, 0, level, is_last, to);
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        joined.extend_from_slice(history);
        joined.extend_from_slice(input);
        let done = self.encode(&joined, history.len(), level, is_last, to);
        self.joined = joined;
        done
    }

    fn encode(&mut self, buffer: &[u8], from: usize, level: i32, is_last: bool, to: &mut BitWriter<'_>) -> Option<()> {
        let engine = engine::Engine::best();
        let (ways, bits) = match level { 1 => (1, 12), 2 => (1, 13), 3 => (1, 14), 4 => (1, 15), 5=>(2,11), 6=>(2,12), 7=>(2,13), 8=>(2,14), 9=>(4,13), 10=>(4,14), 11=>(8,14), _ => (16, 14) };
        self.finder.reset(ways, bits, WINDOW);
        self.finder.note(buffer, 0..from);
        self.tokens.clear();
        let mut block = Histogram::EMPTY;
        let (mut block_start, mut start) = (from, from);
        let mut chunk_start = from;
        while chunk_start < buffer.len() {
            let chunk_end = (chunk_start + CHUNK).min(buffer.len());
            let len = chunk_end - chunk_start;
            let mut at = chunk_start;
            while at < chunk_end {
                let end = self.finder.make_room(at).min(chunk_end);
                engine.find(&mut self.finder, buffer, at..end, &mut self.finds[at - chunk_start..]);
                at = end;
            }
            self.finds[len] = 0;
            let before = self.tokens.len();
            let plain = &buffer[chunk_start..chunk_end];
            engine.defer(plain, &mut self.finds[..len + 1]);
            let mut counters = parse::Counters::EMPTY;
            let end = chunk_start + engine.walk(&self.finds[..len], start - chunk_start, &mut self.tokens, &mut counters);
            let chunk = counters.histogram();
            if before > 0 && engine.pays(&block, &chunk) {
                block.literals[END] = 1;
                self::emit::block(engine, &self.tokens[..before], &block, &buffer[block_start..start], false, to)?;
                self.tokens.drain(..before);
                block = chunk;
                block_start = start;
            } else {
                block.merge(&chunk);
            }
            start = end;
            chunk_start = chunk_end;
        }
        block.literals[END] = 1;
        self::emit::block(engine, &self.tokens, &block, &buffer[block_start..], is_last, to)
    }
}
