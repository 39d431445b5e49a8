//! The other operations.

use pelton_bitpack::{Bitmap, Hybrid, Kernels, Packed, Position, Source, output};

use crate::cases::{Case, Form, LENGTHS, SEED, each};
use pelton_random::Random;

/// Masks of several densities, with stretches that are all set or clear.
fn masks(len: usize, random: &mut Random) -> Vec<Bitmap> {
    let mut mixed = Bitmap::new();
    while mixed.len() < len {
        let run = 1 + random.below(100);
        let bit = random.below(2) == 0;
        mixed.extend_run(bit, run.min(len - mixed.len()));
    }
    let mut sparse = || (0..len).map(|_| random.below(20) == 0).collect::<Bitmap>();
    let few = sparse();
    let mut most = sparse();
    most.not();
    let half = (0..len).map(|_| random.below(2) == 0).collect();
    vec![mixed, few, most, half, Bitmap::with_len(len, false), Bitmap::with_len(len, true)]
}

#[test]
fn unpacked_values_are_those_that_were_packed() {
    each(&LENGTHS, |case, random| {
        let len = case.values.len();
        for kernels in Kernels::available() {
            let mut found = vec![7];
            kernels.unpack(&case.source(), &mut found).unwrap();
            assert!(found[0] == 7 && found[1..] == case.values, "{}", kernels.name());
            let start = random.below(len + 1);
            let end = start + random.below(len - start + 1);
            kernels.extract(&case.source(), start..end, &mut found).unwrap();
            assert!(found[1 + len..] == case.values[start..end], "{}, rows {start} to {end}", kernels.name());
        }
    });
}

#[test]
fn hybrids_read_in_pieces() {
    each(&LENGTHS, |case, random| {
        let Source::Hybrid(hybrid) = case.source() else { return };
        for kernels in Kernels::available() {
            let (mut position, mut found, mut skipped) = (Position::default(), vec![7], 0);
            while position.values() < hybrid.len() {
                let from = position.values();
                let count = random.below(hybrid.len() - from + 1).min(1 + random.below(90));
                let all_equal = case.values[from..].iter().all(|value| *value == case.values[from]);
                let constant = hybrid.constant(&position).unwrap();
                assert!(constant.is_none_or(|value| all_equal && value == case.values[from]));
                if random.below(3) == 0 {
                    hybrid.skip(&mut position, count).unwrap();
                    skipped += count;
                    continue;
                }
                let before = found.len();
                kernels.read(&hybrid, &mut position, count, &mut found).unwrap();
                assert!(found[before..] == case.values[from..from + count], "{} at {from}", kernels.name());
                assert_eq!(position.values(), from + count);
            }
            assert!(found[0] == 7 && found.len() - 1 + skipped == hybrid.len());
            let (end, len) = (position, found.len());
            assert!(kernels.read(&hybrid, &mut position, 1, &mut found).is_err());
            assert!(hybrid.skip(&mut position, usize::MAX).is_err());
            assert_eq!((position, found.len(), hybrid.constant(&position)), (end, len, Ok(None)));
        }
    });
    // A run of one value to the end.
    let run = Hybrid::new(&[20, 7], 3, 10);
    let mut position = Position::default();
    assert_eq!(run.constant(&position), Ok(Some(7)));
    run.skip(&mut position, 4).unwrap();
    assert_eq!(run.constant(&position), Ok(Some(7)));
}

#[test]
fn selection_and_expansion() {
    each(&LENGTHS, |case, random| {
        for mask in masks(case.values.len(), random) {
            let chosen: Vec<u32> = mask.ones().map(|i| case.values[i]).collect();
            let mut rest = chosen.iter();
            let spread: Vec<u32> =
                (0..mask.len()).map(|i| if mask.get(i) { *rest.next().unwrap() } else { 0 }).collect();
            let width = case.width;
            let narrow = Case::of(case.form, width, chosen.clone(), random);
            for kernels in Kernels::available() {
                let mut found = vec![7];
                kernels.select(&case.source(), &mask, &mut found).unwrap();
                assert!(found[0] == 7 && found[1..] == chosen, "{} selects others", kernels.name());
                found.truncate(1);
                kernels.expand(&narrow.source(), &mask, &mut found).unwrap();
                assert!(found[0] == 7 && found[1..] == spread, "{} expands otherwise", kernels.name());
            }
        }
    });
}

#[test]
fn bits_picked_and_deposited() {
    let mut random = Random::new(SEED);
    for len in (0..200).chain([640, 1000, 4096]) {
        let bits: Bitmap = (0..len).map(|_| random.below(2) == 0).collect();
        for mask in masks(len, &mut random) {
            let picked: Bitmap = mask.ones().map(|at| bits.get(at)).collect();
            let deposited: Bitmap = (0..len).map(|at| mask.get(at) && bits.get(at)).collect();
            for kernels in Kernels::available() {
                let name = kernels.name();
                assert_eq!(kernels.pick(&bits, &mask), picked, "{name}: {len} bits");
                let (mask, picked) = (mask.words().iter().copied(), picked.words().iter().copied());
                let words = kernels.deposit(mask, picked);
                assert_eq!(Bitmap::from_words(words, len), deposited, "{name}: {len} bits");
            }
        }
    }
    let (none, mask) = (Bitmap::new(), Bitmap::with_len(70, true));
    for kernels in Kernels::available() {
        assert_eq!(kernels.pick(&none, &mask), Bitmap::with_len(70, false), "{}", kernels.name());
    }
}

#[test]
fn members_of_sets() {
    each(&LENGTHS, |case, random| {
        let domain = 1usize << case.width.min(16);
        let holes = (0..domain).map(|_| random.below(2) == 0).collect();
        let range = (0..domain).map(|value| (domain / 4..domain / 2).contains(&value)).collect();
        let short = (0..random.below(domain) + 1).map(|_| random.below(3) == 0).collect();
        let mut few = Bitmap::with_len(domain, false);
        (0..4).for_each(|_| few.set(random.below(domain)));
        let mut most = few.clone();
        most.not();
        for set in [holes, range, short, few, most, Bitmap::new()] {
            let start = random.below(70);
            let mut expected = Bitmap::with_len(start, true);
            case.values.iter().for_each(|&value| expected.extend_run(set.get(value as usize), 1));
            for kernels in Kernels::available() {
                let mut found = Bitmap::with_len(start, true);
                let are_within = kernels.members(&case.source(), &set, &mut found).unwrap();
                assert!(found == expected, "{}, a set of {} bits", kernels.name(), set.len());
                let expected = case.values.iter().all(|&value| (value as usize) < set.len());
                assert_eq!(are_within, expected, "{}, a set of {} bits", kernels.name(), set.len());
            }
        }
    });
}

#[test]
fn what_is_behind_the_last_value_is_none() {
    each(&LENGTHS, |case, _| {
        let Form::Packed(order) = case.form else { return };
        let Some(greatest) = case.values.iter().max().filter(|_| case.width <= 16) else { return };
        let most = (1u32 << case.width) - 1;
        let longer: Vec<u32> = case.values.iter().copied().chain([most; 70]).collect();
        let mut bytes = Vec::new();
        output::pack(&longer, case.width, order, &mut bytes).unwrap();
        let source = Source::from(Packed::new(&bytes, case.width, case.values.len(), order).unwrap());
        for (len, expected) in [(*greatest as usize + 1, true), (*greatest as usize, false)] {
            let set = Bitmap::with_len(len, true);
            for kernels in Kernels::available() {
                let mut found = Bitmap::new();
                let are_within = kernels.members(&source, &set, &mut found).unwrap();
                assert_eq!(are_within, expected, "{}, a set of {len} bits", kernels.name());
                assert_eq!(found.count_ones() == case.values.len(), expected, "{}", kernels.name());
            }
        }
    });
}

#[test]
fn values_of_codes() {
    let mut random = Random::new(SEED);
    for (len, codes) in LENGTHS.into_iter().flat_map(|len| [(len, 1), (len, 300)]) {
        let values: Vec<u64> = (0..codes).map(|value| value * 0x0101_0101_0101).collect();
        let chosen: Vec<u32> = (0..len).map(|_| random.below(codes as usize) as u32).collect();
        let expected: Vec<u64> =
            [7].into_iter().chain(chosen.iter().map(|&code| values[code as usize])).collect();
        for kernels in Kernels::available() {
            let mut found = vec![7];
            assert!(kernels.gather(&chosen, &values, &mut found) && found == expected, "{}", kernels.name());
            let beyond: Vec<u32> = chosen.iter().copied().chain([codes as u32]).collect();
            assert!(!kernels.gather(&beyond, &values, &mut found) && found == expected, "{}", kernels.name());
            assert!(kernels.gather::<u64>(&[], &[], &mut found) && found == expected, "{}", kernels.name());
        }
    }
}

#[test]
fn greatest_of_values() {
    each(&LENGTHS, |case, _| {
        let expected = case.values.iter().copied().max().unwrap_or(0);
        for kernels in Kernels::available() {
            assert_eq!(kernels.greatest(&case.values), expected, "{}", kernels.name());
        }
    });
}
