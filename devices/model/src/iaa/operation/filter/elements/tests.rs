//! Comparison of the device's filters with the bit-packed kernels of the CPU and with vectors.

use pelton_bitpack::{Bitmap, Hybrid, Kernels, Order, Packed, Predicate, Source};
use pelton_device_iaa::hw::flags::filter as flags;
use pelton_device_iaa::hw::{Opcode, Status};

use crate::iaa::operation::filter::test_support::{self as naive, Inputs, LAYOUTS, Layout, aecs, pack};
use crate::iaa::operation::random::Random;

/// Returns the elements of an input for the kernels.
fn source(inputs: &Inputs, width: u32, layout: Layout, len: usize) -> Source<'_> {
    match layout {
        Layout::Little => Packed::new(&inputs.source1, width, len, Order::Little).unwrap().into(),
        Layout::Big => Packed::new(&inputs.source1, width, len, Order::Big).unwrap().into(),
        Layout::Hybrid => Hybrid::new(&inputs.source1[1..], width, len).into(),
    }
}

/// Returns the range of a predicate, and whether it is inverted.
fn range(predicate: Predicate) -> (u32, u32, bool) {
    match predicate {
        Predicate::Equal(of) => (of, of, false),
        Predicate::NotEqual(of) => (of, of, true),
        Predicate::Less(of) => (of, u32::MAX, true),
        Predicate::LessOrEqual(of) => (0, of, false),
        Predicate::Greater(of) => (0, of, true),
        Predicate::GreaterOrEqual(of) => (of, u32::MAX, false),
        Predicate::Between { low, high } => (low, high, false),
        Predicate::Outside { low, high } => (low, high, true),
    }
}

/// Runs every width and layout with every kernel that this processor supports.
fn each(seed: u64, mut run: impl FnMut(&mut Random, &Kernels, u32, Layout, Vec<u32>, &str)) {
    let mut random = Random::seeded(seed);
    for (width, layout) in (1..=32).flat_map(|width| LAYOUTS.map(|layout| (width, layout))) {
        for kernels in Kernels::available() {
            let few = if random.below(2) == 0 { 7 } else { u32::MAX };
            let mask = u32::MAX >> (32 - width) & few;
            let mut values = Vec::new();
            while values.len() < 1 + width as usize * 9 {
                let times = if random.below(4) == 0 { random.below(60) } else { 1 };
                let value = random.next() as u32 & mask;
                values.extend((0..times).map(|_| value));
            }
            let what = format!("seed {seed}, width {width}, {layout:?}, {}", kernels.name());
            run(&mut random, &kernels, width, layout, values, &what);
        }
    }
}

#[test]
fn scans_agree() {
    each(31, |random, kernels, width, layout, values, what| {
        let mut bound = || match random.below(8) {
            0 => random.next() as u32,
            1 => 0,
            2 => u32::MAX,
            _ => values[random.below(values.len() as u64) as usize],
        };
        let (a, b) = (bound(), bound());
        for predicate in [
            Predicate::Equal(a),
            Predicate::NotEqual(a),
            Predicate::Less(a),
            Predicate::LessOrEqual(a),
            Predicate::Greater(a),
            Predicate::GreaterOrEqual(a),
            Predicate::Between { low: a, high: b },
            Predicate::Outside { low: a, high: b },
        ] {
            let (low, high, invert) = range(predicate);
            let mut inputs = Inputs::new(Opcode::Scan, &values, width, layout).with_aecs(aecs(low, high, 0));
            if invert {
                inputs = inputs.with_flags(flags::INVERT_OUTPUT);
            }
            let mut found = Bitmap::new();
            kernels.scan(&source(&inputs, width, layout, values.len()), predicate, &mut found).unwrap();
            let done = inputs.run(values.len());
            assert!(done.bytes == found.bytes().collect::<Vec<u8>>(), "{what}, {predicate:?}");
            assert_eq!(done.record.sum_or_count() as usize, found.count_ones(), "{what}, {predicate:?}");
        }
    });
}

#[test]
fn elements_agree() {
    each(32, |random, kernels, width, layout, values, what| {
        let bits: Vec<u32> = values.iter().map(|_| random.below(2) as u32).collect();
        let mask = Bitmap::from_bytes(&pack(&bits, 1, false), bits.len());
        let capacity = 4 * values.len();
        let (mut selected, mut expanded, mut extracted) = (vec![], vec![], vec![]);

        let select = Inputs::new(Opcode::Select, &values, width, layout).with_second(&bits, 1, false);
        kernels.select(&source(&select, width, layout, values.len()), &mask, &mut selected).unwrap();
        assert!(select.run(capacity).bytes == pack(&selected, width, false), "{what}: select");

        // An element for each one of the mask, and at least one, as an input needs.
        if !selected.is_empty() {
            let expand = Inputs::new(Opcode::Expand, &selected, width, layout).with_second(&bits, 1, false);
            let expand = expand.with_elements(bits.len());
            kernels.expand(&source(&expand, width, layout, selected.len()), &mask, &mut expanded).unwrap();
            assert!(expand.run(capacity).bytes == pack(&expanded, width, false), "{what}: expand");
        }

        let end = 1 + random.below(values.len() as u64) as usize;
        let start = random.below(end as u64) as usize;
        let extract = Inputs::new(Opcode::Extract, &values, width, layout);
        let extract = extract.with_aecs(aecs(start as u32, end as u32 - 1, 0));
        kernels.extract(&source(&extract, width, layout, values.len()), start..end, &mut extracted).unwrap();
        assert!(extract.run(capacity).bytes == pack(&extracted, width, false), "{what}: extract");
    });
}

#[test]
fn sets_agree() {
    each(33, |random, kernels, width, layout, values, what| {
        if width > 12 {
            return;
        }
        let set: Vec<u32> = (0..1 << width).map(|_| random.below(2) as u32).collect();
        let members = Inputs::new(Opcode::SetMembership, &values, width, layout).with_second(&set, 1, false);
        let bits = Bitmap::from_bytes(&members.source2, set.len());
        let mut found = Bitmap::new();
        kernels.members(&source(&members, width, layout, values.len()), &bits, &mut found).unwrap();
        assert!(members.run(4096).bytes == found.bytes().collect::<Vec<u8>>(), "{what}: set membership");
    });
}

/// Returns elements with runs, so that Parquet's hybrid has runs too.
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

/// Returns output flags that elements of this width may have.
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

fn each_layout(seed: u64, mut run: impl FnMut(&mut Random, u32, Layout, Vec<u32>, String)) {
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
    each_layout(11, |random, width, layout, values, what| {
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
    each_layout(12, |random, width, layout, values, what| {
        let (low, high) = (random.below(200) as u32, random.below(400) as u32);
        let modifier = random.below(1_000) as u32;
        let inputs =
            Inputs::new(Opcode::Extract, &values, width, layout).with_aecs(aecs(low, high, modifier));
        check(inputs, &naive::extract(&values, low, high), width, modifier, random, &what);
    });
}

#[test]
fn selects_and_expands() {
    each_layout(13, |random, width, layout, values, what| {
        let mask: Vec<u32> = values.iter().map(|_| random.below(2) as u32).collect();
        let big_endian = random.below(2) == 0;
        let select = Inputs::new(Opcode::Select, &values, width, layout).with_second(&mask, 1, big_endian);
        let selected = naive::select(&values, &mask);
        check(select, &selected, width, 0, random, &what);
        let expand = Inputs::new(Opcode::Expand, &values, width, layout).with_second(&mask, 1, big_endian);
        check(expand, &naive::expand(&values, &mask), width, 0, random, &what);
    });
}

/// Elements that are expanded by a mask and then selected by it are unchanged.
#[test]
fn select_undoes_expand() {
    each_layout(14, |random, width, layout, values, what| {
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
    each_layout(15, |random, width, layout, values, what| {
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
            // Indexes of a bit vector have to fit 16 bits, as in the other tests.
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
