use std::collections::HashMap;

use pelton_random::Random;

use super::*;

#[test]
fn groups_have_the_numbers_of_a_map() {
    let mut random = Random::new(3);
    for _ in 0..100 {
        let keys = 1 + random.below(4);
        let mut table = GroupNumbers::new(keys);
        let mut domains = vec![0; keys];
        let mut map: HashMap<Vec<u32>, u32> = HashMap::new();
        for _ in 0..5 {
            let rows = random.below(100);
            let mut codes = vec![Vec::new(); keys];
            for _ in 0..rows {
                for (codes, domain) in codes.iter_mut().zip(&mut domains) {
                    // a new code follows the largest one
                    let code = if random.chance(0.2) && *domain < 9 {
                        *domain
                    } else {
                        random.below((*domain).max(1))
                    };
                    *domain = (*domain).max(code + 1);
                    codes.push(code as u32);
                }
            }
            let mut numbers = Vec::new();
            let slices: Vec<&[u32]> = codes.iter().map(|codes| &codes[..]).collect();
            assert!(table.number(&slices, &domains, 16, &mut numbers));
            for row in 0..rows {
                let key: Vec<u32> = codes.iter().map(|codes| codes[row]).collect();
                let next = map.len() as u32;
                assert_eq!(numbers[row], *map.entry(key).or_insert(next));
            }
            assert_eq!(table.groups(), map.len());
        }
        for key in 0..keys {
            for (group, code) in table.codes(key).into_iter().enumerate() {
                assert!(map.iter().any(|(codes, number)| *number as usize == group && codes[key] == code));
            }
        }
    }
}

#[test]
fn a_table_of_too_many_bits_is_refused() {
    let mut table = GroupNumbers::new(2);
    let mut numbers = Vec::new();
    assert!(table.number(&[&[3], &[7]], &[4, 8], 5, &mut numbers));
    assert!(!table.number(&[&[4], &[0]], &[5, 8], 5, &mut numbers));
    assert_eq!((table.groups(), numbers.len()), (1, 0));
    assert_eq!((table.codes(0), table.codes(1)), (vec![3], vec![7]));
}
