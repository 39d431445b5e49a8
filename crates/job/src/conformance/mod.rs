//! Conformance suite: checks that every device has to pass.
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
//! The suite puts the device into routers: alone, and wrapped in [`Faulty`] with [`Reference`] to
//! fall back to. It compares the results with those of `pelton-codec`. Jobs that the device does
//! not support are not held against it if each has a reason and some job is supported. See
//! `docs/add-a-device.md`.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use crate::device::Device;

mod checks;
pub mod corpus;
mod farthest;
mod faulty;
mod reference;

pub use farthest::farthest;
pub use faulty::{Fault, Faulty};
pub use reference::Reference;

/// The result of a check: nothing, or a description of the defect.
pub type Verdict = Result<(), String>;

/// One check: a statement about devices, and a function that tests it.
#[derive(Clone, Copy)]
pub struct Check {
    /// The statement.
    pub name: &'static str,
    /// Tests the statement on a device.
    pub run: fn(&Arc<dyn Device>) -> Verdict,
}

/// Returns all checks.
pub fn checks() -> Vec<Check> {
    checks::all()
}

/// Runs all checks on a device.
///
/// # Panics
/// A check failed. The message lists all failures.
pub fn run(device: Arc<dyn Device>) {
    println!("conformance of {}: {}", device.name(), device.description());
    corpus::print_unsupported(&device);
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

/// Waker of [`block_on`].
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs a future on this thread until it is done. The future is polled only after a wake-up, so a
/// lost wake-up is a test that never ends.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Returns the formatted text as the verdict unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}
use ensure;
