//! Reader of Thrift's compact protocol, for the types in Parquet's headers.
//!
//! Source: Apache Thrift, `doc/specs/thrift-compact-protocol.md`. The reader allocates nothing,
//! checks every length against the remaining bytes, and limits the depth, so that recursion ends.

/// Maximum depth of skipped structs and lists, well above Parquet's deepest: `LogicalType` in a
/// footer, and statistics in a page header.
const MAX_DEPTH: u32 = 16;

/// Field types of the compact protocol (the low nibble of a field header).
pub mod kind {
    /// End of a struct.
    pub const STOP: u8 = 0;
    /// A boolean field with the value true.
    pub const TRUE: u8 = 1;
    /// A boolean field with the value false.
    pub const FALSE: u8 = 2;
    /// One byte.
    pub const BYTE: u8 = 3;
    /// Zigzag varint of 16 bits.
    pub const I16: u8 = 4;
    /// Zigzag varint of 32 bits.
    pub const I32: u8 = 5;
    /// Zigzag varint of 64 bits.
    pub const I64: u8 = 6;
    /// Eight bytes.
    pub const DOUBLE: u8 = 7;
    /// Varint length, then bytes.
    pub const BINARY: u8 = 8;
    /// List.
    pub const LIST: u8 = 9;
    /// Set, encoded as a list.
    pub const SET: u8 = 10;
    /// Map.
    pub const MAP: u8 = 11;
    /// Struct.
    pub const STRUCT: u8 = 12;
}

/// Returns whether values of a type are zigzag varints.
pub fn is_integer(kind: u8) -> bool {
    matches!(kind, kind::I16 | kind::I32 | kind::I64)
}

/// Reads values from the front of a slice.
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// Reason why a value can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ThriftError {
    /// The bytes end inside a value.
    #[error("it ends early")]
    Truncated,
    /// A variable-length integer is longer than its type.
    #[error("an integer is too long")]
    BadVarint,
    /// A type that the protocol does not define, or the wrong one for a field.
    #[error("field type {0} is not expected")]
    BadType(u8),
    /// Structs nest deeper than any Parquet header does.
    #[error("it nests too deeply")]
    TooDeep,
}

type Result<T> = std::result::Result<T, ThriftError>;

impl<'a> Reader<'a> {
    /// Returns a reader at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Returns the number of bytes read.
    pub fn position(&self) -> usize {
        self.position
    }

    fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.position).ok_or(ThriftError::Truncated)?;
        self.position += 1;
        Ok(byte)
    }

    fn advance(&mut self, count: u64) -> Result<()> {
        let left = (self.bytes.len() - self.position) as u64;
        if count > left {
            return Err(ThriftError::Truncated);
        }
        self.position += count as usize;
        Ok(())
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        // ten groups of seven bits hold the 64 bits of the longest integer
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(ThriftError::BadVarint);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(ThriftError::BadVarint)
    }

    fn zigzag(&mut self) -> Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Reads a zigzag integer of 32 bits; `kind` is the field's type.
    pub fn i32(&mut self, kind: u8) -> Result<i32> {
        if kind != kind::I32 {
            return Err(ThriftError::BadType(kind));
        }
        self.any_i32(kind)
    }

    /// Reads a zigzag integer that fits 32 bits. `kind` is the field's type and may name any width,
    /// because the encoding is the same.
    pub fn any_i32(&mut self, kind: u8) -> Result<i32> {
        if !is_integer(kind) {
            return Err(ThriftError::BadType(kind));
        }
        i32::try_from(self.zigzag()?).map_err(|_| ThriftError::BadVarint)
    }

    /// Reads a zigzag integer of 64 bits; `kind` is the field's type.
    pub fn i64(&mut self, kind: u8) -> Result<i64> {
        if kind != kind::I64 {
            return Err(ThriftError::BadType(kind));
        }
        self.zigzag()
    }

    /// Returns the byte at a position that was read.
    pub fn byte_at(&self, position: usize) -> u8 {
        self.bytes.get(position).copied().unwrap_or_default()
    }

    /// Returns the bytes read since the reader was at `start`.
    pub fn since(&self, start: usize) -> &'a [u8] {
        &self.bytes[start..self.position]
    }

    /// Reads a binary value or text; `kind` is the field's or element's type.
    pub fn binary(&mut self, kind: u8) -> Result<&'a [u8]> {
        if kind != kind::BINARY {
            return Err(ThriftError::BadType(kind));
        }
        let length = self.varint()?;
        let start = self.position;
        self.advance(length)?;
        Ok(&self.bytes[start..self.position])
    }

    /// Returns the value of a boolean, which is its field's type.
    pub fn bool(&self, kind: u8) -> Result<bool> {
        match kind {
            kind::TRUE => Ok(true),
            kind::FALSE => Ok(false),
            other => Err(ThriftError::BadType(other)),
        }
    }

    /// Reads the next field header of a struct. Returns its id and type, or `None` at the struct's
    /// end. `last` is the id of the field before, 0 at the start.
    pub fn field(&mut self, last: &mut i16) -> Result<Option<(i16, u8)>> {
        let header = self.byte()?;
        let kind = header & 0x0f;
        if kind == kind::STOP {
            return Ok(None);
        }
        let delta = i16::from(header >> 4);
        let id = if delta == 0 {
            i16::try_from(self.zigzag()?).map_err(|_| ThriftError::BadVarint)?
        } else {
            last.checked_add(delta).ok_or(ThriftError::BadVarint)?
        };
        *last = id;
        Ok(Some((id, kind)))
    }

    /// Reads the start of a list. Returns the type and number of its elements. The number can't
    /// exceed the remaining bytes.
    pub fn list(&mut self) -> Result<(u8, u64)> {
        let header = self.byte()?;
        // 15 in the nibble means that the size follows
        let count = if header >> 4 == 15 { self.varint()? } else { u64::from(header >> 4) };
        // the shortest element, a struct without fields, is one byte
        if count > (self.bytes.len() - self.position) as u64 {
            return Err(ThriftError::Truncated);
        }
        Ok((header & 0x0f, count))
    }

    /// Skips a field's value.
    pub fn skip(&mut self, kind: u8) -> Result<()> {
        self.skip_nested(kind, MAX_DEPTH)
    }

    fn skip_nested(&mut self, kind: u8, depth: u32) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or(ThriftError::TooDeep)?;
        match kind {
            kind::TRUE | kind::FALSE => Ok(()),
            kind::BYTE => self.advance(1),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.advance(8),
            kind::BINARY => self.binary(kind).map(drop),
            kind::LIST | kind::SET => {
                let (kind, count) = self.list()?;
                self.skip_elements(kind, count, depth)
            }
            kind::MAP => {
                let count = self.varint()?;
                if count == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                for _ in 0..count {
                    self.skip_elements(kinds >> 4, 1, depth)?;
                    self.skip_elements(kinds & 0x0f, 1, depth)?;
                }
                Ok(())
            }
            kind::STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip_nested(kind, depth)?;
                }
                Ok(())
            }
            other => Err(ThriftError::BadType(other)),
        }
    }

    fn skip_elements(&mut self, kind: u8, count: u64, depth: u32) -> Result<()> {
        match kind {
            // unlike a field, an element stores a boolean in a byte
            kind::TRUE | kind::FALSE | kind::BYTE => self.advance(count),
            kind::DOUBLE => self.advance(count.checked_mul(8).ok_or(ThriftError::Truncated)?),
            // other elements take at least one byte, so a false count ends at Truncated
            _ => (0..count).try_for_each(|_| self.skip_nested(kind, depth)),
        }
    }
}
