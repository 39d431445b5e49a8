//! Read-ahead: loads the first columns of a scan range before its filters run.

use std::sync::Arc;

use crate::error::Result;
use crate::file::ParquetFile;
use crate::scan::output::WindowBatches;
use crate::scan::row_selection::RowSelection;
use crate::scan::stages::Loaded;
use crate::scan::stages::Stages;
use crate::scan::stages::load;
use crate::scan::window::ScanSpec;
use crate::scan::window::Window;

/// A scan range after the submission of its first columns.
#[derive(Debug)]
pub struct Prefetched {
    file: Arc<ParquetFile>,
    window: Window,
    /// Columns of the first stage; `None` if there are no columns to read.
    loaded: Option<Loaded>,
}

impl Window {
    /// Reads the columns of the first stage and submits their pages. Decodes only the dictionaries
    /// for fused filters on a device.
    ///
    /// # Errors
    /// The same as those of [`LoadedColumns::load`](crate::LoadedColumns::load).
    pub async fn load(self, file: Arc<ParquetFile>, spec: &ScanSpec) -> Result<Prefetched> {
        let selection = RowSelection::new(self.rows.clone(), &self.wanted);
        let loaded = load(&file, &self, first_columns(spec), &selection, spec).await?;
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
        stages.add(first_columns(spec), loaded);
        let before = stages.selection.count();
        for (number, stage) in spec.stages.iter().enumerate() {
            stages.read(&stage.columns).await?;
            let others = stages.apply_dictionary_filters(number)?;
            if !others.is_empty() && stages.selection.count() > 0 {
                let columns = others.iter().flat_map(|condition| condition.columns.iter().copied());
                let new = stages.undecoded(columns);
                let loaded = stages.gather(&new).await?;
                stages.run(number, &others, &new, loaded)?;
            }
            stages.release(number);
            if stages.selection.count() == 0 {
                spec.load.counters.rows(before, 0);
                return Ok(None);
            }
        }
        spec.load.counters.rows(before, stages.selection.count());
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
