//! An allocator of the caller's that refuses memory: the memory that a stream takes, and the codes
//! of calls without it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::OnceLock;

use libz_rs_sys::{
    Z_BUF_ERROR, Z_DEFLATED, Z_FINISH, Z_FULL_FLUSH, Z_MEM_ERROR, Z_NEED_DICT, Z_NO_FLUSH, Z_OK,
    Z_STREAM_END, Z_SYNC_FLUSH, gz_header, z_stream,
};

use crate::common::{self, api::Zlib};

/// The version and size that callers were compiled with.
const COMPILED: (&std::ffi::CStr, c_int) = (c"1.2.13", size_of::<z_stream>() as c_int);

fn libraries() -> &'static [Zlib; 2] {
    static BOTH: OnceLock<[Zlib; 2]> = OnceLock::new();
    BOTH.get_or_init(|| [Zlib::load(common::ours()), Zlib::load(common::system())])
}

/// An allocator that gives memory as long as there are grants.
struct Memory {
    grants: Cell<usize>,
    /// Memory as nginx reserves it for a stream: small pieces count as 8 KB unless their size is a
    /// multiple of 512 bytes, and nothing is returned.
    taken: Cell<usize>,
    given: RefCell<HashMap<usize, Vec<u64>>>,
}

impl Memory {
    fn new(grants: usize) -> Self {
        Self { grants: Cell::new(grants), taken: Cell::new(0), given: RefCell::default() }
    }

    fn lend(&self, strm: &mut z_stream) {
        strm.zalloc = Some(zalloc);
        strm.zfree = Some(zfree);
        strm.opaque = (&raw const *self).cast_mut().cast();
    }
}

unsafe extern "C" fn zalloc(opaque: *mut c_void, items: c_uint, size: c_uint) -> *mut c_void {
    // SAFETY: `lend` put it there.
    let memory = unsafe { &*opaque.cast::<Memory>() };
    let Some(left) = memory.grants.get().checked_sub(1) else { return std::ptr::null_mut() };
    memory.grants.set(left);
    let len = items as usize * size as usize;
    let counted = if items == 1 && len < 8192 && !len.is_multiple_of(512) { 8192 } else { len };
    memory.taken.set(memory.taken.get() + counted);
    let mut piece = vec![0xA5A5_A5A5_u64; len.div_ceil(8)];
    let address = piece.as_mut_ptr();
    memory.given.borrow_mut().insert(address.addr(), piece);
    address.cast()
}

unsafe extern "C" fn zfree(opaque: *mut c_void, address: *mut c_void) {
    // SAFETY: as above.
    let memory = unsafe { &*opaque.cast::<Memory>() };
    assert!(memory.given.borrow_mut().remove(&address.addr()).is_some(), "freed, but not given");
}

/// Returns rows, then noise.
fn uncompressed(len: usize) -> Vec<u8> {
    let rows =
        (0_u32..).flat_map(|row| format!("{row}|{}|a row\n", row.wrapping_mul(2_654_435_761)).into_bytes());
    let mut uncompressed: Vec<u8> = rows.take(len / 2).collect();
    uncompressed.extend((0..len.div_ceil(2) as u32).map(|i| (i.wrapping_mul(2_246_822_519) >> 13) as u8));
    uncompressed
}

/// Repeats a call until there is memory for it. Each failure adds one grant.
fn insist(memory: &Memory, times: &mut usize, mut call: impl FnMut() -> c_int) -> c_int {
    let enough = (1..20).find_map(|grants| match call() {
        Z_MEM_ERROR => {
            *times += 1;
            memory.grants.set(grants);
            None
        }
        code => Some(code),
    });
    enough.expect("no call needs so many pieces of memory")
}

/// Parameters of a stream.
struct Kind {
    level: c_int,
    bits: c_int,
    mem_level: c_int,
    strategy: c_int,
}

/// Compresses in pieces on an allocator that refuses, with a copy midway. Returns the number of
/// refusals.
fn compress(kind: &Kind, uncompressed: &[u8], piece: usize, flush: c_int) -> usize {
    let [zlib, system] = libraries();
    let memory = Memory::new(0);
    // SAFETY: streams of our own, on buffers that are as long as is said.
    unsafe {
        let (mut strm, mut times): (z_stream, _) = (std::mem::zeroed(), 0);
        memory.lend(&mut strm);
        let Kind { level, bits, mem_level, strategy } = *kind;
        let (version, size) = COMPILED;
        let begun = insist(&memory, &mut times, || {
            (zlib.deflateInit2_)(
                &mut strm,
                level,
                Z_DEFLATED,
                bits,
                mem_level,
                strategy,
                version.as_ptr(),
                size,
            )
        });
        assert_eq!(begun, Z_OK);
        let mut compressed = vec![0; uncompressed.len() + uncompressed.len() / 4 + 1000];
        (strm.next_out, strm.avail_out) = (compressed.as_mut_ptr(), compressed.len() as u32);
        let mut code = Z_OK;
        for (number, input) in uncompressed.chunks(piece).enumerate() {
            let is_last = (number + 1) * piece >= uncompressed.len();
            let flush = if is_last { Z_FINISH } else { flush };
            (strm.next_in, strm.avail_in) = (input.as_ptr(), input.len() as u32);
            code = insist(&memory, &mut times, || (zlib.deflate)(&mut strm, flush));
            if !is_last {
                assert_eq!((code, strm.avail_in), (Z_OK, 0));
            }
            if number == 1 {
                let mut copy: z_stream = std::mem::zeroed();
                let made = insist(&memory, &mut times, || (zlib.deflateCopy)(&mut copy, &mut strm));
                assert_eq!(made, Z_OK);
                (zlib.deflateEnd)(&mut copy);
                if bits < 0 {
                    // An empty block of the fixed code.
                    for (bits, value) in [(3, 2), (7, 0)] {
                        let mut prime = || (zlib.deflatePrime)(&mut strm, bits, value);
                        // zlib has no other code for it.
                        let code = match prime() {
                            Z_BUF_ERROR => {
                                memory.grants.set(1);
                                prime()
                            }
                            code => code,
                        };
                        assert_eq!(code, Z_OK);
                    }
                }
            }
        }
        assert_eq!(code, Z_STREAM_END);
        let len = strm.total_out as usize;
        assert_eq!((zlib.deflateEnd)(&mut strm), Z_OK);
        assert!(memory.given.borrow().is_empty(), "something was not freed");

        let (mut strm, mut back): (z_stream, _) = (std::mem::zeroed(), vec![0; uncompressed.len() + 1]);
        assert_eq!((system.inflateInit2_)(&mut strm, bits, version.as_ptr(), size), Z_OK);
        (strm.next_in, strm.avail_in) = (compressed.as_ptr(), len as u32);
        (strm.next_out, strm.avail_out) = (back.as_mut_ptr(), back.len() as u32);
        assert_eq!((system.inflate)(&mut strm, Z_FINISH), Z_STREAM_END);
        assert!(back[..strm.total_out as usize] == *uncompressed, "other bytes");
        (system.inflateEnd)(&mut strm);
        times
    }
}

#[test]
fn an_allocator_that_refuses() {
    let uncompressed = uncompressed(700_000);
    for (level, bits, strategy) in [(6, 15, 0), (1, 31, 0), (9, -15, 0), (6, -12, 0), (6, 15, 3), (0, 15, 0)]
    {
        for (piece, flush) in
            [(30_000, Z_NO_FLUSH), (200_000, Z_NO_FLUSH), (40_000, Z_SYNC_FLUSH), (20_000, Z_FULL_FLUSH)]
        {
            let kind = Kind { level, bits, mem_level: 8, strategy };
            let times = compress(&kind, &uncompressed, piece, flush);
            assert!(
                times > 1,
                "level {level}, {bits} bits, {piece}, {flush}: asked for memory {times} times"
            );
        }
    }
}

/// Memory that nginx 1.22 reserves for zlib-ng, once that for zlib was too little; then it reports
/// an alert. For a short answer it requests smaller windows and a lower memLevel.
#[test]
fn nginx_has_set_enough_aside() {
    let [zlib, _] = libraries();
    for less in 0..7 {
        let (bits, mem_level) = (15 - less, 8 - less);
        let set_aside = 8192 + 16 + (4 << bits) + (128 << 10) + (256 << mem_level) + 4 * (64 + 8);
        let (memory, (version, size)) = (Memory::new(usize::MAX), COMPILED);
        // SAFETY: a stream of our own; nothing is given to compress.
        unsafe {
            let mut strm: z_stream = std::mem::zeroed();
            memory.lend(&mut strm);
            let (version, deflated) = (version.as_ptr(), Z_DEFLATED);
            let init = (zlib.deflateInit2_)(&mut strm, 1, deflated, bits + 16, mem_level, 0, version, size);
            assert_eq!(init, Z_OK);
            (zlib.deflateEnd)(&mut strm);
        }
        let taken = memory.taken.get();
        assert!(taken <= set_aside, "{bits} bits, memLevel {mem_level}: {taken} of {set_aside}");
    }
}

/// Once a stream has begun, no call asks for memory: not for data, flushes, other parameters, a
/// dictionary, a header, primed bits, nor for other streams behind resets.
#[test]
fn only_the_beginning_takes_memory() {
    let [zlib, system] = libraries();
    let uncompressed = uncompressed(300_000);
    let mut header = gz_header_of(c"name");
    for (bits, mem_level, level) in [(15, 8, 6), (31, 8, 1), (-15, 9, 9), (12, 8, 5), (-9, 1, 3), (15, 8, 0)]
    {
        for turns in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 4, 1, 4], [2, 4, 0, 2]] {
            let (memory, (version, size)) = (Memory::new(usize::MAX), COMPILED);
            let at = format!("windowBits {bits}, memLevel {mem_level}, level {level}, turns {turns:?}");
            // SAFETY: streams of our own, on buffers that are as long as is said.
            unsafe {
                let mut strm: z_stream = std::mem::zeroed();
                memory.lend(&mut strm);
                let (version, deflated) = (version.as_ptr(), Z_DEFLATED);
                let init =
                    (zlib.deflateInit2_)(&mut strm, level, deflated, bits, mem_level, 0, version, size);
                assert_eq!(init, Z_OK, "{at}");
                memory.grants.set(0);
                for turn in turns {
                    let mut compressed = vec![0; 500_000];
                    (strm.next_out, strm.avail_out) = (compressed.as_mut_ptr(), 500_000);
                    let mut dictionary: &[u8] = &[];
                    match turn {
                        3 if bits > 15 => {
                            assert_eq!((zlib.deflateSetHeader)(&mut strm, &mut header), Z_OK, "{at}");
                        }
                        3 => {
                            dictionary = &uncompressed[..20_000];
                            let set = (zlib.deflateSetDictionary)(&mut strm, dictionary.as_ptr(), 20_000);
                            assert_eq!(set, Z_OK, "{at}");
                        }
                        4 => assert_eq!((zlib.deflateParams)(&mut strm, 7, 2), Z_OK, "{at}"),
                        _ => {}
                    }
                    let piece = [1000, 70_000, 300_000, 40_000, 100_000][turn];
                    for (number, input) in uncompressed.chunks(piece).enumerate() {
                        (strm.next_in, strm.avail_in) = (input.as_ptr(), input.len() as u32);
                        let flush = [Z_SYNC_FLUSH, Z_NO_FLUSH, Z_NO_FLUSH, Z_FULL_FLUSH, Z_NO_FLUSH][turn];
                        assert_eq!(
                            (zlib.deflate)(&mut strm, flush),
                            Z_OK,
                            "{at}, turn {turn}, piece {number}"
                        );
                    }
                    assert_eq!((zlib.deflate)(&mut strm, Z_FINISH), Z_STREAM_END, "{at}");
                    compressed.truncate(strm.total_out as usize);
                    let back = inflated(system, &compressed, bits, dictionary, uncompressed.len());
                    assert!(back == uncompressed, "{at}, turn {turn}: other bytes");
                    assert_eq!((zlib.deflateReset)(&mut strm), Z_OK, "{at}");
                    if turn == 4 {
                        assert_eq!((zlib.deflateParams)(&mut strm, level, 0), Z_OK, "{at}");
                        assert_eq!((zlib.deflateReset)(&mut strm), Z_OK, "{at}");
                    }
                }
                (zlib.deflateEnd)(&mut strm);
            }
            assert!(memory.given.borrow().is_empty(), "{at}: something was not freed");
        }
    }
}

/// A copy has memory of its own from its beginning on, and goes on once its original has ended.
#[test]
fn a_copy_outlives_its_original() {
    let [zlib, system] = libraries();
    let uncompressed = uncompressed(300_000);
    // In the block encoder, with a block and more before the copy, and in zlib-rs.
    for (level, piece, flush) in [(6, 40_000, Z_NO_FLUSH), (6, 2000, Z_SYNC_FLUSH), (0, 30_000, Z_NO_FLUSH)] {
        let (memory, (version, size)) = (Memory::new(usize::MAX), COMPILED);
        let mut compressed = vec![0; 500_000];
        // SAFETY: streams of our own, on buffers that are as long as is said.
        let len = unsafe {
            let (mut strm, mut copy): (z_stream, z_stream) = (std::mem::zeroed(), std::mem::zeroed());
            memory.lend(&mut strm);
            let version = version.as_ptr();
            assert_eq!((zlib.deflateInit2_)(&mut strm, level, Z_DEFLATED, 15, 8, 0, version, size), Z_OK);
            (strm.next_out, strm.avail_out) = (compressed.as_mut_ptr(), 500_000);
            let deflate = |strm: &mut z_stream, input: &[u8], flush| {
                (strm.next_in, strm.avail_in) = (input.as_ptr(), input.len() as u32);
                (zlib.deflate)(strm, flush)
            };
            let (first, second) = uncompressed.split_at(150_000);
            for input in first.chunks(piece) {
                assert_eq!(deflate(&mut strm, input, flush), Z_OK);
            }
            assert_eq!((zlib.deflateCopy)(&mut copy, &mut strm), Z_OK);
            // The original goes on elsewhere and ends.
            let mut unused = vec![0; 1000];
            (strm.next_out, strm.avail_out) = (unused.as_mut_ptr(), 1000);
            deflate(&mut strm, &uncompressed[..500], Z_SYNC_FLUSH);
            (zlib.deflateEnd)(&mut strm);
            memory.grants.set(0);
            for input in second.chunks(piece) {
                assert_eq!(deflate(&mut copy, input, flush), Z_OK, "level {level}");
            }
            assert_eq!(deflate(&mut copy, &[], Z_FINISH), Z_STREAM_END);
            (zlib.deflateEnd)(&mut copy);
            copy.total_out as usize
        };
        assert!(memory.given.borrow().is_empty(), "something was not freed");
        // SAFETY: the functions are zlib's.
        let back = unsafe { inflated(system, &compressed[..len], 15, &[], uncompressed.len()) };
        assert!(back == uncompressed, "level {level}: other bytes");
    }
}

/// Bits behind output that waits are refused once there is no room for them, and nothing worse.
#[test]
fn primed_bits_without_room_are_refused() {
    let [zlib, _] = libraries();
    let noise: Vec<u8> = (0..100_000_u32).map(|i| (i.wrapping_mul(2_246_822_519) >> 13) as u8).collect();
    for (level, mem_level, len, room) in [
        (0, 7, 21_173, 72),
        (0, 8, 100_000, 72),
        (6, 8, 98_304, 1),
        (1, 4, 5000, 100),
        (6, 4, 0, 0),
        (3, 9, 0, 0),
    ] {
        let (memory, (version, size)) = (Memory::new(usize::MAX), COMPILED);
        for is_lent in [false, true] {
            let at = format!("level {level}, memLevel {mem_level}, {len} bytes, lent {is_lent}");
            // SAFETY: a stream of our own, on buffers that are as long as is said.
            unsafe {
                let mut strm: z_stream = std::mem::zeroed();
                if is_lent {
                    memory.lend(&mut strm);
                }
                let (version, deflated) = (version.as_ptr(), Z_DEFLATED);
                let init = (zlib.deflateInit2_)(&mut strm, level, deflated, -15, mem_level, 0, version, size);
                assert_eq!(init, Z_OK, "{at}");
                memory.grants.set(0);
                let mut compressed = vec![0; 200];
                (strm.next_in, strm.avail_in) = (noise.as_ptr(), len);
                (strm.next_out, strm.avail_out) = (compressed.as_mut_ptr(), room);
                if len > 0 {
                    assert_eq!((zlib.deflate)(&mut strm, Z_NO_FLUSH), Z_OK, "{at}");
                }
                let primes = 200_000;
                let refused = (0..primes).position(|_| match (zlib.deflatePrime)(&mut strm, 16, 0) {
                    Z_OK => false,
                    code => {
                        assert_eq!(code, Z_BUF_ERROR, "{at}");
                        true
                    }
                });
                // On malloc the block encoder's output grows.
                assert!(refused.is_some() || !is_lent && level == 6 && mem_level == 8, "{at}");
                (zlib.deflateEnd)(&mut strm);
            }
            assert!(memory.given.borrow().is_empty(), "{at}: something was not freed");
            memory.grants.set(usize::MAX);
        }
    }
}

/// Returns a header with a name.
fn gz_header_of(name: &'static std::ffi::CStr) -> gz_header {
    // SAFETY: null pointers and zeros are a header without fields.
    let header: gz_header = unsafe { std::mem::zeroed() };
    gz_header { name: name.as_ptr().cast_mut().cast(), ..header }
}

/// Decompresses a stream with a library.
///
/// # Safety
/// The library's functions are zlib's.
unsafe fn inflated(zlib: &Zlib, compressed: &[u8], bits: c_int, dictionary: &[u8], len: usize) -> Vec<u8> {
    let (version, size) = COMPILED;
    let mut back = vec![0; len + 1];
    // SAFETY: a stream of our own, on buffers that are as long as is said.
    unsafe {
        let mut strm: z_stream = std::mem::zeroed();
        assert_eq!((zlib.inflateInit2_)(&mut strm, bits, version.as_ptr(), size), Z_OK);
        let set = |strm: &mut z_stream| {
            let code = (zlib.inflateSetDictionary)(strm, dictionary.as_ptr(), dictionary.len() as u32);
            assert_eq!(code, Z_OK);
        };
        if bits < 0 && !dictionary.is_empty() {
            set(&mut strm);
        }
        (strm.next_in, strm.avail_in) = (compressed.as_ptr(), compressed.len() as u32);
        (strm.next_out, strm.avail_out) = (back.as_mut_ptr(), back.len() as u32);
        let mut code = (zlib.inflate)(&mut strm, Z_FINISH);
        if code == Z_NEED_DICT {
            set(&mut strm);
            code = (zlib.inflate)(&mut strm, Z_FINISH);
        }
        assert_eq!(code, Z_STREAM_END);
        back.truncate(strm.total_out as usize);
        (zlib.inflateEnd)(&mut strm);
    }
    back
}

#[test]
fn a_reset_takes_no_memory() {
    let [zlib, system] = libraries();
    let uncompressed = uncompressed(2000);
    for level in 1..=9 {
        // At the end of a stream, after a flush, and amid data.
        for flush in [Z_FINISH, Z_SYNC_FLUSH, Z_NO_FLUSH] {
            let (memory, (version, size)) = (Memory::new(usize::MAX), COMPILED);
            // SAFETY: streams of our own, on buffers that are as long as is said.
            unsafe {
                let mut strm: z_stream = std::mem::zeroed();
                memory.lend(&mut strm);
                let init =
                    (zlib.deflateInit2_)(&mut strm, level, Z_DEFLATED, 15, 8, 0, version.as_ptr(), size);
                assert_eq!(init, Z_OK);
                let mut compressed = vec![0; 10_000];
                let mut deflate = |strm: &mut z_stream, input: &[u8], flush, expected| {
                    (strm.next_in, strm.avail_in) = (input.as_ptr(), input.len() as u32);
                    let from = strm.total_out as usize;
                    (strm.next_out, strm.avail_out) = (compressed[from..].as_mut_ptr(), 9000);
                    assert_eq!((zlib.deflate)(strm, flush), expected);
                    compressed[..strm.total_out as usize].to_vec()
                };
                deflate(&mut strm, &uncompressed, Z_SYNC_FLUSH, Z_OK);
                let taken = memory.taken.get();
                for _ in 0..5 {
                    let code = if flush == Z_FINISH { Z_STREAM_END } else { Z_OK };
                    deflate(&mut strm, &uncompressed[..500], flush, code);
                    (zlib.deflateReset)(&mut strm);
                    deflate(&mut strm, &uncompressed[..700], Z_SYNC_FLUSH, Z_OK);
                    let stream = deflate(&mut strm, &uncompressed[700..], Z_FINISH, Z_STREAM_END);
                    let (mut back, mut len) = (vec![0; 3000], 3000);
                    let (from, from_len) = (stream.as_ptr(), stream.len() as u64);
                    assert_eq!((system.uncompress)(back.as_mut_ptr(), &mut len, from, from_len), Z_OK);
                    assert!(back[..len as usize] == uncompressed, "level {level}, flush {flush}");
                    (zlib.deflateReset)(&mut strm);
                    deflate(&mut strm, &uncompressed, Z_SYNC_FLUSH, Z_OK);
                }
                assert_eq!(memory.taken.get(), taken, "level {level}, flush {flush}");
                (zlib.deflateEnd)(&mut strm);
            }
            assert!(memory.given.borrow().is_empty(), "something was not freed");
        }
    }
}

/// A stream that `deflateParams` has changed goes on in the memory that it has after a reset.
#[test]
fn a_reset_after_other_parameters_takes_no_memory() {
    let [zlib, system] = libraries();
    let uncompressed = uncompressed(200_000);
    for (bits, wrap) in [(15, 15), (31, 31), (-15, -15)] {
        for (level, strategy) in [(0, 0), (6, 1), (6, 2), (6, 3), (6, 4), (9, 0)] {
            let (memory, (version, size)) = (Memory::new(usize::MAX), COMPILED);
            // SAFETY: streams of our own, on buffers that are as long as is said.
            unsafe {
                let mut strm: z_stream = std::mem::zeroed();
                memory.lend(&mut strm);
                let init = (zlib.deflateInit2_)(&mut strm, 6, Z_DEFLATED, bits, 8, 0, version.as_ptr(), size);
                assert_eq!(init, Z_OK);
                let mut compressed = vec![0; 400_000];
                let mut taken = 0;
                for turn in 0..4 {
                    (strm.next_in, strm.avail_in) = (uncompressed.as_ptr(), 150_000);
                    (strm.next_out, strm.avail_out) = (compressed.as_mut_ptr(), 400_000);
                    if turn < 2 {
                        assert_eq!((zlib.deflate)(&mut strm, Z_NO_FLUSH), Z_OK);
                    }
                    if turn == 1 {
                        assert_eq!((zlib.deflateParams)(&mut strm, level, strategy), Z_OK);
                        taken = memory.taken.get();
                    }
                    strm.avail_in += 50_000;
                    assert_eq!((zlib.deflate)(&mut strm, Z_FINISH), Z_STREAM_END);
                    let mut back = vec![0; 200_000];
                    let mut other: z_stream = std::mem::zeroed();
                    assert_eq!((system.inflateInit2_)(&mut other, wrap, version.as_ptr(), size), Z_OK);
                    (other.next_in, other.avail_in) = (compressed.as_ptr(), strm.total_out as u32);
                    (other.next_out, other.avail_out) = (back.as_mut_ptr(), 200_000);
                    let at = format!("windowBits {bits}, level {level}, strategy {strategy}, turn {turn}");
                    assert_eq!((system.inflate)(&mut other, Z_FINISH), Z_STREAM_END, "{at}");
                    assert!(back == uncompressed, "{at}: other bytes");
                    (system.inflateEnd)(&mut other);
                    assert_eq!((zlib.deflateReset)(&mut strm), Z_OK);
                }
                assert_eq!(
                    memory.taken.get(),
                    taken,
                    "windowBits {bits}, level {level}, strategy {strategy}"
                );
                (zlib.deflateEnd)(&mut strm);
            }
            assert!(memory.given.borrow().is_empty(), "something was not freed");
        }
    }
}
