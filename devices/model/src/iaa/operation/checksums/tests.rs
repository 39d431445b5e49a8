//! Check values of "123456789" from the CRC RevEng catalogue.

use pelton_device_iaa::hw::{Descriptor, Opcode, flags};

use super::*;

/// The CRCs are published values; the XOR is computed by hand from the words of the text.
#[test]
fn known_values() {
    let descriptor = Descriptor::new(Opcode::Compress);
    let castagnoli = descriptor.with_operation_flags(flags::operation::CRC32C);
    let whole = Checksums::default().append(&descriptor, b"123456789");
    assert_eq!(whole, Checksums { crc: 0xCBF4_3926, xor: 0x0839 });
    assert_eq!(Checksums::default().append(&castagnoli, b"123456789").crc, 0xE306_9283);
    let halves = Checksums::default().append(&descriptor, b"1234").append(&descriptor, b"56789");
    assert_eq!(halves, whole);
}

fn run(flags: u16, polynomial: u64, source1: &[u8]) -> RecordView {
    let descriptor = Descriptor::new(Opcode::Crc64).with_own_flags(flags).with_polynomial(polynomial);
    let request = Request { descriptor: &descriptor, source1, source2: &[], aecs: &[] };
    crc64(&request, Reply { destination: &mut [], aecs: None })
}

const CHECK: &[u8] = b"123456789";
/// CRC-64/ECMA-182. CRC-64/XZ is its reflected form.
const ECMA: u64 = 0x42F0_E1EB_A9EA_3693;

#[test]
fn published_values() {
    // CRC-64/ECMA-182: no inversion, highest bits first.
    assert_eq!(run(own::BIG_ENDIAN_BITS, ECMA, CHECK).crc64(), 0x6C40_DF5F_0B49_7347);
    // CRC-64/WE: the same, inverted at both ends.
    assert_eq!(run(own::BIG_ENDIAN_BITS | own::INVERT, ECMA, CHECK).crc64(), 0x62EC_59E3_F1A4_F00A);
    // CRC-64/XZ: reflected and inverted.
    assert_eq!(run(own::INVERT, ECMA, CHECK).crc64(), 0x995D_C9BB_DF19_39FA);
    // CRC-64/NVME.
    assert_eq!(run(own::INVERT, 0xAD93_D235_94C9_3659, CHECK).crc64(), 0xAE8B_1486_0A79_9888);
    // CRC-16/XMODEM: a short polynomial, highest bits first, is in the highest bits, as is its
    // result.
    assert_eq!(run(own::BIG_ENDIAN_BITS, 0x1021 << 48, CHECK).crc64(), 0x31C3 << 48);
    // CRC-16/ARC: lowest bits first, so that the result is in the lowest bits.
    assert_eq!(run(0, 0x8005 << 48, CHECK).crc64(), 0xBB3D);
}

#[test]
fn nothing_is_all_zeros() {
    assert_eq!(run(0, ECMA, &[]).crc64(), 0);
    assert_eq!(run(own::INVERT, ECMA, &[]).crc64(), 0);
}

/// Compares arbitrary polynomials with a computation bit by bit.
#[test]
fn any_polynomial_is_as_by_long_division() {
    for seed in 1..50u64 {
        let polynomial = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let bytes: Vec<u8> = (0..seed).map(|at| (at * seed) as u8).collect();
        let mut register = 0u64;
        for bit in bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)) {
            let out = register >> 63 ^ u64::from(bit);
            register = (register << 1) ^ (out * polynomial);
        }
        assert_eq!(run(own::BIG_ENDIAN_BITS, polynomial, &bytes).crc64(), register, "seed {seed}");
        let turned: Vec<u8> = bytes.iter().map(|byte| byte.reverse_bits()).collect();
        assert_eq!(run(0, polynomial, &turned).crc64(), register.reverse_bits(), "seed {seed}");
    }
}

#[test]
fn other_flags_are_refused() {
    assert_eq!(run(1, ECMA, CHECK), RecordView::new(Status::InvalidOwnFlags));
}
