//! Parameters and launches of generated kernels.
#![allow(unsafe_code)]

use pelton_device_cuda::{Label, Properties, SpanKind, bytes_of_slice};

use super::Result;
use super::run::Run;

/// A kernel's parameters: 64-bit words in the order of its struct.
#[derive(Debug, Clone, Default)]
pub(super) struct Parameters(Vec<u64>);

impl Parameters {
    /// Appends a word.
    pub fn word(mut self, word: u64) -> Self {
        self.0.push(word);
        self
    }

    /// Appends several words.
    pub fn words(mut self, words: Vec<u64>) -> Self {
        self.0.extend(words);
        self
    }

    /// Returns the bytes of the words.
    pub fn bytes(&self) -> &[u8] {
        bytes_of_slice(&self.0)
    }
}

/// Threads of a block: the rows of a tile.
pub(super) const THREADS: u32 = 256;

/// Blocks for each multiprocessor: a full load.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 8;

/// Returns the number of blocks for `pieces` of work, one at a time for each block. Kernels stride
/// over the rest.
fn blocks(properties: &Properties, pieces: u64) -> u32 {
    let most = properties.multiprocessors.max(1) * BLOCKS_PER_MULTIPROCESSOR;
    u32::try_from(pieces).unwrap_or(u32::MAX).clamp(1, most)
}

impl Run<'_> {
    /// Runs a kernel of the query's source over `pieces` of work, one for each block.
    pub(super) fn launch(
        &self,
        kernel: &str,
        pieces: u64,
        parameters: &Parameters,
        bytes: u64,
    ) -> Result<()> {
        if pieces == 0 {
            return Ok(());
        }
        let function = self.kernels.kernel(kernel)?;
        let label = Label { kind: SpanKind::Kernel, text: kernel.to_owned(), bytes };
        let blocks = blocks(self.engine.gpu.properties(), pieces);
        // SAFETY: the parameters are the kernel's struct, word by word. Its addresses are of
        // buffers that hold at least the given numbers of rows, and the run keeps them until the
        // stream has been waited for.
        unsafe { self.compute.launch(function, blocks, THREADS, parameters.bytes(), label) }?;
        Ok(())
    }
}
