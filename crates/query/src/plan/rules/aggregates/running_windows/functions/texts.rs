//! `min` and `max` of texts.

use std::sync::Arc;

use arrow::array::{Array, ArrayAccessor, ArrayRef, AsArray, LargeStringArray, StringArray, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::error::Result;

use super::{Running, Step, walk};
use crate::plan::rules::aggregates::running_windows::groups::{Scope, Starts};

/// The least or the greatest text, by its bytes.
pub(super) struct Extreme {
    is_greatest: bool,
    best: Option<String>,
}

impl Extreme {
    /// Returns a function that has seen no rows.
    pub fn new(is_greatest: bool) -> Self {
        Self { is_greatest, best: None }
    }
}

struct Compare<'a, A> {
    array: A,
    is_greatest: bool,
    best: Option<&'a str>,
    found: Vec<Option<&'a str>>,
}

impl<'a, A: ArrayAccessor<Item = &'a str>> Step for Compare<'a, A> {
    fn reset(&mut self) {
        self.best = None;
    }

    fn add(&mut self, row: usize) {
        if self.array.is_null(row) {
            return;
        }
        let value = self.array.value(row);
        let is_better =
            self.best.is_none_or(|best| if self.is_greatest { best < value } else { value < best });
        if is_better {
            self.best = Some(value);
        }
    }

    fn emit(&mut self) {
        self.found.push(self.best);
    }
}

impl Running for Extreme {
    fn add(&mut self, arguments: &[ArrayRef], starts: &Starts, scope: Scope) -> Result<ArrayRef> {
        let (argument, is_greatest, before) = (&arguments[0], self.is_greatest, self.best.take());
        let (array, best): (ArrayRef, _) = match argument.data_type() {
            DataType::Utf8 => {
                let texts = argument.as_string::<i32>();
                let (found, best) = texts_of(texts, before.as_deref(), is_greatest, starts, scope);
                (Arc::new(StringArray::from(found)), best.map(str::to_owned))
            }
            DataType::LargeUtf8 => {
                let texts = argument.as_string::<i64>();
                let (found, best) = texts_of(texts, before.as_deref(), is_greatest, starts, scope);
                (Arc::new(LargeStringArray::from(found)), best.map(str::to_owned))
            }
            _ => {
                let texts = argument.as_string_view();
                let (found, best) = texts_of(texts, before.as_deref(), is_greatest, starts, scope);
                (Arc::new(found.into_iter().collect::<StringViewArray>()), best.map(str::to_owned))
            }
        };
        self.best = best;
        Ok(array)
    }
}

/// Returns the values that a batch has, and the one after it.
fn texts_of<'a>(
    array: impl ArrayAccessor<Item = &'a str>,
    best: Option<&'a str>,
    is_greatest: bool,
    starts: &Starts,
    scope: Scope,
) -> (Vec<Option<&'a str>>, Option<&'a str>) {
    let mut step = Compare { array, is_greatest, best, found: Vec::new() };
    walk(&mut step, starts, scope);
    (step.found, step.best)
}
