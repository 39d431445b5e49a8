//! History in its circular buffer, whose offset and length are in the parameter block, and the
//! check value of the same bytes.

use pelton_codec::{Checksum, checksum, checksum_append};
use pelton_device_dfltcc::History;
use pelton_device_dfltcc::hw::{MAX_HISTORY, ParameterBlock};

/// Starts a new task: forgets the history, and starts the check value.
pub(super) fn begin(block: &mut ParameterBlock) {
    block.set_history_len(0);
    block.set_history_offset(0);
    block.set_check_value(checksum(kind(block), b"") as u32);
    block.set_new_task(false);
}

/// Returns the history, the oldest byte first.
pub(super) fn contents(block: &ParameterBlock, history: &History) -> Vec<u8> {
    let (from, len) = (usize::from(block.history_offset()), usize::from(block.history_len()));
    let end = from + len;
    let wrapped = &history.bytes()[..end.saturating_sub(MAX_HISTORY)];
    [&history.bytes()[from..end.min(MAX_HISTORY)], wrapped].concat()
}

/// Appends uncompressed bytes to the history, which forgets the oldest ones, and to the check
/// value.
pub(super) fn append(block: &mut ParameterBlock, history: &mut History, bytes: &[u8]) {
    let sum = checksum_append(kind(block), block.check_value().into(), bytes);
    block.set_check_value(sum.unwrap_or_default() as u32);
    let kept = &bytes[bytes.len().saturating_sub(MAX_HISTORY)..];
    let (from, len) = (usize::from(block.history_offset()), usize::from(block.history_len()));
    let at = (from + len) % MAX_HISTORY;
    let first = kept.len().min(MAX_HISTORY - at);
    history.bytes_mut()[at..at + first].copy_from_slice(&kept[..first]);
    history.bytes_mut()[..kept.len() - first].copy_from_slice(&kept[first..]);
    let new_len = (len + kept.len()).min(MAX_HISTORY);
    block.set_history_len(new_len as u16);
    block.set_history_offset(((at + kept.len() + MAX_HISTORY - new_len) % MAX_HISTORY) as u16);
}

fn kind(block: &ParameterBlock) -> Checksum {
    if block.is_adler() { Checksum::Adler32 } else { Checksum::Crc32 }
}

#[cfg(test)]
mod tests;
