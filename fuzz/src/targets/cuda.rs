//! The GPU's decoders on the host build, compared with `pelton-codec`.
//!
//! The first byte is the format; the rest is a page, which is decompressed with as much room as it
//! needs, too little, and too much. Each page and each output is memory of its own; in a process
//! with AddressSanitizer (README.md) the kernels are built with it, and a byte beyond any of them
//! ends the run.

use bytes::Bytes;
use pelton_codec::{Error, Format};
use pelton_device_cuda::{
    Buffer, Decompressor, Format as PageFormat, Gpu, HostOptions, PageOutcome, PageTask, Stream, code_text,
    sanitizer,
};

use super::codecs::check::{self, CANARY, CAPACITY, MARGIN, Outcome};

const FORMATS: [Format; 6] =
    [Format::Deflate, Format::Zlib, Format::Gzip, Format::Lz4, Format::Snappy, Format::Zstd];

// Codes of `kernels/pelton/codes.cuh`.
const OK: u32 = 0;
const BAD_SYMBOL: u32 = 3;
const BAD_TABLE: u32 = 4;
const TOO_SHORT: u32 = 7;
const TRAILING_BYTES: u32 = 9;
const UNSUPPORTED: u32 = 10;

struct Device {
    gpu: Gpu,
    stream: Stream,
    decompressor: Decompressor,
    /// Bytes after an output that nothing may write. None with AddressSanitizer, which sees more.
    margin: usize,
}

thread_local! {
    /// Kernels are compiled once.
    static DEVICE: Device = Device::new();
}

impl Device {
    fn new() -> Device {
        let sanitize = sanitizer::is_loaded();
        let gpu = Gpu::host(HostOptions { sanitize, ..HostOptions::default() }).expect("g++ is installed");
        let stream = gpu.stream("fuzz").expect("the host build has streams");
        let decompressor = Decompressor::new(&gpu).expect("a decompressor is only memory");
        Device { gpu, stream, decompressor, margin: if sanitize { 0 } else { MARGIN } }
    }

    fn place(&self, bytes: usize, data: &[u8]) -> Buffer {
        let buffer = self.gpu.allocate(bytes).expect("there is memory");
        self.stream.fill(&buffer, 0..bytes, CANARY).expect("within the buffer");
        self.stream.upload(&buffer, 0, Bytes::copy_from_slice(data)).expect("within the buffer");
        buffer
    }

    fn decompress(&self, format: Format, input: &[u8], capacity: usize) -> (PageOutcome, Vec<u8>) {
        let (source, target) = (self.place(input.len(), input), self.place(capacity + self.margin, &[]));
        let task = PageTask {
            format: PageFormat::of(format).expect("a format of the kernels"),
            source: source.address(),
            source_len: input.len() as u32,
            target: target.address(),
            target_len: capacity as u32,
        };
        let statuses = self.decompressor.run(&self.stream, &[task]).expect("kernels run");
        let outcome = statuses.outcomes(&self.stream).expect("kernels ran")[0];
        let mut uncompressed = self.stream.download(&target, 0..target.len()).expect("within the buffer");
        assert!(
            uncompressed[capacity..].iter().all(|&byte| byte == CANARY),
            "{format}: bytes after the output were written"
        );
        assert!(outcome.produced as usize <= capacity && outcome.consumed as usize <= input.len());
        assert!(outcome.code == OK || code_text(outcome.code).is_some(), "{format}: code {}", outcome.code);
        uncompressed.truncate(outcome.produced as usize);
        (outcome, uncompressed)
    }
}

/// Returns blocks of every format, at several levels.
pub fn seeds() -> Vec<Vec<u8>> {
    let of = |(number, format): (u8, Format)| {
        check::seeds(format).into_iter().map(move |seed| [&[number][..], &seed].concat())
    };
    (0..).zip(FORMATS).flat_map(of).collect()
}

/// Decodes `input` with capacity for mutated inputs, and with a byte less and more than it needs.
pub fn run(input: &[u8]) {
    let Some((&number, input)) = input.split_first() else { return };
    let format = FORMATS[usize::from(number) % FORMATS.len()];
    let expected = check::decompress_into(format, input, CAPACITY);
    let capacities = match &expected {
        Ok((_, uncompressed)) => {
            vec![CAPACITY, uncompressed.len(), uncompressed.len() + 1, uncompressed.len().saturating_sub(1)]
        }
        Err(_) => vec![CAPACITY],
    };
    DEVICE.with(|device| {
        for capacity in capacities {
            let expected = if capacity == CAPACITY {
                expected.clone()
            } else {
                check::decompress_into(format, input, capacity)
            };
            compare(format, input.len(), device.decompress(format, input, capacity), capacity, &expected);
        }
    });
}

/// Compares the kernel's `length` bytes with the codec's.
fn compare(
    format: Format,
    length: usize,
    (outcome, uncompressed): (PageOutcome, Vec<u8>),
    capacity: usize,
    expected: &Outcome,
) {
    let PageOutcome { code, consumed, .. } = outcome;
    match (code, expected) {
        (OK | TOO_SHORT, Ok((done, bytes))) => {
            assert!(uncompressed == *bytes && consumed as usize == done.consumed, "{format}: other bytes");
            assert_eq!(
                code == OK,
                uncompressed.len() == capacity,
                "{format}: {} of {capacity} bytes",
                uncompressed.len()
            );
        }
        // The block is whole, and the codec leaves the bytes behind it to its caller.
        (TRAILING_BYTES, Ok((done, bytes))) => {
            assert!(uncompressed == *bytes && consumed as usize == done.consumed, "{format}: other bytes");
            assert!(
                uncompressed.len() == capacity && done.consumed < length,
                "{format}: nothing is behind it"
            );
        }
        // The kernel leaves these inputs to the CPU.
        (UNSUPPORTED, _) if format == Format::Zstd => {}
        // With a checksum behind the stream, the codec takes codes that DEFLATE reserves.
        (BAD_SYMBOL | BAD_TABLE, Ok(_)) if matches!(format, Format::Gzip | Format::Zlib) => {}
        (OK | TOO_SHORT, Err(error)) => panic!("{format}: accepted, though {error}"),
        (code, Ok(_)) => panic!("{format}: refused with code {code}"),
        (_, Err(Error::OutputTooSmall { .. } | Error::Truncated { .. } | Error::Corrupt { .. })) => {}
        (code, Err(error)) => panic!("{format}: code {code} where the codec could not run: {error}"),
    }
}
