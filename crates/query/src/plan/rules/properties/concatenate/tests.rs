use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::NullEquality;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;

use super::*;

fn leaf() -> Arc<dyn ExecutionPlan> {
    Arc::new(EmptyExec::new(Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]))))
}

fn repartitioned() -> Arc<dyn ExecutionPlan> {
    Arc::new(RepartitionExec::try_new(leaf(), Partitioning::RoundRobinBatch(2)).unwrap())
}

fn join(kind: JoinType, mode: PartitionMode, right: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    let key = |name| Arc::new(Column::new(name, 0)) as Arc<dyn PhysicalExpr>;
    let on = vec![(key("a"), key("a"))];
    let nulls = NullEquality::NullEqualsNothing;
    let join = HashJoinExec::try_new(repartitioned(), right, on, None, &kind, None, mode, nulls, false);
    Arc::new(join.unwrap())
}

#[test]
fn only_partitions_that_keep_nothing_run_again() {
    let column = Arc::new(Column::new("a", 0)) as Arc<dyn PhysicalExpr>;
    let projection = |input| ProjectionExec::try_new([(column.clone(), "a".to_owned())], input).unwrap();
    assert!(repeats(&leaf()));
    assert!(repeats(&(Arc::new(projection(leaf())) as Arc<dyn ExecutionPlan>)));
    assert!(!repeats(&repartitioned()));
    assert!(!repeats(&(Arc::new(projection(repartitioned())) as Arc<dyn ExecutionPlan>)));
}

#[test]
fn a_join_runs_again_where_its_build_side_is_shared_and_no_execution_is_counted() {
    assert!(repeats(&join(JoinType::Inner, PartitionMode::CollectLeft, leaf())));
    assert!(!repeats(&join(JoinType::Left, PartitionMode::CollectLeft, leaf())));
    assert!(!repeats(&join(JoinType::Inner, PartitionMode::Partitioned, leaf())));
    assert!(!repeats(&join(JoinType::Inner, PartitionMode::CollectLeft, repartitioned())));
}
