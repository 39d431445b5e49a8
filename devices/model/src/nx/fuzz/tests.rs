use pelton_random::Random;

use super::*;

#[test]
fn seeds_are_valid_requests() {
    let codes: Vec<Option<Completion>> = seeds().iter().map(|seed| request(seed).completion()).collect();
    let done = [Completion::Done, Completion::Expanded].map(Some);
    let is_done = codes.iter().filter(|code| done.contains(code)).count();
    // Dynamic compressions have no table, and their seeds are refused.
    let without_table = codes.iter().filter(|code| **code == Some(Completion::InvalidTable)).count();
    assert_eq!((is_done, without_table), (codes.len() - 8, 8), "{codes:?}");
}

#[test]
fn arbitrary_requests_are_answered() {
    let mut random = Random::new(11);
    let seeds = seeds();
    let mut codes = std::collections::BTreeSet::new();
    for _ in 0..3000 {
        let mut bytes = random.pick(&seeds).clone();
        for _ in 0..=random.below(4) {
            // Most of the changes are in the request, the parameters' fields and the data.
            let end = *random.pick(&[64, 160, HEAD, bytes.len()]);
            let at = random.below(end);
            bytes[at] = random.next() as u8;
        }
        bytes.truncate(bytes.len() - random.below(3));
        codes.insert(request(&bytes).code);
    }
    assert!(codes.len() >= 8, "{codes:?}");
}
