//! Choice of the subtrees of a plan that run on the GPU.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use pelton_query::plan::{AcceleratedNode, NodeReport, Reason, Rewritten};

use crate::ir::{Operation, Query};
use crate::plan::lower;

/// Replaces the largest subtrees that can be lowered, from the root down. With `any_order`, rows
/// that are not sorted may come in any order.
///
/// # Errors
/// Only DataFusion's own errors.
pub(crate) fn rewrite(plan: LogicalPlan, name: &str, any_order: bool) -> Result<Rewritten> {
    let mut nodes = Vec::new();
    let mut reasons: Vec<Reason> = Vec::new();
    let plan = plan.transform_down(|plan| {
        if !reads_files(&plan) {
            return Ok(Transformed::new(plan, false, TreeNodeRecursion::Jump));
        }
        match lower(&plan, any_order) {
            Ok(query) => {
                let title = title(&query, nodes.len());
                nodes.push(NodeReport { title: title.clone(), text: query.to_string() });
                let payload = Arc::new(query);
                let node = AcceleratedNode { accelerator: name.to_owned(), title, cpu: plan, payload };
                Ok(Transformed::new(node.into_plan(), true, TreeNodeRecursion::Jump))
            }
            Err(why) => {
                for reason in why {
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
                Ok(Transformed::no(plan))
            }
        }
    })?;
    Ok(Rewritten { plan: plan.data, nodes, reasons })
}

/// Returns whether a subtree has a scan.
fn reads_files(plan: &LogicalPlan) -> bool {
    let mut found = false;
    let _ = plan.apply(|node| {
        found |= matches!(node, LogicalPlan::TableScan(_));
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    found
}

fn title(query: &Query, number: usize) -> String {
    let pipelines = query.operations.iter().map(|operation| match operation {
        Operation::Fill(fill) => fill.pipelines.len(),
        Operation::Index(_) | Operation::Sort(_) => 0,
    });
    let tables: Vec<&str> = query.scans.iter().map(|scan| scan.name.as_str()).collect();
    format!("node {number}: {} pipelines over {}", pipelines.sum::<usize>(), tables.join(", "))
}
