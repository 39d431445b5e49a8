use super::*;

#[test]
fn codes_move_to_their_places() {
    for bits in 0..1u32 << 7 {
        let present: BooleanBuffer = (0..7).map(|bit| bits >> bit & 1 == 1).collect();
        let mut values: Vec<u32> = (10..13 + bits.count_ones()).collect();
        spread(&mut values, 3, &present);
        let mut next = 13..;
        let expected = present.iter().map(|bit| if bit { next.next().unwrap_or(0) } else { 0 });
        let expected: Vec<u32> = (10..13).chain(expected).collect();
        assert_eq!(values, expected);
    }
}
