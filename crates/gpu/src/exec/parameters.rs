//! A kernel's parameters: 64-bit words in the order of its struct.

use pelton_device_cuda::bytes_of_slice;

/// Words, one after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Parameters(Vec<u64>);

impl Parameters {
    /// Appends one.
    pub fn word(mut self, word: u64) -> Self {
        self.0.push(word);
        self
    }

    /// Appends several.
    pub fn words(mut self, words: Vec<u64>) -> Self {
        self.0.extend(words);
        self
    }

    /// Their bytes.
    pub fn bytes(&self) -> &[u8] {
        bytes_of_slice(&self.0)
    }
}
