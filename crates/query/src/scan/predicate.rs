//! Conditions of a scan: the plan's expressions, turned into filter stages over a file's columns.

mod order;
mod segments;

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::BooleanArray;
use arrow::datatypes::Schema;
use arrow::record_batch::RecordBatch;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Result as DataFusionResult, ScalarValue, Statistics};
use datafusion::logical_expr::{ColumnarValue, Operator};
use datafusion::physical_expr::expressions::{
    BinaryExpr, CastExpr, Column, DynamicFilterPhysicalExpr, IsNotNullExpr, IsNullExpr, Literal,
};
use datafusion::physical_expr::utils::{conjunction, split_conjunction};
use datafusion::physical_expr_common::physical_expr::{PhysicalExpr, snapshot_physical_expr};
use pelton_pages::{Condition, Filter, FilterEffectiveness, FilterStage};

use self::segments::SegmentsExpr;
use super::dynamic_filter_union;
use super::join_keys::{KeyBitmapExpr, ScanKeys, is_implied};
use crate::error::Error;
use crate::floats::canonical_batch;
use crate::table::{TableFile, TableFiles};
use crate::tree::Tree;

/// Returns a condition over the output's columns, as one over the table's.
pub(super) fn to_table_columns(
    expression: Arc<dyn PhysicalExpr>,
    projection: &[usize],
    schema: &Schema,
) -> DataFusionResult<Arc<dyn PhysicalExpr>> {
    let renumber =
        |node: Arc<dyn PhysicalExpr>| {
            let Some(column) = node.downcast_ref::<Column>() else { return Ok(Transformed::no(node)) };
            let index = projection[column.index()];
            Ok(Transformed::yes(
                Arc::new(Column::new(schema.field(index).name(), index)) as Arc<dyn PhysicalExpr>
            ))
        };
    expression.transform_down(renumber).map(|transformed| transformed.data)
}

/// Returns whether a condition only speeds the query up: a filter for a join, a top-k or an
/// aggregate that checks the rows itself.
pub(super) fn is_dynamic(expression: &Arc<dyn PhysicalExpr>) -> bool {
    !dynamic_parts(expression).is_empty()
}

/// Returns the dynamic filters in a condition.
pub(super) fn dynamic_parts(expression: &Arc<dyn PhysicalExpr>) -> Vec<Arc<DynamicFilterPhysicalExpr>> {
    let mut found = Vec::new();
    let walked = expression.apply(|node| {
        if node.downcast_ref::<DynamicFilterPhysicalExpr>().is_some() {
            let any: Arc<dyn std::any::Any + Send + Sync> = node.clone();
            found.extend(any.downcast::<DynamicFilterPhysicalExpr>());
        }
        Ok(TreeNodeRecursion::Continue)
    });
    debug_assert!(walked.is_ok(), "the visitor returns no error");
    found
}

/// Returns the columns that an expression reads, ascending.
pub(super) fn columns(expression: &Arc<dyn PhysicalExpr>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let walked = expression.apply(|node| {
        found.extend(node.downcast_ref::<Column>().map(Column::index));
        Ok(TreeNodeRecursion::Continue)
    });
    debug_assert!(walked.is_ok(), "the visitor returns no error");
    found
}

/// Effectiveness of the parts of a dynamic condition. Each kind has its own: nearly all rows may be
/// within the bounds of a join's keys, though few have one of the keys.
#[derive(Debug, Default)]
pub(super) struct DynamicEffectiveness {
    bitmaps: Arc<FilterEffectiveness>,
    bounds: Arc<FilterEffectiveness>,
    others: Arc<FilterEffectiveness>,
}

impl DynamicEffectiveness {
    fn of(&self, part: &Arc<dyn PhysicalExpr>) -> &Arc<FilterEffectiveness> {
        if part.downcast_ref::<KeyBitmapExpr>().is_some() {
            &self.bitmaps
        } else if part.downcast_ref::<BinaryExpr>().is_some() {
            &self.bounds
        } else {
            &self.others
        }
    }
}

/// Returns the current conditions, split into conjuncts, with the present state of dynamic ones.
/// They are over columns of `schema`.
pub(super) fn snapshot(
    predicates: &[Arc<dyn PhysicalExpr>],
    effectiveness: &[DynamicEffectiveness],
    keys: &ScanKeys,
    schema: &Schema,
) -> DataFusionResult<Vec<Conjunct>> {
    let mut conjuncts = Vec::new();
    for (index, predicate) in predicates.iter().enumerate() {
        let effectiveness = effectiveness.get(index).filter(|_| is_dynamic(predicate));
        let mut current = snapshot_physical_expr(predicate.clone())?;
        if effectiveness.is_some() {
            current = keys.with_bitmaps(predicate, current, schema)?;
            let parts = split_conjunction(&current).into_iter().cloned();
            current = conjunction(
                parts
                    .map(|part| dynamic_filter_union::union_of(part, schema))
                    .collect::<DataFusionResult<Vec<_>>>()?,
            );
        }
        let parts = split_conjunction(&current);
        for part in &parts {
            if effectiveness.is_some() && distinguishes_zeros(part, schema) {
                continue;
            }
            let literal = part.downcast_ref::<Literal>();
            if !literal.is_some_and(|literal| literal.value() == &ScalarValue::Boolean(Some(true))) {
                let effectiveness = effectiveness.map(|effectiveness| effectiveness.of(part));
                let only_prunes = effectiveness.is_some_and(|effectiveness| {
                    effectiveness.is_ineffective() || parts.iter().any(|test| is_implied(part, test))
                });
                let effectiveness = effectiveness.cloned();
                conjuncts.push(Conjunct { expression: (*part).clone(), effectiveness, only_prunes });
            }
        }
    }
    Ok(conjuncts)
}

/// Returns whether a dynamic condition may drop -0.0 where its operator takes it for 0.0: a join's
/// filter on float keys compares bits. The strict bounds of a top-k or an aggregate don't.
fn distinguishes_zeros(condition: &Arc<dyn PhysicalExpr>, schema: &Schema) -> bool {
    let (mut has_floats, mut is_strict) = (false, true);
    let walked = condition.apply(|node| {
        has_floats |= node.data_type(schema).is_ok_and(|data_type| data_type.is_floating());
        let is_leaf = node.downcast_ref::<Column>().is_some() || node.downcast_ref::<Literal>().is_some();
        let is_null =
            node.downcast_ref::<IsNullExpr>().is_some() || node.downcast_ref::<IsNotNullExpr>().is_some();
        let is_comparison = node.downcast_ref::<BinaryExpr>().is_some_and(|binary| {
            matches!(binary.op(), Operator::Lt | Operator::Gt | Operator::And | Operator::Or)
        });
        is_strict &= is_leaf || is_null || is_comparison;
        Ok(TreeNodeRecursion::Continue)
    });
    debug_assert!(walked.is_ok(), "the visitor returns no error");
    has_floats && !is_strict
}

/// One condition among several that all have to hold.
#[derive(Debug, Clone)]
pub(super) struct Conjunct {
    pub expression: Arc<dyn PhysicalExpr>,
    /// Present if the plan checks the condition again, so that the scan may leave it out.
    pub effectiveness: Option<Arc<FilterEffectiveness>>,
    /// True if the condition is compared with statistics alone: another one implies it, or it left
    /// most rows in where it was evaluated. In sorted files the next row group may have none that
    /// pass.
    pub only_prunes: bool,
}

impl Conjunct {
    /// Returns whether both share their effectiveness, or have none.
    fn shares_effectiveness(&self, other: &Self) -> bool {
        match (&self.effectiveness, &other.effectiveness) {
            (Some(own), Some(theirs)) => Arc::ptr_eq(own, theirs),
            (None, None) => true,
            _ => false,
        }
    }
}

/// Returns the conditions with the file's partition values in place of partition columns, for
/// pruning.
pub(super) fn bound(
    conjuncts: &[Conjunct],
    table: &TableFiles,
    file: &TableFile,
) -> DataFusionResult<Vec<Arc<dyn PhysicalExpr>>> {
    conjuncts.iter().map(|conjunct| bind_partitions(conjunct.expression.clone(), table, file)).collect()
}

/// The conditions as they apply to one file.
pub(super) enum FileFilter {
    /// No row of the file can pass.
    Nothing,
    /// The stages to run; every row passes an empty list.
    Stages(Vec<FilterStage>),
}

/// Turns conjuncts into stages for a file, in the order of evaluation. Partition columns are
/// constants of the file.
pub(super) fn stages(
    conjuncts: &[Conjunct],
    table: &TableFiles,
    file: &TableFile,
    statistics: &Statistics,
) -> DataFusionResult<FileFilter> {
    let mut evaluated = Vec::new();
    for conjunct in conjuncts {
        let bound = bind_partitions(conjunct.expression.clone(), table, file)?;
        if columns(&bound).is_empty() {
            if !holds(&bound)? {
                return Ok(FileFilter::Nothing);
            }
            continue;
        }
        if conjunct.only_prunes {
            continue;
        }
        evaluated.push(Conjunct { expression: bound, ..conjunct.clone() });
    }
    let stages = order::stages(evaluated, &table.schema, statistics);
    stages
        .into_iter()
        .map(|conditions| stage(conditions, table, file))
        .collect::<DataFusionResult<_>>()
        .map(FileFilter::Stages)
}

fn bind_partitions(
    expression: Arc<dyn PhysicalExpr>,
    table: &TableFiles,
    file: &TableFile,
) -> DataFusionResult<Arc<dyn PhysicalExpr>> {
    let bind = |node: Arc<dyn PhysicalExpr>| {
        let column = node.downcast_ref::<Column>();
        match column.and_then(|column| table.constant(file, column.index())) {
            Some(value) => Ok(Transformed::yes(Arc::new(Literal::new(value)) as Arc<dyn PhysicalExpr>)),
            None => Ok(Transformed::no(node)),
        }
    };
    expression.transform_down(bind).map(|transformed| transformed.data)
}

/// Returns the value of a condition without columns.
fn holds(expression: &Arc<dyn PhysicalExpr>) -> DataFusionResult<bool> {
    let options = arrow::record_batch::RecordBatchOptions::new().with_row_count(Some(1));
    let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options)?;
    Ok(match expression.evaluate(&row)? {
        ColumnarValue::Scalar(value) => value == ScalarValue::Boolean(Some(true)),
        ColumnarValue::Array(array) => as_boolean_array(&array)?.true_count() == 1,
    })
}

/// Returns one filter stage of conjuncts. Conjuncts over the same single column become one
/// condition, evaluated once.
fn stage(conjuncts: Vec<Conjunct>, table: &TableFiles, file: &TableFile) -> DataFusionResult<FilterStage> {
    let mut groups: Vec<Conjunct> = Vec::new();
    for conjunct in conjuncts {
        let own = columns(&conjunct.expression);
        let joined = groups.iter_mut().find(|group| {
            own.len() == 1 && group.shares_effectiveness(&conjunct) && columns(&group.expression) == own
        });
        match joined {
            Some(group) => {
                group.expression = conjunction([group.expression.clone(), conjunct.expression]);
            }
            None => groups.push(conjunct),
        }
    }
    let conditions = groups
        .into_iter()
        .map(|group| condition(group, table, file))
        .collect::<DataFusionResult<Vec<_>>>()?;
    let all: BTreeSet<usize> = conditions.iter().flat_map(|one| one.columns.iter().copied()).collect();
    Ok(FilterStage { columns: all.into_iter().collect(), conditions })
}

fn condition(conjunct: Conjunct, table: &TableFiles, file: &TableFile) -> DataFusionResult<Condition> {
    let wanted: BTreeSet<usize> =
        columns(&conjunct.expression).into_iter().filter_map(|column| file.column(column)).collect();
    let wanted: Vec<usize> = wanted.into_iter().collect();
    let schema = file.file.schema();
    let renumber = |node: Arc<dyn PhysicalExpr>| {
        let Some(column) = node.downcast_ref::<Column>() else { return Ok(Transformed::no(node)) };
        // columns that are not in the file are constants by now
        let Some(in_file) = file.column(column.index()) else { return Ok(Transformed::no(node)) };
        let index = wanted.iter().position(|&w| w == in_file).unwrap_or_default();
        let read: Arc<dyn PhysicalExpr> = Arc::new(Column::new(schema.field(in_file).name(), index));
        Ok(Transformed::yes(match table.cast(file, column.index()) {
            Some(united) => Arc::new(CastExpr::new(read, united.clone(), None)),
            None => read,
        }))
    };
    let search = |node: Arc<dyn PhysicalExpr>| {
        Ok(match SegmentsExpr::of(&node, &table.schema) {
            Some(like) => Transformed::yes(Arc::new(like) as Arc<dyn PhysicalExpr>),
            None => Transformed::no(node),
        })
    };
    let expression = conjunct.expression.transform_up(search)?.data.transform_up(renumber)?.data;
    Ok(Condition { columns: wanted, filter: Arc::new(Conjunct { expression, ..conjunct }) })
}

impl Filter for Conjunct {
    fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray, String> {
        let batch = &canonical_batch(batch).map_err(|e| e.to_string())?;
        let value = self.expression.evaluate(batch).and_then(|value| value.into_array(batch.num_rows()));
        let array = value.map_err(|e| Error::from(e).to_string())?;
        Ok(as_boolean_array(&array).map_err(|e| Error::from(e).to_string())?.clone())
    }

    fn note(&self, rows: usize, passed: usize) {
        if let Some(effectiveness) = &self.effectiveness {
            effectiveness.note(rows, passed);
        }
    }
}
