//! What follows a device's name: `:memory=8GB`.

use std::num::NonZeroUsize;

use pelton_device_iaa::Windows;
pub use pelton_device_model::iaa::Setup as ModelSettings;

use super::Wanted;
use crate::size::Size;

/// Threads of the host build: more than any machine that it is tested on has cores.
const MOST_THREADS: usize = 256;

/// Settings of an IAA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IaaSettings {
    /// Which streams it is given, as it remembers 4 KB of them.
    pub windows: Windows,
}

/// Settings of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CudaSettings {
    /// Which one, counted from 0 as `nvidia-smi` does.
    pub ordinal: usize,
    /// Bytes of its memory that may be used; nine tenths of what is free if unset.
    pub memory: Option<usize>,
    /// Bytes of host memory for what does not fit there; half of what is available if unset.
    pub spill: Option<usize>,
}

/// Settings of the host build of a GPU's kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaHostSettings {
    /// Bytes that buffers may take, as a GPU's memory has an end; 4 GiB if unset.
    pub memory: Option<usize>,
    /// Threads that run a kernel's blocks.
    pub threads: NonZeroUsize,
    /// Every part of a query of this number, and its multiples, fails as if the device were gone;
    /// none does if unset.
    pub fault_every: Option<NonZeroUsize>,
    /// Passes in which groups and join tables are made even where they would fit, or the next power
    /// of two; 1: they are made at once.
    pub passes: NonZeroUsize,
    /// Bytes of other memory for what does not fit there; half of what is available if unset.
    pub spill: Option<usize>,
}

/// Passes at most: those of several tables multiply.
const MOST_PASSES: usize = 8;

impl Default for CudaHostSettings {
    /// One thread, one pass, without faults.
    fn default() -> CudaHostSettings {
        let one = NonZeroUsize::MIN;
        CudaHostSettings { memory: None, threads: one, fault_every: None, passes: one, spill: None }
    }
}

/// Takes over a setting; `None` if the device has none of this name, or it can't be this.
pub(super) fn set(wanted: &mut Wanted, name: &str, value: &str) -> Option<()> {
    let count = |most: usize| value.parse().ok().filter(|count: &NonZeroUsize| count.get() <= most);
    let size = || value.parse().ok().map(|Size(bytes)| bytes);
    let spill = || if value == "none" { Some(0) } else { size() };
    match (wanted, name) {
        (Wanted::Iaa(settings), "windows") => settings.windows = Windows::named(value)?,
        (Wanted::IaaModel(settings), _) => settings.set(name, value)?,
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

/// The settings that a device has.
pub(super) fn words(wanted: &Wanted) -> &'static str {
    match wanted {
        Wanted::Cpu => "it has none",
        Wanted::Iaa(_) => {
            "it has windows=known, for streams that are known to need at most 4 KB, and windows=try, for all"
        }
        Wanted::IaaModel(_) => ModelSettings::SETTINGS,
        Wanted::Cuda(_) => "it has ordinal=N, from 0, memory=SIZE, such as 8GB, and spill=SIZE, or none",
        Wanted::CudaHost(_) => {
            "it has memory=SIZE, such as 512MB, spill=SIZE, or none, threads=N, 1 to 256, passes=N, 1 to 8, and \
             fault-every=N, 1 or more"
        }
    }
}
