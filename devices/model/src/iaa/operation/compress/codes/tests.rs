use super::{Code, code};

/// The fixed code of a zero byte, from the Linux driver's table, is reversed.
#[test]
fn entries_are_turned_round() {
    assert_eq!(code(0x4_0030), Some(Code { bits: 0b0000_1100, length: 8 }));
    assert_eq!(code((15 << 15) | 1), Some(Code { bits: 1 << 14, length: 15 }));
}

#[test]
fn what_is_no_code() {
    for entry in [0, 5, 16 << 15, (2 << 15) | 0b100, u32::MAX] {
        assert_eq!(code(entry), None, "{entry:#x}");
    }
}
