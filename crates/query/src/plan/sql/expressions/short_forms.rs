//! Short forms of expressions: `s.field` of any expression, `text.upper()`, `struct_pack(a := 1)`,
//! `a // b`, `LIKE … ESCAPE '#'`, and parts of dates that are functions.

use std::convert::Infallible;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    AccessExpr, Array, BinaryOperator, DataType, DictionaryField, Expr, Function, FunctionArg,
    FunctionArgExpr, FunctionArguments, Ident, Statement, Subscript, UnaryOperator, Value, ValueWithSpan,
    VisitorMut,
};

use crate::plan::sql::parse::POWER_CALL;
use crate::plan::sql::syntax::call;
use crate::plan::sql::walk::WalkMut;

/// Parts of dates that DataFusion's `date_part` lacks, and that are functions of their own.
const PARTS: [&str; 10] = [
    "decade",
    "century",
    "millennium",
    "era",
    "isodow",
    "isoyear",
    "yearweek",
    "weekday",
    "dayofweek",
    "dayofyear",
];

/// Writes short forms out.
pub(in crate::plan::sql) fn write_out(statement: &mut Statement) {
    let ControlFlow::Continue(()) = statement.walk_mut(&mut ShortForms);
}

struct ShortForms;

impl VisitorMut for ShortForms {
    type Break = Infallible;

    /// Binds a sign to the base of a power: `-2 ** 2` is 4.
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        if let Expr::UnaryOp { op: op @ (UnaryOperator::Minus | UnaryOperator::Plus), expr: operand } = expr
            && power(operand).is_some()
        {
            let mut signed = (**operand).clone();
            sign(&mut signed, *op);
            *expr = signed;
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Infallible> {
        let written = match expr {
            Expr::CompoundFieldAccess { root, access_chain } => {
                bound_slices(root, access_chain);
                access(root, access_chain)
            }
            Expr::Function(call) if call.name.to_string() == POWER_CALL => {
                Some(Expr::Function(Function { name: vec![Ident::new("power")].into(), ..call.clone() }))
            }
            Expr::Function(call) => struct_pack(call).or_else(|| list_value(call)).or_else(|| part(call)),
            Expr::Cast { expr: text, data_type: DataType::Blob(None), .. } => match text.as_ref() {
                Expr::Value(value) => value.value.clone().into_string().and_then(|text| blob(&text)),
                _ => None,
            },
            Expr::Like { pattern, escape_char, .. } | Expr::ILike { pattern, escape_char, .. } => {
                if let Some(written) = escaped(pattern, escape_char.as_ref()) {
                    (**pattern, *escape_char) = (written, None);
                }
                None
            }
            Expr::Extract { field, expr, .. } => {
                let name = field.to_string().to_lowercase();
                PARTS.contains(&name.as_str()).then(|| call(&name, vec![(**expr).clone()]))
            }
            Expr::UnaryOp { op: UnaryOperator::BitwiseNot, expr } => {
                let one = Expr::value(Value::Number("1".to_owned(), false));
                let negative = Expr::UnaryOp { op: UnaryOperator::Minus, expr: nested(expr) };
                Some(binary(negative, BinaryOperator::Minus, one))
            }
            Expr::BinaryOp { left, op: BinaryOperator::DuckIntegerDivide, right } => {
                // a quotient of whole numbers is one already
                Some(binary(*nested(left), BinaryOperator::Divide, *nested(right)))
            }
            Expr::BinaryOp { left, op: BinaryOperator::PGStartsWith, right } => {
                Some(call("starts_with", vec![(**left).clone(), (**right).clone()]))
            }
            _ => None,
        };
        if let Some(written) = written {
            *expr = written;
        }
        ControlFlow::Continue(())
    }
}

/// Returns the call that stands for `**`.
fn power(expr: &Expr) -> Option<&Function> {
    match expr {
        Expr::Function(call) if call.name.to_string() == POWER_CALL => Some(call),
        _ => None,
    }
}

/// Puts a sign in front of the base of a power.
fn sign(expr: &mut Expr, op: UnaryOperator) {
    match power(expr).is_some() {
        true => {
            if let Some(base) = base_of(expr) {
                sign(base, op);
            }
        }
        false => *expr = Expr::UnaryOp { op, expr: Box::new(expr.clone()) },
    }
}

/// Returns the first argument of a call.
fn base_of(expr: &mut Expr) -> Option<&mut Expr> {
    let Expr::Function(Function { args: FunctionArguments::List(list), .. }) = expr else { return None };
    match list.args.first_mut()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(base)) => Some(base),
        _ => None,
    }
}

fn nested(expr: &Expr) -> Box<Expr> {
    Box::new(Expr::Nested(Box::new(expr.clone())))
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::Nested(Box::new(Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }))
}

/// Writes fields behind a point as subscripts, and functions behind a point as calls; `None` if
/// there are none.
fn access(root: &Expr, chain: &[AccessExpr]) -> Option<Expr> {
    let is_plain = matches!(root, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
    let has_call = chain.iter().any(|part| matches!(part, AccessExpr::Dot(Expr::Function(_))));
    let is_short = chain.iter().any(|part| matches!(part, AccessExpr::Dot(_)));
    if !is_short || (is_plain && !has_call) {
        return None;
    }
    let mut whole = root.clone();
    let mut subscripts = Vec::new();
    for part in chain {
        match part {
            AccessExpr::Dot(Expr::Identifier(name)) => {
                let index = Expr::value(Value::SingleQuotedString(name.value.clone()));
                subscripts.push(AccessExpr::Subscript(Subscript::Index { index }));
            }
            AccessExpr::Dot(Expr::Function(method)) => {
                whole = with_subscripts(whole, std::mem::take(&mut subscripts));
                let mut method = method.clone();
                let FunctionArguments::List(list) = &mut method.args else { return None };
                list.args.insert(0, FunctionArg::Unnamed(FunctionArgExpr::Expr(whole)));
                whole = Expr::Function(method);
            }
            AccessExpr::Dot(_) => return None,
            subscript @ AccessExpr::Subscript(_) => subscripts.push(subscript.clone()),
        }
    }
    Some(with_subscripts(whole, subscripts))
}

/// Gives each slice without an end the length of its list as one, and the first element as a start.
fn bound_slices(root: &Expr, chain: &mut [AccessExpr]) {
    for at in 0..chain.len() {
        let (before, rest) = chain.split_at_mut(at);
        let Some(AccessExpr::Subscript(Subscript::Slice { lower_bound, upper_bound, .. })) = rest.first_mut()
        else {
            continue;
        };
        if lower_bound.is_none() {
            *lower_bound = Some(Expr::value(Value::Number("1".to_owned(), false)));
        }
        if upper_bound.is_none() {
            let list = with_subscripts(root.clone(), before.to_vec());
            *upper_bound = Some(call("array_length", vec![list]));
        }
    }
}

fn with_subscripts(root: Expr, access_chain: Vec<AccessExpr>) -> Expr {
    match access_chain.is_empty() {
        true => root,
        false => Expr::CompoundFieldAccess { root: Box::new(root), access_chain },
    }
}

/// Returns the struct that a `struct_pack` makes.
fn struct_pack(call: &Function) -> Option<Expr> {
    let FunctionArguments::List(list) = &call.args else { return None };
    if !call.name.to_string().eq_ignore_ascii_case("struct_pack") {
        return None;
    }
    let fields = list.args.iter().map(|argument| match argument {
        FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. } => {
            Some(DictionaryField { key: name.clone(), value: Box::new(value.clone()) })
        }
        _ => None,
    });
    fields.collect::<Option<Vec<_>>>().map(Expr::Dictionary)
}

/// Returns the list that a `list_value` makes.
fn list_value(call: &Function) -> Option<Expr> {
    let name = call.name.to_string().to_lowercase();
    if !["list_value", "list_pack", "array_value", "unpivot_list"].contains(&name.as_str()) {
        return None;
    }
    let FunctionArguments::List(list) = &call.args else { return None };
    let elements = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value.clone()),
        _ => None,
    });
    Some(Expr::Array(Array { elem: elements.collect::<Option<_>>()?, named: false }))
}

/// Returns the bytes that a text stands for as a BLOB: `\\xAA` is one byte. `None` for a text that
/// is none.
fn blob(text: &str) -> Option<Expr> {
    let mut digits = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let escape: String = letters.by_ref().take(3).collect();
                let byte = escape.strip_prefix('x').filter(|byte| byte.len() == 2)?;
                u8::from_str_radix(byte, 16).ok()?;
                digits.push_str(byte);
            }
            letter if letter.is_ascii() => digits.push_str(&format!("{:02X}", u32::from(letter))),
            _ => return None,
        }
    }
    Some(Expr::value(Value::HexStringLiteral(digits)))
}

/// Returns the pattern of LIKE with backslashes in place of another escape, which DataFusion lacks;
/// `None` for a backslash, for patterns that are no constants, and for one that ends with its
/// escape.
fn escaped(pattern: &Expr, escape: Option<&ValueWithSpan>) -> Option<Expr> {
    let Expr::Value(text) = pattern else { return None };
    let (text, escape) = (text.value.clone().into_string()?, escape?.value.clone().into_string()?);
    let mut letters = escape.chars();
    let (Some(escape), None) = (letters.next(), letters.next()) else { return None };
    if escape == '\\' {
        return None;
    }
    let mut written = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_escaped = letter == escape;
        let letter = if is_escaped { letters.next()? } else { letter };
        if letter == '\\' || (is_escaped && matches!(letter, '%' | '_')) {
            written.push('\\');
        }
        written.push(letter);
    }
    Some(Expr::value(Value::SingleQuotedString(written)))
}

/// Returns the function that has a part of a date.
fn part(of: &Function) -> Option<Expr> {
    let name = of.name.to_string().to_lowercase();
    let FunctionArguments::List(list) = &of.args else { return None };
    match list.args.as_slice() {
        [
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(part))),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(date)),
        ] if name == "date_part" || name == "datepart" => {
            let part = part.value.clone().into_string()?.to_lowercase();
            PARTS.contains(&part.as_str()).then(|| call(&part, vec![date.clone()]))
        }
        _ => None,
    }
}
