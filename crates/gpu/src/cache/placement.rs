//! Placement of a row group's pages in host or GPU memory.

use std::ops::Range;
use std::sync::Arc;

use pelton_device_cuda::{Gpu, Stream};
use pelton_pages::raw::RawChunk;
use pelton_query::{Error, Result};

use super::budget::Budget;
use super::file::CachedColumn;
use crate::exec::Engine;
use crate::window::{self, RawColumn, RawWindow, StagedColumn};

/// Columns, in the order of their scan range, and the bytes that they take.
pub(super) type Placed = (Vec<CachedColumn>, u64);

/// Moves pages to pinned memory.
pub(super) async fn pin(gpu: &Gpu, raw: RawWindow) -> Result<Placed> {
    let gpu = gpu.clone();
    let raw = blocking(move || raw.pinned(&gpu).map_err(|error| failed(error.into()))).await?;
    let bytes = raw.bytes();
    let columns = raw.into_columns().into_iter().filter_map(|column| match column {
        RawColumn::Pages(chunk, of) => Some(CachedColumn::Host(chunk, of)),
        RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => None,
    });
    Ok((columns.collect(), bytes))
}

/// Puts columns on the GPU, and checks their pages. `uncompressed` is their number of bytes in the
/// footer.
pub(super) async fn stage(
    engine: &Arc<Engine>,
    (copy, compute): &(Stream, Stream),
    raw: RawWindow,
    uncompressed: u64,
    budget: &mut Budget<'_>,
) -> Result<Placed> {
    let columns = raw.clone().into_columns();
    let mut placed: Vec<Option<CachedColumn>> = columns.iter().map(|_| None).collect();
    let mut taken = 0;
    for kept in [Kept::Flat, Kept::Copied, Kept::Decompressed] {
        let part: Vec<usize> = (0..columns.len()).filter(|&index| how(&columns[index]) == kept).collect();
        if part.is_empty() {
            continue;
        }
        let raw = raw.clone().select(&part);
        let expected = engine.decoder.memory(&raw).map_err(failed)?;
        let limit = budget.left().saturating_sub(taken);
        if kept != Kept::Flat && expected > limit {
            return Err(budget.missing(uncompressed, taken + expected));
        }
        let (engine, copy, compute) = (engine.clone(), copy.clone(), compute.clone());
        let staged = blocking(move || Ok(columns_of(&engine, (&copy, &compute), &raw, kept, limit))).await?;
        let staged = staged.map_err(|failure| match failure {
            Failure::Memory(bytes) => budget.missing(uncompressed, taken + bytes),
            Failure::Window(window::Error::Gpu(error)) if error.is_out_of_memory() => {
                budget.missing(uncompressed, taken + expected)
            }
            Failure::Window(other) => failed(other),
        })?;
        taken += match kept {
            Kept::Flat => staged.iter().map(|column| column.memory()).sum(),
            Kept::Copied | Kept::Decompressed => staged.first().map_or(0, |column| column.memory()),
        };
        for (index, column) in part.into_iter().zip(staged) {
            placed[index] = Some(CachedColumn::Gpu(column, page_rows(&columns[index])));
        }
    }
    budget.take(uncompressed, taken);
    Ok((placed.into_iter().flatten().collect(), taken))
}

/// Form in which a column is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Decoded.
    Flat,
    /// In its pages, some of them where they were copied to. Such columns hold on to all pages that
    /// were copied with them.
    Copied,
    /// In its pages.
    Decompressed,
}

fn how(column: &RawColumn) -> Kept {
    match column {
        RawColumn::Pages(chunk, of) if window::can_be_flat(chunk, of) => Kept::Flat,
        RawColumn::Pages(chunk, _) if has_uncompressed_pages(chunk) => Kept::Copied,
        _ => Kept::Decompressed,
    }
}

/// Failure to put columns on the GPU.
enum Failure {
    /// They would take this number of bytes.
    Memory(u64),
    Window(window::Error),
}

impl From<window::Error> for Failure {
    fn from(error: window::Error) -> Self {
        Self::Window(error)
    }
}

/// Copies pages to the GPU, checks them, and makes columns of them. `limit` bounds the bytes of
/// decoded columns.
fn columns_of(
    engine: &Engine,
    (copy, compute): (&Stream, &Stream),
    raw: &RawWindow,
    kept: Kept,
    limit: u64,
) -> Result<Vec<Arc<StagedColumn>>, Failure> {
    let window = engine.decoder.stage(copy, compute, raw)?;
    window.check(compute)?;
    if kept != Kept::Flat {
        return Ok(window.into_columns());
    }
    let flattener = engine.cache.flattener(&engine.gpu)?;
    flattener.flatten(
        compute,
        &window,
        |bytes| if bytes > limit { Err(Failure::Memory(bytes)) } else { Ok(()) },
    )
}

fn chunk(column: &RawColumn) -> Option<&RawChunk> {
    match column {
        RawColumn::Pages(chunk, _) => Some(chunk),
        RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => None,
    }
}

/// Returns whether some values of a chunk are not compressed. Sizes that contradict each other are
/// found by staging.
fn has_uncompressed_pages(chunk: &RawChunk) -> bool {
    chunk
        .dictionary
        .iter()
        .chain(&chunk.pages)
        .any(|page| chunk.body(page).is_ok_and(|body| body.plain_size.is_none() && !body.values.is_empty()))
}

fn page_rows(column: &RawColumn) -> Vec<Range<usize>> {
    let pages = chunk(column).into_iter().flat_map(|chunk| &chunk.pages);
    pages.map(|page| page.rows.clone()).collect()
}

fn failed(error: window::Error) -> Error {
    match error {
        window::Error::Pages(error) => Error::Pages(error),
        other => Error::Execution(other.to_string()),
    }
}

/// Runs long work, or work that waits for a GPU, on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Internal(error.to_string())))
}
