//! A Parquet file taken apart into its pages and headers, to be changed and put together again.
//!
//! Source of the field ids: parquet-format, `src/main/thrift/parquet.thrift`. Bloom filters are not
//! kept.

use crate::thrift::{Struct, Value};

/// Field ids of `PageHeader`.
pub mod page_header {
    /// Type of page, an `i32`; see `PageType` of parquet.thrift.
    pub const PAGE_TYPE: i16 = 1;
    /// Size after decompression, an `i32`.
    pub const UNCOMPRESSED_SIZE: i16 = 2;
    /// Size in the file, an `i32`.
    pub const COMPRESSED_SIZE: i16 = 3;
    /// CRC-32 of the page's bytes in the file, an `i32`.
    pub const CRC: i16 = 4;
    /// `DataPageHeader`.
    pub const DATA_V1: i16 = 5;
    /// `DictionaryPageHeader`.
    pub const DICTIONARY: i16 = 7;
    /// `DataPageHeaderV2`.
    pub const DATA_V2: i16 = 8;
}

/// Field ids of `FileMetaData`.
pub mod file_metadata {
    /// List of `SchemaElement`.
    pub const SCHEMA: i16 = 2;
    /// An `i64`.
    pub const NUM_ROWS: i16 = 3;
    /// List of `RowGroup`.
    pub const ROW_GROUPS: i16 = 4;
    /// `EncryptionAlgorithm`.
    pub const ENCRYPTION_ALGORITHM: i16 = 8;
}

/// Field ids of `RowGroup`.
pub mod row_group {
    /// List of `ColumnChunk`.
    pub const COLUMNS: i16 = 1;
    /// An `i64`.
    pub const NUM_ROWS: i16 = 3;
}

/// Field ids of `ColumnChunk`.
mod column_chunk {
    pub const FILE_OFFSET: i16 = 2;
    pub const META_DATA: i16 = 3;
    pub const OFFSET_INDEX: (i16, i16) = (4, 5);
    pub const COLUMN_INDEX: (i16, i16) = (6, 7);
}

/// Field ids of `ColumnMetaData`.
pub mod column {
    /// Physical type, an `i32`.
    pub const TYPE: i16 = 1;
    /// List of names.
    pub const PATH: i16 = 3;
    /// Codec, an `i32`.
    pub const CODEC: i16 = 4;
    /// An `i64`.
    pub const NUM_VALUES: i16 = 5;
    /// An `i64`.
    pub const UNCOMPRESSED_SIZE: i16 = 6;
    /// An `i64`.
    pub const COMPRESSED_SIZE: i16 = 7;
    /// An `i64`.
    pub const DATA_PAGE_OFFSET: i16 = 9;
    /// An `i64`.
    pub const DICTIONARY_PAGE_OFFSET: i16 = 11;
    /// `Statistics`.
    pub const STATISTICS: i16 = 12;
    /// An `i64`.
    pub const BLOOM_FILTER_OFFSET: i16 = 14;
    /// An `i32`.
    pub const BLOOM_FILTER_LENGTH: i16 = 15;
}

/// One page.
#[derive(Debug, Clone)]
pub struct Page {
    /// `PageHeader`.
    pub header: Struct,
    /// Bytes after the header.
    pub body: Vec<u8>,
}

/// One column chunk.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// `ColumnChunk`.
    pub chunk: Struct,
    /// Dictionary page, then data pages.
    pub pages: Vec<Page>,
    /// `OffsetIndex`: offsets and sizes in it are made anew when the file is.
    pub offset_index: Option<Struct>,
    /// `ColumnIndex`.
    pub column_index: Option<Struct>,
}

/// A file.
#[derive(Debug, Clone)]
pub struct Document {
    /// `FileMetaData`.
    pub footer: Struct,
    /// Column chunks by row group.
    pub row_groups: Vec<Vec<Chunk>>,
}

const MAGIC: &[u8; 4] = b"PAR1";

/// Returns the footer of a file, and where it starts.
pub fn footer(file: &[u8]) -> (Struct, usize) {
    let tail = file.len() - 8;
    let length = u32::from_le_bytes(file[tail..tail + 4].try_into().expect("four bytes")) as usize;
    (Struct::read(&file[tail - length..tail]).0, tail - length)
}

impl Document {
    /// Takes a well-formed file apart.
    pub fn parse(file: &[u8]) -> Self {
        let (mut footer, _) = footer(file);
        let mut row_groups = Vec::new();
        for group in footer.list(file_metadata::ROW_GROUPS) {
            let columns = group.fields().list(row_group::COLUMNS);
            row_groups
                .push(columns.iter_mut().map(|column| Chunk::parse(file, column.fields().clone())).collect());
        }
        Self { footer, row_groups }
    }

    /// Returns the file. Offsets are made to fit; sizes that headers and footer claim are left as
    /// they are, except for the chunks' compressed ones.
    pub fn write(&self) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        let mut groups = self.row_groups.clone();
        for chunk in groups.iter_mut().flatten() {
            chunk.write_pages(&mut file);
        }
        for chunk in groups.iter_mut().flatten() {
            let Chunk { chunk, offset_index, column_index, .. } = chunk;
            let indexes =
                [(offset_index, column_chunk::OFFSET_INDEX), (column_index, column_chunk::COLUMN_INDEX)];
            for (index, (offset, length)) in indexes {
                if let Some(index) = index {
                    let bytes = index.write();
                    chunk.set(offset, Value::I64(file.len() as i64));
                    chunk.set(length, Value::I32(bytes.len() as i32));
                    file.extend(bytes);
                }
            }
        }
        let mut footer = self.footer.clone();
        if let Value::List(_, entries) = footer.at(file_metadata::ROW_GROUPS) {
            for (entry, chunks) in entries.iter_mut().zip(groups) {
                let columns = chunks.into_iter().map(|chunk| Value::Struct(chunk.chunk)).collect();
                *entry.fields().list(row_group::COLUMNS) = columns;
            }
        }
        let footer = footer.write();
        file.extend(&footer);
        file.extend((footer.len() as u32).to_le_bytes());
        file.extend(MAGIC);
        file
    }

    /// Returns every page of every chunk.
    pub fn pages(&mut self) -> impl Iterator<Item = &mut Page> {
        self.row_groups.iter_mut().flatten().flat_map(|chunk| &mut chunk.pages)
    }

    /// Drops the page index.
    pub fn drop_page_index(&mut self) {
        for chunk in self.row_groups.iter_mut().flatten() {
            (chunk.offset_index, chunk.column_index) = (None, None);
        }
    }

    /// Adds to each page the CRC-32 of its bytes, as parquet.thrift defines it.
    pub fn add_checksums(&mut self) {
        for page in self.pages() {
            let crc = pelton_codec::checksum(pelton_codec::Checksum::Crc32, &page.body) as u32;
            page.header.set(page_header::CRC, Value::I32(crc as i32));
        }
    }

    /// Returns the struct of a row group in the footer.
    pub fn row_group(&mut self, index: usize) -> &mut Struct {
        self.footer.list(file_metadata::ROW_GROUPS)[index].fields()
    }
}

impl Chunk {
    fn parse(file: &[u8], mut chunk: Struct) -> Self {
        let index = |(offset, length): (i16, i16)| {
            chunk.get(offset)?;
            let (start, length) = (chunk.int(offset) as usize, chunk.int(length) as usize);
            Some(Struct::read(&file[start..start + length]).0)
        };
        let (offset_index, column_index) =
            (index(column_chunk::OFFSET_INDEX), index(column_chunk::COLUMN_INDEX));
        for (offset, length) in [column_chunk::OFFSET_INDEX, column_chunk::COLUMN_INDEX] {
            chunk.remove(offset);
            chunk.remove(length);
        }
        let meta = chunk.inner(column_chunk::META_DATA);
        meta.remove(column::BLOOM_FILTER_OFFSET);
        meta.remove(column::BLOOM_FILTER_LENGTH);
        let first = meta.get(column::DICTIONARY_PAGE_OFFSET).or_else(|| meta.get(column::DATA_PAGE_OFFSET));
        let mut at = first.expect("a chunk has an offset").int() as usize;
        let end = at + meta.int(column::COMPRESSED_SIZE) as usize;
        let mut pages = Vec::new();
        while at < end {
            let (header, length) = Struct::read(&file[at..end]);
            let size = header.int(page_header::COMPRESSED_SIZE) as usize;
            let body = file[at + length..at + length + size].to_vec();
            at += length + size;
            pages.push(Page { header, body });
        }
        Self { chunk, pages, offset_index, column_index }
    }

    /// `ColumnMetaData`.
    pub fn meta(&mut self) -> &mut Struct {
        self.chunk.inner(column_chunk::META_DATA)
    }

    fn write_pages(&mut self, file: &mut Vec<u8>) {
        let start = file.len();
        let mut data = Vec::new();
        for page in &self.pages {
            let at = file.len();
            file.extend(page.header.write());
            file.extend(&page.body);
            if page.is_data() {
                data.push((at, file.len() - at));
            }
        }
        let has_dictionary = self.pages.first().is_some_and(|page| !page.is_data());
        let size = (file.len() - start) as i64;
        self.chunk.set(column_chunk::FILE_OFFSET, Value::I64(start as i64));
        let meta = self.meta();
        meta.set(column::COMPRESSED_SIZE, Value::I64(size));
        meta.set(column::DATA_PAGE_OFFSET, Value::I64(data.first().map_or(start, |(at, _)| *at) as i64));
        if has_dictionary {
            meta.set(column::DICTIONARY_PAGE_OFFSET, Value::I64(start as i64));
        } else {
            meta.remove(column::DICTIONARY_PAGE_OFFSET);
        }
        if let Some(index) = &mut self.offset_index {
            // OffsetIndex.page_locations; PageLocation: offset, compressed_page_size (with its
            // header), first_row_index
            for (location, (at, length)) in index.list(1).iter_mut().zip(data) {
                location.fields().set(1, Value::I64(at as i64));
                location.fields().set(2, Value::I32(length as i32));
            }
        }
    }
}

impl Page {
    /// Returns whether it holds rows: a dictionary does not, and neither do pages of other types.
    pub fn is_data(&self) -> bool {
        matches!(self.header.int(page_header::PAGE_TYPE), 0 | 3)
    }

    /// Replaces the bytes after the header, and the header's claim of their number.
    pub fn set_body(&mut self, body: Vec<u8>) {
        self.header.set(page_header::COMPRESSED_SIZE, Value::I32(body.len() as i32));
        self.body = body;
    }

    /// Changes the header's claim of the size after decompression.
    pub fn claim(&mut self, uncompressed: i32) {
        self.header.set(page_header::UNCOMPRESSED_SIZE, Value::I32(uncompressed));
    }
}
