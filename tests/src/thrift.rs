//! Thrift's compact protocol as a tree of values, to take Parquet's headers and footers apart,
//! change them, and put them together again, also into forms that no writer would write.
//!
//! Source: Apache Thrift, `doc/specs/thrift-compact-protocol.md`. Reading is for well-formed input,
//! and panics on other.

/// Field and element types of the protocol (the low nibble of a field header).
mod kind {
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const STRUCT: u8 = 12;
}

/// A value of any type that Parquet uses.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Boolean.
    Bool(bool),
    /// One byte.
    Byte(u8),
    /// 16 bits.
    I16(i16),
    /// 32 bits.
    I32(i32),
    /// 64 bits.
    I64(i64),
    /// A double's bytes.
    Double([u8; 8]),
    /// Bytes, or text.
    Binary(Vec<u8>),
    /// Elements of one type. The type's number is kept for empty lists.
    List(u8, Vec<Value>),
    /// Fields.
    Struct(Struct),
    /// A type, and bytes in the place of the value, for malformed content.
    Raw(u8, Vec<u8>),
}

/// Fields by id, in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Struct(pub Vec<(i16, Value)>);

impl Struct {
    /// Reads a struct off the front of `bytes`; also says how many bytes it took.
    pub fn read(bytes: &[u8]) -> (Self, usize) {
        let mut reader = Reader { bytes, at: 0 };
        let value = reader.fields();
        (value, reader.at)
    }

    /// Returns the struct as bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        write_fields(self, &mut out);
        out
    }

    /// Returns a field.
    pub fn get(&self, id: i16) -> Option<&Value> {
        self.0.iter().find(|(found, _)| *found == id).map(|(_, value)| value)
    }

    /// Returns a field, which has to be there.
    pub fn at(&mut self, id: i16) -> &mut Value {
        let found = self.0.iter_mut().find(|(found, _)| *found == id);
        &mut found.unwrap_or_else(|| panic!("there is no field {id}")).1
    }

    /// Gives a field a value, whether it was there or not. Fields stay in the order of their ids.
    pub fn set(&mut self, id: i16, value: Value) {
        match self.0.iter_mut().find(|(found, _)| *found == id) {
            Some((_, old)) => *old = value,
            None => {
                let place = self.0.partition_point(|(found, _)| *found < id);
                self.0.insert(place, (id, value));
            }
        }
    }

    /// Takes a field out.
    pub fn remove(&mut self, id: i16) -> Option<Value> {
        let place = self.0.iter().position(|(found, _)| *found == id)?;
        Some(self.0.remove(place).1)
    }

    /// Returns an integer field of 16 to 64 bits, which has to be there.
    pub fn int(&self, id: i16) -> i64 {
        self.get(id).unwrap_or_else(|| panic!("there is no field {id}")).int()
    }

    /// Returns a struct field, which has to be there.
    pub fn inner(&mut self, id: i16) -> &mut Struct {
        match self.at(id) {
            Value::Struct(inner) => inner,
            other => panic!("field {id} is {other:?}"),
        }
    }

    /// Returns a list field, which has to be there.
    pub fn list(&mut self, id: i16) -> &mut Vec<Value> {
        match self.at(id) {
            Value::List(_, elements) => elements,
            other => panic!("field {id} is {other:?}"),
        }
    }
}

impl Value {
    /// Returns an integer's value.
    pub fn int(&self) -> i64 {
        match self {
            Value::Byte(value) => i64::from(*value),
            Value::I16(value) => i64::from(*value),
            Value::I32(value) => i64::from(*value),
            Value::I64(value) => *value,
            other => panic!("{other:?} is no integer"),
        }
    }

    /// Returns a struct's fields.
    pub fn fields(&mut self) -> &mut Struct {
        match self {
            Value::Struct(fields) => fields,
            other => panic!("{other:?} is no struct"),
        }
    }

    /// Returns a list that claims `count` structs and holds none: it ends where the struct around
    /// it goes on.
    pub fn list_that_claims(count: u64) -> Self {
        let mut bytes = vec![0xf0 | kind::STRUCT];
        varint(count, &mut bytes);
        Value::Raw(kind::LIST, bytes)
    }

    fn kind(&self) -> u8 {
        match self {
            Value::Bool(true) => kind::TRUE,
            Value::Bool(false) => kind::FALSE,
            Value::Byte(_) => kind::BYTE,
            Value::I16(_) => kind::I16,
            Value::I32(_) => kind::I32,
            Value::I64(_) => kind::I64,
            Value::Double(_) => kind::DOUBLE,
            Value::Binary(_) => kind::BINARY,
            Value::List(..) => kind::LIST,
            Value::Struct(_) => kind::STRUCT,
            Value::Raw(kind, _) => *kind,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn take(&mut self, count: usize) -> &[u8] {
        self.at += count;
        &self.bytes[self.at - count..self.at]
    }

    fn varint(&mut self) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return value;
            }
        }
    }

    fn zigzag(&mut self) -> i64 {
        let value = self.varint();
        (value >> 1) as i64 ^ -((value & 1) as i64)
    }

    fn fields(&mut self) -> Struct {
        let mut fields = Struct::default();
        let mut id = 0i16;
        loop {
            let header = self.byte();
            if header == 0 {
                return fields;
            }
            id = match header >> 4 {
                0 => self.zigzag() as i16,
                delta => id + i16::from(delta),
            };
            let value = match header & 0x0f {
                kind::TRUE => Value::Bool(true),
                kind::FALSE => Value::Bool(false),
                kind => self.value(kind),
            };
            fields.0.push((id, value));
        }
    }

    fn value(&mut self, kind: u8) -> Value {
        match kind {
            kind::BYTE => Value::Byte(self.byte()),
            kind::I16 => Value::I16(self.zigzag() as i16),
            kind::I32 => Value::I32(self.zigzag() as i32),
            kind::I64 => Value::I64(self.zigzag()),
            kind::DOUBLE => Value::Double(self.take(8).try_into().expect("eight bytes")),
            kind::BINARY => {
                let length = self.varint() as usize;
                Value::Binary(self.take(length).to_vec())
            }
            kind::LIST => {
                let header = self.byte();
                let count = if header >> 4 == 15 { self.varint() } else { u64::from(header >> 4) };
                let kind = header & 0x0f;
                Value::List(kind, (0..count).map(|_| self.element(kind)).collect())
            }
            kind::STRUCT => Value::Struct(self.fields()),
            other => panic!("Parquet has no Thrift type {other}"),
        }
    }

    fn element(&mut self, kind: u8) -> Value {
        match kind {
            // unlike a field, an element spends a byte on a boolean
            kind::TRUE | kind::FALSE => Value::Bool(self.byte() == kind::TRUE),
            kind => self.value(kind),
        }
    }
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    varint(((value << 1) ^ (value >> 63)) as u64, out);
}

fn write_fields(fields: &Struct, out: &mut Vec<u8>) {
    let mut last = 0;
    for (id, value) in &fields.0 {
        match id - last {
            delta @ 1..=15 => out.push((delta as u8) << 4 | value.kind()),
            _ => {
                out.push(value.kind());
                zigzag(i64::from(*id), out);
            }
        }
        last = *id;
        if !matches!(value, Value::Bool(_)) {
            write_value(value, out);
        }
    }
    out.push(0);
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Bool(value) => out.push(if *value { kind::TRUE } else { kind::FALSE }),
        Value::Byte(value) => out.push(*value),
        Value::I16(value) => zigzag(i64::from(*value), out),
        Value::I32(value) => zigzag(i64::from(*value), out),
        Value::I64(value) => zigzag(*value, out),
        Value::Double(bytes) => out.extend(bytes),
        Value::Binary(bytes) => {
            varint(bytes.len() as u64, out);
            out.extend(bytes);
        }
        Value::List(kind, elements) => {
            match elements.len() {
                few @ 0..=14 => out.push((few as u8) << 4 | kind),
                many => {
                    out.push(0xf0 | kind);
                    varint(many as u64, out);
                }
            }
            elements.iter().for_each(|element| write_value(element, out));
        }
        Value::Struct(fields) => write_fields(fields, out),
        Value::Raw(_, bytes) => out.extend(bytes),
    }
}
