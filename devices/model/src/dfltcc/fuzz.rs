//! Fuzz target: parameter blocks and operands, made from arbitrary bytes.

use pelton_codec::RawDecoder;
use pelton_device_dfltcc::hw::{PARAMETER_BLOCK_BYTES, ParameterBlock};
use pelton_device_dfltcc::{Answer, Call, Condition, Function, History, Operands};

use super::config::Config;
use super::model::Model;

/// Maximum length of the data that a stream may have.
const MAX_LEN: usize = 16 << 10;
/// Maximum number of pieces of a source or target. Each call has the cost of its history, so that
/// many small pieces of much data would take most of the time.
const MAX_PIECES: usize = 256;

/// First byte of an input that is an arbitrary parameter block with a source.
const BLOCK: u8 = 0;
/// First byte of an input that is a stream to expand.
const STREAM: u8 = 1;
/// First byte of an input that is data to compress.
const DATA: u8 = 2;

/// A processor, and the memory of its calls.
struct Calls {
    model: Model,
    block: ParameterBlock,
    history: Box<History>,
}

impl Calls {
    fn call(&mut self, function: Function, target: &mut [u8], source: &[u8]) -> Answer {
        let operands = Operands { target, source, history: &mut self.history };
        let answer = self.model.call(function, &mut self.block, operands);
        assert!(answer.written <= target.len() && answer.read <= source.len(), "{answer:?}");
        answer
    }

    /// Runs a function on pieces of source and target until its end. Returns the output, and
    /// whether the end was sound.
    fn run(
        &mut self,
        function: Function,
        source: &[u8],
        step: usize,
        max_len: usize,
    ) -> (Vec<u8>, usize, bool) {
        let (mut output, mut at) = (vec![0; step], 0);
        let mut out = 0;
        loop {
            let end = (at + step).min(source.len());
            if output.len() < out + step {
                output.resize(out + step, 0);
            }
            let answer = self.call(function, &mut output[out..], &source[at..end]);
            at += answer.read;
            out += answer.written;
            let is_end = match (function, answer.condition) {
                (_, Condition::Ended) if self.block.ending_code() != 0 => return (output, at, false),
                (Function::Expand, Condition::Ended) if at == source.len() => return (output, at, false),
                (Function::Expand, Condition::Done) => true,
                (Function::Expand, _) => out > max_len,
                (_, Condition::Done) => at == source.len() && !self.block.is_continued(),
                _ => false,
            };
            if function == Function::Compress && answer.condition != Condition::Again {
                self.block.set_block_open(true);
            }
            if is_end {
                // A compression may end within one more byte.
                output.resize(out + usize::from(function == Function::Compress), 0);
                return (output, at, answer.condition == Condition::Done);
            }
        }
    }
}

/// Runs an input: a byte for its kind, one for the sizes of pieces, one for the model's decisions,
/// and the rest.
///
/// # Panics
/// A call went beyond its operands, a stream expands to other data than in software, or compressed
/// data does not come back.
pub fn calls(input: &[u8]) {
    let mut head = [0; 3];
    let (first, rest) = input.split_at(input.len().min(3));
    head[..first.len()].copy_from_slice(first);
    let [kind, size, seed] = head;
    let again_every = (seed & 3 != 0).then_some(u64::from(seed & 3));
    let config = Config { seed: seed.into(), again_every, is_awkward: seed & 4 != 0, ..Config::default() };
    let mut calls =
        Calls { model: Model::new(config), block: ParameterBlock::default(), history: Box::default() };
    let step = 1 << (2 + size % 12);
    let max_len = MAX_LEN.min(MAX_PIECES * step);
    match kind % 3 {
        BLOCK => {
            let (block, source) = rest.split_at(rest.len().min(PARAMETER_BLOCK_BYTES));
            for function in [Function::GenerateTable, Function::Compress, Function::Expand] {
                calls.block.bytes_mut()[..block.len()].copy_from_slice(block);
                calls.call(function, &mut vec![0; step], source);
            }
        }
        STREAM => {
            calls.block.set_new_task(true);
            let rest = &rest[..rest.len().min(MAX_PIECES * step)];
            let (output, at, is_done) = calls.run(Function::Expand, rest, step, max_len);
            let consumed = at + usize::from(calls.block.used_bits() > 0);
            let mut expected = vec![0; max_len];
            let done = RawDecoder::new().decompress(rest, &mut expected);
            match done {
                Some(done) => {
                    assert!(is_done && done.consumed == consumed, "{consumed} of {done:?}");
                    assert!(output == expected[..done.produced]);
                }
                None => assert!(!is_done || output.len() > max_len, "{} bytes of bad data", output.len()),
            }
        }
        _ => {
            let rest = &rest[..rest.len().min(MAX_PIECES * step)];
            calls.block.set_new_task(true);
            calls.block.set_last_block(true);
            if size & 0x80 != 0 && !rest.is_empty() {
                calls.call(Function::GenerateTable, &mut [], rest);
                calls.block.set_dynamic(true);
            }
            let (mut stream, _, is_done) = calls.run(Function::Compress, rest, step, max_len);
            assert!(is_done);
            if rest.is_empty() {
                return;
            }
            // The end of the block, behind the used bits of the last byte.
            let (code, len) = (calls.block.end_of_block(), u32::from(calls.block.end_of_block_len()));
            let code = u32::from(code.reverse_bits()) >> 1 & ((1 << len) - 1);
            let used = calls.block.used_bits();
            let last = stream.pop().unwrap_or_default();
            let mut bits = pelton_nxu::BitWriter::with_partial(last, used);
            bits.bits(code.into(), len);
            stream.extend(bits.into_bytes());
            let mut back = vec![0; rest.len()];
            let done = RawDecoder::new().decompress(&stream, &mut back).expect("a stream");
            assert!(done.produced == rest.len() && back == rest && done.consumed == stream.len());
        }
    }
}

/// Returns sound inputs, to start from.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut block = ParameterBlock::default();
    block.set_new_task(true);
    // "aaaa" in the fixed code.
    let stream = [0x4b, 0x04, 0x02, 0x00];
    let text = b"to be or not to be, to be or not to be, that is the question".repeat(40);
    let mut seeds =
        vec![[&[BLOCK, 9, 0], &block.bytes()[..], &stream].concat(), [&[STREAM, 3, 1], &stream[..]].concat()];
    for (size, seed) in [(0, 0), (4, 5), (0x80 | 9, 6), (0x80 | 2, 7)] {
        seeds.push([&[DATA, size, seed], &text[..]].concat());
    }
    seeds
}

#[cfg(test)]
mod tests;
