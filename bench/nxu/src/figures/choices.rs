//! Choices that the paper leaves open, swept: the priority encoder's estimate of bits, and the hash
//! table's first contents.

use pelton_nxu::compress::compress_with;
use pelton_nxu::lz77::Costs;
use pelton_nxu::{Config, Matcher, Mode};
use pelton_report::table::TextTable;

use crate::check::Part;
use crate::data::{File, Group};
use crate::runs::excess;

/// Bytes of each file that are tried.
const BYTES: usize = 512 << 10;

/// Returns the part.
pub fn part(files: &[File]) -> Part {
    let default = Costs::DEFAULT;
    let costs = [
        ("match at 10 bits", Costs { match_base: 10, ..default }, 0),
        ("match at 14 bits", Costs { match_base: 14, ..default }, 0),
        ("4 bits saved by each carried byte", Costs { carried: 4, ..default }, 0),
        ("8 bits saved by each carried byte", Costs { carried: 8, ..default }, 0),
        ("literal at 7 bits", Costs { literal: 7, ..default }, 0),
        ("other contents of the hash table", default, 1),
        ("again others", default, 2),
    ];
    let groups: Vec<(&str, Vec<&[u8]>)> = Group::ALL
        .into_iter()
        .map(|group| {
            let files = files.iter().filter(|file| file.group == group);
            (group.name(), files.flat_map(|file| file.start(BYTES)).collect())
        })
        .filter(|(_, blocks): &(&str, Vec<&[u8]>)| !blocks.is_empty())
        .collect();
    let sizes = |costs: Costs, seed: u64| -> Vec<u64> {
        groups.iter().map(|(_, blocks)| blocks.iter().map(|block| size(costs, seed, block)).sum()).collect()
    };
    let usual = sizes(default, 0);
    let mut table = TextTable::of_numbers(
        ["in place of the model's"].into_iter().chain(groups.iter().map(|(name, _)| *name)),
    );
    for (name, costs, seed) in costs {
        let changes = sizes(costs, seed);
        let changes = changes.iter().zip(&usual).map(|(&size, &usual)| 100.0 * excess(size, usual));
        table.row([name.to_owned()].into_iter().chain(changes.map(|change| format!("{change:+.2}%"))));
    }
    let Costs { literal, match_base, carried } = default;
    let text = format!(
        "The model's encoder estimates a literal at {literal} bits and a match at {match_base} without its distance, less \
         {carried} for each byte behind its word. Change of the output's size with others, at most 512 KB of each file. \
         Figure 9 has the size of the token.\n\n{}",
        table.markdown()
    );
    Part { title: "Choices that the paper leaves open", text, ..Part::default() }
}

fn size(costs: Costs, seed: u64, block: &[u8]) -> u64 {
    let mut matcher = Matcher::with_costs(Config::P9, seed, costs);
    compress_with(&mut matcher, Config::P9, Mode::TwoPass, block).bytes.len() as u64
}
