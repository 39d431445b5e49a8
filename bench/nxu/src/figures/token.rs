//! Figure 9: ratio by the size of the search token.

use pelton_nxu::{Config, Mode, compress};
use pelton_report::plot::chart::{Chart, Scale, Series};
use pelton_report::table::TextTable;

use crate::check::{Check, Form, Part, Source};
use crate::data::{File, Group, LONG_REPEATS};

/// Bytes of each file that are tried.
const BYTES: usize = 4 << 20;
/// Bytes of a token.
const TOKENS: std::ops::RangeInclusive<usize> = 3..=8;
/// The default.
const DEFAULT: usize = 5;

/// Returns the part.
pub fn part(files: &[File]) -> Part {
    let (mut sets, mut repeats) = (Vec::new(), Vec::new());
    for group in Group::ALL {
        let (own, others): (Vec<&File>, Vec<&File>) =
            files.iter().filter(|file| file.group == group).partition(|file| file.name == LONG_REPEATS);
        if !others.is_empty() {
            sets.push((group.name(), ratios(&others)));
        }
        if !own.is_empty() {
            repeats = ratios(&own);
        }
    }
    let relative = |ratios: &[f64]| -> Vec<f64> {
        let default = ratios[DEFAULT - TOKENS.start()];
        ratios.iter().map(|ratio| ratio / default - 1.0).collect()
    };
    let mut table = TextTable::of_numbers(
        ["set".to_owned()]
            .into_iter()
            .chain(TOKENS.map(|token| format!("K = {token}")))
            .chain(["ratio at 5".to_owned()]),
    );
    let mut series = Vec::new();
    for (name, ratios) in sets.iter().map(|(name, ratios)| (*name, ratios)).chain([(LONG_REPEATS, &repeats)])
    {
        let changes = relative(ratios);
        let cells = changes.iter().map(|change| format!("{:+.1}%", 100.0 * change));
        let default = format!("{:.3}", ratios[DEFAULT - TOKENS.start()]);
        table.row([name.to_owned()].into_iter().chain(cells).chain([default]));
        let points = TOKENS.map(|token| token as f64).zip(changes.iter().map(|change| 100.0 * change));
        series.push(Series {
            name: name.to_owned(),
            points: points.collect(),
            is_dashed: name == LONG_REPEATS,
        });
    }
    let means: Vec<f64> = (0..TOKENS.count())
        .map(|index| {
            let logs = sets.iter().map(|(_, ratios)| (1.0 + relative(ratios)[index]).ln());
            (logs.sum::<f64>() / sets.len() as f64).exp()
        })
        .collect();
    let cells = means.iter().map(|mean| format!("{:+.1}%", 100.0 * (mean - 1.0)));
    table.row(["mean, without the last set".to_owned()].into_iter().chain(cells));
    let best = means.iter().copied().fold(f64::MIN, f64::max);
    let mut checks = vec![
        Check {
            place: "Fig. 9",
            what: "K = 5 against the best mean over sets".to_owned(),
            paper: "best",
            expected: -0.005..=0.0,
            ours: 1.0 / best - 1.0,
            form: Form::Percent,
            source: Source::Modelled,
            why: "the paper's sets are IBM's own and not published; with ours, another token is better on \
                  average.",
        },
        Check {
            place: "Fig. 9",
            what: "K = 8 on a set with long repeats".to_owned(),
            paper: "+10%",
            expected: 0.08..=f64::INFINITY,
            ours: relative(&repeats)[8 - TOKENS.start()],
            form: Form::Percent,
            source: Source::Modelled,
            why: "the paper's CUST2 is not published.",
        },
    ];
    if !files.iter().any(|file| Group::CORPORA.contains(&file.group)) {
        checks.retain(|check| check.paper != "best");
    }
    let chart = Chart {
        title: "Figure 9: change of the ratio by size of the search token",
        notes: &["modelled; against K = 5, in the 2-pass mode".to_owned()],
        x: ("bytes of a token", Scale::Linear),
        y: ("change of the ratio, %", Scale::Linear),
        series: &series,
        marks: &[],
    };
    let text = format!(
        "At most 4 MB of each file. The paper's five sets are not published; `{LONG_REPEATS}` stands for its \
         CUST2.\n\n{}\n![Figure 9](nxu-9-token.svg)\n",
        table.markdown()
    );
    let plots = vec![("nxu-9-token.svg", chart.draw())];
    Part { title: "Figure 9: size of the search token", text, checks, plots }
}

/// Returns the ratios of some files together, by token.
fn ratios(files: &[&File]) -> Vec<f64> {
    let ratio = |token| {
        let config = Config { token, ..Config::P9 };
        let (mut bytes, mut compressed) = (0, 0);
        for block in files.iter().flat_map(|file| file.start(BYTES)) {
            bytes += block.len();
            compressed += compress(config, Mode::TwoPass, block).bytes.len();
        }
        bytes as f64 / compressed as f64
    };
    TOKENS.map(ratio).collect()
}
