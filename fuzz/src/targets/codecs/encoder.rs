//! Target of the block encoder: the parameters and the data are read from the input. Its output is
//! decoded by zlib and libdeflate and compared with the data.

use std::cell::RefCell;

use pelton_codec::{
    BitWriter, BlockEncoder, Decoder, Error, Format, IsaLevel, PendingBits, Progress, Window, compress_bound,
};

use super::check;
use crate::reference::zlib::{self, Verdict};

/// Number of bytes with the parameters: level and window, repetitions, history, and cuts.
const PARAMETERS: usize = 8;
/// The most parts that one stream is made of.
const PARTS: usize = 4;
/// Bytes after an output, which have to stay unchanged.
const GUARD: [u8; 32] = [0xC5; 32];

thread_local! {
    /// States that live through all inputs, as a thread's do: one with each of the steps that the
    /// processor has, the portable ones first.
    static ENCODERS: RefCell<Vec<BlockEncoder>> =
        RefCell::new(IsaLevel::available().map(BlockEncoder::with_isa_level).collect());
}

/// Inputs with parameters for every level, followed by data.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt");
    let ramp: Vec<u8> = (0..9000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    let integers: Vec<u8> = (0..2000_i64).flat_map(|i| (i * i % 977 + 1_700_000_000).to_le_bytes()).collect();
    let noise = check::seeds(Format::Brotli).concat();
    let mixed = [text, &noise[..noise.len().min(9000)], text, &[0; 5000], &integers].concat();
    let plains = [&b""[..], b"a", &text[..100], text, &[0; 3000], &ramp, &integers, &noise, &mixed];
    let levels = (0..20).map(|level| [level, 0, level * 13, 40, 80, level * 5, 0, 3]);
    levels.flat_map(|parameters| plains.map(|uncompressed| [&parameters, uncompressed].concat())).collect()
}

/// Parameters of one stream.
struct Plan {
    level: i32,
    window: Window,
    /// The uncompressed data; its first bytes are history.
    uncompressed: Vec<u8>,
    history: usize,
    /// Ends of the parts.
    ends: [usize; PARTS],
    /// Whether parts may refer to earlier data.
    with_history: bool,
}

impl Plan {
    fn new(input: &[u8]) -> Self {
        let (parameters, rest) = input.split_at(input.len().min(PARAMETERS));
        let at = |index: usize| usize::from(parameters.get(index).copied().unwrap_or_default());
        // Inputs are short for a window of 32 KB: some are repeated.
        let times = if at(1) < 200 { 1 } else { 1 + at(1) % 8 };
        let uncompressed = rest.repeat(times.min(1 + (200 << 10) / rest.len().max(1)));
        let part = |index: usize, of: usize| of * at(index) / 255;
        let history = part(2, uncompressed.len());
        let mut ends = [3, 4, 5].map(|index| history + part(index, uncompressed.len() - history));
        ends.sort_unstable();
        Self {
            level: (at(0) % 10) as i32,
            window: if at(0) / 10 % 2 == 0 { Window::FULL } else { Window::SMALL },
            history,
            ends: [ends[0], ends[1], ends[2], uncompressed.len()],
            with_history: at(6) % 2 == 0,
            uncompressed,
        }
    }

    /// Returns the parts, each with the data before it.
    fn parts(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let starts = [self.history].into_iter().chain(self.ends);
        starts.zip(self.ends).map(|(start, end)| {
            let history = if self.with_history { &self.uncompressed[..start] } else { &[] };
            (&self.uncompressed[start..end], history)
        })
    }

    /// Returns the stream, each part in a buffer of its own.
    fn pack(&self, encoder: &mut BlockEncoder) -> Vec<u8> {
        encoder.set_window(self.window);
        let (mut compressed, mut pending) = (vec![], PendingBits::default());
        for (number, (input, history)) in self.parts().enumerate() {
            let mut write = |capacity: usize| -> Result<(Vec<u8>, PendingBits), Error> {
                let mut output = vec![GUARD[0]; capacity];
                output.extend(GUARD);
                let mut to = BitWriter::resume(&mut output[..capacity], pending);
                let done = encoder.deflate_block(input, history, self.level, number + 1 == PARTS, &mut to);
                let (len, after) = to.pause();
                assert!(output[capacity..] == GUARD, "bytes after the output were written");
                output.truncate(len);
                done.map(|()| (output, after))
            };
            // One byte of capacity for the rest of the part before.
            let (part, after) =
                write(compress_bound(Format::Deflate, input.len()) + 1).expect("the bound suffices");
            let needed = part.len() + usize::from(after != PendingBits::default());
            assert_eq!(write(needed), Ok((part.clone(), after)), "differs with an exact output");
            let error = write(needed - 1).expect_err("less than needed");
            assert!(matches!(error, Error::OutputTooSmall { .. }), "{error}");
            compressed.extend(part);
            pending = after;
        }
        let mut end = [0];
        let len = BitWriter::resume(&mut end, pending).finish().expect("bits of one byte");
        compressed.extend(&end[..len]);
        compressed
    }
}

/// Makes a stream as the input says.
pub fn run(input: &[u8]) {
    let plan = Plan::new(input);
    let compressed = ENCODERS.with_borrow_mut(|encoders| {
        let mut all = encoders.iter_mut().map(|encoder| plan.pack(encoder));
        let compressed = all.next().expect("portable steps run everywhere");
        assert!(all.all(|other| other == compressed), "other steps give other bytes");
        compressed
    });
    let (history, uncompressed) = plan.uncompressed.split_at(plan.history);
    let done = Verdict::Done { consumed: compressed.len(), plain: uncompressed.to_vec() };
    let found = match plan.window {
        Window::FULL => zlib::inflate_after(history, &compressed, uncompressed.len()),
        window => {
            let bits = window.bytes().ilog2() as u8;
            zlib::inflate_in_window(bits, history, &compressed, uncompressed.len())
        }
    };
    assert!(found == done, "zlib says {found:?}");
    // libdeflate takes no history, but stored blocks.
    let whole = [stored(history), compressed].concat();
    let mut back = vec![0; plan.uncompressed.len()];
    let result = Decoder::new().decompress(Format::Deflate, &whole, &mut back);
    assert_eq!(result, Ok(Progress { consumed: whole.len(), produced: back.len() }));
    assert!(back == plan.uncompressed, "libdeflate decodes something else");
}

/// Bytes in stored blocks, none of them the last.
fn stored(uncompressed: &[u8]) -> Vec<u8> {
    let block = |part: &[u8]| {
        let len = part.len() as u16;
        [&[0][..], &len.to_le_bytes(), &(!len).to_le_bytes(), part].concat()
    };
    uncompressed.chunks(0xffff).flat_map(block).collect()
}
