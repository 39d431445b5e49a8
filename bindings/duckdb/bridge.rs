//! Bridge by which DuckDB hands over its second interface. DuckDB gives that interface to a file
//! only if the file states exactly its version, so this library is separate from the extension. Its
//! entry point calls the extension's; all memory is the extension's.

#![no_std]

use core::ffi::c_void;
use core::panic::PanicInfo;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

type Entry = unsafe extern "C" fn(*mut c_void);

static ENTRY: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Stores the extension's entry point. The extension calls this before DuckDB calls the other
/// function.
#[unsafe(no_mangle)]
pub extern "C" fn pelton_bridge_to(entry: Entry) {
    ENTRY.store(entry as *mut c_void, Ordering::Release);
}

/// Passes DuckDB's call on to the extension.
///
/// # Safety
/// As for the extension's entry point.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pelton_v2_init_c_api_v2(input: *mut c_void) {
    let entry = ENTRY.load(Ordering::Acquire);
    if !entry.is_null() {
        // SAFETY: only `pelton_bridge_to` stores a pointer, which is an `Entry`; the caller keeps
        // the entry point's contract.
        unsafe { core::mem::transmute::<*mut c_void, Entry>(entry)(input) }
    }
}

/// Nothing here panics.
#[panic_handler]
fn never(_: &PanicInfo) -> ! {
    loop {}
}
