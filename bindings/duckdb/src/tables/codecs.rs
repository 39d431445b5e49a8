//! `pelton_codecs(files)`: how each column chunk is compressed.

use std::fmt::Display;

use parquet::basic::Compression;

use super::{Cell, StatusTable};
use crate::resources::resources;
use crate::scan::{list, names, open_all};
use crate::settings::Settings;
use crate::sys::{Bind, Parameter, Type};

pub(super) struct Codecs;

impl StatusTable for Codecs {
    const NAME: &'static str = "pelton_codecs";
    const COLUMNS: &'static [(&'static str, Type)] = &[
        ("file", Type::Varchar),
        ("row_group", Type::UBigInt),
        ("column", Type::Varchar),
        ("codec", Type::Varchar),
        ("encodings", Type::Varchar),
        ("compressed_bytes", Type::UBigInt),
        ("uncompressed_bytes", Type::UBigInt),
        ("ratio", Type::Double),
    ];

    fn parameters() -> Vec<Parameter> {
        // A VARCHAR, or a list of VARCHARs.
        vec![Parameter { name: None, of: Type::Any }]
    }

    fn rows(bind: &dyn Bind) -> Result<Vec<Vec<Cell>>, String> {
        let paths = list(&names(Self::NAME, bind.argument(0))?)?;
        let resources = resources(&Settings::of(bind, None)?)?;
        let files = open_all(&resources, &paths)?;
        let mut rows = Vec::new();
        for file in &files {
            for (number, group) in file.metadata().row_groups().iter().enumerate() {
                rows.extend(group.columns().iter().map(|chunk| {
                    let (small, large) = (chunk.compressed_size() as u64, chunk.uncompressed_size() as u64);
                    let encodings: Vec<String> = chunk.encodings().map(lower).collect();
                    vec![
                        Cell::Text(file.location().name().to_string()),
                        Cell::Count(number as u64),
                        Cell::Text(chunk.column_path().string()),
                        Cell::Text(codec(chunk.compression())),
                        Cell::Text(encodings.join(",")),
                        Cell::Count(small),
                        Cell::Count(large),
                        // A chunk without values may have no bytes.
                        if small > 0 { Cell::Number(large as f64 / small as f64) } else { Cell::Null },
                    ]
                }));
            }
        }
        Ok(rows)
    }
}

fn lower(name: impl Display) -> String {
    name.to_string().to_lowercase()
}

/// Returns the codec's name without its level, which files don't have.
fn codec(codec: Compression) -> String {
    match codec {
        Compression::UNCOMPRESSED => "none".to_owned(),
        Compression::GZIP(_) => "gzip".to_owned(),
        Compression::ZSTD(_) => "zstd".to_owned(),
        Compression::BROTLI(_) => "brotli".to_owned(),
        other => lower(other),
    }
}
