//! The software IAA: the first 64 bytes are a descriptor, the others the memory that it names.

use pelton_device_model::iaa::fuzz;

/// A sound descriptor for each operation.
pub fn seeds() -> Vec<Vec<u8>> {
    fuzz::seeds()
}

/// The completion record makes sense, and nothing but what the descriptor gives is written.
pub fn run(input: &[u8]) {
    fuzz::descriptor(input);
}
