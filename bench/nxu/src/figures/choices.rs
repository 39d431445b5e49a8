//! Choices that the paper leaves open, swept: the priority encoder's estimate of bits and its
//! lookahead, the hashes, and the hash table's first contents.

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
    let p9 = Config::P9;
    let choices = [
        ("match at 10 bits", Costs { match_base: 10, ..default }, p9, 0),
        ("match at 14 bits", Costs { match_base: 14, ..default }, p9, 0),
        ("4 bits saved by each carried byte", Costs { carried: 4, ..default }, p9, 0),
        ("8 bits saved by each carried byte", Costs { carried: 8, ..default }, p9, 0),
        ("literal at 7 bits", Costs { literal: 7, ..default }, p9, 0),
        ("no lookahead", Costs { lookahead: 0, ..default }, p9, 0),
        ("lookahead of a word", Costs { lookahead: 8, ..default }, p9, 0),
        ("lookahead of four words", Costs { lookahead: 32, ..default }, p9, 0),
        ("other hashes", default, Config { hash: 0xc2b2_ae3d_27d4_eb4f, ..p9 }, 0),
        ("again others", default, Config { hash: 0xd6e8_feb8_6659_fd93, ..p9 }, 0),
        ("other contents of the hash table", default, p9, 1),
        ("again others", default, p9, 2),
    ];
    let groups: Vec<(&str, Vec<&[u8]>)> = Group::ALL
        .into_iter()
        .map(|group| {
            let files = files.iter().filter(|file| file.group == group);
            (group.name(), files.flat_map(|file| file.start(BYTES)).collect())
        })
        .filter(|(_, blocks): &(&str, Vec<&[u8]>)| !blocks.is_empty())
        .collect();
    let sizes = |costs: Costs, config: Config, seed: u64| -> Vec<u64> {
        let size = |blocks: &Vec<&[u8]>| blocks.iter().map(|block| size(costs, config, seed, block)).sum();
        groups.iter().map(|(_, blocks)| size(blocks)).collect()
    };
    let usual = sizes(default, p9, 0);
    let mut table = TextTable::of_numbers(
        ["in place of the model's"].into_iter().chain(groups.iter().map(|(name, _)| *name)),
    );
    for (name, costs, config, seed) in choices {
        let changes = sizes(costs, config, seed);
        let changes = changes.iter().zip(&usual).map(|(&size, &usual)| 100.0 * excess(size, usual));
        table.row([name.to_owned()].into_iter().chain(changes.map(|change| format!("{change:+.2}%"))));
    }
    let Costs { literal, match_base, carried, lookahead } = default;
    let text = format!(
        "The model's encoder estimates a literal at {literal} bits and a match at {match_base} without its distance, less \
         {carried} for each of {lookahead} bytes behind its word. Change of the output's size with others, at most 512 KB of each file. \
         Figure 9 has the size of the token.\n\n{}",
        table.markdown()
    );
    Part { title: "Choices that the paper leaves open", text, ..Part::default() }
}

fn size(costs: Costs, config: Config, seed: u64, block: &[u8]) -> u64 {
    let mut matcher = Matcher::with_costs(config, seed, costs);
    compress_with(&mut matcher, config, Mode::TwoPass, block).bytes.len() as u64
}
