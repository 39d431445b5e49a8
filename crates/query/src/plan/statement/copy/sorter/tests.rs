use arrow::array::{ArrayRef, AsArray, Int64Array, StringViewArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use datafusion::execution::memory_pool::MemoryPool;

use super::super::partitions::{key, keyed, keys};
use super::*;

/// Bytes that hold a part of the rows below, so that the sort goes to disk.
const LIMIT: usize = 4 << 20;

/// Partitions of the rows below, more than a lane could keep open.
const PARTITIONS: usize = 1000;

fn limited() -> Arc<TaskContext> {
    let pool: Arc<dyn MemoryPool> = Arc::new(LimitedPool::new(LIMIT));
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).build_arc().expect("a runtime");
    let mut context = TaskContext::default();
    let mut config = context.session_config().clone();
    config.options_mut().execution.sort_spill_reservation_bytes = 0;
    context = context.with_session_config(config);
    Arc::new(context.with_runtime(runtime))
}

fn batch(schema: &SchemaRef, first: i64) -> RecordBatch {
    let numbers: Vec<i64> = (first..first + 8192).collect();
    let texts = numbers.iter().map(|number| format!("a text of more than twelve bytes, {number}"));
    let all = numbers.iter().map(|&number| key(number as usize * 7 % PARTITIONS, number as u64)).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(numbers.clone())),
        Arc::new(StringViewArray::from_iter_values(texts)),
        Arc::new(keys(all)),
    ];
    RecordBatch::try_new(schema.clone(), columns).expect("equal lengths")
}

/// A lane gets each partition once, whole and in order, also from disk, and all memory is free in
/// the end.
#[tokio::test(flavor = "multi_thread")]
async fn partitions_come_one_after_the_other() {
    let fields = [("n", DataType::Int64), ("s", DataType::Utf8View)];
    let schema = Schema::new(fields.map(|(name, data_type)| Field::new(name, data_type, false)).to_vec());
    let schema = keyed(&Arc::new(schema));
    let session = limited();
    let context = context(session.clone(), 1).expect("a context");
    assert!(Arc::ptr_eq(&session, &context), "a session with a limit keeps it");
    let (lane, mut messages) = channel(2);
    let folders = Folders::default();
    let sorter = Sorter::start(&schema, &context, folders.clone(), lane).expect("a sort");
    let rows = 40 * 8192;
    let taken = tokio::spawn(async move {
        let (mut partitions, mut taken, mut closed) = (Vec::new(), 0, 0);
        let mut last = -1;
        while let Some(message) = messages.recv().await {
            let Message::Rows(part) = message else {
                closed += 1;
                last = -1;
                continue;
            };
            if partitions.last() != Some(&part.partition) {
                assert_eq!(closed, partitions.len() + 1, "no two partitions are open");
                partitions.push(part.partition);
            }
            assert_eq!(part.folder.as_ref(), format!("k={}", part.partition));
            assert_eq!(part.rows.num_columns(), 2);
            for number in part.rows.column(0).as_primitive::<Int64Type>().values() {
                assert_eq!(*number as usize * 7 % PARTITIONS, part.partition);
                assert!(*number > last, "rows keep their order");
                last = *number;
                taken += 1;
            }
        }
        (partitions, taken)
    });
    for first in (0..rows).step_by(8192) {
        assert!(sorter.push(batch(&schema, first)).await);
    }
    assert!(context.memory_pool().reserved() <= LIMIT);
    folders.set((0..PARTITIONS).map(|partition| format!("k={partition}").into()).collect()).expect("unset");
    sorter.finish().await.expect("sorted");
    let (partitions, taken) = taken.await.expect("no assertion failed");
    assert_eq!(partitions, (0..PARTITIONS).collect::<Vec<_>>());
    assert_eq!(taken, rows);
    let spilled = context.runtime_env().disk_manager.used_disk_space();
    assert_eq!((context.memory_pool().reserved(), spilled), (0, 0));
}

#[test]
fn a_session_without_a_limit_gets_one_for_sorts() {
    let context = context(Arc::new(TaskContext::default()), 3).expect("a context");
    let limit = context.memory_pool().memory_limit();
    assert!(matches!(limit, MemoryLimit::Finite(bytes) if bytes == 3 * SORT_BYTES));
}
