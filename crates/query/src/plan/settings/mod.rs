//! Settings of a session: their present values, and the parts of the session that are made of them.
//!
//! A change takes effect for the statements that are planned after it. Running queries keep the
//! threads, devices and memory pool that they started with.

mod listing;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::execution::memory_pool::{MemoryPool, UnboundedMemoryPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::optimizer::OptimizerRule;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::prelude::SessionConfig;
use parking_lot::{Mutex, RwLock};
use pelton_bitpack::Kernels;
use pelton_job::Router;
use pelton_pages::{OutputFile, WINDOW_BYTES};
use pelton_settings::{
    ANY_ORDER, CLUSTERED_GROUPS, COMMON_SUBPLANS, DENSE_GROUPS, DEVICE, Definition, EAGER_AGGREGATION,
    ENCODED_FILTERS, GROUP_JOINS, JOIN_KEY_BITMAPS, JOIN_ORDER, KEY_RANGES, LARGE_BROADCASTS, MEMORY,
    PACKED_SORTS, PARTITIONED_AGGREGATES, PROFILE, ROLLUPS, RUNNING_WINDOWS, SET_JOINS, Settings, THREADS,
    TIMEZONE, VERIFY_CHECKSUMS, Value, WINDOW_TOP_K,
};

use super::accelerator::Accelerator;
use super::memory::LimitedPool;
use super::rules::{
    ClusteredGroups, CommonSubplans, CompactSorts, DenseGroups, EagerAggregation, GroupJoins, JoinKeyBitmaps,
    JoinOrder, KeepRowOrder, KeyRanges, LargeBroadcasts, LimitedAggregates, PackedSorts, RollUps,
    RunningWindows, SetJoins, SortsForLargeLimits, WindowTopK,
};
use crate::error::{Error, Result};
use crate::functions;
use crate::scan::ScanContext;
use crate::stores::{self, Stores};
use crate::table::FooterCache;
pub(super) use listing::register;

/// Divisor of the memory limit for a scan's ranges: the rest is for joins, sorts and aggregates,
/// and a query has several.
pub const SCAN_SHARE: usize = 4;

/// Number of scan ranges that a thread holds: the one that it decodes, and the next.
const WINDOWS_HELD: usize = 2;

/// Minimum bytes of a scan range: those of a page of usual size.
const MIN_WINDOW_BYTES: u64 = 1 << 20;

/// Part of the memory limit for rows that partitions of an ordered query hold until their turn.
const BUFFER_SHARE: usize = 4;

/// The same for one partition, where memory is not limited: about the rows of a window of usual
/// size, decoded.
const BUFFER_BYTES: usize = WINDOW_BYTES as usize;

/// Owner of the threads and devices that a session uses.
pub trait Host: Send + Sync {
    /// Opens the threads and devices of settings. They replace the earlier ones, which running
    /// queries keep. `scan` makes the context of scans over a router.
    ///
    /// # Errors
    /// A device is unknown or missing, or the system gives no threads. The earlier ones stay then.
    fn open(&self, values: &Settings, scan: &MakeScan<'_>) -> Result<Devices>;
}

/// Makes the context of scans over a router.
pub type MakeScan<'a> = dyn Fn(Arc<Router>) -> Result<ScanContext> + 'a;

/// Devices that a [`Host`] opened.
#[derive(Debug, Clone)]
pub struct Devices {
    /// Context of scans over the router of the devices.
    pub scan: ScanContext,
    /// Accelerator that takes over parts of plans.
    pub accelerator: Option<Arc<dyn Accelerator>>,
}

/// Returns the context of scans for settings.
///
/// # Errors
/// The environment variable `PELTON_FILTER` names kernels that are not there.
pub fn scan_context(
    values: &Settings,
    router: Arc<Router>,
    stores: Arc<Stores>,
    footers: Arc<FooterCache>,
) -> Result<ScanContext> {
    let threads = values.count(&THREADS).unwrap_or(1);
    let window_bytes = values.size(&MEMORY).map_or(WINDOW_BYTES, |bytes| {
        let share = bytes / SCAN_SHARE / (WINDOWS_HELD * threads);
        WINDOW_BYTES.min(share as u64).max(MIN_WINDOW_BYTES)
    });
    let kernels = Kernels::from_environment().map_err(|error| Error::Query(error.to_string()))?;
    Ok(ScanContext {
        router,
        verify_checksums: values.is_on(&VERIFY_CHECKSUMS),
        window_bytes,
        kernels: values.is_on(&ENCODED_FILTERS).then_some(kernels),
        any_order: values.is_on(&ANY_ORDER),
        stores,
        footers,
    })
}

/// True if the memory limit has changed.
type HasNewMemory = bool;

/// Settings of one session.
pub(super) struct SessionSettings {
    host: Option<Arc<dyn Host>>,
    /// Values that RESET returns to.
    start: Settings,
    present: RwLock<Present>,
    /// Held during a change.
    changing: Mutex<()>,
}

struct Present {
    values: Settings,
    devices: Devices,
}

impl fmt::Debug for SessionSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionSettings").field("values", &self.values()).finish_non_exhaustive()
    }
}

impl SessionSettings {
    /// Returns the settings of a session with fixed devices.
    pub fn new(threads: usize, memory_limit: Option<usize>, devices: Devices) -> Self {
        let mut values = Settings::default();
        values.set(&THREADS, Value::Count(threads));
        values.set(&MEMORY, Value::Size(memory_limit));
        values.set(&VERIFY_CHECKSUMS, Value::Switch(devices.scan.verify_checksums));
        values.set(&ENCODED_FILTERS, Value::Switch(devices.scan.kernels.is_some()));
        values.set(&ANY_ORDER, Value::Switch(devices.scan.any_order));
        Self::of(values, devices, None)
    }

    /// Returns the settings of a session whose devices an owner opens.
    pub fn hosted(&self, host: Arc<dyn Host>, values: Settings) -> Self {
        Self::of(values, self.present.read().devices.clone(), Some(host))
    }

    fn of(values: Settings, devices: Devices, host: Option<Arc<dyn Host>>) -> Self {
        let present = RwLock::new(Present { values: values.clone(), devices });
        Self { host, start: values, present, changing: Mutex::new(()) }
    }

    /// Returns settings with the present values and devices, for another session, which has stores
    /// of its own.
    pub fn branch(&self, stores: Arc<Stores>) -> Self {
        let present = self.present.read();
        let mut devices = present.devices.clone();
        devices.scan.stores = stores;
        Self::of(present.values.clone(), devices, None)
    }

    /// Writes the present settings into DataFusion's configuration.
    pub fn configure(&self, config: &mut SessionConfig) {
        let present = self.present.read();
        configure(config, &present.values, &present.devices.scan);
    }

    /// Returns the present values.
    pub fn values(&self) -> Settings {
        self.present.read().values.clone()
    }

    /// Returns the present accelerator.
    pub fn accelerator(&self) -> Option<Arc<dyn Accelerator>> {
        self.present.read().devices.accelerator.clone()
    }

    /// Changes a value, or with `None` takes it back to that of the session's start, and has
    /// `apply` change the session.
    ///
    /// # Errors
    /// A device is unknown or missing, the system gives no threads, or the page of profiles can't
    /// be written. The earlier value stays then.
    pub fn change(
        &self,
        definition: &'static Definition,
        value: Option<Value>,
        apply: impl FnOnce(&Settings, &ScanContext, HasNewMemory) -> Result<()>,
    ) -> Result<()> {
        if let Some(Value::Text(path)) = &value
            && definition == &PROFILE
            && !path.is_empty()
        {
            check_page(path)?;
        }
        let _changing = self.changing.lock();
        let old = self.present.read();
        let mut values = old.values.clone();
        match value {
            Some(value) => values.set(definition, value),
            None => values.reset(definition, &self.start),
        }
        if values == old.values {
            return Ok(());
        }
        let needs_no_device = [&PROFILE, &TIMEZONE].contains(&definition) || stores::is_setting(definition);
        let devices = match needs_no_device {
            true => old.devices.clone(),
            false => self.open(&old, &values)?,
        };
        let has_new_memory = old.values.size(&MEMORY) != values.size(&MEMORY);
        drop(old);
        apply(&values, &devices.scan, has_new_memory)?;
        *self.present.write() = Present { values, devices };
        Ok(())
    }

    /// Opens the devices of changed values.
    fn open(&self, old: &Present, values: &Settings) -> Result<Devices> {
        let scan = &old.devices.scan;
        let make_scan = |router| scan_context(values, router, scan.stores.clone(), scan.footers.clone());
        match &self.host {
            Some(host) => host.open(values, &make_scan),
            None if old.values.get(&DEVICE) != values.get(&DEVICE) => {
                Err(Error::Query("the devices of this session are fixed".to_owned()))
            }
            None => {
                let scan = make_scan(old.devices.scan.router.clone())?;
                Ok(Devices { scan, accelerator: old.devices.accelerator.clone() })
            }
        }
    }
}

/// Checks that a file can be written.
fn check_page(path: &str) -> Result<()> {
    let failed = |what: &str| Err(Error::Query(format!("profile: {path} can't be written: {what}")));
    match Path::new(path) {
        folder if folder.is_dir() => failed("it is a folder; name a file in it"),
        file => match OutputFile::create(file) {
            // it has no name yet
            Ok(_) => Ok(()),
            Err(error) => failed(&error.to_string()),
        },
    }
}

/// Returns a session's state with the parts that settings change.
pub(super) fn configured(
    state: SessionState,
    values: &Settings,
    scan: &ScanContext,
    has_new_memory: bool,
) -> Result<SessionState> {
    // the session has a catalog, which a new one would replace
    let mut config = state.config().clone().with_create_default_catalog_and_schema(false);
    configure(&mut config, values, scan);
    let runtime = match has_new_memory {
        true => {
            let runtime = RuntimeEnvBuilder::from_runtime_env(state.runtime_env());
            runtime.with_memory_pool(memory_pool(values)).build_arc()?
        }
        false => state.runtime_env().clone(),
    };
    let changed: [Arc<dyn PhysicalOptimizerRule + Send + Sync>; 16] = [
        Arc::new(row_order(values)),
        Arc::new(large_limits(values)),
        Arc::new(compact_sorts(values)),
        Arc::new(packed_sorts(values)),
        Arc::new(limited_aggregates(values)),
        Arc::new(rollups(values)),
        Arc::new(eager_aggregation(values)),
        Arc::new(window_top_k(values)),
        Arc::new(running_windows(values)),
        Arc::new(join_key_bitmaps(values)),
        Arc::new(group_joins(values)),
        Arc::new(set_joins(values)),
        Arc::new(clustered_groups(values)),
        Arc::new(key_ranges(values)),
        Arc::new(dense_groups(values)),
        Arc::new(large_broadcasts(values)),
    ];
    let rules = state.physical_optimizers().iter().map(|rule| {
        let changed = changed.iter().find(|changed| changed.name() == rule.name());
        changed.unwrap_or(rule).clone()
    });
    let rules = rules.collect();
    let join_order: Arc<dyn OptimizerRule + Send + Sync> = Arc::new(join_order(values));
    let logical = state.optimizers().iter().map(|rule| match rule.name() == join_order.name() {
        true => join_order.clone(),
        false => rule.clone(),
    });
    let mut builder = SessionStateBuilder::new_from_existing(state.clone());
    common_subplans(values).put(&mut builder, &state);
    let builder = builder.with_config(config).with_runtime_env(runtime);
    let builder = builder.with_optimizer_rules(logical.collect()).with_physical_optimizer_rules(rules);
    Ok(functions::built(builder, &state)?)
}

/// Writes settings into DataFusion's configuration, which scans read, too.
pub(super) fn configure(config: &mut SessionConfig, values: &Settings, scan: &ScanContext) {
    let threads = values.count(&THREADS).unwrap_or(1).max(1);
    let options = config.options_mut();
    options.execution.target_partitions = threads;
    // under a limit, the pool keeps a part of each sort's share for its merges
    options.execution.sort_spill_reservation_bytes = match values.size(&MEMORY) {
        Some(_) => 0,
        None => ConfigOptions::default().execution.sort_spill_reservation_bytes,
    };
    config.set_extension(Arc::new(scan.clone()));
}

/// Returns the memory pool of queries.
pub(super) fn memory_pool(values: &Settings) -> Arc<dyn MemoryPool> {
    match values.size(&MEMORY) {
        Some(limit) => Arc::new(LimitedPool::new(limit)),
        None => Arc::new(UnboundedMemoryPool::default()),
    }
}

/// Returns the rule for sorts with large limits.
pub(super) fn large_limits(values: &Settings) -> SortsForLargeLimits {
    SortsForLargeLimits { memory: values.size(&MEMORY) }
}

/// Returns the rule for the order of joins.
pub(super) fn join_order(values: &Settings) -> JoinOrder {
    JoinOrder { is_on: values.text(&JOIN_ORDER) != Some("written") }
}

/// Returns the rule for the keys of joins.
pub(super) fn join_key_bitmaps(values: &Settings) -> JoinKeyBitmaps {
    JoinKeyBitmaps { is_on: values.is_on(&JOIN_KEY_BITMAPS) }
}

/// Returns the rule for parts that a plan mentions more than once.
pub(super) fn common_subplans(values: &Settings) -> CommonSubplans {
    CommonSubplans { is_on: values.is_on(&COMMON_SUBPLANS) }
}

/// Returns the rule for grouping sets.
pub(super) fn rollups(values: &Settings) -> RollUps {
    RollUps { is_on: values.text(&ROLLUPS) != Some("direct") }
}

/// Returns the rule for aggregates over joins.
pub(super) fn eager_aggregation(values: &Settings) -> EagerAggregation {
    EagerAggregation { is_on: values.is_on(&EAGER_AGGREGATION) }
}

/// Returns the rule for aggregates by the keys of joins.
pub(super) fn group_joins(values: &Settings) -> GroupJoins {
    GroupJoins { is_on: values.is_on(&GROUP_JOINS) }
}

/// Returns the rule for semi and anti joins.
pub(super) fn set_joins(values: &Settings) -> SetJoins {
    SetJoins { is_on: values.is_on(&SET_JOINS) }
}

/// Returns the rule for the top rows of windows.
pub(super) fn window_top_k(values: &Settings) -> WindowTopK {
    WindowTopK { is_on: values.is_on(&WINDOW_TOP_K) }
}

/// Returns the rule for hash joins with a large table.
pub(super) fn large_broadcasts(values: &Settings) -> LargeBroadcasts {
    LargeBroadcasts { is_on: values.is_on(&LARGE_BROADCASTS) }
}

/// Returns the rule for aggregates of clustered rows.
pub(super) fn clustered_groups(values: &Settings) -> ClusteredGroups {
    ClusteredGroups { is_on: values.is_on(&CLUSTERED_GROUPS) }
}

/// Returns the rule for aggregates by ranges of a key.
pub(super) fn key_ranges(values: &Settings) -> KeyRanges {
    KeyRanges { is_on: values.is_on(&KEY_RANGES) }
}

/// Returns the rule for aggregates of few groups.
pub(super) fn dense_groups(values: &Settings) -> DenseGroups {
    DenseGroups { is_on: values.is_on(&DENSE_GROUPS) }
}

/// Returns the rule for window functions in vectors.
pub(super) fn running_windows(values: &Settings) -> RunningWindows {
    RunningWindows { is_on: values.is_on(&RUNNING_WINDOWS) }
}

/// Returns the rule for texts of sorted rows.
pub(super) fn compact_sorts(values: &Settings) -> CompactSorts {
    CompactSorts { is_on: values.size(&MEMORY).is_some() }
}

/// Returns the rule for sorts by keys in one number.
pub(super) fn packed_sorts(values: &Settings) -> PackedSorts {
    PackedSorts { is_on: values.is_on(&PACKED_SORTS) }
}

/// Returns the rule for aggregates under a memory limit.
pub(super) fn limited_aggregates(values: &Settings) -> LimitedAggregates {
    LimitedAggregates {
        is_on: values.size(&MEMORY).is_some(),
        is_split: values.is_on(&PARTITIONED_AGGREGATES),
    }
}

/// Returns the rule for the order of rows.
pub(super) fn row_order(values: &Settings) -> KeepRowOrder {
    let partitions = KeepRowOrder::partitions_ahead(values.count(&THREADS).unwrap_or(1));
    let share = values.size(&MEMORY).map(|limit| limit / BUFFER_SHARE / partitions);
    let buffer_bytes = share.map_or(BUFFER_BYTES, |share| share.min(BUFFER_BYTES));
    KeepRowOrder { is_on: !values.is_on(&ANY_ORDER), buffer_bytes }
}

#[cfg(test)]
mod tests;
