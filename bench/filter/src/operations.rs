//! Measured operations: each by all implementations, by arrow-rs where it has one, and by plain
//! memory accesses.

use std::hint::black_box;

use arrow_array::{Array, BooleanArray, Scalar, UInt32Array};
use pelton_bitpack::{Bitmap, Kernels, Predicate};

use crate::contest::{Contender, Times, compete};
use crate::data::{Copies, Place, Vector, arrays};
use crate::sys::memory;

/// The contender that reads the packed bytes, and writes the output's number of bytes where the
/// operation writes values.
pub const BYTES: &str = "bytes";
/// The contender that is arrow-rs.
pub const ARROW: &str = "arrow-rs";

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Operation {
    /// A comparison that half of the values pass
    Scan,
    /// Half of the values, chosen at random
    Select,
    /// Values to half of the places, chosen at random
    Expand,
}

impl Operation {
    /// All.
    pub const ALL: [Self; 3] = [Operation::Scan, Operation::Select, Operation::Expand];

    /// Measures all contenders on copies of a vector; those in memory have `total` bytes.
    pub fn measure(self, vector: &Vector, place: Place, total: usize, runs: usize) -> Result<Cell, String> {
        let mask = vector.mask();
        let chosen = mask.count_ones();
        let values = match self {
            Operation::Expand => &vector.values[..chosen],
            Operation::Scan | Operation::Select => &vector.values[..],
        };
        let copies = Copies::new(values, vector.width, place, total)?;
        let unpacked = match self {
            Operation::Expand => vec![],
            Operation::Scan | Operation::Select => arrays(values, place, total),
        };
        let predicate = Predicate::Less(1 << (vector.width - 1));
        let written = match self {
            Operation::Scan => 0,
            Operation::Select => chosen,
            Operation::Expand => vector.values.len(),
        };
        self.check(&copies, &mask, predicate, values)?;

        let limit = Scalar::new(UInt32Array::from(vec![1 << (vector.width - 1)]));
        let filter = BooleanArray::from((0..mask.len()).map(|i| mask.get(i)).collect::<Vec<_>>());
        let mut output = vec![0u32; written];
        let mut all = vec![Contender::new(BYTES, copies.count(), |copy| {
            black_box(memory::sum(copies.bytes(copy)));
            output.fill(black_box(copy as u32));
            black_box(&mut output);
        })];
        for kernels in Kernels::available().into_iter().filter(|kernels| kernels.name() != "naive") {
            let (copies, mask) = (&copies, &mask);
            let (mut bits, mut out) = (Bitmap::new(), Vec::with_capacity(written));
            all.push(Contender::new(kernels.name(), copies.count(), move |copy| {
                bits.clear();
                out.clear();
                let source = copies.source(copy);
                let done = match self {
                    Operation::Scan => kernels.scan(&source, predicate, &mut bits),
                    Operation::Select => kernels.select(&source, mask, &mut out),
                    Operation::Expand => kernels.expand(&source, mask, &mut out),
                };
                done.expect("it did before");
                black_box((&mut bits, &mut out));
            }));
        }
        if !unpacked.is_empty() {
            all.push(Contender::new(ARROW, unpacked.len(), |copy| match self {
                Operation::Scan => {
                    black_box(arrow_ord::cmp::lt(&unpacked[copy], &limit).expect("it did before"));
                }
                Operation::Select | Operation::Expand => {
                    black_box(arrow_select::filter::filter(&unpacked[copy], &filter).expect("it did before"));
                }
            }));
        }
        let times = compete(runs, place.laps(copies.size(), total), all);
        Ok(Cell { width: vector.width, read: copies.size(), written: 4 * written, times })
    }

    /// Compares the results of all contenders, with arrow-rs's where it has the operation.
    fn check(
        self,
        copies: &Copies,
        mask: &Bitmap,
        predicate: Predicate,
        values: &[u32],
    ) -> Result<(), String> {
        let array = UInt32Array::from(values.to_vec());
        let Predicate::Less(limit) = predicate else { return Err("only one predicate is measured".into()) };
        let limit = Scalar::new(UInt32Array::from(vec![limit]));
        let passed = arrow_ord::cmp::lt(&array, &limit).map_err(|error| error.to_string())?;
        let filter = BooleanArray::from((0..mask.len()).map(|i| mask.get(i)).collect::<Vec<_>>());
        for kernels in Kernels::available() {
            let source = copies.source(copies.count() - 1);
            let (mut bits, mut out) = (Bitmap::new(), vec![]);
            let (done, right) = match self {
                Operation::Scan => {
                    let done = kernels.scan(&source, predicate, &mut bits);
                    (done, (0..passed.len()).all(|i| passed.value(i) == bits.get(i)))
                }
                Operation::Select => {
                    let done = kernels.select(&source, mask, &mut out);
                    let expected =
                        arrow_select::filter::filter(&array, &filter).map_err(|error| error.to_string())?;
                    let expected: &UInt32Array = expected.as_any().downcast_ref().ok_or("other values")?;
                    (done, expected.values()[..] == out[..])
                }
                Operation::Expand => {
                    let done = kernels.expand(&source, mask, &mut out);
                    let places = mask.ones().map(|i| out[i]);
                    (done, out.len() == mask.len() && places.eq(values.iter().copied()))
                }
            };
            done.map_err(|error| error.to_string())?;
            if !right {
                return Err(format!("{} gives other results at {} bits", kernels.name(), source.width()));
            }
        }
        Ok(())
    }
}

/// Measurements at a width.
pub struct Cell {
    /// Bits of a value.
    pub width: u32,
    /// Bytes of packed values in a vector.
    pub read: usize,
    /// Bytes of values that are written for it.
    pub written: usize,
    /// Times of all contenders for a vector.
    pub times: Times,
}

impl Cell {
    /// Returns the names of our implementations.
    pub fn ours(&self) -> impl Iterator<Item = &String> {
        self.times.names().iter().filter(|name| ![BYTES, ARROW].contains(&name.as_str()))
    }

    /// Returns the gigabytes that memory alone reads and writes in a second.
    pub fn speed(&self) -> f64 {
        self.times
            .seconds(BYTES)
            .map_or(f64::NAN, |seconds| (self.read + self.written) as f64 / seconds / 1e9)
    }

    /// Returns a line for the terminal.
    pub fn line(&self) -> String {
        let ratios = self.ours().map(|name| {
            let ratio = |to| self.times.ratio(name, to).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            format!("{name} {} of bytes, {} of arrow-rs", ratio(BYTES), ratio(ARROW))
        });
        format!("{} bits: {:.1} GB/s; {}", self.width, self.speed(), ratios.collect::<Vec<_>>().join("; "))
    }
}
