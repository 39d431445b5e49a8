//! Figure 8: lengths of matches, weighted by the bytes that they save, against zlib.

use pelton_nxu::symbols::{DISTANCE, END_OF_BLOCK, LENGTH};
use pelton_nxu::table::{Decoder, Read};
use pelton_nxu::{BitReader, Config, Matcher, Symbol, Table};
use pelton_report::plot::chart::{Chart, Scale, Series};
use pelton_report::table::TextTable;

use crate::check::{Check, Form, Part, Source};
use crate::data::{File, Group};
use crate::runs::LEVEL;
use crate::sys::Stream;

/// Bytes of each file that are tried.
const BYTES: usize = 4 << 20;
/// The paper's estimate of a match's bytes in the output.
const POINTER: u64 = 2;
const MAX_MATCH: usize = 258;

/// Counts of matches by length.
struct Lengths([u64; MAX_MATCH + 1]);

impl Lengths {
    fn add(&mut self, length: usize) {
        self.0[length] += 1;
    }

    /// Returns the bytes that matches of a range of lengths save.
    fn saved(&self, lengths: std::ops::RangeInclusive<usize>) -> u64 {
        lengths.map(|length| (length as u64 - POINTER) * self.0[length]).sum()
    }
}

/// Returns the part.
pub fn part(files: &[File]) -> Part {
    const RANGES: [(&str, std::ops::RangeInclusive<usize>); 5] =
        [("3", 3..=3), ("4", 4..=4), ("5 to 8", 5..=8), ("3 to 8", 3..=8), ("more than 8", 9..=MAX_MATCH)];
    let mut table = TextTable::of_numbers(
        ["share of the bytes".to_owned()]
            .into_iter()
            .chain(RANGES.map(|(name, _)| format!("lengths {name}"))),
    );
    let mut part = Part { title: "Figure 8: lengths of matches", ..Part::default() };
    let together = ("the corpora", &Group::CORPORA[..]);
    for (name, groups) in [together, ("TPC-H", &[Group::Tpch]), ("generated", &[Group::Generated])] {
        let wanted = |file: &&File| groups.contains(&file.group);
        let Some((bytes, nxu, zlib)) = measure(files.iter().filter(wanted)) else { continue };
        for (encoder, lengths) in [("NXU", &nxu), ("zlib -6", &zlib)] {
            let share = |(_, range)| format!("{:.2}%", 100.0 * lengths.saved(range) as f64 / bytes as f64);
            table.row([format!("{name}, {encoder}")].into_iter().chain(RANGES.map(share)));
        }
        if groups == Group::CORPORA {
            part.checks = checks(&nxu, &zlib);
            part.plots = vec![("nxu-8-lengths.svg", plot(bytes, &nxu, &zlib))];
            part.text += &format!("![Figure 8](nxu-8-lengths.svg)\n\n{}\n\n", by_file(files));
        }
    }
    part.text += &format!(
        "Bytes that matches replace, less {POINTER} for each, as a share of the source; the start of each file.\n\n{}",
        table.markdown()
    );
    part
}

/// Says on how many of the corpora's files the model is as the paper's plot of one file.
fn by_file(files: &[File]) -> String {
    let (mut all, mut more, mut fewer) = (0, 0, 0);
    for file in files.iter().filter(|file| Group::CORPORA.contains(&file.group)) {
        if let Some((_, nxu, zlib)) = measure([file].into_iter()) {
            all += 1;
            more += u32::from(nxu.saved(3..=8) > zlib.saved(3..=8));
            fewer += u32::from(nxu.saved(9..=MAX_MATCH) < zlib.saved(9..=MAX_MATCH));
        }
    }
    format!(
        "The paper's plot is of one file that it does not name. Among {all} files, matches of more than 8 bytes save less than \
         zlib's in {fewer}, and those of 3 to 8 bytes more in {more}."
    )
}

fn checks(nxu: &Lengths, zlib: &Lengths) -> Vec<Check> {
    let check = |what: &str, paper, lengths: std::ops::RangeInclusive<usize>, expected, why| Check {
        place: "Fig. 8",
        what: format!("bytes saved by {what}, NXU over zlib -6"),
        paper,
        expected,
        ours: nxu.saved(lengths.clone()) as f64 / zlib.saved(lengths) as f64,
        form: Form::Number(3),
        source: Source::Modelled,
        why,
    };
    vec![
        check(
            "matches of more than 8 bytes",
            "fewer",
            9..=MAX_MATCH,
            0.0..=1.0,
            "the paper shows one file and does not name it.",
        ),
        check(
            "matches of 3 to 8 bytes",
            "more",
            3..=8,
            1.0..=f64::INFINITY,
            "few files are as the paper's one (the section on Figure 8 has their number). The model's encoder sees \
             two words ahead and follows long matches whole; the engine's may cut them into shorter ones.",
        ),
        check(
            "matches of 4 bytes",
            "fewer",
            4..=4,
            0.0..=1.0,
            "the near history finds all matches of 4 bytes.",
        ),
    ]
}

fn plot(bytes: u64, nxu: &Lengths, zlib: &Lengths) -> String {
    let series = |name: &str, lengths: &Lengths| {
        let share = |length| 100.0 * lengths.saved(length..=length) as f64 / bytes as f64;
        let points = (3..=64).map(|length| (length as f64, share(length))).collect();
        Series { name: name.to_owned(), points, is_dashed: false }
    };
    let note =
        format!("modelled; length less {POINTER} bytes a match, over the three corpora; up to 64 bytes");
    Chart {
        title: "Figure 8: bytes that matches save, by length",
        notes: &[note],
        x: ("length of the match, bytes", Scale::Logarithmic),
        y: ("share of the source, %", Scale::Linear),
        series: &[series("NXU", nxu), series("zlib -6", zlib)],
        marks: &[],
    }
    .draw()
}

/// Returns the bytes of some files, and the lengths by the model and by zlib.
fn measure<'a>(files: impl Iterator<Item = &'a File>) -> Option<(u64, Lengths, Lengths)> {
    let (mut bytes, mut nxu, mut zlib) = (0, Lengths([0; MAX_MATCH + 1]), Lengths([0; MAX_MATCH + 1]));
    let mut matcher = Matcher::new(Config::Z15, 0);
    for block in files.flat_map(|file| file.start(BYTES)) {
        bytes += block.len() as u64;
        for symbol in matcher.run(&[], block).symbols {
            if let Symbol::Match { length, .. } = symbol {
                nxu.add(length.into());
            }
        }
        let stream = Stream::compress(LEVEL, block);
        let read = lengths_of(stream.deflate(), &mut zlib);
        assert!(read.is_some(), "zlib's stream is valid");
    }
    (bytes > 0).then_some((bytes, nxu, zlib))
}

/// Reads the lengths of a stream; none if it is damaged.
fn lengths_of(stream: &[u8], lengths: &mut Lengths) -> Option<()> {
    let mut reader = BitReader::new(stream, 0);
    loop {
        let is_final = reader.take(1)? == 1;
        let table = match reader.take(2)? {
            0 => {
                reader.align();
                let len = reader.take(16)? as usize;
                reader.take(16)?;
                reader.bytes(len);
                None
            }
            1 => Some(Table::fixed()),
            2 => Some(Table::parse(&mut reader).ok()?),
            _ => return None,
        };
        if let Some(table) = table {
            block(&mut reader, &table, lengths)?;
        }
        if is_final {
            return Some(());
        }
    }
}

fn block(reader: &mut BitReader<'_>, table: &Table, lengths: &mut Lengths) -> Option<()> {
    let (literals, distances) = (Decoder::new(table.literals()), Decoder::new(table.distances()));
    let read = |decoder: &Decoder, reader: &mut BitReader<'_>| match decoder.read(reader) {
        Read::Symbol(symbol) => Some(usize::from(symbol)),
        Read::Ended | Read::NoCode => None,
    };
    loop {
        let symbol = read(&literals, reader)?;
        if symbol == END_OF_BLOCK {
            return Some(());
        }
        let Some(index) = symbol.checked_sub(END_OF_BLOCK + 1) else { continue };
        let &(base, extra) = LENGTH.get(index)?;
        lengths.add(usize::from(base) + reader.take(extra.into())? as usize);
        let &(_, extra) = DISTANCE.get(read(&distances, reader)?)?;
        reader.take(extra.into())?;
    }
}
