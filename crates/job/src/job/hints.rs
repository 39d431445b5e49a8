//! Hints about a job's input.

use pelton_codec::Window;

use crate::device::Unsupported;

/// Knowledge of the submitter about an input, or a wish about an output. A wrong hint never makes a
/// result wrong; it misleads a device that has limits, which then fails, and another device runs
/// the job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// Maximum distance of a DEFLATE match in bytes; none if unknown.
    ///
    /// For a decompression, the bound of the input's matches. For a compression to a DEFLATE
    /// format, or of a part, the bound that the output must keep, so that a device with little
    /// history can decompress it; a device that cannot keep the bound reports the job as
    /// unsupported. Other formats ignore the hint.
    pub window: Option<u32>,
    /// A key shared by jobs on similar inputs, such as the pages of a column chunk; none for an
    /// input without relatives. A device may apply an observation on one such input to the others.
    pub affinity_key: Option<u64>,
}

impl Hints {
    /// Returns the window that a compression to a DEFLATE format keeps.
    ///
    /// # Errors
    /// The window is smaller than the minimum of the DEFLATE encoders. Devices return this error
    /// for such a job.
    pub fn compression_window(&self) -> Result<Window, Unsupported> {
        let Some(bytes) = self.window else { return Ok(Window::FULL) };
        Window::within(bytes).ok_or_else(|| {
            Unsupported::new("the window is below 512 bytes").with_detail(format!("{bytes} bytes"))
        })
    }
}
