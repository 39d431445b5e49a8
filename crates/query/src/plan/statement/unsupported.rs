//! Statements that are not supported, and what to write instead.

use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;

use crate::error::Error;

/// Returns the error for a statement of SQL.
pub(super) fn error(statement: &SqlStatement) -> Error {
    let (name, instead) = match statement {
        SqlStatement::Update(_) => (
            "UPDATE",
            "rows stay as they were written: write CREATE OR REPLACE TABLE t AS SELECT ... FROM t with CASE, or COPY \
             (SELECT ...) TO a new file",
        ),
        SqlStatement::Delete(_) => (
            "DELETE",
            "rows stay as they were written: write CREATE OR REPLACE TABLE t AS SELECT * FROM t WHERE NOT (...), or \
             COPY (SELECT ...) TO a new file",
        ),
        SqlStatement::Truncate(_) => (
            "TRUNCATE",
            "write CREATE OR REPLACE TABLE t AS SELECT * FROM t LIMIT 0 for a table without rows",
        ),
        SqlStatement::Merge(_) => {
            ("MERGE", "write CREATE OR REPLACE TABLE t AS SELECT ... FROM t FULL JOIN the other rows")
        }
        SqlStatement::StartTransaction { .. }
        | SqlStatement::Commit { .. }
        | SqlStatement::Rollback { .. }
        | SqlStatement::Savepoint { .. }
        | SqlStatement::ReleaseSavepoint { .. } => (
            "a transaction",
            "each statement takes effect by itself, whole or not at all: leave this one out",
        ),
        SqlStatement::CreateIndex(_) => (
            "CREATE INDEX",
            "the statistics of pages take its place: write CREATE TABLE ... AS SELECT ... ORDER BY the columns that \
             conditions name",
        ),
        SqlStatement::CreateSchema { .. } | SqlStatement::CreateDatabase { .. } | SqlStatement::Use(_) => {
            ("another schema", "a session has one for all of its tables: write names without a schema")
        }
        SqlStatement::AttachDatabase { .. } | SqlStatement::AttachDuckDBDatabase { .. } => {
            ("ATTACH", "name the files in FROM, or write CREATE VIEW t AS FROM 'place/*.parquet'")
        }
        SqlStatement::Install { .. } | SqlStatement::Load { .. } => {
            ("an extension", "all that there is was built in: leave this statement out")
        }
        SqlStatement::CreateFunction(_) | SqlStatement::CreateMacro { .. } => {
            ("a function of SQL", "write a view, or the expression itself")
        }
        SqlStatement::CreateSequence { .. } => {
            ("CREATE SEQUENCE", "write row_number() OVER () in the query that makes the rows")
        }
        SqlStatement::CreateType { .. } => {
            ("CREATE TYPE", "write the type itself in the columns, or VARCHAR")
        }
        SqlStatement::AlterView { .. } => {
            ("ALTER VIEW", "write CREATE OR REPLACE VIEW, or ALTER VIEW ... RENAME TO")
        }
        SqlStatement::Analyze { .. } | SqlStatement::Vacuum(_) => {
            ("this statement", "statistics are those of the pages, and always right: leave it out")
        }
        SqlStatement::Drop { .. } => {
            ("this DROP", "tables and views are dropped: write DROP TABLE or DROP VIEW")
        }
        SqlStatement::Set(_) => ("SET inside of another statement", "write the SET by itself"),
        SqlStatement::Copy { .. } => ("COPY inside of another statement", "write the COPY by itself"),
        SqlStatement::Explain { .. } => ("DESCRIBE of this statement", "write EXPLAIN for its plan"),
        _ => ("this statement", "SELECT, CREATE TABLE, CREATE VIEW, INSERT, DROP and ALTER ... RENAME are"),
    };
    refused(name, instead)
}

/// Returns the error for a statement of DataFusion's own.
pub(super) fn extension(statement: &Statement) -> Error {
    match statement {
        Statement::CreateExternalTable(_) => {
            refused("CREATE EXTERNAL TABLE", "write CREATE VIEW t AS FROM 'place/*.parquet'")
        }
        Statement::CopyTo(_) => refused("COPY inside of another statement", "write the COPY by itself"),
        _ => refused("RESET inside of another statement", "write the RESET by itself"),
    }
}

fn refused(name: &str, instead: &str) -> Error {
    Error::Query(format!("{name} is not supported: {instead}"))
}
