use arrow::array::{ArrayRef, BooleanArray, Int64Array};
use arrow::datatypes::{DataType, Field};
use arrow::record_batch::RecordBatch;
use datafusion::common::cast::as_boolean_array;
use datafusion::physical_expr::expressions::{IsNotNullExpr, col};

use super::*;

fn schema() -> Schema {
    Schema::new(vec![Field::new("k", DataType::Int64, true)])
}

fn key() -> Expression {
    col("k", &schema()).expect("a column")
}

fn compare(op: Operator, value: i64) -> Expression {
    Arc::new(BinaryExpr::new(key(), op, lit(value)))
}

fn within(low: i64, high: i64) -> Vec<Expression> {
    vec![compare(Operator::GtEq, low), compare(Operator::LtEq, high)]
}

fn one_of(values: &[i64]) -> Expression {
    let values: ArrayRef = Arc::new(Int64Array::from(values.to_vec()));
    Arc::new(InListExpr::try_new_from_array(key(), values, false, &schema()).expect("a list"))
}

/// Returns a `CASE` with a branch for even and one for odd keys.
fn case(branches: [Vec<Expression>; 2], otherwise: bool) -> Expression {
    let remainder: Expression = Arc::new(BinaryExpr::new(key(), Operator::Modulo, lit(2i64)));
    let branches = branches.into_iter().enumerate();
    let branches = branches.map(|(number, then)| (lit(number as i64), conjunction(then))).collect();
    Arc::new(CaseExpr::try_new(Some(remainder), branches, Some(lit(otherwise))).expect("a case"))
}

fn rows(condition: &Expression) -> BooleanArray {
    let keys: ArrayRef = Arc::new((0..30).map(Some).chain([None]).collect::<Int64Array>());
    let batch = RecordBatch::try_new(Arc::new(schema()), vec![keys]).expect("one column");
    let value = condition.evaluate(&batch).and_then(|value| value.into_array(31)).expect("it evaluates");
    let value = as_boolean_array(&value).expect("a condition").clone();
    value.iter().map(|row| Some(row == Some(true))).collect()
}

/// Returns the united condition after a check that it passes all rows of the original.
fn united(condition: Expression) -> (String, usize) {
    let before = rows(&condition);
    let after = union_of(condition, &schema()).expect("it can be united");
    let passed = rows(&after);
    assert!((0..before.len()).all(|row| !before.value(row) || passed.value(row)), "{after}");
    (after.to_string(), passed.true_count() - before.true_count())
}

#[test]
fn sets_become_one() {
    let even = [within(2, 8), vec![one_of(&[2, 6, 8, 8])]].concat();
    let odd = [within(1, 21), vec![one_of(&[1, 21])]].concat();
    let (text, more) = united(case([even, odd], false));
    assert!(text.starts_with("k@0 >= 1 AND k@0 <= 21 AND k@0 IN (SET)") && !text.contains("CASE"), "{text}");
    assert_eq!(more, 0);
}

#[test]
fn bounds_are_taken_out_of_what_stays() {
    let lookup = |key| compare(Operator::NotEq, key);
    let (text, more) = united(case(
        [[within(2, 8), vec![lookup(40)]].concat(), [within(5, 9), vec![lookup(50)]].concat()],
        false,
    ));
    assert!(text.starts_with("k@0 >= 2 AND k@0 <= 9 AND CASE"), "{text}");
    assert_eq!(more, 1, "3 is within the bounds of the other partition");
}

#[test]
fn conditions_of_all_partitions_are_taken_out() {
    let shared = || Arc::new(IsNotNullExpr::new(key())) as Expression;
    let even = [within(2, 8), vec![one_of(&[2, 6]), shared()]].concat();
    let odd = [within(5, 9), vec![shared()]].concat();
    let (text, more) = united(case([even, odd.clone()], false));
    assert_eq!(text, "k@0 >= 2 AND k@0 <= 9 AND k@0 IS NOT NULL");
    assert_eq!(more, 3, "the list of one partition is left out, and 3 is within the bounds of the other");
    let own = vec![compare(Operator::NotEq, 6), shared()];
    let (text, more) = united(case([own, odd], false));
    assert!(
        text.starts_with("k@0 IS NOT NULL AND CASE") && text.matches("IS NOT NULL").count() == 1,
        "{text}"
    );
    assert_eq!(more, 12, "bounds that only one partition has are left out");
}

#[test]
fn empty_partitions_count_for_nothing() {
    let (text, more) =
        united(case([vec![lit(false)], [within(5, 9), vec![one_of(&[5, 9])]].concat()], false));
    assert!(!text.contains("CASE"), "{text}");
    assert_eq!(more, 0);
}

#[test]
fn what_passes_everything_stays_as_it_is() {
    for condition in [
        case([vec![lit(true)], within(5, 9)], false),
        case([within(1, 2), within(5, 9)], true),
        case([vec![compare(Operator::Lt, 3)], vec![compare(Operator::Gt, 3)]], false),
        compare(Operator::Lt, 3),
    ] {
        let before = condition.to_string();
        assert_eq!(united(condition), (before, 0));
    }
}
