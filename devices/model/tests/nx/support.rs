//! A request with its memory.

use std::ptr::addr_of_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pelton_device_model::nx::{Config, Fault, Faults, Model};
use pelton_device_nx::hw::{Checksums, Completion, Cpb, Crb, Csb, Dde, Function, Status};
use pelton_device_nx::{Credits, Pasted, Window};

pub const FIXED: Function = Function::Compress { dynamic: false, count: false, resume: false };
pub const COUNT: Function = Function::Compress { dynamic: false, count: true, resume: false };
pub const DYNAMIC: Function = Function::Compress { dynamic: true, count: false, resume: false };
pub const COMPRESS_RESUME: Function = Function::Compress { dynamic: false, count: false, resume: true };
pub const DECOMPRESS: Function = Function::Decompress { resume: false, one_block: false };
pub const RESUME: Function = Function::Decompress { resume: true, one_block: false };

/// Status and parameters as they lie in memory.
#[repr(C, align(2048))]
struct Blocks {
    csb: Csb,
    cpb: Cpb,
}

/// The answer to a request.
pub struct Answer {
    pub status: Status,
    pub cpb: Cpb,
    pub target: Vec<u8>,
}

impl Answer {
    pub fn code(&self) -> Option<Completion> {
        self.status.completion()
    }

    /// Returns the written part of the target.
    pub fn output(&self) -> &[u8] {
        &self.target[..self.status.target_bytes as usize]
    }
}

/// Addresses of a request's memory.
pub struct Addresses {
    pub csb: u64,
    pub source: u64,
    pub target: u64,
}

/// Memory of a request that a model may have.
pub struct Request {
    blocks: *mut Blocks,
    source: Vec<u8>,
    target: Vec<u8>,
}

impl Request {
    pub fn new(cpb: &Cpb, source: &[u8], target: usize) -> Request {
        let blocks = Box::into_raw(Box::new(Blocks { csb: Csb::default(), cpb: cpb.clone() }));
        Request { blocks, source: source.to_vec(), target: vec![0; target] }
    }

    pub fn addresses(&mut self) -> Addresses {
        let address = |pointer: *mut u8| pointer.expose_provenance() as u64;
        Addresses {
            // SAFETY: a field of an allocation.
            csb: address(unsafe { addr_of_mut!((*self.blocks).csb) }.cast()),
            source: address(self.source.as_mut_ptr()),
            target: address(self.target.as_mut_ptr()),
        }
    }

    /// Returns the request over all of the memory.
    pub fn crb(&mut self, function: Function) -> Crb {
        let (source, target) = (self.source.len() as u32, self.target.len() as u32);
        let at = self.addresses();
        Crb::new(function, false, at.csb, Dde::direct(at.source, source), Dde::direct(at.target, target))
    }

    pub fn is_answered(&self) -> bool {
        // SAFETY: allocated, and made of atomics.
        unsafe { &(*self.blocks).csb }.is_valid()
    }

    /// Pastes a request over this memory, which has to outlive it or the window.
    pub fn paste(&self, window: &Arc<dyn Window>, crb: &Crb) -> Pasted {
        // SAFETY: the tests name memory of this value, or memory that can't be there.
        unsafe { window.paste(crb) }
    }

    /// Waits for the answer.
    pub fn answer(self) -> Answer {
        let start = Instant::now();
        while !self.is_answered() {
            assert!(start.elapsed() < Duration::from_secs(60), "no answer");
            std::thread::sleep(Duration::from_micros(50));
        }
        // SAFETY: the engine is done, and nothing else uses the blocks.
        let Blocks { csb, cpb } = *unsafe { Box::from_raw(self.blocks) };
        Answer { status: csb.status().expect("valid"), cpb, target: self.target }
    }
}

pub fn window(model: &Model) -> Arc<dyn Window> {
    model.open(0, Credits::Shared).expect("a window")
}

/// Runs the request that `make` returns.
pub fn ask(
    model: &Model,
    cpb: &Cpb,
    source: &[u8],
    target: usize,
    make: impl FnOnce(&Addresses) -> Crb,
) -> Answer {
    let mut request = Request::new(cpb, source, target);
    let crb = make(&request.addresses());
    let window = window(model);
    assert_eq!(request.paste(&window, &crb), Pasted::Accepted);
    request.answer()
}

/// Runs a function over a source and a target of this length.
pub fn run(model: &Model, function: Function, cpb: &Cpb, source: &[u8], target: usize) -> Answer {
    let (source_len, target_len) = (source.len() as u32, target as u32);
    ask(model, cpb, source, target, |at| {
        Crb::new(
            function,
            false,
            at.csb,
            Dde::direct(at.source, source_len),
            Dde::direct(at.target, target_len),
        )
    })
}

/// Runs a function on a model without faults.
pub fn plain(function: Function, cpb: &Cpb, source: &[u8], target: usize) -> Answer {
    run(&Model::new(Config::default()), function, cpb, source, target)
}

pub fn with_fault(fault: Fault) -> Model {
    Model::new(Config { faults: Faults::none().at(0, fault), ..Config::default() })
}

/// Returns parameters with the checksums of no bytes.
pub fn fresh() -> Cpb {
    let mut cpb = Cpb::new();
    cpb.input_mut().set_checksums(Checksums::START);
    cpb
}

pub fn text(len: usize) -> Vec<u8> {
    let mut random = pelton_random::Random::new(7);
    let words = ["carefully ", "final ", "deposits ", "above ", "the ", "of ", "ironic, "];
    let mut bytes = Vec::new();
    while bytes.len() < len {
        bytes.extend_from_slice(words[random.below(words.len())].as_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// Returns incompressible bytes.
pub fn noise(len: usize) -> Vec<u8> {
    let mut random = pelton_random::Random::new(5);
    (0..len).map(|_| random.next() as u8).collect()
}

/// Decompresses a whole raw stream.
pub fn inflate(stream: &[u8], len: usize) -> Vec<u8> {
    let mut back = vec![0; len];
    let done = pelton_codec::RawDecoder::new().decompress(stream, &mut back).expect("a stream");
    assert_eq!((done.consumed, done.produced), (stream.len(), len));
    back
}

/// Compresses with the CPU.
pub fn deflate(uncompressed: &[u8]) -> Vec<u8> {
    let format = pelton_codec::Format::Deflate;
    let mut stream = vec![0; pelton_codec::compress_bound(format, uncompressed.len())];
    let done = pelton_codec::Encoder::new()
        .compress(format, format.default_level(), uncompressed, &mut stream)
        .expect("compressed");
    stream.truncate(done.produced);
    stream
}
