//! Footer validation: a bounded walk over a footer before parquet-rs parses it.
//!
//! parquet-rs allocates memory for the claimed number of row groups, and recurses for each level of
//! the schema. A false claim could end the process, which no [`panic_guard`](crate::panic_guard)
//! prevents. Codecs that Parquet does not define are reported with their place, which parquet-rs
//! omits. Headers of integer lists with another width than the format's, which parquet-rs refuses
//! although the bytes are the same, are corrected. Flags of exact bounds, which parquet-rs does not
//! pass on, are collected.

use std::cell::RefCell;

use crate::error::{Cause, Error, Place};
use crate::header::thrift::{Reader, ThriftError, is_integer, kind};

/// Field ids (parquet.thrift). `ENCRYPTION_ALGORITHM` is set if the footer is plaintext and columns
/// may be encrypted. `NUM_CHILDREN` counts the children of a group, which follow in depth-first
/// order.
mod id {
    pub mod file_metadata {
        pub const SCHEMA: i16 = 2;
        pub const ROW_GROUPS: i16 = 4;
        pub const ENCRYPTION_ALGORITHM: i16 = 8;
    }
    pub const SCHEMA_ELEMENT_NUM_CHILDREN: i16 = 5;
    pub const ROW_GROUP_COLUMNS: i16 = 1;
    pub const COLUMN_CHUNK_META_DATA: i16 = 3;
    pub mod column {
        pub const ENCODINGS: i16 = 2;
        pub const PATH: i16 = 3;
        pub const CODEC: i16 = 4;
        pub const STATISTICS: i16 = 12;
        pub const SIZE_STATISTICS: i16 = 16;
    }
    pub mod statistics {
        pub const IS_MAX_VALUE_EXACT: i16 = 7;
        pub const IS_MIN_VALUE_EXACT: i16 = 8;
    }
    /// Histograms of repetition levels and of definition levels.
    pub const SIZE_STATISTICS_HISTOGRAMS: std::ops::RangeInclusive<i16> = 2..=3;
}

/// Maximum depth of a schema. Each level takes stack in the parser, the conversion to Arrow types
/// and the planner. Usual schemas are far below, though a list and a map take two levels each.
const MAX_DEPTH: usize = 100;

/// Greatest number of a codec that Parquet defines (parquet.thrift, `CompressionCodec`).
const LAST_CODEC: i32 = 7;

/// Reason to refuse a footer.
enum Fault {
    Thrift(ThriftError),
    /// Place of a column, and its codec.
    Codec(Place, i32),
    Shape(String),
    Encrypted,
}

impl From<ThriftError> for Fault {
    fn from(error: ThriftError) -> Self {
        Fault::Thrift(error)
    }
}

/// Replacement of a byte of the footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Correction {
    /// Offset in the footer.
    pub at: usize,
    pub byte: u8,
}

/// Flags of a column chunk's bounds: the minimum occurs in a row, and the maximum does.
pub(super) type Exact = (bool, bool);

/// Results of the walk.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Corrections of list headers.
    pub corrections: Vec<Correction>,
    /// Flags of exact bounds, by row group and leaf column.
    pub exact: Vec<Vec<Exact>>,
}

/// Checks that parquet-rs can parse the footer, and returns corrections of its bytes. `place` is
/// the file.
pub(super) fn check(footer: &[u8], place: Place) -> Result<Findings, Error> {
    let findings = RefCell::<Findings>::default();
    match walk(&mut Reader::new(footer), &place, &findings) {
        Ok(()) => Ok(findings.into_inner()),
        Err(fault) => Err(match fault {
            Fault::Thrift(e) => {
                Error::new(place, Cause::NotParquet(format!("its footer does not parse: {e}")))
            }
            Fault::Codec(place, codec) => Error::new(place, Cause::UnsupportedCodec(codec.to_string())),
            Fault::Shape(what) => Error::new(place, Cause::NotParquet(what)),
            Fault::Encrypted => Error::new(place, Cause::Encrypted),
        }),
    }
}

fn walk(reader: &mut Reader<'_>, place: &Place, findings: &RefCell<Findings>) -> Result<(), Fault> {
    fields(reader, |reader, id, kind| match id {
        id::file_metadata::ENCRYPTION_ALGORITHM => Err(Fault::Encrypted),
        id::file_metadata::SCHEMA => check_schema(reader, kind),
        id::file_metadata::ROW_GROUPS => structs(reader, kind, |reader, row_group| {
            let place = place.clone().row_group(row_group);
            findings.borrow_mut().exact.push(Vec::new());
            fields(reader, |reader, id, kind| match id {
                id::ROW_GROUP_COLUMNS => {
                    structs(reader, kind, |reader, _| check_chunk(reader, &place, findings))
                }
                // skipping walks to the end of a list, so none has fewer elements than it claims
                _ => Ok(reader.skip(kind)?),
            })
        }),
        _ => Ok(reader.skip(kind)?),
    })
}

/// Calls `each` for the fields of a struct, with id and type.
fn fields<'a>(
    reader: &mut Reader<'a>,
    mut each: impl FnMut(&mut Reader<'a>, i16, u8) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut last = 0;
    while let Some((id, kind)) = reader.field(&mut last)? {
        each(reader, id, kind)?;
    }
    Ok(())
}

/// Calls `each` for the elements of a list of structs, with their numbers.
fn structs<'a>(
    reader: &mut Reader<'a>,
    kind: u8,
    mut each: impl FnMut(&mut Reader<'a>, usize) -> Result<(), Fault>,
) -> Result<(), Fault> {
    (0..list_of(reader, kind, kind::STRUCT)?).try_for_each(|index| each(reader, index))
}

/// Returns the number of elements of a list. Their type has to be `element`.
fn list_of(reader: &mut Reader<'_>, kind: u8, element: u8) -> Result<usize, ThriftError> {
    if kind != kind::LIST {
        return Err(ThriftError::BadType(kind));
    }
    match reader.list()? {
        // an empty list needs no type
        (_, 0) => Ok(0),
        (found, count) if found == element => Ok(count as usize),
        (found, _) => Err(ThriftError::BadType(found)),
    }
}

/// Walks a list of integers, and corrects its header if it does not name the type `wanted`. The
/// compact protocol writes integers of all widths above a byte alike (Thrift,
/// `thrift-compact-protocol.md`, "Integer encoding").
fn integers(
    reader: &mut Reader<'_>,
    kind: u8,
    wanted: u8,
    findings: &RefCell<Findings>,
) -> Result<(), Fault> {
    if kind != kind::LIST {
        return Err(ThriftError::BadType(kind).into());
    }
    let at = reader.position();
    let (found, count) = reader.list()?;
    if found != wanted && (count == 0 || is_integer(found)) {
        let size = reader.byte_at(at) & 0xf0;
        findings.borrow_mut().corrections.push(Correction { at, byte: size | wanted });
    }
    (0..count).try_for_each(|_| reader.skip(found)).map_err(Fault::from)
}

/// Walks the schema's elements. `open` counts the missing children of each unfinished group.
fn check_schema(reader: &mut Reader<'_>, kind: u8) -> Result<(), Fault> {
    let count = list_of(reader, kind, kind::STRUCT)?;
    let mut open: Vec<usize> = Vec::new();
    for index in 0..count {
        let mut children = 0;
        fields(reader, |reader, id, kind| {
            match id {
                id::SCHEMA_ELEMENT_NUM_CHILDREN => children = reader.i32(kind)?,
                _ => reader.skip(kind)?,
            }
            Ok(())
        })?;
        let follow = count - index - 1;
        let Some(children) = usize::try_from(children).ok().filter(|&children| children <= follow) else {
            return Err(Fault::Shape(format!(
                "a group of its schema claims {children} children, {follow} follow"
            )));
        };
        if let Some(missing) = open.last_mut() {
            *missing -= 1;
        }
        if children > 0 {
            open.push(children);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > MAX_DEPTH {
            return Err(Fault::Shape(format!("its schema nests more than {MAX_DEPTH} levels deep")));
        }
    }
    Ok(())
}

/// Walks a `ColumnChunk`, and checks its codec, its lists of integers and its flags.
fn check_chunk(
    reader: &mut Reader<'_>,
    row_group: &Place,
    findings: &RefCell<Findings>,
) -> Result<(), Fault> {
    let mut path: Vec<String> = Vec::new();
    let mut exact = Exact::default();
    let walked = fields(reader, |reader, id, kind| {
        if id != id::COLUMN_CHUNK_META_DATA || kind != kind::STRUCT {
            return Ok(reader.skip(kind)?);
        }
        fields(reader, |reader, id, kind| match id {
            id::column::PATH => {
                for _ in 0..list_of(reader, kind, kind::BINARY)? {
                    path.push(String::from_utf8_lossy(reader.binary(kind::BINARY)?).into_owned());
                }
                Ok(())
            }
            id::column::ENCODINGS => integers(reader, kind, kind::I32, findings),
            id::column::STATISTICS if kind == kind::STRUCT => {
                fields(reader, |reader, id, kind| match (id, kind) {
                    (id::statistics::IS_MIN_VALUE_EXACT, kind::TRUE) => {
                        exact.0 = true;
                        Ok(())
                    }
                    (id::statistics::IS_MAX_VALUE_EXACT, kind::TRUE) => {
                        exact.1 = true;
                        Ok(())
                    }
                    _ => Ok(reader.skip(kind)?),
                })
            }
            id::column::SIZE_STATISTICS if kind == kind::STRUCT => {
                fields(reader, |reader, id, kind| match id {
                    id if id::SIZE_STATISTICS_HISTOGRAMS.contains(&id) => {
                        integers(reader, kind, kind::I64, findings)
                    }
                    _ => Ok(reader.skip(kind)?),
                })
            }
            id::column::CODEC => match reader.i32(kind)? {
                0..=LAST_CODEC => Ok(()),
                codec => Err(Fault::Codec(row_group.clone().column(path.join(".")), codec)),
            },
            _ => Ok(reader.skip(kind)?),
        })
    });
    if let Some(group) = findings.borrow_mut().exact.last_mut() {
        group.push(exact);
    }
    walked
}
