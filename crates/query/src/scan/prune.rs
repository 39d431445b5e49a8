//! Pruning of row groups and pages by statistics, page index and bloom filters.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, UInt64Array};
use arrow::datatypes::SchemaRef;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::pruning::{PruningPredicate, PruningPredicateBuilder};
use pelton_pages::prune::PageRows;
use pelton_pages::{BloomFilters, BloomValue, ParquetFile, RowRanges, intersect};

use crate::table::bounds::{self, Bounds};

/// Conditions in a form that statistics can decide.
pub(super) struct Pruner {
    predicates: Vec<Arc<PruningPredicate>>,
}

impl Pruner {
    /// `conditions` are over columns of `schema`, which are in the files under the same names.
    pub fn new<'a>(conditions: impl Iterator<Item = &'a Arc<dyn PhysicalExpr>>, schema: &SchemaRef) -> Self {
        let predicates = conditions
            .filter_map(|condition| {
                PruningPredicateBuilder::new().with_file_schema(schema.clone()).build(condition.clone())
            })
            .collect();
        Self { predicates }
    }

    /// Returns whether there is nothing to check.
    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty()
    }

    /// Returns the columns that conditions compare with constants: their bloom filters are worth
    /// reading.
    pub fn literal_columns(&self) -> Vec<String> {
        let mut columns: Vec<_> =
            self.predicates.iter().flat_map(|predicate| predicate.literal_columns()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Returns whether any row of the row group may pass. An undecided condition passes.
    pub fn row_group(&self, file: &ParquetFile, row_group: usize, blooms: Option<&BloomFilters>) -> bool {
        let statistics = RowGroup { file, row_group, blooms };
        // statistics that don't fit the condition rule nothing out
        self.predicates.iter().all(|predicate| predicate.prune(&statistics).map_or(true, |keep| keep[0]))
    }

    /// Returns the rows of a row group that may pass by the page index.
    pub fn pages(&self, file: &ParquetFile, row_group: usize) -> RowRanges {
        let rows = file.metadata().row_group(row_group).num_rows() as usize;
        let mut wanted: RowRanges = vec![0..rows];
        for predicate in &self.predicates {
            // pages of different columns don't line up, so the index can't decide a condition over
            // two columns
            let Some(column) = predicate.required_columns().single_column() else { continue };
            let Some(pages) = Pages::new(file, row_group, column.name()) else { continue };
            if let Ok(keep) = predicate.prune(&pages) {
                wanted =
                    intersect(&wanted, &pages.rows.kept(|page| keep.get(page).copied().unwrap_or(false)));
            }
        }
        wanted
    }
}

/// The statistics of one row group.
struct RowGroup<'a> {
    file: &'a ParquetFile,
    row_group: usize,
    blooms: Option<&'a BloomFilters>,
}

impl RowGroup<'_> {
    fn bounds(&self, column: &Column) -> Option<Bounds> {
        let converter = bounds::converter(self.file, column.name())?;
        bounds::of_row_group(self.file, &converter, self.row_group)
    }

    fn rows(&self) -> UInt64Array {
        UInt64Array::from(vec![self.file.metadata().row_group(self.row_group).num_rows() as u64])
    }
}

impl PruningStatistics for RowGroup<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        Some(self.bounds(column)?.mins)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        Some(self.bounds(column)?.maxes)
    }

    fn num_containers(&self) -> usize {
        1
    }

    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        let group = std::slice::from_ref(self.file.metadata().row_group(self.row_group));
        let counts = bounds::converter(self.file, column.name())?.row_group_null_counts(group).ok()?;
        Some(Arc::new(bounds::null_counts(&counts, &self.rows())?))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        Some(Arc::new(self.rows()))
    }

    #[allow(clippy::mutable_key_type)] // the trait's signature
    fn contained(&self, column: &Column, values: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        let bloom = self.blooms?.get(column.name())?;
        let may_hold =
            values.iter().any(|value| bloom_value(value).is_none_or(|value| bloom.may_contain(value)));
        // false: certainly none of the values; null: unknown
        Some(BooleanArray::from(vec![if may_hold { None } else { Some(false) }]))
    }
}

/// Returns a value in the form that bloom filters hash; `None` if that form depends on the writer.
pub(crate) fn bloom_value(value: &ScalarValue) -> Option<BloomValue<'_>> {
    Some(match value {
        ScalarValue::Int32(Some(v)) | ScalarValue::Date32(Some(v)) => BloomValue::I32(*v),
        ScalarValue::Int8(Some(v)) => BloomValue::I32((*v).into()),
        ScalarValue::Int16(Some(v)) => BloomValue::I32((*v).into()),
        ScalarValue::UInt8(Some(v)) => BloomValue::I32((*v).into()),
        ScalarValue::UInt16(Some(v)) => BloomValue::I32((*v).into()),
        ScalarValue::UInt32(Some(v)) => BloomValue::I32(*v as i32),
        ScalarValue::Int64(Some(v)) => BloomValue::I64(*v),
        ScalarValue::UInt64(Some(v)) => BloomValue::I64(*v as i64),
        ScalarValue::Utf8(Some(v)) | ScalarValue::LargeUtf8(Some(v)) | ScalarValue::Utf8View(Some(v)) => {
            BloomValue::Bytes(v.as_bytes())
        }
        ScalarValue::Binary(Some(v))
        | ScalarValue::LargeBinary(Some(v))
        | ScalarValue::BinaryView(Some(v)) => BloomValue::Bytes(v),
        _ => return None,
    })
}

/// The page index of one column of one row group.
struct Pages<'a> {
    file: &'a ParquetFile,
    row_group: usize,
    column: &'a str,
    rows: PageRows,
}

impl<'a> Pages<'a> {
    fn new(file: &'a ParquetFile, row_group: usize, column: &'a str) -> Option<Self> {
        let rows = PageRows::new(file, &bounds::converter(file, column)?, row_group)?;
        Some(Self { file, row_group, column, rows })
    }

    /// Returns the bounds of the pages, if they are valid.
    fn bounds(&self) -> Option<Bounds> {
        let converter = bounds::converter(self.file, self.column)?;
        bounds::of_pages(self.file, &converter, self.row_group)
    }
}

impl PruningStatistics for Pages<'_> {
    fn min_values(&self, _: &Column) -> Option<ArrayRef> {
        Some(self.bounds()?.mins)
    }

    fn max_values(&self, _: &Column) -> Option<ArrayRef> {
        Some(self.bounds()?.maxes)
    }

    fn num_containers(&self) -> usize {
        self.rows.pages()
    }

    fn null_counts(&self, _: &Column) -> Option<ArrayRef> {
        let (metadata, groups) = (self.file.metadata(), [self.row_group]);
        let converter = bounds::converter(self.file, self.column)?;
        let counts =
            converter.data_page_null_counts(metadata.column_index()?, metadata.offset_index()?, &groups);
        Some(Arc::new(bounds::null_counts(&counts.ok()?, &self.rows.counts())?))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        Some(Arc::new(self.rows.counts()))
    }

    #[allow(clippy::mutable_key_type)] // the trait's signature
    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
