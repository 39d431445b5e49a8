use serde_json::{Value, json};

use super::serve;

/// Returns the replies to some requests, a line each.
fn replies(requests: &[Value]) -> Vec<Value> {
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let mut output = Vec::new();
    serve(input.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn pelton_answers_requests() {
    let cache = tempfile::tempdir().unwrap();
    let codec = "gzip".parse().unwrap();
    let dataset = crate::data::cache::ensure(cache.path(), 0.01, codec, 2, &|_| {}).unwrap();
    let replies = replies(&[
        json!({"do": "query", "sql": "select 1", "rows": true}),
        json!({"do": "open", "engine": "duckdb", "folder": dataset.folder, "threads": 2}),
        json!({"do": "open", "engine": "pelton", "folder": dataset.folder, "threads": 2}),
        json!({"do": "query", "sql": "select count(*) as n, sum(l_tax) as t from lineitem", "rows": true}),
        json!({"do": "query", "sql": "select r_name from region", "rows": false}),
        json!({"do": "query", "sql": "selec", "rows": false}),
        json!({"do": "nothing"}),
        json!({"do": "memory"}),
        json!({"do": "open", "engine": "pelton+join_order=written", "folder": dataset.folder, "threads": 2}),
        json!({"do": "query", "sql": "show join_order", "rows": true}),
        json!({"do": "open", "engine": "pelton+join_order=worst", "folder": dataset.folder, "threads": 2}),
    ]);
    assert_eq!(replies[0]["error"], "no data set is open yet");
    assert_eq!(replies[1]["error"], "this process hosts pelton, not duckdb");
    assert_eq!(replies[2]["opened"]["name"], "Pelton");
    assert_eq!(replies[3]["answered"]["result"]["rows"], json!([["60175", "2420.51"]]));
    assert!(replies[3]["answered"]["scanned"]["bytes_decompressed"].as_u64().unwrap() > 0, "{}", replies[3]);
    assert_eq!(replies[4]["answered"]["row_count"], 5);
    assert!(replies[4]["answered"]["result"].is_null());
    assert!(replies[5]["error"].is_string(), "{}", replies[5]);
    assert!(replies[6]["error"].as_str().unwrap().contains("not a request"), "{}", replies[6]);
    assert!(replies[7]["memory"]["peak_bytes"].as_u64().unwrap() > 0);
    assert_eq!(replies[8]["opened"]["name"], "Pelton, join_order=written");
    assert_eq!(replies[9]["answered"]["result"]["rows"], json!([["written"]]), "{}", replies[9]);
    assert!(replies[10]["error"].as_str().unwrap().contains("join_order"), "{}", replies[10]);
}
