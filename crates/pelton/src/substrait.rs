//! Plans of Substrait, from other programs and for them.

use pelton_query::Result;
use pelton_query::plan::SubstraitOptions;

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
        let profiling = self.profiling("a Substrait plan");
        let threads = self.threads();
        let plan = threads.block_on(self.session.substrait(plan, options))?;
        Query::start(plan, &self.session, threads, profiling)
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
