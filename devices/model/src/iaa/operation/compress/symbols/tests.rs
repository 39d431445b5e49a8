use super::{Coded, distance, length};

/// Base values of RFC 1951's tables: each base is the first value of a symbol.
#[test]
fn symbols_begin_where_the_rfc_says() {
    let lengths: [usize; 29] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
        195, 227, 258,
    ];
    let distances: [usize; 30] = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
        3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ];
    for value in 3..=258 {
        let symbol = lengths.iter().rposition(|base| *base <= value).unwrap();
        let coded = length(value);
        assert_eq!(coded.symbol, 257 + symbol);
        assert_eq!(lengths[symbol] + coded.extra as usize, value);
    }
    for value in 1..=32768 {
        let symbol = distances.iter().rposition(|base| *base <= value).unwrap();
        let coded = distance(value);
        assert_eq!((coded.symbol, distances[symbol] + coded.extra as usize), (symbol, value));
    }
}

/// Values from RFC 1951's tables at the edges of symbols.
#[test]
fn widest_symbols() {
    assert_eq!(length(257), Coded { symbol: 284, extra: 30, extra_bits: 5 });
    assert_eq!(length(258), Coded { symbol: 285, extra: 0, extra_bits: 0 });
    assert_eq!(distance(4096), Coded { symbol: 23, extra: 1023, extra_bits: 10 });
}
