//! A long chain of arithmetic operations, such as `a + b - c`, as one function.
//!
//! DataFusion names each argument of a function when it computes the type of its result. For a
//! chain of functions within each other, time grows with the cube of its length, for each of the
//! rules that ask for types.

use std::fmt::Write;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, Operator, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};

use super::Arithmetic;

/// Number of operations from which a chain is one function.
const LONG: usize = 32;

/// Operations from left to right, each on the result of the one before and on an argument.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chain {
    steps: Vec<Arc<Arithmetic>>,
    signature: Signature,
}

impl Chain {
    /// Returns `left operation right`: in a chain if the left side is one, or is [`LONG`].
    pub fn appended(operation: ScalarUDF, left: Expr, right: Expr) -> Expr {
        let is_long = match &left {
            Expr::ScalarFunction(call) => chain(call).is_some() || operations(&left).nth(LONG - 1).is_some(),
            _ => false,
        };
        let Some(step) = operation.inner().downcast_ref::<Arithmetic>().filter(|_| is_long) else {
            return operation.call(vec![left, right]);
        };
        let (mut steps, mut args) = taken_apart(left);
        steps.push(Arc::new(step.again()));
        args.push(right);
        let signature = Signature::any(args.len(), Volatility::Immutable);
        ScalarUDF::from(Self { steps, signature }).call(args)
    }

    /// Returns the type of the result.
    pub fn result(&self) -> Option<&DataType> {
        self.steps.last().map(|step| step.result())
    }

    /// Returns the operators between the arguments, each with the type of its result.
    pub fn operators(&self) -> impl Iterator<Item = (Operator, &DataType)> {
        self.steps.iter().filter_map(|step| Some((step.operator()?, step.result())))
    }

    /// Returns the chain as operators within each other.
    pub fn as_operators(&self, args: &[Expr]) -> Option<Expr> {
        let (first, others) = args.split_first()?;
        let combine = |left, ((op, _), right): ((Operator, &DataType), &Expr)| {
            Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right.clone())))
        };
        Some(self.operators().zip(others).fold(first.clone(), combine))
    }
}

fn chain(call: &ScalarFunction) -> Option<&Chain> {
    call.func.inner().downcast_ref::<Chain>()
}

/// Returns a binary operation, and its sides.
fn operation(expression: &Expr) -> Option<(&Arithmetic, &Expr, &Expr)> {
    let Expr::ScalarFunction(call) = expression else { return None };
    let operation = call.func.inner().downcast_ref::<Arithmetic>()?;
    match call.args.as_slice() {
        [left, right] => Some((operation, left, right)),
        _ => None,
    }
}

/// Returns the operations of an expression's left sides, the outermost first.
fn operations(expression: &Expr) -> impl Iterator<Item = (&Arithmetic, &Expr, &Expr)> {
    std::iter::successors(operation(expression), |(_, left, _)| operation(left))
}

/// Returns the operations of a chain, or of operations within each other, and their arguments.
fn taken_apart(expression: Expr) -> (Vec<Arc<Arithmetic>>, Vec<Expr>) {
    let expression = match expression {
        Expr::ScalarFunction(call) => match chain(&call) {
            Some(chain) => return (chain.steps.clone(), call.args),
            None => Expr::ScalarFunction(call),
        },
        other => other,
    };
    let (mut steps, mut args) = (Vec::new(), Vec::new());
    let mut first = &expression;
    for (step, left, right) in operations(&expression) {
        steps.push(Arc::new(step.again()));
        args.push(right.clone());
        first = left;
    }
    args.push(first.clone());
    steps.reverse();
    args.reverse();
    (steps, args)
}

impl ScalarUDFImpl for Chain {
    fn name(&self) -> &str {
        "arithmetic"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the expression in operator notation.
    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        let mut name = String::new();
        let Some((first, others)) = args.split_first() else { return Ok(name) };
        write!(name, "{}", first.schema_name())?;
        for ((op, _), value) in self.operators().zip(others) {
            write!(name, " {op} {}", value.schema_name())?;
        }
        Ok(name)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        self.result().cloned().ok_or_else(|| DataFusionError::Internal("a chain of no operations".to_owned()))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let nullable = args.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), self.return_type(&[])?, nullable)))
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let mut values = args.args.into_iter();
        let first = values.next();
        let first = first.ok_or_else(|| DataFusionError::Internal("a chain of no values".to_owned()))?;
        self.steps.iter().zip(values).try_fold(first, |left, (step, right)| step.compute(&[left, right]))
    }
}
