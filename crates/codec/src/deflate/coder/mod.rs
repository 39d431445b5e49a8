//! DEFLATE blocks, compressed faster than by libdeflate at the same size.
#[cfg(target_arch = "x86_64")]
mod arch;
mod bits;
mod emit;
mod engine;
mod finder;
mod header;
mod huffman;
mod optimal;
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
    joined: Vec<u32>, opt: i32, paths: optimal::Paths,
}

impl BlockEncoder {
    pub fn new() -> Self {
        Self { finder: Finder::new(), finds: vec![0; CHUNK + 1], tokens: Vec::new(), joined: Vec::new(), opt: 0, paths: optimal::Paths::new() }
    }

    pub fn deflate_block(&mut self, input: &[u8], history: &[u8], level: i32, is_last: bool, to: &mut BitWriter<'_>) -> Option<()> {
        let history = &history[history.len().saturating_sub(WINDOW)..];
        if history.is_empty() {
            return self.encode(input, 0, level, is_last, to);
        }
        None
    }

    fn encode(&mut self, buffer: &[u8], from: usize, level: i32, is_last: bool, to: &mut BitWriter<'_>) -> Option<()> {
        let engine = engine::Engine::best();
        self.opt = level / 20; let level = level % 20;
        let (ways, bits) = match level { 13=>([2,4],13), 14=>([2,8],13), 15=>([4,8],13), 16=>([2,8],14),  1 => ([1,0], 14), 2 => ([1,1], 13), 3 => ([2,0], 13), 4 => ([2,1], 13), 5=>([2,2],13), 6=>([4,0],13), 7=>([4,1],13), 8=>([4,2],14), 9=>([4,4],13), 10=>([8,0],14), 11=>([8,4],14), _ => ([8,8], 14) };
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
            let level = self.opt;
            if level > 0 {
                let mut scratch = self.finds[..len+1].to_vec();
                engine.defer(plain, &mut scratch);
                let mut counters = parse::Counters::EMPTY;
                let kept = self.tokens.len();
                engine.walk(&scratch[..len], start - chunk_start, &mut self.tokens, &mut counters);
                self.tokens.truncate(kept);
                for _ in 1..level {
                    scratch.copy_from_slice(&self.finds[..len+1]);
                    engine.optimise(plain, &mut scratch[..len], &optimal::Costs::of(&counters), &mut self.paths);
                    counters = parse::Counters::EMPTY;
                    engine.walk(&scratch[..len], start - chunk_start, &mut self.tokens, &mut counters);
                    self.tokens.truncate(kept);
                }
                engine.optimise(plain, &mut self.finds[..len], &optimal::Costs::of(&counters), &mut self.paths);
            } else {
                engine.defer(plain, &mut self.finds[..len + 1]);
            }
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
