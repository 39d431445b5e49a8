//! `http://` places: good servers, slow ones, and those that lie.

use super::server::{Manner, Server, TIMEOUT};
use super::support::{Engine, parquet};

const ROWS: i64 = 20_000;

fn server(manner: Manner) -> (Server, String) {
    let server = Server::start(manner, &[("/data/t.parquet", &parquet(0, ROWS))]);
    let place = format!("http://127.0.0.1:{}/data/t.parquet", server.port);
    (server, place)
}

fn engine() -> Engine {
    let engine = Engine::new();
    engine.text(&format!("SET http_timeout = {TIMEOUT}"));
    engine.text("SET http_retries = 2");
    engine
}

#[test]
fn servers_that_send_parts_are_read() {
    for manner in [Manner::Good, Manner::NoHead, Manner::Slow, Manner::CutsSome, Manner::FailsSome] {
        let (_server, place) = server(manner);
        let rows = engine().text(&format!("SELECT count(*), sum(x), max(s) FROM '{place}' WHERE x >= 10"));
        assert_eq!(rows, ["19990|199989955|row 9999"], "{manner:?}");
    }
}

#[test]
fn requests_are_few_and_counted() {
    let (server, place) = server(Manner::Good);
    let engine = engine();
    let sql = format!("SELECT sum(x) FROM '{place}' WHERE s = 'row 19999'");
    let counted = engine.metric(&sql, "store_requests");
    assert_eq!(counted, server.requests().len() as u64);
    assert!(counted <= 5, "{counted} requests: {:?}", server.requests());
    assert!(engine.metric(&sql, "store_bytes") > 0);
    let file = parquet(0, ROWS).len() as u64;
    let sent = engine.metric(&sql, "store_bytes");
    assert!(sent < file, "{sent} bytes of {file}: two columns of the last row group");
}

#[test]
fn servers_that_lie_are_errors_with_the_place() {
    for (manner, cause) in [
        (Manner::NoRanges, "does not send parts of files"),
        (Manner::Stalled, "timed out"),
        (Manner::CutsAll, ""),
        (Manner::OtherTag, "changed"),
        (Manner::Short, "the server sent"),
        (Manner::OtherRange, "sent another part of the file"),
        (Manner::OddRange, "CONTENT_RANGE"),
        (Manner::Redirects, "too many redirects"),
        (Manner::Denies, "access is denied: 403 Forbidden"),
    ] {
        let (_server, place) = server(manner);
        let error = engine().error(&format!("SELECT sum(x) FROM '{place}?signature=hush'"));
        assert!(error.starts_with(&place), "{manner:?} names its place: {error}");
        assert!(error.contains(cause), "{manner:?}: {error}");
        assert!(!error.contains("hush"), "{manner:?} keeps the signature: {error}");
        assert!(!error.contains('\n') && error.len() < 400, "{manner:?} is one line: {error}");
    }
}

#[test]
fn places_that_are_not_there_say_so() {
    let (_server, place) = server(Manner::Good);
    let missing = place.replace("t.parquet", "u.parquet");
    assert_eq!(
        engine().error(&format!("FROM '{missing}' SELECT 1")),
        format!("{missing}: no such file or directory")
    );
    let nobody = "http://127.0.0.1:9/t.parquet";
    let error = engine().error(&format!("SELECT 1 FROM '{nobody}'"));
    assert!(error.starts_with(nobody) && error.to_lowercase().contains("refused"), "{error}");
    let error = engine().error("SELECT 1 FROM 'https://me:hush@localhost/t.parquet'");
    assert!(
        error.starts_with("https://localhost/t.parquet: ")
            && error.contains("CREATE SECRET")
            && !error.contains("hush"),
        "{error}"
    );
}

#[test]
fn query_strings_reach_the_server() {
    let (server, place) = server(Manner::Good);
    let rows = engine().text(&format!("SELECT count(*) FROM '{place}?signature=a%2Fb&x=1'"));
    assert_eq!(rows, ["20000"]);
    assert!(server.requests().iter().all(|request| request.target == "/data/t.parquet?signature=a%2Fb&x=1"));
}

#[test]
fn query_strings_are_in_no_plan_and_no_error() {
    let (_server, place) = server(Manner::Good);
    let engine = engine();
    let signed = format!("{place}?signature=hush&x=1");
    for sql in [
        format!("EXPLAIN SELECT count(*) FROM '{signed}' WHERE x > 7"),
        format!("EXPLAIN VERBOSE SELECT * FROM '{signed}' a JOIN '{signed}&y' b USING (x)"),
        format!("EXPLAIN ANALYZE SELECT max(s) FROM read_parquet(['{signed}', '{place}?hush'])"),
        format!("EXPLAIN (FORMAT json) SELECT x FROM '{signed}'"),
        format!("EXPLAIN COPY '{signed}' TO '/dev/null' (FORMAT csv)"),
        format!("DESCRIBE '{signed}'"),
        format!("SUMMARIZE SELECT x FROM '{signed}'"),
    ] {
        let text = engine.text(&sql).join("\n");
        assert!(!text.contains("hush"), "{sql}: {text}");
        assert!(!sql.contains("EXPLAIN") || text.contains("t.parquet?…"), "{sql}: {text}");
    }
    for sql in [
        format!("SELECT nocol FROM '{signed}'"),
        format!("SELECT t.x FROM '{signed}' JOIN '{signed}&2' ON x = y"),
        format!("SELECT x FROM '{signed}' GROUP BY s"),
        format!("SELECT CAST(s AS BIGINT) FROM '{signed}'"),
        format!("INSERT INTO '{signed}' VALUES (1)"),
    ] {
        let error = engine.error(&sql);
        assert!(!error.contains("hush"), "{sql}: {error}");
    }
    engine.text(&format!("CREATE VIEW v AS SELECT x FROM '{signed}'"));
    engine.text(&format!("PREPARE p AS SELECT count(*) FROM '{signed}' WHERE x < $1"));
    assert_eq!(engine.text("EXECUTE p(10)"), ["10"]);
    assert_eq!(engine.text("SELECT count(*) FROM v"), ["20000"]);
    assert!(!engine.text("EXPLAIN SELECT x FROM v").join("\n").contains("hush"));
}

#[test]
fn tokens_go_to_the_servers_of_their_scope_alone() {
    let (server, place) = server(Manner::Good);
    let engine = engine();
    let scope = place.replace("/data/t.parquet", "");
    engine.text(&format!("CREATE SECRET web (TYPE http, BEARER_TOKEN 'hush', SCOPE '{scope}')"));
    engine.text(&format!("SELECT count(*) FROM '{place}'"));
    let sent = |server: &Server| {
        let requests = server.requests();
        requests.iter().map(|r| r.headers.get("authorization").cloned()).collect::<Vec<_>>()
    };
    assert!(
        !sent(&server).is_empty() && sent(&server).iter().all(|sent| sent.as_deref() == Some("Bearer hush"))
    );
    assert_eq!(
        engine.text("SELECT * FROM pelton_secrets()"),
        [format!("web|http|{scope}|http_bearer_token")]
    );
    let plan = engine.text(&format!("EXPLAIN VERBOSE SELECT count(*) FROM '{place}' WHERE x > 7")).join("\n");
    assert!(!plan.contains("hush"), "{plan}");
    let (other, place) = self::server(Manner::Good);
    engine.text(&format!("SELECT count(*) FROM '{place}'"));
    assert!(!sent(&other).is_empty() && sent(&other).iter().all(Option::is_none));
    engine.text("DROP SECRET web");
    assert!(engine.text("SELECT * FROM pelton_secrets()").is_empty());
}

#[test]
fn a_request_ends_with_its_time() {
    let (server, place) = server(Manner::Stalled);
    let error = engine().error(&format!("SELECT sum(x) FROM '{place}'"));
    assert!(error.starts_with(&place) && error.contains("timed out"), "{error}");
    // a repetition would begin after the time that the request may take
    assert_eq!(server.requests().len(), 1, "{:?}", server.requests());
}

#[test]
fn signatures_are_in_no_definition_of_a_view_and_no_list() {
    let (_server, place) = server(Manner::Good);
    let engine = engine();
    engine.text(&format!("CREATE VIEW v AS SELECT x FROM '{place}?signature=hush&x=1' -- {place}?hush"));
    engine
        .text(&format!("CREATE VIEW w AS SELECT x FROM read_parquet(['{place}#hush', '{place}?hush#hush'])"));
    assert_eq!(engine.text("SELECT count(*) FROM v JOIN w USING (x)"), ["40000"]);
    let definition = format!("CREATE VIEW v AS SELECT x FROM '{place}?…' -- {place}?…");
    let views = engine.text("SELECT definition FROM information_schema.views ORDER BY table_name").join("\n");
    assert!(views.contains(&definition) && views.contains(&format!("['{place}#…', '{place}?…']")), "{views}");
    let shown = engine.text("SHOW CREATE TABLE v").join("\n");
    assert!(shown.contains(&definition), "{shown}");
    engine.text(&format!("CREATE SECRET (TYPE http, BEARER_TOKEN 'hush', SCOPE '{place}?hush')"));
    for sql in [
        "SELECT * FROM information_schema.views",
        "SHOW CREATE TABLE w",
        "SELECT * FROM pelton_secrets()",
        "EXPLAIN VERBOSE SELECT x FROM w",
        "EXPLAIN SELECT x FROM v WHERE x > 5",
    ] {
        let text = engine.text(sql).join("\n");
        assert!(!text.is_empty() && !text.contains("hush"), "{sql}: {text}");
    }
    let error = engine.error(&format!("SELECT nocol FROM '{place}#hush'"));
    assert!(!error.contains("hush"), "{error}");
}
