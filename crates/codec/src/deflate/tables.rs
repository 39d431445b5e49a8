//! The constant tables of RFC 1951.

/// Base and extra bits of match lengths, by symbol from 257 on (section 3.2.5).
#[rustfmt::skip]
pub(super) const LENGTH: [(u16, u8); 29] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0),
    (11, 1), (13, 1), (15, 1), (17, 1), (19, 2), (23, 2), (27, 2), (31, 2),
    (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4),
    (131, 5), (163, 5), (195, 5), (227, 5), (258, 0),
];

/// Base and extra bits of match distances, by symbol (section 3.2.5).
#[rustfmt::skip]
pub(super) const DISTANCE: [(u16, u8); 30] = [
    (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (7, 1), (9, 2), (13, 2), (17, 3), (25, 3),
    (33, 4), (49, 4), (65, 5), (97, 5), (129, 6), (193, 6), (257, 7), (385, 7), (513, 8), (769, 8),
    (1025, 9), (1537, 9), (2049, 10), (3073, 10), (4097, 11), (6145, 11), (8193, 12), (12289, 12),
    (16385, 13), (24577, 13),
];

/// The order in which a dynamic block gives the lengths of the code length code (section 3.2.7).
pub(super) const CODE_LENGTH_ORDER: [usize; 19] =
    [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The header of a block with the fixed code that is the last of its stream: three bits.
pub(super) const FIXED_HEADER: u8 = 0b011;

/// The symbol that ends a block.
pub(super) const END_OF_BLOCK: usize = 256;

/// Codewords of the fixed code for literals and lengths, first bit lowest, and their lengths.
pub(super) const FIXED_CODEWORDS: [(u16, u8); 288] = {
    let mut codewords = [(0, 0); 288];
    let mut symbol = 0;
    while symbol < 288 {
        let (codeword, len) = match symbol {
            0..144 => (0x30 + symbol, 8),
            144..256 => (0x190 + symbol - 144, 9),
            256..280 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        codewords[symbol] = ((codeword as u16).reverse_bits() >> (16 - len), len as u8);
        symbol += 1;
    }
    codewords
};

/// Bits of a distance's codeword, which is its symbol, the first bit the most significant.
pub(super) const FIXED_DISTANCE_BITS: u32 = 5;
