//! Statements with parameters.

use pelton_query::{Parameters, Plan, Prepared, Result, Session};

use crate::cancel::CancelHandle;
use crate::engine::Engine;
use crate::profile::Profiled;
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
        self.query_until(sql, parameters, &CancelHandle::default())
    }

    /// As [`Engine::query_with`]; `cancel` stops the planning, and then the query.
    ///
    /// # Errors
    /// As [`Engine::query_with`], and [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn query_until(&self, sql: &str, parameters: &Parameters, cancel: &CancelHandle) -> Result<Query> {
        let profiling = self.profiling(sql);
        let (sql, parameters) = (sql.to_owned(), parameters.clone());
        self.start(profiling, cancel, async move |session| session.sql_with(&sql, &parameters).await)
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
        // the caller may have little stack left
        self.threads().block_on(async { self.session.prepare(sql) })
    }

    /// Plans a prepared statement with values for its parameters and starts it.
    ///
    /// # Errors
    /// As [`Engine::query_with`].
    pub fn execute(&self, prepared: &Prepared, parameters: &Parameters) -> Result<Query> {
        let profiling = self.profiling(prepared.sql());
        let (prepared, parameters) = (prepared.clone(), parameters.clone());
        let cancel = CancelHandle::default();
        self.start(profiling, &cancel, async move |session| session.execute(&prepared, &parameters).await)
    }

    /// Plans a statement and starts it, on a thread that is abandoned when `cancel` is used.
    pub(crate) fn start<P>(
        &self,
        profiling: Option<Profiled>,
        cancel: &CancelHandle,
        plan: P,
    ) -> Result<Query>
    where
        P: AsyncFnOnce(&Session) -> Result<Plan> + Send + 'static,
    {
        let threads = self.threads();
        let (session, inside, cancelled) = (self.session.clone(), threads.clone(), cancel.clone());
        threads.run(cancel, move || async move {
            let plan = plan(&session).await?;
            Query::start(plan, &session, inside, profiling, cancelled)
        })
    }
}
