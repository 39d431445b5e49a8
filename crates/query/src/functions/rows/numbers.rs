//! Functions of numbers.

use super::{Cell, Entry, Kind, Outcome, Value, form};

const INT: Kind = Kind::Int;
const DOUBLE: Kind = Kind::Double;

pub(super) const TABLE: &[Entry] = &[
    (
        &["bit_count"],
        &[form(&[INT], INT, |cells| match cells {
            [Cell::Int(number)] => Ok(Value::Int(i64::from(number.count_ones()))),
            _ => Ok(Value::Null),
        })],
    ),
    (&["even"], &[form(&[DOUBLE], DOUBLE, |cells| double(cells, even))]),
    (
        &["gamma"],
        &[form(&[DOUBLE], DOUBLE, |cells| match cells {
            [Cell::Double(0.0)] => Err("the gamma function has no value at zero".to_owned()),
            _ => double(cells, libm::tgamma),
        })],
    ),
    (
        &["lgamma"],
        &[form(&[DOUBLE], DOUBLE, |cells| match cells {
            [Cell::Double(0.0)] => Err("the gamma function has no value at zero".to_owned()),
            _ => double(cells, libm::lgamma),
        })],
    ),
    (&["isinf"], &[form(&[DOUBLE], Kind::Bool, |cells| test(cells, f64::is_infinite))]),
    (
        &["isfinite"],
        &[
            form(&[DOUBLE], Kind::Bool, |cells| test(cells, f64::is_finite)),
            form(&[Kind::Time], Kind::Bool, |_| Ok(Value::Bool(true))),
        ],
    ),
    (&["signbit"], &[form(&[DOUBLE], Kind::Bool, |cells| test(cells, f64::is_sign_negative))]),
    (
        &["fmod"],
        &[form(&[DOUBLE, DOUBLE], DOUBLE, |cells| match cells {
            [Cell::Double(_), Cell::Double(0.0)] => Ok(Value::Null),
            [Cell::Double(a), Cell::Double(b)] => {
                let rest = a % b;
                Ok(Value::Double(if rest != 0.0 && (rest < 0.0) != (*b < 0.0) { rest + b } else { rest }))
            }
            _ => Ok(Value::Null),
        })],
    ),
    (
        &["fdiv"],
        &[form(&[DOUBLE, DOUBLE], DOUBLE, |cells| match cells {
            [Cell::Double(_), Cell::Double(0.0)] => Ok(Value::Null),
            [Cell::Double(a), Cell::Double(b)] => Ok(Value::Double((a / b).floor())),
            _ => Ok(Value::Null),
        })],
    ),
    (&["binom"], &[form(&[INT, INT], INT, binom)]),
    (&["round_even", "roundbankers"], &[form(&[DOUBLE, INT], DOUBLE, round_even)]),
];

fn double(cells: &[Cell<'_>], of: fn(f64) -> f64) -> Outcome {
    match cells {
        [Cell::Double(number)] => Ok(Value::Double(of(*number))),
        _ => Ok(Value::Null),
    }
}

fn test(cells: &[Cell<'_>], of: fn(f64) -> bool) -> Outcome {
    match cells {
        [Cell::Double(number)] => Ok(Value::Bool(of(*number))),
        _ => Ok(Value::Null),
    }
}

/// Returns the next even number away from zero.
fn even(number: f64) -> f64 {
    let whole = number.abs().ceil();
    let even = if whole % 2.0 == 0.0 { whole } else { whole + 1.0 };
    even.copysign(number)
}

fn binom(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Int(all), Cell::Int(chosen)] = cells else { return Ok(Value::Null) };
    if *chosen < 0 || *all < 0 {
        return Err("binom takes numbers from zero".to_owned());
    }
    if chosen > all {
        return Ok(Value::Int(0));
    }
    let chosen = (*chosen).min(all - chosen);
    let mut ways: i128 = 1;
    for step in 1..=i128::from(chosen) {
        let grown = ways.checked_mul(i128::from(*all) - step + 1);
        ways = grown.ok_or("the number of ways is no BIGINT")? / step;
    }
    i64::try_from(ways).map(Value::Int).map_err(|_| "the number of ways is no BIGINT".to_owned())
}

fn round_even(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Double(number), Cell::Int(places)] = cells else { return Ok(Value::Null) };
    let places = i32::try_from(*places).map_err(|_| "there are too many decimal places".to_owned())?;
    let scale = 10_f64.powi(places);
    let rounded = (number * scale).round_ties_even() / scale;
    Ok(Value::Double(if rounded.is_finite() { rounded } else { *number }))
}
