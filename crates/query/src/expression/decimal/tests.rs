use arrow::array::{Array, ArrayRef, Decimal128Array};
use arrow::datatypes::Field;
use datafusion::common::ScalarValue;
use datafusion::physical_expr::expressions::{Column, Literal};

use super::*;

/// Decimals around every boundary that the arithmetic has: zero, 64 bits, 128 bits.
fn values() -> Vec<i128> {
    let edges = [0, 1, 99, i64::MAX as i128, i128::MAX / 2];
    let around = edges.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1]);
    around.flat_map(|value| [value, -value]).collect()
}

fn array(values: &[Option<i128>], precision: u8, scale: i8) -> ArrayRef {
    let array: Decimal128Array = values.iter().copied().collect();
    Arc::new(array.with_precision_and_scale(precision, scale).expect("valid"))
}

fn check(left: Arc<dyn PhysicalExpr>, right: Arc<dyn PhysicalExpr>, batch: &RecordBatch) -> usize {
    let mut narrow = 0;
    for op in [Operator::Plus, Operator::Minus, Operator::Multiply] {
        let plain: Arc<dyn PhysicalExpr> = Arc::new(BinaryExpr::new(left.clone(), op, right.clone()));
        let ours = DecimalArithmetic::new(&plain, batch.schema_ref()).expect("decimals");
        let value = |expression: &dyn PhysicalExpr| {
            expression.evaluate(batch).and_then(|value| value.into_array(batch.num_rows()))
        };
        let context = format!("{ours} of {batch:?}");
        match (value(plain.as_ref()), value(&ours)) {
            (Ok(expected), Ok(found)) => {
                assert_eq!(&found, &expected, "{context}");
                assert_eq!(
                    found.data_type(),
                    &ours.data_type(batch.schema_ref()).expect("typed"),
                    "{context}"
                );
            }
            (Err(expected), Err(found)) => assert_eq!(found.to_string(), expected.to_string(), "{context}"),
            (expected, found) => panic!("{found:?} in place of {expected:?}: {context}"),
        }
        let sides = [&left, &right].map(|side| side.evaluate(batch).expect("a column or a constant"));
        let Ok(result) = ours.data_type(batch.schema_ref()) else { continue };
        narrow += usize::from(narrow::arithmetic(&sides[0], op, &sides[1], &result).is_some());
    }
    narrow
}

#[test]
fn as_arrow_computes_it() {
    let mut narrow = 0;
    for (scale_a, scale_b) in [(2, 2), (0, 2), (2, 0), (4, 2), (0, 20), (30, 18), (-2, 3)] {
        for a in values() {
            for b in values() {
                let pairs = [(Some(a), Some(7)), (Some(-3), None), (None, Some(b)), (Some(5), Some(b))];
                let (left, right): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
                let columns = [("a", array(&left, 38, scale_a)), ("b", array(&right, 38, scale_b))];
                let field =
                    |(name, array): &(&str, ArrayRef)| Field::new(*name, array.data_type().clone(), true);
                let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
                let arrays = columns.into_iter().map(|(_, array)| array).collect();
                let batch = RecordBatch::try_new(Arc::new(schema), arrays).expect("two columns");
                let column = |name, index| Arc::new(Column::new(name, index)) as Arc<dyn PhysicalExpr>;
                let literal = |value, scale| {
                    let value = ScalarValue::Decimal128(value, 38, scale);
                    Arc::new(Literal::new(value)) as Arc<dyn PhysicalExpr>
                };
                narrow += check(column("a", 0), column("b", 1), &batch);
                narrow += check(column("a", 0), literal(Some(b), scale_b), &batch);
                narrow += check(literal(Some(a), scale_a), column("b", 1), &batch);
                check(literal(None, scale_a), column("b", 1), &batch);
            }
        }
    }
    assert!(narrow > 1000, "{narrow} of all were computed in 64 bits");
}

#[test]
fn other_expressions_are_left_alone() {
    let schema = Schema::new(vec![
        Field::new("n", DataType::Int64, true),
        Field::new("d", DataType::Decimal128(15, 2), true),
    ]);
    let column = |name, index| Arc::new(Column::new(name, index)) as Arc<dyn PhysicalExpr>;
    let cases = [
        (column("n", 0), Operator::Plus, column("n", 0)),
        (column("d", 1), Operator::Divide, column("d", 1)),
        (column("d", 1), Operator::Lt, column("d", 1)),
    ];
    for (left, op, right) in cases {
        let plain: Arc<dyn PhysicalExpr> = Arc::new(BinaryExpr::new(left, op, right));
        assert!(DecimalArithmetic::new(&plain, &schema).is_none(), "{plain}");
    }
}
