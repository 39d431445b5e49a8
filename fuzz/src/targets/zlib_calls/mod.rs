//! Sequences of calls to zlib's functions, made on our libz and on the system's.
//!
//! An input determines the calls ([`script`]) and their data. First both libraries compress: their
//! outputs and the times of output may differ, but not the decoded bytes, nor the prefix that can
//! be decoded after a flush ([`deflating`]). Then both decompress the output of one of them,
//! unchanged or changed ([`mutation`]): every call has to return the same and to leave the same
//! state ([`inflating`]).

#[path = "../../../../bindings/zlib/tests/common/api.rs"]
#[allow(dead_code, clippy::missing_safety_doc, reason = "written for the library's own tests")]
mod api;
mod decoder;
mod deflating;
mod inflating;
mod libraries;
mod memory;
mod mutation;
mod plan;
mod pulls;
mod script;
mod stream;

use libz_rs_sys::uLongf;
use pelton_random::Random;

use api::Zlib;
use deflating::{Deflating, Written};
use inflating::Inflating;
use libraries::libraries;
use plan::Plan;
use pulls::Pull;
use script::Script;

/// Number of bytes of an input that determine the compression, and of those that determine the
/// decompression. The rest is data.
const PLAN: usize = 64;
/// The maximum window in every container, and with detection.
const WINDOWS: [i32; 4] = [15, -15, 31, 47];
/// Number of seeds.
const SEEDS: u64 = 300;

/// Random choices, on text and on less regular data.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt");
    let mut sequence = Random::new(1);
    let mut random = || sequence.next() as u8;
    let mut seed = |number: u64| {
        let mut input: Vec<u8> = (0..2 * PLAN).map(|_| random()).collect();
        match number % 4 {
            0 => input.extend_from_slice(text),
            1 => input.extend((0..3000).map(|_| random() & 0x13)),
            2 => input.extend((0..20_000_u32).map(|i| (i.wrapping_mul(i) >> 9) as u8)),
            _ => input.extend_from_slice(&text[..(number as usize * 7).min(text.len())]),
        }
        input
    };
    (0..SEEDS).map(&mut seed).collect()
}

/// Runs the calls of an input with both libraries.
pub fn run(input: &[u8]) {
    let (first, rest) = input.split_at(PLAN.min(input.len()));
    let (second, data) = rest.split_at(PLAN.min(rest.len()));
    let mut second = Script::new(second);
    let uncompressed = plan::uncompressed(&mut second, data);
    let plan = Plan::read(&mut Script::new(first));
    let mut described = Described(format!("zlib: {} bytes, {plan:?}", uncompressed.len()));
    let system = Deflating::run(&libraries().system, &plan, &uncompressed);
    described.0.replace_range(..4, "ours");
    let ours = Deflating::run(&libraries().ours, &plan, &uncompressed);
    agree(&system.notes, &ours.notes);
    let written: Vec<Written> = system.written.into_iter().chain(ours.written).collect();
    drop(described);
    let (compressed, dictionary) = mutation::stream(&mut second, &written);
    uncompress(&compressed, uncompressed.len());
    decompress(&mut second, plan.bits, &compressed, dictionary);
}

/// Decompresses by `uncompress2` of both libraries, with enough capacity and with less, and
/// compares the results.
fn uncompress(compressed: &[u8], len: usize) {
    for capacity in [len, len.saturating_sub(1), len / 2, 0, len + 100] {
        let [expected, got] =
            [&libraries().system, &libraries().ours].map(|zlib| call_uncompress(zlib, compressed, capacity));
        assert!(
            expected.0 == got.0,
            "uncompress2 into {capacity}\n  zlib: {:?}\n  ours: {:?}",
            expected.0,
            got.0
        );
        assert!(expected.1 == got.1, "uncompress2 into {capacity}: other bytes");
    }
}

/// Code, bytes read and bytes written, and the output.
fn call_uncompress(zlib: &Zlib, compressed: &[u8], capacity: usize) -> ((i32, u64, u64), Vec<u8>) {
    let mut uncompressed = vec![0; capacity];
    let (mut read, mut written): (u64, uLongf) = (compressed.len() as u64, capacity as u64);
    // SAFETY: both buffers have the given lengths.
    let code = unsafe {
        (zlib.uncompress2)(uncompressed.as_mut_ptr(), &mut written, compressed.as_ptr(), &mut read)
    };
    uncompressed.truncate(written as usize);
    ((code, read, written), uncompressed)
}

/// Decompresses with both libraries, call by call.
fn decompress(script: &mut Script<'_>, bits: i32, compressed: &[u8], dictionary: &[u8]) {
    let bits = if script.odds(64) { script.pick(&WINDOWS) } else { bits };
    let max = script.pick(&[usize::MAX, 1, 3, 100]);
    let stopping = script.odds(64);
    let last_capacity = script.pick(&[1 << 16, 1 << 20, 300, 33_000]);
    let (mut system, expected) = Inflating::begin(&libraries().system, bits, compressed, dictionary);
    let (mut ours, got) = Inflating::begin(&libraries().ours, bits, compressed, dictionary);
    let mut described = Described(format!("inflate {bits} of {} bytes", compressed.len()));
    agree(&[&expected], &[&got]);
    if !expected.starts_with('0') {
        return;
    }
    while script.more() {
        let pull = Pull::read(script, stopping, max);
        let (expected, got) = (system.pull(pull), ours.pull(pull));
        described.0 += &format!("\n{pull:?}: {expected}");
        agree(&[&expected], &[&got]);
        assert!(system.uncompressed == ours.uncompressed, "other bytes");
    }
    agree(&system.finish(last_capacity), &ours.finish(last_capacity));
    assert!(system.uncompressed == ours.uncompressed, "other bytes");
}

/// Both libraries have said the same.
fn agree(expected: &[impl AsRef<str>], got: &[impl AsRef<str>]) {
    let all = expected.iter().map(AsRef::as_ref).zip(got.iter().map(AsRef::as_ref));
    let mut before = "nothing";
    for (expected, got) in all {
        assert!(expected == got, "after {before}\n  zlib: {expected}\n  ours: {got}");
        before = expected;
    }
    assert_eq!(expected.len(), got.len(), "numbers of notes");
}

/// Message that accompanies a panic: the calls so far.
struct Described(String);

impl Drop for Described {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}
