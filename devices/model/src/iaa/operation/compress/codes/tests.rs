use super::{Code, code};

/// Literal 0 of RFC 1951's fixed code is 0011 0000, 8 bits; the Linux driver's table has
/// 0x40030 for it. Read from the end that is 0000 1100.
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
