//! Decimal numbers as engines print them, and the rules of their equality.

/// Digits after the point that the TPC-H specification asks results to be compared at (clause
/// 2.1.3.5: "rounded to the nearest 1/100th"). A number with fewer says too little to stand for one
/// with more.
const MIN_SHARED_DIGITS: u32 = 2;

/// Maximum relative distance of two binary floating-point results for the same value: a few
/// thousand roundings, since averages and ratios come from several each.
const FLOAT_TOLERANCE: f64 = 1e-12;

/// A number read from text: `units` divided by ten to the power of `scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    units: i128,
    scale: u32,
}

impl Number {
    /// Reads `-12.50`; no exponent, no plus sign, at most the 38 digits that fit. None for anything
    /// else.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let units: i128 = format!("{whole}{fraction}").parse().ok()?;
        Some(Number {
            units: if negative { -units } else { units },
            scale: u32::try_from(fraction.len()).ok()?,
        })
    }

    /// Returns whether both stand for the same value as far as their digits go.
    ///
    /// With equal numbers of digits after the point the values must be equal. If one has fewer, its
    /// engine may have rounded or cut off there: the values may differ by less than one in its last
    /// digit, if it has at least two digits, else they must be equal. `float` says that one value
    /// was binary floating point, with noise in its last digits.
    pub fn agrees(self, other: Self, float: bool) -> bool {
        let Some((difference, step)) = self.difference(other) else { return false };
        let coarser = self.scale.min(other.scale);
        let near = if coarser >= MIN_SHARED_DIGITS { difference < step } else { difference == 0 };
        // Both in units of the finer scale; rounding to f64 does not matter at this tolerance.
        let size = self.units.unsigned_abs() as f64 * 10f64.powi(self.finer_by(other));
        near || (float && difference as f64 <= FLOAT_TOLERANCE * size)
    }

    /// Returns whether both differ by no more than a share of the value.
    pub fn is_within(self, other: Self, share: f64) -> bool {
        let value =
            |number: Number| number.units as f64 / 10f64.powi(number.scale.try_into().unwrap_or(i32::MAX));
        (value(self) - value(other)).abs() <= share * value(self).abs()
    }

    /// Returns whether rounding `self` to the digits of `printed` gives `printed`; an exact half
    /// may go either way, as the tools that print such answers do not agree on it.
    #[cfg(test)]
    pub fn rounds_to(self, printed: Self) -> bool {
        match self.difference(printed) {
            Some((difference, step)) if self.scale >= printed.scale => difference * 2 <= step,
            _ => false,
        }
    }

    fn finer_by(self, other: Self) -> i32 {
        i32::try_from(other.scale.saturating_sub(self.scale)).unwrap_or(i32::MAX)
    }

    /// Returns the difference, and one unit of the coarser number's last digit, both in units of
    /// the finer one's; None if that does not fit 128 bits.
    fn difference(self, other: Self) -> Option<(u128, u128)> {
        let step = 10u128.checked_pow(self.scale.abs_diff(other.scale))?;
        let signed = i128::try_from(step).ok()?;
        let (a, b) = if self.scale < other.scale {
            (self.units.checked_mul(signed)?, other.units)
        } else {
            (self.units, other.units.checked_mul(signed)?)
        };
        Some((a.abs_diff(b), step))
    }
}

#[cfg(test)]
mod tests;
