//! Plans of Substrait for logical plans, over DataFusion's producer.
//!
//! A chain of AND or OR is one call with many arguments. DataFusion nests two messages or more for
//! each operator, and decoders limit the depth of messages.

mod portable;
mod refusals;

use datafusion::arrow::datatypes::FieldRef;
use datafusion::common::{DFSchemaRef, JoinConstraint, Result};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{
    BinaryExpr, EmptyRelation, Expr, ExprSchemable, Extension, Join, LogicalPlan, Operator, lit,
};
use datafusion_substrait::extensions::Extensions;
use datafusion_substrait::logical_plan::producer::{
    DefaultSubstraitProducer, SubstraitProducer, from_binary_expr, from_join, to_substrait_plan,
};
use substrait::proto::expression::{RexType, ScalarFunction};
use substrait::proto::extensions::SimpleExtensionDeclaration;
use substrait::proto::extensions::simple_extension_declaration::MappingType;
use substrait::proto::function_argument::ArgType;
use substrait::proto::plan_rel::RelType;
use substrait::proto::r#type::{Boolean, Kind, Nullability};
use substrait::proto::{Expression, FunctionArgument, Plan, PlanRel, Rel, Type};
use substrait::version::version_with_producer;

use super::PRODUCER;

/// Returns the plan of a logical plan.
///
/// # Errors
/// It uses a feature that Substrait lacks.
pub(super) fn plan(logical: LogicalPlan, state: &SessionState) -> Result<Plan> {
    let logical = &portable::portable(logical, state)?;
    refusals::check(logical, state)?;
    let mut producer = Producer(DefaultSubstraitProducer::new(state));
    let input = *producer.handle_plan(logical)?;
    // the names of nested fields are DataFusion's to find
    let schema = logical.schema().clone();
    let empty = LogicalPlan::EmptyRelation(EmptyRelation { produce_one_row: false, schema });
    let mut relations = to_substrait_plan(&empty, state)?.relations;
    if let Some(PlanRel { rel_type: Some(RelType::Root(root)) }) = relations.first_mut() {
        root.input = Some(input);
    }
    let mut extensions: Vec<SimpleExtensionDeclaration> = producer.get_extensions().into();
    // they come in the order of a hash table
    extensions.sort_by_key(anchor);
    Ok(Plan { version: Some(version_with_producer(PRODUCER)), extensions, relations, ..Plan::default() })
}

fn anchor(declaration: &SimpleExtensionDeclaration) -> (u8, u32) {
    match &declaration.mapping_type {
        Some(MappingType::ExtensionType(one)) => (0, one.type_anchor),
        Some(MappingType::ExtensionTypeVariation(one)) => (1, one.type_variation_anchor),
        Some(MappingType::ExtensionFunction(one)) => (2, one.function_anchor),
        None => (3, 0),
    }
}

struct Producer<'a>(DefaultSubstraitProducer<'a>);

impl SubstraitProducer for Producer<'_> {
    fn register_function(&mut self, signature: String) -> u32 {
        self.0.register_function(signature)
    }

    fn register_type(&mut self, name: String) -> u32 {
        self.0.register_type(name)
    }

    fn get_extensions(self) -> Extensions {
        self.0.get_extensions()
    }

    fn handle_extension(&mut self, plan: &Extension) -> Result<Box<Rel>> {
        self.0.handle_extension(plan)
    }

    /// Writes the keys of USING as a condition, and a condition where a join has none.
    fn handle_join(&mut self, join: &Join) -> Result<Box<Rel>> {
        let mut join = Join { join_constraint: JoinConstraint::On, ..join.clone() };
        if join.on.is_empty() && join.filter.is_none() {
            join.filter = Some(lit(true));
        }
        from_join(self, &join)
    }

    fn handle_binary_expr(&mut self, expression: &BinaryExpr, schema: &DFSchemaRef) -> Result<Expression> {
        let name = match expression.op {
            Operator::And => "and",
            Operator::Or => "or",
            _ => return from_binary_expr(self, expression, schema),
        };
        let is_nullable = Expr::BinaryExpr(expression.clone()).nullable(schema)?;
        let nullability = if is_nullable { Nullability::Nullable } else { Nullability::Required };
        let kind = Kind::Bool(Boolean { nullability: nullability.into(), type_variation_reference: 0 });
        let mut arguments = Vec::new();
        for operand in operands(expression) {
            let value = self.handle_expr(operand, schema)?;
            arguments.push(FunctionArgument { arg_type: Some(ArgType::Value(value)) });
        }
        let call = ScalarFunction {
            function_reference: self.register_function(name.to_owned()),
            arguments,
            output_type: Some(Type { kind: Some(kind) }),
            ..ScalarFunction::default()
        };
        Ok(Expression { rex_type: Some(RexType::ScalarFunction(call)) })
    }

    fn push_lambda_parameters(&mut self, parameters: Vec<FieldRef>) -> Result<()> {
        self.0.push_lambda_parameters(parameters)
    }

    fn pop_lambda_parameters(&mut self) -> Result<()> {
        self.0.pop_lambda_parameters()
    }

    fn lambda_variable(&self, name: &str) -> Result<(u32, i32)> {
        self.0.lambda_variable(name)
    }

    fn lambda_parameter_type(&self, name: &str) -> Result<Type> {
        self.0.lambda_parameter_type(name)
    }
}

/// Returns the operands of a chain of one operator, in order.
fn operands(expression: &BinaryExpr) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut pending = vec![expression.right.as_ref(), expression.left.as_ref()];
    while let Some(operand) = pending.pop() {
        match operand {
            Expr::BinaryExpr(inner) if inner.op == expression.op => {
                pending.extend([inner.right.as_ref(), inner.left.as_ref()]);
            }
            operand => found.push(operand),
        }
    }
    found
}
