//! Plans with an accelerator that needs no device.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, StringArray};
use arrow::datatypes::{Field, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use arrow::util::display::array_value_to_string;
use async_trait::async_trait;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_expr_common::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{ReplaceChildrenOptions, reset_plan_states};
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties, displayable,
};
use futures::{Stream, StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use parquet::arrow::ArrowWriter;
use pelton_job::Router;
use tokio::runtime::Runtime;

use crate::error::{Error, Result};
use crate::plan::accelerator::{
    AcceleratedNode, AcceleratedPlan, Accelerator, CachePlace, DeviceFailure, NodeReport, Reason, Rewritten,
};
use crate::plan::{Accelerated, Notes, Plan, Session, SessionOptions, accelerated, notes};
use crate::scan::ScanContext;
use crate::table::PeltonTable;

struct Place {
    session: Session,
    runtime: Runtime,
}

struct Answer {
    rows: Vec<String>,
    notes: Vec<String>,
}

fn scan() -> ScanContext {
    let router = Router::builder().build();
    ScanContext::in_tests(router)
}

/// Returns batches of two columns: ascending numbers `k`, and their last digit as text, `s`.
fn batches() -> Vec<RecordBatch> {
    let batch = |number: i64| {
        let keys: Vec<i64> = (number * 10 + 1..=number * 10 + 10).collect();
        let texts: Vec<String> = keys.iter().map(|key| (key % 10).to_string()).collect();
        let columns: [(&str, ArrayRef); 2] =
            [("k", Arc::new(Int64Array::from(keys))), ("s", Arc::new(StringArray::from(texts)))];
        RecordBatch::try_from_iter(columns).expect("two columns")
    };
    (0..10).map(batch).collect()
}

impl Place {
    fn new(accelerator: Option<Arc<Wrapper>>) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let accelerator = accelerator.map(|wrapper| wrapper as _);
        let options = SessionOptions { threads: 3, memory_limit: None, scan: scan(), accelerator };
        let session = Session::new(options).expect("a session");
        let batches = batches();
        let table = datafusion::datasource::MemTable::try_new(
            batches[0].schema(),
            vec![batches[..5].to_vec(), batches[5..].to_vec()],
        );
        session.context().register_table("t", Arc::new(table.expect("a table"))).expect("a new name");
        Self { session, runtime }
    }

    fn plan(&self, sql: &str) -> Result<Plan, Error> {
        self.runtime.block_on(self.session.sql(sql))
    }

    fn run(&self, sql: &str) -> Result<Answer, Error> {
        let plan = self.plan(sql)?;
        let notes = notes(&plan);
        Ok(Answer { rows: self.collect(plan)?, notes: Notes::united(&notes) })
    }

    fn collect(&self, plan: Plan) -> Result<Vec<String>, Error> {
        let batches: Vec<RecordBatch> = self
            .runtime
            .block_on(async { self.session.run(plan)?.map_err(Error::from).try_collect().await })?;
        let mut rows = Vec::new();
        for batch in &batches {
            let cell = |column: &ArrayRef, row| array_value_to_string(column, row).expect("text");
            let row = |row| batch.columns().iter().map(|c| cell(c, row)).collect::<Vec<_>>().join("|");
            rows.extend((0..batch.num_rows()).map(row));
        }
        Ok(rows)
    }

    fn rows(&self, sql: &str) -> Vec<String> {
        self.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}")).rows
    }
}

fn everything(_: &LogicalPlan) -> bool {
    true
}

fn nothing(_: &LogicalPlan) -> bool {
    false
}

fn filters(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Filter(_))
}

fn sorts(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Sort(_))
}

fn scans(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::TableScan(_))
}

/// Queries with every kind of operator. A query with ordered rows has an ORDER BY.
const QUERIES: [&str; 10] = [
    "SELECT k, s FROM t WHERE k % 7 = 0 ORDER BY k DESC",
    "SELECT s, count(*), sum(k) FROM t WHERE k > 20 GROUP BY s ORDER BY s",
    "SELECT k FROM t WHERE k > (SELECT avg(k) FROM t WHERE s = '3') ORDER BY k LIMIT 5",
    "SELECT a.k, b.s FROM t a JOIN t b ON a.k = b.k + 1 WHERE a.s < '4' ORDER BY a.k",
    "SELECT k FROM t WHERE s IN (SELECT s FROM t WHERE k < 3) ORDER BY k",
    "SELECT s, sum(k) AS total FROM t GROUP BY s HAVING sum(k) > (SELECT sum(k) * 0.1 FROM t) ORDER BY total DESC",
    "SELECT k + 1 FROM (SELECT k FROM t ORDER BY k DESC LIMIT 7)",
    "SELECT k * 2, row_number() OVER (ORDER BY k) FROM t WHERE k > 90 ORDER BY 1",
    "SELECT k FROM t WHERE k < 3 UNION ALL SELECT k FROM t WHERE k > 98 ORDER BY k",
    "SELECT count(*) FROM t a WHERE k > (SELECT avg(b.k) FROM t b WHERE b.s = a.s)",
];

#[test]
fn plans_with_accelerated_parts_give_the_same_rows() {
    let cpu = Place::new(None);
    for takes in [everything, nothing, filters, sorts, scans] {
        for fails in [Fails::Nothing, Fails::Rewriting, Fails::Planning, Fails::Device(2), Fails::Types] {
            let place = Place::new(Some(Wrapper::new(takes, fails)));
            for sql in QUERIES {
                assert_eq!(place.rows(sql), cpu.rows(sql), "{sql}, {fails:?}");
            }
        }
    }
}

/// Resets and runs a plan again, as each round of a recursive query does.
#[test]
fn a_plan_that_was_reset_runs_again() {
    for fails in [Fails::Nothing, Fails::Device(1), Fails::Planning] {
        let place = Place::new(Some(Wrapper::new(everything, fails)));
        for sql in QUERIES {
            let plan = place.plan(sql).expect(sql);
            let first = place.collect(plan.clone()).expect(sql);
            for _ in 0..2 {
                let again = reset_plan_states(plan.clone()).expect("operators can be reset");
                assert_eq!(place.collect(again).expect(sql), first, "{sql}, {fails:?}");
            }
        }
    }
}

#[test]
fn the_accelerator_runs_what_it_takes() {
    let wrapper = Wrapper::new(everything, Fails::Nothing);
    let place = Place::new(Some(wrapper.clone()));
    for sql in QUERIES {
        wrapper.ran.lock().clear();
        let answer = place.run(sql).expect(sql);
        assert_eq!((wrapper.ran.lock().len(), answer.notes.len()), (1, 0), "{sql}");
        let plan = place.plan(sql).expect(sql);
        let text = displayable(plan.as_ref()).indent(false).to_string();
        assert_eq!(accelerated(&plan), Accelerated::Whole, "{sql}: {text}");
    }
}

#[test]
fn how_much_it_runs_can_be_told() {
    let sql = "SELECT s, count(*) FROM t WHERE k > 7 GROUP BY s";
    for (takes, expected) in [
        (nothing as fn(&LogicalPlan) -> bool, Accelerated::Nothing),
        (filters, Accelerated::Part),
        (everything, Accelerated::Whole),
    ] {
        let place = Place::new(Some(Wrapper::new(takes, Fails::Nothing)));
        assert_eq!(accelerated(&place.plan(sql).expect("a plan")), expected);
    }
}

#[test]
fn a_device_that_fails_is_replaced_and_named_once() {
    let sql = "SELECT a.k FROM t a JOIN t b ON a.k = b.k WHERE a.k > 20 AND b.k < 30 ORDER BY a.k";
    let cpu = Place::new(None).rows(sql);
    for (fails, why) in [
        (Fails::Device(0), "the device is gone"),
        (Fails::Device(2), "the device is gone"),
        (Fails::Planning, "it can't compile; install a compiler"),
        (Fails::Types, "its rows are of other types"),
    ] {
        let answer = Place::new(Some(Wrapper::new(filters, fails))).run(sql).expect("rows");
        assert_eq!(answer.rows, cpu, "{fails:?}");
        let [note] = &answer.notes[..] else { panic!("{fails:?}: {:?}", answer.notes) };
        assert!(note.starts_with(&format!("wrapper failed, and the CPU ran its part: {why}")), "{note}");
    }
}

#[test]
fn an_error_of_the_query_stays_one() {
    let place = Place::new(Some(Wrapper::new(filters, Fails::Query(1))));
    let error = place.run("SELECT k FROM t WHERE k > 20").err().expect("an error").to_string();
    assert!(error.contains("division by zero"), "{error}");
}

#[test]
fn rows_that_were_given_out_are_not_given_again() {
    // as wide as the limit, so that the first row is more than is held back
    let wide = "SELECT repeat(s, 300000000) FROM t WHERE k < 2";
    let place = Place::new(Some(Wrapper::new(everything, Fails::DeviceAtEnd)));
    let error = place.run(wide).err().expect("an error").to_string();
    assert!(error.contains("after the first rows were given out: the device is gone"), "{error}");
}

#[test]
fn explain_says_what_runs_where_and_why_not() {
    let place = Place::new(Some(Wrapper::new(filters, Fails::Nothing)));
    let rows = place.rows("EXPLAIN SELECT s, count(*) FROM t WHERE k > 7 GROUP BY s");
    let [logical, physical, report] = &rows[..] else { panic!("{rows:?}") };
    assert!(logical.contains("Accelerated: wrapper, [Filter: t.k > 7]"), "{logical}");
    assert!(physical.contains("AcceleratedExec: wrapper, [Filter: t.k > 7]"), "{physical}");
    let start = "wrapper|[Filter: t.k > 7]\n  pipeline 1\n  pipeline 2\non the CPU:\n  ";
    assert!(report.starts_with(start), "{report}");
    assert!(report.contains("Aggregate: groupBy=[[t.s]]") && report.contains(": not wanted"), "{report}");

    let rows = Place::new(Some(Wrapper::new(everything, Fails::Rewriting))).rows("EXPLAIN SELECT 1");
    assert_eq!(
        rows.last().expect("rows"),
        "wrapper|nothing of this plan\non the CPU:\n  the whole plan: Error during planning: no plans today\n"
    );
    // a program reads the plan alone
    assert_eq!(place.rows("EXPLAIN FORMAT PGJSON SELECT k FROM t WHERE k > 7").len(), 1);
    // without an accelerator there are DataFusion's rows
    assert_eq!(Place::new(None).rows("EXPLAIN SELECT k FROM t WHERE k > 7").len(), 2);
}

#[test]
fn explain_analyze_runs_the_plan() {
    let wrapper = Wrapper::new(filters, Fails::Nothing);
    let rows = Place::new(Some(wrapper.clone())).rows("EXPLAIN ANALYZE SELECT k FROM t WHERE k > 7");
    assert!(rows[0].contains("AcceleratedExec: wrapper, [Filter: t.k > 7]"), "{rows:?}");
    assert_eq!(wrapper.ran.lock().len(), 1);
    let failing = Place::new(Some(Wrapper::new(filters, Fails::Device(0))));
    let answer = failing.run("EXPLAIN ANALYZE SELECT k FROM t WHERE k > 7").expect("rows");
    assert_eq!(answer.notes, ["wrapper failed, and the CPU ran its part: the device is gone"]);
}

#[test]
fn explain_cuda_prints_the_source() {
    let place = Place::new(Some(Wrapper::new(filters, Fails::Nothing)));
    let rows = place.rows("EXPLAIN CUDA SELECT k FROM t WHERE k > 7;");
    assert_eq!(rows, ["// [Filter: t.k > Int64(7)]", "void kernel();"]);
    let error = place.run("EXPLAIN CUDA DROP TABLE t").err().expect("an error").to_string();
    assert!(error.contains("DDL not supported"), "{error}");
}

#[test]
fn tables_of_files_are_cached_and_let_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.parquet");
    let batch = batches().remove(0);
    let file = std::fs::File::create(&path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).and_then(|()| writer.close()).expect("a file with a footer");

    let place = Place::new(Some(Wrapper::new(filters, Fails::Nothing)));
    let location = path.to_str().expect("a path of ASCII");
    place.runtime.block_on(place.session.register("a", &[location])).expect("a table");
    assert_eq!(place.rows("UNCACHE TABLE a"), ["nothing of a was cached"]);
    assert_eq!(place.rows("CACHE TABLE A IN gpu"), ["a: 1 files in Gpu"]);
    assert_eq!(place.rows("UNCACHE TABLE a;"), ["a is out"]);
    let place_of_files = place.rows(&format!("CACHE TABLE '{location}' IN host"));
    assert_eq!(place_of_files, [format!("{location}: 1 files in Host")]);
    for (sql, part) in [
        ("CACHE TABLE t IN gpu", "t is no table of Parquet files"),
        ("CACHE TABLE missing IN gpu", "missing"),
    ] {
        let error = place.run(sql).err().expect(sql).to_string();
        assert!(error.contains(part), "{sql}: {error}");
    }
}

#[test]
fn without_an_accelerator_statements_say_how_to_get_one() {
    let place = Place::new(None);
    for sql in ["EXPLAIN CUDA SELECT 1", "CACHE TABLE t IN host", "UNCACHE TABLE t"] {
        let error = place.run(sql).err().expect(sql).to_string();
        assert!(error.contains("--device cuda"), "{sql}: {error}");
    }
}

/// The injected failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    Nothing,
    /// Rewriting a plan.
    Rewriting,
    /// Planning a node.
    Planning,
    /// The device fails after a count of batches, which hold rows of no query.
    Device(usize),
    /// The device, once it has given all rows.
    DeviceAtEnd,
    /// The query fails after a count of the device's batches.
    Query(usize),
    /// Its rows have one column too few.
    Types,
}

/// See the module. Takes over each largest subtree with one of these at its root.
#[derive(Debug)]
pub struct Wrapper {
    pub takes: fn(&LogicalPlan) -> bool,
    pub fails: Fails,
    /// Plans that ran to their end, by title.
    pub ran: Arc<Mutex<Vec<String>>>,
    pub cached: Mutex<Vec<String>>,
}

impl Wrapper {
    pub fn new(takes: fn(&LogicalPlan) -> bool, fails: Fails) -> Arc<Self> {
        Arc::new(Self { takes, fails, ran: Arc::default(), cached: Mutex::default() })
    }
}

fn title(plan: &LogicalPlan) -> String {
    format!("[{}]", plan.display())
}

#[async_trait]
impl Accelerator for Wrapper {
    fn name(&self) -> &str {
        "wrapper"
    }

    fn rewrite(&self, plan: LogicalPlan) -> DataFusionResult<Rewritten> {
        if self.fails == Fails::Rewriting {
            return Err(DataFusionError::Plan("no plans\ntoday".to_owned()));
        }
        let (mut nodes, mut reasons) = (Vec::new(), Vec::new());
        let plan = plan.transform_down_with_subqueries(|plan| {
            if !(self.takes)(&plan) {
                reasons.push(Reason { at: plan.display().to_string(), why: "not wanted".to_owned() });
                return Ok(Transformed::no(plan));
            }
            let title = title(&plan);
            nodes.push(NodeReport { title: title.clone(), text: "pipeline 1\npipeline 2".to_owned() });
            let accelerator = self.name().to_owned();
            let node = AcceleratedNode { accelerator, title, cpu: plan, payload: Arc::new(7_u32) };
            Ok(Transformed::new(node.into_plan(), true, TreeNodeRecursion::Jump))
        })?;
        Ok(Rewritten { plan: plan.data, nodes, reasons })
    }

    fn physical(
        &self,
        node: &AcceleratedNode,
        cpu: &Arc<dyn ExecutionPlan>,
    ) -> DataFusionResult<AcceleratedPlan> {
        assert_eq!(node.payload.downcast_ref::<u32>(), Some(&7));
        if self.fails == Fails::Planning {
            return Err(DeviceFailure("it can't compile; install a compiler".to_owned()).into());
        }
        // a plan runs once, and the caller may have to run `cpu`
        let own = reset_plan_states(cpu.clone())?;
        let input: Arc<dyn ExecutionPlan> = match own.output_ordering().cloned() {
            Some(ordering) => Arc::new(SortPreservingMergeExec::new(ordering, own)),
            None => Arc::new(CoalescePartitionsExec::new(own)),
        };
        let (title, ran) = (node.title.clone(), self.ran.clone());
        let exec = WrapperExec { input, fails: self.fails, title, ran };
        Ok(AcceleratedPlan { plan: Arc::new(exec), counters: Vec::new() })
    }

    fn source(&self, plan: &LogicalPlan) -> DataFusionResult<String> {
        let mut source = String::new();
        plan.apply_with_subqueries(|plan| {
            if let Some(node) = AcceleratedNode::of(plan) {
                source += &format!("// {}\nvoid kernel();\n", node.title);
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(source)
    }

    async fn cache(&self, name: &str, table: &PeltonTable, place: CachePlace) -> Result<String> {
        self.cached.lock().push(name.to_owned());
        Ok(format!("{name}: {} files in {place:?}", table.files().files.len()))
    }

    fn uncache(&self, name: &str, _: &PeltonTable) -> Option<String> {
        let mut cached = self.cached.lock();
        let index = cached.iter().position(|cached| cached == name)?;
        Some(format!("{} is out", cached.remove(index)))
    }
}

#[derive(Debug)]
struct WrapperExec {
    input: Arc<dyn ExecutionPlan>,
    fails: Fails,
    title: String,
    ran: Arc<Mutex<Vec<String>>>,
}

impl DisplayAs for WrapperExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WrapperExec")
    }
}

impl ExecutionPlan for WrapperExec {
    fn name(&self) -> &str {
        "WrapperExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> DataFusionResult<TreeNodeRecursion>,
    ) -> DataFusionResult<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Err(DataFusionError::Internal("no rule should reach this".to_owned()))
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        Err(DataFusionError::Internal("no rule should reach this".to_owned()))
    }

    fn reset_state(self: Arc<Self>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let input = reset_plan_states(self.input.clone())?;
        let (title, ran) = (self.title.clone(), self.ran.clone());
        Ok(Arc::new(Self { input, fails: self.fails, title, ran }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> DataFusionResult<SendableRecordBatchStream> {
        let schema = self.input.schema();
        let (title, ran) = (self.title.clone(), self.ran.clone());
        let failure = DeviceFailure("the device is\ngone".to_owned());
        // DataFusion's operators share an error among their consumers
        let gone = Err(DataFusionError::Shared(Arc::new(DataFusionError::from(failure))));
        // The CPU's plan is executed here only where it is not executed again after a failure.
        let rows = match self.fails {
            Fails::Device(after) => others(&schema, after).chain(stream::iter([gone])).boxed(),
            Fails::DeviceAtEnd => self.input.execute(partition, context)?.chain(stream::iter([gone])).boxed(),
            Fails::Query(after) => {
                let error = Err(DataFusionError::Execution("division by zero".to_owned()));
                others(&schema, after).chain(stream::iter([error])).boxed()
            }
            Fails::Types => {
                let columns: Vec<usize> = (1..schema.fields().len()).collect();
                others(&Arc::new(schema.project(&columns)?), 1).boxed()
            }
            Fails::Nothing | Fails::Rewriting | Fails::Planning => {
                let end = stream::once(async move {
                    ran.lock().push(title);
                    Ok(None)
                });
                let rows = self.input.execute(partition, context)?.map_ok(Some).chain(end);
                rows.try_filter_map(|batch| async { Ok(batch) }).boxed()
            }
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// Returns batches of rows that occur in no query.
fn others(schema: &SchemaRef, count: usize) -> impl Stream<Item = DataFusionResult<RecordBatch>> + use<> {
    let batch = |schema: &SchemaRef| {
        let column = |field: &Arc<Field>| ScalarValue::new_default(field.data_type())?.to_array_of_size(3);
        let columns = schema.fields().iter().map(column).collect::<DataFusionResult<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(3));
        Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
    };
    let batches: Vec<_> = (0..count).map(|_| batch(schema)).collect();
    stream::iter(batches)
}
