use super::{did_you_mean, nearest};

#[test]
fn typing_mistakes_find_the_meant_name() {
    let names = ["threads", "memory", "verify_checksums", "device"];
    for (typed, meant) in [
        ("thread", "threads"),
        ("thraeds", "threads"),
        ("MEMROY", "memory"),
        ("verify", "verify_checksums"),
        ("devise", "device"),
    ] {
        assert_eq!(nearest(typed, names), Some(meant), "{typed}");
    }
    assert_eq!(did_you_mean("thread", names).as_deref(), Some("did you mean threads?"));
}

#[test]
fn other_words_find_nothing() {
    for typed in ["", "x", "jit", "schema", "search_path"] {
        assert_eq!(nearest(typed, ["threads", "memory", "device"]), None, "{typed}");
    }
    assert_eq!(nearest("a", []), None);
}
