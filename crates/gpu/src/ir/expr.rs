//! Expressions over one row.

use arrow::datatypes::DataType;

use super::Scalar;

/// An expression with its type.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Its operation.
    pub kind: Kind,
    /// Type of its value.
    pub data_type: DataType,
    /// Type of its value on the device.
    pub scalar: Scalar,
    /// Whether it can be null.
    pub nullable: bool,
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A truth value.
    Bool(bool),
    /// Integers, dates, timestamps, and decimals without their scale.
    Integer(i128),
    /// A float.
    Float(f64),
    /// A string's bytes.
    Text(Vec<u8>),
}

/// `+`, `-`, `*`, `/`, `%`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Comparisons; the last two take nulls for values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    NotDistinct,
    Distinct,
}

/// Field of a date for EXTRACT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatePart {
    Year,
    Quarter,
    Month,
    Day,
}

/// Operation of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// The row's column of this number.
    Column(usize),
    /// A constant.
    Literal(Literal),
    /// No value.
    Null,
    /// The only row of a table, which a scalar subquery has filled.
    Subquery {
        /// The table.
        table: usize,
        /// Whether its column can be null.
        nullable: bool,
    },
    /// Operands have the result's type; only the scales of decimals differ.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// `-x`
    Negate(Box<Expr>),
    /// Operands have one type.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// Three-valued.
    And(Box<Expr>, Box<Expr>),
    /// Three-valued.
    Or(Box<Expr>, Box<Expr>),
    /// Three-valued.
    Not(Box<Expr>),
    /// Itself never null.
    IsNull(Box<Expr>),
    /// Whether a truth value is this one. Itself never null.
    Is(bool, Box<Expr>),
    /// The value of the first condition that holds.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    /// Cast to the expression's type.
    Cast(Box<Expr>),
    /// Whether a value is one of some constants; `has_null`: one of them is null.
    InList {
        /// The value.
        value: Box<Expr>,
        /// The constants.
        list: Vec<Literal>,
        /// Whether null is among them.
        has_null: bool,
    },
    /// Pattern matching, with `%`, `_` and `\`.
    Like(Box<Expr>, Vec<u8>),
    /// The string begins with, ends with, contains another.
    StartsWith(Box<Expr>, Box<Expr>),
    /// See `StartsWith`.
    EndsWith(Box<Expr>, Box<Expr>),
    /// See `StartsWith`.
    Contains(Box<Expr>, Box<Expr>),
    /// String, first character from 1, number of characters.
    Substring(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// Characters of a string.
    CharacterLength(Box<Expr>),
    /// The operand is a date or a timestamp without time zone.
    DatePart(DatePart, Box<Expr>),
    /// Without its sign.
    Absolute(Box<Expr>),
    /// The first value that is not null.
    Coalesce(Vec<Expr>),
}

impl Expr {
    /// Returns a column of the row.
    pub fn column(index: usize, data_type: &DataType, nullable: bool) -> Result<Self, String> {
        Ok(Self {
            kind: Kind::Column(index),
            data_type: data_type.clone(),
            scalar: Scalar::of(data_type)?,
            nullable,
        })
    }

    /// Returns a truth value.
    pub fn boolean(kind: Kind, nullable: bool) -> Self {
        Self { kind, data_type: DataType::Boolean, scalar: Scalar::Bool, nullable }
    }

    /// Returns its operands.
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Column(_) | Kind::Literal(_) | Kind::Null | Kind::Subquery { .. } => Vec::new(),
            Kind::Arithmetic(_, a, b)
            | Kind::Compare(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::StartsWith(a, b)
            | Kind::EndsWith(a, b)
            | Kind::Contains(a, b) => vec![a, b],
            Kind::Negate(a)
            | Kind::Not(a)
            | Kind::IsNull(a)
            | Kind::Is(_, a)
            | Kind::Cast(a)
            | Kind::Like(a, _)
            | Kind::InList { value: a, .. }
            | Kind::CharacterLength(a)
            | Kind::DatePart(_, a)
            | Kind::Absolute(a) => vec![a],
            Kind::Substring(a, b, c) => {
                [Some(a), Some(b), c.as_ref()].into_iter().flatten().map(|e| &**e).collect()
            }
            Kind::Case(whens, otherwise) => {
                let pairs = whens.iter().flat_map(|(when, then)| [when, then]);
                pairs.chain(otherwise.as_deref()).collect()
            }
            Kind::Coalesce(all) => all.iter().collect(),
        }
    }

    /// Returns its operands, to change them.
    fn children_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Column(_) | Kind::Literal(_) | Kind::Null | Kind::Subquery { .. } => Vec::new(),
            Kind::Arithmetic(_, a, b)
            | Kind::Compare(_, a, b)
            | Kind::And(a, b)
            | Kind::Or(a, b)
            | Kind::StartsWith(a, b)
            | Kind::EndsWith(a, b)
            | Kind::Contains(a, b) => vec![a, b],
            Kind::Negate(a)
            | Kind::Not(a)
            | Kind::IsNull(a)
            | Kind::Is(_, a)
            | Kind::Cast(a)
            | Kind::Like(a, _)
            | Kind::InList { value: a, .. }
            | Kind::CharacterLength(a)
            | Kind::DatePart(_, a)
            | Kind::Absolute(a) => vec![a],
            Kind::Substring(a, b, c) => {
                [Some(a), Some(b), c.as_mut()].into_iter().flatten().map(|e| &mut **e).collect()
            }
            Kind::Case(whens, otherwise) => {
                let pairs = whens.iter_mut().flat_map(|(when, then)| [when, then]);
                pairs.chain(otherwise.as_deref_mut()).collect()
            }
            Kind::Coalesce(all) => all.iter_mut().collect(),
        }
    }

    /// Gives the row's columns other numbers.
    pub fn renumber(&mut self, number: &dyn Fn(usize) -> usize) {
        if let Kind::Column(index) = &mut self.kind {
            *index = number(*index);
        }
        for child in self.children_mut() {
            child.renumber(number);
        }
    }

    /// Calls `f` with the expression and all expressions in it.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        for child in self.children() {
            child.visit(f);
        }
    }

    /// Returns the row's columns that it reads, ascending.
    pub fn columns(&self) -> Vec<usize> {
        let mut columns = Vec::new();
        self.visit(&mut |e| {
            if let Kind::Column(index) = e.kind {
                columns.push(index);
            }
        });
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}
