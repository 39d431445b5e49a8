//! Loading of a row group's columns: their pages read in few requests, and decompressed as one batch
//! of jobs.

pub(crate) mod columns;
pub(crate) mod completions;
pub(crate) mod deferred;
pub(crate) mod dictionary_cache;
pub mod fetch;
pub(crate) mod fused_lookup;
pub(crate) mod jobs;
