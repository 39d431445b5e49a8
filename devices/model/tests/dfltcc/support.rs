//! A processor with its operands, for calls one by one.

use pelton_codec::RawDecoder;
use pelton_device_dfltcc::hw::ParameterBlock;
use pelton_device_dfltcc::{Answer, Call, Condition, Function, History, Operands};
use pelton_device_model::dfltcc::{Config, Model};
use pelton_random::Random;

pub struct Processor {
    pub model: Model,
    pub block: ParameterBlock,
    pub history: Box<History>,
}

impl Processor {
    /// Returns a processor with a new task.
    pub fn new(config: Config) -> Processor {
        let mut block = ParameterBlock::default();
        block.set_new_task(true);
        Processor { model: Model::new(config), block, history: Box::default() }
    }

    /// Returns a processor that decides as little as possible by itself.
    pub fn plain() -> Processor {
        Processor::new(Config { is_awkward: false, ..Config::default() })
    }

    pub fn call(&mut self, function: Function, target: &mut [u8], source: &[u8]) -> Answer {
        let operands = Operands { target, source, history: &mut self.history };
        self.model.call(function, &mut self.block, operands)
    }

    /// Calls until the condition code is not 3. Returns the sum of the answers.
    pub fn run(&mut self, function: Function, target: &mut [u8], source: &[u8]) -> Answer {
        let (mut written, mut read) = (0, 0);
        loop {
            let answer = self.call(function, &mut target[written..], &source[read..]);
            written += answer.written;
            read += answer.read;
            if answer.condition != Condition::Again {
                return Answer { condition: answer.condition, written, read };
            }
        }
    }

    /// Compresses a block that is last and closed, with a table of the data, and returns it.
    pub fn compress(&mut self, uncompressed: &[u8]) -> Vec<u8> {
        let answer = self.run(Function::GenerateTable, &mut [], uncompressed);
        assert_eq!(answer, Answer { condition: Condition::Done, written: 0, read: 0 });
        self.block.set_dynamic(true);
        self.block.set_last_block(true);
        self.block.set_closes_block(true);
        let mut target = vec![0xff; 2 * uncompressed.len() + 400];
        let answer = self.run(Function::Compress, &mut target, uncompressed);
        assert_eq!((answer.condition, answer.read), (Condition::Done, uncompressed.len()));
        assert!(!self.block.is_continued());
        target.truncate(answer.written + usize::from(self.block.used_bits() > 0));
        target
    }
}

/// Returns what software makes of a raw stream.
pub fn inflate(compressed: &[u8], capacity: usize) -> Vec<u8> {
    let mut back = vec![0; capacity];
    let done = RawDecoder::new().decompress(compressed, &mut back).expect("a stream");
    assert_eq!(done.consumed, compressed.len());
    back.truncate(done.produced);
    back
}

/// Returns words of a small vocabulary.
pub fn text(len: usize) -> Vec<u8> {
    const WORDS: [&str; 6] = ["lorem ", "ipsum ", "dolor ", "sit ", "amet, ", "consectetur "];
    let mut random = Random::new(len as u64);
    let mut bytes = Vec::new();
    while bytes.len() < len {
        bytes.extend_from_slice(WORDS[random.below(WORDS.len())].as_bytes());
    }
    bytes.truncate(len);
    bytes
}

pub fn random(len: usize) -> Vec<u8> {
    let mut random = Random::new(len as u64);
    (0..len).map(|_| random.next() as u8).collect()
}
