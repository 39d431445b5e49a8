use super::*;

#[test]
fn seeds_are_sound() {
    for (number, seed) in seeds().iter().enumerate() {
        assert!(matches!(decode(seed), Some(Ok(()))), "seed {number}: {:?}", decode(seed));
    }
}
