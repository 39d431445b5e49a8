use pelton_random::{Random, reduced};

use super::super::Fault;
use super::*;

#[test]
fn no_bytes_make_it_panic() {
    let seeds = seeds();
    seeds.iter().for_each(|seed| calls(seed));
    for round in 0..reduced(300) as u64 {
        let mut random = Random::new(round);
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
