use arrow::array::{Date32Array, Float64Array, Int64Array, StringArray};

use super::*;

fn batch() -> RecordBatch {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("n", Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5]))),
        ("s", Arc::new(StringArray::from(vec![Some("a b/c"), None, Some(""), Some("é"), Some("a b/c")]))),
        ("d", Arc::new(Date32Array::from(vec![0, 0, 0, 0, 0]))),
        ("x", Arc::new(Float64Array::from(vec![1.5, 1.5, 1.5, 1.5, 1.5]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("equal lengths")
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn rows_go_to_the_folders_of_their_values() {
    let batch = batch();
    let partitioning = Partitioning::new(&batch.schema(), &names(&["S", "d"]), false).expect("columns");
    assert_eq!(partitioning.schema.fields().iter().map(|field| field.name()).collect::<Vec<_>>(), ["n", "x"]);
    let mut splitter = Splitter::new(&Arc::new(partitioning), &batch.schema()).expect("comparable");
    for _ in 0..2 {
        let parts = splitter.split(&batch).expect("good values");
        let found: Vec<_> =
            parts.iter().map(|part| (part.partition, part.folder.as_ref(), part.rows.num_rows())).collect();
        assert_eq!(
            found,
            [
                (0, "s=a%20b%2Fc/d=1970-01-01", 2),
                (1, "s=__HIVE_DEFAULT_PARTITION__/d=1970-01-01", 1),
                (2, "s=/d=1970-01-01", 1),
                (3, "s=%C3%A9/d=1970-01-01", 1),
            ]
        );
        let first: ArrayRef = Arc::new(Int64Array::from(vec![1, 5]));
        assert_eq!(parts[0].rows.column(0), &first);
    }
}

#[test]
fn columns_that_name_no_folder_are_refused() {
    let schema = batch().schema();
    for (columns, part) in [
        (&["nope"][..], "partition_by has nope, which is no column; there are n, s, d, x"),
        (&["n", "N"], "partition_by has n twice"),
        (&["*"], "add write_partition_columns"),
    ] {
        let error = Partitioning::new(&schema, &names(columns), false).expect_err(part);
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(Partitioning::new(&schema, &names(&["*"]), true).expect("all").schema.fields().len(), 4);
}

#[test]
fn the_text_that_stands_for_null_is_an_error() {
    let text: ArrayRef = Arc::new(StringArray::from(vec![NULL]));
    let batch = RecordBatch::try_from_iter([("s", text.clone()), ("t", text)]).expect("equal lengths");
    let partitioning = Partitioning::new(&batch.schema(), &names(&["s"]), false).expect("columns");
    let mut splitter = Splitter::new(&Arc::new(partitioning), &batch.schema()).expect("comparable");
    assert!(splitter.split(&batch).is_err());
}
