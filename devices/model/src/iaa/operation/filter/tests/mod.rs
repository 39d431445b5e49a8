mod bytes;
mod fuzz;
mod kernels;
mod naive;
mod pipeline;
mod random;
mod refused;
mod software;

use pelton_device_iaa::hw::aecs::decompress as layout;
use pelton_device_iaa::hw::{Descriptor, Opcode, RecordView};

use super::filter;
use crate::iaa::operation::{Reply, Request};

/// A descriptor's inputs.
#[derive(Clone)]
struct Inputs {
    descriptor: Descriptor,
    source1: Vec<u8>,
    source2: Vec<u8>,
    aecs: Vec<u8>,
}

/// One descriptor's output.
struct Done {
    record: RecordView,
    bytes: Vec<u8>,
}

impl Inputs {
    fn run(&self, room: usize) -> Done {
        let opcode = Opcode::from_byte(self.descriptor.opcode_byte()).unwrap();
        let mut bytes = vec![0xEE; room];
        let request = Request {
            descriptor: &self.descriptor,
            source1: &self.source1,
            source2: &self.source2,
            aecs: &self.aecs,
        };
        let record = filter(opcode).unwrap()(&request, Reply { destination: &mut bytes, aecs: None });
        bytes.truncate(record.produced() as usize);
        Done { record, bytes }
    }
}

/// An AECS with a range and an output modifier.
fn aecs(low: u32, high: u32, modifier: u32) -> Vec<u8> {
    let mut image = vec![0; layout::FILTER_BYTES];
    image[layout::FILTER_LOW..][..4].copy_from_slice(&low.to_le_bytes());
    image[layout::FILTER_HIGH..][..4].copy_from_slice(&high.to_le_bytes());
    image[layout::OUTPUT_MODIFIER..][..4].copy_from_slice(&modifier.to_le_bytes());
    image
}
