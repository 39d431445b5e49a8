use datafusion::sql::parser::DFParserBuilder;

use super::*;

fn typed(sql: &str) -> Result<String> {
    let mut statement = DFParserBuilder::new(sql).build().expect("tokens").parse_statement().expect(sql);
    type_literals(&mut statement).map(|()| statement.to_string())
}

#[test]
fn exponents_make_doubles() {
    for (sql, expected) in [
        ("SELECT 1e3", "SELECT CAST('1e3' AS DOUBLE)"),
        ("SELECT -1.5E-3 + 2.5", "SELECT -CAST('1.5E-3' AS DOUBLE) + 2.5"),
        ("EXPLAIN SELECT a FROM t WHERE a IN (1, 2.5, 1e0)", "CAST('1e0' AS DOUBLE)"),
        ("SELECT a FROM t WHERE EXISTS (SELECT 1e1 FROM u)", "EXISTS (SELECT CAST('1e1' AS DOUBLE) FROM u)"),
        ("SELECT 1, 2.50, 'x1e3'", "SELECT 1, 2.50, 'x1e3'"),
    ] {
        let typed = typed(sql).expect(sql);
        assert!(typed.contains(expected), "{typed}");
    }
}

#[test]
fn decimals_beside_doubles_in_values_are_doubles() {
    assert_eq!(
        typed("VALUES (1.5, 1.5, 1), (-1e0, 2, 1e0)").expect("a statement"),
        "VALUES (CAST('1.5' AS DOUBLE), 1.5, 1), (-CAST('1e0' AS DOUBLE), 2, CAST('1e0' AS DOUBLE))"
    );
    assert_eq!(
        typed("VALUES (-1.5), (CAST(a AS DOUBLE))").expect("a statement"),
        "VALUES (-CAST('1.5' AS DOUBLE)), (CAST(a AS DOUBLE))"
    );
}

#[test]
fn a_decimal_has_38_digits() {
    let nines = "9".repeat(38);
    for number in [&nines, &format!("0.{nines}"), &format!("000{}.9", &nines[1..])] {
        assert!(typed(&format!("SELECT {number}")).is_ok(), "{number}");
    }
    for number in [format!("{nines}9"), format!("0.{nines}9"), format!("{nines}.0"), format!("0.0{nines}")] {
        let error = typed(&format!("SELECT {number}")).expect_err(&number).to_string();
        assert!(error.contains("39 digits") && error.contains("1.5e0"), "{error}");
    }
}
