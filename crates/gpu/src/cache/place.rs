//! Bringing the pages of a row group to where they are kept.

use std::ops::Range;
use std::sync::Arc;

use pelton_device_cuda::{Gpu, Stream};
use pelton_pages::raw::RawChunk;
use pelton_query::{Error, Result};

use super::file::CachedColumn;
use super::room::Room;
use crate::exec::Engine;
use crate::window::{self, RawColumn, RawWindow, StagedColumn};

/// Columns, in the order of the window that they were in, and the bytes that they take.
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

/// Puts columns on the GPU, and checks their pages. `plain` are the bytes that the footer says they have.
pub(super) async fn stage(
    engine: &Arc<Engine>,
    (copy, compute): &(Stream, Stream),
    raw: RawWindow,
    plain: u64,
    room: &mut Room<'_>,
) -> Result<Placed> {
    let columns = raw.clone().into_columns();
    // A column whose values are read where they were copied to holds on to all pages that were copied with it.
    let (copied, decompressed): (Vec<usize>, Vec<usize>) =
        (0..columns.len()).partition(|&index| chunk(&columns[index]).is_some_and(has_plain_pages));
    let mut placed: Vec<Option<CachedColumn>> = columns.iter().map(|_| None).collect();
    let mut taken = 0;
    for part in [copied, decompressed].into_iter().filter(|part| !part.is_empty()) {
        let raw = raw.clone().select(&part);
        let expected = engine.decoder.memory(&raw).map_err(failed)?;
        room.check(plain, taken + expected)?;
        let (engine, copy, compute) = (engine.clone(), copy.clone(), compute.clone());
        let staged = blocking(move || {
            Ok(engine.decoder.stage(&copy, &compute, &raw).and_then(|window| {
                window.check(&compute)?;
                Ok(window.into_columns())
            }))
        });
        let staged = staged.await?.map_err(|error| match error {
            window::Error::Gpu(error) if error.is_out_of_memory() => room.missing(plain, taken + expected),
            other => failed(other),
        })?;
        taken += staged.first().map_or(0, |column: &Arc<StagedColumn>| column.memory());
        for (index, column) in part.into_iter().zip(staged) {
            placed[index] = Some(CachedColumn::Gpu(column, page_rows(&columns[index])));
        }
    }
    room.take(plain, taken);
    Ok((placed.into_iter().flatten().collect(), taken))
}

fn chunk(column: &RawColumn) -> Option<&RawChunk> {
    match column {
        RawColumn::Pages(chunk, _) => Some(chunk),
        RawColumn::Staged(_) | RawColumn::Null | RawColumn::Constant(_) => None,
    }
}

/// Whether some values of a chunk are not compressed. Sizes that contradict each other are for staging to find.
fn has_plain_pages(chunk: &RawChunk) -> bool {
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

/// Does what takes long, or waits for a GPU, on a thread for such things.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Internal(error.to_string())))
}
