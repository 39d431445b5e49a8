//! Tests of kernels under AddressSanitizer and UndefinedBehaviorSanitizer.
//!
//! A library with AddressSanitizer can only be loaded into a process that was started with it. So a
//! test runs itself again in a new process with it preloaded:
//!
//! ```no_run
//! # use pelton_device_cuda::{Gpu, HostOptions, sanitizer};
//! #[test]
//! fn decodes_under_the_sanitizers() {
//!     if !sanitizer::enter("decodes_under_the_sanitizers") {
//!         return; // It ran in the other process, and passed.
//!     }
//!     let gpu = Gpu::host(HostOptions { sanitize: true, ..HostOptions::default() }).unwrap();
//! }
//! ```
//!
//! The name is the test's whole path in the output of `cargo test`, such as
//! `window::tests::decodes`.

use std::process::{Command, Output};

use crate::{Error, Result};

/// Returns whether this process has AddressSanitizer.
pub fn is_loaded() -> bool {
    let this = libloading::os::unix::Library::this();
    // SAFETY: the symbol's address is looked up, and never used.
    #[allow(unsafe_code)]
    unsafe { this.get::<*const ()>(b"__asan_init") }.is_ok()
}

/// Returns the path of AddressSanitizer's library by g++; the bare name if it has none.
pub fn library() -> String {
    let output = Command::new("g++").arg("-print-file-name=libasan.so").env_remove("LD_PRELOAD").output();
    output.map_or_else(
        |_| "libasan.so".into(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_string(),
    )
}

/// Returns true in a process that has the sanitizers. Otherwise it runs the test in one, and
/// returns false.
///
/// # Panics
/// The test fails there: with its output. Or g++ has no AddressSanitizer.
pub fn enter(test: &str) -> bool {
    if is_loaded() {
        return true;
    }
    let output = run(test).unwrap_or_else(|error| panic!("{error}"));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("test result: ok. 1 passed"),
        "{test} under the sanitizers: {}\n{printed}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    false
}

/// Runs one test of this test program in a process that has the sanitizers, for a test of its
/// failure.
///
/// # Errors
/// g++ has no AddressSanitizer, or the process can't be started.
pub fn run(test: &str) -> Result<Output> {
    let library = library();
    if !std::path::Path::new(&library).is_file() {
        return Err(Error::NoSanitizer { library });
    }
    let program =
        std::env::current_exe().map_err(|error| Error::system("cannot find this program", error))?;
    Command::new(&program)
        .args([test, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"])
        .env("LD_PRELOAD", library)
        // Rust's runtime keeps memory until the end. A finding ends the process at once.
        .env("ASAN_OPTIONS", "detect_leaks=0:halt_on_error=1")
        .env("UBSAN_OPTIONS", "print_stacktrace=1")
        .output()
        .map_err(|error| Error::system(format!("cannot run {}", program.display()), error))
}
