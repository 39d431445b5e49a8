//! Settings after the name of a device, such as `:memory=8GB`.

use std::num::NonZeroUsize;

use pelton_device_iaa::Windows;
pub(super) use pelton_device_model::dfltcc::Setup as DfltccModelSettings;
pub use pelton_device_model::iaa::Setup as ModelSettings;
pub use pelton_device_model::nx::Setup as NxModelSettings;

use super::Wanted;
use pelton_settings::Size;

/// Maximum threads of the host build: more than the cores of any machine that tests it.
const MOST_THREADS: usize = 256;

/// Settings of an IAA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IaaSettings {
    /// The streams that it gets: its sliding window has only 4 KB.
    pub windows: Windows,
}

/// Settings of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CudaSettings {
    /// Its number, from 0, as in `nvidia-smi`.
    pub ordinal: usize,
    /// Bytes of its memory that may be used; nine tenths of the free memory if unset.
    pub memory: Option<usize>,
    /// Bytes of host memory for spilled rows; half of the available memory if unset.
    pub spill: Option<usize>,
}

/// Settings of the host build of a GPU's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaHostSettings {
    /// Bytes that buffers may take, in place of the size of a GPU's memory; 4 GiB if unset.
    pub memory: Option<usize>,
    /// Threads that run a kernel's blocks.
    pub threads: NonZeroUsize,
    /// One in this many parts of queries fails as if the device were gone; none does if unset.
    pub fault_every: Option<NonZeroUsize>,
    /// Minimum number of passes over groups and join tables, rounded up to a power of two.
    pub passes: NonZeroUsize,
    /// Bytes of other memory for spilled rows; half of the available memory if unset.
    pub spill: Option<usize>,
}

/// Maximum passes: those of several tables multiply.
const MOST_PASSES: usize = 8;

impl Default for CudaHostSettings {
    /// One thread, one pass, without faults.
    fn default() -> CudaHostSettings {
        let one = NonZeroUsize::MIN;
        CudaHostSettings { memory: None, threads: one, fault_every: None, passes: one, spill: None }
    }
}

/// Sets a setting; returns `None` if the device has none of this name, or the value is invalid.
pub(super) fn set(wanted: &mut Wanted, name: &str, value: &str) -> Option<()> {
    let count = |most: usize| value.parse().ok().filter(|count: &NonZeroUsize| count.get() <= most);
    let size = || value.parse().ok().map(|Size(bytes)| bytes);
    let spill = || if value == "none" { Some(0) } else { size() };
    match (wanted, name) {
        (Wanted::Iaa(settings), "windows") => settings.windows = Windows::named(value)?,
        (Wanted::IaaModel(settings), _) => settings.set(name, value)?,
        (Wanted::DfltccModel(settings), _) => settings.set(name, value)?,
        (Wanted::NxModel(settings), _) => settings.set(name, value)?,
        (Wanted::Cuda(settings), "ordinal") => settings.ordinal = value.parse().ok()?,
        (Wanted::Cuda(settings), "memory") => settings.memory = Some(size()?),
        (Wanted::Cuda(settings), "spill") => settings.spill = Some(spill()?),
        (Wanted::CudaHost(settings), "spill") => settings.spill = Some(spill()?),
        (Wanted::CudaHost(settings), "memory") => settings.memory = Some(size()?),
        (Wanted::CudaHost(settings), "threads") => settings.threads = count(MOST_THREADS)?,
        (Wanted::CudaHost(settings), "fault-every") => settings.fault_every = Some(count(usize::MAX)?),
        (Wanted::CudaHost(settings), "passes") => settings.passes = count(MOST_PASSES)?,
        _ => return None,
    }
    Some(())
}

/// Returns the description of the settings of a device, for errors.
pub(super) fn words(wanted: &Wanted) -> &'static str {
    match wanted {
        Wanted::Cpu | Wanted::Nx | Wanted::Dfltcc => "it has none",
        Wanted::Iaa(_) => {
            "it has windows=known, for streams that are known to need at most 4 KB, and windows=try, for all"
        }
        Wanted::IaaModel(_) => ModelSettings::SETTINGS,
        Wanted::DfltccModel(_) => DfltccModelSettings::SETTINGS,
        Wanted::NxModel(_) => NxModelSettings::SETTINGS,
        Wanted::Cuda(_) => "it has ordinal=N, from 0, memory=SIZE, such as 8GB, and spill=SIZE, or none",
        Wanted::CudaHost(_) => {
            "it has memory=SIZE, such as 512MB, spill=SIZE, or none, threads=N, 1 to 256, passes=N, 1 to 8, and \
             fault-every=N, 1 or more"
        }
    }
}
