use pelton_device_iaa::hw::aecs::compress as layout;

use super::{Overflow, Writer, Written};

/// Returns an image with these bits in the accumulator.
fn image(bits: u32, bytes: &[u8]) -> Vec<u8> {
    let mut image = vec![0; layout::BYTES];
    image[layout::OUTPUT_BITS..][..4].copy_from_slice(&bits.to_le_bytes());
    image[layout::OUTPUT_ACCUMULATOR..][..bytes.len()].copy_from_slice(bytes);
    image
}

/// The accumulator's bits, without those above its length in the second byte, then two more bits.
#[test]
fn the_accumulator_comes_first() {
    let mut writer = Writer::new(&image(11, &[0x5A, 0xFD]), 8).unwrap();
    writer.put(0b11, 2).unwrap();
    let mut out = [0xEE; 8];
    let (written, _) = writer.finish(&mut out, false, true).unwrap();
    assert_eq!(written, Written { bytes: 2, bits: 5 });
    assert_eq!(out[..2], [0x5A, 0x1D]);
}

/// The same bits in a big-endian word: the first bit is the highest, and the low byte is stored
/// first.
#[test]
fn words_are_turned_round() {
    let mut writer = Writer::new(&image(11, &[0x5A, 0xFD]), 8).unwrap();
    writer.put(0b11, 2).unwrap();
    let mut out = [0xEE; 8];
    let (written, _) = writer.finish(&mut out, true, true).unwrap();
    assert_eq!(written, Written { bytes: 2, bits: 13 });
    assert_eq!(out[..2], [0xB8, 0x5A]);
}

/// The complete group is written, the bits are kept, and the next writer starts with them.
#[test]
fn what_is_no_group_is_kept() {
    let mut writer = Writer::new(&image(0, &[]), 64).unwrap();
    (1..=8).for_each(|byte| writer.put(byte, 8).unwrap());
    writer.put(0b1001, 4).unwrap();
    let mut out = [0; 64];
    let (written, rest) = writer.finish(&mut out, false, false).unwrap();
    assert_eq!(written, Written { bytes: 8, bits: 0 });
    assert_eq!(out[..9], [1, 2, 3, 4, 5, 6, 7, 8, 0]);

    let mut kept = image(2048, &[0xFF; layout::ACCUMULATOR_BYTES]);
    rest.store(&mut kept);
    assert_eq!(kept, image(4, &[0b1001]));
    let mut writer = Writer::new(&kept, 64).unwrap();
    writer.put(0b110, 4).unwrap();
    let (written, _) = writer.finish(&mut out, false, true).unwrap();
    assert_eq!((written, out[0]), (Written { bytes: 1, bits: 0 }, 0b0110_1001));
}

#[test]
fn limits() {
    assert!(Writer::new(&image(2048, &[0xAB; 256]), 0).is_some());
    assert!(Writer::new(&image(2049, &[]), 0).is_none());
    assert!(Writer::new(&image(0, &[])[..0x11F], 0).is_none());
    let mut writer = Writer::new(&image(0, &[]), 2).unwrap();
    writer.put(0x12345, 17).unwrap();
    assert!(matches!(writer.finish(&mut [0; 2], false, true), Err(Overflow)));
    let mut writer = Writer::new(&image(0, &[]), 2).unwrap();
    assert!((0..4).any(|_| writer.put(u32::MAX, 32).is_err()));
}
