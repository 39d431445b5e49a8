//! Compression of whole buffers in the paper's modes (section V-C).

use crate::bits::BitWriter;
use crate::config::{Config, WINDOW};
use crate::encode::{BlockKind, encode, end_block, write_header};
use crate::lz77::{Cycles, Matcher};
use crate::symbols::Counts;
use crate::table::{Generated, Table};

/// Source bytes that have a table of their own.
pub const UNIT: usize = 256 << 10;
/// Bytes of a unit that are sampled in the 1.1-pass mode.
pub const SAMPLE: usize = 32 << 10;

/// Source of the code tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The fixed table.
    Fixed,
    /// A table of each unit's own counts, for which the unit is passed twice.
    TwoPass,
    /// A table of the counts of each unit's first bytes: the paper's 1.1-pass mode.
    SampledPass,
}

/// A compressed buffer.
#[derive(Clone, Debug)]
pub struct Compressed {
    /// A raw DEFLATE stream.
    pub bytes: Vec<u8>,
    /// All cycles of the engine.
    pub cycles: u64,
    /// Cycles of the LZ77 stage in the pass that writes.
    pub lz77: Cycles,
    /// Cycles of the table generator.
    pub table_cycles: u64,
    /// Units whose table took more than one round of the Huffman algorithm, and all units.
    pub repeated: (u64, u64),
}

/// Compresses a buffer.
pub fn compress(config: Config, mode: Mode, source: &[u8]) -> Compressed {
    compress_with(&mut Matcher::new(config, 0), config, mode, source)
}

/// Compresses a buffer with a stage that may have the hash table of other data.
pub fn compress_with(matcher: &mut Matcher, config: Config, mode: Mode, source: &[u8]) -> Compressed {
    let mut done = Compressed {
        bytes: Vec::new(),
        cycles: 0,
        lz77: Cycles::default(),
        table_cycles: 0,
        repeated: (0, 0),
    };
    let mut to = BitWriter::new();
    let mut start = 0;
    loop {
        let end = source.len().min(start + UNIT);
        let history = &source[start.saturating_sub(WINDOW)..start];
        let lz77 = matcher.run(history, &source[start..end]);
        add(&mut done.lz77, lz77.cycles);
        done.cycles += lz77.cycles.total();
        let generated = match mode {
            Mode::Fixed => None,
            Mode::TwoPass => {
                done.cycles += lz77.cycles.total();
                Some(generate(config, &Counts::of(&lz77.symbols)))
            }
            Mode::SampledPass => {
                let sample = matcher.run(history, &source[start..end.min(start + SAMPLE)]);
                done.cycles += sample.cycles.total();
                let mut counts = Counts::of(&sample.symbols);
                counts.fill_zeros(true);
                Some(generate(config, &counts))
            }
        };
        let fixed = Table::fixed();
        let (kind, table) = match &generated {
            None => (BlockKind::Fixed, &fixed),
            Some(generated) => (BlockKind::Dynamic(&generated.table), &generated.table),
        };
        if let Some(generated) = &generated {
            done.table_cycles += generated.cycles;
            done.cycles += if config.has_table_generator { generated.cycles } else { 0 };
            done.repeated.0 += u64::from(generated.rounds > 1);
        }
        done.repeated.1 += 1;
        write_header(kind, end == source.len(), &mut to);
        let encoded = encode(&lz77.symbols, table, &mut to);
        assert!(encoded.is_ok(), "a table of all symbols of the data has a code for each");
        end_block(table, &mut to);
        start = end;
        if start == source.len() {
            break;
        }
    }
    done.bytes = to.into_bytes();
    done
}

/// Makes a table as the configuration does: in the engine, or in software.
pub fn generate(config: Config, counts: &Counts) -> Generated {
    match config.has_table_generator {
        true => Table::from_counts_in_hardware(counts),
        false => Table::from_counts(counts),
    }
}

fn add(sum: &mut Cycles, more: Cycles) {
    sum.words += more.words;
    sum.bank += more.bank;
    sum.encoder += more.encoder;
    sum.access += more.access;
    sum.conflicts += more.conflicts;
}
