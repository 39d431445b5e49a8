use std::sync::Arc;

use arrow::array::Float64Array;

use super::*;

fn array(value: f64) -> [ArrayRef; 1] {
    [Arc::new(Float64Array::from(vec![value]))]
}

#[test]
fn what_left_the_frame_leaves_nothing() -> Result<()> {
    for first in [1e16, 1e-300, -1e300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.1] {
        let mut sum = SlidingSum::sum();
        for value in [first, 0.2, 0.3] {
            sum.update_batch(&array(value))?;
        }
        sum.retract_batch(&array(first))?;
        assert_eq!(sum.total(), Some(0.5), "{first}");
        sum.retract_batch(&array(0.2))?;
        sum.retract_batch(&array(0.3))?;
        assert_eq!(sum.total(), None);
        sum.update_batch(&array(0.0))?;
        assert_eq!(sum.total(), Some(0.0));
    }
    Ok(())
}

#[test]
fn infinities_of_both_signs_are_no_number() -> Result<()> {
    let mut mean = SlidingSum::mean();
    mean.update_batch(&array(f64::INFINITY))?;
    assert_eq!(mean.total(), Some(f64::INFINITY));
    mean.update_batch(&array(f64::NEG_INFINITY))?;
    assert!(mean.total().is_some_and(f64::is_nan));
    mean.retract_batch(&array(f64::INFINITY))?;
    assert_eq!(mean.total(), Some(f64::NEG_INFINITY));
    Ok(())
}
