//! Read-ahead: loads the first columns of a scan range before its filters run.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Result;
use crate::file::ParquetFile;
use crate::load::columns::LoadedColumns;
use crate::scan::dictionary_filter::Judgement;
use crate::scan::dictionary_filter::early;
use crate::scan::output::WindowBatches;
use crate::scan::row_selection::Survivors;
use crate::scan::stages::Stages;
use crate::scan::window::ScanSpec;
use crate::scan::window::Window;
use crate::scan::window::leaves;

/// A scan range after the submission of its first columns.
#[derive(Debug)]
pub struct Prefetched {
    file: Arc<ParquetFile>,
    window: Window,
    /// Columns of the first stage; `None` if there are no columns to read.
    loaded: Option<Loaded>,
}

/// Columns of a scan range after the submission of their pages.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub columns: Arc<LoadedColumns>,
    /// By column, code sets for the fused filters on a device.
    pub judgements: BTreeMap<usize, Judgement>,
}

impl Window {
    /// Reads the columns of the first stage and submits their pages. Decodes only the dictionaries
    /// for fused filters on a device.
    ///
    /// # Errors
    /// The same as those of [`LoadedColumns::load`].
    pub async fn load(self, file: Arc<ParquetFile>, spec: &ScanSpec) -> Result<Prefetched> {
        let survivors = Survivors::new(self.rows.clone(), &self.wanted);
        let loaded = load(&file, &self, first_columns(spec), &survivors, spec).await?;
        Ok(Prefetched { file, window: self, loaded })
    }
}

impl Prefetched {
    /// Evaluates the filters and starts to decode the selected rows. `None` if no row is selected.
    ///
    /// # Errors
    /// Decompressing or decoding a filter's column failed, a filter failed, or another column could
    /// not be read.
    pub async fn filter(self, spec: &ScanSpec) -> Result<Option<WindowBatches>> {
        let Self { file, window, loaded } = self;
        let mut stages = Stages::new(&file, &window, spec);
        stages.hold(first_columns(spec), loaded);
        let before = stages.survivors.count();
        for (number, stage) in spec.stages.iter().enumerate() {
            stages.read(&stage.columns).await?;
            let others = stages.decide(number)?;
            if !others.is_empty() && stages.survivors.count() > 0 {
                let columns = others.iter().flat_map(|condition| condition.columns.iter().copied());
                let new = stages.undecoded(columns);
                let loaded = stages.gather(&new).await?;
                stages.run(number, &others, &new, loaded)?;
            }
            stages.release(number);
            if stages.survivors.count() == 0 {
                spec.load.counters.rows(before, 0);
                return Ok(None);
            }
        }
        spec.load.counters.rows(before, stages.survivors.count());
        let rest = stages.undecoded(spec.output.iter().copied());
        let loaded = stages.gather(&rest).await?;
        if let (Some(loaded), Some(_)) = (&loaded, spec.kernels) {
            loaded.dictionaries().await;
        }
        stages.finish(rest, loaded).map(Some)
    }
}

/// Returns the columns to read first.
fn first_columns(spec: &ScanSpec) -> &[usize] {
    spec.stages.first().map_or(&spec.output, |stage| &stage.columns)
}

/// Loads the pages of some columns that hold a selected row. Loads all pages of the scan range if
/// parquet-rs could not decode around the missing ones.
pub(crate) async fn load(
    file: &Arc<ParquetFile>,
    window: &Window,
    columns: &[usize],
    survivors: &Survivors,
    spec: &ScanSpec,
) -> Result<Option<Loaded>> {
    let leaves = leaves(file, columns);
    if leaves.is_empty() {
        return Ok(None);
    }
    let row_group = window.row_group;
    let rows = file.row_group(row_group)?.num_rows() as usize;
    let candidates = early::candidates(file, columns, spec);
    let look_up: Vec<usize> = candidates.iter().map(|candidate| candidate.leaf).collect();
    let (of_file, all) = (file.clone(), leaves.clone());
    let loaded =
        LoadedColumns::load_to_look_up(of_file, row_group, all, survivors, &spec.load, &look_up).await?;
    if survivors.can_be_read(&loaded.stretches(window.rows.clone()), rows) {
        let judgements = early::judge(file, window, &loaded, &candidates, survivors, spec).await;
        return Ok(Some(Loaded { columns: Arc::new(loaded), judgements }));
    }
    drop(loaded);
    let all = LoadedColumns::load(file.clone(), row_group, leaves, &window.rows, &spec.load).await?;
    Ok(Some(Loaded { columns: Arc::new(all), judgements: BTreeMap::new() }))
}
