//! Runs the queries on an engine and judges each result.

use std::fmt;

use crate::Error;
use crate::check::{Mismatch, check};
use crate::engine::protocol::{Answered, Scanned};
use crate::engine::result::ResultSet;
use crate::engine::system::System;
use crate::queries::Query;

/// Verdict on a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is the kept answer.
    Right,
    /// No answer is kept at this scale factor; it is the same as another engine's.
    Agrees(String),
    /// No answer is kept at this scale factor, and no other engine was asked.
    Unchecked,
    /// It is not the kept answer.
    Wrong(Mismatch),
    /// It differs from another engine's result.
    Differs(String, Mismatch),
    /// The query failed.
    Failed(String),
}

impl Verdict {
    /// Returns whether the result is wrong or the query failed.
    pub fn is_bad(&self) -> bool {
        matches!(self, Verdict::Wrong(_) | Verdict::Differs(..) | Verdict::Failed(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Right => f.write_str("ok"),
            Verdict::Agrees(engine) => write!(f, "agrees with {engine}"),
            Verdict::Unchecked => f.write_str("unchecked"),
            Verdict::Wrong(mismatch) => write!(f, "WRONG: {mismatch}"),
            Verdict::Differs(engine, mismatch) => write!(f, "DIFFERS from {engine}: {mismatch}"),
            Verdict::Failed(error) => write!(f, "FAILED: {error}"),
        }
    }
}

/// Measurements of one query.
#[derive(Clone, Debug)]
pub struct QueryRun {
    /// The query, 1 to 22.
    pub query: u8,
    /// Rows in the result.
    pub rows: u64,
    /// Milliseconds from the query's text to its last row.
    pub ms: f64,
    /// Read and decompressed bytes of its scans.
    pub scanned: Scanned,
    /// Time of another engine for it, if one was asked.
    pub rival_ms: Option<f64>,
    /// Whether the result is right.
    pub verdict: Verdict,
}

/// Runs `query` on `system`, then on `rival` if there is one, and checks the result against the
/// answer or the rival's.
///
/// A query that fails on `system` is a verdict; one that fails on `rival` is an error.
pub fn run_query(
    system: &mut dyn System,
    rival: Option<&mut dyn System>,
    query: &Query,
    scale_factor: f64,
) -> Result<QueryRun, Error> {
    let outcome = system.query(query.sql, true);
    let rival = match rival {
        None => None,
        Some(rival) => {
            let answered = rival.query(query.sql, true)?;
            Some((rival.identity().name.clone(), answered))
        }
    };
    let rival_ms = rival.as_ref().map(|(_, answered)| answered.ms);
    let others = rival.and_then(|(name, answered)| Some((name, answered.result?)));
    let failed = |reason| QueryRun {
        query: query.number,
        rows: 0,
        ms: 0.0,
        scanned: Scanned::default(),
        rival_ms,
        verdict: Verdict::Failed(reason),
    };
    Ok(match outcome {
        Err(error) => failed(error.to_string()),
        Ok(Answered { result: None, .. }) => failed("no result came back".into()),
        Ok(Answered { ms, row_count, result: Some(result), scanned, .. }) => QueryRun {
            query: query.number,
            rows: row_count,
            ms,
            scanned: scanned.unwrap_or_default(),
            rival_ms,
            verdict: judge(&result, query.answer(scale_factor), others, query.order_by),
        },
    })
}

/// Checks a result with the kept answer and with another engine's result, as far as there are any.
fn judge(
    result: &ResultSet,
    answer: Option<ResultSet>,
    others: Option<(String, ResultSet)>,
    order_by: &[usize],
) -> Verdict {
    if let Some(answer) = &answer
        && let Err(mismatch) = check(result, answer, order_by)
    {
        return Verdict::Wrong(mismatch);
    }
    match others {
        Some((name, other)) => match check(result, &other, order_by) {
            Err(mismatch) => Verdict::Differs(name, mismatch),
            Ok(()) if answer.is_some() => Verdict::Right,
            Ok(()) => Verdict::Agrees(name),
        },
        None if answer.is_some() => Verdict::Right,
        None => Verdict::Unchecked,
    }
}

#[cfg(test)]
mod tests;
