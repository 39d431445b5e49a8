//! Test of the fuzzer itself: it is deterministic for a seed, and finds and shrinks a fault.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pelton_fuzz_sql::case::{Case, Kind, Verdict};
use pelton_fuzz_sql::engines::{Engines, Programs, USUAL};
use pelton_fuzz_sql::generate::generate;
use pelton_fuzz_sql::shrink::shrink;
use pelton_fuzz_sql::tables::tables;
use pelton_fuzz_sql::tree::Dialect;
use pelton_random::Random;

/// Loses the last row of every query with these words.
const FAULTY: &str = "device=cpu threads=2 fault=LEFT-JOIN";

fn engines() -> Engines {
    let pelton = PathBuf::from(env!("CARGO_BIN_EXE_pelton-fuzz-sql-engine"));
    Engines::new(Programs { pelton, python: PathBuf::from("none") }).expect("a folder for files")
}

#[test]
fn a_seed_has_one_query() {
    let texts = || {
        let mut out = Vec::new();
        for seed in 0..200 {
            let tables = tables(&mut Random::new(seed));
            let generated = generate(seed, &tables);
            out.push((generated.query.text(Dialect::Pelton), generated.query.text(Dialect::DuckDb), tables));
        }
        out
    };
    let first = texts();
    assert_eq!(format!("{first:?}"), format!("{:?}", texts()));
    let mut queries: Vec<&str> = first.iter().map(|(pelton, ..)| pelton.as_str()).collect();
    queries.sort_unstable();
    queries.dedup();
    assert!(queries.len() > 190, "{} different queries of 200", queries.len());
}

#[test]
fn a_fault_is_found_and_shrunk() {
    let mut engines = engines();
    let mut found = None;
    for seed in 0..400 {
        let tables = Arc::new(tables(&mut Random::new(seed)));
        let generated = generate(seed, &tables);
        let case = Case::new(&tables, &generated, FAULTY, USUAL);
        let verdict = case.ask(&mut engines).expect("engines start");
        if matches!(verdict, Verdict::Different(Kind::Rows, _)) {
            found = Some((case, generated));
            break;
        }
    }
    let (case, generated) = found.expect("one of 400 queries shows a lost row");
    let time = Duration::from_secs(300);
    let (case, _) = shrink(&mut engines, &case, &generated, Kind::Rows, time).expect("engines go on");
    assert!(case.pelton.contains("LEFT JOIN") && !case.pelton.contains(" ORDER BY "), "{}", case.pelton);
    assert!(case.pelton.len() < 200, "{}", case.pelton);
    let rows: usize = case.tables.iter().map(|table| table.rows()).sum();
    assert!(rows <= 4, "{rows} rows in {:?}", case.tables);
    // it can be asked again, as it was saved
    let folder = tempfile::tempdir().expect("a folder");
    let again = Case::open(&case.save(folder.path()).expect("a file")).expect("a case");
    let verdict = again.ask(&mut engines).expect("engines go on");
    assert!(matches!(verdict, Verdict::Different(Kind::Rows, _)), "{verdict:?}");
}
