//! Arithmetic on 128-bit integers that fit into 64 bits.
//!
//! Values of half the width need no check for overflow: a product is one instruction, and a sum
//! stays in range, also when one side is first scaled by a factor of the same width.

/// One side of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// A value for each row.
    Each(&'a [i128]),
    /// One value for all rows.
    One(i128),
}

/// Returns whether all values fit into 64 bits: their upper half repeats the sign of the lower.
pub fn fit(values: &[i128]) -> bool {
    // without a branch, so that the loop is vectorised
    values.iter().fold(0, |beyond, &value| beyond | ((value >> 64) as i64 ^ (value as i64 >> 63))) == 0
}

/// Returns the products of two operands whose values [`fit`]. `None`: both are constants, or one
/// array is longer.
pub fn products(a: Operand<'_>, b: Operand<'_>) -> Option<Vec<i128>> {
    combine(a, b, |a, b| wide(a) * wide(b))
}

/// Returns the sums of two operands whose values [`fit`], each times a factor that fits. `None` is
/// as for [`products`].
pub fn sums(a: Operand<'_>, x: i64, b: Operand<'_>, y: i64) -> Option<Vec<i128>> {
    let (x, y) = (i128::from(x), i128::from(y));
    match (x, y) {
        (1, 1) => combine(a, b, |a, b| wide(a) + wide(b)),
        (1, -1) => combine(a, b, |a, b| wide(a) - wide(b)),
        _ => combine(a, b, |a, b| wide(a) * x + wide(b) * y),
    }
}

/// Returns the lower half alone, so that the compiler sees a product of two 64-bit numbers.
fn wide(value: i128) -> i128 {
    i128::from(value as i64)
}

fn combine(a: Operand<'_>, b: Operand<'_>, f: impl Fn(i128, i128) -> i128) -> Option<Vec<i128>> {
    Some(match (a, b) {
        (Operand::Each(a), Operand::Each(b)) if a.len() == b.len() => {
            a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
        }
        (Operand::Each(a), Operand::One(b)) => a.iter().map(|&a| f(a, b)).collect(),
        (Operand::One(a), Operand::Each(b)) => b.iter().map(|&b| f(a, b)).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
