use super::*;

#[test]
fn seeds_are_sound() {
    assert!(seeds().len() > 30);
    for seed in seeds() {
        run(&seed);
    }
}
