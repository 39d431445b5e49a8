//! Function XPND: uncompressed bytes of a stream.

use pelton_device_dfltcc::hw::ParameterBlock;
use pelton_device_dfltcc::{Answer, Condition, Operands};
use pelton_nxu::decompress::Limits;
use pelton_nxu::{BitReader, Ended, decompress};

use super::checks::{ending_code, fail, of_fault};
use super::state::Expanding;
use super::window;
use crate::dfltcc::config::Plan;

/// Maximum bytes by which the last match of a call may exceed the target: the longest match less
/// one byte. They are held back.
const MAX_EXCESS: usize = 257;

/// Expands the source into the target.
pub(super) fn expand(plan: &Plan, block: &mut ParameterBlock, operands: Operands<'_>) -> Answer {
    let Operands { target, source, history } = operands;
    let is_continued = block.is_continued() && !block.is_new_task();
    let loaded = if is_continued { Expanding::load(block) } else { Some(Expanding::START) };
    let Some(mut state) = loaded else { return fail(block, ending_code::STATE) };
    block.set_ending_code(0);
    if target.is_empty() {
        return Answer { condition: Condition::TargetFull, written: 0, read: 0 };
    }
    if plan.amount == 0 {
        return Answer { condition: Condition::Again, written: 0, read: 0 };
    }
    if block.is_new_task() {
        window::begin(block);
    }
    // Bytes that were held back come first.
    let mut written = state.output.len().min(target.len());
    target[..written].copy_from_slice(&state.output[..written]);
    window::append(block, history, &target[..written]);
    state.output.drain(..written);
    if !state.output.is_empty() {
        state.save(block);
        return Answer { condition: Condition::TargetFull, written, read: 0 };
    }

    let earlier = state.source.len();
    let joined;
    let (bytes, used_bits) = match earlier {
        0 => (source, block.used_bits()),
        _ => {
            joined = [&state.source, source].concat();
            (&joined[..], state.used_bits)
        }
    };
    let stop = (target.len() - written).min(plan.amount);
    let limits = Limits { output: stop + MAX_EXCESS, one_block: false };
    let reader = BitReader::new(bytes, used_bits.into());
    let done = decompress(&state.position, reader, &window::contents(block, history), limits);

    let fits = done.output.len().min(target.len() - written);
    target[written..written + fits].copy_from_slice(&done.output[..fits]);
    window::append(block, history, &done.output[..fits]);
    written += fits;
    state.position = done.position;
    state.output = done.output[fits..].to_vec();
    let is_full = written == target.len();
    let condition = match done.ended {
        Ended::Error(fault) => {
            block.set_continued(false);
            return Answer { written, ..fail(block, of_fault(fault)) };
        }
        _ if !state.output.is_empty() => Condition::TargetFull,
        Ended::Final if is_full && plan.ends_late => Condition::TargetFull,
        Ended::Final => Condition::Done,
        Ended::SourceEnded if is_full => Condition::TargetFull,
        Ended::SourceEnded => Condition::Ended,
        Ended::LimitReached | Ended::BlockEnded if is_full => Condition::TargetFull,
        Ended::LimitReached | Ended::BlockEnded => Condition::Again,
    };
    // Bytes before this one are used.
    let at = (done.consumed_bits / 8) as usize;
    // Without a source, its first byte is still to come.
    let used_bits = if bytes.is_empty() { block.used_bits() } else { (done.consumed_bits % 8) as u8 };
    let read = if done.ended == Ended::SourceEnded && !bytes.is_empty() {
        (state.source, state.used_bits) = (bytes[at..].to_vec(), used_bits);
        block.set_used_bits(0);
        source.len()
    } else if at < earlier {
        (state.source, state.used_bits) = (bytes[at..earlier].to_vec(), used_bits);
        block.set_used_bits(0);
        0
    } else {
        state.source = Vec::new();
        state.used_bits = 0;
        block.set_used_bits(used_bits);
        at - earlier
    };
    match condition {
        Condition::Done => block.set_continued(false),
        _ => state.save(block),
    }
    Answer { condition, written, read }
}
