//! A page's header with another size in it.

use super::edit::{Field, Result, edit};
use crate::header::thrift::{Reader, kind};

/// Field ids (parquet.thrift, `PageHeader` and `DataPageHeaderV2`).
mod id {
    pub const COMPRESSED_SIZE: i16 = 3;
    pub const CRC: i16 = 4;
    pub const DATA_V2: i16 = 8;
    pub const IS_COMPRESSED: i16 = 7;
}

/// The header `head` for a body of `size` bytes, whose CRC-32 is `crc` if the header has one.
/// `is_compressed` is for pages of version 2.
pub(super) fn rewrite(head: &[u8], size: i32, crc: Option<u32>, is_compressed: bool) -> Result<Vec<u8>> {
    edit(&mut Reader::new(head), &[], |reader, id, kind| {
        Ok(match (id, kind) {
            (id::COMPRESSED_SIZE, _) => Field::I32(size),
            (id::CRC, _) => crc.map_or(Field::Keep, |crc| Field::I32(crc as i32)),
            (id::DATA_V2, kind::STRUCT) => {
                // one that does not say is compressed
                let missing: &[_] =
                    if is_compressed { &[] } else { &[(id::IS_COMPRESSED, Field::Bool(false))] };
                let bytes = edit(reader, missing, |_, id, _| {
                    Ok(if id == id::IS_COMPRESSED { Field::Bool(is_compressed) } else { Field::Keep })
                })?;
                Field::Bytes(kind, bytes)
            }
            _ => Field::Keep,
        })
    })
}
