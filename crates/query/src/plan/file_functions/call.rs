//! A call of a table function in FROM: its name and its constant arguments.

use std::fmt;

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, DictionaryField, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, TypedString,
    UnaryOperator, Value,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use crate::error::{Error, Result};

/// A call with arguments that are not read yet.
#[derive(Debug)]
pub(super) struct Call {
    /// The function's name, in lower case.
    pub name: String,
    positional: Vec<Argument>,
    named: Vec<(String, Argument)>,
    /// Names that were asked for, for the error about others.
    known: Vec<&'static str>,
}

/// A constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    Null,
    Boolean(bool),
    /// A number as it was written.
    Number(String),
    Text(String),
    List(Vec<Argument>),
    /// Names and values, in order.
    Struct(Vec<(String, Argument)>),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Null => f.write_str("NULL"),
            Argument::Boolean(value) => write!(f, "{value}"),
            Argument::Number(text) => f.write_str(text),
            Argument::Text(text) => write!(f, "'{}'", text.replace('\'', "''")),
            Argument::List(_) => f.write_str("a list"),
            Argument::Struct(_) => f.write_str("a struct"),
        }
    }
}

impl Call {
    /// Reads the text of a call of one of some functions; `None` if it is none.
    ///
    /// # Errors
    /// An argument is no constant, or named twice.
    pub fn parse(text: &str, functions: &[&str]) -> Result<Option<Self>> {
        let Some((name, _)) = text.split_once('(').filter(|_| text.ends_with(')')) else { return Ok(None) };
        let name = name.to_ascii_lowercase();
        if !functions.contains(&name.as_str()) {
            return Ok(None);
        }
        let parsed =
            Parser::new(&GenericDialect {}).try_with_sql(text).and_then(|mut parser| parser.parse_expr());
        let function = match parsed {
            Ok(Expr::Function(function)) => function,
            Ok(_) => return Ok(None),
            Err(error) => return Err(Error::Query(format!("the call of {name} does not parse: {error}"))),
        };
        let mut call = Self { name, positional: Vec::new(), named: Vec::new(), known: Vec::new() };
        if let FunctionArguments::List(list) = function.args {
            list.args.into_iter().try_for_each(|arg| call.add(arg))?;
        }
        Ok(Some(call))
    }

    fn add(&mut self, arg: FunctionArg) -> Result<()> {
        let (name, value) = match arg {
            FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. } => (Some(name), value),
            FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            })) if matches!(*left, Expr::Identifier(_)) => match *left {
                Expr::Identifier(name) => (Some(name), *right),
                _ => (None, *right),
            },
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => (None, value),
            other => return Err(self.error(format_args!("{other} is no argument; give constants"))),
        };
        let value = constant(value)
            .map_err(|value| self.error(format_args!("its arguments are constants, and {value} is none")))?;
        let Some(name) = name.map(|name| name.value.to_ascii_lowercase()) else {
            if !self.named.is_empty() {
                return Err(self.error("arguments without a name come before those with one"));
            }
            self.positional.push(value);
            return Ok(());
        };
        if self.named.iter().any(|(other, _)| *other == name) {
            return Err(self.error(format_args!("{name} is given twice")));
        }
        self.named.push((name, value));
        Ok(())
    }

    /// Returns an error that begins with the function's name.
    pub fn error(&self, what: impl fmt::Display) -> Error {
        Error::Query(format!("{}: {what}", self.name))
    }

    /// Removes the first argument that has no name.
    pub fn next(&mut self) -> Option<Argument> {
        (!self.positional.is_empty()).then(|| self.positional.remove(0))
    }

    /// Removes an argument by its name or one of its other names.
    ///
    /// # Errors
    /// It is given under two names.
    pub fn take(&mut self, names: &[&'static str]) -> Result<Option<Argument>> {
        self.known.extend(names.first());
        let mut found = None;
        for name in names {
            if let Some(at) = self.named.iter().position(|(other, _)| other == name) {
                let (name, value) = self.named.remove(at);
                if found.replace(value).is_some() {
                    return Err(self.error(format_args!("{name} is given twice")));
                }
            }
        }
        Ok(found)
    }

    /// Removes an option that is true or false.
    ///
    /// # Errors
    /// It is something else.
    pub fn flag(&mut self, name: &'static str) -> Result<Option<bool>> {
        match self.take(&[name])? {
            None => Ok(None),
            Some(Argument::Boolean(value)) => Ok(Some(value)),
            Some(Argument::Number(text)) if text == "1" || text == "0" => Ok(Some(text == "1")),
            Some(other) => Err(self.error(format_args!("{name} is true or false, and {other} is neither"))),
        }
    }

    /// Removes an option that is text.
    ///
    /// # Errors
    /// It is something else.
    pub fn text(&mut self, names: &[&'static str]) -> Result<Option<String>> {
        match self.take(names)? {
            None => Ok(None),
            Some(Argument::Text(text)) => Ok(Some(text)),
            Some(other) => {
                Err(self.error(format_args!("{} is text in quotes, and {other} is none", names[0])))
            }
        }
    }

    /// Removes an option that is a whole number, 0 or more.
    ///
    /// # Errors
    /// It is something else.
    pub fn count(&mut self, name: &'static str) -> Result<Option<u64>> {
        match self.take(&[name])? {
            None => Ok(None),
            Some(Argument::Number(text)) if text.parse::<u64>().is_ok() => Ok(text.parse().ok()),
            Some(other) => Err(self.error(format_args!("{name} is a whole number, and {other} is none"))),
        }
    }

    /// Removes an option that is the name of an added column, or true for the usual name.
    ///
    /// # Errors
    /// It is something else.
    pub fn column_name(&mut self, name: &'static str) -> Result<Option<String>> {
        match self.take(&[name])? {
            None | Some(Argument::Boolean(false)) => Ok(None),
            Some(Argument::Boolean(true)) => Ok(Some(name.to_owned())),
            Some(Argument::Text(text)) if !text.is_empty() => Ok(Some(text)),
            Some(other) => {
                Err(self.error(format_args!("{name} is true, false or a column's name, and {other} is none")))
            }
        }
    }

    /// Removes the first argument: a place, or a list of places.
    ///
    /// # Errors
    /// It is missing, or something else.
    pub fn places(&mut self) -> Result<Vec<String>> {
        let argument = self.next();
        let places: Option<Vec<String>> = match argument {
            Some(Argument::Text(place)) => Some(vec![place]),
            Some(Argument::List(places)) => places.into_iter().map(Argument::into_text).collect(),
            _ => None,
        };
        let places = places
            .ok_or_else(|| self.error("name a file, a folder or a pattern in quotes, or a list of them"))?;
        match places.is_empty() {
            true => Err(self.error("the list of files is empty; name one or more")),
            false => Ok(places),
        }
    }

    /// Checks that no argument is left.
    ///
    /// # Errors
    /// The first that is.
    pub fn finish(mut self) -> Result<()> {
        if let Some(extra) = self.next() {
            return Err(self.error(format_args!("{extra} is one argument too many; options have names")));
        }
        let Some((name, _)) = self.named.first() else { return Ok(()) };
        let what = match self.known.is_empty() {
            true => format!("there is no option {name}, and no other"),
            false => format!("there is no option {name}; the options are {}", self.known.join(", ")),
        };
        Err(self.error(what))
    }
}

impl Argument {
    /// Returns a text's value.
    pub fn into_text(self) -> Option<String> {
        match self {
            Argument::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Returns the value of a constant expression.
///
/// # Errors
/// The expression, which is no constant.
fn constant(expr: Expr) -> Result<Argument, Box<Expr>> {
    Ok(match expr {
        Expr::Value(value) => match value.value {
            Value::Null => Argument::Null,
            Value::Boolean(value) => Argument::Boolean(value),
            Value::Number(text, _) => Argument::Number(text),
            Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => Argument::Text(text),
            _ => return Err(Box::new(Expr::Value(value))),
        },
        Expr::TypedString(TypedString { value, .. }) => return constant(Expr::Value(value)),
        Expr::Nested(inner) => return constant(*inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match constant(*expr)? {
            Argument::Number(text) => Argument::Number(format!("-{text}")),
            other => return Err(Box::new(Expr::value(Value::SingleQuotedString(format!("-{other}"))))),
        },
        Expr::Array(array) => {
            Argument::List(array.elem.into_iter().map(constant).collect::<Result<_, Box<Expr>>>()?)
        }
        Expr::Dictionary(fields) => {
            let field = |field: DictionaryField| Ok((field.key.value, constant(*field.value)?));
            Argument::Struct(fields.into_iter().map(field).collect::<Result<_, Box<Expr>>>()?)
        }
        other => return Err(Box::new(other)),
    })
}

#[cfg(test)]
mod tests;
