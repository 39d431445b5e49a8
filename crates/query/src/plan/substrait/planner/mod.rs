//! Planner of Substrait's relations and expressions, over DataFusion's.
//!
//! DataFusion's consumer indexes columns as a plan says. Here the indexes are checked first.

pub(super) mod aggregate;
mod calls;
pub(super) mod context;
mod field_names;
mod join;
pub(super) mod names;
pub(super) mod read;
pub(super) mod root;
mod signatures;

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::TableProvider;
use datafusion::common::{DFSchema, Result, TableReference, plan_err};
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{Case, Expr, LogicalPlan, Operator, WindowFunctionDefinition};
use datafusion_substrait::extensions::Extensions;
use datafusion_substrait::logical_plan::consumer as shared;
use datafusion_substrait::logical_plan::consumer::SubstraitConsumer;
use substrait::proto::expression::field_reference::{ReferenceType, RootType};
use substrait::proto::expression::reference_segment;
use substrait::proto::expression::{
    FieldReference, IfThen, MultiOrList, ScalarFunction, Subquery, SwitchExpression, WindowFunction,
};
use substrait::proto::rel::RelType;
use substrait::proto::rel_common::EmitKind;
use substrait::proto::{AggregateRel, DynamicParameter, ExchangeRel, JoinRel, ReadRel, Rel, RelCommon, Type};

use context::Consumer;
use names::columns;

#[async_trait]
impl SubstraitConsumer for Consumer<'_> {
    async fn resolve_table_ref(&self, table: &TableReference) -> Result<Option<Arc<dyn TableProvider>>> {
        let schema = self.state.schema_for_ref(table.clone())?;
        schema.table(table.table()).await
    }

    fn get_extensions(&self) -> &Extensions {
        &self.functions.names
    }

    fn get_function_registry(&self) -> &impl FunctionRegistry {
        self.state
    }

    async fn consume_rel(&self, rel: &Rel) -> Result<LogicalPlan> {
        let Some(kind) = &rel.rel_type else { return plan_err!("a relation of the plan has no type") };
        let (plan, common) = match kind {
            RelType::Read(rel) => (self.consume_read(rel).await?, &rel.common),
            RelType::Filter(rel) => (self.consume_filter(rel).await?, &rel.common),
            RelType::Fetch(rel) => (self.consume_fetch(rel).await?, &rel.common),
            RelType::Aggregate(rel) => (self.consume_aggregate(rel).await?, &rel.common),
            RelType::Sort(rel) => (self.consume_sort(rel).await?, &rel.common),
            RelType::Join(rel) => (self.consume_join(rel).await?, &rel.common),
            RelType::Project(rel) => (self.consume_project(rel).await?, &rel.common),
            RelType::Set(rel) => (self.consume_set(rel).await?, &rel.common),
            RelType::Cross(rel) => (self.consume_cross(rel).await?, &rel.common),
            RelType::Exchange(rel) => (self.consume_exchange(rel).await?, &rel.common),
            _ => return plan_err!("a relation of the plan is not supported"),
        };
        emit(plan, common.as_ref())
    }

    async fn consume_read(&self, rel: &ReadRel) -> Result<LogicalPlan> {
        read::plan(self, rel).await
    }

    async fn consume_aggregate(&self, rel: &AggregateRel) -> Result<LogicalPlan> {
        aggregate::plan(self, rel).await
    }

    async fn consume_join(&self, rel: &JoinRel) -> Result<LogicalPlan> {
        join::plan(self, rel).await
    }

    /// Returns the input: a distribution of rows over partitions changes none.
    async fn consume_exchange(&self, rel: &ExchangeRel) -> Result<LogicalPlan> {
        match &rel.input {
            Some(input) => self.consume_rel(input).await,
            None => plan_err!("an exchange of the plan has no input"),
        }
    }

    async fn consume_field_reference(&self, field: &FieldReference, schema: &DFSchema) -> Result<Expr> {
        let outer = match &field.root_type {
            Some(RootType::OuterReference(outer)) => self.get_outer_schema(outer.steps_out as usize),
            _ => None,
        };
        let fields = outer.as_deref().unwrap_or(schema).fields().len();
        let is_lambda = matches!(&field.root_type, Some(RootType::LambdaParameterReference(_)));
        if let Some(ReferenceType::DirectReference(segment)) = &field.reference_type
            && let Some(reference_segment::ReferenceType::StructField(segment)) = &segment.reference_type
            && !is_lambda
            && usize::try_from(segment.field).map_or(true, |index| index >= fields)
        {
            return plan_err!("column {} of the plan is beyond its {fields} columns", segment.field);
        }
        shared::from_field_reference(self, field, schema).await
    }

    async fn consume_scalar_function(&self, call: &ScalarFunction, schema: &DFSchema) -> Result<Expr> {
        calls::plan(self, call, schema).await
    }

    async fn consume_window_function(&self, call: &WindowFunction, schema: &DFSchema) -> Result<Expr> {
        let window = shared::from_window_function(self, call, schema).await?;
        if let Expr::WindowFunction(window) = &window {
            let arguments = &window.params.args;
            match &window.fun {
                WindowFunctionDefinition::AggregateUDF(function) => {
                    signatures::check(function, arguments, schema)?;
                }
                WindowFunctionDefinition::WindowUDF(function) => {
                    signatures::check(function, arguments, schema)?;
                }
            }
        }
        Ok(window)
    }

    async fn consume_subquery(&self, subquery: &Subquery, schema: &DFSchema) -> Result<Expr> {
        let expression = shared::from_subquery(self, subquery, schema).await?;
        let columns = match &expression {
            Expr::ScalarSubquery(query) => &query.subquery,
            Expr::InSubquery(query) => &query.subquery.subquery,
            Expr::SetComparison(query) => &query.subquery.subquery,
            _ => return Ok(expression),
        };
        match columns.schema().fields().len() {
            1 => Ok(expression),
            columns => plan_err!("a subquery of the plan has {columns} columns in the place of a value"),
        }
    }

    async fn consume_if_then(&self, expression: &IfThen, schema: &DFSchema) -> Result<Expr> {
        let clauses = &expression.ifs;
        if clauses.is_empty() || clauses.iter().skip(1).any(|clause| clause.then.is_none()) {
            return plan_err!("an IF of the plan has no THEN");
        }
        if clauses.len() == 1 && clauses.iter().any(|clause| clause.then.is_none()) {
            return plan_err!("an IF of the plan has no THEN");
        }
        shared::from_if_then(self, expression, schema).await
    }

    async fn consume_switch(&self, switch: &SwitchExpression, schema: &DFSchema) -> Result<Expr> {
        let Some(subject) = &switch.r#match else { return plan_err!("a switch of the plan has no subject") };
        let subject = self.consume_expression(subject, schema).await?;
        let mut branches = Vec::with_capacity(switch.ifs.len());
        for branch in &switch.ifs {
            let (Some(when), Some(then)) = (&branch.r#if, &branch.then) else {
                return plan_err!("a switch of the plan has a branch without a value");
            };
            let when = self.consume_literal(when).await?;
            branches.push((Box::new(when), Box::new(self.consume_expression(then, schema).await?)));
        }
        let otherwise = match &switch.r#else {
            Some(otherwise) => Some(Box::new(self.consume_expression(otherwise, schema).await?)),
            None => None,
        };
        match branches.is_empty() {
            true => plan_err!("a switch of the plan has no branches"),
            false => Ok(Expr::Case(Case::new(Some(Box::new(subject)), branches, otherwise))),
        }
    }

    async fn consume_multi_or_list(&self, list: &MultiOrList, schema: &DFSchema) -> Result<Expr> {
        let values = shared::from_substrait_rex_vec(self, &list.value, schema).await?;
        let mut options = Vec::with_capacity(list.options.len());
        for option in &list.options {
            let fields = shared::from_substrait_rex_vec(self, &option.fields, schema).await?;
            if fields.len() != values.len() || fields.is_empty() {
                return plan_err!("a list of rows in the plan has rows of several lengths");
            }
            let equal = values.iter().cloned().zip(fields).map(|(value, field)| value.eq(field)).collect();
            options.push(calls::chain(Operator::And, equal)?);
        }
        calls::chain(Operator::Or, options)
    }

    async fn consume_dynamic_parameter(&self, parameter: &DynamicParameter, _: &DFSchema) -> Result<Expr> {
        match self.parameters.get(&parameter.parameter_reference) {
            Some(value) => self.consume_literal(value).await,
            None => plan_err!("parameter {} of the plan has no value", parameter.parameter_reference),
        }
    }

    fn push_outer_schema(&self, schema: Arc<DFSchema>) {
        self.outer.write().push(schema);
    }

    fn pop_outer_schema(&self) {
        self.outer.write().pop();
    }

    fn get_outer_schema(&self, steps_out: usize) -> Option<Arc<DFSchema>> {
        let schemas = self.outer.read();
        schemas.len().checked_sub(steps_out).and_then(|index| schemas.get(index).cloned())
    }

    fn push_lambda_parameters(&self, parameters: &[Type], schema: &DFSchema) -> Result<Vec<String>> {
        self.lambdas.push_lambda_parameters(self, parameters, schema)
    }

    fn pop_lambda_parameters(&self) {
        self.lambdas.pop_lambda_parameters();
    }

    fn lambda_variable(&self, steps_out: usize, index: usize) -> Result<Expr> {
        self.lambdas.lambda_variable(steps_out, index)
    }
}

/// Gives a relation the columns that its `emit` lists.
fn emit(plan: LogicalPlan, common: Option<&RelCommon>) -> Result<LogicalPlan> {
    let Some(EmitKind::Emit(emit)) = common.and_then(|common| common.emit_kind.as_ref()) else {
        return Ok(plan);
    };
    columns(plan, emit.output_mapping.iter().copied())
}
