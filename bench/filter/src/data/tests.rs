use super::{Copies, Place, Vector, arrays};

#[test]
fn copies_are_many_in_memory_and_one_in_a_cache() {
    let vector = Vector::new(13, 1000);
    assert!(vector.values.iter().all(|&value| value < 1 << 13));
    for (place, count, laps) in [(Place::Memory, 7, 1), (Place::Cache, 1, 7)] {
        let copies = Copies::new(&vector.values, 13, place, 10_000).unwrap();
        assert_eq!((copies.count(), copies.size()), (count, 1625));
        assert_eq!(place.laps(copies.size(), 10_000), laps);
        let mut found = vec![];
        pelton_bitpack::Kernels::detect().unpack(&copies.source(count - 1), &mut found).unwrap();
        assert_eq!(found, vector.values);
    }
    assert_eq!(arrays(&vector.values, Place::Memory, 10_000).len(), 3);
    let share = vector.mask().count_ones();
    assert!((400..600).contains(&share), "{share}");
}
