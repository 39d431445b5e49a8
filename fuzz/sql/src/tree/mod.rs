//! Queries as trees, from which each engine's text is printed and which shrinking cuts.

mod print;

pub use print::Dialect;

/// A class of values between which no cast is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// True, false or null.
    Bool,
    /// A whole number of any width.
    Whole,
    /// A float of 64 bits.
    Double,
    /// A decimal of any precision.
    Decimal,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// A day.
    Date,
    /// A time of day.
    Time,
    /// A timestamp without a zone.
    Stamp,
    /// An instant, shown in UTC.
    Zoned,
    /// A list.
    List(Box<Type>),
    /// A struct of named fields.
    Struct(Vec<(String, Type)>),
}

impl Type {
    /// Returns whether values can be sorted, grouped and compared in every engine.
    pub fn is_flat(&self) -> bool {
        !matches!(self, Type::List(_) | Type::Struct(_))
    }

    /// Returns the name in a cast, in both dialects. Nested types have none.
    pub fn name(&self) -> &'static str {
        match self {
            Type::Bool => "BOOLEAN",
            Type::Whole => "BIGINT",
            Type::Double => "DOUBLE",
            Type::Decimal => "DECIMAL(18, 4)",
            Type::Text => "VARCHAR",
            Type::Bytes => "BYTEA",
            Type::Date => "DATE",
            Type::Time => "TIME",
            Type::Stamp => "TIMESTAMP",
            Type::Zoned => "TIMESTAMP WITH TIME ZONE",
            Type::List(_) | Type::Struct(_) => "VARCHAR",
        }
    }
}

/// Text with `$0` to `$9` for arguments, once for each dialect.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// Pelton's.
    pub pelton: String,
    /// DuckDB's, where it is another.
    pub duckdb: Option<String>,
}

impl From<&str> for Form {
    fn from(text: &str) -> Self {
        Form { pelton: text.to_owned(), duckdb: None }
    }
}

impl From<String> for Form {
    fn from(pelton: String) -> Self {
        Form { pelton, duckdb: None }
    }
}

impl From<(&str, &str)> for Form {
    fn from((pelton, duckdb): (&str, &str)) -> Self {
        Form { pelton: pelton.to_owned(), duckdb: (!duckdb.is_empty()).then(|| duckdb.to_owned()) }
    }
}

/// Beginnings of the forms of aggregates.
const AGGREGATES: [&str; 16] = [
    "count(",
    "sum(",
    "min(",
    "max(",
    "avg(",
    "array_agg(",
    "bool_and(",
    "bool_or(",
    "string_agg(",
    "stddev(",
    "var_pop(",
    "bit_and(",
    "bit_or(",
    "bit_xor(",
    "median(",
    "covar_pop(",
];

/// A part of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// Another expression.
    Expr(Expr),
    /// A subquery, printed without parentheses.
    Query(Box<Query>),
}

/// An expression of a type.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// The class of its values.
    pub ty: Type,
    /// Its text around its arguments.
    pub form: Form,
    /// Values of `$0` and the following.
    pub arguments: Vec<Argument>,
    /// Other forms of the same type over the same arguments, that say less; for shrinking.
    pub simpler: Vec<Form>,
    /// Arguments from this one on decide which rows come first: shrinking leaves them alone.
    pub fixed: usize,
    /// Engines may round differently: compared with a tolerance.
    pub rough: bool,
    /// Whether arithmetic is of the type's own width: integers and floats narrower than the widest.
    pub narrow: bool,
}

impl Expr {
    /// Makes an expression over others.
    pub fn new(ty: Type, form: impl Into<Form>, arguments: Vec<Expr>) -> Self {
        let rough = arguments.iter().any(|argument| argument.rough);
        let arguments = arguments.into_iter().map(Argument::Expr).collect();
        Expr {
            ty,
            form: form.into(),
            arguments,
            simpler: Vec::new(),
            fixed: usize::MAX,
            rough,
            narrow: false,
        }
    }

    /// Returns a column or constant.
    pub fn leaf(ty: Type, form: impl Into<Form>) -> Self {
        Self::new(ty, form, Vec::new())
    }

    /// Returns the same, with a subquery as its last argument.
    pub fn with_query(mut self, query: Query) -> Self {
        self.arguments.push(Argument::Query(Box::new(query)));
        self
    }

    /// Returns the same, compared with a tolerance.
    pub fn rough(mut self) -> Self {
        self.rough = true;
        self
    }

    /// Returns the same, of fewer bits than its class.
    pub fn narrow(mut self, narrow: bool) -> Self {
        self.narrow = narrow;
        self
    }

    /// Returns the same as a value of 64 bits.
    pub fn of_64_bits(self) -> Self {
        match self.narrow {
            true => Self::new(self.ty.clone(), format!("CAST($0 AS {})", self.ty.name()), vec![self]),
            false => self,
        }
    }

    /// Returns the same with forms that say less.
    pub fn simpler(mut self, forms: Vec<Form>) -> Self {
        self.simpler = forms;
        self
    }

    /// NULL of the type.
    pub fn null(ty: &Type) -> Self {
        Self::leaf(ty.clone(), format!("CAST(NULL AS {})", ty.name()))
    }

    /// Returns whether it is a column.
    pub fn is_column(&self) -> bool {
        let text = &self.form.pelton;
        // a column that NATURAL joins share has no table: `k1`
        let shared = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
        let named = text.contains('.') || text.strip_prefix('k').is_some_and(shared);
        self.is_leaf() && named && text.starts_with(|c: char| c.is_ascii_lowercase())
    }

    /// Returns whether it is computed of its row alone: no aggregate, window or subquery.
    pub fn is_of_its_row(&self) -> bool {
        let text = &self.form.pelton;
        let of_many = text == "unnest($0)"
            || text.contains(" OVER (")
            || AGGREGATES.iter().any(|name| text.contains(name));
        !of_many
            && self.arguments.iter().all(|argument| match argument {
                Argument::Expr(expr) => expr.is_of_its_row(),
                Argument::Query(_) => false,
            })
    }

    /// Returns whether it is a column or constant.
    pub fn is_leaf(&self) -> bool {
        self.arguments.is_empty()
    }
}

/// A query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// WITH.
    pub ctes: Vec<Cte>,
    /// SELECT, a set operation, or VALUES.
    pub body: Body,
    /// ORDER BY.
    pub order: Vec<Order>,
    /// LIMIT.
    pub limit: Option<usize>,
    /// OFFSET.
    pub offset: Option<usize>,
}

/// A common table expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Cte {
    /// Its name.
    pub name: String,
    /// Names of its columns, if they are given.
    pub columns: Vec<String>,
    /// Its rows.
    pub query: Query,
    /// True if it refers to itself.
    pub recursive: bool,
}

/// Parts of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// SELECT.
    Select(Box<Select>),
    /// UNION, INTERSECT or EXCEPT.
    Set {
        /// The words.
        words: &'static str,
        /// In front of them.
        left: Box<Query>,
        /// Behind them.
        right: Box<Query>,
    },
    /// VALUES.
    Values(Vec<Vec<Expr>>),
}

impl Default for Body {
    fn default() -> Self {
        Body::Select(Box::default())
    }
}

/// A key of ORDER BY with all its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The key.
    pub key: Expr,
    /// Largest first.
    pub descending: bool,
    /// Nulls first.
    pub nulls_first: bool,
}

/// An item of SELECT.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its value.
    pub value: Expr,
    /// Its name.
    pub name: String,
}

/// SELECT.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Select {
    /// DISTINCT.
    pub distinct: bool,
    /// Keys of DISTINCT ON, which ORDER BY begins with.
    pub distinct_on: Vec<Expr>,
    /// FROM is written in front of SELECT.
    pub from_first: bool,
    /// The columns.
    pub items: Vec<Item>,
    /// FROM.
    pub from: Option<Source>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// GROUP BY.
    pub group: Group,
    /// HAVING.
    pub having: Option<Expr>,
    /// QUALIFY.
    pub qualify: Option<Expr>,
}

/// GROUP BY.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Group {
    /// None is written.
    #[default]
    None,
    /// Keys.
    Keys(Vec<Expr>),
    /// ALL, the items without an aggregate.
    All,
    /// The word ROLLUP or CUBE, and its keys.
    Function(&'static str, Vec<Expr>),
    /// GROUPING SETS.
    Sets(Vec<Vec<Expr>>),
}

/// A table in FROM.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A table by name.
    Table {
        /// The name.
        name: String,
        /// The name it is given.
        alias: String,
    },
    /// A subquery.
    Query {
        /// Its rows.
        query: Box<Query>,
        /// The name it is given.
        alias: String,
        /// Names of its columns, if they are given.
        columns: Vec<String>,
        /// LATERAL.
        lateral: bool,
    },
    /// Two tables.
    Join {
        /// The words.
        words: &'static str,
        /// In front of them.
        left: Box<Source>,
        /// Behind them.
        right: Box<Source>,
        /// ON.
        on: Option<Expr>,
        /// The column in USING, in place of ON.
        using: Option<&'static str>,
    },
}
