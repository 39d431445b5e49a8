//! Pelton's scan against parquet-rs's own reader: the same rows from the same files, whatever is
//! pruned, skipped or decoded late.

mod bloom;
mod dictionary_filters;
mod keys;
mod membership;
mod nested;
mod scan_ranges;
mod statistics;
mod types;

use arrow::array::{Array, ArrayRef, BooleanArray, RecordBatch, Scalar};
use arrow::compute::kernels::cmp;
use arrow::compute::{and_kleene, concat_batches, filter_record_batch, is_not_null, is_null, or_kleene};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use pelton::Engine;
use pelton_random::Random;
use pelton_tests::compare::assert_same;

use crate::support::{Scratch, engine, sql};

/// A file, as parquet-rs reads it.
struct Reference {
    scratch: Scratch,
    path: String,
    engine: Engine,
    rows: RecordBatch,
}

impl Reference {
    fn new(file: Vec<u8>) -> Self {
        let scratch = Scratch::new();
        let path = scratch.write("file.parquet", &file);
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file)).expect("a good file");
        let schema = reader.schema().clone();
        let reader = reader.build().expect("a good file");
        let batches: Vec<_> = reader.collect::<Result<_, _>>().expect("a good file");
        let rows = concat_batches(&schema, &batches).expect("batches of one file");
        Self { scratch, path, engine: engine(), rows }
    }

    fn column(&self, name: &str) -> &ArrayRef {
        self.rows.column_by_name(name).unwrap_or_else(|| panic!("there is no column {name}"))
    }

    fn names(&self) -> Vec<String> {
        self.rows.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Runs `SELECT columns FROM … rest` and compares with those columns of `expected`.
    fn check(&self, columns: &[&str], rest: &str, expected: &RecordBatch, context: &str) {
        let quoted: Vec<_> = columns.iter().map(|name| format!("\"{name}\"")).collect();
        let query = format!("SELECT {} FROM '{}' {rest}", quoted.join(", "), self.path);
        let found = sql(&self.engine, &query).unwrap_or_else(|e| panic!("{context}: {query}: {e}"));
        let indices: Vec<_> =
            columns.iter().map(|name| expected.schema().index_of(name).expect("a column")).collect();
        let expected = expected.project(&indices).expect("columns that there are");
        assert_same(&in_file_order(found, &expected), &[expected], &format!("{context}: {query}"));
    }

    /// All rows for which the condition holds, some columns of them.
    fn check_filter(&self, columns: &[&str], condition: &Condition, context: &str) {
        let mask = condition.mask(self);
        let expected = filter_record_batch(&self.rows, &mask).expect("a mask of the same length");
        self.check(columns, &format!("WHERE {}", condition.sql(self)), &expected, context);
    }
}

/// Puts rows in order: by `id`, where there is one. The partitions of a scan return their rows in
/// turns.
fn in_file_order(found: Vec<RecordBatch>, expected: &RecordBatch) -> Vec<RecordBatch> {
    let Ok(id) = expected.schema().index_of("id") else { return found };
    let Some(first) = found.first() else { return found };
    let all = concat_batches(&first.schema(), &found).expect("batches of one result");
    let order = arrow::compute::sort_to_indices(all.column(id), None, None).expect("ids can be sorted");
    vec![arrow::compute::take_record_batch(&all, &order).expect("indices of the same rows")]
}

/// A condition, both as SQL and as Arrow evaluates it. Values are those of a row of the file.
#[derive(Debug, Clone)]
enum Condition {
    Compare(String, &'static str, usize),
    In(String, Vec<usize>),
    Null(String),
    NotNull(String),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Condition {
    /// Returns a condition on a column, or two of them.
    fn random(reference: &Reference, columns: &[String], random: &mut Random) -> Self {
        let rows = reference.rows.num_rows();
        let one = |random: &mut Random| {
            let column = random.pick(columns).clone();
            match random.below(9) {
                0 => Condition::Null(column),
                1 => Condition::NotNull(column),
                2 => Condition::In(column, (0..3).map(|_| random.below(rows)).collect()),
                _ => {
                    let operator = random.pick(&["=", "<>", "<", "<=", ">", ">="]);
                    Condition::Compare(column, operator, random.below(rows))
                }
            }
        };
        let first = one(random);
        match random.below(4) {
            0 => Condition::And(Box::new(first), Box::new(one(random))),
            1 => Condition::Or(Box::new(first), Box::new(one(random))),
            _ => first,
        }
    }

    fn sql(&self, reference: &Reference) -> String {
        match self {
            Condition::Compare(column, operator, row) => {
                format!("\"{column}\" {operator} {}", literal(reference.column(column), *row))
            }
            Condition::In(column, rows) => {
                let values: Vec<_> = rows.iter().map(|row| literal(reference.column(column), *row)).collect();
                format!("\"{column}\" IN ({})", values.join(", "))
            }
            Condition::Null(column) => format!("\"{column}\" IS NULL"),
            Condition::NotNull(column) => format!("\"{column}\" IS NOT NULL"),
            Condition::And(a, b) => format!("({}) AND ({})", a.sql(reference), b.sql(reference)),
            Condition::Or(a, b) => format!("({}) OR ({})", a.sql(reference), b.sql(reference)),
        }
    }

    /// Returns a mask of the passing rows; null does not pass.
    fn mask(&self, reference: &Reference) -> BooleanArray {
        let compare = |column: &String, operator: &str, row: usize| {
            let array = reference.column(column);
            let value = Scalar::new(array.slice(row, 1));
            let compared = match operator {
                "=" => cmp::eq(array, &value),
                "<>" => cmp::neq(array, &value),
                "<" => cmp::lt(array, &value),
                "<=" => cmp::lt_eq(array, &value),
                ">" => cmp::gt(array, &value),
                _ => cmp::gt_eq(array, &value),
            };
            compared.expect("values of one column can be compared")
        };
        match self {
            Condition::Compare(column, operator, row) => compare(column, operator, *row),
            Condition::In(column, rows) => {
                let each = rows.iter().map(|row| compare(column, "=", *row));
                each.reduce(|a, b| or_kleene(&a, &b).expect("masks of one length")).expect("there are values")
            }
            Condition::Null(column) => is_null(reference.column(column)).expect("any array has nulls or not"),
            Condition::NotNull(column) => {
                is_not_null(reference.column(column)).expect("any array has nulls or not")
            }
            Condition::And(a, b) => {
                and_kleene(&a.mask(reference), &b.mask(reference)).expect("masks of one length")
            }
            Condition::Or(a, b) => {
                or_kleene(&a.mask(reference), &b.mask(reference)).expect("masks of one length")
            }
        }
    }
}

/// Returns a value of a column as SQL, in the column's own type.
fn literal(array: &dyn Array, row: usize) -> String {
    if array.is_null(row) {
        return "NULL".to_owned();
    }
    let of = array.data_type();
    let text = ArrayFormatter::try_new(array, &FormatOptions::default()).expect("the type can be shown");
    let text = text.value(row).to_string();
    match of {
        arrow::datatypes::DataType::Binary | arrow::datatypes::DataType::LargeBinary => format!("X'{text}'"),
        of => format!("arrow_cast('{}', '{of}')", text.replace('\'', "''")),
    }
}
