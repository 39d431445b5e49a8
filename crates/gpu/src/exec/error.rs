//! Reasons why a query did not run on the GPU. The CPU then runs it again, and reports errors of
//! the data or the query.

/// Reason why a query did not run on the GPU.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// Memory, a launch or a copy failed.
    #[error(transparent)]
    Gpu(#[from] pelton_device_cuda::Error),
    /// A page is damaged.
    #[error(transparent)]
    Pages(#[from] pelton_pages::Error),
    /// A value is outside the domain of an operation.
    #[error("{}", code_text(*.0))]
    Query(u32),
    /// The plan or a file can't be read.
    #[error("{0}")]
    Plan(String),
    /// The host has no memory for rows that do not fit in the GPU's.
    #[error("there is no host memory to spill rows to")]
    NoSpillMemory,
    /// The caller no longer waits for the result.
    #[error("the query was cancelled")]
    Cancelled,
}

/// Result with this module's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<crate::window::Error> for Error {
    fn from(error: crate::window::Error) -> Self {
        match error {
            crate::window::Error::Pages(error) => Self::Pages(error),
            crate::window::Error::Gpu(error) => Self::Gpu(error),
            unsupported @ crate::window::Error::Unsupported(_) => Self::Plan(unsupported.to_string()),
        }
    }
}

/// Returns the text of a code of query/codes.cuh.
fn code_text(code: u32) -> String {
    match code {
        100 => "arithmetic left its type".to_owned(),
        101 => "a division by zero".to_owned(),
        102 => "a value does not fit the type that it is cast to".to_owned(),
        103 => "a scalar subquery has more than one row".to_owned(),
        104 => "a decimal has more digits than its column declares".to_owned(),
        other => format!("an error of the kernels, code {other}"),
    }
}
