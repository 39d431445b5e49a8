//! Pipelines over files: one scan range at a time, with the next ones read, copied and decompressed
//! while the GPU computes.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::execution::context::ExecutionProps;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::physical_expr::create_physical_expr;
use pelton_device_cuda::Buffer;
use pelton_pages::Window;
use pelton_query::{PeltonSource, ScanWindows};
use tokio::runtime::Handle;

use super::launch::{Parameters, THREADS};
use super::run::Run;
use super::table::bytes;
use super::{Error, Result};
use crate::cache::CachedFiles;
use crate::codegen;
use crate::ir::{Literal, Pipeline, Scan};
use crate::plan::literal;
use crate::window::{Constant, DeviceWindow, RawColumn, RawOptions, RawWindow, leaf_of};

/// Share of the memory limit that scan ranges in flight may take together; the rest is for tables.
const WINDOWS_SHARE: u64 = 4;

impl Run<'_> {
    /// Returns the number of rows in a scan's files.
    pub(super) fn scan_rows(&self, scan: usize) -> u64 {
        let files = &self.query.scans[scan].table.files().files;
        files.iter().map(|file| file.file.metadata().file_metadata().num_rows().max(0) as u64).sum()
    }

    /// Runs a pipeline over all scan ranges of a scan.
    pub(super) fn scan(
        &mut self,
        number: usize,
        pipeline_number: usize,
        pipeline: &Pipeline,
        handle: &Handle,
    ) -> Result<()> {
        let scan = &self.query.scans[number];
        let mut cached = self.engine.cache.of(scan.table.files());
        let windows = self.windows(number, cached.all_on_gpu())?;
        let room = self.engine.gpu.memory_limit() as u64 / WINDOWS_SHARE;
        let mut in_flight: Vec<DeviceWindow> = Vec::new();
        let options = RawOptions {
            counters: self.counters[number].clone(),
            verify_checksums: self.engine.scan.verify_checksums,
            memory: self.engine.read_memory(self.counters[number].clone()),
        };
        let mut turn = 0;
        while let Some((file, window)) =
            handle.block_on(windows.next()).map_err(|e| Error::Plan(e.to_string()))?
        {
            if self.cancelled.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            let raw = handle.block_on(read(scan, file, &window, &mut cached, &options))?;
            let held: u64 = in_flight.iter().map(DeviceWindow::memory).sum();
            if held > room {
                self.finish_windows(&mut in_flight)?;
            }
            let decompress = self.decompress[turn % self.decompress.len()].clone();
            turn += 1;
            let device = self.engine.decoder.stage(&self.copy, &decompress, &raw)?;
            self.compute.wait(&decompress.record()?)?;
            let parameters = Parameters::default()
                .word(self.status.address())
                .word(device.tiles.address())
                .word(device.tile_count.into())
                .word(device.columns.address());
            let (head, _code_sets) = self.code_sets(parameters, &device, pipeline_number, pipeline)?;
            let (tiles, bytes) = (device.tile_count.into(), device.reads());
            self.run_kernel((pipeline_number, pipeline), &head, device.rows, tiles, bytes)?;
            in_flight.push(device);
        }
        self.finish_windows(&mut in_flight)
    }

    /// Evaluates the dictionary filters of a pipeline over the scan range's dictionaries. The
    /// caller holds the buffers until the pipeline's kernel has been queued.
    fn code_sets(
        &self,
        mut parameters: Parameters,
        window: &DeviceWindow,
        number: usize,
        pipeline: &Pipeline,
    ) -> Result<(Parameters, Vec<Arc<Buffer>>)> {
        let mut buffers = Vec::new();
        for filter in codegen::dictionary_filters(self.query, pipeline) {
            let Some(dictionary) =
                window.dictionary(filter.column).filter(|dictionary| dictionary.values > 0)
            else {
                parameters = parameters.word(0);
                continue;
            };
            let bits =
                Arc::new(self.engine.gpu.allocate(bytes(u64::from(dictionary.values).div_ceil(32), 4)?)?);
            self.compute.fill(&bits, 0..bits.len(), 0)?;
            let own = Parameters::default()
                .word(self.status.address())
                .word(window.columns.address())
                .word(bits.address());
            let pieces = u64::from(dictionary.values).div_ceil(THREADS.into());
            self.launch(&format!("pipeline_{number}_decide_{}", filter.step), pieces, &own, 0)?;
            parameters = parameters.word(bits.address());
            buffers.push(bits);
        }
        Ok((parameters, buffers))
    }

    /// Waits for scan ranges, and checks their pages.
    fn finish_windows(&self, in_flight: &mut Vec<DeviceWindow>) -> Result<()> {
        for window in in_flight.drain(..) {
            window.check(&self.compute)?;
        }
        Ok(())
    }

    /// Returns the scan ranges that the scan's conditions leave. With `whole`, whole row groups, as
    /// no page has to be copied to the GPU.
    fn windows(&self, number: usize, whole: bool) -> Result<ScanWindows> {
        let scan = &self.query.scans[number];
        let plan = |error: datafusion::error::DataFusionError| Error::Plan(error.to_string());
        let schema = DFSchema::try_from(scan.table.schema()).map_err(plan)?;
        let (properties, planning) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        // the value of a subquery is not known here, so its condition rules nothing out
        let without_subquery = |condition: &&Expr| !has_subquery(condition);
        let conditions = scan.conditions.iter().filter(without_subquery).map(|condition| {
            let bare = unqualified(condition.clone()).map_err(plan)?;
            create_physical_expr(&bare, &schema, &properties, &planning).map_err(plan)
        });
        let conditions = conditions.collect::<Result<Vec<_>>>()?;
        let statistics = scan.table.statistics().unwrap_or_default();
        let files = scan.table.files().clone();
        let mut context = self.engine.scan.clone();
        if whole {
            context.window_bytes = u64::MAX;
        }
        let source = PeltonSource::new(files, statistics, context, scan.columns.clone(), 1).map_err(plan)?;
        let source = source.with_predicates(conditions).counting(self.counters[number].clone());
        Ok(ScanWindows::new(&source))
    }
}

/// Reads a scan range's pages, in the order of the scan's columns: from the cache if they are
/// there, else from the file.
async fn read(
    scan: &Scan,
    number: usize,
    window: &Window,
    cached: &mut CachedFiles,
    options: &RawOptions,
) -> Result<RawWindow> {
    let file = &scan.table.files().files[number];
    let mut leaves = Vec::new();
    for &column in &scan.columns {
        if let Some(in_file) = file.column(column) {
            leaves.push(leaf_of(&file.file, in_file).map_err(Error::Plan)?);
        }
    }
    leaves.sort_unstable();
    let mut columns = cached.columns(number, &file.file, window, &leaves, &options.counters).await?;
    leaves.retain(|leaf| !columns.contains_key(leaf));
    if !leaves.is_empty() {
        let read = RawWindow::read(&file.file, window.row_group, &window.wanted, &leaves, options).await?;
        columns.extend(leaves.into_iter().zip(read.into_columns()));
    }
    let mut raw = RawWindow::new(window.wanted.clone());
    for (index, &column) in scan.columns.iter().enumerate() {
        let values = match file.column(column) {
            Some(in_file) => {
                let leaf = leaf_of(&file.file, in_file).map_err(Error::Plan)?;
                let missing = || Error::Plan(format!("internal error: column {leaf} was not read"));
                columns.get(&leaf).cloned().ok_or_else(missing)?
            }
            None => match &file.partitions[column - scan.table.files().file_columns] {
                value if value.is_null() => RawColumn::Null,
                value => RawColumn::Constant(constant(value)?),
            },
        };
        raw.insert(index, values);
    }
    Ok(raw)
}

/// Returns the value of a partition column.
fn constant(value: &ScalarValue) -> Result<Constant> {
    let literal = literal(value).map_err(Error::Plan)?;
    Ok(match (literal, value) {
        (Some(Literal::Bool(value)), _) => Constant::Bool(value),
        (Some(Literal::Integer(value)), _) => Constant::Number(value),
        (Some(Literal::Float(value)), ScalarValue::Float32(_)) => Constant::Float32(value as f32),
        (Some(Literal::Float(value)), _) => Constant::Float64(value),
        (Some(Literal::Text(value)), _) => Constant::Bytes(value.into()),
        (None, _) => return Err(Error::Plan("internal error: a null constant".to_owned())),
    })
}

/// Returns a condition with unqualified columns.
fn unqualified(condition: Expr) -> datafusion::error::Result<Expr> {
    let bare = condition.transform(|expr| {
        Ok(match expr {
            Expr::Column(column) if column.relation.is_some() => {
                Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
            }
            other => Transformed::no(other),
        })
    });
    bare.map(|transformed| transformed.data)
}

fn has_subquery(condition: &Expr) -> bool {
    condition.exists(|expr| Ok(matches!(expr, Expr::ScalarSubquery(_)))).unwrap_or(true)
}
