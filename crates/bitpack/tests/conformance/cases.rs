//! Sources: values of every width in every form, of lengths around those of vectors, in memory that
//! ends where they end.

use pelton_bitpack::{Hybrid, Order, Packed, Source, output};

use pelton_random::Random;

/// Where every run's numbers come from; a failure prints it.
pub const SEED: u64 = 0x5eed_f117_e400_0001;

/// Numbers of values around those that fill a byte, a vector, a word of results, and several of
/// them.
pub const LENGTHS: [usize; 23] =
    [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 512, 1023, 1100, 2100];

/// A form that values come in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    Packed(Order),
    Hybrid,
}

pub const FORMS: [Form; 3] = [Form::Packed(Order::Little), Form::Packed(Order::Big), Form::Hybrid];

/// Encoded values.
pub struct Case {
    pub form: Form,
    pub width: u32,
    pub values: Vec<u32>,
    /// Exactly the needed bytes, so that a sanitizer sees reads past the end.
    bytes: Box<[u8]>,
    /// Where in `bytes` the source starts.
    start: usize,
}

impl Case {
    /// Values in a form; a hybrid's have runs.
    pub fn new(form: Form, width: u32, len: usize, random: &mut Random) -> Self {
        let mut values = Vec::with_capacity(len);
        while values.len() < len {
            let run = match (form, random.below(6)) {
                (Form::Hybrid, 0) => 1 + random.below(100),
                _ => 1,
            };
            let value = value(random, width);
            values.extend(std::iter::repeat_n(value, run.min(len - values.len())));
        }
        Self::of(form, width, values, random)
    }

    pub fn of(form: Form, width: u32, values: Vec<u32>, random: &mut Random) -> Self {
        // Sources start at any address.
        let start = random.below(4);
        let mut bytes = vec![0xa5; start];
        match form {
            Form::Packed(order) => output::pack(&values, width, order, &mut bytes).unwrap(),
            Form::Hybrid => output::hybrid(&values, width, &mut bytes).unwrap(),
        }
        Case { form, width, values, bytes: bytes.into(), start }
    }

    pub fn source(&self) -> Source<'_> {
        let bytes = &self.bytes[self.start..];
        match self.form {
            Form::Packed(order) => Packed::new(bytes, self.width, self.values.len(), order).unwrap().into(),
            Form::Hybrid => Hybrid::new(bytes, self.width, self.values.len()).into(),
        }
    }
}

/// Runs a test on every form and width, with values of every length that is asked for.
pub fn each(lengths: &[usize], mut test: impl FnMut(&Case, &mut Random)) {
    for form in FORMS {
        let least = if form == Form::Hybrid { 0 } else { 1 };
        for width in least..=32 {
            for &len in lengths {
                let seed = SEED ^ u64::from(width) << 32 ^ len as u64;
                let mut random = Random::new(seed);
                let case = Case::new(form, width, len, &mut random);
                let run = std::panic::AssertUnwindSafe(|| test(&case, &mut random));
                if let Err(panic) = std::panic::catch_unwind(run) {
                    eprintln!("{form:?}, {width} bits, {len} values, seed {seed:#x}");
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }
}

/// Returns a value of `width` bits; often one of few, so that equality holds sometimes, and one
/// with all bits at times.
fn value(random: &mut Random, width: u32) -> u32 {
    let all_bits = ((1u64 << width) - 1) as u32;
    match random.below(8) {
        0 => all_bits,
        1 | 2 => (random.next() as u32 & 3).min(all_bits),
        _ => random.next() as u32 & all_bits,
    }
}
