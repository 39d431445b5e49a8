//! Loading of a row group's columns: reads their pages in few requests and decompresses them as one
//! batch of jobs.

pub(crate) mod columns;
pub(crate) mod completions;
pub(crate) mod deferred;
pub(crate) mod dictionary_cache;
pub mod fetch;
pub(crate) mod fused_filter;
pub(crate) mod jobs;
pub(crate) mod loaded_chunk;
