//! Sums of doubles without rounding.
//!
//! A sum is kept as several doubles that add up to it (Shewchuk, Adaptive Precision Floating-Point
//! Arithmetic and Fast Robust Geometric Predicates, 1997, section 2.4).

/// An exact sum, rounded only when it is read.
#[derive(Debug, Clone, Default)]
pub(super) struct ExactSum {
    /// Ascending, without a bit in common.
    parts: Vec<f64>,
}

impl ExactSum {
    /// Adds a finite number.
    pub fn add(&mut self, mut value: f64) {
        let mut kept = 0;
        for at in 0..self.parts.len() {
            let mut part = self.parts[at];
            if value.abs() < part.abs() {
                std::mem::swap(&mut value, &mut part);
            }
            let sum = value + part;
            if sum.is_infinite() {
                // their sum would overflow; they stay apart until another value cancels one
                self.parts[kept] = part;
                kept += 1;
                continue;
            }
            let rest = part - (sum - value);
            if rest != 0.0 {
                self.parts[kept] = rest;
                kept += 1;
            }
            value = sum;
        }
        self.parts.truncate(kept);
        if value != 0.0 {
            self.parts.push(value);
        }
    }

    /// Adds the product of two numbers, which neither overflows nor is less than the least normal
    /// number divided by 2^53.
    pub fn add_product(&mut self, left: f64, right: f64) {
        let product = left * right;
        self.add(product);
        self.add(left.mul_add(right, -product));
    }

    /// Returns the sum times a number, without rounding as in [`Self::add_product`].
    pub fn times(&self, factor: f64) -> Self {
        let mut product = Self::default();
        self.parts.iter().for_each(|part| product.add_product(*part, factor));
        product
    }

    /// Subtracts the product of two sums, without rounding as in [`Self::add_product`].
    pub fn subtract_product(&mut self, left: &Self, right: &Self) {
        for left in &left.parts {
            right.parts.iter().for_each(|right| self.add_product(-left, *right));
        }
    }

    /// Returns the sum, rounded.
    pub fn total(&self) -> f64 {
        self.parts.iter().rev().fold(0.0, |sum, part| sum + part)
    }

    /// Returns the heap bytes of the sum.
    pub fn size(&self) -> usize {
        self.parts.capacity() * size_of::<f64>()
    }
}
