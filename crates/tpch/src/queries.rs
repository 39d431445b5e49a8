//! TPC-H queries with the specification's validation parameters, and their answers at scale factors
//! 1 and 0.01.
//!
//! Q11's fraction is the validation parameter 0.0001 at every scale factor (the specification would
//! divide it by the scale factor), so that a query is one text. Where the answers come from:
//! `tests/tpch/answers/README.md`.

use crate::Error;
use crate::engine::result::ResultSet;

/// One of the 22 queries.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// 1 to 22.
    pub number: u8,
    /// The query, in SQL that DataFusion and DuckDB both take.
    pub sql: &'static str,
    /// The columns of the result that ORDER BY names, counted from 0; none if the result has one
    /// row.
    pub order_by: &'static [usize],
    answer_sf1: &'static str,
    answer_sf001: &'static str,
}

impl Query {
    /// Returns the expected result at `scale_factor`; None where no answer is kept.
    pub fn answer(&self, scale_factor: f64) -> Option<ResultSet> {
        if scale_factor == 1.0 {
            Some(ResultSet::from_answer(self.answer_sf1))
        } else if scale_factor == 0.01 {
            Some(ResultSet::from_answer(self.answer_sf001))
        } else {
            None
        }
    }
}

macro_rules! query {
    ($number:literal, $file:literal, $order_by:expr) => {
        Query {
            number: $number,
            sql: include_str!(concat!("queries/", $file, ".sql")),
            order_by: &$order_by,
            answer_sf1: include_str!(concat!("../../../tests/tpch/answers/sf1/", $file, ".csv")),
            answer_sf001: include_str!(concat!("../../../tests/tpch/answers/sf0.01/", $file, ".csv")),
        }
    };
}

/// All 22, in order.
pub static QUERIES: [Query; 22] = [
    query!(1, "q01", [0, 1]),
    query!(2, "q02", [0, 2, 1, 3]),
    query!(3, "q03", [1, 2]),
    query!(4, "q04", [0]),
    query!(5, "q05", [1]),
    query!(6, "q06", []),
    query!(7, "q07", [0, 1, 2]),
    query!(8, "q08", [0]),
    query!(9, "q09", [0, 1]),
    query!(10, "q10", [2]),
    query!(11, "q11", [1]),
    query!(12, "q12", [0]),
    query!(13, "q13", [1, 0]),
    query!(14, "q14", []),
    query!(15, "q15", [0]),
    query!(16, "q16", [3, 0, 1, 2]),
    query!(17, "q17", []),
    query!(18, "q18", [4, 3]),
    query!(19, "q19", []),
    query!(20, "q20", [0]),
    query!(21, "q21", [1, 0]),
    query!(22, "q22", [0]),
];

/// Reads a choice of queries such as `1,6,12-14`.
pub fn choose(text: &str) -> Result<Vec<&'static Query>, Error> {
    let bad = |part: &str| {
        Error::Argument(format!("queries {part:?}: give numbers from 1 to 22, such as 1,6,12-14"))
    };
    let one = |part: &str| {
        let number: usize = part.trim().parse().map_err(|_| bad(part))?;
        if (1..=QUERIES.len()).contains(&number) { Ok(number) } else { Err(bad(part)) }
    };
    let mut chosen = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (one(first)?, one(last)?);
        if first > last {
            return Err(bad(part));
        }
        chosen.extend(&QUERIES[first - 1..last]);
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests;
