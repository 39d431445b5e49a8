//! Checksums against published check values and against zlib.

use pelton_codec::{Checksum, checksum, checksum_append};

use crate::reference::zlib;
use crate::support::data;

#[test]
fn published_check_values() {
    let digits = b"123456789";
    for (kind, value) in [
        // "check" in the catalogue of parametrised CRC algorithms,
        // https://reveng.sourceforge.io/crc-catalogue/all.htm: CRC-32/ISO-HDLC, CRC-32/ISCSI and
        // CRC-64/NVME.
        (Checksum::Crc32, 0xcbf4_3926),
        (Checksum::Crc32c, 0xe306_9283),
        (Checksum::Crc64, 0xae8b_1486_0a79_9888),
        // By hand, from RFC 1950's definition: the sum of the bytes, and that of its prefixes.
        (Checksum::Adler32, (2334 << 16) | 478),
        // xxHash's own vector for these digits.
        (Checksum::Xxh64, 0x8cb8_41db_40e6_ae83),
    ] {
        assert_eq!(checksum(kind, digits), value, "{kind}");
    }
}

#[test]
fn checksums_of_nothing() {
    for (kind, value) in [
        (Checksum::Crc32, 0),
        (Checksum::Crc32c, 0),
        (Checksum::Crc64, 0),
        (Checksum::Adler32, 1),
        (Checksum::Xxh64, 0xef46_db37_51d8_e999),
    ] {
        assert_eq!(checksum(kind, b""), value, "{kind}");
    }
}

#[test]
fn parts_give_the_whole() {
    let whole = data("random", 10_000);
    for kind in Checksum::ALL {
        for cut in [0, 1, 8, 255, 256, 5000, 9999, 10_000] {
            let (a, b) = whole.split_at(cut);
            match checksum_append(kind, checksum(kind, a), b) {
                Some(value) => assert_eq!(value, checksum(kind, &whole), "{kind} cut at {cut}"),
                None => assert_eq!(kind, Checksum::Xxh64),
            }
        }
    }
}

#[test]
fn equal_to_zlib_at_every_length() {
    let whole = data("random", 2000);
    for len in 0..whole.len() {
        // Not from the start, so that lengths and alignments vary together.
        let part = &whole[whole.len() - len..];
        assert_eq!(checksum(Checksum::Crc32, part), zlib::crc32(part).into(), "{len}");
        assert_eq!(checksum(Checksum::Adler32, part), zlib::adler32(part).into(), "{len}");
    }
}

#[test]
fn equal_to_a_bit_at_a_time_at_many_lengths() {
    /// A reflected CRC as its definition has it: `polynomial` is bit-reversed, the register starts
    /// and ends inverted.
    fn naive(polynomial: u64, ones: u64, data: &[u8]) -> u64 {
        let step = |register: u64, _| (register >> 1) ^ if register & 1 == 1 { polynomial } else { 0 };
        ones ^ data.iter().fold(ones, |register, &byte| (0..8).fold(register ^ u64::from(byte), step))
    }
    let whole = data("skewed", 3000);
    for len in (0..300).chain([511, 512, 513, 1023, 1024, 1025, 2999, 3000]) {
        let part = &whole[..len];
        let crc32c = naive(0x1EDC_6F41_u32.reverse_bits().into(), u32::MAX.into(), part);
        assert_eq!(checksum(Checksum::Crc32c, part), crc32c, "{len}");
        let crc64 = naive(0xAD93_D235_94C9_3659_u64.reverse_bits(), u64::MAX, part);
        assert_eq!(checksum(Checksum::Crc64, part), crc64, "{len}");
    }
}
