//! The block encoder at every level and ISA level: three other implementations decode its output,
//! for output buffers of every kind of length.

mod contained;
pub(crate) mod data;
mod history;
mod join;
mod lanes;
mod limits;
mod reuse;
mod sequential;
mod streams;

use pelton_codec::{
    BatchInflater, BitWriter, BlockEncoder, Decoder, Error, Format, IsaLevel, Progress, Stream, Window,
    compress_bound,
};

use crate::reference::zlib::{self, Container, Verdict};

/// Levels 0 to 9, and some of the sequential parser: greedy, lazy, and with a longer lookahead.
const LEVELS: [i32; 14] = {
    const SEQUENTIAL: i32 = BlockEncoder::SEQUENTIAL;
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, SEQUENTIAL + 1, SEQUENTIAL + 4, SEQUENTIAL + 6, SEQUENTIAL + 9]
};
const WINDOWS: [Window; 2] = [Window::FULL, Window::SMALL];
/// Bytes after each output that have to stay unchanged.
const GUARD: usize = 100;

/// Encoders of all ISA levels, used for all inputs of a test, as a thread uses its own.
struct Encoders(Vec<(IsaLevel, BlockEncoder)>);

/// Returns an encoder for each ISA level of the processor, the portable one first.
fn encoders() -> impl Iterator<Item = (IsaLevel, BlockEncoder)> {
    IsaLevel::available().map(|steps| (steps, BlockEncoder::with_isa_level(steps)))
}

impl Encoders {
    fn new() -> Self {
        Self(encoders().collect())
    }

    fn set_window(&mut self, window: Window) {
        self.0.iter_mut().for_each(|(_, encoder)| encoder.set_window(window));
    }

    /// Returns a stream, which has to be the same from all encoders, and to fit an output of its
    /// length.
    fn pack(&mut self, input: &[u8], level: i32) -> Vec<u8> {
        self.pack_after(&[], input, level)
    }

    /// As [`Self::pack`], for data after `history`.
    fn pack_after(&mut self, history: &[u8], input: &[u8], level: i32) -> Vec<u8> {
        let at = || format!("level {level}, {} bytes after {}", input.len(), history.len());
        // Allocations that end where the slices do, for AddressSanitizer.
        let (input, history): (Box<[u8]>, Box<[u8]>) = (input.into(), history.into());
        let bound = compress_bound(Format::Deflate, input.len());
        let ((_, portable), others) = self.0.split_first_mut().expect("portable steps run everywhere");
        let packed = stream(portable, &history, &input, level, bound, GUARD)
            .unwrap_or_else(|e| panic!("{}: {e}", at()));
        let len = packed.len();
        let error = Err(Error::OutputTooSmall { format: Format::Deflate, room: len - 1 });
        let exact = stream(portable, &history, &input, level, len, 0);
        assert!(exact.as_ref() == Ok(&packed), "{}: portable code needs more room than it takes", at());
        for (steps, fast) in others {
            let roomy = stream(fast, &history, &input, level, bound, GUARD);
            assert!(roomy.as_ref() == Ok(&packed), "{}: {steps:?} gives other bytes", at());
            // Only the accelerated steps look at the room on their way.
            for guard in [GUARD, 0] {
                let exact = stream(fast, &history, &input, level, len, guard);
                assert!(exact.as_ref() == Ok(&packed), "{}: {steps:?} gives other bytes in exact room", at());
                assert_eq!(
                    stream(fast, &history, &input, level, len - 1, guard),
                    error,
                    "{}: {steps:?}",
                    at()
                );
            }
        }
        packed
    }
}

/// Compresses one stream into `room` bytes, followed by `guard` bytes that nothing may be written
/// to.
fn stream(
    encoder: &mut BlockEncoder,
    history: &[u8],
    input: &[u8],
    level: i32,
    room: usize,
    guard: usize,
) -> Result<Vec<u8>, Error> {
    let mut output: Box<[u8]> = vec![0xAA; room + guard].into();
    let mut to = BitWriter::new(&mut output[..room]);
    let done = encoder.deflate_block(input, history, level, true, &mut to);
    let len = done.map(|()| to.finish());
    assert!(output[room..].iter().all(|&byte| byte == 0xAA), "written past the end");
    Ok(output[..len?.expect("the last byte has room too")].to_vec())
}

/// Panics unless all decoders return the input of each stream.
fn decode(cases: &[(Vec<u8>, &[u8])], at: &str) {
    let mut decoder = Decoder::new();
    for (packed, plain) in cases {
        let done = Verdict::Done { consumed: packed.len(), plain: plain.to_vec() };
        assert!(
            zlib::inflate(Container::Raw, packed, plain.len()) == done,
            "{at}, {} bytes: zlib",
            plain.len()
        );
        let mut back = vec![0; plain.len()];
        let result = decoder.decompress(Format::Deflate, packed, &mut back);
        let whole = Progress { consumed: packed.len(), produced: plain.len() };
        assert_eq!(result, Ok(whole), "{at}, {} bytes: libdeflate", plain.len());
        assert!(back == *plain, "{at}, {} bytes: libdeflate", plain.len());
    }
    let mut outputs: Vec<Vec<u8>> = cases.iter().map(|(_, plain)| vec![0; plain.len()]).collect();
    let streams = cases.iter().zip(&mut outputs);
    let mut streams: Vec<Stream<'_>> =
        streams.map(|((packed, _), output)| Stream::new(Format::Deflate, packed, output)).collect();
    BatchInflater::new().inflate_batch(&mut streams);
    let results: Vec<_> = streams.into_iter().map(|stream| stream.result).collect();
    for ((result, output), (packed, plain)) in results.iter().zip(&outputs).zip(cases) {
        let whole = Progress { consumed: packed.len(), produced: plain.len() };
        assert_eq!(*result, Ok(whole), "{at}, {} bytes: batch", plain.len());
        assert!(output == plain, "{at}, {} bytes: batch", plain.len());
    }
}
