//! Commas of an array of JSON: one between two values, and no other.
//!
//! The reader of arrays, which makes lines of them, takes any number of commas.

/// Part of the outer array that was read last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Bracket,
    Comma,
    Value,
}

/// Check of the text of an array, in pieces.
#[derive(Debug)]
pub(super) struct Commas {
    /// Open brackets and braces.
    depth: usize,
    is_in_text: bool,
    is_escaped: bool,
    last: Last,
}

impl Default for Commas {
    fn default() -> Self {
        Self { depth: 0, is_in_text: false, is_escaped: false, last: Last::Bracket }
    }
}

impl Commas {
    /// Checks the next piece.
    ///
    /// # Errors
    /// A comma stands where none may, or is missing.
    pub fn check(&mut self, piece: &[u8]) -> Result<(), &'static str> {
        for &byte in piece {
            if self.is_in_text {
                (self.is_in_text, self.is_escaped) = match (self.is_escaped, byte) {
                    (true, _) => (true, false),
                    (false, b'\\') => (true, true),
                    (false, byte) => (byte != b'"', false),
                };
                continue;
            }
            match byte {
                b'"' => {
                    self.value()?;
                    self.is_in_text = true;
                }
                b'[' | b'{' => {
                    self.value()?;
                    self.depth += 1;
                }
                b']' | b'}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 && self.last == Last::Comma {
                        return Err("a comma stands before the end of the array");
                    }
                }
                b',' if self.depth == 1 && self.last != Last::Value => {
                    return Err("a comma stands where a value should be");
                }
                b',' if self.depth == 1 => self.last = Last::Comma,
                // a number or a word
                _ if self.depth == 1 && !byte.is_ascii_whitespace() => self.last = Last::Value,
                _ => {}
            }
        }
        Ok(())
    }

    /// Begins a value.
    fn value(&mut self) -> Result<(), &'static str> {
        match (self.depth, self.last) {
            (1, Last::Value) => Err("a comma is missing between two values of the array"),
            (1, _) => {
                self.last = Last::Value;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
