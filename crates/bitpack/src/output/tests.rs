use super::{hybrid, pack};
use crate::{Error, Order};

#[test]
fn bytes_are_filled_from_either_end() {
    let (mut little, mut big) = (vec![], vec![]);
    pack(&[0b101, 0b011, 0b110], 3, Order::Little, &mut little).unwrap();
    pack(&[0b101, 0b011, 0b110], 3, Order::Big, &mut big).unwrap();
    assert_eq!(little, [0b1001_1101, 0b1]);
    assert_eq!(big, [0b1010_1111, 0]);
    big.clear();
    pack(&[0x1234_5678, 0x9abc_def0], 32, Order::Big, &mut big).unwrap();
    assert_eq!(big, [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0]);
    assert_eq!(pack(&[1, 8], 3, Order::Big, &mut big), Err(Error::OutputWidth { value: 8, width: 3 }));
    assert_eq!(pack(&[], 33, Order::Big, &mut big), Err(Error::Width { width: 33, least: 1, most: 32 }));
    assert_eq!(big.len(), 8);
}

/// The example of Parquet's Encodings.md: the numbers up to 7 in three bits; and a run.
#[test]
fn a_hybrid_is_as_parquet_describes_it() {
    let mut bytes = vec![];
    hybrid(&[0, 1, 2, 3, 4, 5, 6, 7], 3, &mut bytes).unwrap();
    assert_eq!(bytes, [3, 0b1000_1000, 0b1100_0110, 0b1111_1010]);
    bytes.clear();
    hybrid(&[0x1ff; 300], 9, &mut bytes).unwrap();
    assert_eq!(bytes, [0xd8, 0x04, 0xff, 1]);
}
