//! Decompression of a batch by nvCOMP.

use std::ffi::c_void;
use std::sync::Arc;

use bytes::Bytes;

use super::sys::{Alignments, Functions, Library, Options};
use super::{Backend, NvcompUse};
use crate::decompress::{Format, PageTask};
use crate::{Error, Gpu, Result, Stream, bytes_of_slice};

/// Takes the addresses of the lengths and statuses that nvCOMP writes, and queues their adoption.
type Adopt<'a> = dyn Fn(u64, u64) -> Result<()> + 'a;

/// nvCOMP, loaded for a GPU.
pub(crate) struct Nvcomp {
    gpu: Gpu,
    library: Library,
    permitted: NvcompUse,
}

impl Nvcomp {
    /// Loads nvCOMP, if it is installed and there is a GPU that it can use.
    pub fn open(gpu: &Gpu, permitted: NvcompUse) -> Option<Nvcomp> {
        if gpu.properties().is_host || permitted == NvcompUse::Never {
            return None;
        }
        Some(Nvcomp { gpu: gpu.clone(), library: Library::load().ok()?, permitted })
    }

    /// Returns the library's version, as a decimal number: 6001 is 6.0.1.
    pub fn version(&self) -> u32 {
        self.library.version
    }

    /// Returns the functions that decode these pages, all of one format. None if nvCOMP does not or
    /// may not, or if the pages' addresses are not aligned for it.
    pub fn plan(&self, format: Format, pages: &[PageTask]) -> Option<Plan> {
        let backend = self.permitted.backend(format)?;
        let functions = self.library.functions(format)?;
        let alignments = alignments(&functions, backend)?;
        let at = |address: u64, alignment: usize| address.is_multiple_of(alignment.max(1) as u64);
        let sound = pages.iter().all(|page| {
            page.format == format && at(page.source, alignments.input) && at(page.target, alignments.output)
        });
        sound.then_some(Plan { functions, backend })
    }

    /// Queues the batch. `adopt` converts nvCOMP's results to ours.
    pub fn run(&self, stream: &Stream, plan: &Plan, pages: &[PageTask], adopt: &Adopt<'_>) -> Result<()> {
        let handle = stream.raw_handle().ok_or(Error::BadCall { what: "nvCOMP without a GPU".into() })?;
        let count = pages.len();
        let column = |value: fn(&PageTask) -> u64| pages.iter().map(value).collect::<Vec<u64>>();
        let table = [
            column(|page| page.source),
            column(|page| page.source_len.into()),
            column(|page| page.target_len.into()),
            column(|page| page.target),
        ]
        .concat();
        // Behind the table are nvCOMP's results: a length and a 32-bit status for each page.
        let part = (count * size_of::<u64>()) as u64;
        let buffer = Arc::new(self.gpu.allocate(5 * part as usize + count * size_of::<u32>())?);
        let temporary = Arc::new(self.gpu.allocate(self.temporary(plan, pages, handle)?)?);
        stream.upload(&buffer, 0, Bytes::copy_from_slice(bytes_of_slice(&table)))?;
        let address = |column: u64| buffer.address() + column * part;
        // SAFETY: the arrays have an entry for each page and live until the stream is done with
        // them. The makers of the tasks promise that the pages own their addresses; nvCOMP stays
        // within them for the formats that `NvcompUse` permits.
        #[allow(unsafe_code)]
        let code = unsafe {
            (plan.functions.decompress)(
                address(0) as *const c_void,
                address(1) as *const usize,
                address(2) as *const usize,
                address(4) as *mut usize,
                count,
                temporary.address() as *mut c_void,
                temporary.len(),
                address(3) as *const c_void,
                Options::new(plan.backend),
                address(5) as *mut i32,
                handle,
            )
        };
        check("nvCOMP's decompression", code)?;
        adopt(address(4), address(5))?;
        stream.keep(buffer);
        stream.keep(temporary);
        Ok(())
    }

    fn temporary(&self, plan: &Plan, pages: &[PageTask], handle: *mut c_void) -> Result<usize> {
        let longest = pages.iter().map(|page| page.target_len as usize).max().unwrap_or_default();
        let all = pages.iter().map(|page| page.target_len as usize).sum();
        let mut bytes = 0;
        // SAFETY: it writes one number, and only asks the stream for its device.
        #[allow(unsafe_code)]
        let code = unsafe {
            let options = Options::new(plan.backend);
            (plan.functions.temporary)(pages.len(), longest, options, &mut bytes, all, handle)
        };
        check("nvCOMP's memory", code)?;
        // nvCOMP needs an address even for no bytes
        Ok(bytes.max(1))
    }
}

/// nvCOMP's functions and backend for a batch.
pub(crate) struct Plan {
    functions: Functions,
    backend: Backend,
}

/// Returns the alignment that a format needs; none if it has no such backend.
pub(super) fn alignments(functions: &Functions, backend: Backend) -> Option<Alignments> {
    let mut alignments = Alignments::default();
    // SAFETY: it writes three numbers, the size of the struct.
    #[allow(unsafe_code)]
    let code = unsafe { (functions.alignments)(Options::new(backend), &mut alignments) };
    (code == 0).then_some(alignments)
}

fn check(what: &str, code: i32) -> Result<()> {
    match code {
        0 => Ok(()),
        code => Err(Error::BadCall { what: format!("{what}: nvcompStatus_t {code}") }),
    }
}
