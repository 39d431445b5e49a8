use std::collections::BTreeMap;

use pelton_random::reduced;

use super::super::operation::random::Random;
use super::*;

#[test]
fn seeds_are_sound() {
    let statuses: Vec<_> = seeds().iter().map(|seed| descriptor(seed).status()).collect();
    let sound = statuses.iter().filter(|status| **status == Some(Status::Success)).count();
    assert!(sound >= 9, "{statuses:?}");
}

#[test]
fn no_bytes_make_it_panic() {
    let seeds = seeds();
    let mut statuses = BTreeMap::new();
    // Fewer do not have all statuses.
    for seed in 0..reduced(12_000).max(4_000) as u64 {
        let mut random = Random::seeded(seed);
        let mut bytes = seeds[random.below(seeds.len() as u64) as usize].clone();
        let most = if random.below(2) == 0 { 64 } else { bytes.len() as u64 };
        for _ in 0..=random.below(6) {
            let at = random.below(most) as usize;
            bytes[at] =
                if random.below(2) == 0 { random.next() as u8 } else { bytes[at] ^ 1 << random.below(8) };
        }
        let record = descriptor(&bytes);
        assert_eq!(record, descriptor(&bytes), "seed {seed}: not the same again");
        *statuses.entry(record.status_byte()).or_insert(0) += 1;
    }
    for expected in [0x01, 0x0A, 0x10, 0x11, 0x12, 0x13, 0x16, 0x19, 0x1B, 0x1C, 0x1D, 0x30, 0x31] {
        assert!(statuses.contains_key(&expected), "never {expected:#x}: {statuses:x?}");
    }
}

#[test]
fn short_inputs_are_filled_with_zeros() {
    assert_eq!(descriptor(&[]).status(), Some(Status::Success), "opcode 0 is NOOP");
    assert_eq!(descriptor(&[0; 64]).status(), Some(Status::Success));
}
