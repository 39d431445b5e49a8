//! Functions of the instruction, and the block in which it reports those that it has.

/// A function of the instruction, by its code in general register 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// Query available functions (QAF).
    QueryAvailable = 0,
    /// Generate a dynamic-Huffman table (GDHT): reads the source, without advancing it, and writes
    /// table and end-of-block code of the parameter block.
    GenerateTable = 1,
    /// Compress (CMPR).
    Compress = 2,
    /// Expand (XPND).
    Expand = 4,
}

/// The functions that the driver uses, with their names.
const NEEDED: [(Function, &str); 3] = [
    (Function::GenerateTable, "the function GDHT"),
    (Function::Compress, "the function CMPR"),
    (Function::Expand, "the function XPND"),
];

/// Offset of the bits for formats of the parameter block, after 16 bytes of functions and 8
/// reserved ones.
const FORMATS: usize = 24;

/// The functions and formats that a processor has, from the function QAF: a bit for each function,
/// then a bit for each format of the parameter block. Other bytes are reserved.
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

    /// Returns the name of something that the driver needs and the processor lacks.
    pub fn missing(&self) -> Option<&'static str> {
        // Format 0 is the only one so far.
        if self.bytes[FORMATS] & 0x80 == 0 {
            return Some("format 0 of the parameter block");
        }
        NEEDED.iter().find(|(function, _)| !self.has(*function)).map(|(_, name)| *name)
    }

    /// Returns the block's bytes, for the instruction.
    pub fn bytes_mut(&mut self) -> &mut [u8; 32] {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests;
