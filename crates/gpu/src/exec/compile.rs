//! A query's kernels, compiled in parts at the same time.
//!
//! NVRTC takes longer for a pipeline than for the headers (docs/gpu.md), so the kernels of several
//! pipelines are ready in the time of the longest one.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::thread;

use pelton_device_cuda::{Gpu, Kernel, Source};

use super::{Error, Result};
use crate::codegen;
use crate::ir::Query;
use crate::window::page_headers;

/// Kernels of a query by their names.
pub(super) struct Kernels(HashMap<String, Kernel>);

impl Kernels {
    /// Compiles a query's kernels, or takes them from the cache.
    ///
    /// # Errors
    /// The compiler rejects one.
    pub fn of(gpu: &Gpu, query: &Query) -> Result<Self> {
        Self::compile(gpu, "query.cu", codegen::generate_parts(query, compilers(gpu)))
    }

    /// Compiles the kernels for spilled rows.
    ///
    /// # Errors
    /// As [`Kernels::of`].
    pub fn of_spill(gpu: &Gpu, query: &Query) -> Result<Self> {
        Self::compile(gpu, "spill.cu", vec![codegen::generate_spill(query)])
    }

    fn compile(gpu: &Gpu, name: &str, texts: Vec<String>) -> Result<Self> {
        let one = |text: String| {
            // only at a line's start, as comments contain names of columns
            let names =
                text.lines().filter_map(|line| line.strip_prefix("PELTON_KERNEL(")?.split(',').next());
            let names: Vec<String> = names.map(str::to_owned).collect();
            let headers = page_headers().iter().chain(codegen::HEADERS).copied().collect();
            let module = gpu.compile(&Source { name: name.to_owned(), text, headers })?;
            names.into_iter().map(|name| Ok((name.clone(), module.kernel(&name)?))).collect()
        };
        let parts: Result<Vec<Vec<(String, Kernel)>>> = thread::scope(|scope| {
            let mut texts = texts.into_iter();
            let first = texts.next();
            // without another thread, the part is compiled here
            let others = texts.map(|text| {
                let spare = text.clone();
                let thread = thread::Builder::new().spawn_scoped(scope, move || one(text));
                thread.map_err(|_| spare)
            });
            let others: Vec<_> = others.collect();
            let mut parts: Vec<Result<Vec<(String, Kernel)>>> = first.into_iter().map(one).collect();
            for other in others {
                let panicked = |_| Err(Error::Plan("internal error: a compiler panicked".to_owned()));
                parts.push(match other {
                    Ok(thread) => thread.join().unwrap_or_else(panicked),
                    Err(text) => one(text),
                });
            }
            parts.into_iter().collect()
        });
        Ok(Self(parts?.into_iter().flatten().collect()))
    }

    /// Returns a kernel by its name.
    ///
    /// # Errors
    /// There is no kernel of this name.
    pub fn kernel(&self, name: &str) -> Result<&Kernel> {
        let missing = || Error::Plan(format!("internal error: there is no kernel {name}"));
        self.0.get(name).ok_or_else(missing)
    }

    /// Adds other kernels.
    pub fn add(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

/// Returns the number of compilers that run at the same time: one a processor. The host build has
/// one for each of its threads, as its compiler takes as long for the headers as for the kernels.
fn compilers(gpu: &Gpu) -> usize {
    let properties = gpu.properties();
    match properties.is_host {
        true => properties.multiprocessors as usize,
        false => thread::available_parallelism().map_or(1, NonZeroUsize::get),
    }
}
