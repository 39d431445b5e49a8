//! Substrait: plans and expressions that other programs made, and plans for them.
//!
//! A message is decoded ([`message`]), brought into present forms ([`old_forms`]), and walked for
//! all that is missing or contradictory ([`checks`]). Then it is planned over DataFusion's consumer
//! ([`planner`]). [`producer`] writes plans.

mod checks;
mod expressions;
mod functions;
mod message;
mod old_forms;
mod planner;
mod producer;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;

use datafusion::common::DFSchema;
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use futures::FutureExt;
use prost::Message as _;
use substrait::proto::expression::Literal;
use substrait::proto::plan_rel::RelType;
use substrait::proto::{ExtendedExpression, Plan as Message, PlanRel};

use super::executable::Plan;
use super::recursion_limit;
use super::rules::without_sharing;
use super::session::{self, Session};
use super::sql;
use crate::error::{Error, Result};
use crate::plan::type_in_sql;
use functions::Functions;
use message::Kind;
use planner::context::Consumer;
use planner::root;

/// Producer of a plan that DataFusion wrote, which Pelton is too.
const PRODUCER: &str = "datafusion";

/// Options of running a plan of Substrait.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubstraitOptions<'a> {
    /// The table whose rows expressions are computed for. A plan names its tables itself.
    pub over: Option<&'a str>,
    /// Give the plan as text in place of its rows.
    pub explain: bool,
}

impl Session {
    /// Plans a plan of Substrait, or expressions over a table, in protobuf's encoding or as JSON.
    /// Tables are this session's, places of files, local files that the plan lists, and rows in the
    /// plan.
    ///
    /// # Errors
    /// It does not decode, names a missing table or column, or needs functions or relations that
    /// are not supported; the error has all of these.
    pub async fn substrait(&self, plan: &[u8], options: SubstraitOptions<'_>) -> Result<Plan> {
        let planning = self.catalog.at_one_time(async {
            let logical = self.logical_of(plan, options.over).await?;
            match options.explain {
                true => self.plan(&LogicalPlanBuilder::from(logical).explain(false, false)?.build()?).await,
                false => self.plan(&logical).await,
            }
        });
        let planned = AssertUnwindSafe(planning).catch_unwind().await;
        let planned = planned.unwrap_or_else(|panic| Err(fault(&*panic)));
        planned.map_err(|error| printable(error.with_tables(self.tables().iter().map(String::as_str))))
    }

    async fn logical_of(&self, plan: &[u8], over: Option<&str>) -> Result<LogicalPlan> {
        let state = self.context().state();
        let decoded = message::Message::decode(plan)?;
        let declared = match &decoded.kind {
            Kind::Plan(plan) => &plan.extensions,
            Kind::Expressions(expressions) => &expressions.extensions,
        };
        let functions = Functions::new(declared)?;
        checks::check(&decoded.fields, &functions, &state)?;
        let consumer = |parameters, is_of_datafusion| {
            Consumer::new(&state, &self.scan, &functions, parameters, is_of_datafusion)
        };
        match (&decoded.kind, over) {
            (Kind::Plan(plan), None) => self.relations(plan, consumer).await,
            (Kind::Plan(_), Some(table)) => Err(Error::Query(format!(
                "this is a whole Substrait plan, which names its tables: leave out the table {table}, which is for \
                 expressions"
            ))),
            (Kind::Expressions(expressions), Some(table)) => {
                expressions::plan(&consumer(HashMap::new(), false), expressions, table).await
            }
            (Kind::Expressions(expressions), None) => Err(without_table(expressions)),
        }
    }

    async fn relations<'a>(
        &self,
        plan: &'a Message,
        consumer: impl FnOnce(HashMap<u32, &'a Literal>, bool) -> Consumer<'a>,
    ) -> Result<LogicalPlan> {
        let is_whole = |relation: &PlanRel| match &relation.rel_type {
            Some(RelType::Rel(_)) => true,
            Some(RelType::Root(root)) => root.input.is_some(),
            None => false,
        };
        let relation = match plan.relations.as_slice() {
            [] => return Err(Error::Query("this is no Substrait plan: it has no relations".to_owned())),
            [relation] if !is_whole(relation) => {
                return Err(Error::Query(
                    "this Substrait plan is not whole: its relation is empty".to_owned(),
                ));
            }
            [relation] => relation,
            more => {
                return Err(Error::Query(format!(
                    "not supported: a Substrait plan of {} relations; give a plan for each",
                    more.len()
                )));
            }
        };
        let bindings = plan.parameter_bindings.iter();
        let parameters =
            bindings.filter_map(|one| Some((one.parameter_anchor, one.value.as_ref()?))).collect();
        let producer = plan.version.as_ref().map(|version| version.producer.as_str());
        let consumer = consumer(parameters, producer == Some(PRODUCER));
        Ok(root::plan(&consumer, relation).await?)
    }

    /// Returns the Substrait plan of a SQL query, in protobuf's encoding: optimised, so that
    /// another engine need not.
    ///
    /// # Errors
    /// The query does not plan, or uses a feature that Substrait lacks.
    pub async fn to_substrait(&self, sql: &str) -> Result<Vec<u8>> {
        Ok(self.message(sql).await?.encode_to_vec())
    }

    /// Returns the Substrait plan of a SQL query as JSON.
    ///
    /// # Errors
    /// As [`Session::to_substrait`].
    pub async fn to_substrait_json(&self, sql: &str) -> Result<String> {
        message::to_json(&self.message(sql).await?)
    }

    async fn message(&self, sql: &str) -> Result<Message> {
        recursion_limit::check(sql)?;
        let planning = self.catalog.at_one_time(async {
            let state = self.context().state();
            let statement = sql::parse(&state, sql)?;
            if !matches!(&statement, Statement::Statement(one) if matches!(**one, SqlStatement::Query(_))) {
                let what = "a statement that is no query has no Substrait plan: give a SELECT";
                return Err(Error::Query(what.to_owned()));
            }
            let logical = sql::plan(&state, sql, statement).await?;
            let query = without_sharing(&state)?.optimize(&logical)?;
            let message = producer::plan(query.clone(), &state)?;
            self.read_back(&message, &query).await?;
            Ok(message)
        });
        let planned = AssertUnwindSafe(planning).catch_unwind().await;
        let planned: Result<Message> = planned.unwrap_or_else(|panic| Err(fault(&*panic)));
        planned.map_err(|error| error.with_tables(self.tables().iter().map(String::as_str)))
    }

    /// Checks that a plan can be read, and has the columns of its query.
    ///
    /// # Errors
    /// It can't, or has others.
    async fn read_back(&self, message: &Message, query: &LogicalPlan) -> Result<()> {
        let refused = |why: &str| Error::Query(format!("this query has no plan in Substrait: {why}"));
        let read = async {
            let logical = self.logical_of(&message.encode_to_vec(), None).await?;
            self.plan(&logical).await?;
            Ok(self.context().state().optimize(&session::query(&logical)?)?)
        };
        let read = read.await.map_err(|error: Error| match error {
            Error::Query(why) | Error::Execution(why) => refused(&why),
            other => other,
        })?;
        for (read, asked) in read.schema().fields().iter().zip(query.schema().fields()) {
            let (found, wanted) = (read.data_type(), asked.data_type());
            if !DFSchema::datatype_is_logically_equal(found, wanted) {
                let (found, wanted, name) = (type_in_sql(found), type_in_sql(wanted), asked.name());
                let why = format!("column {name} is {wanted}, and would be {found}: cast it to another type");
                return Err(refused(&why));
            }
        }
        Ok(())
    }
}

fn without_table(expressions: &ExtendedExpression) -> Error {
    let schema = expressions.base_schema.as_ref();
    let columns = schema.map_or_else(String::new, |schema| schema.names.join(", "));
    Error::Query(format!(
        "these are Substrait expressions over columns {columns}, and no plan: name the table to compute them for (--over \
         TABLE, over=\"table\")"
    ))
}

/// Returns an error without control characters, which names in a plan may have.
fn printable(error: Error) -> Error {
    let escaped = |text: String| match text.contains(char::is_control) {
        true => text.chars().flat_map(escape).collect(),
        false => text,
    };
    match error {
        Error::Query(text) => Error::Query(escaped(text)),
        Error::Table(text) => Error::Table(escaped(text)),
        Error::Missing(text) => Error::Missing(escaped(text)),
        Error::Execution(text) => Error::Execution(escaped(text)),
        other => other,
    }
}

fn escape(character: char) -> impl Iterator<Item = char> {
    let escaped = character.is_control().then(|| character.escape_default());
    let plain = escaped.is_none().then_some(character);
    escaped.into_iter().flatten().chain(plain)
}

/// Returns the error for a panic of a library.
fn fault(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Error::Internal(format!("a Substrait plan: {text}"))
}

#[cfg(test)]
mod tests;
