//! Intermediate representation of a query: expressions, pipelines, and the tables between them.

mod display;
mod expr;
mod query;
mod scalar;

pub use expr::{Arithmetic, Comparison, DatePart, Expr, Kind, Literal};
pub use query::{
    Aggregate, Field, Fill, Into, Join, Operation, Order, Pipeline, Query, Reduction, Scan, Side, Source,
    State, Step, Table,
};
pub use scalar::Scalar;
