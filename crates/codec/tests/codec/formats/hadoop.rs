//! LZ4 in Hadoop's framing, with blocks as Hadoop, Arrow and others write them.

use pelton_codec::{Error, Format, compress_bound};

use crate::reference::lz4;
use crate::support::{data, pack_default, unpack};

const FORMAT: Format = Format::Lz4Hadoop;

fn be(size: usize) -> [u8; 4] {
    u32::try_from(size).unwrap().to_be_bytes()
}

/// A block with a chunk for each of `parts`.
fn block(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = be(parts.iter().map(|part| part.len()).sum()).to_vec();
    for part in parts {
        let packed = lz4::compress(part);
        out.extend_from_slice(&be(packed.len()));
        out.extend_from_slice(&packed);
    }
    out
}

#[test]
fn blocks_of_one_or_more_chunks_are_decoded() {
    let text = data("text", 5000);
    let (a, b) = text.split_at(1234);
    for packed in [block(&[&text]), [block(&[a]), block(&[b])].concat(), block(&[a, b])] {
        assert_eq!(unpack(FORMAT, &packed, 5000), Ok((text.clone(), packed.len())));
    }
}

#[test]
fn empty_blocks_are_decoded() {
    // Hadoop's empty file, everyone else's, none at all, and one between others.
    for packed in [be(0).to_vec(), block(&[b""]), vec![]] {
        assert_eq!(unpack(FORMAT, &packed, 0), Ok((vec![], packed.len())), "{packed:02x?}");
    }
    let packed = [block(&[b"one"]), block(&[b""]), block(&[b"two"])].concat();
    assert_eq!(unpack(FORMAT, &packed, 6), Ok((b"onetwo".to_vec(), packed.len())));
}

/// Hadoop's reader has a buffer of 256 KiB for a chunk, packed or plain.
#[test]
fn blocks_that_are_written_suit_hadoop() {
    for shape in ["random", "text"] {
        let plain = data(shape, 1_000_000);
        let packed = pack_default(FORMAT, &plain);
        assert!(packed.len() <= compress_bound(FORMAT, plain.len()));
        let (mut rest, mut blocks, mut total) = (&packed[..], 0, 0);
        while let [a, b, c, d, e, f, g, h, after @ ..] = rest {
            let plain = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            let packed = u32::from_be_bytes([*e, *f, *g, *h]) as usize;
            assert!(plain <= 256 << 10 && packed <= 256 << 10, "{plain} {packed}");
            rest = &after[packed..];
            (blocks, total) = (blocks + 1, total + plain);
        }
        assert!(rest.is_empty() && blocks == 4 && total == plain.len(), "{blocks} {total}");
    }
}

#[test]
fn sizes_that_lie_are_found() {
    let sound = block(&[b"twelve bytes"]);
    let room = 100;
    let lie = |at: usize, size: usize| {
        let mut packed = sound.clone();
        packed[at..at + 4].copy_from_slice(&be(size));
        unpack(FORMAT, &packed, room).unwrap_err()
    };
    // A plain size over the caller's output, whatever is in the block.
    assert_eq!(lie(0, 0xffff_ffff), Error::OutputTooSmall { format: FORMAT, room });
    assert_eq!(lie(0, 101), Error::OutputTooSmall { format: FORMAT, room });
    // More than there is: another chunk was to follow.
    assert_eq!(lie(0, 13), Error::Truncated { format: FORMAT });
    assert!(lie(0, 11).to_string().contains("longer than the plain size"));
    assert!(lie(0, 0).to_string().contains("longer than the plain size"));
    // A packed size over the input's end, and one that cuts the block's data.
    assert_eq!(lie(4, 0xffff_ffff), Error::Truncated { format: FORMAT });
    assert_eq!(lie(4, sound.len() - 7), Error::Truncated { format: FORMAT });
    assert!(matches!(lie(4, sound.len() - 9), Error::Corrupt { .. }));
    assert!(matches!(lie(4, 0), Error::Corrupt { .. }));
}

#[test]
fn empty_chunks_do_not_go_round_for_ever() {
    let mut packed = be(10).to_vec();
    for _ in 0..3 {
        packed.extend_from_slice(&[0, 0, 0, 1, 0]);
    }
    let error = unpack(FORMAT, &packed, 10).unwrap_err().to_string();
    assert!(error.contains("empty chunk"), "{error}");
}
