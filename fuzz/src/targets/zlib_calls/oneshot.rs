//! `uncompress2` with enough room, and with less.

use libz_rs_sys::uLongf;

use super::api::Zlib;
use super::libraries::libraries;

/// Decompresses with both libraries, and compares the results.
pub fn uncompress(packed: &[u8], len: usize) {
    for room in [len, len.saturating_sub(1), len / 2, 0, len + 100] {
        let [expected, got] = [&libraries().system, &libraries().ours].map(|zlib| call(zlib, packed, room));
        assert!(
            expected.0 == got.0,
            "uncompress2 into {room}\n  zlib: {:?}\n  ours: {:?}",
            expected.0,
            got.0
        );
        assert!(expected.1 == got.1, "uncompress2 into {room}: other bytes");
    }
}

/// Code, bytes read and bytes written, and the output.
fn call(zlib: &Zlib, packed: &[u8], room: usize) -> ((i32, u64, u64), Vec<u8>) {
    let mut plain = vec![0; room];
    let (mut read, mut written): (u64, uLongf) = (packed.len() as u64, room as u64);
    // SAFETY: both buffers are as long as is said.
    let code = unsafe { (zlib.uncompress2)(plain.as_mut_ptr(), &mut written, packed.as_ptr(), &mut read) };
    plain.truncate(written as usize);
    ((code, read, written), plain)
}
