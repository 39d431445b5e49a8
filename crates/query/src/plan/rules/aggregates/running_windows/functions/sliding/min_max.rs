//! `min` and `max` over sliding frames.
//!
//! The candidates of a frame are the rows that no later row of it is better than: the first of them
//! has the value (Lemire, Streaming Maximum-Minimum Filter Using No More than Three Comparisons per
//! Element, 2006).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, ArrowNativeTypeOp, AsArray, LargeStringArray, PrimitiveBuilder, StringArray, StringViewArray,
    downcast_primitive,
};
use arrow::datatypes::{ArrowPrimitiveType, DataType};
use datafusion::error::Result;

use super::super::{Make, Running};
use super::{Frame, Needed, Slide, Sliding, Tail};

/// The candidates of the last frame.
struct Candidates<V> {
    /// `None` for NULL.
    values: Tail<Option<V>>,
    candidates: VecDeque<(u64, V)>,
    /// The last frame.
    last: Range<u64>,
}

impl<V> Default for Candidates<V> {
    fn default() -> Self {
        Self { values: Tail::default(), candidates: VecDeque::new(), last: 0..0 }
    }
}

impl<V: Clone> Candidates<V> {
    /// Returns the best value of a frame.
    fn best(&mut self, frame: &Range<u64>, is_better: impl Fn(&V, &V) -> bool) -> Option<&V> {
        if frame.start < self.last.start || frame.end < self.last.end {
            self.candidates.clear();
            self.last = frame.start..frame.start;
        }
        for row in self.last.end.max(frame.start)..frame.end {
            let Some(value) = self.values.row(row) else { continue };
            while self.candidates.back().is_some_and(|(_, last)| is_better(value, last)) {
                self.candidates.pop_back();
            }
            self.candidates.push_back((row, value.clone()));
        }
        self.last = frame.clone();
        while self.candidates.front().is_some_and(|(row, _)| *row < frame.start) {
            self.candidates.pop_front();
        }
        self.candidates.front().map(|(_, value)| value)
    }

    fn size(&self) -> usize {
        self.values.size() + self.candidates.capacity() * size_of::<(u64, V)>()
    }
}

/// Returns `min` or `max` of a type over frames; `None` if its values have another order than their
/// numbers.
pub(crate) fn extreme(data_type: &DataType, frame: &Frame, is_greatest: bool) -> Option<Make> {
    macro_rules! make {
        ($t:ty) => {{
            let (data_type, frame) = (data_type.clone(), frame.clone());
            Some(Arc::new(move || {
                let candidates = Candidates::default();
                let numbers = Numbers::<$t> { data_type: data_type.clone(), is_greatest, candidates };
                Box::new(Slide::new(frame.clone(), numbers)) as Box<dyn Running>
            }))
        }};
    }
    if matches!(data_type, DataType::Interval(_)) {
        return None;
    }
    downcast_primitive! {
        data_type => (make),
        _ => None
    }
}

/// The least or the greatest number or time.
struct Numbers<T: ArrowPrimitiveType> {
    data_type: DataType,
    is_greatest: bool,
    candidates: Candidates<T::Native>,
}

impl<T: ArrowPrimitiveType> Sliding for Numbers<T> {
    fn push(&mut self, argument: &ArrayRef) -> Result<()> {
        self.candidates.values.extend(argument.as_primitive::<T>());
        Ok(())
    }

    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef> {
        let mut found = PrimitiveBuilder::<T>::with_capacity(frames.len());
        let is_greatest = self.is_greatest;
        for frame in frames {
            let best = self.candidates.best(frame, |one, other| match is_greatest {
                true => other.is_lt(*one),
                false => one.is_lt(*other),
            });
            found.append_option(best.copied());
        }
        Ok(Arc::new(found.finish().with_data_type(self.data_type.clone())))
    }

    fn forget(&mut self, needed: Needed) {
        self.candidates.values.forget(needed.unseen);
    }

    fn size(&self) -> usize {
        self.candidates.size()
    }
}

/// The least or the greatest text, by its bytes.
pub(crate) struct Texts {
    data_type: DataType,
    is_greatest: bool,
    candidates: Candidates<Arc<str>>,
    /// Bytes of the texts of the last rows.
    bytes: usize,
}

impl Texts {
    /// Returns a function that has seen no rows.
    pub fn new(data_type: DataType, is_greatest: bool) -> Self {
        Self { data_type, is_greatest, candidates: Candidates::default(), bytes: 0 }
    }
}

impl Sliding for Texts {
    fn push(&mut self, argument: &ArrayRef) -> Result<()> {
        let values = &mut self.candidates.values;
        match self.data_type {
            DataType::Utf8 => {
                values.extend(argument.as_string::<i32>().iter().map(|text| text.map(Arc::from)))
            }
            DataType::LargeUtf8 => {
                values.extend(argument.as_string::<i64>().iter().map(|text| text.map(Arc::from)));
            }
            _ => values.extend(argument.as_string_view().iter().map(|text| text.map(Arc::from))),
        }
        Ok(())
    }

    fn values(&mut self, frames: &[Range<u64>]) -> Result<ArrayRef> {
        let is_greatest = self.is_greatest;
        let best = frames.iter().map(|frame| {
            let best = self.candidates.best(frame, |one, other| match is_greatest {
                true => other < one,
                false => one < other,
            });
            best.cloned()
        });
        let found: Vec<Option<Arc<str>>> = best.collect();
        let texts = found.iter().map(Option::as_deref);
        Ok(match self.data_type {
            DataType::Utf8 => Arc::new(texts.collect::<StringArray>()),
            DataType::LargeUtf8 => Arc::new(texts.collect::<LargeStringArray>()),
            _ => Arc::new(texts.collect::<StringViewArray>()),
        })
    }

    fn forget(&mut self, needed: Needed) {
        self.candidates.values.forget(needed.unseen);
        let held = self.candidates.values.values.iter().flatten();
        let candidates = self.candidates.candidates.iter().map(|(_, text)| text);
        self.bytes = held.chain(candidates).map(|text| text.len()).sum();
    }

    fn size(&self) -> usize {
        self.candidates.size() + self.bytes
    }
}
