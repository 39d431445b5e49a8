//! Layout of rows in files: codec, pages, row groups, and pages without values.

use std::fmt::{self, Display};

use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;
use pelton_random::Random;
use pelton_tests::file::{codecs, small_pages};
use serde::{Deserialize, Serialize};

use super::{Column, Storage};

/// Properties of a table's files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// A codec's name in Parquet.
    pub codec: String,
    /// Most rows of a page.
    pub page_rows: usize,
    /// Most rows of a row group.
    pub group_rows: usize,
    /// Pages of version 2.
    pub version_2: bool,
    /// Statistics of chunks.
    pub statistics: bool,
    /// The page index, which takes statistics as well.
    pub page_index: bool,
    /// Bloom filters.
    pub bloom: bool,
    /// Minimum size of a dictionary at which the writer falls back to the plain encoding.
    pub dictionary_bytes: usize,
    /// A page of no values is put in front of each nth data page; 0 is none.
    pub empty_pages: usize,
    /// Pages have checksums.
    pub checksums: bool,
    /// Timestamps of nanoseconds without a zone are of 96 bits, where nothing is compressed.
    #[serde(default)]
    pub int96: bool,
    /// Files that the rows are split over.
    pub files: usize,
}

/// Encodings in addition to dictionaries; a column gets one that its type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// The writer's choice.
    Plain,
    /// DELTA_BINARY_PACKED for whole numbers, DELTA_LENGTH_BYTE_ARRAY for text.
    Delta,
    /// DELTA_BYTE_ARRAY for text.
    Prefixes,
    /// BYTE_STREAM_SPLIT for numbers.
    Streams,
    /// RLE for booleans.
    Runs,
}

impl Encoding {
    /// Returns a random one that the type has.
    pub fn random(random: &mut Random, storage: &Storage) -> Self {
        use Encoding::{Delta, Plain, Prefixes, Runs, Streams};
        let choices: &[Encoding] = match storage {
            Storage::Bool => &[Plain, Runs],
            Storage::Int(_) | Storage::UInt(_) => &[Plain, Delta, Streams],
            Storage::Date | Storage::Time(_) | Storage::Stamp(..) => &[Plain, Delta, Streams],
            Storage::Float | Storage::Double => &[Plain, Streams],
            Storage::Decimal(precision, _) if *precision <= 18 => &[Plain, Delta, Streams],
            Storage::Decimal(..) | Storage::Fixed(_) => &[Plain, Prefixes],
            Storage::Text | Storage::Bytes => &[Plain, Delta, Prefixes],
            Storage::List(_) | Storage::Struct(_) => &[Plain],
        };
        *random.pick(choices)
    }

    fn of(self, storage: &Storage) -> Option<parquet::basic::Encoding> {
        use parquet::basic::Encoding as Named;
        match self {
            Encoding::Plain => None,
            Encoding::Delta if matches!(storage, Storage::Text | Storage::Bytes) => {
                Some(Named::DELTA_LENGTH_BYTE_ARRAY)
            }
            Encoding::Delta => Some(Named::DELTA_BINARY_PACKED),
            Encoding::Prefixes => Some(Named::DELTA_BYTE_ARRAY),
            Encoding::Streams => Some(Named::BYTE_STREAM_SPLIT),
            Encoding::Runs => Some(Named::RLE),
        }
    }
}

impl Layout {
    /// Returns a random layout for a table of `rows` rows.
    pub fn random(random: &mut Random, rows: usize) -> Self {
        // DuckDB does not read the oldest kind of LZ4
        let codecs =
            codecs().map(|(name, _)| name).into_iter().filter(|name| *name != "lz4").collect::<Vec<_>>();
        let page_rows = *random.pick(&[1, 3, 7, 20, 100, 1000]);
        let group_rows = *random.pick(&[5, 40, 200, 1000, 100_000]);
        Layout {
            codec: random.pick(&codecs).to_string(),
            page_rows: page_rows.max(rows / 200),
            group_rows: group_rows.max(rows / 20).max(1),
            version_2: random.chance(0.4),
            statistics: random.chance(0.85),
            page_index: random.chance(0.6),
            bloom: random.chance(0.3),
            dictionary_bytes: *random.pick(&[40, 400, 1 << 20]),
            empty_pages: if random.chance(0.2) { random.below(3) + 1 } else { 0 },
            checksums: random.chance(0.2),
            int96: random.chance(0.5),
            files: if random.chance(0.2) { random.below(3) + 2 } else { 1 },
        }
    }

    /// Returns a layout without peculiarities.
    pub fn simplest() -> Self {
        Layout {
            codec: "uncompressed".to_owned(),
            page_rows: 100_000,
            group_rows: 100_000,
            version_2: false,
            statistics: false,
            page_index: false,
            bloom: false,
            dictionary_bytes: 1 << 20,
            empty_pages: 0,
            checksums: false,
            int96: false,
            files: 1,
        }
    }

    /// Returns the properties for the writer.
    pub fn properties(&self, columns: &[Column]) -> WriterProperties {
        let codec = codecs().into_iter().find(|(name, _)| *name == self.codec);
        let codec = codec.map_or(Compression::UNCOMPRESSED, |(_, codec)| codec);
        let statistics = match (self.page_index, self.statistics) {
            (true, _) => EnabledStatistics::Page,
            (false, true) => EnabledStatistics::Chunk,
            (false, false) => EnabledStatistics::None,
        };
        let version = if self.version_2 { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
        let mut properties = small_pages(codec, self.page_rows, self.group_rows)
            .set_writer_version(version)
            .set_statistics_enabled(statistics)
            .set_bloom_filter_enabled(self.bloom)
            .set_dictionary_page_size_limit(self.dictionary_bytes);
        for column in columns {
            let path = ColumnPath::from(column.name.clone());
            properties = properties.set_column_dictionary_enabled(path.clone(), column.dictionary);
            if let Some(encoding) = column.encoding.of(&column.storage) {
                properties = properties.set_column_encoding(path, encoding);
            }
        }
        properties.build()
    }
}

impl Display for Layout {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, pages of {} rows, groups of {}", self.codec, self.page_rows, self.group_rows)?;
        let words = [
            (self.version_2, "version 2"),
            (self.statistics, "statistics"),
            (self.page_index, "page index"),
            (self.bloom, "bloom filters"),
            (self.dictionary_bytes < 1 << 20, "small dictionaries"),
            (self.empty_pages > 0, "pages of no values"),
            (self.checksums, "checksums"),
            (self.int96, "timestamps of 96 bits"),
        ];
        for (_, word) in words.iter().filter(|(on, _)| *on) {
            write!(out, ", {word}")?;
        }
        if self.files > 1 { write!(out, ", {} files", self.files) } else { Ok(()) }
    }
}
