use super::*;

#[test]
fn the_sequence_depends_on_the_seed_alone() {
    let seeds = [b"one seed".to_vec(), b"another".to_vec(), vec![]];
    let sequence = |seed| {
        let (mut mutator, mut input) = (Mutator::new(seed), vec![]);
        let mut next = || {
            mutator.mutate(&seeds, &mut input);
            input.clone()
        };
        (0..1000).map(|_| next()).collect::<Vec<_>>()
    };
    assert_eq!(sequence(1), sequence(1));
    assert_ne!(sequence(1), sequence(2));
    assert!(sequence(1).iter().any(|input| !seeds.contains(input)));
}

#[test]
fn no_input_is_too_long() {
    let seeds = [vec![7; MAX_LEN]];
    let (mut mutator, mut input) = (Mutator::new(1), vec![]);
    for _ in 0..200 {
        mutator.mutate(&seeds, &mut input);
        assert!(input.len() <= MAX_LEN);
    }
}
