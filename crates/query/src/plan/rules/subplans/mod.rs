//! Common subplans: parts that a plan mentions more than once, and that run once.
//!
//! SQL's planner puts the plan of a common table expression in place of each mention. The analyzer
//! rule of this module finds equal parts ([`repeated`]) before conditions and columns move, because
//! the mentions differ afterwards, and makes each mention a scan of a table of its own ([`table`]).
//! The optimizer moves the conditions and columns of a mention to its scan. Then [`resolve`] adds
//! the conditions of all mentions to the shared part ([`conditions`]), optimises it, puts it back
//! in place of its mentions where sharing does not pay ([`cost`]) or could fail ([`errors`]), and
//! plans the others once for [`SharedPlan`](crate::plan::shared::SharedPlan).

mod conditions;
mod cost;
mod errors;
mod mentions;
mod repeated;
mod resolve;
mod table;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::AnalyzerRule;

use crate::functions;
pub(in crate::plan) use resolve::resolved;

/// The analyzer rule.
#[derive(Debug)]
pub(in crate::plan) struct CommonSubplans {
    /// Off, each mention has a plan of its own.
    pub is_on: bool,
}

/// The rule's name.
const NAME: &str = "common_subplans";

impl CommonSubplans {
    /// Returns analyzer rules with this one as the last, in place of an earlier one.
    pub fn placed(
        self,
        mut rules: Vec<Arc<dyn AnalyzerRule + Send + Sync>>,
    ) -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
        rules.retain(|rule| rule.name() != NAME);
        rules.push(Arc::new(self));
        rules
    }

    /// Puts the rule into a state under construction. The analyzer keeps its function rewrites,
    /// which a list of rules would lose.
    pub fn put(self, builder: &mut SessionStateBuilder, from: &SessionState) {
        let mut analyzer = from.analyzer().clone();
        analyzer.rules = self.placed(analyzer.rules);
        *builder.analyzer() = Some(analyzer);
    }
}

impl AnalyzerRule for CommonSubplans {
    fn name(&self) -> &str {
        NAME
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        if self.is_on { repeated::shared(plan) } else { Ok(plan) }
    }
}

/// Returns a state that optimises plans without shared parts: for devices and formats that take
/// whole plans.
///
/// # Errors
/// As for a change of a setting.
pub(in crate::plan) fn without_sharing(state: &SessionState) -> Result<SessionState> {
    // the state has a catalog, which a new one would replace
    let config = state.config().clone().with_create_default_catalog_and_schema(false);
    let mut builder = SessionStateBuilder::new_from_existing(state.clone()).with_config(config);
    CommonSubplans { is_on: false }.put(&mut builder, state);
    functions::built(builder, state)
}
