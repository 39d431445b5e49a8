//! Descriptors of any bits.

use pelton_device_iaa::hw::flags::operation;
use pelton_device_iaa::hw::{Descriptor, Opcode, Status};

use super::Inputs;
use crate::iaa::operation::random::Random;

#[test]
fn no_descriptor_makes_it_panic() {
    let mut random = Random::seeded(17);
    let mut successes = 0;
    for _ in 0..60_000 {
        let opcode = Opcode::ALL[5 + random.below(7) as usize];
        let source2 = [0, operation::SOURCE2_AECS, operation::SOURCE2_FILTER][random.below(3) as usize];
        let mut bytes =
            |most: u64| -> Vec<u8> { (0..random.below(most)).map(|_| random.next() as u8).collect() };
        let (source1, second, mut aecs) = (bytes(60), bytes(600), bytes(80));
        aecs.resize(if random.below(8) == 0 { aecs.len() } else { 0x20 }, 0);
        let masks = [u32::MAX, 0x0001_FFFF, 0x0001_E07F, 0x0001_E07C];
        let inputs = Inputs {
            descriptor: Descriptor::new(opcode)
                .with_operation_flags(random.rarely() as u32 & !operation::SOURCE2_MASK | source2)
                .with_own_flags(random.rarely() as u16)
                .with_filter_flags(random.next() as u32 & masks[random.below(4) as usize])
                .with_elements(if random.below(20) == 0 {
                    random.next() as u32
                } else {
                    random.below(20) as u32
                }),
            source1,
            source2: if source2 == operation::SOURCE2_FILTER { second } else { Vec::new() },
            aecs: if source2 == operation::SOURCE2_AECS { aecs } else { Vec::new() },
        };
        let done = inputs.run(random.below(400) as usize);
        assert!(done.record.status().is_some_and(|status| status != Status::InProgress));
        successes += u32::from(done.record.status() == Some(Status::Success));
    }
    assert!(successes > 1_000, "only {successes} descriptors of 60000 were any good");
}
