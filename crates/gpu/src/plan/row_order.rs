//! Row order of a query that does not sort its rows.

use datafusion::logical_expr::LogicalPlan;

/// Reason for which the CPU runs a part whose rows have to come in the files' order: the kernels'
/// threads write rows as they find room for them.
pub(super) const REASON: &str =
    "its rows keep the order of the files, which a GPU's pipelines do not; --any-order gives it up";

/// Returns whether the rows of a plan come in the order of files: no sort, join or aggregate stands
/// between them. The CPU's rule for the same plans is `KeepRowOrder` of the query engine.
pub(super) fn is_in_file_order(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::Projection(projection) => is_in_file_order(&projection.input),
        LogicalPlan::Filter(filter) => is_in_file_order(&filter.input),
        LogicalPlan::SubqueryAlias(alias) => is_in_file_order(&alias.input),
        LogicalPlan::Limit(limit) => is_in_file_order(&limit.input),
        LogicalPlan::Union(union) => union.inputs.iter().any(|input| is_in_file_order(input)),
        _ => false,
    }
}
