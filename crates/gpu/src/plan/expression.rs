//! Conversion of DataFusion's expressions, typed by its coercion, to those of `ir`.

use arrow::datatypes::DataType;
use datafusion::logical_expr::{Between, BinaryExpr, Case, Expr as Logical, ExprSchemable, Like, Operator};

use datafusion::logical_expr::expr::{InList, ScalarFunction};
use pelton_query::functions::{Checked, checked, checked_chain};

use super::function;
use super::lower::Lowering;
use super::rows::{Scope, position};
use super::types::{self, Result, literal};
use crate::ir::{Arithmetic, Comparison, Expr, Kind, Literal, Scalar};

impl Lowering {
    /// Returns an expression over the columns of `scope`.
    ///
    /// # Errors
    /// A part of it is not supported on the GPU.
    pub(super) fn expression(&mut self, expr: &Logical, scope: Scope<'_>) -> Result<Expr> {
        let boxed = |e: Expr| Box::new(e);
        match expr {
            Logical::Alias(alias) => self.expression(&alias.expr, scope),
            Logical::Column(column) => {
                let index = position(scope.schema, column)?;
                let missing = || format!("internal error: column {} has no place", column.name);
                let field = scope.fields.get(index).ok_or_else(missing)?;
                Expr::column(index, &field.data_type, field.nullable)
                    .map_err(|why| format!("column {}: {why}", column.name))
            }
            Logical::Literal(value, _) => constant(literal(value)?, &value.data_type()),
            Logical::BinaryExpr(binary) => self.binary(binary, scope),
            Logical::Not(e) => {
                let e = self.expression(e, scope)?;
                let nullable = e.nullable;
                Ok(Expr::boolean(Kind::Not(boxed(e)), nullable))
            }
            Logical::IsNull(e) => Ok(is_null(self.expression(e, scope)?)),
            Logical::IsNotNull(e) => Ok(not(is_null(self.expression(e, scope)?))),
            Logical::IsUnknown(e) => Ok(is_null(self.expression(e, scope)?)),
            Logical::IsNotUnknown(e) => Ok(not(is_null(self.expression(e, scope)?))),
            Logical::IsTrue(e) => Ok(is(true, self.expression(e, scope)?)),
            Logical::IsFalse(e) => Ok(is(false, self.expression(e, scope)?)),
            Logical::IsNotTrue(e) => Ok(not(is(true, self.expression(e, scope)?))),
            Logical::IsNotFalse(e) => Ok(not(is(false, self.expression(e, scope)?))),
            Logical::Negative(e) => Ok(negate(self.expression(e, scope)?)),
            Logical::Between(between) => self.between(between, scope),
            Logical::Case(case) => self.case(case, expr, scope),
            Logical::Cast(cast) => {
                let inner = self.expression(&cast.expr, scope)?;
                let to = expr.get_type(scope.schema).map_err(|e| e.to_string())?;
                if types::rounds(&inner.data_type, &to) {
                    return Err(format!("a CAST from {} to {to} that was not written", inner.data_type));
                }
                types::cast(inner, &to)
            }
            Logical::InList(list) => self.in_list(list, scope),
            Logical::Like(like) => self.like(like, scope),
            Logical::ScalarFunction(call) => {
                let arguments =
                    call.args.iter().map(|e| self.expression(e, scope)).collect::<Result<Vec<_>>>()?;
                let data_type = expr.get_type(scope.schema).map_err(|e| e.to_string())?;
                operation(call, arguments, &data_type)
            }
            Logical::ScalarSubquery(subquery) => {
                if !subquery.outer_ref_columns.is_empty() {
                    return Err("a correlated subquery that was not turned into a join".to_owned());
                }
                let (table, field) = self.scalar_subquery(&subquery.subquery)?;
                Ok(Expr {
                    kind: Kind::Subquery { table, nullable: field.nullable },
                    data_type: field.data_type,
                    scalar: field.scalar,
                    nullable: true,
                })
            }
            other => Err(format!("{} is not supported", name_of(other))),
        }
    }

    fn binary(&mut self, binary: &BinaryExpr, scope: Scope<'_>) -> Result<Expr> {
        let data_type =
            Logical::BinaryExpr(binary.clone()).get_type(scope.schema).map_err(|error| error.to_string())?;
        let left = self.expression(&binary.left, scope)?;
        let right = self.expression(&binary.right, scope)?;
        combine(binary.op, left, right, data_type)
    }

    fn between(&mut self, between: &Between, scope: Scope<'_>) -> Result<Expr> {
        let value = self.expression(&between.expr, scope)?;
        let low = self.expression(&between.low, scope)?;
        let high = self.expression(&between.high, scope)?;
        let above = compare(Comparison::GreaterOrEqual, value.clone(), low)?;
        let below = compare(Comparison::LessOrEqual, value, high)?;
        let both = and(above, below);
        Ok(if between.negated { not(both) } else { both })
    }

    fn case(&mut self, case: &Case, whole: &Logical, scope: Scope<'_>) -> Result<Expr> {
        let data_type = whole.get_type(scope.schema).map_err(|e| e.to_string())?;
        let subject = case.expr.as_ref().map(|e| self.expression(e, scope)).transpose()?;
        let mut nullable = case.else_expr.is_none();
        let mut whens = Vec::with_capacity(case.when_then_expr.len());
        for (when, then) in &case.when_then_expr {
            let when = self.expression(when, scope)?;
            let when = match &subject {
                Some(subject) => compare(Comparison::Equal, subject.clone(), when)?,
                None => when,
            };
            let then = types::same_type(self.expression(then, scope)?, &data_type)?;
            nullable |= then.nullable;
            whens.push((when, then));
        }
        let otherwise = case.else_expr.as_ref().map(|e| {
            let e = self.expression(e, scope)?;
            types::same_type(e, &data_type)
        });
        let otherwise = otherwise.transpose()?.map(Box::new);
        nullable |= otherwise.as_ref().is_some_and(|e| e.nullable);
        let scalar = Scalar::of(&data_type)?;
        Ok(Expr { kind: Kind::Case(whens, otherwise), data_type, scalar, nullable })
    }

    fn in_list(&mut self, list: &InList, scope: Scope<'_>) -> Result<Expr> {
        let value = self.expression(&list.expr, scope)?;
        let (mut literals, mut has_null) = (Vec::with_capacity(list.list.len()), false);
        for item in &list.list {
            let item = self.expression(item, scope)?;
            match item.kind {
                Kind::Null => has_null = true,
                Kind::Literal(literal) if item.data_type == value.data_type || item.scalar == Scalar::Str => {
                    literals.push(literal);
                }
                _ => {
                    return Err(
                        "IN with anything but constants of the value's type is not supported".to_owned()
                    );
                }
            }
        }
        let nullable = value.nullable || has_null;
        let found =
            Expr::boolean(Kind::InList { value: Box::new(value), list: literals, has_null }, nullable);
        Ok(if list.negated { not(found) } else { found })
    }

    fn like(&mut self, like: &Like, scope: Scope<'_>) -> Result<Expr> {
        if like.case_insensitive {
            return Err("ILIKE is not supported".to_owned());
        }
        if like.escape_char.is_some_and(|c| c != '\\') {
            return Err("LIKE with an ESCAPE of its own is not supported".to_owned());
        }
        let value = self.expression(&like.expr, scope)?;
        let pattern = self.expression(&like.pattern, scope)?;
        let Kind::Literal(Literal::Text(pattern)) = pattern.kind else {
            return Err("LIKE with a pattern that is no constant is not supported".to_owned());
        };
        let nullable = value.nullable;
        let matched = Expr::boolean(Kind::Like(Box::new(value), pattern), nullable);
        Ok(if like.negated { not(matched) } else { matched })
    }
}

/// Returns a call of a function, or of a function that stands for an operator or a cast.
fn operation(call: &ScalarFunction, mut arguments: Vec<Expr>, data_type: &DataType) -> Result<Expr> {
    if let Some(operators) = checked_chain(call)
        && operators.len() + 1 == arguments.len()
    {
        let first = arguments.remove(0);
        let mut steps = operators.into_iter().zip(arguments);
        return steps.try_fold(first, |left, ((op, result), right)| combine(op, left, right, result));
    }
    match (checked(call), arguments.len()) {
        (Some(Checked::Binary(op)), 2) => {
            let right = arguments.remove(1);
            combine(op, arguments.remove(0), right, data_type.clone())
        }
        (Some(Checked::Negate), 1) => Ok(negate(arguments.remove(0))),
        (Some(Checked::Cast(DataType::Float32)), _) => Err("CAST to REAL is not supported".to_owned()),
        (Some(Checked::Cast(to)), 1) => types::cast(arguments.remove(0), to),
        (Some(_), _) => Err("TRY_CAST is not supported".to_owned()),
        (None, _) => function::call(call.name(), arguments, data_type),
    }
}

/// Returns `-e`.
fn negate(e: Expr) -> Expr {
    Expr {
        data_type: e.data_type.clone(),
        scalar: e.scalar,
        nullable: e.nullable,
        kind: Kind::Negate(Box::new(e)),
    }
}

/// Names an unsupported expression in a word.
fn name_of(expr: &Logical) -> String {
    let variant = expr.variant_name();
    match expr {
        Logical::AggregateFunction(call) => format!("aggregate {}", call.func.name()),
        _ => format!("{variant} ({expr})"),
    }
}

/// Returns a constant of a type.
pub(super) fn constant(value: Option<Literal>, data_type: &DataType) -> Result<Expr> {
    let nullable = value.is_none();
    // a bare NULL takes the type of its context, and its value is never read
    let scalar = if *data_type == DataType::Null { Scalar::Bool } else { Scalar::of(data_type)? };
    let kind = value.map_or(Kind::Null, Kind::Literal);
    Ok(Expr { kind, data_type: data_type.clone(), scalar, nullable })
}

/// Returns `a op b`.
pub(super) fn combine(op: Operator, left: Expr, right: Expr, data_type: DataType) -> Result<Expr> {
    let comparison = match op {
        Operator::And => return Ok(and(left, right)),
        Operator::Or => {
            let nullable = left.nullable || right.nullable;
            return Ok(Expr::boolean(Kind::Or(Box::new(left), Box::new(right)), nullable));
        }
        Operator::Eq => Some(Comparison::Equal),
        Operator::NotEq => Some(Comparison::NotEqual),
        Operator::Lt => Some(Comparison::Less),
        Operator::LtEq => Some(Comparison::LessOrEqual),
        Operator::Gt => Some(Comparison::Greater),
        Operator::GtEq => Some(Comparison::GreaterOrEqual),
        Operator::IsDistinctFrom => Some(Comparison::Distinct),
        Operator::IsNotDistinctFrom => Some(Comparison::NotDistinct),
        _ => None,
    };
    if let Some(comparison) = comparison {
        return compare(comparison, left, right);
    }
    let arithmetic = match op {
        Operator::Plus => Arithmetic::Add,
        Operator::Minus => Arithmetic::Subtract,
        Operator::Multiply => Arithmetic::Multiply,
        Operator::Divide => Arithmetic::Divide,
        Operator::Modulo => Arithmetic::Remainder,
        other => return Err(format!("operator {other} is not supported")),
    };
    let scalar = Scalar::of(&data_type)?;
    let is_decimal = |t: &DataType| matches!(t, DataType::Decimal128(..));
    let is_plain =
        |e: &Expr| e.data_type == data_type && (e.data_type.is_integer() || e.data_type.is_floating());
    let decimals = is_decimal(&data_type) && is_decimal(&left.data_type) && is_decimal(&right.data_type);
    let plain = is_plain(&left) && is_plain(&right);
    if !decimals && !plain {
        return Err(format!("{} {op} {} is not supported", left.data_type, right.data_type));
    }
    let nullable = left.nullable || right.nullable;
    Ok(Expr {
        kind: Kind::Arithmetic(arithmetic, Box::new(left), Box::new(right)),
        data_type,
        scalar,
        nullable,
    })
}

/// Returns a comparison of two values with the same type on the device.
pub(super) fn compare(op: Comparison, left: Expr, right: Expr) -> Result<Expr> {
    let is_null = |e: &Expr| e.data_type == DataType::Null;
    let same = match (&left.data_type, &right.data_type) {
        (DataType::Decimal128(_, a), DataType::Decimal128(_, b)) => a == b,
        (a, b) => a == b || (left.scalar == Scalar::Str && right.scalar == Scalar::Str),
    };
    if !same && !is_null(&left) && !is_null(&right) {
        return Err(format!("comparing {} with {} is not supported", left.data_type, right.data_type));
    }
    let never_null = matches!(op, Comparison::Distinct | Comparison::NotDistinct);
    let nullable = !never_null && (left.nullable || right.nullable);
    Ok(Expr::boolean(Kind::Compare(op, Box::new(left), Box::new(right)), nullable))
}

pub(super) fn and(a: Expr, b: Expr) -> Expr {
    let nullable = a.nullable || b.nullable;
    Expr::boolean(Kind::And(Box::new(a), Box::new(b)), nullable)
}

pub(super) fn not(e: Expr) -> Expr {
    let nullable = e.nullable;
    Expr::boolean(Kind::Not(Box::new(e)), nullable)
}

fn is_null(e: Expr) -> Expr {
    Expr::boolean(Kind::IsNull(Box::new(e)), false)
}

fn is(value: bool, e: Expr) -> Expr {
    Expr::boolean(Kind::Is(value, Box::new(e)), false)
}
