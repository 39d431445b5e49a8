//! Target of the block encoder: the parameters and the data are read from the input. Its output is
//! decoded by zlib and libdeflate and compared with the data.

use std::cell::RefCell;

use pelton_codec::{
    BitWriter, BlockEncoder, Decoder, Error, Format, IsaLevel, PendingBits, Progress, Window, compress_bound,
};

use super::check;
use crate::reference::zlib::{self, Verdict};

/// Bytes that say how to compress: level and window, repetitions, history, and cuts.
const PARAMETERS: usize = 8;
/// The most parts that one stream is made of.
const PARTS: usize = 4;
/// Bytes after an output, which have to stay unchanged.
const GUARD: [u8; 32] = [0xC5; 32];

thread_local! {
    /// States that live through all inputs, as a thread's do: one with each of the steps that the
    /// processor has, the portable ones first.
    static CODERS: RefCell<Vec<BlockEncoder>> =
        RefCell::new(IsaLevel::available().map(BlockEncoder::with_isa_level).collect());
}

/// Parameters for every level, followed by plain data.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt");
    let ramp: Vec<u8> = (0..9000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
    let integers: Vec<u8> = (0..2000_i64).flat_map(|i| (i * i % 977 + 1_700_000_000).to_le_bytes()).collect();
    let noise = check::seeds(Format::Brotli).concat();
    let mixed = [text, &noise[..noise.len().min(9000)], text, &[0; 5000], &integers].concat();
    let plains = [&b""[..], b"a", &text[..100], text, &[0; 3000], &ramp, &integers, &noise, &mixed];
    let levels = (0..20).map(|level| [level, 0, level * 13, 40, 80, level * 5, 0, 3]);
    levels.flat_map(|parameters| plains.map(|plain| [&parameters, plain].concat())).collect()
}

/// Parameters of one stream.
struct Plan {
    level: i32,
    window: Window,
    /// The uncompressed data; its first bytes are history.
    plain: Vec<u8>,
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
        let plain = rest.repeat(times.min(1 + (200 << 10) / rest.len().max(1)));
        let part = |index: usize, of: usize| of * at(index) / 255;
        let history = part(2, plain.len());
        let mut ends = [3, 4, 5].map(|index| history + part(index, plain.len() - history));
        ends.sort_unstable();
        Self {
            level: (at(0) % 10) as i32,
            window: if at(0) / 10 % 2 == 0 { Window::FULL } else { Window::SMALL },
            history,
            ends: [ends[0], ends[1], ends[2], plain.len()],
            with_history: at(6) % 2 == 0,
            plain,
        }
    }

    /// Returns the parts, each with the data before it.
    fn parts(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let starts = [self.history].into_iter().chain(self.ends);
        starts.zip(self.ends).map(|(start, end)| {
            let history = if self.with_history { &self.plain[..start] } else { &[] };
            (&self.plain[start..end], history)
        })
    }

    /// The stream, each part in a buffer of its own.
    fn pack(&self, coder: &mut BlockEncoder) -> Vec<u8> {
        coder.set_window(self.window);
        let (mut packed, mut pending) = (vec![], PendingBits::default());
        for (number, (input, history)) in self.parts().enumerate() {
            let mut write = |room: usize| -> Result<(Vec<u8>, PendingBits), Error> {
                let mut output = vec![GUARD[0]; room];
                output.extend(GUARD);
                let mut to = BitWriter::resume(&mut output[..room], pending);
                let done = coder.deflate_block(input, history, self.level, number + 1 == PARTS, &mut to);
                let (len, after) = to.pause();
                assert!(output[room..] == GUARD, "bytes after the output were written");
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
            packed.extend(part);
            pending = after;
        }
        let mut end = [0];
        let len = BitWriter::resume(&mut end, pending).finish().expect("bits of one byte");
        packed.extend(&end[..len]);
        packed
    }
}

/// Makes a stream as the input says.
pub fn run(input: &[u8]) {
    let plan = Plan::new(input);
    let packed = CODERS.with_borrow_mut(|coders| {
        let mut all = coders.iter_mut().map(|coder| plan.pack(coder));
        let packed = all.next().expect("portable steps run everywhere");
        assert!(all.all(|other| other == packed), "other steps give other bytes");
        packed
    });
    let (history, plain) = plan.plain.split_at(plan.history);
    let done = Verdict::Done { consumed: packed.len(), plain: plain.to_vec() };
    let found = match plan.window {
        Window::FULL => zlib::inflate_after(history, &packed, plain.len()),
        window => {
            let bits = window.bytes().ilog2() as u8;
            zlib::inflate_in_window(bits, history, &packed, plain.len())
        }
    };
    assert!(found == done, "zlib says {found:?}");
    // libdeflate takes no history, but stored blocks.
    let whole = [stored(history), packed].concat();
    let mut back = vec![0; plan.plain.len()];
    let result = Decoder::new().decompress(Format::Deflate, &whole, &mut back);
    assert_eq!(result, Ok(Progress { consumed: whole.len(), produced: back.len() }));
    assert!(back == plan.plain, "libdeflate decodes something else");
}

/// Bytes in stored blocks, none of them the last.
fn stored(plain: &[u8]) -> Vec<u8> {
    let block = |part: &[u8]| {
        let len = part.len() as u16;
        [&[0][..], &len.to_le_bytes(), &(!len).to_le_bytes(), part].concat()
    };
    plain.chunks(0xffff).flat_map(block).collect()
}
