//! Streams, images and records worked out by hand.

use pelton_device_iaa::hw::flags::decompress as own;
use pelton_device_iaa::hw::{Status, aecs::decompress as at};

use super::test_support::{Chain, bits, decompress};

/// The fixed code of a literal is highest bit first (RFC 1951, 3.2.6).
#[test]
fn a_fixed_block() {
    // Header of a final block, a literal, a match of three bytes, the end.
    let compressed = bits("1 10 10010001 0000001 00000 0000000");
    assert_eq!(compressed, [0x4B, 0x04, 0x02, 0x00]);
    let (record, out) = decompress(own::WHOLE_STREAM, &compressed, 4);
    assert_eq!(out, b"aaaa");
    // Status, bytes used and written; the XOR of equal words is zero; CRC-32 of "aaaa".
    let mut expected = [0; 64];
    expected[0] = 0x01;
    expected[4] = 0x04;
    expected[24] = 0x04;
    expected[32..36].copy_from_slice(&[0x45, 0xE5, 0x98, 0xAD]);
    assert_eq!(record.as_bytes(), &expected);
}

#[test]
fn a_stored_block() {
    // Final, type 00, five bits to the byte's edge, length 3, its complement, three bytes.
    let compressed = [0x01, 0x03, 0x00, 0xFC, 0xFF, b'x', b'y', b'z'];
    let (record, out) = decompress(own::WHOLE_STREAM, &compressed, 3);
    assert_eq!(out, b"xyz");
    // 0x7978 ^ 0x007A.
    assert_eq!((record.consumed(), record.xor()), (8, 0x7902));
}

#[test]
fn a_dynamic_block() {
    // The smallest header: three code lengths, for a run of zeros, a zero and a one. Literals:
    // zeros, 'a' with one bit, zeros, the end with one bit; no distance.
    let lengths = "000 000 100 010 000 000 000 000 000 000 000 000 000 000 000 000 000 010";
    // A run of zeros covers 11 and its extra bits, lowest bit first.
    let codes = "0 0110101 11 0 1111111 0 1001000 11 10";
    // The codes of 'a' and the end have one bit.
    let compressed = bits(&format!("1 01 00000 00000 0111 {lengths} {codes} 0 0 0 1"));
    let (record, out) = decompress(own::WHOLE_STREAM, &compressed, 10);
    assert_eq!(record.status(), Some(Status::Success), "{record:?}");
    assert_eq!(out, b"aaa");
}

#[test]
fn output_that_is_no_whole_group_waits_in_the_image() {
    let compressed = bits("0 10 10010001 10010010 10010011 0000000");
    let mut chain = Chain::new();
    let (record, out) = chain.step(own::ENABLE, &compressed, 100);
    assert_eq!((record.status(), record.produced(), out.len()), (Some(Status::Success), 0, 0));
    let image = &chain.images[1];
    assert_eq!(&image[at::OUTPUT_ACCUMULATOR..][..8], b"abc\0\0\0\0\0");
    assert_eq!(image[at::OUTPUT_BITS], 24);
    // After the block: a new header, with 6 bits of the last byte.
    assert_eq!(image[at::STATE], at::state::HEADER as u8);
    assert_eq!((image[at::INPUT_BITS], image[at::INPUT_ACCUMULATOR]), (6, 0));
    assert_eq!((image[at::HISTORY_OFFSET], image[at::HISTORY_OFFSET + 1]), (3, 0));
    assert_eq!(&image[at::HISTORY..][..4], b"abc\0");
}

#[test]
fn a_full_output_can_be_gone_on_with() {
    let compressed = bits("1 10 10010001 10010010 10010011 0000000");
    let mut chain = Chain::new();
    let (record, out) = chain.step(own::WHOLE_STREAM, &compressed, 2);
    assert_eq!((record.status(), &out[..]), (Some(Status::OutputOverflow), &b"ab"[..]));
    // The remaining five bits of the third byte wait: the start of 'c', lowest first.
    assert_eq!(record.consumed(), 3);
    let image = &chain.images[1];
    assert_eq!((image[at::INPUT_BITS], image[at::INPUT_ACCUMULATOR]), (5, 0b0_1001));
    assert_eq!(image[at::STATE], (at::state::SYMBOL | at::state::FINAL) as u8);
    let (record, out) = chain.step(own::WHOLE_STREAM, &compressed[3..], 2);
    assert_eq!((record.status(), &out[..]), (Some(Status::Success), &b"c"[..]));
    assert_eq!(chain.images[0][at::STATE], at::state::ENDED as u8);
    // The last byte has 6 unused bits.
    assert_eq!(chain.images[0][at::UNUSED_BITS], 6);
}

#[test]
fn a_full_output_and_nothing_to_come_is_no_overflow() {
    let compressed = bits("1 10 10010001 10010010 10010011 0000000");
    let (record, out) = decompress(own::WHOLE_STREAM, &compressed, 3);
    assert_eq!((record.status(), &out[..]), (Some(Status::Success), &b"abc"[..]));
}

/// Literals alone, with codes that software has put into the image in the form of Intel's library:
/// one code of one bit, two of two bits.
#[test]
fn codes_of_literals_from_the_image() {
    let mut image = vec![0; 0x4E0];
    let mut put = |offset: usize, word: u32| image[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
    // The numbers of codes of each length.
    put(at::LITERAL_COUNTS, 1 | 2 << 2);
    // The first code of two bits.
    put(at::LITERAL_FIRST_CODE, 0b10 << 2);
    // Its index in the table.
    put(at::LITERAL_TABLE_INDEX, 1 << 2);
    put(at::LITERAL_MAP, u32::from_le_bytes(*b"abc\0"));
    let mut chain = Chain { images: [image.clone(), image], toggle: false, first: false };
    // "abca", and bits that match no code.
    let (record, out) = chain.step(
        own::ENABLE | own::FLUSH_OUTPUT | 2 << own::IGNORE_END_BITS_SHIFT,
        &bits("0 10 11 0 00"),
        9,
    );
    assert_eq!((record.status(), &out[..]), (Some(Status::Success), &b"abca"[..]));
    // The same with the first bit highest in a word. The zeros are "a" each, except the ignored
    // bits.
    let (_, out) = chain.step(
        own::ENABLE | own::FLUSH_OUTPUT | own::BIG_ENDIAN_16 | 3 << own::IGNORE_END_BITS_SHIFT,
        &0b0101_1000_0000_0000u16.to_le_bytes(),
        20,
    );
    assert_eq!(out, b"abcaaaaaaaa");
}
