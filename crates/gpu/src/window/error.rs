//! What can go wrong with a window.

/// Why a window is not on the GPU, or not as its file says it should be.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The file's bytes: the CPU would fail on them too.
    #[error(transparent)]
    Pages(#[from] pelton_pages::Error),
    /// Something that Parquet allows and the GPU's decoders do not do. The CPU may.
    #[error("not on the GPU: {0}")]
    Refused(pelton_pages::Error),
    /// The GPU. The CPU can still do it.
    #[error(transparent)]
    Gpu(#[from] pelton_device_cuda::Error),
}

/// Result with this module's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
