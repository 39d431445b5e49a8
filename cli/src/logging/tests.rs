use super::line;

#[test]
fn a_record_is_one_line() {
    let text = line(1.25, "WARN", "pelton_job", &format_args!("iaa: a\nb\u{1b}[31m"));
    assert_eq!(text, "[   1.250s WARN  pelton_job] iaa: a\\nb\\u{1b}[31m\n");
}
