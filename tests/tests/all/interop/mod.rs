//! Files of other engines read by Pelton, and files of Pelton's read by pyarrow, DuckDB and polars.
//! Values are exchanged as plain Arrow, so that they compare exactly. Streams of the block encoder
//! are read by other languages.

mod back;
mod deflate;
mod forth;
mod hadoop;

use std::fs::File;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow_ipc::reader::FileReader;
use pelton_tests::render;

/// Returns the batches of an Arrow file.
pub(crate) fn arrow_file(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let reader = FileReader::try_new(file, None).expect("an Arrow file");
    reader.collect::<Result<_, _>>().expect("an Arrow file")
}

fn names(batches: &[RecordBatch]) -> Vec<String> {
    let fields = batches.first().map(|batch| batch.schema().fields().clone());
    fields.iter().flatten().map(|field| field.name().clone()).collect()
}

/// Panics unless the columns have the same values. Those of `except` are not looked at.
pub(crate) fn assert_same_values(
    found: &[RecordBatch],
    expected: &[RecordBatch],
    except: &[&str],
    context: &str,
) {
    if crate::support::rows(expected) == 0 {
        assert_eq!(crate::support::rows(found), 0, "{context}");
        return;
    }
    assert_eq!(names(found), names(expected), "{context}: columns");
    for name in names(expected).iter().filter(|name| !except.contains(&name.as_str())) {
        let (found, expected) = (render::column(found, name), render::column(expected, name));
        assert_eq!(found.len(), expected.len(), "{context}: rows of {name}");
        if let Some(row) = (0..found.len()).find(|&row| found[row] != expected[row]) {
            panic!("{context}: {name}, row {row}: {}, expected {}", found[row], expected[row]);
        }
    }
}
