//! Pages of no values, which readers have to step over.

use pelton_tests::document::{Document, Page, page_header};
use pelton_tests::thrift::Value as Thrift;

use super::{Column, Storage};

/// Puts a page of no values in front of each nth data page. Its body is nothing in pages of version
/// 2, which say that it is uncompressed; in pages of version 1 it is the length of its levels.
/// Those are left out where the codec says more of few bytes than their length.
pub(super) fn add(document: &mut Document, every: usize, columns: &[Column], codec: &str) {
    let levels: Vec<Option<usize>> = columns.iter().flat_map(levels).collect();
    for group in &mut document.row_groups {
        for (chunk, levels) in group.iter_mut().zip(&levels) {
            let mut pages = Vec::new();
            for (index, page) in chunk.pages.drain(..).enumerate() {
                if index % every == 0 {
                    let body = levels.and_then(|levels| packed(&vec![0; levels * 4], codec));
                    pages.extend(empty(&page, body, levels.unwrap_or_default() * 4));
                }
                pages.push(page);
            }
            chunk.pages = pages;
        }
    }
}

/// Returns the kinds of levels of each leaf of a column; none in the depths of nested ones.
fn levels(column: &Column) -> Vec<Option<usize>> {
    fn leaves(storage: &Storage) -> usize {
        match storage {
            Storage::List(element) => leaves(element),
            Storage::Struct(fields) => fields.iter().map(|(_, of)| leaves(of)).sum(),
            _ => 1,
        }
    }
    match &column.storage {
        Storage::List(element) => vec![Some(2); leaves(element)],
        Storage::Struct(_) => vec![None; leaves(&column.storage)],
        _ => vec![Some(usize::from(column.nullable))],
    }
}

/// Returns a few bytes as a codec stores them without looking for repetitions.
fn packed(bytes: &[u8], codec: &str) -> Option<Vec<u8>> {
    let length = bytes.len() as u8;
    let mut packed = match codec {
        "uncompressed" => Vec::new(),
        "snappy" if bytes.is_empty() => vec![0],
        "snappy" => vec![length, (length - 1) << 2],
        "lz4_raw" => vec![length << 4],
        _ => return None,
    };
    packed.extend(bytes);
    Some(packed)
}

/// Returns a page of no values with the header of another, if it is a data page.
fn empty(page: &Page, body: Option<Vec<u8>>, size: usize) -> Option<Page> {
    let mut empty = page.clone();
    if page.header.get(page_header::DATA_V2).is_some() {
        let fields = empty.header.inner(page_header::DATA_V2);
        // numbers of values, nulls and rows, the plain encoding, and bytes of both kinds of levels
        for field in 1..=6 {
            fields.set(field, Thrift::I32(0));
        }
        fields.set(7, Thrift::Bool(false));
        fields.remove(8);
        empty.claim(0);
        empty.set_body(Vec::new());
    } else if page.header.get(page_header::DATA_V1).is_some() {
        let fields = empty.header.inner(page_header::DATA_V1);
        // the number of values, the plain encoding, and statistics
        fields.set(1, Thrift::I32(0));
        fields.set(2, Thrift::I32(0));
        fields.remove(5);
        empty.claim(size as i32);
        empty.set_body(body?);
    } else {
        return None;
    }
    Some(empty)
}
