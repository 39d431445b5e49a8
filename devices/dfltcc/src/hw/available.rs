//! Block of available functions, which the function QAF (query available functions) writes.

use crate::call::Function;

/// Offset of the bits for formats of the parameter block, after 16 bytes of functions and 8
/// reserved ones.
const FORMATS: usize = 24;

/// The functions and formats that a processor has: 32 bytes, of which 16 have a bit for each
/// function and 2 a bit for each format of the parameter block. The others are reserved.
#[repr(C, align(8))]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AvailableFunctions {
    bytes: [u8; 32],
}

impl AvailableFunctions {
    /// Returns the block of a processor with these functions, and format 0.
    pub fn with(functions: &[Function]) -> AvailableFunctions {
        let mut block = AvailableFunctions::default();
        for &function in functions {
            let number = function as usize;
            block.bytes[number / 8] |= 0x80 >> (number % 8);
        }
        block.bytes[FORMATS] |= 0x80;
        block
    }

    /// Returns whether the processor has a function.
    pub fn has(&self, function: Function) -> bool {
        let number = function as usize;
        self.bytes[number / 8] & (0x80 >> (number % 8)) != 0
    }

    /// Returns whether the processor has format 0 of the parameter block, the only one so far.
    pub fn has_format_0(&self) -> bool {
        self.bytes[FORMATS] & 0x80 != 0
    }

    /// Returns the block's bytes, for the instruction.
    pub fn bytes_mut(&mut self) -> &mut [u8; 32] {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_numbered_from_the_most_significant() {
        let functions = [Function::QueryAvailable, Function::GenerateTable, Function::Compress, Function::Expand];
        let mut block = AvailableFunctions::with(&functions);
        assert_eq!(block.bytes_mut()[..2], [0b1110_1000, 0]);
        assert_eq!(block.bytes_mut()[FORMATS..FORMATS + 2], [0x80, 0]);
        assert!(functions.into_iter().all(|function| block.has(function)) && block.has_format_0());
        let older = AvailableFunctions::with(&[Function::QueryAvailable]);
        assert!(!older.has(Function::Expand) && older.has(Function::QueryAvailable));
        assert!(!AvailableFunctions::default().has_format_0());
    }
}
