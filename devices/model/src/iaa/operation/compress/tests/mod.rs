mod bytes;
mod random;
mod refused;
mod round_trip;
mod software;

use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::{Descriptor, Opcode, RecordView};

use self::software::Tables;
use super::compress;
use crate::iaa::operation::{Reply, Request};

/// One descriptor's output.
struct Done {
    record: RecordView,
    bytes: Vec<u8>,
    aecs: Vec<u8>,
}

/// Runs a compression with these flags.
fn run(own_flags: u16, input: &[u8], aecs: &[u8], room: usize) -> Done {
    run_with(Descriptor::new(Opcode::Compress).with_own_flags(own_flags), input, aecs, room)
}

fn run_with(descriptor: Descriptor, input: &[u8], aecs: &[u8], room: usize) -> Done {
    let mut done = Done {
        record: RecordView::from_bytes([0; 64]),
        bytes: vec![0xEE; room],
        aecs: vec![0xEE; layout::BYTES],
    };
    let request = Request { descriptor: &descriptor, source1: input, source2: &[], aecs };
    done.record = compress(&request, Reply { destination: &mut done.bytes, aecs: Some(&mut done.aecs) });
    done.bytes.truncate(done.record.produced() as usize);
    done
}
