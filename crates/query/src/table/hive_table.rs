//! Tables of many files in `key=value` directories: conditions on these are evaluated before a
//! footer is read.

use std::sync::Arc;

use arrow::array::{Array, BooleanArray};
use arrow::compute::and_kleene;
use arrow::datatypes::{Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::cast::as_boolean_array;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::utils::split_conjunction;
use parking_lot::Mutex;
use pelton_pages::FooterTotals;
use pelton_pages::traffic::Traffic;

use super::delta::DeltaTable;
use super::files::{TableColumns, TableFiles, TableOptions};
use super::footer_cache::Opened;
use super::late::{LateTable, Unopened};
use super::listed::ListedTable;
use super::provider::PeltonTable;
use crate::error::{Error, Result};
use crate::scan::ScanContext;

/// Files that are opened all at once, whatever the conditions: their footers are read side by side,
/// and the optimiser knows the statistics of all of them.
const OPENED_WHOLE: usize = 16;

/// Opens the files at some places as one table. Those of many files in `key=value` directories are
/// opened when a query has said which directories it needs.
///
/// # Errors
/// There is no file, one can't be read, or their columns don't fit together.
pub(crate) async fn open_table(
    places: &[impl AsRef<str>],
    options: &TableOptions,
    context: &ScanContext,
) -> Result<Arc<dyn TableProvider>> {
    let filename = options.filename.as_deref();
    let listed = match ListedTable::list(places, options.hive, filename, &context.stores).await {
        Err(Error::Delta(_)) if places.len() == 1 && options.is_plain() => {
            return Ok(Arc::new(DeltaTable::open(places[0].as_ref(), None, context).await?));
        }
        listed => listed?,
    };
    if listed.partitions() > 0 && listed.locations.len() > OPENED_WHOLE && !options.union_by_name {
        return Ok(Arc::new(LateTable::new(HiveTable::new(listed, options, context).await?)));
    }
    let files = TableFiles::open(listed, options, None, &context.footers).await?;
    Ok(Arc::new(PeltonTable::over(files, context.clone())))
}

/// Files of which one footer was read, for the columns.
#[derive(Debug)]
struct HiveTable {
    listed: ListedTable,
    columns: TableColumns,
    options: TableOptions,
    context: ScanContext,
    /// The work of listing, and of reading the first footer, until a scan counts it.
    opening: Mutex<Option<(FooterTotals, Traffic)>>,
}

impl HiveTable {
    async fn new(mut listed: ListedTable, options: &TableOptions, context: &ScanContext) -> Result<Self> {
        let first = vec![listed.locations[0].clone()];
        let Opened { files, footers, mut traffic } = context.footers.open(first, &options.footers).await?;
        let columns = TableColumns::of(&files, &listed, options)?.nullable();
        traffic.add(std::mem::take(&mut listed.traffic));
        let opening = Mutex::new(Some((footers, traffic)));
        let (options, context) = (options.clone(), context.clone());
        Ok(Self { listed, columns, options, context, opening })
    }

    /// Returns which files' paths may meet the conditions; `None` if no condition is about them
    /// alone.
    fn keep(&self, state: &dyn Session, filters: &[Expr]) -> Option<BooleanArray> {
        let schema = Arc::new(Schema::new(self.listed.fields.clone()));
        let conditions = filters.iter().flat_map(split_conjunction);
        let of_paths = conditions.filter(|condition| {
            let columns = condition.column_refs();
            !columns.is_empty()
                && !condition.is_volatile()
                && columns.iter().all(|column| schema.index_of(&column.name).is_ok())
        });
        let rows = self.rows(&schema)?;
        let decided = of_paths.filter_map(|condition| decide(state, condition, &rows));
        decided.reduce(|one, other| and_kleene(&one, &other).unwrap_or(one))
    }

    /// Returns a row for each file, of the columns that its path gives.
    fn rows(&self, schema: &SchemaRef) -> Option<RecordBatch> {
        let column = |at: usize| {
            let values = self.listed.constants.iter().map(|values| values[at].clone());
            ScalarValue::iter_to_array(values).ok()
        };
        let columns = (0..schema.fields().len()).map(column).collect::<Option<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.listed.locations.len()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options).ok()
    }
}

/// Evaluates a condition for all files. Only a row for which it is true is in the result of a
/// query. A condition that can't be evaluated here rules nothing out.
fn decide(state: &dyn Session, condition: &Expr, rows: &RecordBatch) -> Option<BooleanArray> {
    let bare = unqualified(condition.clone())?;
    let schema = DFSchema::try_from(rows.schema()).ok()?;
    let physical = state.create_physical_expr(bare, &schema).ok()?;
    let value = physical.evaluate(rows).ok()?.into_array(rows.num_rows()).ok()?;
    let passes = as_boolean_array(&value).ok()?;
    Some((0..passes.len()).map(|index| Some(passes.is_valid(index) && passes.value(index))).collect())
}

/// Returns a condition over columns without the name of their table.
fn unqualified(condition: Expr) -> Option<Expr> {
    let bare = condition.transform(|part| {
        Ok(match part {
            Expr::Column(column) => Transformed::yes(Expr::Column(Column::new_unqualified(column.name))),
            other => Transformed::no(other),
        })
    });
    bare.ok().map(|bare| bare.data)
}

#[async_trait]
impl Unopened for HiveTable {
    fn schema(&self) -> &SchemaRef {
        &self.columns.schema
    }

    fn row_number(&self) -> Option<usize> {
        self.columns.row_number
    }

    async fn select(&self, state: &dyn Session, filters: &[Expr]) -> Result<PeltonTable> {
        let kept = self.keep(state, filters);
        let listed = match &kept {
            Some(kept) => self.listed.with_files(kept),
            None => self.listed.clone(),
        };
        let opened = TableFiles::open(listed, &self.options, Some(&self.columns), &self.context.footers);
        let before = self.opening.lock().take().unwrap_or_default();
        let files = opened.await?.pruned(self.listed.locations.len(), before);
        Ok(PeltonTable::over(files, self.context.clone()))
    }
}
