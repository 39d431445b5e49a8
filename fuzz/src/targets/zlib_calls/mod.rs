//! Sequences of calls to zlib's functions, on our libz and on the system's beside each other.
//!
//! An input says which calls are made ([`script`]), and on what. First both compress: what they
//! write may differ, and when, but not what it decodes to, nor how far it can be decoded after a
//! flush ([`deflating`]). Then both decompress what one of them wrote, or that with changes
//! ([`mutation`]): every call has to return and to leave the same ([`inflating`]).

#[path = "../../../../bindings/zlib/tests/common/api.rs"]
#[allow(dead_code, clippy::missing_safety_doc, reason = "written for the library's own tests")]
mod api;
mod decoder;
mod deflating;
mod header;
mod inflating;
mod libraries;
mod memory;
mod mutation;
mod oneshot;
mod plan;
mod pulls;
mod script;
mod stream;

use deflating::{Deflating, Written};
use inflating::Inflating;
use libraries::libraries;
use plan::Plan;
use pulls::Pull;
use script::Script;

/// How many bytes of an input say how to compress, and how many how to decompress. The rest is
/// data.
const PLAN: usize = 64;
/// The largest window in every container, and in what is found out.
const WINDOWS: [i32; 4] = [15, -15, 31, 47];
/// As many calls of each kind as there are bytes, with 60 of each seed.
const SEEDS: u64 = 300;

/// Random choices, on text and on less regular data.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = include_bytes!("../../../../crates/codec/tests/data/plain.txt");
    let mut state = 1_u64;
    let mut random = || {
        // Knuth's MMIX generator; the high bits are the random ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
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

/// Does what the input says with both libraries.
pub fn run(input: &[u8]) {
    let (first, rest) = input.split_at(PLAN.min(input.len()));
    let (second, data) = rest.split_at(PLAN.min(rest.len()));
    let mut second = Script::new(second);
    let plain = plan::plain(&mut second, data);
    let plan = Plan::read(&mut Script::new(first));
    let mut described = Described(format!("zlib: {} bytes, {plan:?}", plain.len()));
    let system = Deflating::run(&libraries().system, &plan, &plain);
    described.0.replace_range(..4, "ours");
    let ours = Deflating::run(&libraries().ours, &plan, &plain);
    agree(&system.notes, &ours.notes);
    let written: Vec<Written> = system.written.into_iter().chain(ours.written).collect();
    drop(described);
    let (packed, dictionary) = mutation::stream(&mut second, &written);
    oneshot::uncompress(&packed, plain.len());
    decompress(&mut second, plan.bits, &packed, dictionary);
}

/// Decompresses with both libraries, call by call.
fn decompress(script: &mut Script<'_>, bits: i32, packed: &[u8], dictionary: &[u8]) {
    let bits = if script.odds(64) { script.pick(&WINDOWS) } else { bits };
    let most = script.pick(&[usize::MAX, 1, 3, 100]);
    let stopping = script.odds(64);
    let last_room = script.pick(&[1 << 16, 1 << 20, 300, 33_000]);
    let (mut system, expected) = Inflating::begin(&libraries().system, bits, packed, dictionary);
    let (mut ours, got) = Inflating::begin(&libraries().ours, bits, packed, dictionary);
    let mut described = Described(format!("inflate {bits} of {} bytes", packed.len()));
    agree(&[&expected], &[&got]);
    if !expected.starts_with('0') {
        return;
    }
    while script.more() {
        let pull = Pull::read(script, stopping, most);
        let (expected, got) = (system.pull(pull), ours.pull(pull));
        described.0 += &format!("\n{pull:?}: {expected}");
        agree(&[&expected], &[&got]);
        assert!(system.plain == ours.plain, "other bytes");
    }
    agree(&system.finish(last_room), &ours.finish(last_room));
    assert!(system.plain == ours.plain, "other bytes");
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

/// What is said beside a panic: what was done.
struct Described(String);

impl Drop for Described {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.0);
        }
    }
}
