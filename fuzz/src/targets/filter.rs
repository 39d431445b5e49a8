//! Filters on arbitrary bytes as packed values and as Parquet's hybrid: every implementation
//! against the one that goes bit by bit.

use pelton_bitpack::{Bitmap, Error, Hybrid, Kernels, Order, Packed, Predicate, Source, output};

/// Values at most: a run of a few bytes can have two thousand million, and the naive implementation
/// takes them one by one.
const MAX: usize = 5000;

/// Results of every operation.
type Found = (Result<(), Error>, Bitmap, Vec<u32>);

/// Hybrids and packed values of several widths. The first byte is the width and the form, the next
/// two the number of values, the fourth a bound for predicates.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![];
    for width in [0, 1, 2, 3, 4, 7, 8, 12, 16, 20, 25, 31, 32] {
        let value = |i: u32| i.wrapping_mul(i / 50).wrapping_mul(0x9e37_79b1) & ((1u64 << width) - 1) as u32;
        let values: Vec<u32> = (0..300).map(value).collect();
        let mut seed = vec![width as u8, 44, 1, 3];
        output::hybrid(&values, width, &mut seed).expect("the values have the width");
        seeds.push(seed);
        for (form, order) in [(34, Order::Little), (68, Order::Big)] {
            let mut seed = vec![form + width as u8, 44, 1, 3];
            if output::pack(&values, width, order, &mut seed).is_ok() {
                seeds.push(seed);
            }
        }
    }
    seeds
}

/// Does every operation on `input` with every implementation, and compares.
pub fn run(input: &[u8]) {
    let Some((&[form, low, high, bound], bytes)) = input.split_first_chunk() else { return };
    let (width, len) = (u32::from(form % 34), usize::from(u16::from_le_bytes([low, high])) % MAX);
    // In memory without spare capacity, so that a sanitizer sees reads past the end.
    let bytes: Box<[u8]> = bytes.into();
    let packed = |order| Packed::new(&bytes, width, len, order).map(Source::from);
    let source = match form / 34 % 3 {
        0 => Ok(Hybrid::new(&bytes, width, len).into()),
        1 => packed(Order::Little),
        _ => packed(Order::Big),
    };
    let Ok(source) = source else { return };
    let all = Kernels::available();
    let expected = found(&all[0], &source, bound.into());
    for kernels in &all[1..] {
        let name = kernels.name();
        assert_eq!(found(kernels, &source, bound.into()), expected, "{name} is not as the naive one");
    }
}

fn found(kernels: &Kernels, source: &Source<'_>, bound: u32) -> Found {
    // Neither output starts with a whole word or vector.
    let (mut bits, mut values) = (Bitmap::with_len(3, true), vec![7]);
    let done = (|| {
        kernels.scan(source, Predicate::Less(bound), &mut bits)?;
        kernels.scan(source, Predicate::Outside { low: bound / 2, high: bound }, &mut bits)?;
        let set: Bitmap = (0..bound as usize).map(|value| value % 3 != 1).collect();
        let are_within = kernels.members(source, &set, &mut bits)?;
        bits.extend_run(are_within, 1);
        let mask: Bitmap = (0..source.len()).map(|i| i * i % 7 < 3).collect();
        kernels.unpack(source, &mut values)?;
        kernels.select(source, &mask, &mut values)?;
        let mut places = Bitmap::new();
        (0..source.len()).for_each(|i| {
            places.extend_run(false, i * i % 7 / 3);
            places.extend_run(true, 1);
        });
        kernels.expand(source, &places, &mut values)?;
        let start = source.len() / 3;
        kernels.extract(source, start..start + source.len() / 2, &mut values)?;
        Ok(())
    })();
    (done, bits, values)
}
