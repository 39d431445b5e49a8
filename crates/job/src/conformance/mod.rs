//! What every device has to do, as checks that are run against it.
//!
//! A device's crate calls [`run`] from a test:
//!
//! ```text
//! #[test]
//! fn conformance() {
//!     pelton_job::conformance::run(MyDevice::open()?);
//! }
//! ```
//!
//! The device is put into routers of its own, once alone, once behind [`Faulty`] and in front of
//! [`Reference`], and the results are compared with `pelton-codec`'s. What the device refuses is not held
//! against it, as long as it says why and takes something. See `docs/add-a-device.md`.

use std::sync::Arc;

use crate::device::Device;

mod checks;
pub mod corpus;
mod executor;
mod farthest;
mod faulty;
mod reference;

pub use executor::block_on;
pub use farthest::farthest;
pub use faulty::{Fault, Faulty};
pub use reference::Reference;

/// What a check found wrong, or nothing.
pub type Verdict = Result<(), String>;

/// One check: a sentence about devices, and whether it is true of this one.
#[derive(Clone, Copy)]
pub struct Check {
    /// The sentence.
    pub name: &'static str,
    /// Whether it is true.
    pub run: fn(&Arc<dyn Device>) -> Verdict,
}

/// All checks.
pub fn checks() -> Vec<Check> {
    checks::all()
}

/// Run all checks on a device.
///
/// # Panics
/// With all that was found, if any check failed.
pub fn run(device: Arc<dyn Device>) {
    println!("conformance of {}: {}", device.name(), device.description());
    corpus::print_refusals(&device);
    let mut wrong = Vec::new();
    for check in checks() {
        match (check.run)(&device) {
            Ok(()) => println!("  ok      {}", check.name),
            Err(found) => {
                println!("  WRONG   {}: {found}", check.name);
                wrong.push(format!("{}: {found}", check.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} does not conform:\n{}", device.name(), wrong.join("\n"));
}

/// Return the formatted text as the verdict unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
use ensure;
