use super::Commas;

#[test]
fn commas_stand_between_values_alone() {
    for (text, error) in [
        (r#"[{"a": 1}, {"a": [1, {"b": ","}, 2]}]"#, None),
        (r#" [ ] "#, None),
        (r#"[1, true , null]"#, None),
        (r#"[1, , 2]"#, Some("where a value should be")),
        (r#"[{"a": "]}\",,\\"}, {"a": [[], []]}]"#, None),
        (r#"[{"a": 1}, ]"#, Some("before the end")),
        (r#"[{"a": 1}{"a": 2}]"#, Some("is missing")),
        (r#"[, {"a": 1}]"#, Some("where a value should be")),
        (r#"[{"a": 1},, {"a": 2}]"#, Some("where a value should be")),
        (r#"["a" "b"]"#, Some("is missing")),
    ] {
        for bytes in [1, 3, 100] {
            let mut commas = Commas::default();
            let checked = text.as_bytes().chunks(bytes).try_for_each(|piece| commas.check(piece));
            match error {
                None => assert_eq!(checked, Ok(()), "{text}"),
                Some(part) => assert!(checked.is_err_and(|what| what.contains(part)), "{text}"),
            }
        }
    }
}
