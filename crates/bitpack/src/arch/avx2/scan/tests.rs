use super::raised;
use crate::predicate::Within;

/// Every range of values of some bits, every value, and anything below it.
#[test]
fn a_range_is_one_comparison_with_a_sign() {
    for width in 3..=8 {
        let most = (1_u32 << width) - 1;
        for (low, high) in (0..=most).flat_map(|low| (low..=most).map(move |high| (low, high))) {
            if (low, high) == (0, most) {
                continue;
            }
            for invert in [false, true] {
                let within = Within { low, span: high - low, invert };
                let (low, span) = raised(within, width, 8);
                for lane in 0..=u8::MAX {
                    let passes = lane.wrapping_sub(low as u8) as i8 > span as i8;
                    assert_eq!(
                        passes,
                        within.passes(u32::from(lane) >> (8 - width)),
                        "{within:?}, lane {lane}"
                    );
                }
            }
        }
    }
}
