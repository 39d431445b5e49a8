use arrow::array::{Date32Array, Float64Array, Int64Array, StringArray};

use datafusion::execution::memory_pool::{GreedyMemoryPool, MemoryConsumer, MemoryPool};

use super::*;

/// Lanes with files for all partitions of the tests but one's.
const LANES: Lanes = Lanes { count: 2, open_files: 4 };

fn reservation(limit: usize) -> MemoryReservation {
    let pool: Arc<dyn MemoryPool> = Arc::new(GreedyMemoryPool::new(limit));
    MemoryConsumer::new("COPY").register(&pool)
}

fn splitter(partitioning: Partitioning, schema: &Schema, lanes: Lanes, limit: usize) -> Splitter {
    Splitter::new(&Arc::new(partitioning), schema, lanes, reservation(limit)).expect("comparable")
}

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
    let mut splitter = splitter(partitioning, &batch.schema(), LANES, 1 << 20);
    for _ in 0..2 {
        let split = splitter.split(&batch).expect("good values");
        assert!(split.sorted.is_empty());
        let parts = split.open;
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

/// The first partitions that are found get the files, and the rows of all others are sorted.
#[test]
fn rows_of_further_partitions_are_sorted() {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..40).map(|row| row % 10)));
    let batch = RecordBatch::try_from_iter([("k", numbers.clone()), ("n", numbers)]).expect("equal lengths");
    let partitioning = Partitioning::new(&batch.schema(), &names(&["k"]), false).expect("columns");
    let lanes = Lanes { count: 2, open_files: 1 };
    let mut splitter = splitter(partitioning, &batch.schema(), lanes, 1 << 20);
    for first in [0, 40] {
        let split = splitter.split(&batch).expect("good values");
        let open: Vec<_> = split.open.iter().map(|part| (part.partition, part.rows.num_rows())).collect();
        assert_eq!(open, [(0, 4), (1, 4)]);
        let sorted: Vec<_> = split.sorted.iter().map(|(lane, rows)| (*lane, rows.num_rows())).collect();
        assert_eq!(sorted, [(0, 16), (1, 16)]);
        for (lane, rows) in &split.sorted {
            assert_eq!(rows.schema_ref(), splitter.keyed());
            let all = (0..40).filter(|row| row % 10 > 1 && row % 2 == *lane).collect::<Vec<_>>();
            let expected: ArrayRef =
                Arc::new(keys(all.iter().map(|row| key(row % 10, first + *row as u64)).collect()));
            assert_eq!(rows.column(1), &expected);
        }
    }
    let folders: Vec<String> = (0..10).map(|number| format!("k={number}")).collect();
    assert_eq!(splitter.into_folders().iter().map(|folder| folder.to_string()).collect::<Vec<_>>(), folders);
}

#[test]
fn names_of_folders_count_towards_the_limit() {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let batch = RecordBatch::try_from_iter([("k", numbers.clone()), ("n", numbers)]).expect("equal lengths");
    let partitioning = Partitioning::new(&batch.schema(), &names(&["k"]), false).expect("columns");
    let mut splitter = splitter(partitioning, &batch.schema(), LANES, 1000 * PARTITION_BYTES);
    let error = splitter.split(&batch).err().expect("the names need more");
    assert!(matches!(error, Error::Memory(_)), "{error}");
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
    let mut splitter = splitter(partitioning, &batch.schema(), LANES, 1 << 20);
    assert!(splitter.split(&batch).is_err());
}
