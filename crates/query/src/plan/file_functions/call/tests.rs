use super::{Argument, Call};

fn parse(text: &str) -> Result<Option<Call>, String> {
    Call::parse(text, &["read_parquet"]).map_err(|error| error.to_string())
}

fn call(text: &str) -> Call {
    parse(text).expect("it parses").expect("it is a call")
}

#[test]
fn arguments_have_names_in_every_spelling() {
    let mut call = call("Read_Parquet(['a', 'b'], filename := true, x = -1, Y => {'k': 'v'}, z := (NULL))");
    assert_eq!(call.places().expect("a list"), ["a", "b"]);
    assert_eq!(call.flag("filename").expect("a flag"), Some(true));
    assert_eq!(call.take(&["x"]).expect("once"), Some(Argument::Number("-1".to_owned())));
    let fields = vec![("k".to_owned(), Argument::Text("v".to_owned()))];
    assert_eq!(call.take(&["y"]).expect("once"), Some(Argument::Struct(fields)));
    assert_eq!(call.take(&["z"]).expect("once"), Some(Argument::Null));
    call.finish().expect("nothing is left");
}

#[test]
fn other_texts_are_no_calls() {
    for text in ["x.parquet", "read_parquet", "range(5)", "dir (1)/x.parquet", "a/read_parquet('x')"] {
        assert!(parse(text).expect("no call is no error").is_none(), "{text}");
    }
}

#[test]
fn errors_name_the_argument() {
    let cases = [
        ("read_parquet(t.path)", "read_parquet: its arguments are constants, and t.path is none"),
        ("read_parquet('a', x := 1, x := 2)", "read_parquet: x is given twice"),
        ("read_parquet(x := 1, 'a')", "read_parquet: arguments without a name come before those with one"),
    ];
    for (text, message) in cases {
        assert_eq!(parse(text).err().as_deref(), Some(message), "{text}");
    }
    let mut call = call("read_parquet('a', nope := 1)");
    call.places().expect("a place");
    assert_eq!(call.flag("filename").expect("it is not there"), None);
    let message = call.finish().expect_err("an unknown option").to_string();
    assert_eq!(message, "read_parquet: there is no option nope; the options are filename");
}
