use super::*;

#[test]
fn bits_of_slices_are_moved() {
    let all: BooleanBuffer = (0..300).map(|bit| bit * bit % 7 < 3).collect();
    for (start, len) in [(0, 300), (0, 0), (1, 64), (7, 65), (8, 128), (63, 200), (299, 1)] {
        let slice = all.slice(start, len);
        let bits = bitmap(&slice);
        assert_eq!(bits.len(), len, "from {start}");
        assert!((0..len).all(|i| bits.get(i) == slice.value(i)), "{len} from {start}");
    }
}
