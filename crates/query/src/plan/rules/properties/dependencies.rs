//! Functional dependencies, which DataFusion keeps where they no longer hold.
//!
//! A GROUP BY makes its keys determine each row. DataFusion then drops DISTINCT, keys of ORDER BY
//! and keys of GROUP BY that such keys determine. It takes keys for unique behind joins that repeat
//! them, under a second GROUP BY and behind `unnest`, and adds the columns that it holds determined
//! to the keys of a GROUP BY. So no dependency leaves a relation of FROM during SQL planning, and
//! none reaches an operator that would carry it over wrongly during optimisation.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{
    DFSchema, DFSchemaRef, Dependency, FunctionalDependencies, Result, internal_datafusion_err,
};
use datafusion::logical_expr::logical_plan::Unnest;
use datafusion::logical_expr::planner::{
    PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning,
};
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::sql::sqlparser::ast::{Ident, TableAlias, TableFactor};

use crate::plan::rules::numbers::mixed_numbers::coerce_unions;
use crate::plan::sql::mentioned;
use crate::tree::PlanTree;

/// Drops the dependencies of every relation of FROM, so that no key is added to a GROUP BY.
#[derive(Debug)]
pub(crate) struct PlainRelations;

/// Alias that marks a relation during its planning, against endless recursion.
const PLANNING: &str = "__pelton_relation";

impl RelationPlanner for PlainRelations {
    fn plan_relation(
        &self,
        mut relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (TableFactor::Derived { alias, .. } | TableFactor::Table { alias, args: None, .. }) =
            &mut relation
        else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        if alias.as_ref().is_some_and(|alias| alias.name.value == PLANNING) {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        }
        let name = Ident::with_quote('"', PLANNING);
        let planning = TableAlias { explicit: true, name, columns: Vec::new(), at: None };
        let alias = alias.replace(planning);
        let table = match &relation {
            TableFactor::Table { name, .. } => Some(name.to_string()),
            _ => None,
        };
        let plan = match context.plan(relation)? {
            LogicalPlan::SubqueryAlias(aliased) => Arc::unwrap_or_clone(aliased.input),
            other => other,
        };
        let plan = match table {
            Some(table) => mentioned(plan, &table)?,
            None => plan,
        };
        Ok(RelationPlanning::Planned(Box::new(PlannedRelation::new(forget(coerce_unions(plan)?)?, alias))))
    }
}

/// Removes the nodes of [`PlainRelations`], before rules that know only DataFusion's nodes.
#[derive(Debug)]
pub(in crate::plan::rules) struct KnownNodes;

impl AnalyzerRule for KnownNodes {
    fn name(&self) -> &str {
        "known_nodes"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        without_nodes(plan)
    }
}

/// Drops the dependencies below operators that carry them over wrongly.
#[derive(Debug)]
pub(in crate::plan::rules) struct SoundDependencies;

impl AnalyzerRule for SoundDependencies {
    fn name(&self) -> &str {
        "sound_dependencies"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        plan.transform_all_up(|plan| sound(plan).map(Transformed::yes)).map(|transformed| transformed.data)
    }
}

/// Returns an operator with sound dependencies. Its inputs are sound already.
fn sound(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        // rows are repeated, and columns move
        LogicalPlan::Unnest(unnest) => {
            let input = forget(Arc::unwrap_or_clone(unnest.input))?;
            Unnest::try_new(Arc::new(input), unnest.exec_columns, unnest.options).map(LogicalPlan::Unnest)
        }
        LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, .. }) => {
            let input = without_partial(Arc::unwrap_or_clone(input))?;
            Aggregate::try_new(Arc::new(input), group_expr, aggr_expr).map(LogicalPlan::Aggregate)
        }
        // becomes an aggregate, and the operators above have to see its keys
        LogicalPlan::Distinct(Distinct::All(input)) if !input.schema().fields().is_empty() => {
            let input = Arc::unwrap_or_clone(input);
            if is_unique(input.schema()) {
                return Ok(input);
            }
            let columns = input.schema().columns().into_iter().map(Expr::Column).collect();
            let input = without_partial(input)?;
            Aggregate::try_new(Arc::new(input), columns, Vec::new()).map(LogicalPlan::Aggregate)
        }
        LogicalPlan::Distinct(Distinct::On(mut distinct)) => {
            distinct.input = Arc::new(forget(Arc::unwrap_or_clone(distinct.input))?);
            rows(LogicalPlan::Distinct(Distinct::On(distinct)))
        }
        plan => plan.recompute_schema(),
    }
}

/// Returns whether each row is unique by some of its columns.
fn is_unique(schema: &DFSchema) -> bool {
    let width = schema.fields().len();
    let mut dependencies = schema.functional_dependencies().iter();
    dependencies.any(|known| known.mode == Dependency::Single && known.target_indices.len() == width)
}

/// Returns the input of an aggregate without partial dependencies: the aggregate takes a key of
/// some columns for a key of all.
fn without_partial(plan: LogicalPlan) -> Result<LogicalPlan> {
    let width = plan.schema().fields().len();
    let mut dependencies = plan.schema().functional_dependencies().iter();
    match dependencies.any(|known| known.target_indices.len() < width) {
        true => rows(plan),
        false => Ok(plan),
    }
}

fn has_dependencies(schema: &DFSchema) -> bool {
    !schema.functional_dependencies().is_empty()
}

/// Returns the rows of a plan, without dependencies between their columns.
fn forget(plan: LogicalPlan) -> Result<LogicalPlan> {
    match has_dependencies(plan.schema()) {
        true => rows(plan),
        false => Ok(plan),
    }
}

fn rows(input: LogicalPlan) -> Result<LogicalPlan> {
    let schema = independent(input.schema())?;
    Ok(LogicalPlan::Extension(Extension { node: Arc::new(Rows { input, schema }) }))
}

fn independent(schema: &DFSchema) -> Result<DFSchemaRef> {
    let none = FunctionalDependencies::empty();
    schema.clone().with_functional_dependencies(none).map(Arc::new)
}

/// Returns the plan to execute: each [`Rows`] is replaced by its input.
pub(crate) fn without_nodes(plan: LogicalPlan) -> Result<LogicalPlan> {
    let bare = plan.transform_all_up(|plan| match &plan {
        LogicalPlan::Extension(Extension { node }) => match node.as_any().downcast_ref::<Rows>() {
            Some(rows) => Ok(Transformed::yes(rows.input.clone())),
            None => Ok(Transformed::no(plan)),
        },
        _ => Ok(Transformed::no(plan)),
    })?;
    Ok(bare.data)
}

/// The rows of its input, unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Rows {
    input: LogicalPlan,
    schema: DFSchemaRef,
}

impl PartialOrd for Rows {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.input.partial_cmp(&other.input)
    }
}

impl UserDefinedLogicalNodeCore for Rows {
    fn name(&self) -> &str {
        "Rows"
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn prevent_predicate_push_down_columns(&self) -> HashSet<String> {
        HashSet::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Self> {
        let [input] = <[LogicalPlan; 1]>::try_from(inputs)
            .map_err(|inputs| internal_datafusion_err!("{} inputs for one", inputs.len()))?;
        Ok(Self { schema: independent(input.schema())?, input })
    }

    fn necessary_children_exprs(&self, output_columns: &[usize]) -> Option<Vec<Vec<usize>>> {
        Some(vec![output_columns.to_vec()])
    }

    fn supports_limit_pushdown(&self) -> bool {
        true
    }
}
