use super::super::Fault;
use super::*;

/// A generator of SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ mixed >> 27) >> 33) as usize % end
    }
}

#[test]
fn no_bytes_make_it_panic() {
    let seeds = seeds();
    seeds.iter().for_each(|seed| calls(seed));
    for round in 0..600 {
        let mut random = Random(round);
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        calls(&bytes);
    }
    calls(&[]);
}

#[test]
fn a_wrong_model_is_noticed() {
    let faults = super::super::Faults::at(0, Fault::ReadsTooMuch);
    let model = Model::new(Config { faults, ..Config::default() });
    let mut calls = Calls { model, block: ParameterBlock::default(), history: Box::default() };
    let call = || calls.call(Function::Expand, &mut [0; 8], &[0x4b, 0x04, 0x02, 0x00]);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
}
