//! Parameter block of format 0: the request to the instruction, and its state between calls.

/// Length of the parameter block in bytes.
pub const PARAMETER_BLOCK_BYTES: usize = 1536;
/// Length of a compressed dynamic-Huffman table (CDHT) in bytes.
pub const DHT_BYTES: usize = 288;
/// Length of the continuation-state buffer (CSB) in bytes.
pub const CSB_BYTES: usize = 1152;
/// Maximum length of the history in bytes.
pub const MAX_HISTORY: usize = 32 << 10;

/// Offset of the CDHT.
const DHT: usize = 64;
/// Offset of the CSB.
const CSB: usize = 384;

/// Parameter block of format 0, big-endian on every host. Fields that the driver and the model use
/// have accessors; all other bits are reserved or the machine's own.
#[repr(C, align(8))]
#[derive(Clone)]
pub struct ParameterBlock {
    bytes: [u8; PARAMETER_BLOCK_BYTES],
}

/// A field's value as bits.
trait Value: Sized {
    fn of_bits(bits: u32) -> Self;
    fn bits(self) -> u32;
}

impl Value for bool {
    fn of_bits(bits: u32) -> bool {
        bits != 0
    }

    fn bits(self) -> u32 {
        self.into()
    }
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Value for $type {
            fn of_bits(bits: u32) -> $type {
                bits as $type
            }

            fn bits(self) -> u32 {
                self.into()
            }
        }
    )*};
}
number!(u8, u16, u32);

/// Defines a getter and a setter for each field, from its first and last bit.
macro_rules! fields {
    ($($(#[$doc:meta])* $get:ident, $set:ident: $type:ty = $first:literal..=$last:literal;)*) => {
        impl ParameterBlock {
            $(
                $(#[$doc])*
                pub fn $get(&self) -> $type {
                    <$type>::of_bits(self.bits($first, $last))
                }

                #[doc = concat!("Sets the field of [`", stringify!($get), "`](Self::", stringify!($get), ").")]
                pub fn $set(&mut self, value: $type) {
                    self.set_bits($first, $last, value.bits());
                }
            )*
        }
    };
}

fields! {
    /// Returns the version of the block's format (PBVN), 0.
    version, set_version: u16 = 0..=15;
    /// Returns the model version (MVN), which the machine sets.
    model_version, set_model_version: u8 = 16..=23;
    /// Returns whether the machine holds data between two calls (continuation flag, CF). The next
    /// call then gets the block as the last one has left it.
    is_continued, set_continued: bool = 63..=63;
    /// Returns whether history and check value are to be ignored (new task, NT). The machine clears
    /// the field.
    is_new_task, set_new_task: bool = 128..=128;
    /// Returns whether the check value is an Adler-32; a CRC-32 otherwise (check-value type, CVT).
    is_adler, set_adler: bool = 130..=130;
    /// Returns whether blocks have the dynamic table; the fixed codes otherwise (Huffman-table
    /// type, HTT).
    is_dynamic, set_dynamic: bool = 132..=132;
    /// Returns whether the block is open, so that compression writes no header (block-continuation
    /// flag, BCF).
    is_block_open, set_block_open: bool = 133..=133;
    /// Returns whether compression ends the block at the end of the input (block-closing control,
    /// BCC). Without input and without [continuation](Self::is_continued) it has no effect.
    closes_block, set_closes_block: bool = 134..=134;
    /// Returns whether a block's header says that the block is the last (block header final, BHF).
    is_last_block, set_last_block: bool = 135..=135;
    /// Returns whether a generated table has codes for the sampled symbols only; for all symbols
    /// otherwise (DHT-generation control, DHTGC; the meaning of 1 is inferred).
    has_sampled_symbols_only, set_sampled_symbols_only: bool = 138..=138;
    /// Returns the number of used bits in the byte at which the output of a compression, or the
    /// input of an expansion, starts (sub-byte boundary, SBB).
    used_bits, set_used_bits: u8 = 149..=151;
    /// Returns the reason for condition code 2, or 0 (operation-ending supplemental code, OESC).
    ending_code, set_ending_code: u8 = 152..=159;
    /// Returns the incomplete-function status (IFS), which the machine sets.
    incomplete_status, set_incomplete_status: u8 = 172..=175;
    /// Returns the incomplete-function length (IFL), which the machine sets.
    incomplete_len, set_incomplete_len: u16 = 176..=191;
    /// Returns the length of the history (HL) in bytes, at most [`MAX_HISTORY`].
    history_len, set_history_len: u16 = 352..=367;
    /// Returns the offset of the oldest byte in the circular history buffer (HO).
    history_offset, set_history_offset: u16 = 369..=383;
    /// Returns the check value (CV) as it is stored; [`check_value`](Self::check_value) has it as
    /// containers do.
    stored_check_value, set_stored_check_value: u32 = 384..=415;
    /// Returns the code for the end of a block in its first bits (end-of-block symbol, EOBS), the
    /// first bit of the code as the most significant of 15.
    end_of_block, set_end_of_block: u16 = 416..=430;
    /// Returns the length of the code for the end of a block in bits (EOBL).
    end_of_block_len, set_end_of_block_len: u8 = 432..=435;
    /// Returns the length of the dynamic table in bits (CDHTL).
    table_len, set_table_len: u16 = 452..=463;
}

impl Default for ParameterBlock {
    fn default() -> ParameterBlock {
        ParameterBlock { bytes: [0; PARAMETER_BLOCK_BYTES] }
    }
}

impl ParameterBlock {
    /// Returns the bits from `first` to `last`, at most 32, as a number.
    fn bits(&self, first: usize, last: usize) -> u32 {
        (first..=last).fold(0, |value, bit| value << 1 | u32::from(self.bytes[bit / 8] >> (7 - bit % 8) & 1))
    }

    fn set_bits(&mut self, first: usize, last: usize, value: u32) {
        for bit in first..=last {
            let mask = 0x80 >> (bit % 8);
            let is_set = value >> (last - bit) & 1 != 0;
            let byte = &mut self.bytes[bit / 8];
            *byte = if is_set { *byte | mask } else { *byte & !mask };
        }
    }

    /// Returns the check value as containers have it: the stored CRC-32 has its bytes reversed.
    pub fn check_value(&self) -> u32 {
        let stored = self.stored_check_value();
        if self.is_adler() { stored } else { stored.swap_bytes() }
    }

    /// Sets the check value from the form that containers have.
    pub fn set_check_value(&mut self, value: u32) {
        let stored = if self.is_adler() { value } else { value.swap_bytes() };
        self.set_stored_check_value(stored);
    }

    /// Returns the dynamic table (CDHT): a block's header without its first three bits, in the
    /// order of DEFLATE's bits.
    pub fn table(&self) -> &[u8; DHT_BYTES] {
        self.bytes[DHT..].first_chunk().expect("the block is longer")
    }

    /// Returns the dynamic table for changes.
    pub fn table_mut(&mut self) -> &mut [u8; DHT_BYTES] {
        self.bytes[DHT..].first_chunk_mut().expect("the block is longer")
    }

    /// Returns the machine's state between two calls (continuation-state buffer, CSB).
    pub fn state(&self) -> &[u8; CSB_BYTES] {
        self.bytes[CSB..].first_chunk().expect("the block has this length")
    }

    /// Returns the machine's state for changes, which only the machine makes.
    pub fn state_mut(&mut self) -> &mut [u8; CSB_BYTES] {
        self.bytes[CSB..].first_chunk_mut().expect("the block has this length")
    }

    /// Returns the block's bytes.
    pub fn bytes(&self) -> &[u8; PARAMETER_BLOCK_BYTES] {
        &self.bytes
    }

    /// Returns the block's bytes for the instruction, and for a fuzzer.
    pub fn bytes_mut(&mut self) -> &mut [u8; PARAMETER_BLOCK_BYTES] {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests;
