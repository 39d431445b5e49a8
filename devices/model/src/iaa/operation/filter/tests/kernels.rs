//! The processor's filters and the device's give the same: neither knows of the other.

use pelton_bitpack::{Aggregates, Bitmap, Hybrid, Kernels, Order, Packed, Predicate, Source};
use pelton_device_iaa::hw::Opcode;
use pelton_device_iaa::hw::flags::filter as flags;

use super::software::{LAYOUTS, Layout, pack};
use super::{Inputs, aecs};
use crate::iaa::operation::random::Random;

/// The elements of an input as the processor's filters take them.
fn source(inputs: &Inputs, width: u32, layout: Layout, len: usize) -> Source<'_> {
    match layout {
        Layout::Little => Packed::new(&inputs.source1, width, len, Order::Little).unwrap().into(),
        Layout::Big => Packed::new(&inputs.source1, width, len, Order::Big).unwrap().into(),
        Layout::Hybrid => Hybrid::new(&inputs.source1[1..], width, len).into(),
    }
}

/// The range that a predicate is, and whether it is inverted.
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

/// Every width and layout, some hundred elements, each implementation that this processor can run.
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
        let room = 4 * values.len();
        let (mut selected, mut expanded, mut extracted) = (vec![], vec![], vec![]);

        let select = Inputs::new(Opcode::Select, &values, width, layout).with_second(&bits, 1, false);
        kernels.select(&source(&select, width, layout, values.len()), &mask, &mut selected).unwrap();
        assert!(select.run(room).bytes == pack(&selected, width, false), "{what}: select");

        // As many elements as the mask has ones, and at least one, which an input has.
        if !selected.is_empty() {
            let expand = Inputs::new(Opcode::Expand, &selected, width, layout).with_second(&bits, 1, false);
            let expand = expand.with_elements(bits.len());
            kernels.expand(&source(&expand, width, layout, selected.len()), &mask, &mut expanded).unwrap();
            assert!(expand.run(room).bytes == pack(&expanded, width, false), "{what}: expand");
        }

        let end = 1 + random.below(values.len() as u64) as usize;
        let start = random.below(end as u64) as usize;
        let extract = Inputs::new(Opcode::Extract, &values, width, layout);
        let extract = extract.with_aecs(aecs(start as u32, end as u32 - 1, 0));
        kernels.extract(&source(&extract, width, layout, values.len()), start..end, &mut extracted).unwrap();
        let done = extract.run(room);
        assert!(done.bytes == pack(&extracted, width, false), "{what}: extract");
        if width > 1 {
            let summary = Aggregates::of(&extracted).unwrap();
            let record = done.record;
            let figures = (record.min_or_first(), record.max_or_last(), record.sum_or_count());
            assert_eq!(figures, (summary.min, summary.max, summary.sum as u32), "{what}: extract");
        }
    });
}

#[test]
fn sets_agree() {
    each(33, |random, kernels, width, layout, values, what| {
        if width > 12 {
            return;
        }
        let unique = Inputs::new(Opcode::FindUnique, &values, width, layout);
        let mut seen = Bitmap::new();
        kernels.find_unique(&source(&unique, width, layout, values.len()), &mut seen).unwrap();
        assert!(unique.run(4096).bytes == seen.bytes().collect::<Vec<u8>>(), "{what}: find unique");

        let set: Vec<u32> = (0..1 << width).map(|_| random.below(2) as u32).collect();
        let members = Inputs::new(Opcode::SetMembership, &values, width, layout).with_second(&set, 1, false);
        let bits = Bitmap::from_bytes(&members.source2, set.len());
        let mut found = Bitmap::new();
        kernels.members(&source(&members, width, layout, values.len()), &bits, &mut found).unwrap();
        assert!(members.run(4096).bytes == found.bytes().collect::<Vec<u8>>(), "{what}: set membership");
    });
}

#[test]
fn bursts_agree() {
    each(34, |random, kernels, width, layout, values, what| {
        let counts: Vec<u32> = values.iter().map(|_| random.below(20) as u32).collect();
        let count_width = [8, 16][random.below(2) as usize];
        let burst =
            Inputs::new(Opcode::RleBurst, &counts, count_width, layout).with_second(&values, width, false);
        let symbols = Packed::new(&burst.source2, width, values.len(), Order::Little).unwrap().into();
        let mut repeated = Vec::new();
        let times = source(&burst, count_width, layout, counts.len());
        kernels.burst(&times, &symbols, usize::MAX, &mut repeated).unwrap();
        assert!(burst.run(4 * repeated.len() + 1).bytes == pack(&repeated, width, false), "{what}");
    });
}
