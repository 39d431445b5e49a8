//! A query as pipelines: each reads a source row by row, and ends in a table or an aggregate.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::logical_expr::Expr as LogicalExpr;
use pelton_query::PeltonTable;

use super::{Expr, Scalar};

/// A column of rows between steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name for display.
    pub name: String,
    /// Its type in Arrow.
    pub data_type: DataType,
    /// Its type on the device.
    pub scalar: Scalar,
    /// Whether it can be null.
    pub nullable: bool,
}

/// A table in files.
#[derive(Clone)]
pub struct Scan {
    /// Its name in the query.
    pub name: String,
    /// The files.
    pub table: Arc<PeltonTable>,
    /// Columns of the table, in the order of `fields`.
    pub columns: Vec<usize>,
    /// Their names and types.
    pub fields: Vec<Field>,
    /// Conditions over the table's columns, by which row groups and pages are ruled out. The
    /// pipeline has them, too.
    pub conditions: Vec<LogicalExpr>,
}

/// Source of a pipeline's rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A scan, by number.
    Scan(usize),
    /// A table, by number.
    Table {
        /// Its number.
        table: usize,
        /// For a table with marks: only the rows that are marked, or only the others.
        marked: Option<bool>,
        /// In the order of this sort.
        order: Option<usize>,
        /// Rows to leave out at the front.
        skip: u64,
        /// Rows to take.
        fetch: Option<u64>,
    },
    /// The groups of an aggregate, by number.
    Groups(usize),
}

/// Result of a probe's row and the rows of the table that match it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// A row for each match.
    Inner,
    /// A row for each match; one with nulls where there is none.
    Outer,
    /// The row, once, if there is a match.
    Semi,
    /// The row if there is none.
    Anti,
    /// The row, with a column that says whether there is one.
    Mark,
    /// No row: the table's matching rows are marked.
    MarkTable,
}

/// Operation on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Keeps the rows for which this holds.
    Filter(Expr),
    /// Replaces the columns.
    Project(Vec<(Field, Expr)>),
    /// Looks up the rows of a table that have the row's keys; without keys, all rows.
    Probe {
        /// The table.
        table: usize,
        /// Keys of the row, in the order of the table's.
        keys: Vec<Expr>,
        /// The kind of join. `Inner` and `Outer` append the table's columns to the row's.
        join: Join,
        /// Additional condition, over the row's columns and then the table's.
        residual: Option<Expr>,
        /// Mark the rows of the table that match.
        marks: bool,
    },
}

/// Target of a pipeline's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Into {
    /// To a table, by number.
    Table(usize),
    /// To a table at the number of the source's row: the source is in order, and every row arrives.
    TableInOrder(usize),
    /// To an aggregate, by number.
    Groups(usize),
    /// Nowhere: the pipeline only sets marks.
    Nowhere,
}

/// Rows from one source through some steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Pipeline {
    /// Source of the rows.
    pub source: Source,
    /// Operations on its rows.
    pub steps: Vec<Step>,
    /// Target of the rows.
    pub into: Into,
}

/// Pipelines with the same target. If its capacity is too small for all of their rows, they all run
/// again.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill {
    /// The pipelines, in order: a later one may read marks that an earlier one sets.
    pub pipelines: Vec<Pipeline>,
    /// Rows that the planner expects.
    pub rows: f64,
}

/// Direction of an order, and the side of its nulls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// From large to small.
    pub descending: bool,
    /// Nulls in front.
    pub nulls_first: bool,
}

/// A sort of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The table, by number.
    pub table: usize,
    /// Its key columns, the most significant first.
    pub keys: Vec<(usize, Side)>,
    /// Number of sorted rows to keep.
    pub fetch: Option<u64>,
}

/// Operations of a query, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Runs pipelines.
    Fill(Fill),
    /// Chains a filled table's rows by their keys.
    Index(usize),
    /// Sorts a filled table; the number is the order's.
    Sort(usize),
}

/// A table of rows on the device.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its columns.
    pub fields: Vec<Field>,
    /// Key columns for look-ups; `None` without look-ups.
    pub keys: Option<Vec<usize>>,
    /// Nulls are equal to each other as keys; otherwise rows with one match nothing.
    pub nulls_match: bool,
    /// Matched rows are marked.
    pub marks: bool,
}

/// Reduction of a group's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Sum; null until there is a value.
    Sum,
    /// Number of values, or of rows.
    Count,
    /// Least.
    Minimum,
    /// Greatest.
    Maximum,
}

/// One value for each group.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Its reduction.
    pub reduction: Reduction,
    /// The value of a row; `None`: rows are counted.
    pub value: Option<Expr>,
    /// Condition for rows that count.
    pub filter: Option<Expr>,
    /// Each value of a group counts once: the number of an aggregate without states, with the keys
    /// of the group and the value.
    pub distinct: Option<usize>,
    /// The column that it becomes.
    pub field: Field,
}

/// Groups by keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// Keys of a row, and as columns. Without keys all rows are one group, which exists even
    /// without rows.
    pub keys: Vec<(Field, Expr)>,
    /// States of a group.
    pub states: Vec<State>,
    /// Groups that the planner expects.
    pub groups: f64,
}

/// A whole query.
#[derive(Clone)]
pub struct Query {
    /// Tables in files.
    pub scans: Vec<Scan>,
    /// Tables on the device.
    pub tables: Vec<Table>,
    /// Aggregates.
    pub aggregates: Vec<Aggregate>,
    /// Sorts.
    pub orders: Vec<Order>,
    /// Its operations, in order.
    pub operations: Vec<Operation>,
    /// The table with the result.
    pub output: usize,
}

impl Aggregate {
    /// Returns the aggregates that hold the distinct values of its groups.
    pub fn sets(&self) -> impl Iterator<Item = usize> {
        self.states.iter().filter_map(|state| state.distinct)
    }

    /// Returns the columns of its groups: keys, then states.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.keys.iter().map(|(field, _)| field).chain(self.states.iter().map(|state| &state.field))
    }
}
