use arrow::array::{ArrayRef, StringArray, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::Field;
use datafusion::physical_expr::expressions::{Column, lit};
use pelton_random::Random;

use super::*;

fn written(random: &mut Random, letters: &[&str], most: usize) -> String {
    (0..random.below(most + 1)).map(|_| *random.pick(letters)).collect()
}

/// Random patterns over few letters match the same texts as Arrow's regular expression.
#[test]
fn patterns_match_as_arrow_does() {
    let mut random = Random::new(13);
    let mut searched = 0;
    for _ in 0..3000 {
        let texts: Vec<Option<String>> = (0..40)
            .map(|_| random.chance(0.9).then(|| written(&mut random, &["a", "b", "ab", "é", "\n", "%"], 9)))
            .collect();
        let texts: ArrayRef = match random.below(3) {
            0 => Arc::new(StringArray::from(texts)),
            1 => cast(&StringArray::from(texts), &DataType::LargeUtf8).expect("texts"),
            _ => Arc::new(StringViewArray::from(texts)),
        };
        let schema = Arc::new(Schema::new(vec![Field::new("t", texts.data_type().clone(), true)]));
        let batch = RecordBatch::try_new(schema.clone(), vec![texts.clone()]).expect("one column");
        let pattern = written(&mut random, &["%", "%", "a", "b", "ab", "é"], 7);
        let pattern = ScalarValue::from(pattern.as_str()).cast_to(texts.data_type()).expect("a text");
        let text = Arc::new(Column::new("t", 0));
        let like: Arc<dyn PhysicalExpr> =
            Arc::new(LikeExpr::new(random.chance(0.5), false, text, lit(pattern)));
        let Some(own) = SegmentsExpr::of(&like, &schema) else { continue };
        searched += 1;
        let value = |expression: &dyn PhysicalExpr| {
            expression.evaluate(&batch).and_then(|value| value.into_array(40)).expect("booleans")
        };
        assert_eq!(&value(&own), &value(like.as_ref()), "{own}");
    }
    assert!(searched > 500, "{searched}");
}

#[test]
fn other_patterns_are_left_to_arrow() {
    for pattern in ["", "a", "%", "%%", "a%", "%a", "%a%", "%%a%", "a_b%c", r"a\%b%c"] {
        assert!(Segments::of(pattern).is_none(), "{pattern}");
    }
    for pattern in ["a%b", "%a%b%", "a%b%", "%a%b", "a%%b", "a%b%c"] {
        assert!(Segments::of(pattern).is_some(), "{pattern}");
    }
}

/// The texts of a pattern do not overlap.
#[test]
fn each_byte_is_of_one_text() {
    let segments = Segments::of("aba%ba").expect("two texts");
    assert!(!segments.is_match("aba") && segments.is_match("ababa") && segments.is_match("abaxba"));
}
