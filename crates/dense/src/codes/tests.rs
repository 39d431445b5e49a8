use pelton_random::Random;

use super::*;

/// Codes of random integers with nulls are those of a map.
#[test]
fn integers_have_codes_in_the_order_of_their_first_occurrence() {
    let mut random = Random::new(1);
    for _ in 0..200 {
        let mut codes = IntegerCodes::default();
        let (mut known, mut seen): (Vec<Option<i64>>, Vec<u32>) = (Vec::new(), Vec::new());
        let base = *random.pick(&[0, -5, i64::MAX - 1000, i64::MIN, 1 << 40]);
        for _ in 0..1 + random.below(5) {
            let values: Vec<Option<i64>> = (0..random.below(50))
                .map(|_| random.chance(0.9).then(|| base.saturating_add(random.below(1000) as i64)))
                .collect();
            let is_null = |row: usize| values[row].is_none();
            seen.clear();
            let value = |row: usize| values[row].unwrap_or(i64::MIN / 2);
            assert!(codes.append(values.len(), value, Some(&is_null), 1001, &mut seen));
            for (value, &code) in values.iter().zip(&seen) {
                if !known.contains(value) {
                    known.push(*value);
                }
                assert_eq!(known[code as usize], *value);
            }
            assert_eq!(codes.values(), known);
        }
    }
}

#[test]
fn integers_too_far_apart_have_no_codes() {
    let mut codes = IntegerCodes::default();
    let mut seen = Vec::new();
    assert!(codes.append(2, |row| [7, 16][row], None, 10, &mut seen));
    assert!(!codes.append(1, |_| 17, None, 10, &mut seen));
    assert!(!codes.append(1, |_| i64::MIN, None, 10, &mut seen));
    assert!(codes.append(1, |_| 16, None, 10, &mut seen));
    assert_eq!((seen, codes.values()), (vec![0, 1, 1], &[Some(7), Some(16)][..]));
}

/// Views that share entries, change their buffers and have nulls get the codes of `find`.
#[test]
fn views_have_the_codes_that_were_found_for_them() {
    let mut random = Random::new(2);
    for domain in [1, 3, 100, 5000, 60_000] {
        let mut table = ViewCodes::default();
        for round in 0..4u128 {
            let views: Vec<u128> = (0..20_000)
                .map(|_| (random.below(domain) as u128) << 64 | u128::from(random.below(20) as u32))
                .collect();
            table.change_buffers();
            // a long view means another value in each round
            let code = |view: u128| {
                let length = view & 0xffff_ffff;
                ((view >> 64) * 21 + length + if length > 12 { round * 7 } else { 0 }) as u32
            };
            let is_null = |row: usize| row % 7 == 3;
            let is_null: Option<&dyn Fn(usize) -> bool> = if round % 2 == 0 { None } else { Some(&is_null) };
            let mut codes = Vec::new();
            let done = table.append::<()>(&views, is_null, &mut codes, |row| Ok(code(views[row])), || Ok(9));
            assert_eq!(done, Ok(()));
            for (row, &view) in views.iter().enumerate() {
                let expected = if is_null.is_some_and(|is_null| is_null(row)) { 9 } else { code(view) };
                assert_eq!(codes[row], expected);
            }
        }
    }
}

#[test]
fn repeated_views_are_found_once() {
    let mut table = ViewCodes::default();
    let views: Vec<u128> = (0..1000).map(|row| (row % 3) << 64 | 5).collect();
    let (mut codes, mut found) = (Vec::new(), 0);
    let done = table.append::<()>(
        &views,
        None,
        &mut codes,
        |_| {
            found += 1;
            Ok(found - 1)
        },
        || Err(()),
    );
    assert_eq!((done, found, codes[999]), (Ok(()), 3, 0));
}
