//! Ending codes, and the rules of the parameter block that the model holds its callers to.

use std::sync::OnceLock;

use pelton_device_dfltcc::hw::{MAX_HISTORY, PARAMETER_BLOCK_BYTES, ParameterBlock};
use pelton_device_dfltcc::{Answer, Condition};
use pelton_nxu::Fault;

/// Operation-ending supplemental codes (OESC). The machine's list is in the Principles of
/// Operation, which was not available. [`STORED_LENGTH`](ending_code::STORED_LENGTH) and
/// [`LENGTH_CODE`](ending_code::LENGTH_CODE) are certain, from messages of libraries on the
/// hardware; the others are the model's choice.
pub mod ending_code {
    /// The parameter block has another format.
    pub const VERSION: u8 = 0x01;
    /// A reserved bit of the parameter block is set.
    pub const RESERVED: u8 = 0x02;
    /// The history is longer than its buffer.
    pub const HISTORY: u8 = 0x03;
    /// The parameter block was changed while the machine held data.
    pub const STATE: u8 = 0x04;
    /// There is no source to make a table of.
    pub const NO_SOURCE: u8 = 0x05;
    /// A block of the reserved type.
    pub const BLOCK_TYPE: u8 = 0x11;
    /// The length of a stored block is not that of its complement.
    pub const STORED_LENGTH: u8 = 0x12;
    /// A dynamic table breaks a rule that has no code of its own.
    pub const TABLE: u8 = 0x20;
    /// The code of the code lengths lacks a code.
    pub const LENGTH_CODE: u8 = 0x27;
    /// Bits that are no code, or a reserved symbol.
    pub const UNDEFINED: u8 = 0x2a;
    /// A match reaches before the history.
    pub const TOO_FAR: u8 = 0x2b;
    /// A symbol to compress has no code in the table.
    pub const NO_CODE: u8 = 0x2c;
}

/// Parts of the texts of faults in the code of code lengths.
const LENGTH_CODE_FAULTS: [&str; 2] = ["code of the code lengths", "no code for a code length"];

/// Returns the ending code of a fault in a stream.
pub(super) fn of_fault(fault: Fault) -> u8 {
    match fault {
        Fault::BlockType => ending_code::BLOCK_TYPE,
        Fault::StoredLength => ending_code::STORED_LENGTH,
        Fault::BadTable(what) if LENGTH_CODE_FAULTS.iter().any(|fault| what.contains(fault)) => {
            ending_code::LENGTH_CODE
        }
        Fault::BadTable(_) => ending_code::TABLE,
        Fault::Undefined => ending_code::UNDEFINED,
        Fault::TooFar => ending_code::TOO_FAR,
    }
}

/// Checks a parameter block. Returns the ending code of the first broken rule.
pub(super) fn check(block: &ParameterBlock) -> Result<(), u8> {
    let is_reserved_set = block.bytes().iter().zip(reserved()).any(|(byte, reserved)| byte & reserved != 0);
    match () {
        () if block.version() != 0 => Err(ending_code::VERSION),
        () if is_reserved_set => Err(ending_code::RESERVED),
        () if usize::from(block.history_len()) > MAX_HISTORY => Err(ending_code::HISTORY),
        () => Ok(()),
    }
}

/// Returns the answer to a call that fails, and sets the ending code.
pub(in crate::dfltcc) fn fail(block: &mut ParameterBlock, code: u8) -> Answer {
    block.set_ending_code(code);
    Answer { condition: Condition::Ended, written: 0, read: 0 }
}

/// Returns the reserved bits of a parameter block.
fn reserved() -> &'static [u8; PARAMETER_BLOCK_BYTES] {
    static RESERVED: OnceLock<[u8; PARAMETER_BLOCK_BYTES]> = OnceLock::new();
    RESERVED.get_or_init(|| {
        let mut known = ParameterBlock::default();
        known.set_version(u16::MAX);
        known.set_model_version(u8::MAX);
        known.set_continued(true);
        known.set_new_task(true);
        known.set_adler(true);
        known.set_dynamic(true);
        known.set_block_open(true);
        known.set_closes_block(true);
        known.set_last_block(true);
        known.set_sampled_symbols_only(true);
        known.set_used_bits(u8::MAX);
        known.set_ending_code(u8::MAX);
        known.set_incomplete_status(u8::MAX);
        known.set_incomplete_len(u16::MAX);
        known.set_history_len(u16::MAX);
        known.set_history_offset(u16::MAX);
        known.set_stored_check_value(u32::MAX);
        known.set_end_of_block(u16::MAX);
        known.set_end_of_block_len(u8::MAX);
        known.set_table_len(u16::MAX);
        known.table_mut().fill(u8::MAX);
        known.state_mut().fill(u8::MAX);
        known.bytes().map(|byte| !byte)
    })
}
