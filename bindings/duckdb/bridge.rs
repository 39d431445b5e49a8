//! What DuckDB loads to hand over its second interface: it calls the entry point below, which calls
//! the extension, in whose memory all else is. A library by itself, as DuckDB gives that interface
//! to files that say they are of exactly its version.

#![no_std]

use core::ffi::c_void;
use core::panic::PanicInfo;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

type Entry = unsafe extern "C" fn(*mut c_void);

static ENTRY: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Says where the extension's entry point is. The extension calls it before DuckDB does the other.
#[unsafe(no_mangle)]
pub extern "C" fn pelton_bridge_to(entry: Entry) {
    ENTRY.store(entry as *mut c_void, Ordering::Release);
}

/// What DuckDB calls.
///
/// # Safety
/// As the extension's entry point has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pelton_v2_init_c_api_v2(input: *mut c_void) {
    let entry = ENTRY.load(Ordering::Acquire);
    if !entry.is_null() {
        // SAFETY: what is there was an `Entry`; the caller's.
        unsafe { core::mem::transmute::<*mut c_void, Entry>(entry)(input) }
    }
}

/// Nothing here panics.
#[panic_handler]
fn never(_: &PanicInfo) -> ! {
    loop {}
}
