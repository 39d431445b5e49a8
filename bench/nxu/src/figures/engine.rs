//! Numbers of sections IV and V: bank conflicts and latency, false tags, code tables.

use pelton_nxu::compress::UNIT;
use pelton_nxu::{Config, Counts, Cycles, Matcher, Mode, OnConflict, Table, compress};
use pelton_random::Random;
use pelton_report::numbers::median;
use pelton_report::table::TextTable;

use crate::check::{Check, Form, Part, Source};
use crate::data::{File, Group};
use crate::package_merge::min_bits;
use crate::runs::{Run, Runs, excess};

/// Bytes of each file whose tags are compared: the window, as entries of older words have the tags
/// of tokens that are no longer there.
const TAG_BYTES: usize = 32 << 10;
/// Bytes of each file with dropped accesses.
const DROP_BYTES: usize = 1 << 20;
/// Random trees.
const TREES: u32 = 5000;

/// Returns the part.
pub fn part(files: &[File], runs: &Runs<'_>) -> Part {
    let mut text = String::new();
    let mut table = TextTable::of_numbers([
        "set",
        "conflicts",
        "latency, one port",
        "two ports",
        "GB/s, P9",
        "GB/s, z15, one pass",
    ]);
    let conflicts = |cycles: &Cycles| cycles.conflicts as f64 / cycles.words as f64;
    let latency = |cycles: &Cycles| cycles.access as f64 / cycles.words as f64;
    for (name, run) in runs.by_group() {
        let speed = |config: Config, cycles: Cycles| run.bytes as f64 / config.seconds(cycles.total()) / 1e9;
        table.row([
            name.to_owned(),
            format!("{:.1}%", 100.0 * conflicts(&run.p9)),
            format!("{:.2}", latency(&run.p9)),
            format!("{:.2}", latency(&run.z15)),
            format!("{:.1}", speed(Config::P9, run.p9)),
            format!("{:.1}", speed(Config::Z15, run.z15)),
        ]);
    }
    text += &format!(
        "Share of cycles in which two accesses meet in a bank, and mean cycles of a word's accesses (section IV-D). Eight \
         uniform accesses to 16 banks conflict in 87.9% of cycles, and take 2.06 cycles or 1.17. Equal tokens of a word \
         have one access together, so that runs, of which ptt5, pic, kennedy.xls and nci have many, conflict less.\n\n{}\n",
        table.markdown()
    );
    let mut checks = Vec::new();
    let cycles = |cycles: fn(&Run) -> Cycles| -> Vec<Cycles> {
        runs.of(&Group::CORPORA).map(|(_, run)| cycles(run)).collect()
    };
    let (p9, z15) = (cycles(|run| run.p9), cycles(|run| run.z15));
    if !p9.is_empty() {
        let mid = |all: &[Cycles], figure: &dyn Fn(&Cycles) -> f64| {
            median(&all.iter().map(figure).collect::<Vec<f64>>())
        };
        let repeats = "repeated tokens have one access together, so that data of few tokens conflicts less than \
                       uniform accesses do, and the largest of the corpora's files, nci, is such data.";
        let all = runs.sum(&Group::CORPORA).unwrap_or_default();
        let mut check = |what: &str, paper, expected, ours, form| {
            let (place, what, source) = ("IV-D", what.to_owned(), Source::Modelled);
            checks.push(Check { place, what, paper, expected, ours, form, source, why: repeats });
        };
        for (which, p9_conflicts, p9_latency, z15_latency) in [
            ("median of the corpora's files", mid(&p9, &conflicts), mid(&p9, &latency), mid(&z15, &latency)),
            ("the corpora in total", conflicts(&all.p9), latency(&all.p9), latency(&all.z15)),
        ] {
            let named = |what: &str| format!("{what}, {which}");
            check(&named("cycles with a bank conflict"), "87%", 0.85..=0.89, p9_conflicts, Form::Percent);
            check(&named("latency with one port, cycles"), "2.1", 2.0..=2.2, p9_latency, Form::Number(2));
            check(&named("latency with two ports, cycles"), "1.12", 1.08..=1.2, z15_latency, Form::Number(2));
        }
    }
    text += &dropped(files);
    checks.push(tags(files));
    checks.extend(tables(files, runs, &mut text));
    Part { title: "Sections IV and V: hash table and code tables", text, checks, plots: Vec::new() }
}

/// Accesses that are dropped in place of a stall.
fn dropped(files: &[File]) -> String {
    let config = Config { on_conflict: OnConflict::Drop, ..Config::P9 };
    let mut sums = [(0, 0); 2];
    for block in files.iter().flat_map(|file| file.start(DROP_BYTES)) {
        for ((bytes, cycles), config) in sums.iter_mut().zip([Config::P9, config]) {
            let done = compress(config, Mode::TwoPass, block);
            *bytes += done.bytes.len() as u64;
            *cycles += done.lz77.total();
        }
    }
    let [stalled, dropped] = sums;
    format!(
        "With accesses that are dropped on a conflict, the output is {:.1}% larger and a pass takes {:.0}% of the cycles \
         (at most a megabyte of each file; the paper gives no numbers).\n\n",
        100.0 * excess(dropped.0, stalled.0),
        100.0 * dropped.1 as f64 / stalled.1 as f64
    )
}

fn tags(files: &[File]) -> Check {
    let (mut compared, mut equal) = (0, 0);
    for block in files.iter().flat_map(|file| file.start(TAG_BYTES)) {
        let mut matcher = Matcher::new(Config::P9, 0);
        matcher.measure_tags();
        matcher.run(&[], block);
        let (more, falsely) = matcher.false_tags();
        (compared, equal) = (compared + more, equal + falsely);
    }
    Check {
        place: "IV-C",
        what: "entries of another token with the same tag".to_owned(),
        paper: "1.6%",
        expected: 0.014..=0.018,
        ours: equal as f64 / compared as f64,
        form: Form::Percent,
        source: Source::Modelled,
        why: "the tag's bits are of the same product as the index, so that the tags of alike tokens are not \
              independent.",
    }
}

fn tables(files: &[File], runs: &Runs<'_>, text: &mut String) -> Vec<Check> {
    let mut random = Random::new(24);
    let (mut repeated, mut deepest) = (0_u32, 0);
    for _ in 0..TREES {
        let mut counts = Counts::of(&[]);
        for count in &mut counts.literals[..256] {
            *count = (random.below(1 << 24) >> random.below(25)) as u32;
        }
        let generated = Table::from_counts(&counts);
        repeated += u32::from(generated.rounds > 1);
        deepest = deepest.max(generated.table.literals().lengths.iter().copied().max().unwrap_or(0));
    }
    let (mut ours, mut least) = (0, 0);
    let mut matcher = Matcher::new(Config::P9, 0);
    for block in files.iter().flat_map(|file| file.start(UNIT)) {
        let counts = Counts::of(&matcher.run(&[], block).symbols);
        let table = Table::from_counts(&counts).table;
        for (counts, code) in
            [(&counts.literals[..], table.literals()), (&counts.distances, table.distances())]
        {
            let used = counts.iter().filter(|&&count| count > 0).count();
            if used > 1 {
                let bits = |(&count, &bits): (&u32, &u8)| u64::from(count) * u64::from(bits);
                ours += counts.iter().zip(&code.lengths).map(bits).sum::<u64>();
                least += min_bits(counts, 15);
            }
        }
    }
    let loss = excess(ours, least);
    let all = runs.sum(&Group::ALL).unwrap_or_default();
    let floats = excess(all.two_pass, all.exact);
    *text += &format!(
        "Tables of the sets: {}, of which {} took a second round of the Huffman algorithm. Codes limited by halving counts are \
         {:.4}% larger than those of package-merge.\n",
        all.tables,
        all.repeated,
        100.0 * loss
    );
    let check = |what: &str, paper, expected, ours, form| Check {
        place: "V",
        what: what.to_owned(),
        paper,
        expected,
        ours,
        form,
        source: Source::Modelled,
        why: "the paper gives no number.",
    };
    vec![
        check(
            "random trees of a second round",
            "rarely",
            0.0..=0.01,
            f64::from(repeated) / f64::from(TREES),
            Form::Percent,
        ),
        check(
            "bits of the longest code of random trees",
            "15",
            0.0..=15.0,
            f64::from(deepest),
            Form::Number(0),
        ),
        check("growth by counts of ten bits", "none named", -0.001..=0.005, floats, Form::Percent),
        check("growth against package-merge", "none named", 0.0..=0.01, loss, Form::Percent),
    ]
}
