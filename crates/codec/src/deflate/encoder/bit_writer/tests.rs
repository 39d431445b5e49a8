use super::*;

/// Bits of a stream, the first the least significant.
fn bits(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1)).collect()
}

/// Fields of every length and in every place of a byte, whatever follows the end of the slice.
#[test]
fn fields_come_out_as_they_went_in() {
    for spare in 0..10 {
        let (mut expected, mut out) = (Vec::new(), [0xAA; 300]);
        let total: u32 = (0..=48).sum();
        let needed = total.div_ceil(8) as usize;
        let mut to = BitWriter::new(&mut out[..needed + spare]);
        for count in (0..=48).rev() {
            let field = 0x9E37_79B9_7F4A_7C15 >> 7 & ((1_u64 << count) - 1);
            expected.extend((0..count).map(|bit| field >> bit & 1 == 1));
            to.put(field, count);
            to.flush();
            assert_eq!(to.remaining_bits(), ((needed + spare) * 8 - expected.len()) as u64);
            assert_eq!(to.offset() as usize, expected.len() % 8);
        }
        assert_eq!(to.finish(), Some(needed));
        let found = bits(&out[..needed]);
        assert_eq!(found[..expected.len()], expected);
        assert!(found[expected.len()..].iter().all(|bit| !bit), "filled up with zeros");
        assert!(out[needed + spare..].iter().all(|&byte| byte == 0xAA), "written past the end");
    }
}

#[test]
fn pauses_leave_no_trace() {
    let fields = [(0b1, 1), (0b10, 3), (0x155, 9), (0, 2), (0xffff, 16), (0, 0), (0x5a, 7)];
    let mut whole = [0; 8];
    let mut to = BitWriter::new(&mut whole);
    for (field, count) in fields {
        to.put(field, count);
        to.flush();
    }
    let len = to.finish().unwrap();
    let (mut lane_ranges, mut pending) = (Vec::new(), PendingBits::default());
    for (field, count) in fields {
        let mut part = [0; 3];
        let mut to = BitWriter::resume(&mut part, pending);
        to.put(field, count);
        to.flush();
        let (len, after) = to.pause();
        lane_ranges.extend_from_slice(&part[..len]);
        pending = after;
    }
    let mut end = [0; 1];
    let end_len = BitWriter::resume(&mut end, pending).finish().unwrap();
    lane_ranges.extend_from_slice(&end[..end_len]);
    assert_eq!(lane_ranges, whole[..len]);
}

#[test]
fn bits_of_before_need_room() {
    let mut out = [0; 1];
    let mut to = BitWriter::new(&mut out);
    to.put(0b101, 3);
    let (_, pending) = to.pause();
    let mut none = BitWriter::resume(&mut [], pending);
    assert_eq!((none.remaining_bits(), none.offset(), none.align()), (0, 3, None));
    assert_eq!(BitWriter::resume(&mut [], pending).finish(), None);
    assert_eq!(BitWriter::resume(&mut [], PendingBits::default()).finish(), Some(0));
    assert_eq!(BitWriter::resume(&mut out, pending).finish(), Some(1));
    assert_eq!(out, [0b101]);
}

#[test]
fn whole_bytes_start_at_a_byte() {
    let mut out = [0; 4];
    let mut to = BitWriter::new(&mut out);
    to.put(1, 1);
    to.align().unwrap();
    to.bytes(b"abc");
    assert_eq!((to.remaining_bits(), to.align()), (0, Some(())));
    assert_eq!(to.finish(), Some(4));
    assert_eq!(&out, b"\x01abc");
}
