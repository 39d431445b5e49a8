use super::*;

/// Memory that records its drop.
struct Tracked(Vec<u8>, Arc<std::sync::atomic::AtomicBool>);

impl AsRef<[u8]> for Tracked {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsMut<[u8]> for Tracked {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.1.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[test]
fn memory_of_the_caller_lives_as_long_as_its_bytes() {
    let dropped = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut buffer = InputBuffer::of(Tracked(vec![9; 8], dropped.clone()), 3);
    buffer.as_mut_slice().copy_from_slice(b"abc");
    let last = buffer.finish().slice(1..);
    assert_eq!((&last[..], dropped.load(std::sync::atomic::Ordering::Relaxed)), (&b"bc"[..], false));
    drop(last);
    assert!(dropped.load(std::sync::atomic::Ordering::Relaxed));
}
