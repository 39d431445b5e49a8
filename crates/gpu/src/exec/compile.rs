//! A query's kernels, compiled in parts at the same time.
//!
//! NVRTC takes 0.1 to 0.6 s for a pipeline and 0.03 s for the headers (docs/gpu.md), so that a query of eight pipelines is there in the
//! time of its longest one, and not of all.

use std::num::NonZeroUsize;
use std::thread;

use pelton_device_cuda::{Gpu, Kernel, Module, Source};

use super::{Error, Result};
use crate::codegen;
use crate::ir::Query;
use crate::window::page_headers;

/// Kernels that were compiled together.
struct Part {
    text: String,
    module: Module,
}

/// All kernels of a query.
pub(super) struct Kernels {
    parts: Vec<Part>,
}

impl Kernels {
    /// Compiles a query's kernels, or takes them from the cache.
    ///
    /// # Errors
    /// The compiler refuses one.
    pub fn of(gpu: &Gpu, query: &Query) -> Result<Self> {
        Self::compile(gpu, "query.cu", codegen::generate_parts(query, compilers(gpu)))
    }

    /// The same of the kernels for rows that are set aside.
    ///
    /// # Errors
    /// As [`Kernels::of`].
    pub fn of_spill(gpu: &Gpu, query: &Query) -> Result<Self> {
        Self::compile(gpu, "spill.cu", vec![codegen::generate_spill(query)])
    }

    fn compile(gpu: &Gpu, name: &str, texts: Vec<String>) -> Result<Self> {
        let one = |text: String| {
            let headers = page_headers().iter().chain(codegen::HEADERS).copied().collect();
            let source = Source { name: name.to_owned(), text: text.clone(), headers };
            Ok(Part { text, module: gpu.compile(&source)? })
        };
        let parts: Result<Vec<Part>> = thread::scope(|scope| {
            let mut texts = texts.into_iter();
            let first = texts.next();
            // threads that the system does not give are done without
            let others = texts.map(|text| {
                let spare = text.clone();
                let thread = thread::Builder::new().spawn_scoped(scope, move || one(text));
                thread.map_err(|_| spare)
            });
            let others: Vec<_> = others.collect();
            let mut parts: Vec<Result<Part>> = first.into_iter().map(one).collect();
            for other in others {
                let panicked = |_| Err(Error::Plan("internal error: a compiler panicked".to_owned()));
                parts.push(match other {
                    Ok(thread) => thread.join().unwrap_or_else(panicked),
                    Err(text) => one(text),
                });
            }
            parts.into_iter().collect()
        });
        Ok(Self { parts: parts? })
    }

    /// A kernel by its name.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        // at a line's start: names of columns are in comments
        let definition = format!("PELTON_KERNEL({name},");
        let defines = |part: &&Part| part.text.lines().any(|line| line.starts_with(&definition));
        match self.parts.iter().find(defines) {
            Some(part) => Ok(part.module.kernel(name)?),
            None => Err(Error::Plan(format!("internal error: there is no kernel {name}"))),
        }
    }
}

/// Compilers that run at the same time: one a processor. The host build has as many as it has threads, as each of its compilers
/// reads the headers for as long as it takes over the kernels.
fn compilers(gpu: &Gpu) -> usize {
    let properties = gpu.properties();
    match properties.is_host {
        true => properties.multiprocessors as usize,
        false => thread::available_parallelism().map_or(1, NonZeroUsize::get),
    }
}
