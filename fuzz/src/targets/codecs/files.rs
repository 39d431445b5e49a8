//! Files of gzip and Zstandard in pieces, compared with pieces of another size and, for gzip, with
//! the decoder of whole blocks.

use pelton_codec::{Format, StreamDecoder};

use super::check::{self, CAPACITY};
use super::{deflate, zstd};

/// Returns files, each behind a byte that chooses format and sizes.
pub fn seeds() -> Vec<Vec<u8>> {
    let gzip = deflate::gzip_seeds().into_iter().map(|seed| (0, seed));
    let zstd = zstd::seeds().into_iter().map(|seed| (1, seed));
    let choose =
        |(at, (format, seed)): (usize, (u8, Vec<u8>))| [&[(at as u8) << 1 | format], &seed[..]].concat();
    gzip.chain(zstd).enumerate().map(choose).collect()
}

/// Decodes the file behind the first byte of `input`.
pub fn run(input: &[u8]) {
    let Some((choice, file)) = input.split_first() else { return };
    let format = if choice & 1 == 0 { Format::Gzip } else { Format::Zstd };
    let (piece, room) = (1 << (choice >> 1 & 7), 3 << (choice >> 4));
    let whole = decode(format, file, file.len().max(1), CAPACITY);
    let pieces = decode(format, file, piece, room);
    if format == Format::Zstd && zstd::may_have_empty_block(file) {
        return;
    }
    // where both are longer than the capacity, they end at different bytes
    if whole.as_ref().is_some_and(|found| found.len() > CAPACITY) {
        return;
    }
    assert!(whole == pieces, "pieces of {piece} with room for {room} have other bytes");
    if let (Format::Gzip, Some(found)) = (format, whole) {
        let (_, expected) = check::decompress(format, file).expect("what decodes in pieces decodes");
        assert!(found == expected, "the whole has other bytes");
    }
}

/// Returns the bytes of a file, up to the first piece beyond the capacity; `None` if it is damaged.
fn decode(format: Format, file: &[u8], piece: usize, room: usize) -> Option<Vec<u8>> {
    let mut decoder = StreamDecoder::new(format).expect("there is memory").expect("a format of files");
    let (mut all, mut output) = (Vec::new(), vec![0; room]);
    for part in file.chunks(piece).chain([&[][..]]) {
        let mut rest = part;
        loop {
            let done = decoder.decode(rest, &mut output).ok()?;
            all.extend_from_slice(&output[..done.produced]);
            rest = &rest[done.consumed..];
            if all.len() > CAPACITY {
                return Some(all);
            }
            if rest.is_empty() && done.produced < room {
                break;
            }
            assert!(done.consumed > 0 || done.produced > 0, "no progress");
        }
    }
    decoder.finish().ok().map(|()| all)
}
