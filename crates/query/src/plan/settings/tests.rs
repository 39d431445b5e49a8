use datafusion::execution::memory_pool::MemoryLimit;
use futures::TryStreamExt;
use pelton_job::Router;
use pelton_settings::SETTINGS;

use super::*;
use crate::plan::{Session, SessionOptions};

fn session() -> Session {
    let router = Router::builder().build();
    let scan = ScanContext {
        kernels: Some(Kernels::from_environment().expect("kernels")),
        ..ScanContext::in_tests(router)
    };
    Session::new(SessionOptions { threads: 2, memory_limit: None, scan, accelerator: None })
        .expect("a session")
}

async fn rows(session: &Session, sql: &str) -> String {
    let plan = session.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let batches: Vec<_> = session.run(plan).expect("it starts").try_collect().await.expect("rows");
    arrow::util::pretty::pretty_format_batches(&batches).expect("text").to_string()
}

async fn error(session: &Session, sql: &str) -> String {
    let stream = match session.sql(sql).await.and_then(|plan| session.run(plan)) {
        Ok(stream) => stream,
        Err(error) => return error.to_string(),
    };
    Error::from(stream.try_collect::<Vec<_>>().await.expect_err(sql)).to_string()
}

#[tokio::test]
async fn a_change_reaches_the_plans_made_after_it() {
    let session = session();
    let partitions = |session: &Session| session.context.state().config().target_partitions();
    let scan = |session: &Session| session.context.state().config().get_extension::<ScanContext>();
    let pool = |session: &Session| match session.context.runtime_env().memory_pool.memory_limit() {
        MemoryLimit::Finite(bytes) => Some(bytes),
        MemoryLimit::Infinite | MemoryLimit::Unknown => None,
    };
    let order = |session: &Session| {
        let state = session.context.state();
        let rules: Vec<_> = state.physical_optimizers().iter().map(|rule| format!("{rule:?}")).collect();
        rules.into_iter().find(|rule| rule.contains("KeepRowOrder")).expect("the rule")
    };
    let rules = session.context.state().physical_optimizers().len();
    rows(&session, "CREATE VIEW v AS SELECT 42 AS x").await;
    for sql in [
        "SET threads = 3",
        "SET memory TO '64MiB'",
        "SET GLOBAL verify_checksums = on",
        "SET encoded_filters = false",
        "PRAGMA any_order = true",
    ] {
        rows(&session, sql).await;
    }
    assert_eq!(partitions(&session), 3);
    assert_eq!(pool(&session), Some(64 << 20));
    let context = scan(&session).expect("a context");
    assert!(context.verify_checksums && context.kernels.is_none() && context.any_order);
    assert!(order(&session).contains("is_on: false"), "{}", order(&session));
    assert_eq!(session.context.state().physical_optimizers().len(), rules);
    rows(&session, "RESET ALL").await;
    assert!(rows(&session, "SELECT x FROM v").await.contains("42"), "the catalog stays");
    assert_eq!(partitions(&session), 2);
    assert_eq!(pool(&session), None);
    let context = scan(&session).expect("a context");
    assert!(!context.verify_checksums && context.kernels.is_some() && !context.any_order);
    assert!(order(&session).contains("is_on: true"), "{}", order(&session));
}

#[tokio::test]
async fn values_are_shown_and_a_branch_has_its_own() {
    let session = session();
    rows(&session, "SET threads = 5").await;
    let branch = session.branch().await.expect("a branch");
    rows(&branch, "SET threads = 7").await;
    assert!(rows(&session, "SHOW threads").await.contains("| 5 "));
    assert!(rows(&branch, "SHOW Threads").await.contains("| 7 "));
    assert!(rows(&branch, "SHOW preserve_insertion_order").await.contains("| true "));
    assert!(rows(&branch, "SHOW TIME ZONE").await.contains("| UTC "));
    let listed = rows(&branch, "SELECT name, value FROM pelton_settings()").await;
    for definition in SETTINGS {
        assert!(listed.contains(definition.name), "{listed}");
    }
    assert!(listed.contains("| 7 "), "{listed}");
    assert_eq!(rows(&branch, "SHOW ALL").await.lines().count(), SETTINGS.len() + 4);
}

#[tokio::test]
async fn planning_and_explain_change_nothing() {
    let session = session();
    drop(session.sql("SET threads = 9").await.expect("a plan"));
    assert_eq!(session.settings().count(&THREADS), Some(2));
    assert_eq!(session.settings().shown(&TIMEZONE), "UTC");
}

#[tokio::test]
async fn mistakes_are_told_by_name() {
    let session = session();
    for (sql, part) in [
        ("SET thread = 4", "there is no setting thread: did you mean threads?"),
        ("SET threads = 0", "threads is a whole number from 1 to 4096, and 0 is none"),
        ("SET threads = -1", "and -1 is none"),
        ("SET threads = 2 nonsense", "SET threads has more than one value"),
        ("SET profile = a.html b", "SET profile has more than one value"),
        ("SET s3_region = 'a' 'b'", "SET s3_region has more than one value"),
        ("SET memory = 2 GB x", "SET memory has more than one value"),
        ("PRAGMA any_order = true x", "has more than one value"),
        ("SET TIME ZONE 'UTC' x", "SET timezone has more than one value"),
        ("SET threads", "threads needs a value: SET threads = ..."),
        ("SET", "SET needs a name and a value"),
        ("SET memory = '80%'", "memory can't be 80%"),
        ("SET verify_checksums = maybe", "verify_checksums is true or false, and maybe is neither"),
        ("SET TIME ZONE 'Europe/Berlin'", "write t AT TIME ZONE 'Europe/Berlin'"),
        ("SET TIME ZONE", "SET TIME ZONE needs a zone"),
        ("SET LOCAL threads = 1", "write SET"),
        ("SET VARIABLE x = 1", "PREPARE"),
        ("SET device = cpu", "the devices of this session are fixed"),
        ("RESET", "RESET needs a name"),
        ("RESET mem", "did you mean memory?"),
        ("SHOW thread", "did you mean threads?"),
        ("SHOW nothing", "SHOW TABLES lists tables"),
        ("SELECT * FROM pelton_settings(1)", "takes no arguments"),
    ] {
        let error = error(&session, sql).await;
        assert!(error.contains(part), "{sql}: {error}");
    }
}

/// A function of DataFusion's has the name of each of these as an alias.
#[tokio::test]
async fn functions_keep_their_names_after_a_change() {
    let session = session();
    let implementations = |session: &Session| {
        let state = session.context().state();
        let mut scalar: Vec<String> =
            state.scalar_functions().iter().map(|(name, function)| format!("{name} {function:?}")).collect();
        let aggregates = state.aggregate_functions().iter();
        scalar.extend(aggregates.map(|(name, function)| format!("{name} {function:?}")));
        scalar.sort();
        scalar
    };
    let before = implementations(&session);
    assert!(before.len() > 300 && before.iter().any(|found| found.starts_with("list_sum ")));
    for threads in 3..8 {
        rows(&session, &format!("SET threads = {threads}")).await;
        assert_eq!(implementations(&session), before, "{threads} threads");
    }
    assert_eq!(implementations(&session.branch().await.expect("a branch")), before);
}
