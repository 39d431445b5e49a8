//! Window of the hardware, through Linux's character device and the instructions copy and paste.
//!
//! Inline assembly for powerpc64 needs Rust 1.95; other architectures do not compile this file.

#![allow(unsafe_code)]

use std::arch::asm;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use std::{io, process};

use crate::hw::Crb;
use crate::window::{Credits, DEVICE, Limits, Pasted, Window};

/// VAS_TX_WIN_OPEN: a write of the attributes, type `v`, number 0x20, as powerpc encodes it.
const OPEN_WINDOW: libc::c_ulong = 0x8040_7620;
/// Bytes to map, which the system rounds up to a page.
const MAPPED: usize = 4096;
/// Offset of the address to paste to.
const PASTE: usize = 0x400;
/// Credits of a window on PowerNV, by Linux's default.
const POWERNV_CREDITS: usize = 1024;
/// VAS_TX_WIN_FLAG_QOS_CREDIT: the partition's guaranteed credits, and the queue of high priority.
const GUARANTEED: u64 = 1;
/// Attributes that only partitions of PowerVM have.
const POWERVM: &str = "/sys/devices/virtual/misc/vas/vas0/gzip/default_capabilities/nr_total_credits";
const MAX_PROCESSED: &str = "/sys/devices/vio/ibm,compression-v1/nx_gzip_caps/req_max_processed_len";
/// Time after which a window that takes nothing counts as suspended: Linux reports both alike.
const SUSPENDED_AFTER: Duration = Duration::from_secs(1);

/// Attributes of a window to open (`vas_tx_win_open_attr`).
#[repr(C)]
struct Attributes {
    version: u32,
    engine: i16,
    reserved1: u16,
    flags: u64,
    reserved2: [u64; 6],
}

/// An open window. In a forked child it accepts nothing: it belongs to the parent's address space.
pub struct HardwareWindow {
    limits: Limits,
    process: u32,
    /// None if the window is closed. Submitters share the lock, so that the page is not unmapped
    /// under a paste.
    open: RwLock<Option<Open>>,
    /// Time of the first of the pastes in a row that were not accepted.
    busy_since: Mutex<Option<Instant>>,
}

/// Returns whether this is a partition of PowerVM.
pub(crate) fn is_powervm() -> bool {
    fs::exists(POWERVM).unwrap_or(false)
}

/// Mapping and file of a window.
struct Open {
    page: NonNull<u8>,
    _file: File,
}

// SAFETY: the page belongs to no thread; any thread may paste to it.
unsafe impl Send for Open {}
// SAFETY: as above.
unsafe impl Sync for Open {}

impl HardwareWindow {
    /// Opens a window of an engine, with credits of a kind; a negative number is the nearest one.
    ///
    /// # Errors
    /// The system's: ENOENT without the device, EACCES without permission, ENOSPC without credits.
    pub fn open(engine: i16, credits: Credits) -> io::Result<HardwareWindow> {
        let file = OpenOptions::new().read(true).write(true).open(DEVICE)?;
        let flags = match credits {
            Credits::Shared => 0,
            Credits::Guaranteed => GUARANTEED,
        };
        let attributes = Attributes { version: 1, engine, reserved1: 0, flags, reserved2: [0; 6] };
        // SAFETY: the call reads the attributes.
        if unsafe { libc::ioctl(file.as_raw_fd(), OPEN_WINDOW, &raw const attributes) } < 0 {
            return Err(io::Error::last_os_error());
        }
        let number = |path| fs::read_to_string(path).ok()?.trim().parse::<usize>().ok();
        let credits = if is_powervm() { 1 } else { POWERNV_CREDITS };
        HardwareWindow::map(file, Limits { credits, max_bytes: number(MAX_PROCESSED) })
    }

    /// Maps an open window. A test may map another file, and emulate the instructions that paste to
    /// it.
    ///
    /// # Errors
    /// The system's.
    pub fn map(file: File, limits: Limits) -> io::Result<HardwareWindow> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping, which overlaps nothing.
        let page = unsafe {
            libc::mmap(std::ptr::null_mut(), MAPPED, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let page = NonNull::new(page.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(HardwareWindow {
            limits,
            process: process::id(),
            open: RwLock::new(Some(Open { page, _file: file })),
            busy_since: Mutex::default(),
        })
    }
}

impl Window for HardwareWindow {
    fn limits(&self) -> Limits {
        self.limits
    }

    unsafe fn paste(&self, request: &Crb) -> Pasted {
        // Checked before the lock, because a thread that the child does not have may hold it.
        if process::id() != self.process {
            return Pasted::Suspended;
        }
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = open.as_ref() else { return Pasted::Suspended };
        let at = open.page.as_ptr().wrapping_add(PASTE);
        // SAFETY: the request is aligned by its type, the address is that of a mapped window, and
        // the caller ensures the rest.
        let is_accepted = unsafe { copy_paste(request, at) };
        let mut since = self.busy_since.lock().unwrap_or_else(PoisonError::into_inner);
        if is_accepted {
            *since = None;
            return Pasted::Accepted;
        }
        let first = *since.get_or_insert_with(Instant::now);
        if first.elapsed() < SUSPENDED_AFTER { Pasted::Busy } else { Pasted::Suspended }
    }

    /// Unmaps the page and closes the file. Linux's release of the window waits until the engine
    /// has ended its requests (`vas_win_close`), so that no memory is accessed after the return.
    fn close(&self) {
        if process::id() == self.process {
            drop(self.open.write().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `HardwareWindow::open`, which nothing uses any more.
        unsafe { libc::munmap(self.page.as_ptr().cast(), MAPPED) };
    }
}

/// Copies a request into the processor's copy buffer and pastes it. Returns whether the engine
/// accepted it.
///
/// # Safety
/// `window` is the paste address of a mapped window, and [`Window::paste`]'s conditions hold.
unsafe fn copy_paste(request: &Crb, window: *mut u8) -> bool {
    let condition: u64;
    // Opcodes as numbers, since assemblers know them for later processors only: copy from the
    // address in r4, and paste. to that in r5, both with a base of zero and L set.

    // SAFETY: copy reads the request, paste. writes to the window; no other memory is accessed.
    unsafe {
        asm!(
            "sync",
            ".long 0x7c20260c",
            ".long 0x7c202f0d",
            "mfocrf 6, 0x80",
            "sync",
            in("r4") request,
            in("r5") window,
            out("r6") condition,
            out("cr0") _,
            options(nostack),
        );
    }
    // The equal bit of condition register field 0.
    condition >> 28 & 0b0010 != 0
}
