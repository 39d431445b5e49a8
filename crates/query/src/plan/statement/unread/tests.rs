use super::*;
use crate::plan::statement::tokens;

#[test]
fn words_in_front_tell_what_to_write() {
    for (sql, expected) in [
        ("ATTACH 'x.db' (READ_ONLY)", "ATTACH is not supported: name the files in FROM"),
        ("export database 'x'", "EXPORT DATABASE is not supported: write COPY t TO"),
        ("FORCE INSTALL httpfs", "an extension is not supported"),
    ] {
        let error = plan(&tokens::of(sql)).expect_err(sql).to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    for sql in ["SELECT 1", "attach", "\"attach\" 1", "EXPORT DATA", ""] {
        let is_attach = sql == "attach";
        assert_eq!(plan(&tokens::of(sql)).is_err(), is_attach, "{sql}");
    }
    for sql in ["CHECKPOINT", "force checkpoint;"] {
        assert!(plan(&tokens::of(sql)).expect(sql).is_some());
    }
}

#[test]
fn insertions_by_position_lose_these_words() {
    for (sql, expected) in [
        ("INSERT INTO t BY POSITION SELECT 1", "INSERT INTO t   SELECT 1"),
        (
            "INSERT INTO t SELECT a FROM u ORDER BY position",
            "INSERT INTO t SELECT a FROM u ORDER BY position",
        ),
        ("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)"),
    ] {
        assert_eq!(insert(sql, &tokens::of(sql)).expect(sql), expected);
    }
    let error =
        insert("INSERT INTO t BY NAME SELECT 1 AS a", &tokens::of("INSERT INTO t BY NAME SELECT 1 AS a"));
    let error = error.expect_err("BY NAME").to_string();
    assert!(error.contains("INSERT INTO t (a, b) SELECT a, b"), "{error}");
}
