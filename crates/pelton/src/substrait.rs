//! Plans of Substrait, from other programs and for them.

use pelton_query::Result;
use pelton_query::plan::SubstraitOptions;

use crate::cancel::CancelHandle;
use crate::engine::Engine;
use crate::query::Query;

impl Engine {
    /// Starts a plan of Substrait, in protobuf's encoding or as JSON.
    ///
    /// # Errors
    /// It does not decode, names a missing table or column, or needs functions or relations that
    /// are not supported; the error has all of these.
    pub fn substrait(&self, plan: &[u8]) -> Result<Query> {
        self.substrait_with(plan, SubstraitOptions::default())
    }

    /// Starts a plan of Substrait, or expressions over a table, with options.
    ///
    /// # Errors
    /// As [`Engine::substrait`].
    pub fn substrait_with(&self, plan: &[u8], options: SubstraitOptions<'_>) -> Result<Query> {
        self.substrait_until(plan, options, &CancelHandle::default())
    }

    /// As [`Engine::substrait_with`]; `cancel` stops the planning, and then the query.
    ///
    /// # Errors
    /// As [`Engine::substrait`], and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn substrait_until(
        &self,
        plan: &[u8],
        options: SubstraitOptions<'_>,
        cancel: &CancelHandle,
    ) -> Result<Query> {
        let profiling = self.profiling("a Substrait plan");
        let (plan, over, explain) = (plan.to_vec(), options.over.map(str::to_owned), options.explain);
        self.start(profiling, cancel, async move |session| {
            session.substrait(&plan, SubstraitOptions { over: over.as_deref(), explain }).await
        })
    }

    /// Returns the Substrait plan of a SQL query, in protobuf's encoding.
    ///
    /// # Errors
    /// The query does not plan, or uses a feature that Substrait can't express.
    pub fn to_substrait(&self, sql: &str) -> Result<Vec<u8>> {
        self.threads().block_on(self.session.to_substrait(sql))
    }

    /// Returns the Substrait plan of a SQL query, as JSON.
    ///
    /// # Errors
    /// As [`Engine::to_substrait`].
    pub fn to_substrait_json(&self, sql: &str) -> Result<String> {
        self.threads().block_on(self.session.to_substrait_json(sql))
    }
}
