//! Where a thread runs.

/// The NUMA node of the processor that the calling thread runs on at this moment; none if the
/// system does not say.
pub fn current_node() -> Option<u32> {
    let mut node = 0_u32;
    // SAFETY: getcpu() writes the node, and takes null for what is not asked for.
    let result = unsafe {
        libc::syscall(
            libc::SYS_getcpu,
            std::ptr::null_mut::<u32>(),
            &raw mut node,
            std::ptr::null_mut::<u8>(),
        )
    };
    (result == 0).then_some(node)
}
