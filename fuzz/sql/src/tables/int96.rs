//! Timestamps of 96 bits, which old writers write: nanoseconds of a day, and the number of the
//! Julian day.

use pelton_tests::document::{Chunk, Document, Page, column, file_metadata, page_header};
use pelton_tests::thrift::Value as Thrift;

use super::{Column, Encoding, Storage, Unit};

/// INT96 among physical types.
const INT96: i32 = 3;

/// The Julian day of 1970-01-01.
const EPOCH: i64 = 2_440_588;

const NANOS_A_DAY: i64 = 86_400_000_000_000;

/// Field ids of `SchemaElement`, of `FileMetaData`, and of the headers of data pages.
const ELEMENT_TYPE: i16 = 1;
const ELEMENT_NAME: i16 = 4;
const ELEMENT_CONVERTED: i16 = 6;
const ELEMENT_LOGICAL: i16 = 10;
const KEY_VALUES: i16 = 5;
const V1_ENCODING: i16 = 2;
const V1_STATISTICS: i16 = 5;
const V2_ENCODING: i16 = 4;
const V2_DEFINITIONS: i16 = 5;
const V2_STATISTICS: i16 = 8;

/// Turns columns of nanoseconds without a zone into INT96, in a file without compression.
pub(super) fn rewrite(document: &mut Document, columns: &[Column]) {
    let is_one = |column: &&Column| {
        column.storage == Storage::Stamp(Unit::Nanos, false) && column.encoding == Encoding::Plain
    };
    let columns: Vec<&Column> = columns.iter().filter(is_one).collect();
    if columns.is_empty() {
        return;
    }
    document.drop_page_index();
    // the schema of Arrow's that the writer adds
    document.footer.remove(KEY_VALUES);
    let is_named = |name: &Thrift, column: &Column| matches!(name, Thrift::Binary(name) if *name == column.name.as_bytes());
    for element in document.footer.list(file_metadata::SCHEMA) {
        let element = element.fields();
        let name = element.get(ELEMENT_NAME).cloned();
        if columns.iter().any(|column| name.as_ref().is_some_and(|name| is_named(name, column))) {
            element.set(ELEMENT_TYPE, Thrift::I32(INT96));
            element.remove(ELEMENT_CONVERTED);
            element.remove(ELEMENT_LOGICAL);
        }
    }
    for chunk in document.row_groups.iter_mut().flatten() {
        let path = chunk.meta().list(column::PATH).clone();
        let column = match path.as_slice() {
            [name] => columns.iter().find(|column| is_named(name, column)),
            _ => None,
        };
        if let Some(column) = column {
            rewrite_chunk(chunk, column.nullable);
        }
    }
}

fn rewrite_chunk(chunk: &mut Chunk, nullable: bool) {
    for page in &mut chunk.pages {
        rewrite_page(page, nullable);
    }
    let size = chunk.pages.iter().map(|page| (page.header.write().len() + page.body.len()) as i64).sum();
    let meta = chunk.meta();
    meta.set(column::TYPE, Thrift::I32(INT96));
    meta.set(column::UNCOMPRESSED_SIZE, Thrift::I64(size));
    meta.remove(column::STATISTICS);
    meta.remove(column::BLOOM_FILTER_OFFSET);
    meta.remove(column::BLOOM_FILTER_LENGTH);
}

/// Widens the values of a page, which follow its levels.
fn rewrite_page(page: &mut Page, nullable: bool) {
    let (header, body) = (&mut page.header, &page.body);
    let values = if header.get(page_header::DICTIONARY).is_some() {
        0
    } else if header.get(page_header::DATA_V2).is_some() {
        let fields = header.inner(page_header::DATA_V2);
        fields.remove(V2_STATISTICS);
        if fields.int(V2_ENCODING) != 0 {
            return;
        }
        fields.int(V2_DEFINITIONS) as usize
    } else {
        let fields = header.inner(page_header::DATA_V1);
        fields.remove(V1_STATISTICS);
        if fields.int(V1_ENCODING) != 0 {
            return;
        }
        match body.first_chunk::<4>().filter(|_| nullable) {
            Some(length) => 4 + u32::from_le_bytes(*length) as usize,
            None => 0,
        }
    };
    let (levels, values) = body.split_at(values);
    let mut wide = levels.to_vec();
    for value in values.as_chunks::<8>().0 {
        let nanos = i64::from_le_bytes(*value);
        wide.extend(nanos.rem_euclid(NANOS_A_DAY).to_le_bytes());
        wide.extend(((nanos.div_euclid(NANOS_A_DAY) + EPOCH) as i32).to_le_bytes());
    }
    page.claim(wide.len() as i32);
    page.set_body(wide);
}
