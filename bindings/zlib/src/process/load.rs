//! Loading and unloading of `libz.so.1`, which `load.c` calls.

use crate::{deflate, inflate, offload, settings};

/// Reads the settings, as a call may come from a sandbox that opens no files.
#[unsafe(no_mangle)]
extern "C" fn pelton_z_load() {
    settings::prepare();
}

/// Frees what calls have left for later ones. At the end of a process other threads may still be in
/// a call: what they have borrowed stays.
#[unsafe(no_mangle)]
extern "C" fn pelton_z_unload() {
    deflate::free_pools();
    inflate::free_pools();
    offload::free_pools();
}
