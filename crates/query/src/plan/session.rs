//! A DataFusion session with tables that Pelton reads.

use std::sync::Arc;

use datafusion::common::config::ConfigNonZeroUsize;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::{FunctionRegistry, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_optimizer::optimizer::PhysicalOptimizer;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use pelton_pages::Recorder;
use pelton_settings::{Definition, Settings, Value};

use super::accelerator::Accelerator;
use super::accelerator::{open_tables, planning};
use super::catalog::Catalog;
use super::executable::{Plan, Planner, RowStream};
use super::recursion_limit;
use super::relations::{AsOfJoins, SampledRelations};
use super::rules::{
    BareTimes, CommonTimes, ComputedFloats, CooperativeYield, CorrectedFunctions, DistinctAggregates, Epochs,
    ExclusiveOr, FarTimestamps, FloatKeys, GuardedFilters, HideProperties, HideUnionConstants,
    IntervalOperators, JoinFilterBarrier, LeadLag, LocalTimes, MixedTimestamps, OrderInsensitiveAggregates,
    PeerFrames, PlainRelations, RegexBackslashes, RoundedDecimals, SignedZeros, SimilarTo, SkippedPartitions,
    SpillLoopJoins, UnlimitSortedDistinct, analyzer, computed_keys, filtered_totals, gated, join_orders,
    misused_properties, optimizer_rules, required_orders, sorts_above_limits, without_sharing,
};
use super::settings::{self, Devices, Host, SessionSettings};
use super::shared::ShowSharedPlans;
use super::sql;
use super::table_functions::series;
use crate::error::Result;
use crate::functions;
use crate::scan::ScanContext;
use crate::stores::{SecretsFunction, Stores};
use crate::table::{TableOptions, open_table};
use crate::writing_memory::WritingMemory;

/// Settings of a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Partitions of a plan, and so the most threads of one query.
    pub threads: usize,
    /// Most bytes of all operators and scans. Operators that can spill to disk do so before they
    /// fail.
    pub memory_limit: Option<usize>,
    /// Shared by all scans.
    pub scan: ScanContext,
    /// Takes over parts of plans; `None`: the CPU runs them whole.
    pub accelerator: Option<Arc<dyn Accelerator>>,
}

/// Tables, and plans over them.
#[derive(Clone)]
pub struct Session {
    pub(super) context: SessionContext,
    pub(super) catalog: Arc<Catalog>,
    pub(super) scan: ScanContext,
    pub(super) settings: Arc<SessionSettings>,
}

impl Session {
    /// Returns a session without tables.
    ///
    /// # Errors
    /// There is no folder for temporary files.
    pub fn new(options: SessionOptions) -> Result<Self> {
        let settings = Arc::new(SessionSettings::new(
            options.threads,
            options.memory_limit,
            Devices { scan: options.scan.clone(), accelerator: options.accelerator },
        ));
        let values = settings.values();
        let runtime = RuntimeEnvBuilder::new().with_memory_pool(settings::memory_pool(&values));
        let rules = misused_properties(filtered_totals(PhysicalOptimizer::new().rules));
        let rules = join_orders(settings::large_broadcasts(&values).placed(gated(rules)));
        let rules = required_orders(sorts_above_limits(rules));
        let mut physical = settings::large_limits(&values).placed(rules);
        let conditions = physical.iter().position(|rule| rule.name() == "FilterPushdown(Post)");
        let conditions = conditions.unwrap_or(physical.len());
        physical.insert(conditions, Arc::new(settings::eager_aggregation(&values)));
        physical.insert(conditions, Arc::new(settings::rollups(&values)));
        physical.insert(0, Arc::new(HideProperties::first()));
        physical.insert(0, Arc::new(HideUnionConstants::first()));
        let mut state = SessionStateBuilder::new()
            .with_config(config(&values, &options.scan))
            .with_runtime_env(runtime.build_arc()?)
            .with_expr_planners(vec![Arc::new(CommonTimes), Arc::new(IntervalOperators)])
            .with_default_features()
            .with_relation_planners(vec![
                Arc::new(SampledRelations),
                Arc::new(AsOfJoins),
                Arc::new(PlainRelations),
            ])
            .with_query_planner(Arc::new(Planner))
            .with_type_planner(Arc::new(sql::TimeTypes))
            .with_analyzer_rules(settings::common_subplans(&values).placed(analyzer()))
            .with_optimizer_rules(settings::join_order(&values).placed(optimizer_rules()))
            .with_optimizer_rule(Arc::new(SignedZeros))
            .with_optimizer_rule(Arc::new(BareTimes))
            .with_optimizer_rule(Arc::new(FloatKeys))
            .with_physical_optimizer_rules(physical)
            .with_physical_optimizer_rule(Arc::new(HideProperties::after_sorts()))
            .with_physical_optimizer_rule(Arc::new(HideUnionConstants::after_sorts()))
            .with_physical_optimizer_rule(Arc::new(UnlimitSortedDistinct))
            .with_physical_optimizer_rule(Arc::new(GuardedFilters))
            // when all sorts are placed
            .with_physical_optimizer_rule(Arc::new(settings::window_top_k(&values)))
            .with_physical_optimizer_rule(Arc::new(settings::key_ranges(&values)))
            .with_physical_optimizer_rule(Arc::new(settings::clustered_groups(&values)))
            .with_physical_optimizer_rule(Arc::new(settings::dense_groups(&values)))
            // scans wait for the remaining filters
            .with_physical_optimizer_rule(Arc::new(SkippedPartitions))
            .with_physical_optimizer_rule(Arc::new(JoinFilterBarrier))
            .with_physical_optimizer_rule(Arc::new(CooperativeYield))
            .with_physical_optimizer_rule(Arc::new(SpillLoopJoins))
            // after the join-filter barrier, which rebuilds scans
            .with_physical_optimizer_rule(Arc::new(settings::row_order(&values)))
            // after all rules that look for sorts
            .with_physical_optimizer_rule(Arc::new(settings::compact_sorts(&values)))
            .with_physical_optimizer_rule(Arc::new(settings::packed_sorts(&values)))
            // after all rules that look for windows
            .with_physical_optimizer_rule(Arc::new(settings::running_windows(&values)))
            // after all rules that rebuild scans
            .with_physical_optimizer_rule(Arc::new(settings::join_key_bitmaps(&values)))
            // after all rules that look for joins
            .with_physical_optimizer_rule(Arc::new(settings::group_joins(&values)))
            .with_physical_optimizer_rule(Arc::new(settings::set_joins(&values)))
            // after all rules that look for aggregates
            .with_physical_optimizer_rule(Arc::new(settings::limited_aggregates(&values)))
            .with_physical_optimizer_rule(Arc::new(ShowSharedPlans))
            .build();
        functions::register(&mut state)?;
        state.register_function_rewrite(Arc::new(SimilarTo))?;
        // after the rule that makes regular expressions
        state.register_function_rewrite(Arc::new(RegexBackslashes))?;
        state.register_function_rewrite(Arc::new(LeadLag))?;
        state.register_function_rewrite(Arc::new(ExclusiveOr))?;
        state.register_function_rewrite(Arc::new(PeerFrames))?;
        state.register_function_rewrite(Arc::new(FarTimestamps))?;
        state.register_function_rewrite(Arc::new(RoundedDecimals))?;
        state.register_function_rewrite(Arc::new(Epochs))?;
        state.register_function_rewrite(Arc::new(CorrectedFunctions))?;
        state.register_function_rewrite(Arc::new(DistinctAggregates))?;
        state.register_function_rewrite(Arc::new(OrderInsensitiveAggregates))?;
        state.register_function_rewrite(Arc::new(MixedTimestamps))?;
        state.register_function_rewrite(Arc::new(LocalTimes))?;
        state.register_function_rewrite(Arc::new(ComputedFloats))?;
        let context = SessionContext::new_with_state(state);
        series::register(&context);
        SecretsFunction::register(&context, options.scan.stores.clone());
        settings::register(&context, settings.clone());
        let catalog = Arc::new(Catalog::new(options.scan.clone()));
        catalog.install(&context)?;
        options.scan.stores.configure(&values);
        Ok(Self { context, catalog, scan: options.scan, settings })
    }

    /// Returns the session with an owner of its threads and devices, and with the values that it
    /// was opened with.
    pub fn hosted(mut self, host: Arc<dyn Host>, values: Settings) -> Self {
        self.scan.stores.configure(&values);
        self.settings = Arc::new(self.settings.hosted(host, values));
        settings::register(&self.context, self.settings.clone());
        self
    }

    /// Returns the present values of the settings.
    pub fn settings(&self) -> Settings {
        self.settings.values()
    }

    /// Returns the session's object stores.
    pub fn stores(&self) -> &Arc<Stores> {
        &self.scan.stores
    }

    /// Reserves memory for a file that the caller writes the rows of a query to.
    pub fn writing_memory(&self) -> WritingMemory {
        WritingMemory::reserve(&self.context.runtime_env().memory_pool)
    }

    /// Returns the accelerator that takes over parts of plans.
    pub(super) fn accelerator(&self) -> Option<Arc<dyn Accelerator>> {
        self.settings.accelerator()
    }

    /// Sets a setting, or with `None` returns it to its value at the session's start.
    ///
    /// # Errors
    /// A device is unknown or missing, or the system gives no threads. The earlier value stays
    /// then.
    pub(super) fn set(&self, definition: &'static Definition, value: Option<Value>) -> Result<()> {
        self.settings.change(definition, value, |values, scan, has_new_memory| {
            let state = self.context.state_ref();
            let mut state = state.write();
            *state = settings::configured(state.clone(), values, scan, has_new_memory)?;
            scan.stores.configure(values);
            Ok(())
        })
    }

    /// Records the events of all scans in plans made from now on.
    pub fn record(&self, recorder: Arc<Recorder>) {
        self.context.state_ref().write().config_mut().set_extension(recorder);
    }

    /// Registers the files at some locations as one table, in place of an earlier one of that name.
    ///
    /// # Errors
    /// The files can't be read, or have different columns.
    pub async fn register(&self, name: &str, locations: &[impl AsRef<str>]) -> Result<()> {
        let table = open_table(locations, &TableOptions::default(), &self.scan).await?;
        self.put(name, table);
        Ok(())
    }

    /// Returns the logical plan of a query in SQL.
    pub(super) async fn text(&self, sql: &str) -> Result<LogicalPlan> {
        let state = self.context.state();
        Ok(sql::plan(&state, sql, sql::parse(&state, sql)?).await?)
    }

    /// Returns the logical plan of a statement that was parsed from a text.
    pub(super) async fn logical(&self, sql: &str, statement: SqlStatement) -> Result<LogicalPlan> {
        let statement = Statement::Statement(Box::new(statement));
        Ok(sql::plan(&self.context.state(), sql, statement).await?)
    }

    /// Optimises a logical plan and makes it executable.
    ///
    /// # Errors
    /// It is not a query, or can't be planned.
    pub async fn plan(&self, logical: &LogicalPlan) -> Result<Plan> {
        let state = self.context.state();
        let logical = query(logical)?;
        match &self.accelerator() {
            Some(accelerator) => {
                // a device takes whole plans
                let state = without_sharing(&state)?;
                let optimised = open_tables(&state, state.optimize(&logical)?).await?;
                Ok(planning::plan(accelerator, &state, optimised).await?)
            }
            None => Ok(state.create_physical_plan(&logical).await?),
        }
    }

    /// Runs a plan. Its partitions run on the threads of the caller's async runtime.
    ///
    /// # Errors
    /// An operator can't start.
    pub fn run(&self, plan: Plan) -> Result<RowStream> {
        Ok(execute_stream(plan, self.context.task_ctx())?)
    }

    /// Returns the DataFusion session underneath.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }
}

/// Checks that a plan is a query, and computes its keys below their operators.
///
/// # Errors
/// It is no query: only queries run.
pub(super) fn query(plan: &LogicalPlan) -> Result<LogicalPlan> {
    let allowed = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    allowed.verify_plan(plan)?;
    Ok(computed_keys(plan.clone())?)
}

/// Largest build side, in rows, for which a join makes one table that all threads probe.
/// Partitioned tables are built in parallel, but only after both inputs were repartitioned by hash,
/// which costs more than the building until the table is well beyond the caches.
const ONE_TABLE_ROWS: usize = 512 * 1024;

/// Share of distinct keys among the first rows above which an aggregate skips its partial pass
/// before the repartitioning. With more groups, the partial pass drops too few rows to pay for its
/// table.
const SKIP_PARTIAL_RATIO: f64 = 0.2;

/// Least share of a key range that is present for a join to index an array by the key in place of
/// hashing it. At this share the array takes about the memory of a hash table with its chains.
const ARRAY_JOIN_DENSITY: f64 = 0.05;

fn config(values: &Settings, scan: &ScanContext) -> SessionConfig {
    let mut config = SessionConfig::new().with_information_schema(true);
    settings::configure(&mut config, values, scan);
    let options = config.options_mut();
    // its bounds drop rows that another aggregate of the same operator needs (docs/datafusion.md)
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    // it hides groups beyond a LIMIT from windows over a GROUP BY (docs/datafusion.md)
    options.optimizer.enable_topk_aggregation = false;
    // only the logical plan takes a CASE for never NULL (docs/datafusion.md)
    options.execution.skip_physical_aggregate_schema_check = true;
    options.optimizer.hash_join_single_partition_threshold_rows = ONE_TABLE_ROWS;
    options.execution.skip_partial_aggregation_probe_ratio_threshold = SKIP_PARTIAL_RATIO;
    options.sql_parser.parse_float_as_decimal = true;
    // a file for each batch: with two open ones, rows between threads wait for the wrong one
    // (docs/datafusion.md)
    if let Ok(least) = ConfigNonZeroUsize::try_new(1) {
        options.execution.max_spill_file_size_bytes = least;
    }
    // it fails for 0 alone
    if let Ok(levels) = ConfigNonZeroUsize::try_new(recursion_limit::PARSER) {
        options.sql_parser.recursion_limit = levels;
    }
    // the order of a subquery is that of the query over it, as in DuckDB: a LIMIT takes its first
    // rows
    options.sql_parser.enable_subquery_sort_elimination = false;
    options.execution.perfect_hash_join_min_key_density = ARRAY_JOIN_DENSITY;
    // the zone of TIMESTAMPTZ; without it, a cast to that type loses the zone
    options.execution.time_zone = Some(sql::ZONE.to_owned());
    config
}
