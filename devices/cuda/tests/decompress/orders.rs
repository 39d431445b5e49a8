//! The lanes of a warp in other orders, in which a missing barrier shows.

use pelton_device_cuda::{Format, Order};

use crate::damage::agree_on;
use crate::data::Shape;
use crate::support::{Case, Device, levels, pack};
use pelton_random::Random;

#[test]
fn lanes_in_any_order() {
    for order in [Order::Forward, Order::Backward, Order::Random(2), Order::Random(3)] {
        let device = Device::new(Some(order));
        let mut random = Random(23);
        let mut cases = Vec::new();
        for format in Format::ALL {
            let levels = levels(format);
            for shape in Shape::ALL {
                for len in [40, 1000, 7000] {
                    let level = levels[random.below(levels.len())];
                    let packed = pack(format, level, &shape.bytes(len));
                    let mut damaged = packed.clone();
                    let at = random.below(damaged.len());
                    damaged[at] ^= 1 << random.below(8);
                    cases.extend([packed, damaged].map(|packed| Case { format, packed, room: len }));
                }
            }
        }
        agree_on(&device, &cases);
    }
}
