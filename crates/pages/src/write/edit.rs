//! Editor of serialized Thrift structs. Copies all fields but the changed ones byte by byte,
//! including unknown fields of later versions of the format or of other writers.
//!
//! Source: Apache Thrift, `doc/specs/thrift-compact-protocol.md`.

use crate::header::thrift::{Reader, ThriftError, kind};

pub(super) type Result<T> = std::result::Result<T, ThriftError>;

/// Change of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field {
    /// Copies it.
    Keep,
    /// Removes it.
    Drop,
    /// Replaces it by a boolean.
    Bool(bool),
    /// Replaces it by an integer of 32 bits.
    I32(i32),
    /// Replaces it by an integer of 64 bits.
    I64(i64),
    /// Replaces it by a serialized struct or list of this type.
    Bytes(u8, Vec<u8>),
}

/// Copies a struct. `change` returns the change of a field, given its id and type, and may read the
/// value. Fields of `missing`, sorted by id, are inserted if the struct lacks them.
pub(super) fn edit<'a>(
    reader: &mut Reader<'a>,
    missing: &[(i16, Field)],
    mut change: impl FnMut(&mut Reader<'a>, i16, u8) -> Result<Field>,
) -> Result<Vec<u8>> {
    let mut writer = Writer::default();
    let mut missing = missing.iter().peekable();
    let mut last = 0;
    while let Some((id, kind)) = reader.field(&mut last)? {
        while let Some((other, field)) = missing.next_if(|(other, _)| *other <= id) {
            if *other < id {
                writer.field(*other, field);
            }
        }
        let start = reader.position();
        let field = change(reader, id, kind)?;
        if reader.position() == start {
            reader.skip(kind)?;
        }
        match field {
            Field::Keep => writer.raw(id, kind, reader.since(start)),
            changed => writer.field(id, &changed),
        }
    }
    missing.for_each(|(id, field)| writer.field(*id, field));
    Ok(writer.finish())
}

/// Copies a list of structs. `one` copies a struct, given its index in the list.
pub(super) fn edit_list<'a>(
    reader: &mut Reader<'a>,
    kind: u8,
    mut one: impl FnMut(&mut Reader<'a>, usize) -> Result<Vec<u8>>,
) -> Result<Field> {
    if kind != kind::LIST {
        return Err(ThriftError::BadType(kind));
    }
    let (element, count) = reader.list()?;
    if element != kind::STRUCT && count > 0 {
        return Err(ThriftError::BadType(element));
    }
    let structs = (0..count as usize).map(|index| one(reader, index)).collect::<Result<Vec<_>>>()?;
    Ok(list(&structs))
}

/// Returns a list of serialized structs.
pub(super) fn list(structs: &[Vec<u8>]) -> Field {
    let mut out = Vec::new();
    match structs.len() {
        few @ 0..=14 => out.push((few as u8) << 4 | kind::STRUCT),
        many => {
            out.push(0xf0 | kind::STRUCT);
            varint(many as u64, &mut out);
        }
    }
    structs.iter().for_each(|bytes| out.extend_from_slice(bytes));
    Field::Bytes(kind::LIST, out)
}

/// Returns a serialized struct of strings with ids from 1.
pub(super) fn texts(texts: [&str; 2]) -> Vec<u8> {
    let mut writer = Writer::default();
    for (id, text) in (1..).zip(texts) {
        let mut value = Vec::new();
        varint(text.len() as u64, &mut value);
        value.extend_from_slice(text.as_bytes());
        writer.raw(id, kind::BINARY, &value);
    }
    writer.finish()
}

/// Writes a struct field by field.
#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    last: i16,
}

impl Writer {
    fn field(&mut self, id: i16, field: &Field) {
        match field {
            Field::Keep | Field::Drop => {}
            Field::Bool(true) => self.raw(id, kind::TRUE, &[]),
            Field::Bool(false) => self.raw(id, kind::FALSE, &[]),
            Field::I32(value) => self.raw(id, kind::I32, &zigzag(i64::from(*value))),
            Field::I64(value) => self.raw(id, kind::I64, &zigzag(*value)),
            Field::Bytes(kind, bytes) => self.raw(id, *kind, bytes),
        }
    }

    /// Writes a field with a serialized value.
    fn raw(&mut self, id: i16, kind: u8, value: &[u8]) {
        // a small increment of the id shares a byte with the type
        match i32::from(id) - i32::from(self.last) {
            delta @ 1..=15 => self.out.push((delta as u8) << 4 | kind),
            _ => {
                self.out.push(kind);
                self.out.extend(zigzag(i64::from(id)));
            }
        }
        self.last = id;
        self.out.extend_from_slice(value);
    }

    fn finish(mut self) -> Vec<u8> {
        self.out.push(kind::STOP);
        self.out
    }
}

fn zigzag(value: i64) -> Vec<u8> {
    let mut out = Vec::with_capacity(10);
    varint(((value << 1) ^ (value >> 63)) as u64, &mut out);
    out
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests;
