//! Substrait plans.

use datafusion_substrait::logical_plan::consumer::from_substrait_plan;
use datafusion_substrait::logical_plan::producer::to_substrait_plan;
use datafusion_substrait::substrait::proto::Plan as SubstraitPlan;
use prost::Message;

use super::recursion_limit;
use super::rules::as_operators;
use super::{Plan, Session};
use crate::error::{Error, Result};

impl Session {
    /// Plans a Substrait plan, in its protobuf encoding. Its tables are this session's, or
    /// locations of files.
    ///
    /// # Errors
    /// It does not decode, names a missing table, or uses a feature that DataFusion lacks.
    pub async fn substrait(&self, plan: &[u8]) -> Result<Plan> {
        let plan = SubstraitPlan::decode(plan)
            .map_err(|e| Error::Query(format!("this is no Substrait plan: {e}")))?;
        let logical = from_substrait_plan(&self.context().state(), &plan).await?;
        self.plan(&logical).await
    }

    /// Returns the Substrait plan, in its protobuf encoding, of a SQL query: optimised, so that
    /// another engine need not.
    ///
    /// # Errors
    /// The query does not plan, or uses a feature that Substrait lacks.
    pub async fn to_substrait(&self, sql: &str) -> Result<Vec<u8>> {
        recursion_limit::check(sql)?;
        let state = self.context().state();
        let logical = self.text(sql).await?;
        let plan = to_substrait_plan(&as_operators(state.optimize(&logical)?)?, &state)?;
        Ok(plan.encode_to_vec())
    }
}
