//! Figures of the paper that the model has exactly, or on any data of a kind.

use pelton_nxu::compress::{SAMPLE, UNIT};
use pelton_nxu::table::{sort_cycles, to_float};
use pelton_nxu::{Config, Counts, Matcher, Mode, Symbol, Table, compress};
use pelton_random::Random;

/// Returns random bytes, of which no two tokens are equal.
fn noise(len: usize) -> Vec<u8> {
    let mut random = Random::new(87);
    (0..len).map(|_| random.below(256) as u8).collect()
}

/// Section IV-D: the accesses of most cycles meet in a bank. The expected values are those of eight
/// uniform accesses.
#[test]
fn banks_conflict_as_often_as_uniform_accesses() {
    let data = noise(1 << 20);
    for (config, latency) in [(Config::P9, 2.063), (Config::Z15, 1.170)] {
        let cycles = Matcher::new(config, 0).run(&[], &data).cycles;
        let conflicts = cycles.conflicts as f64 / cycles.words as f64;
        assert!((0.87..0.89).contains(&conflicts), "{conflicts}");
        let found = cycles.access as f64 / cycles.words as f64;
        assert!((found - latency).abs() < 0.01, "{found}, not {latency}");
    }
}

/// Section IV-C: a tag of six bits is that of another token in one of 64 cases.
#[test]
fn one_tag_in_64_is_false() {
    let mut matcher = Matcher::new(Config::P9, 3);
    matcher.measure_tags();
    matcher.run(&[], &noise(1 << 17));
    let (compared, equal) = matcher.false_tags();
    let share = equal as f64 / compared as f64;
    assert!(compared > 500_000 && (share - 1.0 / 64.0).abs() < 0.001, "{share} of {compared}");
}

/// Section V-C: with a sample, 89% of the peak remain; with two passes, half.
#[test]
fn a_sample_costs_a_ninth() {
    assert_eq!(UNIT * 100 / (UNIT + SAMPLE), 88);
    let data = noise(UNIT);
    let passes = |mode| {
        let done = compress(Config::P9, mode, &data);
        done.cycles as f64 / done.lz77.total() as f64
    };
    assert_eq!(passes(Mode::TwoPass), 2.0);
    assert!((passes(Mode::SampledPass) - 288.0 / 256.0).abs() < 0.005);
}

/// Section V-A: 286 counts are a square of 17, which is sorted in some hundred cycles.
#[test]
fn a_shear_sort_takes_cycles_by_its_side() {
    assert_eq!(sort_cycles(286), 17 * (2 * 5 + 1));
    assert_eq!(sort_cycles(30), 6 * (2 * 3 + 1));
}

/// Section V-A: counts of ten bits lose little.
#[test]
fn counts_of_ten_bits_cost_little() {
    assert_eq!([0, 1, 63, 64, 65, 1000].map(to_float), [0, 1, 63, 64, 64, 992]);
    let mut random = Random::new(10);
    for _ in 0..100 {
        let symbols: Vec<Symbol> = (0..20_000)
            .map(|_| Symbol::Literal((random.below(256) * random.below(256) / 256) as u8))
            .collect();
        let counts = Counts::of(&symbols);
        let bits = |table: &Table| -> u64 {
            let lengths = &table.literals().lengths;
            counts
                .literals
                .iter()
                .zip(lengths)
                .map(|(&count, &bits)| u64::from(count) * u64::from(bits))
                .sum()
        };
        let exact = bits(&Table::from_counts(&counts).table);
        let float = bits(&Table::from_counts_in_hardware(&counts).table);
        assert!(float <= exact + exact / 200, "{float} and {exact}");
    }
}

/// Section V-B: codes have at most 15 bits, and a second round is rare.
#[test]
fn codes_are_limited() {
    let mut random = Random::new(15);
    let mut repeated = 0;
    for round in 0..2000 {
        let mut counts = Counts::of(&[]);
        for count in &mut counts.literals {
            *count = (random.below(1 << 24) >> random.below(25)) as u32;
        }
        counts.literals[256] = 1;
        if round == 0 {
            // Fibonacci's numbers make the deepest tree.
            let (mut a, mut b) = (1, 1);
            for count in counts.literals.iter_mut().take(33) {
                *count = a;
                (a, b) = (b, a + b);
            }
        }
        let generated = Table::from_counts(&counts);
        assert!(generated.table.literals().lengths.iter().all(|&bits| bits <= 15));
        repeated += u32::from(generated.rounds > 1);
    }
    assert!(repeated < 20, "{repeated} of 2000");
}
