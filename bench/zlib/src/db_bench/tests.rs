use super::figures;

#[test]
fn figures_are_found_in_what_db_bench_prints() {
    let text = "readrandomwriterandom :      10.5 micros/op 95238 ops/sec 10.0 seconds 952380 operations;\n\
                rocksdb.db.get.micros P50 : 7.5 P95 : 20.1 P99 : 31.25 P100 : 900 COUNT : 5 SUM : 6\n";
    assert_eq!(figures(text), Some([95238.0, 31.25, 7.5]));
    assert_eq!(figures("nothing"), None);
}
