//! Compression into one block, with the fixed table or that of the parameter block.

use pelton_device_nx::hw::{Checksums, Completion, Cpb, Function, SymbolCounts};
use pelton_nxu::encode::{BlockKind, encode, end_block, write_header};
use pelton_nxu::{BitWriter, Counts, Matcher, Table};

use super::decompress::table;
use super::validate::Valid;
use super::{Done, Limit, append};

/// Compresses a source, which has the history first, and suspends at the limit.
///
/// # Errors
/// The code of a request that is terminated.
pub(super) fn run(
    matcher: &mut Matcher,
    cpb: &mut Cpb,
    valid: &Valid,
    source: &[u8],
    limit: &Limit,
    marks_final: bool,
) -> Result<Done, Completion> {
    let Function::Compress { dynamic, count, resume } = valid.function else {
        return Err(Completion::UnknownFunction);
    };
    let input = cpb.input();
    let (history_len, sums) = match resume {
        true => (input.history(), input.checksums()),
        false => (0, Checksums::START),
    };
    let (history, data) = source.split_at_checked(history_len).ok_or(Completion::Partial)?;
    if data.is_empty() {
        return Err(Completion::Partial);
    }
    let len = data.len().min(limit.after(history_len));
    let own = if dynamic { Some(table(input.table(), input.table_bits())?) } else { None };
    let lz77 = matcher.run(history, &data[..len]);
    let fixed = Table::fixed();
    let mut to = BitWriter::new();
    let (kind, codes) = match &own {
        Some(table) => (BlockKind::Dynamic(table), table),
        None => (BlockKind::Fixed, &fixed),
    };
    write_header(kind, marks_final, &mut to);
    encode(&lz77.symbols, codes, &mut to).map_err(|_| Completion::InvalidCode)?;
    end_block(codes, &mut to);
    let last_bits = (to.len_bits() % 8) as u8;
    let output = to.into_bytes();
    if output.len() > valid.target_len {
        return Err(valid.target_full());
    }
    let mut fields = cpb.output_mut();
    fields.clear();
    fields.set_checksums(append(sums, &data[..len]));
    fields.set_last_bits(last_bits);
    if count {
        let Counts { literals, distances } = Counts::of(&lz77.symbols);
        cpb.set_counts(&SymbolCounts { literals, distances });
    }
    let source_bytes = history_len + len;
    let code = match () {
        () if len < data.len() => Completion::Partial,
        () if output.len() > source_bytes => Completion::Expanded,
        () => Completion::Done,
    };
    let is_partial = code == Completion::Partial;
    Ok(Done { code, is_partial, output, source_bytes, uncompressed: source_bytes })
}
