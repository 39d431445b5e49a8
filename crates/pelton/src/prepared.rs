//! Statements with parameters.

use pelton_query::{Parameters, Prepared, Result};

use crate::engine::Engine;
use crate::query::Query;

impl Engine {
    /// Plans a statement with values for its parameters and starts it. Parameters are written `?`,
    /// `$1` or `$name`.
    ///
    /// ```no_run
    /// use pelton::{Parameters, Value};
    ///
    /// let engine = pelton::Engine::builder().build()?;
    /// let limits = Parameters::by_position([Value::from(100i64), Value::from("open")]);
    /// let sql = "SELECT * FROM 'orders.parquet' WHERE total > $1 AND state = $2";
    /// for batch in engine.query_with(sql, &limits)? {
    ///     println!("{} rows", batch?.num_rows());
    /// }
    /// # Ok::<(), pelton::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Engine::query`], and a parameter has no value, or a value no parameter.
    pub fn query_with(&self, sql: &str, parameters: &Parameters) -> Result<Query> {
        let profiling = self.profiling(sql);
        let threads = self.threads();
        let plan = threads.block_on(self.session.sql_with(sql, parameters))?;
        Query::start(plan, &self.session, threads, profiling)
    }

    /// Parses a statement once, for several executions with other values. Tables are looked up, and
    /// the statement is planned, by each execution.
    ///
    /// ```no_run
    /// use pelton::{Parameters, Value};
    ///
    /// let engine = pelton::Engine::builder().build()?;
    /// engine.register("trips", "trips/*.parquet")?;
    /// let in_city = engine.prepare("SELECT count(*) FROM trips WHERE city = $city")?;
    /// assert_eq!(in_city.parameters(), ["city"]);
    /// for city in ["Bern", "Oslo"] {
    ///     let values = Parameters::by_name([("city", Value::from(city))]);
    ///     let counted = engine.execute(&in_city, &values)?.collect::<pelton::Result<Vec<_>>>()?;
    ///     println!("{city}: {counted:?}");
    /// }
    /// # Ok::<(), pelton::Error>(())
    /// ```
    ///
    /// # Errors
    /// The statement does not parse.
    pub fn prepare(&self, sql: &str) -> Result<Prepared> {
        self.session.prepare(sql)
    }

    /// Plans a prepared statement with values for its parameters and starts it.
    ///
    /// # Errors
    /// As [`Engine::query_with`].
    pub fn execute(&self, prepared: &Prepared, parameters: &Parameters) -> Result<Query> {
        let profiling = self.profiling(prepared.sql());
        let threads = self.threads();
        let plan = threads.block_on(self.session.execute(prepared, parameters))?;
        Query::start(plan, &self.session, threads, profiling)
    }
}
