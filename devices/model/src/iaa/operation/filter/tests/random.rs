//! Every operation, width and layout against the naive ones.

use pelton_device_iaa::hw::flags::filter as flags;
use pelton_device_iaa::hw::{Opcode, Status};

use super::naive;
use super::software::{LAYOUTS, Layout};
use super::{Inputs, aecs};
use crate::iaa::operation::random::Random;

/// Elements with runs in them, so that Parquet's hybrid has some too.
fn elements(random: &mut Random, width: u32, count: usize) -> Vec<u32> {
    let mask = u32::MAX >> (32 - width);
    let few = random.below(2) == 0;
    let mut values = Vec::new();
    while values.len() < count {
        let value = random.next() as u32 & mask & if few { 3 } else { u32::MAX };
        let times = if random.below(4) == 0 { random.below(40) } else { 1 };
        values.extend((0..times).map(|_| value));
    }
    values.truncate(count);
    values
}

/// Output flags that elements of this width may have.
fn output(random: &mut Random, width: u32) -> u32 {
    let least = match width {
        // Positions go up to 300.
        1 => [0, 2, 3].as_slice(),
        2..=8 => &[0, 1, 2, 3],
        9..=16 => &[0, 2, 3],
        _ => &[0, 3],
    };
    let chosen = least[random.below(least.len() as u64) as usize];
    let invert = if width == 1 { random.below(2) as u32 * flags::INVERT_OUTPUT } else { 0 };
    let order = random.below(2) as u32 * flags::OUTPUT_BIG_ENDIAN;
    chosen << flags::OUTPUT_WIDTH_SHIFT | order | invert
}

fn check(inputs: Inputs, expected: &[u32], width: u32, modifier: u32, random: &mut Random, what: &str) {
    let inputs = inputs.with_flags(output(random, width));
    let (bytes, figures) = naive::written(expected, width, inputs.descriptor.filter_flags(), modifier);
    let done = inputs.run(bytes.len());
    let record = done.record;
    assert_eq!(record.status(), Some(Status::Success), "{what}: {:?}", inputs.descriptor);
    assert!(done.bytes == bytes, "{what}: {:?}", inputs.descriptor);
    assert_eq!([record.min_or_first(), record.max_or_last(), record.sum_or_count()], figures, "{what}");
    if !bytes.is_empty() {
        let short = inputs.run(bytes.len() - 1).record;
        assert_eq!(short.error_byte(), 25, "{what}: one byte fewer");
    }
}

fn each(seed: u64, mut run: impl FnMut(&mut Random, u32, Layout, Vec<u32>, String)) {
    let mut random = Random::seeded(seed);
    for (width, layout) in (1..=32).flat_map(|width| LAYOUTS.map(|layout| (width, layout))) {
        for _ in 0..8 {
            let count = 1 + random.below(300) as usize;
            let values = elements(&mut random, width, count);
            run(&mut random, width, layout, values, format!("seed {seed}, width {width}, {layout:?}"));
        }
    }
}

#[test]
fn scans() {
    each(11, |random, width, layout, values, what| {
        let mut bound = || match random.below(4) {
            0 => random.next() as u32,
            1 => u32::MAX,
            _ => values[random.below(values.len() as u64) as usize],
        };
        let (low, high) = (bound(), bound());
        let modifier = random.below(1_000) as u32;
        let inputs = Inputs::new(Opcode::Scan, &values, width, layout).with_aecs(aecs(low, high, modifier));
        check(inputs, &naive::scan(&values, low, high), 1, modifier, random, &what);
    });
}

#[test]
fn extracts() {
    each(12, |random, width, layout, values, what| {
        let (low, high) = (random.below(200) as u32, random.below(400) as u32);
        let modifier = random.below(1_000) as u32;
        let inputs =
            Inputs::new(Opcode::Extract, &values, width, layout).with_aecs(aecs(low, high, modifier));
        check(inputs, &naive::extract(&values, low, high), width, modifier, random, &what);
    });
}

#[test]
fn selects_and_expands() {
    each(13, |random, width, layout, values, what| {
        let mask: Vec<u32> = values.iter().map(|_| random.below(2) as u32).collect();
        let big_endian = random.below(2) == 0;
        let select = Inputs::new(Opcode::Select, &values, width, layout).with_second(&mask, 1, big_endian);
        let selected = naive::select(&values, &mask);
        check(select, &selected, width, 0, random, &what);
        let expand = Inputs::new(Opcode::Expand, &values, width, layout).with_second(&mask, 1, big_endian);
        check(expand, &naive::expand(&values, &mask), width, 0, random, &what);
    });
}

/// What is expanded by a mask, and then selected by it, is what it was.
#[test]
fn select_undoes_expand() {
    each(14, |random, width, layout, values, what| {
        let mask: Vec<u32> =
            values.iter().flat_map(|_| vec![0; random.below(3) as usize].into_iter().chain([1])).collect();
        let expand = Inputs::new(Opcode::Expand, &values, width, layout).with_second(&mask, 1, false);
        let expanded = expand.with_elements(mask.len()).run(8 * mask.len());
        let mut select =
            Inputs::new(Opcode::Select, &mask, width, Layout::Little).with_second(&mask, 1, false);
        select.source1 = expanded.bytes;
        let selected = select.run(8 * mask.len()).bytes;
        let plain = Inputs::new(Opcode::Scan, &values, width, Layout::Little).source1;
        assert!(selected == plain, "{what}");
    });
}

#[test]
fn sets() {
    each(15, |random, width, layout, values, what| {
        let least = width.saturating_sub(10).min(20);
        let dropped = least + random.below((width - least).into()) as u32;
        let low = random.below((dropped + 1).into()) as u32;
        let high = dropped - low;
        let drop = low << flags::DROP_LOW_SHIFT | high << flags::DROP_HIGH_SHIFT;
        let size = 1usize << (width - dropped);
        let mut seen = vec![0; size];
        values.iter().for_each(|value| seen[naive::place(*value, width, low, high)] = 1);
        if size <= 256 {
            let unique = Inputs::new(Opcode::FindUnique, &values, width, layout).with_flags(drop);
            check(unique, &seen, 1, 0, random, &what);
        }
        let set: Vec<u32> = (0..size).map(|_| random.below(2) as u32).collect();
        let expected: Vec<u32> =
            values.iter().map(|value| set[naive::place(*value, width, low, high)]).collect();
        let members = Inputs::new(Opcode::SetMembership, &values, width, layout).with_flags(drop);
        let members = members.with_second(&set, 1, random.below(2) == 0);
        check(members, &expected, 1, 0, random, &what);
    });
}

#[test]
fn bursts() {
    let mut random = Random::seeded(16);
    for (width, layout) in (1..=32).flat_map(|width| LAYOUTS.map(|layout| (width, layout))) {
        for count_width in [8, 16, 32] {
            // Indexes of a bit vector have to fit 16 bits, as everywhere here.
            let count = 1 + random.below(30) as usize;
            let symbols = elements(&mut random, width, count);
            let counts: Vec<u32> = symbols.iter().map(|_| random.below(9) as u32).collect();
            let mut first = counts.clone();
            if count_width == 32 {
                let mut sum = 0;
                first = std::iter::once(0)
                    .chain(counts.iter().map(|count| {
                        sum += count;
                        sum
                    }))
                    .collect();
            }
            let burst = Inputs::new(Opcode::RleBurst, &first, count_width, layout);
            let burst = burst.with_second(&symbols, width, random.below(2) == 0);
            let what = format!("seed 16, width {width}, {layout:?}, counts {count_width}");
            check(burst, &naive::burst(&counts, &symbols), width, 0, &mut random, &what);
        }
    }
}
