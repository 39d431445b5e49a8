//! Plans of common subplans, made once the optimizer has moved conditions to their mentions.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::logical_plan::Filter;
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};

use super::mentions::{Mention, Mentions, with_definitions, with_shared};
use super::table::{CommonSubplan, SharedColumns};
use super::{conditions, cost, errors};
use crate::plan::shared::SharedPlan;

/// Plans the common subplans of an optimised plan, and returns the plan that reads their rows.
/// `executable` prepares an optimised plan for the physical planner.
///
/// # Errors
/// A part can't be planned.
pub(in crate::plan) async fn resolved(
    mut plan: LogicalPlan,
    state: &SessionState,
    executable: impl Fn(LogicalPlan) -> Result<LogicalPlan>,
) -> Result<LogicalPlan> {
    let mut apart: Vec<usize> = Vec::new();
    let subplans = loop {
        match definitions(&plan, state, &apart)? {
            Planned::Together(subplans) => break subplans,
            Planned::Apart(more) => {
                apart.extend(more);
                let whole = with_definitions(plan, &apart)?;
                plan = match whole.transformed {
                    true => optimised(whole.data, state)?,
                    false => whole.data,
                };
            }
        }
    };
    let mut shared = HashMap::new();
    // in front of those that mention them
    for subplan in subplans.into_iter().rev() {
        let definition = executable(with_shared(subplan.optimised, &shared)?)?;
        let rows = DefaultPhysicalPlanner::default().create_physical_plan(&definition, state).await?;
        let plan = Arc::new(SharedPlan::new(subplan.common.id, rows)?);
        shared.insert(subplan.common.id, SharedColumns { plan, columns: subplan.columns });
    }
    if shared.is_empty() { Ok(plan) } else { with_shared(plan, &shared) }
}

/// The decision about the common subplans of a plan.
enum Planned {
    /// All are shared. Each stands behind those that mention it.
    Together(Vec<Subplan>),
    /// The ones of these numbers are not worth it.
    Apart(Vec<usize>),
}

/// A common subplan that is shared.
struct Subplan {
    common: Arc<CommonSubplan>,
    optimised: LogicalPlan,
    columns: Vec<usize>,
}

/// Optimises the definitions of a plan's common subplans, but for those that are not shared.
fn definitions(plan: &LogicalPlan, state: &SessionState, apart: &[usize]) -> Result<Planned> {
    let mut mentions = Mentions::default();
    mentions.add(plan)?;
    let (mut subplans, mut more) = (Vec::new(), Vec::new());
    // subplans with mentions that are not counted yet
    let mut open = Mentions::default();
    // a subplan has a greater number than those that it mentions
    while let Some(id) = mentions.0.keys().max().copied() {
        let Some((common, of_all)) = mentions.0.remove(&id) else { break };
        let is_open = open.0.contains_key(&id);
        let subplan = match is_open {
            true => None,
            false => together(&common, &of_all, state, apart)?,
        };
        match subplan {
            Some(subplan) => {
                mentions.add(&subplan.optimised)?;
                subplans.push(subplan);
            }
            None => {
                open.add(&common.definition)?;
                more.extend((!is_open).then_some(id));
            }
        }
    }
    Ok(if more.is_empty() { Planned::Together(subplans) } else { Planned::Apart(more) })
}

/// Returns the plan that makes the rows of a common subplan for all of its mentions; `None` if it
/// is not to be shared.
fn together(
    common: &Arc<CommonSubplan>,
    mentions: &[Mention],
    state: &SessionState,
    apart: &[usize],
) -> Result<Option<Subplan>> {
    if mentions.len() < 2 || errors::may_appear(&common.definition, mentions)? {
        return Ok(None);
    }
    let columns = columns(mentions);
    let mut rows = with_definitions(common.definition.clone(), apart)?.data;
    for condition in conditions::of_all(&common.definition, mentions) {
        rows = LogicalPlan::Filter(Filter::try_new(condition, Arc::new(rows))?);
    }
    let optimised = optimised(common.named(rows, &columns, None)?, state)?;
    let pays = cost::pays(&optimised, mentions.len());
    Ok(pays.then(|| Subplan { common: common.clone(), optimised, columns }))
}

/// Returns the columns that at least one mention needs; one column if they only count rows.
fn columns(mentions: &[Mention]) -> Vec<usize> {
    let mut columns: Vec<usize> =
        mentions.iter().flat_map(|mention| mention.columns.iter().copied()).collect();
    columns.sort_unstable();
    columns.dedup();
    if columns.is_empty() {
        columns.push(0);
    }
    columns
}

fn optimised(plan: LogicalPlan, state: &SessionState) -> Result<LogicalPlan> {
    state.optimizer().optimize(plan, state, |_, _| {})
}
