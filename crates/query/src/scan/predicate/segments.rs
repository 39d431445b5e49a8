//! LIKE with several texts between `%`, each searched behind the one before.
//!
//! Arrow has searches for a single text, and a regular expression for every other pattern. Texts
//! that may stand anywhere are found by one search each here, from the end of the text before: the
//! first place is as good as any later one.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayAccessor, AsArray, BooleanArray};
use arrow::datatypes::{DataType, Schema};
use arrow::record_batch::RecordBatch;
use datafusion::common::ScalarValue;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::expressions::{LikeExpr, Literal};
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use memchr::memmem::Finder;

/// A pattern of texts and `%`.
#[derive(Debug, Clone)]
struct Segments {
    prefix: String,
    /// Texts that follow each other, in this order, behind the prefix.
    between: Vec<Finder<'static>>,
    suffix: String,
    /// Bytes of all texts.
    bytes: usize,
}

impl Segments {
    /// Returns a pattern's texts; `None` if Arrow has a search for it, or it has other signs.
    fn of(pattern: &str) -> Option<Self> {
        if pattern.contains(['_', '\\']) {
            return None;
        }
        let (prefix, rest) = pattern.split_once('%')?;
        let (between, suffix) = rest.rsplit_once('%').unwrap_or(("", rest));
        let between: Vec<&str> = between.split('%').filter(|text| !text.is_empty()).collect();
        let texts = usize::from(!prefix.is_empty()) + between.len() + usize::from(!suffix.is_empty());
        if texts < 2 {
            return None;
        }
        let bytes = prefix.len() + between.iter().map(|text| text.len()).sum::<usize>() + suffix.len();
        let between = between.iter().map(|text| Finder::new(text.as_bytes()).into_owned()).collect();
        Some(Self { prefix: prefix.to_owned(), between, suffix: suffix.to_owned(), bytes })
    }

    fn is_match(&self, text: &str) -> bool {
        let text = text.as_bytes();
        // an empty text has an address without memory, for which a comparison in vectors takes long
        if text.len() < self.bytes
            || !self.prefix.is_empty() && !text.starts_with(self.prefix.as_bytes())
            || !self.suffix.is_empty() && !text.ends_with(self.suffix.as_bytes())
        {
            return false;
        }
        let mut rest = &text[self.prefix.len()..text.len() - self.suffix.len()];
        for finder in &self.between {
            let Some(at) = finder.find(rest) else { return false };
            rest = &rest[at + finder.needle().len()..];
        }
        true
    }

    fn matches<'a>(&self, texts: impl ArrayAccessor<Item = &'a str>, negated: bool) -> BooleanArray {
        BooleanArray::from_unary(texts, |text| self.is_match(text) != negated)
    }
}

/// True for texts that match a pattern, or, negated, for those that do not.
#[derive(Debug)]
pub(super) struct SegmentsExpr {
    text: Arc<dyn PhysicalExpr>,
    negated: bool,
    /// The pattern as it is written.
    pattern: String,
    segments: Segments,
}

impl SegmentsExpr {
    /// Returns the expression for a LIKE; `None` if it is none of texts and `%`.
    pub fn of(expression: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Option<Self> {
        let like = expression.downcast_ref::<LikeExpr>().filter(|like| !like.case_insensitive())?;
        let pattern = match like.pattern().downcast_ref::<Literal>()?.value() {
            ScalarValue::Utf8View(Some(text))
            | ScalarValue::Utf8(Some(text))
            | ScalarValue::LargeUtf8(Some(text)) => text.clone(),
            _ => return None,
        };
        let is_text = like.expr().data_type(schema).is_ok_and(|of| of.is_string());
        let segments = Segments::of(&pattern).filter(|_| is_text)?;
        Some(Self { text: like.expr().clone(), negated: like.negated(), pattern, segments })
    }
}

impl PartialEq for SegmentsExpr {
    fn eq(&self, other: &Self) -> bool {
        self.text.eq(&other.text) && self.negated == other.negated && self.pattern == other.pattern
    }
}

impl Eq for SegmentsExpr {}

impl Hash for SegmentsExpr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.text, self.negated, &self.pattern).hash(state);
    }
}

impl fmt::Display for SegmentsExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.negated { "NOT " } else { "" };
        write!(f, "{} {not}LIKE {}", self.text, self.pattern)
    }
}

impl PhysicalExpr for SegmentsExpr {
    fn data_type(&self, _: &Schema) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn nullable(&self, schema: &Schema) -> Result<bool> {
        self.text.nullable(schema)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let texts = self.text.evaluate(batch)?.into_array(batch.num_rows())?;
        let matches = match texts.data_type() {
            DataType::Utf8View => self.segments.matches(texts.as_string_view(), self.negated),
            DataType::Utf8 => self.segments.matches(texts.as_string::<i32>(), self.negated),
            DataType::LargeUtf8 => self.segments.matches(texts.as_string::<i64>(), self.negated),
            other => return Err(DataFusionError::Internal(format!("LIKE of {other}"))),
        };
        Ok(ColumnarValue::Array(Arc::new(matches)))
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.text]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        let text = children.pop().unwrap_or_else(|| self.text.clone());
        let (pattern, segments) = (self.pattern.clone(), self.segments.clone());
        Ok(Arc::new(Self { text, negated: self.negated, pattern, segments }))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests;
