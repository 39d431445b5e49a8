use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;

use super::*;

fn parsed(sql: &str) -> Statement {
    Parser::parse_sql(&GenericDialect {}, sql).expect("a statement").pop().expect("one")
}

fn depth(node: &SetExpr) -> usize {
    union(node).map_or(0, |(_, left)| 1 + depth(left))
}

fn body(statement: &Statement) -> &SetExpr {
    match statement {
        Statement::Query(query) => query.body.as_ref(),
        other => panic!("{other} is no query"),
    }
}

#[test]
fn long_chains_are_balanced_in_their_order() {
    for operator in ["UNION ALL", "UNION"] {
        let terms: Vec<String> = (0..1000).map(|number| format!("SELECT {number}")).collect();
        let sql = terms.join(&format!(" {operator} "));
        let mut statement = parsed(&sql);
        assert_eq!(depth(body(&statement)), 999);
        balance(&mut statement);
        assert_eq!(depth(body(&statement)), 10);
        assert_eq!(statement.to_string(), sql);
    }
}

#[test]
fn operands_of_other_operators_stay_together() {
    let (left, right) = (["SELECT 1"; 100].join(" UNION ALL "), ["SELECT 2"; 100].join(" UNION "));
    let sql = format!("{left} EXCEPT {right}");
    let mut statement = parsed(&sql);
    balance(&mut statement);
    assert!(depth(body(&statement)) < 10, "the chain behind EXCEPT");
    assert_eq!(statement.to_string(), sql);
}

#[test]
fn short_chains_keep_their_form() {
    let sql = ["SELECT 1"; LONG - 1].join(" UNION ALL ");
    let (mut statement, before) = (parsed(&sql), parsed(&sql));
    balance(&mut statement);
    assert_eq!(statement, before);
}
